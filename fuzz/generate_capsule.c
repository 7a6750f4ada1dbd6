/* Capsules: the one of the relocation matrix (corpus/matrix/capsule.ptx), whose symbols are of many kinds, or one with compiler
 * constants, with entries drawn for the cells of Mercury's types; a second one beside it, whose definitions have other names,
 * now and then. */
#include "fuzz/generate_capsule.h"

#include "fuzz/aim_mercury.h"
#include "fuzz/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MACHINE = 49,
  KIND = 48,
  SASS_KIND = 4,
  SYMBOL_BYTES = 24,
  SYMBOL_SECTION = 3,
  OTHER_NAMES = 0x20,
  OWN_TABLE_ONE_IN = 4,
  SECOND_FAMILY = 120
};

/* Other names for what the file defines, so that it stands beside the first one. */
static void capsule_rename(edit_cubin *cubin) {
  enum { LAST = 64 };
  const size_t table = edit_find_type(cubin, 2);
  uint32_t numbers[LAST];
  size_t count = 0;
  for (size_t at = 0; table && at + SYMBOL_BYTES <= cubin->sections[table].size && count < LAST; at += SYMBOL_BYTES) {
    const uint8_t *const symbol = cubin->sections[table].bytes + at;
    if (edit_get(symbol + 6, 2) && (symbol[4] & 15) != SYMBOL_SECTION && symbol[4] >> 4)
      numbers[count++] = (uint32_t)(at / SYMBOL_BYTES);
  }
  for (size_t i = 0; i < count; i++)
    edit_symbol_rename(cubin, numbers[i], OTHER_NAMES);
}

/* Code is made for one family of machines (fuzz/capsules). */
static const fuzz_capsule *capsule_of(uint8_t machine, bool own_table) {
  if (machine < SECOND_FAMILY)
    return own_table ? &fuzz_capsule_own_table : &fuzz_capsule_capsule;
  return own_table ? &fuzz_capsule_own_table_120 : &fuzz_capsule_capsule_120;
}

static void capsule_add(const built_choices *choices, fuzz_envelope *envelope, uint8_t machine, uint32_t number) {
  edit_cubin cubin;
  const bool own_table = built_choose(choices, OWN_TABLE_ONE_IN) == OWN_TABLE_ONE_IN - 1;
  const fuzz_capsule *const from = capsule_of(machine, own_table);
  if (!edit_cubin_read(&cubin, from->bytes, from->size))
    abort();
  cubin.head[MACHINE] = machine;
  if (number)
    capsule_rename(&cubin);
  for (uint32_t i = built_choose(choices, 3); i < 3; i++)
    (void)fuzz_aim_mercury(choices, &cubin);
  if (built_choose(choices, 16) == 15)
    cubin.head[KIND] = SASS_KIND;
  char name[FUZZ_NAME];
  size_t size = 0;
  uint8_t *const bytes = edit_cubin_write(&cubin, &size);
  (void)snprintf(name, sizeof name, "capsule-%u.cubin", number);
  (void)fuzz_envelope_add_file(envelope, name, bytes, size);
  free(bytes);
  edit_cubin_free(&cubin);
}

void fuzz_generate_capsules(const built_choices *choices, fuzz_envelope *envelope) {
  static const uint8_t machines[] = {100, 100, 103, 110, 120, 121};
  const uint8_t machine = machines[built_choose(choices, sizeof machines)];
  char word[FUZZ_WORD];
  (void)snprintf(word, sizeof word, "-arch=sm_%u", machine);
  (void)fuzz_envelope_add_word(envelope, word);
  if (built_choose(choices, 2))
    (void)fuzz_envelope_add_word(envelope, "--bug-compatible");
  const uint32_t mode = built_choose(choices, 3);
  if (mode)
    (void)fuzz_envelope_add_word(envelope, mode == 1 ? "-r" : "-preserve-relocs");
  if (built_choose(choices, 3) == 2)
    (void)fuzz_envelope_add_word(envelope, fuzz_word_choose(choices, word));
  const uint32_t files = 1 + (built_choose(choices, 4) == 3);
  for (uint32_t i = 0; i < files; i++)
    capsule_add(choices, envelope, machine, i);
}
