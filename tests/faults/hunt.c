/* hunt: is each planted fault found by the corpus and by generated programs?
 *
 *   hunt [OPTION]... VOTER FAULTS RECORD
 *
 * VOTER is the other linker as a program, FAULTS the rows of fault_draw with a word behind each, `built` or `same` (the
 * object code is that without the fault), RECORD what is known already, which is added to.
 *
 * An input on which the program without a fault and VOTER agree is a vote: a faulty program that answers otherwise there
 * is found. Where they do not agree as a whole (the option grammar, defects that only one of them refuses) the parts on
 * which they agree are votes, and the faulty program is also found when it crashes, hangs, makes no output although there
 * was one, or makes one of which `twin check` complains although it did not. Nothing that nvlink said is read.
 *
 * Exit code 1: fewer than `--require` percent of the faults that are not equivalent were found (90).
 *
 * A fault that is not found is tried on `--others` relinks (hunt_relinks.c): when all answers are those of the program
 * without it, it is equivalent; without such a trial it counts as missed. */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

enum { FIELDS = 7, RUN_SECONDS = 5, CHECK_SECONDS = 60, MAPS = 150 };

/* One fault: the columns of its row, then what came of it. */
typedef struct hunt_fault {
  char *row; /* owns the columns' text */
  char *column[FIELDS];
  int number;
  char verdict[24]; /* "found", "equivalent", "missed"; "" while it is not known */
  char by[HARNESS_PATH];
} hunt_fault;

/* What both said of an input without a fault; where they disagree the answer's parts are those on which they agree. */
typedef struct hunt_vote {
  hunt_answer own;
  bool agreed;
} hunt_vote;

typedef struct hunt_settings {
  const char *corpus, *programs, *scratch, *check, *json, *title, *only;
  size_t program_limit, others, seconds, required;
  uint64_t seed;
  bool report; /* the record alone */
} hunt_settings;

typedef struct hunt_state {
  hunt_settings settings;
  char voter[HARNESS_PATH], root[HARNESS_PATH];
  hunt_inputs inputs;
  hunt_vote *votes; /* by input and mode */
  hunt_answer *others;
  hunt_fault *faults;
  size_t fault_count, agreed, refused;
} hunt_state;

static const hunt_program *hunt_find(int number) {
  for (const hunt_program *program = hunt_programs; program->main; program++)
    if (program->number == number)
      return program;
  return NULL;
}

static hunt_runner hunt_runner_of(int number) {
  const hunt_program *const program = hunt_find(number);
  if (!program)
    harness_stop("no program with fault %d in this binary", number);
  return (hunt_runner){.main = program->main, .seconds = RUN_SECONDS};
}

/* --- faults and their record --- */

static void hunt_split(char *line, char **columns, size_t count) {
  for (size_t i = 0; i < count; i++) {
    columns[i] = line;
    line += strcspn(line, "\t");
    if (*line)
      *line++ = '\0';
  }
}

static void hunt_read_faults(hunt_state *h, const char *path) {
  harness_words lines;
  harness_read_lines(path, &lines);
  h->faults = harness_grow(NULL, (lines.count + 1) * sizeof *h->faults);
  for (size_t i = 0; i < lines.count; i++) {
    if (!*lines.items[i])
      continue;
    hunt_fault *const fault = &h->faults[h->fault_count++];
    *fault = (hunt_fault){.number = -1};
    fault->row = strdup(lines.items[i]);
    if (!fault->row)
      harness_stop("no memory");
    hunt_split(fault->row, fault->column, FIELDS);
    fault->number = (int)strtol(fault->column[0], NULL, 10);
    if (strcmp(fault->column[6], "same") == 0) {
      snprintf(fault->verdict, sizeof fault->verdict, "equivalent");
      snprintf(fault->by, sizeof fault->by, "the object code is equal");
    }
  }
  harness_free_words(&lines);
}

/* Lines "NUMBER VERDICT BY", tabs between. */
static void hunt_read_record(hunt_state *h, const char *path) {
  harness_words lines;
  if (!harness_exists(path))
    return;
  harness_read_lines(path, &lines);
  for (size_t i = 0; i < lines.count; i++) {
    char *columns[3];
    hunt_split(lines.items[i], columns, 3);
    for (size_t j = 0; j < h->fault_count; j++)
      if (*columns[0] && h->faults[j].number == (int)strtol(columns[0], NULL, 10)) {
        snprintf(h->faults[j].verdict, sizeof h->faults[j].verdict, "%s", columns[1]);
        snprintf(h->faults[j].by, sizeof h->faults[j].by, "%s", columns[2]);
      }
  }
  harness_free_words(&lines);
}

