/* twin replay [--diff] ENVELOPE...: what linker and reference make of a fuzzers' input, in process, and where they differ;
 * --diff lets all voters of twin diff vote on it too, nvlink among them. The exit code is 1 when a difference has no name
 * in fuzz/known.c. */
#include "envelope_file.h"
#include "process.h"
#include "twin.h"

#include "fuzz/answer.h"

#include <stdio.h>
#include <string.h>

int twin_replay(int argc, char **argv);
int twin_diff(int argc, char **argv);

static void replay_print(const char *who, const fuzz_answer *answer) {
  if (answer->none)
    printf("  %s: the option grammar refuses the words\n", who);
  else if (answer->image)
    printf("  %s: %zu bytes\n", who, answer->size);
  else
    printf("  %s: exit code %d %s\n", who, answer->code, answer->codes);
  if (answer->text)
    printf("%s", answer->text);
}

/* False when there is a difference without a name. */
static bool replay_envelope(const char *path, const fuzz_envelope *envelope) {
  fuzz_answer linker, reference;
  char cause[FUZZ_CAUSE] = "";
  printf("%s: %zu files, %zu bytes;", path, envelope->file_count, fuzz_envelope_size(envelope));
  for (size_t i = 0; i < envelope->word_count; i++)
    printf(" %s", envelope->words[i]);
  printf("\n");
  fflush(stdout);
  fuzz_link_linker(envelope, &linker);
  replay_print("linker", &linker);
  fflush(stdout);
  fuzz_link_reference(envelope, &reference);
  replay_print("reference", &reference);
  if (!linker.none && !reference.none)
    fuzz_answers_compare(envelope, &linker, &reference, cause);
  const char *const known = *cause ? fuzz_cause_known(cause) : "";
  printf("  %s%s%s\n", *cause ? cause : "alike", known && *cause ? "; known: " : "", known ? known : "");
  fuzz_answer_free(&linker);
  fuzz_answer_free(&reference);
  return known != NULL;
}

static bool replay_diff(const fuzz_envelope *envelope) {
  char directory[4096];
  char name[] = "diff";
  if (!process_make_directory(directory, sizeof directory, "twin-replay"))
    return false;
  char *arguments[] = {name, directory, NULL};
  fflush(stdout);
  const bool good = envelope_file_unpack("replay", directory, envelope) && twin_diff(2, arguments) == TWIN_OK;
  process_remove_tree(directory);
  return good;
}

int twin_replay(int argc, char **argv) {
  static fuzz_envelope envelope;
  const bool diff = argc > 1 && strcmp(argv[1], "--diff") == 0;
  bool good = true;
  if (argc < 2 + diff) {
    fprintf(stderr, "usage: twin replay [--diff] ENVELOPE...\n");
    return TWIN_TROUBLE;
  }
  for (int i = 1 + diff; i < argc; i++) {
    if (!envelope_file_read("replay", argv[i], &envelope))
      return TWIN_TROUBLE;
    good = replay_envelope(argv[i], &envelope) && good;
    good = (!diff || replay_diff(&envelope)) && good;
    fuzz_envelope_free(&envelope);
  }
  return good ? TWIN_OK : TWIN_FOUND;
}
