/* What coverage shows, for a person and for programs, and whether it keeps the floors.
 *
 * Nothing is taken out of the denominator: a line of which the table of unreachable ones says why no input gets there stays
 * uncovered in every figure; the table only says which of the uncovered places are no gap. */
#include "coverage_report.h"
#include "json_file.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* --- what is uncovered --- */

static char *report_trim(char *text) {
  text += strspn(text, " \t");
  text[strcspn(text, "\r\n")] = '\0';
  return text;
}

/* The lines of a source; freed with the text behind them. */
static char **report_split(char *text, size_t *count) {
  *count = 0;
  for (const char *at = text; at && *at; at++)
    *count += *at == '\n';
  char **const lines = calloc(*count + 2, sizeof *lines);
  if (!lines)
    abort();
  size_t line = 0;
  for (char *at = text; at && *at; line++) {
    lines[line] = at;
    at += strcspn(at, "\n");
    if (*at)
      *at++ = '\0';
  }
  *count = line;
  return lines;
}

/* Three dots in a row's field stand for any text: a row can be a rule for a class of places, which an edit of one of them
 * does not break. */
static bool report_matches(const char *pattern, const char *text) {
  const char *const dots = strstr(pattern, COVERAGE_ANY);
  if (!dots)
    return strcmp(pattern, text) == 0;
  const size_t head = (size_t)(dots - pattern);
  if (strlen(text) < head || memcmp(pattern, text, head) != 0)
    return false;
  const char *const rest = dots + strlen(COVERAGE_ANY);
  for (text += head; !report_matches(rest, text); text++)
    if (!*text)
      return false;
  return true;
}

static const coverage_reason *report_find_reason(coverage_report *report, const char *path, const char *function,
                                                 const char *text) {
  for (size_t i = 0; i < report->reason_count; i++) {
    coverage_reason *const row = &report->reasons[i];
    if (report_matches(row->file, path) && report_matches(row->function, function) && report_matches(row->text, text)) {
      row->used = true;
      return row;
    }
  }
  return NULL;
}

/* A place is a line that is not executed, or one some of whose branches are not taken. What is not executed right behind a
 * line with a branch that cannot be taken has the reason of that line, and the bracket that closes a block that of the line
 * before it: `before`, and what it becomes for the next place. */
typedef struct report_before {
  unsigned line;
  const coverage_reason *reason;
  bool branch; /* or what follows one */
} report_before;

static const coverage_reason *report_reason_of(coverage_report *report, const coverage_file *file, unsigned line,
                                               bool executed, const char *text, report_before *before) {
  const coverage_reason *reason = report_find_reason(report, file->path, coverage_function_at(file, line), text);
  const bool follows = !executed && before->line + 1 == line && (before->branch || strcmp(text, "}") == 0);
  if (!reason && follows)
    reason = before->reason;
  *before = (report_before){line, reason, executed || (follows && before->branch)};
  return reason;
}

static void report_add_place(coverage_report *report, const coverage_file *file, unsigned line, size_t branches,
                             bool executed, char *source, report_before *before) {
  const char *const function = coverage_function_at(file, line);
  char *const text = source ? report_trim(source) : NULL;
  const coverage_reason *const reason = report_reason_of(report, file, line, executed, text ? text : "", before);
  report->places++;
  report->explained += reason != NULL;
  if (!report->list)
    return;
  fprintf(report->list, "%s:%u\t%s\t", file->path, line, function);
  if (executed)
    fprintf(report->list, "%zu branches", branches);
  else
    fprintf(report->list, "line");
  fprintf(report->list, "\t%s\t%s\n", reason ? reason->why : "gap", text ? text : "");
}

static void report_list_file(coverage_report *report, const coverage_file *file) {
  size_t size, count;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", report->root, file->path);
  char *const text = file_read(path, &size);
  char **const lines = report_split(text, &count);
  report_before before = {0};
  for (size_t i = 0; i < file->line_count; i++) {
    const unsigned line = file->lines[i].line;
    size_t branches = 0;
    for (size_t j = 0; j < file->branch_count; j++)
      branches += file->branches[j].line == line && !file->branches[j].taken;
    if (file->lines[i].count == 0 || branches)
      report_add_place(report, file, line, branches, file->lines[i].count > 0,
                       line && line <= count ? lines[line - 1] : NULL, &before);
  }
  free(lines);
  free(text);
}

