/* What stands in the program until directed.sh puts two linkers in its place: this state's, twice, in which nothing differs. */
#include "fuzz/directed.h"

void fuzz_link_changed(const fuzz_envelope *envelope, fuzz_answer *answer) {
  fuzz_link_linker(envelope, answer);
}

void fuzz_link_before(const fuzz_envelope *envelope, fuzz_answer *answer) {
  fuzz_link_linker(envelope, answer);
}
