/* Memory that ends at the n-th block, for every n of a link: an error, no image, and every block given back. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/generate.h"

enum { BLOCKS_MOST = 64 };

/* What is wrong with the link that gets `blocks` blocks (0: all it wants); NULL when nothing is. */
static const char *allocation_try(const fuzz_envelope *envelope, size_t blocks, size_t *taken) {
  fuzz_conditions conditions = {.blocks = blocks};
  fuzz_answer answer;
  fuzz_link_linker_under(envelope, &conditions, &answer);
  const bool none = answer.none, ended = blocks && conditions.taken == blocks && answer.code != 0;
  const char *wrong = NULL;
  if (!none && answer.image && answer.code != 0)
    wrong = "an image beside an error";
  else if (!none && answer.code != 0 && !answer.text_size)
    wrong = "an error without a message";
  else if (ended && answer.code != 1 && answer.code != 255)
    wrong = "an exit code that is none";
  fuzz_answer_free(&answer);
  if (!wrong && conditions.held)
    wrong = "memory is not given back";
  *taken = none ? 0 : conditions.taken;
  return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  size_t all = 0, taken = 0;
  fuzz_envelope_of_input(&envelope, bytes, size);
  const char *wrong = allocation_try(&envelope, 0, &all);
  for (size_t blocks = 1; blocks < all && blocks < BLOCKS_MOST && !wrong; blocks++)
    wrong = allocation_try(&envelope, blocks, &taken);
  if (wrong)
    fuzz_found("allocation", wrong, bytes, size);
  fuzz_envelope_free(&envelope);
  return 0;
}
