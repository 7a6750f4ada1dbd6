/* Whole links, linker against reference: image, messages and exit code. A difference that has a name (fuzz/known.c) is
 * none. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/generate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  fuzz_answer linker, reference;
  char cause[FUZZ_CAUSE];
  fuzz_envelope_of_input(&envelope, bytes, size);
  fuzz_link_linker(&envelope, &linker);
  if (!linker.none) {
    fuzz_link_reference(&envelope, &reference);
    fuzz_answers_compare(&envelope, &linker, &reference, cause);
    if (!reference.none && *cause && !fuzz_cause_known(cause))
      fuzz_found("differential", cause, bytes, size);
    fuzz_answer_free(&reference);
  }
  fuzz_answer_free(&linker);
  fuzz_envelope_free(&envelope);
  return 0;
}
