/* What must not change a link in any byte: the number of threads, what memory held before, and the seed of
 * the hashes. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/generate.h"

#include <string.h>

static bool same(const fuzz_answer *a, const fuzz_answer *b) {
  return a->code == b->code && !a->image == !b->image && a->size == b->size && a->text_size == b->text_size &&
         (!a->image || memcmp(a->image, b->image, a->size) == 0) &&
         (!a->text_size || memcmp(a->text, b->text, a->text_size) == 0);
}

static const char *check_conditions(const fuzz_envelope *envelope, const fuzz_answer *plain) {
  static const fuzz_conditions rows[] = {{.threads = 4}, {.filled = true}, {.entropy = 0x9e3779b97f4a7c15u}};
  static const char *const texts[] = {"another number of threads changes the answer",
                                      "what memory held before changes the answer",
                                      "another seed of the hashes changes the answer"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fuzz_conditions conditions = rows[i];
    fuzz_answer other;
    fuzz_link_linker_under(envelope, &conditions, &other);
    const bool good = same(plain, &other);
    fuzz_answer_free(&other);
    if (!good)
      return texts[i];
  }
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  fuzz_answer plain;
  fuzz_envelope_of_input(&envelope, bytes, size);
  fuzz_link_linker(&envelope, &plain);
  const char *const wrong = plain.none ? NULL : check_conditions(&envelope, &plain);
  if (wrong)
    fuzz_found("metamorphic", wrong, bytes, size);
  fuzz_answer_free(&plain);
  fuzz_envelope_free(&envelope);
  return 0;
}
