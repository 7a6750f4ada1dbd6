/* Envelopes (fuzz/envelope.h) as files, for the subcommands that make and read them. */
#ifndef TWIN_ENVELOPE_FILE_H
#define TWIN_ENVELOPE_FILE_H

#include "fuzz/envelope.h"

/* Reads an input of the fuzzers: an envelope, or the bytes out of which the generator makes one. False after a line on
 * standard error. */
bool envelope_file_read(const char *subcommand, const char *path, fuzz_envelope *envelope);
bool envelope_file_write(const char *subcommand, const char *path, const fuzz_envelope *envelope);
/* The files, and `args` with a word a line: a job as twin diff takes it. */
bool envelope_file_unpack(const char *subcommand, const char *directory, const fuzz_envelope *envelope);

#endif
