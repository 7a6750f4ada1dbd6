/* twin damage: damaged cubins through nvlink and twinlink.
 *
 * A campaign writes one line a case to a record as soon as the case is done, and starts where the record ends; the report
 * is made from the record alone. */
#define _DEFAULT_SOURCE /* realpath */
#include "damage.h"
#include "head.h"
#include "twin.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int twin_damage(int argc, char **argv);

enum { DAMAGE_JOBS = 16 };

typedef struct damage_command {
  damage_settings settings;
  const char *corpus, *record_path, *report, *one, *replay, *store, *refresh, *printed, *linker, *reference, *with,
      *json;
  char record_text[DAMAGE_PATH + 32];
  uint64_t seed, count, differences;
  bool seeded;
  unsigned jobs;
} damage_command;

typedef struct damage_campaign {
  const damage_command *command;
  const damage_bases *bases;
  FILE *record;
  bool *done; /* by number */
  uint64_t next;
  pthread_mutex_t lock;
  bool good;
} damage_campaign;

static int damage_usage(void) {
  fprintf(stderr,
          "usage: twin damage [OPTION...]\n"
          "  --seed S           the first case's number; default: from HEAD's id\n"
          "  --count N          default 1000\n"
          "  --record FILE      default build/damage-SEED, with --ours-only LINKER-damage-SEED; a campaign goes\n"
          "                     on where its record ends\n"
          "  --report FILE      no campaign, only the table of a record\n"
          "  --json FILE        the campaign's figures once more, for programs\n"
          "  --case 'LINE'      one case; leaves its files in build/damage-case\n"
          "  --replay FILE      link the stored cases and compare with nvlink's stored answers\n"
          "  --store FILE       no campaign: write nvlink's answers to COUNT cases as stored cases\n"
          "  --refresh FILE     ask nvlink anew for the stored cases whose input files have changed\n"
          "  --printed FILE     no campaign: nvlink alone on COUNT inputs more; FILE counts what it prints\n"
          "  --differences N    with --replay: as many differences, all with a named cause, are known\n"
          "  --ours-only        without nvlink, and with the linker in this program: crashes, hangs, leaks and the\n"
          "                     like alone; for a sanitizer's preset\n"
          "  --with WORD        only jobs that have the word; --add WORD: every link gets it\n"
          "  --linker PATH, --reference PATH, --corpus DIR, --jobs N, --seconds N, --no-memory-limit\n");
  return TWIN_TROUBLE;
}

/* --- options --- */

static bool damage_parse_value(damage_command *command, const char *word, const char *value) {
  const struct {
    const char *name;
    const char **text;
  } texts[] = {{"--corpus", &command->corpus},   {"--record", &command->record_path},
               {"--report", &command->report},   {"--case", &command->one},
               {"--replay", &command->replay},   {"--store", &command->store},
               {"--refresh", &command->refresh}, {"--printed", &command->printed},
               {"--linker", &command->linker},   {"--reference", &command->reference},
               {"--with", &command->with},       {"--add", &command->settings.word},
               {"--json", &command->json}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(word, texts[i].name) == 0) {
      *texts[i].text = value;
      return true;
    }
  if (strcmp(word, "--seed") == 0) {
    command->seed = strtoull(value, NULL, 0);
    command->seeded = true;
  } else if (strcmp(word, "--count") == 0) {
    command->count = strtoull(value, NULL, 0);
  } else if (strcmp(word, "--differences") == 0) {
    command->differences = strtoull(value, NULL, 0);
  } else if (strcmp(word, "--jobs") == 0) {
    command->jobs = (unsigned)strtoul(value, NULL, 0);
  } else if (strcmp(word, "--seconds") == 0) {
    command->settings.seconds = strtod(value, NULL);
  } else {
    return false;
  }
  return command->jobs >= 1 && command->jobs <= DAMAGE_JOBS;
}

static bool damage_parse(damage_command *command, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--no-memory-limit") == 0) {
      command->settings.unlimited = true;
      continue;
    }
    if (strcmp(argv[i], "--ours-only") == 0) {
      command->settings.ours_only = command->settings.unlimited = true;
      continue;
    }
    if (i + 1 == argc || !damage_parse_value(command, argv[i], argv[i + 1]))
      return false;
    i++;
  }
  return true;
}

static bool damage_absolute(const char *path, char *absolute) {
  char *const whole = realpath(path, NULL);
  const bool good = whole && strlen(whole) < DAMAGE_PATH;
  if (good)
    memcpy(absolute, whole, strlen(whole) + 1);
  else
    fprintf(stderr, "twin damage: %s: not found\n", path);
  free(whole);
  return good;
}

