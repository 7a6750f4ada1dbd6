/* The two linkers as functions, each for a child process of its own. One file a linker, so that no file sees the headers of
 * both. */
#ifndef TWIN_VOTERS_CALLS_H
#define TWIN_VOTERS_CALLS_H

/* What voters_call_linker returns for words that only the program can act on: options that print or write something
 * else than an output, and refusals of the option grammar. Nothing was printed or written then. */
enum { VOTERS_ONLY_PROGRAM = -1 };

/* Links as the program does with these words (argv[0] is a name), in the current directory: messages on standard error, the
 * output to `output`, or where the words say when that is NULL. Returns the exit code. */
int voters_call_linker(int argc, char *const *argv, const char *output);
/* The same; the ids of its messages, a line each, go to `ids`. */
int voters_call_reference(int argc, char *const *argv, const char *output, const char *ids);

#endif
