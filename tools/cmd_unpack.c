/* twin unpack ENVELOPE DIRECTORY: the files of a fuzzers' input, and its words in `args`: a job for twin diff. */
#include "envelope_file.h"
#include "twin.h"

#include <stdio.h>

int twin_unpack(int argc, char **argv);

int twin_unpack(int argc, char **argv) {
  static fuzz_envelope envelope;
  if (argc != 3) {
    fprintf(stderr, "usage: twin unpack ENVELOPE DIRECTORY\n");
    return TWIN_TROUBLE;
  }
  const bool good =
      envelope_file_read("unpack", argv[1], &envelope) && envelope_file_unpack("unpack", argv[2], &envelope);
  fuzz_envelope_free(&envelope);
  return good ? TWIN_OK : TWIN_TROUBLE;
}