static bool damage_find_linkers(damage_command *command) {
  char reference[DAMAGE_PATH] = "";
  if (command->settings.ours_only)
    reference[0] = '\0';
  else if (command->reference ? !damage_absolute(command->reference, reference)
                              : !file_find_tool("nvlink", reference, sizeof reference))
    reference[0] = '\0';
  memcpy(command->settings.reference, reference, strlen(reference) + 1);
  return damage_absolute(command->linker ? command->linker : "build/release/bin/twinlink", command->settings.linker);
}

/* --- the campaign --- */

static bool campaign_take(damage_campaign *campaign, uint64_t *number) {
  pthread_mutex_lock(&campaign->lock);
  while (campaign->next < campaign->command->count && campaign->done[campaign->next])
    campaign->next++;
  const bool more = campaign->good && campaign->next < campaign->command->count && !process_interrupted();
  *number = campaign->next;
  campaign->next += more;
  pthread_mutex_unlock(&campaign->lock);
  return more;
}

static void *campaign_work(void *context) {
  damage_campaign *const campaign = context;
  char directory[DAMAGE_PATH];
  uint64_t number;
  if (!process_make_directory(directory, sizeof directory, "twin-damage"))
    return NULL;
  while (campaign_take(campaign, &number)) {
    const uint64_t seed = campaign->command->seed + number;
    damage_case one;
    damage_verdict verdict;
    char inner[DAMAGE_PATH + 8], fields[3 * DAMAGE_NAME];
    text_buffer line = {0};
    snprintf(inner, sizeof inner, "%s/case", directory);
    damage_case_make(&one, campaign->bases, seed);
    damage_case_print(&one, &line);
    damage_case_fields(&one, fields, sizeof fields);
    const bool good =
        process_ensure_directory(inner) && damage_compare(&campaign->command->settings, &one, inner, &verdict);
    process_remove_tree(inner);
    pthread_mutex_lock(&campaign->lock);
    campaign->good &= good;
    if (good)
      damage_record_write(campaign->record, seed, line.bytes, fields, &verdict);
    else
      fprintf(stderr, "twin damage: %s: no linker could be run, or a file not be written\n", line.bytes);
    pthread_mutex_unlock(&campaign->lock);
    text_free(&line);
    damage_case_free(&one);
  }
  process_remove_tree(directory);
  return NULL;
}

/* Reads the record into the report, and which numbers of the campaign it has. False when there is none. */
static bool campaign_read(const damage_command *command, const char *path, damage_report *report, bool *done) {
  FILE *const file = fopen(path, "re");
  char text[4096];
  if (!file)
    return false;
  while (fgets(text, sizeof text, file)) {
    uint64_t seed;
    const char *line, *fields;
    damage_verdict verdict;
    if (!damage_record_read(text, &seed, &line, &fields, &verdict))
      continue;
    if (done && seed - command->seed < command->count)
      done[seed - command->seed] = true;
    if (report)
      damage_report_add(report, line, fields, &verdict);
  }
  fclose(file);
  return true;
}

static int campaign_report(const damage_command *command, const char *path) {
  damage_report report = {0};
  if (!campaign_read(command, path, &report, NULL)) {
    fprintf(stderr, "twin damage: %s: cannot be read\n", path);
    return TWIN_TROUBLE;
  }
  if (!command->settings.reference[0] && !command->settings.ours_only)
    printf("nvlink is not installed: only twinlink's own bounds are checked\n");
  const bool alone = !command->settings.reference[0];
  const bool good = alone ? damage_report_print_ours(&report, stdout) : damage_report_print(&report, stdout);
  const bool written = !command->json || damage_report_write_json(&report, !alone, command->json);
  if (!written)
    fprintf(stderr, "twin damage: cannot write %s\n", command->json);
  damage_report_free(&report);
  return !written ? TWIN_TROUBLE : good ? TWIN_OK : TWIN_FOUND;
}

