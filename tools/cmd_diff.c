/* twin diff: two linked cubins (diff_files.c; by their canonical form diff_canonical.c), or linker, reference and nvlink on
 * the same inputs (voters.h).
 *
 * 0: nobody stands alone without a reason that has a name; 1: somebody does; 2: the command could not do its work. */
#include "diff_canonical.h"
#include "diff_files.h"
#include "twin.h"
#include "voters.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int twin_diff(int argc, char **argv);

typedef struct diff_command {
  string_list jobs, known;
  char **words; /* behind "--" */
  int word_count;
  conformance_choice choice;
  const char *voters, *linker, *reference, *nvlink, *baseline, *mode, *json, *junit, *keep;
  unsigned job_count;
  size_t limit;
  double seconds, required;
  uint64_t memory;
  bool seeds, stored, show_all, quiet;
} diff_command;

static int diff_usage(void) {
  fprintf(stderr,
          "usage: twin diff A B ...                two linked cubins (twin diff A B --help)\n"
          "       twin diff --canonical A B ...    two links of one program (twin diff --canonical --help)\n"
          "       twin diff [OPTION...] JOB...     jobs: directories with a file args, or directories of such\n"
          "       twin diff [OPTION...] --seeds A..B | fresh[:COUNT] [--arch LIST] [--kind KIND] [--objects KIND]\n"
          "       twin diff [OPTION...] -- WORD... inputs and options of one link\n"
          "linker, reference and nvlink link the same inputs: bytes, messages and exit code are compared\n"
          "  --voters linker,reference,nvlink who votes; the default, with the baseline where one is given\n"
          "  --mode compatible|default|both   with --bug-compatible, without, both (the default)\n"
          "  --stored                         nvlink's stored answers rather than nvlink\n"
          "  --linker PROGRAM, --reference PROGRAM, --nvlink PROGRAM\n"
          "                                   programs in place of this build's linker and reference, and of nvlink\n"
          "  --baseline PROGRAM               an older build of twinlink, as one more voter\n"
          "  --known VOTER:FILE               jobs on which that voter is known to stand alone, and why\n"
          "  --all                            explain what has a reason too\n"
          "  --quiet                          the sums only\n"
          "  --limit N                        differences explained in a case (10; 0: all)\n"
          "  --json FILE, --junit FILE        the results once more, for programs\n"
          "  --jobs N                         children side by side (2)\n"
          "  --seconds N, --memory MB         limits of one link (20 s, 4096; 0: none, for linkers built with a "
          "sanitizer)\n"
          "  --require PERCENT                exit code 1 only if fewer than that are without a difference\n"
          "  --keep DIR                       programs of seeds stay there, and their cubins are used again\n");
  return TWIN_TROUBLE;
}

/* --- options --- */

static bool diff_parse_flag(diff_command *command, const char *word) {
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--stored", &command->stored}, {"--all", &command->show_all}, {"--quiet", &command->quiet}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(word, flags[i].name) == 0)
      return *flags[i].flag = true;
  return false;
}

static bool diff_parse_text(diff_command *command, const char *word, const char *value) {
  const struct {
    const char *name;
    const char **text;
  } texts[] = {{"--voters", &command->voters}, {"--linker", &command->linker},     {"--reference", &command->reference},
               {"--nvlink", &command->nvlink}, {"--baseline", &command->baseline}, {"--mode", &command->mode},
               {"--json", &command->json},     {"--junit", &command->junit},       {"--keep", &command->keep}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(word, texts[i].name) == 0) {
      *texts[i].text = value;
      return true;
    }
  return false;
}

