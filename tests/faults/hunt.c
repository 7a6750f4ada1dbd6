/* hunt: is each planted fault found by the corpus and by generated inputs?
 *
 *   hunt [OPTION]... FAULTS RECORD
 *
 * FAULTS are the rows of fault_draw with a word behind each, `built` or `same` (the object code is that without the
 * fault), RECORD is what is known already, which is added to. How a fault is judged says hunt_judge.c.
 *
 * Exit code 1: fewer than `--require` percent of the faults that are not equivalent were found (90). */
#define _DEFAULT_SOURCE
#include "tests/faults/hunt.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIELDS = 7 };

/* One fault: the columns of its row, then what came of it. */
typedef struct hunt_fault {
  char *row; /* owns the columns' text */
  char *column[FIELDS];
  int number;
  char verdict[24]; /* "found", "equivalent", "missed"; "" while it is not known */
  char by[HARNESS_PATH];
} hunt_fault;

typedef struct hunt_state {
  hunt_settings settings;
  hunt_fault *faults;
  size_t fault_count;
} hunt_state;

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

enum { MOST_EQUIVALENT = 15 }; /* percent of all faults */

static const char *hunt_goal_word(bool met, size_t untried) {
  return untried ? "not known" : met ? "met" : "not met";
}

/* The share is of the faults that are faults and were tried: equivalent ones cannot be found. */
static int hunt_report(const hunt_state *h) {
  const size_t found = hunt_count(h, "found"), equivalent = hunt_count(h, "equivalent"), all = h->fault_count;
  const size_t untried = hunt_count(h, ""), real = all - equivalent - untried;
  printf("%zu faults: %zu found of %zu (%.1f %%), %zu equivalent (%.1f %%), %zu missed, %zu not tried\n", all, found,
         real, real ? 100.0 * (double)found / (double)real : 0.0, equivalent,
         all ? 100.0 * (double)equivalent / (double)all : 0.0, hunt_count(h, "missed"), untried);
  printf("goal: at least %zu %% of those that are not equivalent are found: %s; at most %d %% are equivalent: %s\n",
         h->settings.required, hunt_goal_word(100 * found >= h->settings.required * real, untried), MOST_EQUIVALENT,
         hunt_goal_word(100 * equivalent <= MOST_EQUIVALENT * all, untried));
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
               {"--kept=", &s->kept},     {"--check=", &s->check},       {"--linker=", &s->linker},
               {"--json=", &s->json},     {"--title=", &s->title},       {"--only=", &s->only},
               {"--sites=", &s->sites},   {"--blocks=", &s->blocks}};
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
  else if (strncmp(word, "--inputs=", 9) == 0)
    s->inputs = strtoull(number, NULL, 10);
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
}

/* hunt --run=NUMBER ARGUMENT...: one of the programs as it is. */
static int hunt_run_program(int argc, char **argv) {
  const char *const number = argv[1] + strlen("--run=");
  const hunt_program *const program = hunt_program_find((int)strtol(number, NULL, 10));
  if (!program)
    harness_stop("no program with fault %s in this binary", number);
  argv[1] = argv[0];
  return program->main(argc - 1, argv + 1);
}

static void hunt_all(hunt_state *h, const char *record) {
  const time_t begin = time(NULL);
  hunt_judge *const judge = hunt_count(h, "") && !h->settings.report ? hunt_judge_open(&h->settings) : NULL;
  for (size_t i = 0; i < h->fault_count; i++) {
    hunt_fault *const fault = &h->faults[i];
    const bool late = h->settings.seconds && (size_t)(time(NULL) - begin) >= h->settings.seconds;
    if (!*fault->verdict && judge && !late) {
      snprintf(fault->verdict, sizeof fault->verdict, "%s", hunt_judge_fault(judge, fault->number, fault->by));
      hunt_write_record(fault, record);
    }
    hunt_print_fault(fault);
  }
  if (judge)
    hunt_judge_close(judge);
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
                               .inputs = 100,
                               .seed = 1}};
  int at = 1;
  while (at < argc && strncmp(argv[at], "--", 2) == 0 && hunt_parse(&h.settings, argv[at]))
    at++;
  if (argc - at != 2 || !h.settings.scratch)
    harness_stop("usage: hunt --scratch=DIR [--corpus=DIR] [--programs=DIR] [--program-limit=N] [--others=N] "
                 "[--seed=N] [--inputs=PERCENT] "
                 "[--check=TWIN] [--linker=TWINLINK] [--sites=FILE] [--json=FILE] [--title=TEXT] FAULTS RECORD");
  unsetenv("TWINLINK_BUG_COMPATIBLE");
  setenv("LIBRARY_PATH", "nowhere:.", 1); /* the input's own folder */
  if (h.settings.blocks) {
    hunt_judge_trace(&h.settings);
    return 0;
  }
  hunt_read_faults(&h, argv[at]);
  hunt_read_record(&h, argv[at + 1]);
  hunt_all(&h, argv[at + 1]);
  const int code = hunt_report(&h);
  hunt_free(&h);
  return code;
}
