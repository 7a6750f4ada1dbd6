/* The command line as a user meets it: command_line PROGRAM CORPUS runs the program and looks at its messages, exit code
 * and files. options.c holds nvlink's grammar, output.c what becomes of the output file, own.c the options that nvlink
 * does not have, trace.c what --trace prints. */
#define _DEFAULT_SOURCE
#include "tests/command_line/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

command_setup command;

static void command_write(const char *name, const char *text) {
  char path[HARNESS_PATH];
  harness_path(path, "%s/%s", command.scratch, name);
  harness_write_file(path, text, strlen(text));
}

int command_make_scratch(void **state) {
  (void)state;
  harness_make_scratch(command.scratch);
  command_write("text.xyz",
                "A text of more than fifty-six bytes that no linker takes for device code, whatever it is.\n");
  command_write("other.xyz",
                "Another text of more than fifty-six bytes that no linker takes for device code, either.\n");
  command_write("short.xyz", "short");
  command_write("text.cubin",
                "A text of more than fifty-six bytes that is named as device code and is none, for certain.\n");
  command_write("job.options", "-arch sm_90\n\t-o \"out.cubin\" text.xyz");
  command_write("nested.options", "-optf job.options");
  command_write("escaped.options", "-arch sm_90 -o out.cubin \"two words.xyz\" three\\ more\\ words.xyz");
  command_write("two words.xyz",
                "A text of more than fifty-six bytes that no linker takes for device code, whatever it is.\n");
  command_write("three more words.xyz",
                "A text of more than fifty-six bytes that no linker takes for device code, yes.\n");
  command_write("self.options", "-optf self.options");
  return 0;
}

int command_remove_scratch(void **state) {
  (void)state;
  harness_remove_tree(command.scratch);
  return 0;
}

void command_run(const char *program, const char *line, harness_outcome *outcome) {
  char words[HARNESS_PATH];
  const char *argv[64] = {program};
  size_t count = 1;
  harness_path(words, "%s", line);
  for (char *at = words; *at && count + 1 < sizeof argv / sizeof *argv;) {
    size_t length = strcspn(at, " ");
    bool last = at[length] == 0;
    at[length] = 0;
    if (length)
      argv[count++] = strcmp(at, "''") == 0 ? "" : at;
    at += length + !last;
  }
  harness_run(&(harness_command){.argv = argv, .directory = command.scratch}, outcome);
}

void command_link(const char *line, int code) {
  char whole[HARNESS_PATH];
  harness_outcome outcome;
  harness_path(whole, "--identity=nvlink %s", line);
  command_run(command.program, whole, &outcome);
  if (outcome.code != code)
    fail_msg("%s: exit code %d, signal %d\n%s", line, outcome.code, outcome.signal, (char *)outcome.err.data);
  harness_free_outcome(&outcome);
}

int main(int argc, char **argv) {
  if (argc != 3 || !realpath(argv[1], command.program))
    harness_stop("usage: command_line PROGRAM CORPUS");
  command.corpus = argv[2];
  harness_list_jobs(argv[2], "cuda", &command.jobs);
  int failed = command_test_options() + command_test_output() + command_test_own_options() + command_test_trace();
  harness_free_jobs(&command.jobs);
  return failed != 0;
}