static void hunt_write_record(const hunt_fault *fault, const char *path) {
  FILE *const file = fopen(path, "a");
  if (!file || fprintf(file, "%d\t%s\t%s\n", fault->number, fault->verdict, fault->by) < 0 || fclose(file) != 0)
    harness_stop("cannot write %s: %s", path, strerror(errno));
}

/* --- votes --- */

static hunt_vote *hunt_vote_of(const hunt_state *h, size_t input, size_t mode) {
  return &h->votes[input * HUNT_MODES + mode];
}

/* What both programs say of every input. Their answers depend on nothing but the input, so they are asked once. Where
 * they disagree is written into SCRATCH/disagreements, with both exit codes. */
static void hunt_ask(hunt_state *h) {
  const hunt_runner own = hunt_runner_of(-1), other = {.program = h->voter, .seconds = RUN_SECONDS};
  h->votes = calloc(h->inputs.count * HUNT_MODES + 1, sizeof *h->votes);
  char path[HARNESS_PATH];
  harness_path(path, "%s/disagreements", h->settings.scratch);
  FILE *const list = fopen(path, "w");
  if (!h->votes || !list)
    harness_stop("no memory, or no file %s", path);
  for (size_t i = 0; i < h->inputs.count; i++)
    for (size_t mode = 0; mode < HUNT_MODES; mode++) {
      hunt_vote *const vote = hunt_vote_of(h, i, mode);
      hunt_answer answer;
      hunt_run(&own, &h->inputs.items[i], (hunt_mode)mode, &vote->own);
      hunt_run(&other, &h->inputs.items[i], (hunt_mode)mode, &answer);
      vote->agreed = hunt_same(&vote->own, &answer);
      h->agreed += vote->agreed;
      hunt_answer_intersect(&vote->own, &answer);
      hunt_answer_free(&answer);
      if (!vote->agreed)
        fprintf(list, "%s%s: %d, %d\n", h->inputs.items[i].name, hunt_mode_words[mode], vote->own.code, answer.code);
    }
  fclose(list);
}

/* `twin check` says that the link, or its map, whose files are in `directory`, is broken. */
static bool hunt_complains(const hunt_state *h, const hunt_input *input, const char *directory, bool map) {
  char output[HARNESS_PATH], map_path[HARNESS_PATH];
  harness_path(output, "%s/out.cubin", directory);
  harness_path(map_path, "%s/out.map", directory);
  const char *argv[256] = {h->settings.check, "check"};
  size_t count = 2;
  if (map) {
    argv[count++] = "--map";
    argv[count++] = map_path;
  }
  argv[count++] = output;
  for (size_t i = 0; i < input->arguments.count && count + 1 < sizeof argv / sizeof *argv; i++) {
    const char *const word = input->arguments.items[i];
    if (strlen(word) > 6 && strcmp(word + strlen(word) - 6, ".cubin") == 0 && strcmp(word, "out.cubin") != 0)
      argv[count++] = word;
  }
  harness_outcome outcome;
  harness_run(&(harness_command){.argv = argv, .directory = input->directory, .seconds = CHECK_SECONDS}, &outcome);
  const bool complains = outcome.code == 1;
  harness_free_outcome(&outcome);
  return complains;
}

/* A run whose files are kept in a directory of its own below the scratch directory. */
static void hunt_run_kept(const hunt_state *h, int number, size_t input, hunt_mode mode, bool map, char *directory,
                          hunt_answer *answer) {
  hunt_runner runner = hunt_runner_of(number);
  harness_path(directory, "%s/%s", h->settings.scratch, number < 0 ? "plain" : "faulty");
  harness_make_directories(directory);
  runner.keep = directory;
  runner.map = map;
  hunt_run(&runner, &h->inputs.items[input], mode, answer);
  hunt_answer_free(answer);
}

/* Where the voters disagree, and the fault changes the answer: does anything but the answer itself speak? */
static const char *hunt_look_closer(const hunt_state *h, const hunt_fault *fault, size_t input, size_t mode) {
  const hunt_input *const one = &h->inputs.items[input];
  const hunt_vote *const vote = hunt_vote_of(h, input, mode);
  char faulty[HARNESS_PATH], plain[HARNESS_PATH];
  hunt_answer answer, own;
  hunt_run_kept(h, fault->number, input, (hunt_mode)mode, false, faulty, &answer);
  if (answer.code == HUNT_TIME && vote->own.code != HUNT_TIME)
    return "hangs";
  if (answer.code >= HUNT_SIGNAL && vote->own.code < HUNT_SIGNAL)
    return "crashes";
  if (vote->own.made && !answer.made)
    return "refuses";
  if (!h->settings.check || !vote->own.made || !answer.made)
    return NULL;
  hunt_run_kept(h, -1, input, (hunt_mode)mode, false, plain, &own);
  return hunt_complains(h, one, faulty, false) && !hunt_complains(h, one, plain, false) ? "twin check" : NULL;
}

