/* Tests and invariants, coverage, speed and the check before a release, each from its newest record. */
#include "report.h"

#include <stdio.h>
#include <string.h>

/* The newest record of a command that holds a list of that name; without one the section says what is missing, NULL. */
static const report_record *measures_newest(cJSON *section, const report_input *input, const char *command,
                                            const char *list, const char *what) {
  const report_record *const record = report_newest(input, command);
  if (record && cJSON_IsArray(cJSON_GetObjectItem(record->data, list)))
    return record;
  char call[64];
  (void)snprintf(call, sizeof call, "./run %s", command);
  report_missing(section, what, call);
  return NULL;
}

/* --- tests --- */

void report_invariants(cJSON *report, const report_input *input) {
  cJSON *const section = report_section(
      report, "tests", "Tests and invariants",
      "Every test of ./run test in every preset; a check is a test of cmocka, or what a test counts itself. "
      "check, check-twinlink, check-map, canonical and grouping hold the invariants over nvlink's stored outputs "
      "and over ours.");
  const report_record *const record = measures_newest(section, input, "test", "tests", "the tests");
  if (!record)
    return;
  cJSON *const sums = report_table(section, "", "#passed|#failed|#skipped");
  report_source(sums, record);
  cJSON *const sum = report_row(sums);
  report_cell(sum, "%.0f", report_number(record->data, "passed"));
  report_cell(sum, "%.0f", report_number(record->data, "failed"));
  report_mark(sum, report_number(record->data, "failed") > 0 ? "bad" : "good");
  report_cell(sum, "%.0f", report_number(record->data, "skipped"));
  cJSON *const table = report_table(section, "By test", "test|preset|#passed|#failed|#skipped|#seconds");
  report_source(table, record);
  const cJSON *one;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(record->data, "tests")) {
    cJSON *const row = report_row(table);
    report_cell(row, "%s", report_word(one, "name"));
    report_cell(row, "%s", report_word(one, "preset"));
    report_cell(row, "%.0f", report_number(one, "passed"));
    report_cell(row, "%.0f", report_number(one, "failed"));
    if (report_number(one, "failed") > 0)
      report_mark(row, "bad");
    report_cell(row, "%.0f", report_number(one, "skipped"));
    report_cell(row, "%.1f", report_number(one, "seconds"));
  }
}

/* --- coverage --- */

static void measures_cell_pair(cJSON *row, const cJSON *set, const char *what, bool shares_only) {
  const cJSON *const pair = cJSON_GetObjectItem(set, what);
  const cJSON *const covered = cJSON_GetArrayItem(pair, 0), *const all = cJSON_GetArrayItem(pair, 1);
  const double part = covered ? covered->valuedouble : 0, whole = all ? all->valuedouble : 0;
  if (!shares_only)
    report_cell(row, "%.0f", whole);
  report_cell_share(row, part, whole);
}

static void measures_add_floors(cJSON *section, const report_record *record) {
  cJSON *const table = report_table(section, "Floors and goals", "room|what|#reached|#floor|#goal|");
  report_source(table, record);
  cJSON *const plot = report_plot(section, "Executed by tests and corpus; the mark is the goal", "%", 100);
  const cJSON *one;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(record->data, "floors")) {
    char label[160];
    const double percent = report_number(one, "percent"), goal = report_number(one, "goal");
    cJSON *const row = report_row(table);
    report_cell(row, "%s", report_word(one, "room"));
    report_cell(row, "%s", report_word(one, "what"));
    report_cell(row, "%.2f %%", percent);
    report_cell(row, "%.1f %%", report_number(one, "floor"));
    report_cell(row, "%.0f %%", goal);
    const bool kept = percent >= report_number(one, "floor"), met = percent >= goal;
    report_cell(row, !kept ? "FLOOR BROKEN" : met ? "goal met" : "goal not met");
    report_mark(row, !kept ? "bad" : met ? "good" : "open");
    snprintf(label, sizeof label, "%s %s", report_word(one, "room"), report_word(one, "what"));
    report_bar(plot, label, percent, goal);
  }
}

