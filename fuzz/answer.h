/* Where two answers to one envelope differ, and whether that is known. */
#ifndef FUZZ_ANSWER_H
#define FUZZ_ANSWER_H

#include "fuzz/voter.h"

enum { FUZZ_CAUSE = 240 };

/* "" when they are equal: code, image and messages. Otherwise the cause, in one line: what differs, and where it does by
 * name, never by number, so that one mistake is one cause however often it is met. */
void fuzz_answers_compare(const fuzz_envelope *envelope, const fuzz_answer *linker, const fuzz_answer *reference,
                          char cause[FUZZ_CAUSE]);
/* The reason that a row of fuzz/known-differences gives for a cause, or NULL. */
const char *fuzz_cause_known(const char *cause);

/* Says that an input shows something. Where the variable TWIN_FUZZ_FINDINGS names a directory (`./run fuzz`), the first
 * input of each cause is kept there and the fuzzer goes on; otherwise the process ends, as engines expect it. */
void fuzz_found(const char *target, const char *cause, const uint8_t *bytes, size_t size);

#endif
