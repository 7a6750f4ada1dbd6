/* The engine calls a target through ld's --wrap here (CMakeLists.txt), so that what each input moved is counted for the
 * rules (rules.h) without a word of it in the targets. */
#include "fuzz/rules.h"
#include "fuzz/targets/target.h"

#include <stdbool.h>
#include <stdlib.h>

int __real_LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static bool started; /* not before main: the engine's and the sanitizers' constructors come first */
  if (!started)
    (void)fuzz_rules_start(getenv("TWIN_FUZZ_RULES"));
  started = true;
  const int code = __real_LLVMFuzzerTestOneInput(bytes, size);
  fuzz_rules_add();
  return code;
}
