/* The rows of known differences. */
#include "fuzz/known.h"

#include "fuzz/answer.h"

#include <fnmatch.h>
#include <stdlib.h>

/* The reference follows nvlink on files that compilers write; of damaged files it only refuses what would harm itself, while
 * the linker has a row for each kind of damage (docs/specification/damaged-input.md). */
const fuzz_known_row fuzz_known_rows[] = {
    {"refused by the linker alone: * is damaged: *", "T1", "damage that the reference does not look for"},
    {"refused by the linker alone: * cannot be linked: *", "T1", "damage that the reference does not look for"},
    {"refused by the linker alone: *: reference to deleted section*", "L525",
     "shared memory of a dead device function"},
    {"refused by the reference alone: *: section 0: *", "D40", "headers of the null section, which nobody else reads"},
    {"errors: T[0-9] / *", "T1", "damage that the linker refuses at once, where the reference finds errors first"},
    {"bytes of a capsule's bodies: *", "L890", "the reference does not say yet what met in a relocatable capsule"},
    {"errors: * / D[0-9]*", "D40", "damage that the reference refuses at once, where the linker finds errors first"},
};
const size_t fuzz_known_count = sizeof fuzz_known_rows / sizeof *fuzz_known_rows;

const char *fuzz_cause_known(const char *cause) {
  if (getenv("TWIN_FUZZ_UNDAMAGED"))
    return NULL; /* files that nobody changed: no row is about them */
  for (size_t i = 0; i < fuzz_known_count; i++)
    if (fnmatch(fuzz_known_rows[i].pattern, cause, 0) == 0)
      return fuzz_known_rows[i].reason;
  return NULL;
}
