/* The record of a campaign, a line a case, and the table that is made from it. */
#include "damage.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_ROWS = 60, RECORD_PARTS = 7 };

/* --- the record --- */

void damage_record_write(FILE *record, uint64_t seed, const char *line, const char *fields,
                         const damage_verdict *verdict) {
  fprintf(record, "%" PRIu64 "\t%s\t%s\t%d %d %d %d %d\t%s\t%s\t%s\n", seed, line, fields, (int)verdict->fate,
          (int)verdict->ours, verdict->same_text, verdict->unstable, (int)verdict->usual, verdict->key,
          verdict->usual_key, verdict->failure);
  fflush(record);
}

bool damage_record_read(char *text, uint64_t *seed, const char **line, const char **fields, damage_verdict *verdict) {
  char *parts[RECORD_PARTS];
  int numbers[5];
  if (!strchr(text, '\n'))
    return false; /* cut off in the middle of a line */
  text[strcspn(text, "\n")] = '\0';
  for (int i = 0; i < RECORD_PARTS; i++) {
    parts[i] = text;
    char *const tab = strchr(text, '\t');
    if (!tab != (i == RECORD_PARTS - 1))
      return false;
    if (tab) {
      *tab = '\0';
      text = tab + 1;
    }
  }
  if (sscanf(parts[3], "%d %d %d %d %d", numbers, numbers + 1, numbers + 2, numbers + 3, numbers + 4) != 5 ||
      numbers[0] < 0 || numbers[0] >= DAMAGE_FATES || numbers[1] < 0 || numbers[1] >= DAMAGE_SAMES || numbers[4] < 0 ||
      numbers[4] >= DAMAGE_SAMES)
    return false;
  *seed = strtoull(parts[0], NULL, 10);
  *line = parts[1];
  *fields = parts[2];
  *verdict = (damage_verdict){.fate = (damage_fate)numbers[0],
                              .ours = (damage_same)numbers[1],
                              .same_text = numbers[2] != 0,
                              .unstable = numbers[3] != 0,
                              .usual = (damage_same)numbers[4]};
  snprintf(verdict->key, sizeof verdict->key, "%s", parts[4]);
  snprintf(verdict->usual_key, sizeof verdict->usual_key, "%s", parts[5]);
  snprintf(verdict->failure, sizeof verdict->failure, "%s", parts[6]);
  return true;
}

/* --- the figures --- */

static void counts_add(damage_counts *counts, const char *name) {
  for (size_t i = 0; i < counts->count; i++)
    if (strcmp(counts->items[i].name, name) == 0) {
      counts->items[i].count++;
      return;
    }
  if (counts->count == counts->room) {
    counts->room = counts->room ? 2 * counts->room : 32;
    void *const larger = realloc(counts->items, counts->room * sizeof *counts->items);
    if (!larger)
      abort();
    counts->items = larger;
  }
  text_buffer copy = {0};
  text_add(&copy, "%s", name);
  counts->items[counts->count++] = (damage_count){copy.bytes, 1};
}

static void counts_free(damage_counts *counts) {
  for (size_t i = 0; i < counts->count; i++)
    free(counts->items[i].name);
  free(counts->items);
  *counts = (damage_counts){0};
}

/* The link is not as nvlink's: other bytes, another text, linked or refused where nvlink does the other. */
static bool report_differs(const damage_verdict *verdict) {
  return verdict->key[0] != '\0';
}

void damage_report_add(damage_report *report, const char *line, const char *fields, const damage_verdict *verdict) {
  report->cases++;
  report->table[verdict->fate][verdict->ours]++;
  report->usual[verdict->fate][verdict->usual]++;
  report->same_text += verdict->fate == DAMAGE_REFUSES && verdict->ours == DAMAGE_REFUSED && verdict->same_text;
  report->same_linked_text += verdict->fate == DAMAGE_LINKS && verdict->ours == DAMAGE_SAME && verdict->same_text;
  report->unstable += verdict->unstable;
  char name[2 * DAMAGE_KEY + 300];
  if (verdict->failure[0]) {
    report->failures++;
    snprintf(name, sizeof name, "%s: %s", verdict->failure, line);
    counts_add(&report->failed, name);
  }
  if (report_differs(verdict)) {
    const damage_cause *const cause = damage_cause_find(fields, verdict);
    snprintf(name, sizeof name, "%s: %s", fields, verdict->key);
    counts_add(cause ? &report->causes : &report->unnamed_keys, cause ? cause->name : name);
    report->unnamed += !cause;
  }
  if (verdict->fate == DAMAGE_LINKS && verdict->usual == DAMAGE_REFUSED) {
    counts_add(&report->refusals, verdict->usual_key);
    report->refused_undamaged += strncmp(verdict->usual_key, DAMAGE_UNDAMAGED, strlen(DAMAGE_UNDAMAGED)) == 0;
    counts_add(&report->refused_fields, strstr(fields, " + ") ? "(several fields)" : fields);
  }
}

/* The row's pattern fits the whole name, or one of the names that " + " joins. */
static bool cause_fits(const char *pattern, const char *fields) {
  char one[3 * DAMAGE_NAME];
  if (fnmatch(pattern, fields, 0) == 0)
    return true;
  for (const char *at = fields; *at;) {
    const char *const end = strstr(at, " + ");
    const size_t length = end ? (size_t)(end - at) : strlen(at);
    snprintf(one, sizeof one, "%.*s", (int)length, at);
    if (fnmatch(pattern, one, 0) == 0)
      return true;
    at += length + (end ? strlen(" + ") : 0);
  }
  return false;
}

