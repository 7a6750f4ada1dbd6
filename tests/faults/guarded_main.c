/* linker/main.c for the hunt: the codes of the messages that it prints, a line each, in the file `codes`, so that they are
 * compared with the reference's. Only those of the facts: the linkers have names of their own for what is their own. */
#include "base/diagnostics.h"

#include <stdio.h>

size_t guarded_message_format(const tl_message *message, const tl_options *options, char *line, size_t size);

#define tl_message_format guarded_message_format
#include "linker/main.c"
#undef tl_message_format

size_t guarded_message_format(const tl_message *message, const tl_options *options, char *line, size_t size) {
  enum { FIRST_CALL = 1024 }; /* a longer message is formatted twice */
  FILE *const codes = size == FIRST_CALL && message->code[0] ? fopen("codes", "a") : NULL;
  if (codes) {
    fprintf(codes, "%s\n", message->code[0] == 'E' ? message->code : "own");
    fclose(codes);
  }
  return tl_message_format(message, options, line, size);
}
