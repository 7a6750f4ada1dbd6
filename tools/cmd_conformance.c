/* twin conformance: random programs through nvlink and twinlink, byte for byte.
 *
 * A pool of threads takes one program after the other; each runs at most one child process at a time, so --jobs is also
 * the number of children. Whatever the pool's speed, the report lists the programs in the order of their seeds. */
#define _DEFAULT_SOURCE /* realpath */
#include "conformance.h"
#include "head.h"
#include "process.h"
#include "twin.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int twin_conformance(int argc, char **argv);

enum { CONFORMANCE_MAX_JOBS = 64 };

typedef struct conformance_command {
  const char *linker, *reference, *keep, *json, *link;
  conformance_choice choice;
  unsigned jobs;
  double required;
  bool model, show, default_mode, unlimited, figures;
} conformance_command;

typedef struct conformance_pool {
  const conformance_settings *settings;
  conformance_case *cases;
  size_t count, next, finished, different;
  const char *root;
  bool keep, progress;
  pthread_mutex_t lock;
} conformance_pool;

static int conformance_usage(void) {
  fprintf(
      stderr,
      "usage: twin conformance [OPTION...]\n"
      "  --seeds A..B | A | fresh[:COUNT]  fresh (the default): COUNT (100) for each architecture, from HEAD's id\n"
      "  --arch sm_80,sm_90                default sm_80,sm_90\n"
      "  --kind plain|options|mistakes|headers|rich|relocatable|preserved|unified|grouping|mixed\n"
      "                                    options: link options too (-g, -kernels-used, -v, ...); mistakes: programs\n"
      "                                    that cannot be linked; headers: with the toolkit's headers; mixed (the\n"
      "                                    default): most are plain, none of those that follow\n"
      "                                    rich: bindless objects, commons, aliases, hidden symbols, -ewp; and, "
      "besides:\n"
      "                                    relocatable: links with -r and chains of them, every output compared;\n"
      "                                    preserved: the same with -preserve-relocs; unified: functions and data "
      "with\n"
      "                                    an index file (sm_90 and later); grouping: in default mode, direct link "
      "and\n"
      "                                    link through -r in canonical form, nvlink with our outputs of -r\n"
      "  --objects capsule|mixed|sass      of sm_100 and later; default capsule, as ptxas makes them\n"
      "  --linker PATH, --reference PATH   default: twinlink beside this program or build/release/bin/twinlink; "
      "nvlink\n"
      "  --link OPTIONS                    more options for both linkers: --link -r, --link '-r -preserve-relocs'\n"
      "  --jobs N                          default 2\n"
      "  --keep DIR                        leave DIR/seed-N-sm_XX/ (sources, cubins, outputs, link.sh); cubins that\n"
      "                                    are there from an earlier run are used again\n"
      "  --show                            print `twin diff` of each difference\n"
      "  --model                           score the Python model beside twinlink\n"
      "  --default-mode                    link without --bug-compatible\n"
      "  --no-memory-limit                 for a linker built with a sanitizer\n"
      "  --json FILE                       the results once more, for programs\n"
      "  --require PERCENT                 exit code 1 if fewer are identical\n");
  return TWIN_TROUBLE;
}

/* --- options --- */

static bool conformance_parse_flag(conformance_command *command, const char *word) {
  const struct {
    const char *name;
    bool *flag;
  } flags[] = {{"--model", &command->model},
               {"--show", &command->show},
               {"--figures", &command->figures},
               {"--default-mode", &command->default_mode},
               {"--no-memory-limit", &command->unlimited}};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
    if (strcmp(word, flags[i].name) == 0)
      return *flags[i].flag = true;
  return false;
}

static bool conformance_parse_value(conformance_command *command, const char *word, const char *value) {
  const struct {
    const char *name;
    const char **text;
  } texts[] = {{"--linker", &command->linker},
               {"--reference", &command->reference},
               {"--keep", &command->keep},
               {"--link", &command->link},
               {"--json", &command->json}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (strcmp(word, texts[i].name) == 0) {
      *texts[i].text = value;
      return true;
    }
  if (strcmp(word, "--jobs") == 0) {
    command->jobs = (unsigned)strtoul(value, NULL, 10);
    return command->jobs >= 1 && command->jobs <= CONFORMANCE_MAX_JOBS;
  }
  if (strcmp(word, "--require") == 0) {
    command->required = strtod(value, NULL);
    return true;
  }
  return conformance_choice_parse(&command->choice, word, value);
}

static bool conformance_parse(conformance_command *command, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (conformance_parse_flag(command, argv[i]))
      continue;
    if (i + 1 == argc || !conformance_parse_value(command, argv[i], argv[i + 1]))
      return false;
    i++;
  }
  return true;
}

/* --- the pool --- */

static void conformance_progress(conformance_pool *pool, const conformance_case *one) {
  pthread_mutex_lock(&pool->lock);
  pool->finished++;
  pool->different += one->verdict.outcome == CONFORMANCE_DIFFERENT;
  if (pool->progress)
    fprintf(stderr, "\r%zu of %zu programs, %zu different ", pool->finished, pool->count, pool->different);
  pthread_mutex_unlock(&pool->lock);
}

static void conformance_case_directory(const conformance_pool *pool, const conformance_case *one, char *path,
                                       size_t size) {
  char name[CONFORMANCE_CLASS];
  conformance_case_name(one, name, sizeof name);
  snprintf(path, size, "%s/%s", pool->root, name);
}