static const char *hunt_word_of(const hunt_answer *answer) {
  if (answer->code == HUNT_TIME)
    return "hangs";
  return answer->code >= HUNT_SIGNAL ? "crashes" : "disagrees";
}

/* How the fault shows in an answer, or NULL. */
static const char *hunt_judge_answer(const hunt_state *h, const hunt_fault *fault, size_t input, size_t mode,
                                     const hunt_answer *answer) {
  const hunt_vote *const vote = hunt_vote_of(h, input, mode);
  if (hunt_same(answer, &vote->own))
    return NULL;
  const char *const how = vote->agreed || !hunt_answer_holds(answer, &vote->own)
                              ? hunt_word_of(answer)
                              : hunt_look_closer(h, fault, input, mode);
  hunt_input_restore(&h->inputs.items[input]);
  return how;
}

/* The first input on which the fault shows. */
static bool hunt_find_fault(const hunt_state *h, hunt_fault *fault) {
  const hunt_runner runner = hunt_runner_of(fault->number);
  for (size_t i = 0; i < h->inputs.count; i++)
    for (size_t mode = 0; mode < HUNT_MODES; mode++) {
      hunt_answer answer;
      hunt_run(&runner, &h->inputs.items[i], (hunt_mode)mode, &answer);
      const char *const how = hunt_judge_answer(h, fault, i, mode, &answer);
      hunt_answer_free(&answer);
      if (!how)
        continue;
      snprintf(fault->by, sizeof fault->by, "%s: %s%s", how, h->inputs.items[i].name, hunt_mode_words[mode]);
      return true;
    }
  return false;
}

/* --- equivalent faults --- */

/* The answers without a fault to the relinks, asked for when the first fault needs them; half of them in each mode. */
static hunt_answer *hunt_ask_others(const hunt_state *h, hunt_relinks *relinks) {
  const hunt_runner own = hunt_runner_of(-1);
  hunt_answer *const answers = harness_grow(NULL, (h->settings.others + 1) * sizeof *answers);
  for (size_t i = 0; i < h->settings.others; i++) {
    hunt_input input;
    hunt_relinks_make(relinks, i, &input);
    hunt_run(&own, &input, (hunt_mode)(i / 3 % HUNT_MODES), &answers[i]);
    hunt_answer_free(&answers[i]);
    hunt_input_free(&input);
  }
  return answers;
}

static bool hunt_is_equivalent(hunt_state *h, hunt_fault *fault) {
  const hunt_runner runner = hunt_runner_of(fault->number);
  hunt_relinks *const relinks = hunt_relinks_open(h->settings.corpus, h->root, h->settings.seed);
  bool same = true;
  if (!h->others)
    h->others = hunt_ask_others(h, relinks);
  for (size_t i = 0; same && i < h->settings.others; i++) {
    hunt_input input;
    hunt_answer answer;
    hunt_relinks_make(relinks, i, &input);
    hunt_run(&runner, &input, (hunt_mode)(i / 3 % HUNT_MODES), &answer);
    same = hunt_same(&answer, &h->others[i]);
    hunt_answer_free(&answer);
    if (!same)
      snprintf(fault->by, sizeof fault->by, "would be seen by %s%s", input.name, hunt_mode_words[i / 3 % HUNT_MODES]);
    hunt_input_free(&input);
  }
  hunt_relinks_close(relinks);
  return same;
}

/* The same links once more with a link map, which `twin check` compares with the output; the first MAPS that make one. */
static bool hunt_find_by_map(const hunt_state *h, hunt_fault *fault) {
  size_t maps = 0;
  for (size_t i = 0; h->settings.check && i < h->inputs.count && maps < MAPS; i++) {
    char faulty[HARNESS_PATH], plain[HARNESS_PATH];
    hunt_answer answer, own;
    if (!hunt_vote_of(h, i, HUNT_DEFAULT)->own.made)
      continue;
    maps++;
    hunt_run_kept(h, -1, i, HUNT_DEFAULT, true, plain, &own);
    hunt_run_kept(h, fault->number, i, HUNT_DEFAULT, true, faulty, &answer);
    if (hunt_same(&answer, &own))
      continue;
    const hunt_input *const input = &h->inputs.items[i];
    const char *how = answer.made ? NULL : hunt_word_of(&answer);
    if (answer.made && hunt_complains(h, input, faulty, true) && !hunt_complains(h, input, plain, true))
      how = "twin check --map";
    hunt_input_restore(input);
    if (how)
      snprintf(fault->by, sizeof fault->by, "%s: %s", how, input->name);
    if (how)
      return true;
  }
  return false;
}