void coverage_report_list(coverage_report *report) {
  for (size_t i = 0; i < report->all.count; i++)
    report_list_file(report, &report->all.files[i]);
}

bool coverage_report_read_reasons(coverage_report *report, const char *path) {
  size_t size, count;
  report->reason_text = file_read(path, &size);
  if (!report->reason_text)
    return false;
  char **const lines = report_split(report->reason_text, &count);
  report->reasons = calloc(count + 1, sizeof *report->reasons);
  if (!report->reasons)
    abort();
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    char *parts[4] = {lines[i]}, *at = lines[i];
    if (at[0] == '#' || at[0] == '\0')
      continue;
    int part = 1;
    for (; part < 4 && (at = strchr(at, '\t')); part++) {
      *at++ = '\0';
      parts[part] = at;
    }
    good &= part == 4 && parts[3][0];
    if (part == 4)
      report->reasons[report->reason_count++] = (coverage_reason){parts[0], parts[1], parts[2], parts[3], false};
    else
      fprintf(stderr, "%s:%zu: not FILE, FUNCTION, LINE'S TEXT, REASON with tabs between\n", path, i + 1);
  }
  free(lines);
  return good;
}

size_t coverage_report_stale(const coverage_report *report) {
  size_t stale = 0;
  for (size_t i = 0; i < report->reason_count; i++) {
    const coverage_reason *const row = &report->reasons[i];
    const bool rule = strstr(row->text, COVERAGE_ANY) || strstr(row->file, COVERAGE_ANY); /* its class may be empty */
    if (!row->used)
      printf("%s: %s, %s: '%s' is covered or not there%s\n", rule ? "empty" : "stale", row->file, row->function,
             row->text, rule ? "" : "; take the row away");
    stale += !row->used && !rule;
  }
  return stale;
}

/* --- floors --- */

bool coverage_report_read_floors(coverage_report *report, const char *path) {
  size_t size;
  char *const text = file_read(path, &size);
  bool good = text != NULL;
  for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
    coverage_floor floor = {0};
    char what[16];
    if (line[0] == '#')
      continue;
    if (report->floor_count == COVERAGE_FLOORS ||
        sscanf(line, "%127s %15s %lf %lf", floor.room, what, &floor.least, &floor.goal) != 4) {
      good = false;
      continue;
    }
    while (floor.what < COVERAGE_WHATS && strcmp(coverage_what_words[floor.what], what) != 0)
      floor.what++;
    good &= floor.what < COVERAGE_WHATS;
    report->floors[report->floor_count++] = floor;
  }
  free(text);
  return good && report->floor_count > 0;
}

size_t coverage_report_floors(const coverage_report *report) {
  size_t broken = 0;
  for (size_t i = 0; i < report->floor_count; i++) {
    const coverage_floor *const floor = &report->floors[i];
    const coverage_count count = coverage_sum(&report->all, floor->room, floor->what);
    const double percent = coverage_percent(count);
    const bool kept = count.all > 0 && percent >= floor->least;
    broken += !kept;
    printf("%s: %s %.2f %% (%zu of %zu); floor %.1f %%: %s; goal %.0f %%: %s\n", floor->room,
           coverage_what_words[floor->what], percent, count.covered, count.all, floor->least, kept ? "kept" : "BROKEN",
           floor->goal, percent >= floor->goal ? "met" : "not met");
  }
  return broken;
}

/* --- the table --- */

static void report_print_row(const coverage_report *report, const char *room, const char *name) {
  printf("%-22s", name);
  for (int what = 0; what < COVERAGE_WHATS; what++) {
    const coverage_count all = coverage_sum(&report->all, room, (coverage_what)what);
    printf(" %6zu %5.1f %%", all.all, coverage_percent(all));
    printf(" (%5.1f)", coverage_percent(coverage_sum(&report->tests, room, (coverage_what)what)));
  }
  printf("\n");
}

