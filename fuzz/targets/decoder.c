/* The instruction decoder: the bits that belong to fields come back when the fields are put together again, no field lies
 * outside the instruction or over another, and looking for a field by its bits finds one that holds them. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"

#include "ref_sass.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BITS = 128 };

static bool bit_of(ref_sass_word word, unsigned bit) {
  return (bit < 64 ? word.low >> bit : word.high >> (bit - 64)) & 1;
}

static const char *decoder_check(ref_sass_word word, unsigned sm) {
  ref_sass_instruction instruction;
  ref_sass_decode(&instruction, word, sm);
  const ref_sass_word mask = ref_sass_mask(&instruction), again = ref_sass_encode(&instruction);
  if (again.low != (word.low & mask.low) || again.high != (word.high & mask.high))
    return "the fields do not make the instruction again";
  bool taken[WORD_BITS] = {false};
  if (instruction.field_count > REF_SASS_FIELDS_MAX)
    return "more fields than there is room for";
  for (size_t i = 0; i < instruction.field_count; i++)
    for (size_t piece = 0; piece < REF_SASS_PIECES_MAX; piece++) {
      const unsigned start = instruction.fields[i].pieces[piece].start,
                     width = instruction.fields[i].pieces[piece].width;
      if (start + width > WORD_BITS)
        return "a field outside the instruction";
      for (unsigned bit = start; bit < start + width; bit++) {
        if (taken[bit] || !bit_of(mask, bit))
          return "two fields have one bit, or the mask lacks it";
        taken[bit] = true;
      }
    }
  int64_t target = 0;
  (void)ref_sass_target(&instruction, 0, &target);
  (void)ref_sass_is_conditional(&instruction);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const unsigned machines[] = {75, 80, 86, 89, 90, 100, 103, 120, 121};
  for (size_t at = 0; at + REF_SASS_BYTES <= size; at += REF_SASS_BYTES)
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
      const char *const wrong = decoder_check(ref_sass_read(bytes + at), machines[i]);
      if (wrong)
        fuzz_found("decoder", wrong, bytes, size);
    }
  return 0;
}
