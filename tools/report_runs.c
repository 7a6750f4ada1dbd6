/* What was run on inputs that are made anew: random programs, damaged inputs, planted faults, fuzzing campaigns. A record a
 * line, newest first, each with who made it. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_SHOWN = 40 };

/* Calls `add` with the newest records of that name; how many there were. */
static size_t runs_each(const report_input *input, const char *name, cJSON *table,
                        void (*add)(cJSON *row, const report_record *record)) {
  size_t count = 0;
  for (size_t i = 0; i < input->count && count < RUNS_SHOWN; i++)
    if (strcmp(input->records[i].name, name) == 0) {
      cJSON *const row = report_row(table);
      add(row, &input->records[i]);
      report_cells_source(row, &input->records[i]);
      count++;
    }
  return count;
}

static bool runs_has(const report_input *input, const char *name) {
  return report_newest(input, name) != NULL;
}

/* The command ended before it could say anything. */
static bool runs_is_empty(cJSON *row, const report_record *record, int cells) {
  if (!cJSON_IsNull(record->data))
    return false;
  report_cell(row, "exit code %d, no figures", record->exit_code);
  report_mark(row, "bad");
  while (--cells > 0)
    report_cell(row, "–");
  return true;
}

/* --- random programs --- */

static void runs_add_conformance(cJSON *row, const report_record *record) {
  if (runs_is_empty(row, record, 5))
    return;
  const double identical = report_number(record->data, "identical"),
               different = report_number(record->data, "different");
  report_cell(row, "%.0f of %.0f", identical, identical + different);
  report_cell_share(row, identical, identical + different);
  report_mark(row, different == 0 ? "good" : "open");
  report_cell(row, "%.0f", report_number(record->data, "refused"));
  report_cell(row, "%.0f", report_number(record->data, "signal"));
  report_cell(row, "%.0f", report_number(record->data, "not_compiled"));
}

static void runs_add_damage(cJSON *row, const report_record *record) {
  if (runs_is_empty(row, record, 8))
    return;
  const cJSON *const data = record->data;
  const double links = report_number(data, "nvlink_links"), refuses = report_number(data, "nvlink_refuses");
  report_cell(row, "%.0f", report_number(data, "cases"));
  report_cell_share(row, report_number(data, "same_bytes"), links);
  report_cell_share(row, report_number(data, "refused"), links);
  report_cell(row, "%.0f of %.0f", report_number(data, "refused_but_linked"), refuses);
  report_cell_share(row, report_number(data, "same_text"), refuses);
  report_cell(row, "%.0f of %.0f", report_number(data, "crash_but_linked"), report_number(data, "nvlink_crashes"));
  report_cell(row, "%.0f", report_number(data, "unnamed"));
  report_mark(row, report_number(data, "unnamed") > 0 ? "bad" : "good");
  report_cell(row, "%.0f", report_number(data, "failures"));
  report_mark(row, report_number(data, "failures") > 0 ? "bad" : "good");
}

void report_programs(cJSON *report, const report_input *input) {
  cJSON *const section =
      report_section(report, "programs", "Random programs and damaged inputs",
                     "Programs that a generator writes from a seed, compiled, linked by nvlink and by us; "
                     "and cubins of the corpus with fields changed.");
  if (runs_has(input, "conformance"))
    runs_each(
        input, "conformance",
        report_table(section, "Random programs",
                     "#identical|#share|#refused alike|#nvlink ends by a signal|#not compiled|" REPORT_SOURCE_COLUMNS),
        runs_add_conformance);
  else
    report_missing(section, "random programs", "./run conformance --seeds fresh:50");
  if (runs_has(input, "damage"))
    runs_each(input, "damage",
              report_table(section, "Damaged inputs",
                           "#inputs|#nvlink links: same bytes|#refused|#nvlink refuses: linked|#same words|"
                           "#nvlink crashes: linked|#without a cause|#failures|" REPORT_SOURCE_COLUMNS),
              runs_add_damage);
  else
    report_missing(section, "damaged inputs", "./run damage --seed S --count 20000");
}

/* --- planted faults --- */

static void runs_add_faults(cJSON *row, const report_record *record) {
  if (runs_is_empty(row, record, 5))
    return;
  const double found = report_number(record->data, "found"), missed = report_number(record->data, "missed");
  report_cell(row, "%s", report_word(record->data, "seed"));
  report_cell(row, "%.0f", found);
  report_cell(row, "%.0f", missed);
  report_cell(row, "%.0f", report_number(record->data, "equivalent"));
  report_cell_share(row, found, found + missed);
}

void report_faults(cJSON *report, const report_input *input) {
  cJSON *const section =
      report_section(report, "faults", "Planted faults",
                     "Faults are drawn over the lines of a room and planted; the share that is found is "
                     "of those that change any output. Goal: 90 %.");
  if (!runs_has(input, "faults")) {
    report_missing(section, "planted faults", "./run faults --seed S");
    return;
  }
  runs_each(input, "faults",
            report_table(section, "", "room and seed|#found|#missed|#equivalent|#share|" REPORT_SOURCE_COLUMNS),
            runs_add_faults);
  cJSON *const plot = report_plot(section, "Found, of those that change an output", "%", 100);
  size_t bars = 0;
  for (size_t i = 0; i < input->count && bars < 8; i++) {
    const report_record *const record = &input->records[i];
    const double found = report_number(record->data, "found"), missed = report_number(record->data, "missed");
    if (strcmp(record->name, "faults") != 0 || found + missed == 0)
      continue;
    report_bar(plot, report_word(record->data, "seed"), 100 * found / (found + missed), 90);
    bars++;
  }
}