/* The rooms in the order of the list: every directory that holds a counted file. */
string_list coverage_report_rooms(const coverage_report *report) {
  string_list rooms = {0};
  for (size_t i = 0; i < report->all.count; i++) {
    text_buffer room = {0};
    const char *const path = report->all.files[i].path, *const slash = strrchr(path, '/');
    text_add(&room, "%.*s", slash ? (int)(slash - path) : 0, path);
    if (!string_list_holds(&rooms, room.bytes))
      string_list_add(&rooms, "%s", room.bytes);
    text_free(&room);
  }
  string_list_sort(&rooms);
  return rooms;
}

/* Files without counted code: tables have none; everything else would be missing from the denominator. */
static void report_print_missing(const coverage_report *report) {
  for (size_t i = 0; i < report->all.count; i++) {
    const coverage_file *const file = &report->all.files[i];
    if (file->line_count == 0)
      printf("no code is counted of %s\n", file->path);
    else if (file->counts[COVERAGE_LINES].covered == 0)
      printf("never executed: %s\n", file->path);
  }
}

void coverage_report_print(const coverage_report *report) {
  string_list rooms = coverage_report_rooms(report);
  printf("%-22s %-24s %-24s %s\n", "", "lines", "branches", "conditions (MC/DC)");
  printf("%-22s %6s %7s %7s %6s %7s %7s %6s %7s %7s\n", "room", "of", "all", "(tests)", "of", "all", "(tests)", "of",
         "all", "(tests)");
  for (size_t i = 0; i < rooms.count; i++)
    report_print_row(report, rooms.items[i], rooms.items[i]);
  report_print_row(report, "linker", "= linker, all");
  report_print_row(report, "oracle", "= oracle, all");
  report_print_row(report, "", "= both");
  printf("(tests): by the tests alone, without those that go through the corpus's jobs. The denominator: all %zu files "
         "of linker/ and oracle/"
         " that hold code or tables.\n",
         report->all.count);
  report_print_missing(report);
  string_list_free(&rooms);
}

/* --- JSON --- */

static void report_add_counts(cJSON *to, const char *name, const coverage_set *set, const char *room) {
  cJSON *const json = cJSON_AddObjectToObject(to, name);
  for (int what = 0; what < COVERAGE_WHATS; what++) {
    const coverage_count count = coverage_sum(set, room, (coverage_what)what);
    cJSON *const pair = cJSON_AddArrayToObject(json, coverage_what_words[what]);
    cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)count.covered));
    cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)count.all));
  }
}

static void report_add_room(const coverage_report *report, cJSON *list, const char *room, const char *name) {
  cJSON *const json = cJSON_CreateObject();
  cJSON_AddStringToObject(json, "room", name);
  report_add_counts(json, "all", &report->all, room);
  report_add_counts(json, "tests", &report->tests, room);
  cJSON_AddItemToArray(list, json);
}

bool coverage_report_write(const coverage_report *report, const char *path) {
  cJSON *const root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "format", 1);
  cJSON_AddNumberToObject(root, "files", (double)report->all.count);
  cJSON_AddNumberToObject(root, "places", (double)report->places);
  cJSON_AddNumberToObject(root, "explained", (double)report->explained);
  cJSON *const rooms = cJSON_AddArrayToObject(root, "rooms");
  string_list names = coverage_report_rooms(report);
  for (size_t i = 0; i < names.count; i++)
    report_add_room(report, rooms, names.items[i], names.items[i]);
  string_list_free(&names);
  report_add_room(report, rooms, "linker", "linker, all");
  report_add_room(report, rooms, "oracle", "oracle, all");
  report_add_room(report, rooms, "", "both");
  cJSON *const floors = cJSON_AddArrayToObject(root, "floors");
  for (size_t i = 0; i < report->floor_count; i++) {
    const coverage_floor *const floor = &report->floors[i];
    cJSON *const json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "room", floor->room);
    cJSON_AddStringToObject(json, "what", coverage_what_words[floor->what]);
    cJSON_AddNumberToObject(json, "percent", coverage_percent(coverage_sum(&report->all, floor->room, floor->what)));
    cJSON_AddNumberToObject(json, "floor", floor->least);
    cJSON_AddNumberToObject(json, "goal", floor->goal);
    cJSON_AddItemToArray(floors, json);
  }
  return json_write(root, path);
}

void coverage_report_free(coverage_report *report) {
  coverage_free(&report->all);
  coverage_free(&report->tests);
  free(report->reasons);
  free(report->reason_text);
}