void report_coverage(cJSON *report, const report_input *input) {
  static const char *const whats[] = {"lines", "branches", "conditions"};
  cJSON *const section = report_section(
      report, "coverage", "Coverage",
      "Lines, branches and MC/DC conditions of all of linker/ and oracle/, nothing taken out; in the last three "
      "columns by the tests alone, without those that go through the corpus's jobs.");
  const report_record *const record = measures_newest(section, input, "coverage", "rooms", "lines, branches, MC/DC");
  if (!record)
    return;
  measures_add_floors(section, record);
  cJSON *const table = report_table(
      section, "By room", "room|#lines|#executed|#branches|#taken|#conditions|#MC/DC|#tests: lines|#branches|#MC/DC");
  report_source(table, record);
  const cJSON *one;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(record->data, "rooms")) {
    cJSON *const row = report_row(table);
    report_cell(row, "%s", report_word(one, "room"));
    for (size_t what = 0; what < 3; what++)
      measures_cell_pair(row, cJSON_GetObjectItem(one, "all"), whats[what], false);
    for (size_t what = 0; what < 3; what++)
      measures_cell_pair(row, cJSON_GetObjectItem(one, "tests"), whats[what], true);
  }
  cJSON *const rest = report_table(section, "What is not executed, or has a branch that is not taken", "what|#lines");
  report_source(rest, record);
  const double places = report_number(record->data, "places"), explained = report_number(record->data, "explained");
  cJSON *row = report_row(rest);
  report_cell(row, "no input reaches it (coverage/unreachable has the reason)");
  report_cell(row, "%.0f", explained);
  row = report_row(rest);
  report_cell(row, "gaps");
  report_cell(row, "%.0f", places - explained);
}

/* --- speed --- */

static void measures_add_shape(cJSON *section, cJSON *plot, const report_record *record, const cJSON *shape) {
  char title[256];
  snprintf(title, sizeof title, "%s: %s, %.1f MB", report_word(shape, "name"), report_word(shape, "purpose"),
           report_number(shape, "bytes") / 1e6);
  cJSON *const table = report_table(section, title, "program|#seconds|#processor seconds|#MB resident");
  report_source(table, record);
  double ours = 0, theirs = 0;
  const cJSON *one;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(shape, "candidates")) {
    cJSON *const row = report_row(table);
    const char *const name = report_word(one, "name");
    report_cell(row, "%s", name);
    report_cell(row, "%.3f", report_number(one, "seconds"));
    report_cell(row, "%.3f", report_number(one, "processor"));
    report_cell(row, "%.1f", report_number(one, "kilobytes") / 1024);
    if (strcmp(name, "twinlink") == 0)
      ours = report_number(one, "processor");
    if (strcmp(name, "nvlink") == 0)
      theirs = report_number(one, "processor");
  }
  if (theirs > 0)
    report_bar(plot, report_word(shape, "name"), ours / theirs, report_number(shape, "goal"));
}

void report_speed(cJSON *report, const report_input *input) {
  cJSON *const section =
      report_section(report, "speed", "Speed and memory",
                     "Large links, the smallest of several runs in turn, beside nvlink and cat on the same "
                     "files. The share is of nvlink's processor time.");
  cJSON *plot = NULL;
  string_list seen = {0};
  for (size_t i = 0; i < input->count; i++) {
    const report_record *const record = &input->records[i];
    const cJSON *shape;
    if (strcmp(record->name, "bench") != 0)
      continue;
    cJSON_ArrayForEach(shape, cJSON_GetObjectItem(record->data, "shapes")) {
      if (string_list_holds(&seen, report_word(shape, "name")))
        continue;
      string_list_add(&seen, "%s", report_word(shape, "name"));
      if (!plot)
        plot =
            report_plot(section, "Processor time as a share of nvlink's; the mark is the most that is allowed", "", 1);
      measures_add_shape(section, plot, record, shape);
    }
  }
  if (!seen.count)
    report_missing(section, "large links", "./run bench");
  string_list_free(&seen);
}

/* --- before a release --- */

void report_release(cJSON *report, const report_input *input) {
  cJSON *const section =
      report_section(report, "release", "The check before a release",
                     "All presets, both engines, planted faults, floors of coverage, fresh programs, the "
                     "corpus linked again: a line a step.");
  const report_record *const record = measures_newest(section, input, "release-check", "steps", "the steps");
  if (!record)
    return;
  cJSON *const table = report_table(section, "", "step|outcome|#seconds|command|last line");
  report_source(table, record);
  const cJSON *one;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(record->data, "steps")) {
    const char *const outcome = report_word(one, "outcome");
    cJSON *const row = report_row(table);
    report_cell(row, "%s", report_word(one, "name"));
    report_cell(row, "%s", outcome);
    report_mark(row, strcmp(outcome, "passed") == 0 ? "good" : strcmp(outcome, "failed") == 0 ? "bad" : "open");
    report_cell(row, "%.0f", report_number(one, "seconds"));
    report_cell(row, "%s", report_word(one, "command"));
    report_mark(row, "code");
    report_cell(row, "%s", report_word(one, "last"));
  }
}