const damage_cause *damage_cause_find(const char *fields, const damage_verdict *verdict) {
  for (const damage_cause *row = damage_causes; row->name; row++)
    if ((row->fate < 0 || row->fate == (int)verdict->fate) && (row->ours < 0 || row->ours == (int)verdict->ours) &&
        cause_fits(row->fields, fields) && fnmatch(row->key, verdict->key, 0) == 0)
      return row;
  return NULL;
}

static int counts_compare(const void *left, const void *right) {
  const damage_count *const a = left, *const b = right;
  if (a->count != b->count)
    return a->count < b->count ? 1 : -1;
  return strcmp(a->name, b->name);
}

static void counts_print(damage_counts *counts, const char *title, FILE *to) {
  if (!counts->count)
    return;
  qsort(counts->items, counts->count, sizeof *counts->items, counts_compare);
  fprintf(to, "\n%s\n", title);
  for (size_t i = 0; i < counts->count && i < REPORT_ROWS; i++)
    fprintf(to, "%8zu  %s\n", counts->items[i].count, counts->items[i].name);
  if (counts->count > REPORT_ROWS)
    fprintf(to, "          and %zu rows more\n", counts->count - REPORT_ROWS);
}

static double report_percent(size_t part, size_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static void report_table(const char *title, const size_t table[DAMAGE_FATES][DAMAGE_SAMES], FILE *to) {
  static const char *const fates[DAMAGE_FATES] = {"links", "refuses", "crashes", "hangs"};
  fprintf(to, "\n%-24s %12s %12s %12s\n", title, "same bytes", "other bytes", "refuses");
  for (int fate = 0; fate < DAMAGE_FATES; fate++)
    fprintf(to, "nvlink %-17s %12zu %12zu %12zu\n", fates[fate], table[fate][DAMAGE_SAME], table[fate][DAMAGE_OTHER],
            table[fate][DAMAGE_REFUSED]);
}

bool damage_report_print(damage_report *report, FILE *to) {
  size_t fates[DAMAGE_FATES] = {0};
  for (int fate = 0; fate < DAMAGE_FATES; fate++)
    for (int same = 0; same < DAMAGE_SAMES; same++)
      fates[fate] += report->table[fate][same];
  const size_t links = fates[DAMAGE_LINKS], refusals = fates[DAMAGE_REFUSES];
  report_table("--bug-compatible", report->table, to);
  report_table("default mode", report->usual, to);
  fprintf(to, "\nof %zu inputs that nvlink links: %.2f %% same bytes (%.2f %% and the same text), %.2f %% refused\n",
          links, report_percent(report->table[DAMAGE_LINKS][DAMAGE_SAME], links),
          report_percent(report->same_linked_text, links),
          report_percent(report->table[DAMAGE_LINKS][DAMAGE_REFUSED], links));
  fprintf(to, "of %zu inputs that nvlink refuses: %zu linked, %.2f %% refused with the same text\n", refusals,
          refusals - report->table[DAMAGE_REFUSES][DAMAGE_REFUSED], report_percent(report->same_text, refusals));
  const size_t refused = report->usual[DAMAGE_LINKS][DAMAGE_REFUSED], whole = report->refused_undamaged;
  fprintf(to,
          "default mode refuses %.2f %% of what nvlink links; without %zu of jobs that it refuses undamaged, %.2f %%\n",
          report_percent(refused, links), whole, report_percent(refused - whole, links - whole));
  fprintf(to, "differences on which nvlink itself gives several answers: %zu\n", report->unstable);
  counts_print(&report->refusals, "default mode refuses what nvlink links", to);
  counts_print(&report->refused_fields, "the same, by damaged field", to);
  counts_print(&report->causes, "differences, by cause", to);
  counts_print(&report->unnamed_keys, "differences WITHOUT a named cause", to);
  counts_print(&report->failed, "FAILURES of twinlink", to);
  fprintf(to, "\n%zu cases, %zu differences without a name, %zu failures\n", report->cases, report->unnamed,
          report->failures);
  return report->unnamed == 0 && report->failures == 0;
}

bool damage_report_print_ours(damage_report *report, FILE *to) {
  const size_t *const compatible = report->table[DAMAGE_LINKS], *const usual = report->usual[DAMAGE_LINKS];
  fprintf(to, "\n%zu inputs; --bug-compatible: %zu linked, %zu refused; default mode: %zu linked, %zu refused\n",
          report->cases, compatible[DAMAGE_OTHER], compatible[DAMAGE_REFUSED], usual[DAMAGE_OTHER],
          usual[DAMAGE_REFUSED]);
  counts_print(&report->failed, "FAILURES of twinlink", to);
  fprintf(to, "%zu failures\n", report->failures);
  return report->failures == 0;
}

void damage_report_free(damage_report *report) {
  counts_free(&report->causes);
  counts_free(&report->unnamed_keys);
  counts_free(&report->refusals);
  counts_free(&report->refused_fields);
  counts_free(&report->failed);
}