static void campaign_threads(damage_campaign *campaign) {
  pthread_t threads[DAMAGE_JOBS];
  unsigned started = 0;
  while (started < campaign->command->jobs && pthread_create(&threads[started], NULL, campaign_work, campaign) == 0)
    started++;
  if (!started)
    campaign_work(campaign);
  for (unsigned i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
}

static int campaign_run(const damage_command *command, const damage_bases *bases) {
  damage_campaign campaign = {.command = command, .bases = bases, .good = true};
  campaign.done = calloc(command->count, 1);
  if (!campaign.done)
    return TWIN_TROUBLE;
  campaign_read(command, command->record_path, NULL, campaign.done);
  campaign.record = fopen(command->record_path, "ae");
  if (!campaign.record) {
    fprintf(stderr, "twin damage: %s: cannot be written\n", command->record_path);
    free(campaign.done);
    return TWIN_TROUBLE;
  }
  pthread_mutex_init(&campaign.lock, NULL);
  process_hold_interrupts();
  if (command->settings.ours_only)
    campaign.good =
        damage_run_ours(&command->settings, bases, campaign.done, command->seed, command->count, command->record_path);
  else
    campaign_threads(&campaign);
  fclose(campaign.record);
  free(campaign.done);
  if (process_interrupted())
    fprintf(stderr, "twin damage: interrupted; the same command goes on with record %s\n", command->record_path);
  process_let_interrupts(); /* which ends the program where one waited */
  printf("damage: seeds %" PRIu64 " to %" PRIu64 ", %zu jobs of the corpus, record %s\n", command->seed,
         command->seed + command->count - 1, bases->count, command->record_path);
  if (!campaign.good)
    return TWIN_TROUBLE;
  return campaign_report(command, command->record_path);
}

/* --- stored cases --- */

static int store_run(const damage_command *command, const damage_bases *bases) {
  char directory[DAMAGE_PATH];
  if (!command->settings.reference[0]) {
    fprintf(stderr, "twin damage: stored answers are nvlink's, which is not installed\n");
    return TWIN_TROUBLE;
  }
  FILE *const file = fopen(command->store, "we");
  if (!file || !process_make_directory(directory, sizeof directory, "twin-damage")) {
    fprintf(stderr, "twin damage: %s: cannot be written\n", command->store);
    if (file)
      fclose(file);
    return TWIN_TROUBLE;
  }
  uint64_t stored = 0, seed = command->seed;
  for (; stored < command->count; seed++) {
    damage_case one;
    damage_case_make(&one, bases, seed);
    stored += damage_store_case(&command->settings, &one, directory, file);
    damage_case_free(&one);
  }
  process_remove_tree(directory);
  printf("damage: %" PRIu64 " stored cases, seeds %" PRIu64 " to %" PRIu64 "\n", stored, command->seed, seed - 1);
  return fclose(file) == 0 ? TWIN_OK : TWIN_TROUBLE;
}

/* Lines that are current stay as they are; the others are asked anew, or dropped when there is no such job any more. */
static int refresh_run(const damage_command *command, const damage_bases *bases) {
  char directory[DAMAGE_PATH];
  size_t size = 0, anew = 0, dropped = 0;
  char *const text = file_read(command->refresh, &size);
  FILE *const file = text && command->settings.reference[0] ? fopen(command->refresh, "we") : NULL;
  if (!file || !process_make_directory(directory, sizeof directory, "twin-damage")) {
    fprintf(stderr, "twin damage: %s: cannot be refreshed (nvlink is needed)\n", command->refresh);
    if (file)
      fclose(file);
    free(text);
    return TWIN_TROUBLE;
  }
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    damage_case one;
    if (damage_stored_is_current(bases, line, &one)) {
      fprintf(file, "%s\n", line);
    } else if (damage_case_parse(&one, bases, line)) {
      const bool stored = damage_store_case(&command->settings, &one, directory, file);
      anew += stored;
      dropped += !stored;
    } else {
      dropped++;
      continue;
    }
    damage_case_free(&one);
  }
  process_remove_tree(directory);
  free(text);
  printf("damage: %zu stored cases asked anew, %zu dropped\n", anew, dropped);
  return fclose(file) == 0 ? TWIN_OK : TWIN_TROUBLE;
}

/* --- what nvlink prints --- */

static int printed_run(const damage_command *command, const damage_bases *bases) {
  char directory[DAMAGE_PATH];
  if (!command->settings.reference[0] || !process_make_directory(directory, sizeof directory, "twin-damage")) {
    fprintf(stderr, "twin damage: --printed asks nvlink, which is not installed, in a scratch directory\n");
    return TWIN_TROUBLE;
  }
  process_hold_interrupts();
  const bool good =
      damage_printed_run(&command->settings, bases, command->printed, command->seed, command->count, directory);
  process_let_interrupts();
  process_remove_tree(directory);
  return good ? TWIN_OK : TWIN_TROUBLE;
}

/* What must hold of stored answers beside that every difference has a name. Says what does not; returns how much that is. */
static size_t replay_count_faults(const damage_command *command, const damage_report *report) {
  const size_t linked = report->table[DAMAGE_REFUSES][DAMAGE_SAME] + report->table[DAMAGE_REFUSES][DAMAGE_OTHER];
  size_t known = 0;
  for (size_t i = 0; i < report->causes.count; i++)
    known += report->causes.items[i].count;
  /* fewer too: the number must not leave room for a new one */
  if (known != command->differences)
    printf("FAILED: %zu differences with a known cause, expected %" PRIu64 "\n", known, command->differences);
  if (linked)
    printf("FAILED: %zu inputs that nvlink refuses are linked\n", linked);
  return (size_t)(known != command->differences) + linked;
}