static void hunt_judge(hunt_state *h, hunt_fault *fault) {
  if (hunt_find_fault(h, fault) || hunt_find_by_map(h, fault)) {
    snprintf(fault->verdict, sizeof fault->verdict, "found");
  } else if (h->settings.others && hunt_is_equivalent(h, fault)) {
    snprintf(fault->verdict, sizeof fault->verdict, "equivalent");
    snprintf(fault->by, sizeof fault->by, "all answers are equal: corpus, programs and %zu relinks",
             h->settings.others);
  } else {
    snprintf(fault->verdict, sizeof fault->verdict, "missed");
  }
}

/* --- report --- */

static size_t hunt_count(const hunt_state *h, const char *verdict) {
  size_t count = 0;
  for (size_t i = 0; i < h->fault_count; i++)
    count += strcmp(h->faults[i].verdict, verdict) == 0;
  return count;
}

static void hunt_print_fault(const hunt_fault *fault) {
  printf("%3d %-10s %s:%s %s: %s -> %s\n               %s\n", fault->number,
         *fault->verdict ? fault->verdict : "not tried", fault->column[1], fault->column[2], fault->column[3],
         fault->column[4], fault->column[5], fault->by);
  fflush(stdout);
}

static void hunt_write_json(const hunt_state *h) {
  static const char *const names[FIELDS] = {"number", "file", "line", "kind", "before", "after", "object"};
  cJSON *const json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "seed", h->settings.title);
  cJSON_AddNumberToObject(json, "inputs", (double)h->inputs.count);
  cJSON_AddNumberToObject(json, "found", (double)hunt_count(h, "found"));
  cJSON_AddNumberToObject(json, "equivalent", (double)hunt_count(h, "equivalent"));
  cJSON_AddNumberToObject(json, "missed", (double)hunt_count(h, "missed"));
  cJSON *const list = cJSON_AddArrayToObject(json, "faults");
  for (size_t i = 0; i < h->fault_count; i++) {
    cJSON *const item = cJSON_CreateObject();
    for (size_t j = 0; j < FIELDS; j++)
      cJSON_AddStringToObject(item, names[j], h->faults[i].column[j]);
    cJSON_AddStringToObject(item, "verdict", h->faults[i].verdict);
    cJSON_AddStringToObject(item, "by", h->faults[i].by);
    cJSON_AddItemToArray(list, item);
  }
  char *const text = cJSON_Print(json);
  if (text)
    harness_write_file(h->settings.json, text, strlen(text));
  free(text);
  cJSON_Delete(json);
}

/* The share is of the faults that are faults and were tried: equivalent ones cannot be found. */
static int hunt_report(const hunt_state *h) {
  const size_t found = hunt_count(h, "found"), equivalent = hunt_count(h, "equivalent"), all = h->fault_count;
  const size_t untried = hunt_count(h, ""), real = all - equivalent - untried;
  printf("%zu faults: %zu found of %zu (%.1f %%), %zu equivalent (%.1f %%), %zu missed, %zu not tried\n", all, found,
         real, real ? 100.0 * (double)found / (double)real : 0.0, equivalent,
         all ? 100.0 * (double)equivalent / (double)all : 0.0, hunt_count(h, "missed"), untried);
  if (h->settings.json)
    hunt_write_json(h);
  return real && 100 * found < h->settings.required * real ? 1 : 0;
}

/* --- the command --- */

static bool hunt_parse(hunt_settings *s, const char *word) {
  const struct {
    const char *name;
    const char **text;
  } texts[] = {{"--corpus=", &s->corpus}, {"--programs=", &s->programs}, {"--scratch=", &s->scratch},
               {"--check=", &s->check},   {"--json=", &s->json},         {"--title=", &s->title},
               {"--only=", &s->only}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strncmp(word, texts[i].name, strlen(texts[i].name)) == 0) {
      *texts[i].text = word + strlen(texts[i].name);
      return true;
    }
  const char *const number = strchr(word, '=') ? strchr(word, '=') + 1 : "";
  if (strncmp(word, "--program-limit=", 16) == 0)
    s->program_limit = strtoull(number, NULL, 10);
  else if (strncmp(word, "--others=", 9) == 0)
    s->others = strtoull(number, NULL, 10);
  else if (strncmp(word, "--seed=", 7) == 0)
    s->seed = strtoull(number, NULL, 10);
  else if (strncmp(word, "--seconds=", 10) == 0)
    s->seconds = strtoull(number, NULL, 10);
  else if (strncmp(word, "--require=", 10) == 0)
    s->required = strtoull(number, NULL, 10);
  else if (strcmp(word, "--report") == 0)
    return s->report = true;
  else
    return false;
  return isdigit((unsigned char)*number) != 0;
}

