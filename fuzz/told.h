/* Whether the archive of --reproduce tells what the link was: inputs, words, messages, exit code and output, and nothing that
 * depends on anything else. */
#ifndef FUZZ_TOLD_H
#define FUZZ_TOLD_H

#include "fuzz/linker_call.h"

#include "write/reproduce.h"

/* NULL, or what is wrong. `messages`: those of the link, a line each. */
const char *fuzz_told_archive(const fuzz_linker_call *call, const tl_reproduction *reproduction, const char *messages,
                              const uint8_t *archive, size_t size);

#endif