static int replay_report(const damage_command *command, damage_report *report, uint64_t broken) {
  const bool good = damage_report_print(report, stdout) && !broken;
  const size_t faults = replay_count_faults(command, report);
  const size_t failed = report->failures + report->unnamed + (size_t)broken + faults;
  printf("%zu passed, %zu failed, 0 skipped\n", report->cases - report->failures - report->unnamed, failed);
  return good && !faults ? TWIN_OK : TWIN_FOUND;
}

static int replay_run(const damage_command *command, const damage_bases *bases) {
  char directory[DAMAGE_PATH], line[4096];
  FILE *const file = fopen(command->replay, "re");
  damage_report report = {0};
  uint64_t broken = 0;
  if (!file || !process_make_directory(directory, sizeof directory, "twin-damage")) {
    fprintf(stderr, "twin damage: %s: cannot be read\n", command->replay);
    if (file)
      fclose(file);
    return TWIN_TROUBLE;
  }
  while (fgets(line, sizeof line, file))
    if (!damage_replay_case(&command->settings, bases, line, directory, &report)) {
      printf("no stored case of this corpus, or its files have changed (--refresh): %s", line);
      broken++;
    }
  fclose(file);
  process_remove_tree(directory);
  const int code = replay_report(command, &report, broken);
  damage_report_free(&report);
  return code;
}

/* --- one case --- */

static int damage_show(const damage_command *command, const damage_bases *bases) {
  static const char *const names[] = {"nvlink", "compatible", "default"};
  damage_case one;
  if (!damage_case_parse(&one, bases, command->one)) {
    fprintf(stderr, "twin damage: no case of this corpus: %s\n", command->one);
    return TWIN_TROUBLE;
  }
  const char *const directory = "build/damage-case";
  char fields[3 * DAMAGE_NAME];
  damage_case_fields(&one, fields, sizeof fields);
  printf("%s\n", fields);
  bool good = process_ensure_directory(directory);
  for (int who = 0; who < 3 && good; who++) {
    damage_answer answer;
    if (who == DAMAGE_NVLINK && !command->settings.reference[0])
      continue;
    good = damage_link(&command->settings, &one, (damage_who)who, directory, &answer);
    printf("--- %s: exit code %d, %zu bytes, %llu KB resident\n%s", names[who], answer.exit_code, answer.output_size,
           (unsigned long long)answer.memory >> 10, answer.text ? answer.text : "");
    text_buffer path = {0};
    text_add(&path, "%s/%s.cubin", directory, names[who]);
    unlink(path.bytes);
    if (answer.output)
      process_write_file(path.bytes, answer.output, answer.output_size);
    text_free(&path);
    damage_answer_free(&answer);
  }
  damage_case_free(&one);
  return good ? TWIN_OK : TWIN_TROUBLE;
}

static int damage_run(damage_command *command, const damage_bases *bases) {
  char scratch[DAMAGE_PATH];
  if (command->one)
    return damage_show(command, bases);
  if (!command->seeded && !command->refresh) {
    const bool made = process_make_directory(scratch, sizeof scratch, "twin-damage");
    const bool known = made && head_number(scratch, &command->seed);
    if (made)
      process_remove_tree(scratch);
    if (!known) {
      fprintf(stderr, "twin damage: the seed comes from the repository's HEAD; git does not give one here\n");
      return TWIN_TROUBLE;
    }
    command->seed *= 1000000;
  }
  if (command->refresh)
    return refresh_run(command, bases);
  if (command->store)
    return store_run(command, bases);
  if (command->printed)
    return printed_run(command, bases);
  if (!command->record_path) {
    const char *const of = command->settings.ours_only ? command->settings.linker : "build"; /* a record a preset */
    snprintf(command->record_text, sizeof command->record_text, "%s%sdamage-%" PRIu64, of,
             command->settings.ours_only ? "-" : "/", command->seed);
    command->record_path = command->record_text;
  }
  return campaign_run(command, bases);
}

int twin_damage(int argc, char **argv) {
  damage_command command = {.corpus = "corpus", .count = 1000, .jobs = 2, .settings = {.seconds = 10}};
  if (!damage_parse(&command, argc, argv))
    return damage_usage();
  if (!damage_find_linkers(&command))
    return TWIN_TROUBLE;
  if (command.report)
    return campaign_report(&command, command.report);
  damage_bases bases;
  if (!damage_bases_load(&bases, command.corpus, command.with)) {
    fprintf(stderr, "twin damage: %s: no jobs\n", command.corpus);
    return TWIN_TROUBLE;
  }
  const int code = command.replay ? replay_run(&command, &bases) : damage_run(&command, &bases);
  damage_bases_free(&bases);
  return code;
}