static bool diff_parse_value(diff_command *command, const char *word, const char *value) {
  char *end = NULL;
  if (diff_parse_text(command, word, value))
    return true;
  if (strcmp(word, "--known") == 0) {
    string_list_add(&command->known, "%s", value);
    return true;
  }
  if (strcmp(word, "--limit") == 0) {
    command->limit = strtoul(value, &end, 10);
    return *value && !*end;
  }
  if (strcmp(word, "--jobs") == 0) {
    command->job_count = (unsigned)strtoul(value, &end, 10);
    return *value && !*end && command->job_count > 0;
  }
  if (strcmp(word, "--require") == 0) {
    command->required = strtod(value, &end);
    return *value && !*end;
  }
  if (strcmp(word, "--memory") == 0) {
    command->memory = (uint64_t)strtoull(value, &end, 10) << 20;
    return *value && !*end;
  }
  if (strcmp(word, "--seconds") == 0) {
    command->seconds = strtod(value, &end);
    return *value && !*end && command->seconds > 0;
  }
  command->seeds |= strcmp(word, "--seeds") == 0;
  return conformance_choice_parse(&command->choice, word, value);
}

static bool diff_parse(diff_command *command, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--") == 0) {
      command->words = argv + i + 1;
      command->word_count = argc - i - 1;
      return true;
    }
    if (diff_parse_flag(command, argv[i]))
      continue;
    if (argv[i][0] != '-')
      string_list_add(&command->jobs, "%s", argv[i]);
    else if (i + 1 == argc || !diff_parse_value(command, argv[i], argv[i + 1]))
      return false;
    else
      i++;
  }
  return true;
}

/* --- who votes --- */

static bool diff_parse_voters(const diff_command *command, voters_settings *settings) {
  const char *at = command->voters;
  if (!at) {
    settings->voting[VOTER_LINKER] = settings->voting[VOTER_NVLINK] = true;
    settings->voting[VOTER_REFERENCE] = !command->baseline;
    settings->voting[VOTER_BASELINE] = command->baseline != NULL;
    return true;
  }
  while (*at) {
    const size_t length = strcspn(at, ",");
    int who = 0;
    while (who < VOTER_COUNT && (strlen(voter_words[who]) != length || strncmp(voter_words[who], at, length) != 0))
      who++;
    if (who == VOTER_COUNT)
      return false;
    settings->voting[who] = true;
    at += length + (at[length] == ',');
  }
  return !settings->voting[VOTER_BASELINE] || command->baseline;
}

static bool diff_parse_mode(const diff_command *command, voters_settings *settings) {
  const char *const mode = command->mode ? command->mode : "both";
  bool known = strcmp(mode, "both") == 0;
  for (int i = 0; i < VOTERS_MODES; i++) {
    settings->modes[i] = strcmp(mode, "both") == 0 || strcmp(mode, voters_mode_words[i]) == 0;
    known |= settings->modes[i];
  }
  return known;
}

static bool diff_find_program(voters_settings *settings, voter who, const char *name) {
  if (!name || !settings->voting[who])
    return true;
  if (conformance_find_linker(name, settings->programs[who]))
    return true;
  fprintf(stderr, "twin diff: no program '%s'\n", name);
  return false;
}

static bool diff_find_programs(const diff_command *command, voters_settings *settings) {
  if (!diff_find_program(settings, VOTER_LINKER, command->linker) ||
      !diff_find_program(settings, VOTER_REFERENCE, command->reference) ||
      !diff_find_program(settings, VOTER_NVLINK, command->nvlink) ||
      !diff_find_program(settings, VOTER_BASELINE, command->baseline))
    return false;
  if (!command->nvlink && settings->voting[VOTER_NVLINK] && !command->stored &&
      !conformance_find_linker("nvlink", settings->programs[VOTER_NVLINK]))
    settings->programs[VOTER_NVLINK][0] = 0;
  if (!command->linker && settings->voting[VOTER_LINKER] && !conformance_find_own(settings->own_linker)) {
    fprintf(stderr, "twin diff: no twinlink beside this program\n");
    return false;
  }
  if (!*settings->own_linker)
    snprintf(settings->own_linker, sizeof settings->own_linker, "twinlink");
  settings->compilers.compile_seconds = 60;
  return !command->seeds || gen_tools_find(&settings->compilers.tools);
}

