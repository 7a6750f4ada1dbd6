/* Programs with unified functions and data: files that ptxas made (corpus), one or two of them, and an index that is theirs
 * or not. What the cubin builder makes has none of their symbols, sections and identities. */
#include "fuzz/generate_unified.h"

#include "fuzz/generate_capsule.h"
#include "fuzz/words.h"

#include <stdio.h>

enum { PARTS = 2 };

typedef struct unified_row {
  const char *arch;
  const fuzz_capsule *files[PARTS], *indices[PARTS]; /* the last one is of all files */
} unified_row;

static const unified_row rows[] = {
    {"-arch=sm_90",
     {&fuzz_capsule_unified_a, &fuzz_capsule_unified_b},
     {&fuzz_capsule_unified_one, &fuzz_capsule_unified_both}},
    {"-arch=sm_100",
     {&fuzz_capsule_unified_stacks, &fuzz_capsule_unified_kernel},
     {&fuzz_capsule_unified_stacks_index, &fuzz_capsule_unified_all}},
};

void fuzz_generate_unified(const built_choices *choices, fuzz_envelope *envelope) {
  const unified_row *const row = &rows[built_choose(choices, 3) / 2];
  char word[FUZZ_WORD];
  (void)fuzz_envelope_add_word(envelope, row->arch);
  if (built_choose(choices, 2))
    (void)fuzz_envelope_add_word(envelope, "--bug-compatible");
  const uint32_t mode = built_choose(choices, 6);
  if (mode < 2)
    (void)fuzz_envelope_add_word(envelope, mode ? "-r" : "-preserve-relocs");
  if (built_choose(choices, 3) == 2)
    (void)fuzz_envelope_add_word(envelope, fuzz_word_choose(choices, word));
  const size_t alone = built_choose(choices, 2 * PARTS); /* PARTS and more: all files */
  const bool fits = built_choose(choices, 4) != 0, all = alone >= PARTS;
  for (size_t i = 0; i < PARTS; i++) {
    if (!all && i != alone)
      continue;
    char name[FUZZ_NAME];
    (void)snprintf(name, sizeof name, "unified-%zu.cubin", i);
    (void)fuzz_envelope_add_file(envelope, name, row->files[i]->bytes, row->files[i]->size);
  }
  if (built_choose(choices, 8) == 7)
    return; /* a link without an index */
  const fuzz_capsule *const index = row->indices[all == fits];
  (void)fuzz_envelope_add_word(envelope, FUZZ_INDEX_WORD);
  (void)fuzz_envelope_add_file(envelope, FUZZ_INDEX_NAME, index->bytes, index->size);
}
