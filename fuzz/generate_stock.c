/* A program that ptxas made, out of a stock of seeds, in one of the modes and changed at up to three places. What a finalizer reads
 * (Mercury's code, line tables, barriers, images of whole programs) no builder of files makes out of choices: from nothing it was
 * never reached. */
#include "fuzz/generate_stock.h"

#include "fuzz/mutate.h"
#include "fuzz/words.h"

enum { CHANGES = 4 };

void fuzz_generate_stock(const built_choices *choices, fuzz_envelope *envelope) {
  static const char *const words[] = {"--bug-compatible", "-r", "-preserve-relocs", "-g", "-v"};
  const fuzz_capsule *const from = fuzz_stock[built_choose(choices, (uint32_t)fuzz_stock_count)];
  (void)fuzz_envelope_read(envelope, from->bytes, from->size);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (built_choose(choices, 4) == 3)
      (void)fuzz_envelope_add_word(envelope, words[i]);
  for (uint32_t i = built_choose(choices, CHANGES); i > 0; i--)
    (void)fuzz_mutate(choices, envelope, NULL);
}