static void *conformance_work(void *context) {
  conformance_pool *pool = context;
  for (;;) {
    pthread_mutex_lock(&pool->lock);
    size_t index = pool->next < pool->count && !process_interrupted() ? pool->next++ : pool->count;
    pthread_mutex_unlock(&pool->lock);
    if (index == pool->count)
      return NULL;
    conformance_case *one = &pool->cases[index];
    char directory[CONFORMANCE_PATH];
    conformance_case_directory(pool, one, directory, sizeof directory);
    conformance_run(pool->settings, one, directory);
    if (!pool->keep)
      process_remove_tree(directory);
    conformance_progress(pool, one);
  }
}

static void conformance_run_pool(conformance_pool *pool, unsigned jobs) {
  pthread_t threads[CONFORMANCE_MAX_JOBS];
  unsigned started = 0;
  while (started + 1 < jobs && pthread_create(&threads[started], NULL, conformance_work, pool) == 0)
    started++;
  conformance_work(pool);
  for (unsigned i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  if (pool->progress)
    fprintf(stderr, "\r%60s\r", "");
}

static void conformance_show(const conformance_pool *pool, const conformance_case *one) {
  char directory[CONFORMANCE_PATH], ours[CONFORMANCE_PATH + 64], reference[CONFORMANCE_PATH + 64];
  char output[CONFORMANCE_PATH + 32];
  conformance_case_directory(pool, one, directory, sizeof directory);
  const char *name = strcmp(one->verdict.output, "out.cubin") == 0 ? "cubin" : one->verdict.output;
  snprintf(reference, sizeof reference, "%s/nvlink.%s", directory, name);
  snprintf(ours, sizeof ours, "%s/twinlink.%s", directory, name);
  snprintf(output, sizeof output, "%s/diff.txt", directory);
  const char *words[] = {"/proc/self/exe", "diff", reference, ours, "--limit", "12", NULL};
  process_job job = {.arguments = words, .output_path = output, .seconds = 60};
  process_result result;
  if (one->kind == GEN_GROUPING)
    snprintf(output, sizeof output, "%s/canonical.txt", directory);
  else
    process_run(&job, &result);
  size_t size;
  uint8_t *text = process_read_file(output, 1 << 20, &size);
  printf("--- seed %llu, %s: %s; %s\n%s", (unsigned long long)one->seed, one->architecture, one->verdict.class,
         one->verdict.details, text ? (const char *)text : "");
  free(text);
}

/* --- the command --- */

static void conformance_find_model(conformance_settings *settings) {
  const char *models = getenv("TWINLINK_MODELS");
  char path[CONFORMANCE_PATH];
  snprintf(path, sizeof path, "%s/output/output_model.py", models && *models ? models : "../shared/facts/models");
  if (!conformance_absolute(path, settings->model)) {
    *settings->model = 0;
    fprintf(stderr, "twin conformance: no model at %s; set TWINLINK_MODELS\n", path);
  }
}

static int conformance_finish(const conformance_command *command, const conformance_pool *pool, double seconds) {
  conformance_report report = {
      .cases = pool->cases, .count = pool->count, .seconds = seconds, .command = "./run conformance"};
  for (size_t i = 0; command->show && i < pool->count; i++)
    if (pool->cases[i].verdict.outcome == CONFORMANCE_DIFFERENT)
      conformance_show(pool, &pool->cases[i]);
  conformance_print(&report, stdout);
  if (command->json && !conformance_write_json(&report, command->json)) {
    fprintf(stderr, "twin conformance: cannot write %s: %s\n", command->json, strerror(errno));
    return TWIN_TROUBLE;
  }
  return conformance_percent(&report) < command->required ? TWIN_FOUND : TWIN_OK;
}

int twin_conformance(int argc, char **argv) {
  conformance_command command = {.jobs = 2};
  conformance_choice_init(&command.choice);
  if (!conformance_parse(&command, argc, argv))
    return conformance_usage();
  conformance_settings settings = {.default_mode = command.default_mode};
  settings.figures = command.figures;
  settings.link = command.link;
  if (!command.figures && !conformance_find(&settings, command.linker, command.reference))
    return TWIN_TROUBLE;
  if (command.unlimited)
    settings.memory = 0;
  if (command.model)
    conformance_find_model(&settings);
  char scratch[CONFORMANCE_PATH], kept[CONFORMANCE_PATH];
  process_hold_interrupts();
  if (!process_make_directory(scratch, sizeof scratch, "twin-conformance"))
    return TWIN_TROUBLE;
  int code = TWIN_TROUBLE;
  bool keep = command.keep && process_ensure_directory(command.keep) && conformance_absolute(command.keep, kept);
  conformance_pool pool = {.settings = &settings, .root = keep ? kept : scratch, .keep = keep || command.show};
  pool.cases = conformance_choice_cases(&command.choice, scratch, &pool.count);
  if (!pool.cases) {
    code = conformance_usage();
  } else {
    pool.progress = isatty(2);
    pthread_mutex_init(&pool.lock, NULL);
    double begin = process_clock();
    conformance_run_pool(&pool, command.jobs);
    if (!process_interrupted())
      code = conformance_finish(&command, &pool, process_clock() - begin);
    pthread_mutex_destroy(&pool.lock);
  }
  free(pool.cases);
  process_remove_tree(scratch);
  process_let_interrupts();
  return code;
}