/* --- campaigns --- */

typedef struct runs_target {
  char engine[16], name[48], first[32], last[32], commit[48];
  double executions, seconds, clock, findings, differences;
} runs_target;

enum { RUNS_TARGETS = 64 };

/* A line of fuzz/records.sh: date, commit, engine, target, executions, seconds of processor time or `-`, seconds by the
 * clock, findings, differences; tabs between. */
static void runs_add_campaign(runs_target *targets, size_t *count, const char *line, double *since) {
  runs_target one = {0};
  char seconds[32];
  if (*line == '#' ||
      sscanf(line, "%31[^\t]\t%47[^\t]\t%15[^\t]\t%47[^\t]\t%lf\t%31[^\t]\t%lf\t%lf\t%lf", one.last, one.commit,
             one.engine, one.name, &one.executions, seconds, &one.clock, &one.findings, &one.differences) != 9)
    return;
  one.seconds = strtod(seconds, NULL); /* `-` is none */
  *since = one.findings > 0 ? 0 : *since + one.seconds;
  size_t at = 0;
  while (at < *count && (strcmp(targets[at].name, one.name) != 0 || strcmp(targets[at].engine, one.engine) != 0))
    at++;
  if (at == RUNS_TARGETS)
    return;
  runs_target *const target = &targets[at];
  if (at == *count) {
    (*count)++;
    *target = one;
    memcpy(target->first, one.last, sizeof one.last);
    return;
  }
  target->executions += one.executions;
  target->seconds += one.seconds;
  target->clock += one.clock;
  target->findings += one.findings;
  target->differences += one.differences;
  memcpy(target->last, one.last, sizeof one.last);
  memcpy(target->commit, one.commit, sizeof one.commit);
}

static void runs_add_target(cJSON *table, const report_input *input, const runs_target *target) {
  cJSON *const row = report_row(table);
  const int age = report_age(input, target->commit);
  report_cell(row, "%s", target->engine);
  report_cell(row, "%s", target->name);
  report_cell(row, "%.0f", target->executions);
  report_cell(row, "%.2f", target->seconds / 3600);
  report_cell(row, "%.2f", target->clock / 3600);
  report_cell(row, "%.0f", target->findings);
  report_cell(row, "%.0f", target->differences);
  report_cell(row, "%.10s", target->first);
  report_cell(row, "%.10s", target->last);
  report_cell(row, "%s", target->commit);
  report_mark(row, "code");
  if (age == REPORT_AGE_UNKNOWN)
    report_cell(row, "of a commit that is not on this branch");
  else
    report_cell(row, "%d", age);
}

/* Lines stand in the order of their dates. What was run after the last finding is what a release asks for. */
static void runs_add_engines(cJSON *section, const report_input *input, const runs_target *targets, size_t count,
                             double since) {
  static const char *const engines[] = {"libfuzzer", "afl", "all"};
  cJSON *const table = report_table(section, "Together", "engine|#executions|#processor hours|#findings|#differences");
  report_source_file(table, input->fuzz, "./run fuzz --records");
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
    runs_target sum = {0};
    for (size_t k = 0; k < count; k++) {
      const double part = strcmp(engines[i], "all") == 0 || strcmp(engines[i], targets[k].engine) == 0;
      sum.executions += part * targets[k].executions;
      sum.seconds += part * targets[k].seconds;
      sum.findings += part * targets[k].findings;
      sum.differences += part * targets[k].differences;
    }
    cJSON *const row = report_row(table);
    report_cell(row, "%s", engines[i]);
    report_cell(row, "%.0f", sum.executions);
    report_cell(row, "%.2f", sum.seconds / 3600);
    report_cell(row, "%.0f", sum.findings);
    report_cell(row, "%.0f", sum.differences);
  }
  cJSON *const row = report_row(table);
  report_cell(row, "since the last finding");
  report_cell(row, "%s", "");
  report_cell(row, "%.2f", since / 3600);
  report_mark(row, since >= 3600 ? "good" : "open");
}

static int runs_compare(const void *left, const void *right) {
  const runs_target *const a = left, *const b = right;
  const int order = strcmp(b->engine, a->engine);
  return order ? order : strcmp(a->name, b->name);
}

void report_campaigns(cJSON *report, const report_input *input) {
  cJSON *const section = report_section(
      report, "campaigns", "Fuzzing campaigns",
      "All runs that fuzz/records holds, by engine and target, in hours of processor time and by the clock (the first "
      "runs have the clock alone). Findings ended a target, or are of one that is right or wrong whatever nvlink does; "
      "differences are causes of linker against reference, before nvlink judged them.");
  size_t size, count = 0;
  runs_target targets[RUNS_TARGETS];
  char *const text = input->fuzz ? file_read(input->fuzz, &size) : NULL;
  double since = 0;
  for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
    runs_add_campaign(targets, &count, line, &since);
  free(text);
  if (!count) {
    report_missing(section, "campaigns", "./run fuzz --time 10m");
    return;
  }
  runs_add_engines(section, input, targets, count, since);
  qsort(targets, count, sizeof *targets, runs_compare);
  cJSON *const table = report_table(section, "By engine and target",
                                    "engine|target|#executions|#processor hours|#hours by the "
                                    "clock|#findings|#differences|first run|last run|commit|#commits since");
  report_source_file(table, input->fuzz, "./run fuzz");
  for (size_t i = 0; i < count; i++)
    runs_add_target(table, input, &targets[i]);
}