static void hunt_free(hunt_state *h) {
  for (size_t i = 0; i < h->fault_count; i++)
    free(h->faults[i].row);
  free(h->faults);
  for (size_t i = 0; h->votes && i < h->inputs.count * HUNT_MODES; i++)
    hunt_answer_free(&h->votes[i].own);
  free(h->votes);
  free(h->others);
  hunt_inputs_free(&h->inputs);
}

static void hunt_collect_inputs(hunt_state *h) {
  harness_path(h->root, "%s/inputs", h->settings.scratch);
  if (harness_exists(h->root))
    harness_remove_tree(h->root);
  hunt_inputs_add_corpus(&h->inputs, h->settings.corpus, h->root, h->settings.only);
  const size_t jobs = h->inputs.count;
  if (h->settings.programs)
    hunt_inputs_add_programs(&h->inputs, h->settings.programs, h->root, h->settings.program_limit);
  const size_t programs = h->inputs.count - jobs;
  char damage[HARNESS_PATH];
  harness_path(damage, "%s/damage/outcomes", h->settings.corpus);
  hunt_relinks *const relinks = hunt_relinks_open(h->settings.corpus, h->root, h->settings.seed);
  if (!*h->settings.only)
    hunt_relinks_add_damage(relinks, &h->inputs, damage);
  hunt_relinks_close(relinks);
  hunt_inputs_shuffle(&h->inputs);
  hunt_ask(h);
  printf("%zu jobs and %zu damaged inputs of the corpus and %zu programs, each in %d modes; the voters agree on %zu of "
         "%zu\n",
         jobs, h->inputs.count - jobs - programs, programs, HUNT_MODES, h->agreed, h->inputs.count * HUNT_MODES);
  fflush(stdout);
}

/* hunt --run=NUMBER ARGUMENT...: one of the programs as it is. */
static int hunt_run_program(int argc, char **argv) {
  const char *const number = argv[1] + strlen("--run=");
  const hunt_program *const program = hunt_find((int)strtol(number, NULL, 10));
  if (!program)
    harness_stop("no program with fault %s in this binary", number);
  argv[1] = argv[0];
  return program->main(argc - 1, argv + 1);
}

static void hunt_all(hunt_state *h, const char *record) {
  const time_t begin = time(NULL);
  for (size_t i = 0; i < h->fault_count; i++) {
    hunt_fault *const fault = &h->faults[i];
    const bool late = h->settings.seconds && (size_t)(time(NULL) - begin) >= h->settings.seconds;
    if (!*fault->verdict && !h->settings.report && !late) {
      hunt_judge(h, fault);
      hunt_write_record(fault, record);
    }
    hunt_print_fault(fault);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strncmp(argv[1], "--run=", 6) == 0)
    return hunt_run_program(argc, argv);
  hunt_state h = {.settings = {.corpus = "corpus",
                               .title = "",
                               .only = "",
                               .program_limit = 300,
                               .others = 10000,
                               .required = 90,
                               .seed = 1}};
  int at = 1;
  while (at < argc && strncmp(argv[at], "--", 2) == 0 && hunt_parse(&h.settings, argv[at]))
    at++;
  if (argc - at != 3 || !h.settings.scratch || (!h.settings.report && !realpath(argv[at], h.voter)))
    harness_stop(
        "usage: hunt --scratch=DIR [--corpus=DIR] [--programs=DIR] [--program-limit=N] [--others=N] [--seed=N] "
        "[--check=TWIN] [--json=FILE] [--title=TEXT] VOTER FAULTS RECORD");
  unsetenv("TWINLINK_BUG_COMPATIBLE");
  unsetenv("LIBRARY_PATH");
  hunt_read_faults(&h, argv[at + 1]);
  hunt_read_record(&h, argv[at + 2]);
  if (hunt_count(&h, "") && !h.settings.report)
    hunt_collect_inputs(&h);
  hunt_all(&h, argv[at + 2]);
  const int code = hunt_report(&h);
  hunt_free(&h);
  return code;
}