/* --- the command --- */

static bool diff_collect(diff_command *command, voters_cases *cases, const char *scratch) {
  bool good = true;
  for (size_t i = 0; good && i < command->jobs.count; i++)
    good = voters_cases_add_jobs(cases, command->jobs.items[i]);
  if (good && command->seeds)
    good = voters_cases_add_seeds(cases, &command->choice, scratch);
  if (good && command->word_count)
    good = voters_cases_add_words(cases, command->word_count, command->words);
  return good && cases->count > 0;
}

static int diff_report(const diff_command *command, const voters_report *report) {
  voters_print(report, command->quiet, stdout);
  bool written = !command->json || voters_write_json(report, command->json);
  written &= !command->junit || voters_write_junit(report, command->junit);
  if (!written) {
    fprintf(stderr, "twin diff: a report cannot be written\n");
    return TWIN_TROUBLE;
  }
  return voters_found(report) ? TWIN_FOUND : TWIN_OK;
}

static int diff_vote(diff_command *command, const voters_settings *settings, voters_known *known, const char *scratch) {
  voters_cases cases = {0};
  int code = TWIN_TROUBLE;
  if (diff_collect(command, &cases, scratch)) {
    const double begin = process_clock();
    if (voters_run(settings, &cases, scratch, isatty(2))) {
      voters_known_apply(known, &cases);
      const voters_report report = {settings, &cases, known, process_clock() - begin};
      code = diff_report(command, &report);
    }
  }
  voters_cases_free(&cases);
  return code;
}

static int diff_run(diff_command *command) {
  voters_settings settings = {.stored = command->stored,
                              .show_all = command->show_all,
                              .seconds = command->seconds,
                              .memory = command->memory,
                              .required = command->required,
                              .file_size = (uint64_t)256 << 20,
                              .jobs = command->job_count,
                              .limit = command->limit};
  char scratch[CONFORMANCE_PATH / 2], kept[CONFORMANCE_PATH];
  voters_known known = {0};
  if (!diff_parse_voters(command, &settings) || !diff_parse_mode(command, &settings))
    return diff_usage();
  if (!diff_find_programs(command, &settings))
    return TWIN_TROUBLE;
  if (command->keep && process_ensure_directory(command->keep) && conformance_absolute(command->keep, kept))
    settings.keep = kept;
  bool good = true;
  for (size_t i = 0; good && i < command->known.count; i++)
    good = voters_known_read(&known, command->known.items[i]);
  process_hold_interrupts();
  int code = TWIN_TROUBLE;
  if (good && process_make_directory(scratch, sizeof scratch, "twin-diff")) {
    code = diff_vote(command, &settings, &known, scratch);
    process_remove_tree(scratch);
  }
  voters_known_free(&known);
  process_let_interrupts();
  return code;
}

/* Two files, or an option that only that form has. */
static bool diff_is_files(int argc, char **argv) {
  bool any = false;
  for (int i = 1; i < argc; i++) {
    struct stat status;
    if (strcmp(argv[i], "--") == 0 || strcmp(argv[i], "--seeds") == 0)
      return false;
    if (argv[i][0] == '-')
      continue;
    if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
      return false;
    any = true;
  }
  return any;
}

int twin_diff(int argc, char **argv) {
  if (diff_is_canonical(argc, argv))
    return diff_canonical(argc, argv);
  if (diff_is_files(argc, argv))
    return diff_files(argc, argv);
  diff_command command = {.job_count = 2, .limit = 10, .seconds = 20, .required = 100, .memory = (uint64_t)4 << 30};
  conformance_choice_init(&command.choice);
  int code =
      diff_parse(&command, argc, argv) && (command.jobs.count > 0) + command.seeds + (command.word_count > 0) == 1
          ? diff_run(&command)
          : diff_usage();
  string_list_free(&command.jobs);
  string_list_free(&command.known);
  return code;
}
