/* The corpus: on how many jobs linker and reference give nvlink's bytes, messages and exit code, by architecture and by
 * class and program; what the three voters say; nvlink's defects with the inputs that show them. All from one record, that of
 * `./run voters`, and the specification's table of defects. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct corpus_share {
  const char *name; /* of the record or of a program's file, not 0-terminated */
  int length;
  size_t judged[2], linker[2], reference[2], abstained[2]; /* by mode: compatible, default */
} corpus_share;

typedef struct corpus_shares {
  corpus_share *rows;
  size_t count, room;
} corpus_shares;

static corpus_share *corpus_find(corpus_shares *shares, const char *name, size_t length) {
  for (size_t i = 0; i < shares->count; i++)
    if ((size_t)shares->rows[i].length == length && strncmp(shares->rows[i].name, name, length) == 0)
      return &shares->rows[i];
  if (shares->count == shares->room) {
    shares->room = shares->room ? 2 * shares->room : 64;
    corpus_share *const rows = realloc(shares->rows, shares->room * sizeof *rows);
    if (!rows)
      abort();
    shares->rows = rows;
  }
  corpus_share *const row = &shares->rows[shares->count++];
  *row = (corpus_share){.name = name, .length = (int)length};
  return row;
}

static bool corpus_holds(const cJSON *list, const char *word) {
  const cJSON *item;
  cJSON_ArrayForEach(item, list) if (cJSON_IsString(item) && strcmp(item->valuestring, word) == 0) return true;
  return false;
}

/* A voter has nvlink's answer when it voted and neither it nor nvlink stood alone. */
static void corpus_count(corpus_share *row, const cJSON *one, int mode) {
  const cJSON *const voted = cJSON_GetObjectItem(one, "voted"), *const alone = cJSON_GetObjectItem(one, "alone");
  const char *const outcome = report_word(one, "outcome");
  if (strcmp(outcome, "abstained") == 0) {
    row->abstained[mode]++;
    return;
  }
  if (!corpus_holds(voted, "nvlink"))
    return;
  const bool nvlink_alone = corpus_holds(alone, "nvlink");
  row->judged[mode]++;
  row->linker[mode] += !nvlink_alone && !corpus_holds(alone, "linker");
  row->reference[mode] += !nvlink_alone && !corpus_holds(alone, "reference");
}

static const char *corpus_architecture(const char *name, size_t *length) {
  const char *at = strstr(name, "/sm_");
  *length = at ? strcspn(at + 1, "/") : 0;
  return at ? at + 1 : name;
}

static int corpus_compare(const void *left, const void *right) {
  const corpus_share *const a = left, *const b = right;
  unsigned x = 0, y = 0;
  sscanf(a->name, "sm_%u", &x);
  sscanf(b->name, "sm_%u", &y);
  const int least = a->length < b->length ? a->length : b->length, order = strncmp(a->name, b->name, (size_t)least);
  return x != y ? (x < y ? -1 : 1) : order != 0 ? order : a->length - b->length;
}

static void corpus_add_rows(cJSON *section, const char *title, const char *first, corpus_shares *shares,
                            const report_record *record) {
  char columns[256];
  snprintf(columns, sizeof columns, "%s|#jobs|#linker|#reference|#jobs, default|#linker|#reference|#nvlink abstains",
           first);
  cJSON *const table = report_table(section, title, columns);
  report_source(table, record);
  if (shares->count)
    qsort(shares->rows, shares->count, sizeof *shares->rows, corpus_compare);
  for (size_t i = 0; i < shares->count; i++) {
    const corpus_share *const share = &shares->rows[i];
    cJSON *const row = report_row(table);
    report_cell(row, "%.*s", share->length, share->name);
    for (int mode = 0; mode < 2; mode++) {
      report_cell(row, "%zu", share->judged[mode]);
      report_cell(row, "%zu", share->linker[mode]);
      report_mark(row, share->linker[mode] == share->judged[mode] ? "good" : "bad");
      report_cell(row, "%zu", share->reference[mode]);
      report_mark(row, share->reference[mode] == share->judged[mode] ? "good" : "open");
    }
    report_cell(row, "%zu", share->abstained[0] + share->abstained[1]);
  }
  free(shares->rows);
}

static void corpus_add_voters(cJSON *section, const report_record *record) {
  cJSON *const table = report_table(section, "Verdicts", "verdict|#links");
  report_source(table, record);
  const cJSON *one;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(record->data, "outcomes")) {
    cJSON *const row = report_row(table);
    report_cell(row, "%s", one->string);
    report_cell(row, "%.0f", one->valuedouble);
    if (strcmp(one->string, "alone") == 0 || strcmp(one->string, "apart") == 0)
      report_mark(row, one->valuedouble > 0 ? "bad" : "good");
  }
  cJSON *const more = report_table(section, "Who stands alone, and common mode", "what|#links");
  report_source(more, record);
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(record->data, "alone")) {
    cJSON *const row = report_row(more);
    report_cell(row, "%s alone", one->string);
    report_cell(row, "%.0f", one->valuedouble);
  }
  static const char *const names[][2] = {{"against_nvlink", "linker or reference differs, nvlink does not abstain"},
                                         {"common_mode", "of those: both have the same wrong answer"},
                                         {"without_nvlink", "without nvlink's vote"},
                                         {"stale", "lists with a line that is not needed"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    cJSON *const row = report_row(more);
    report_cell(row, "%s", names[i][1]);
    report_cell(row, "%.0f", report_number(record->data, names[i][0]));
  }
}

/* What a program's description says it has, out of the corpus; asked of each program once. An empty list where no description is found. */
static const cJSON *corpus_features(cJSON *known, const char *root, const char *program, int length) {
  static const char *const rooms[] = {"cuda", "vendor-defects", "messages", "steps", "damage"};
  char name[256], path[4096];
  snprintf(name, sizeof name, "%.*s", length, program);
  cJSON *features = cJSON_GetObjectItemCaseSensitive(known, name);
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms && !features; i++) {
    size_t size;
    snprintf(path, sizeof path, "%s/corpus/%s/%s/program.json", root, rooms[i], name);
    char *const text = file_read(path, &size);
    cJSON *const description = text ? cJSON_Parse(text) : NULL;
    features = cJSON_DetachItemFromObject(description, "features");
    if (features)
      cJSON_AddItemToObject(known, name, features);
    cJSON_Delete(description);
    free(text);
  }
  return features ? features : cJSON_AddArrayToObject(known, name);
}

static void corpus_add_identity(cJSON *section, const report_input *input, const report_record *record) {
  corpus_shares all = {0}, architectures = {0}, features = {0}, programs = {0};
  cJSON *const known = cJSON_CreateObject();
  const cJSON *one, *feature;
  cJSON_ArrayForEach(one, cJSON_GetObjectItem(record->data, "results")) {
    const char *const name = report_word(one, "name");
    const int mode = strcmp(report_word(one, "mode"), "compatible") != 0;
    size_t length;
    const char *const architecture = corpus_architecture(name, &length);
    const size_t program = strcspn(name, "/");
    corpus_count(corpus_find(&all, "all", 3), one, mode);
    corpus_count(corpus_find(&architectures, architecture, length), one, mode);
    corpus_count(corpus_find(&programs, name, program), one, mode);
    cJSON_ArrayForEach(feature, corpus_features(known, input->root, name, (int)program)) {
      const char *const word = cJSON_IsString(feature) ? feature->valuestring : "";
      corpus_count(corpus_find(&features, word, strlen(word)), one, mode);
    }
  }
  corpus_add_rows(section, "All jobs", "corpus", &all, record);
  corpus_add_rows(section, "By architecture", "architecture", &architectures, record);
  corpus_add_rows(section, "By class: what a program's description says it has", "class", &features, record);
  corpus_add_rows(section, "By program", "program", &programs, record);
  cJSON_Delete(known);
}

void report_corpus(cJSON *report, const report_input *input) {
  cJSON *const identity = report_section(
      report, "identity", "Identity with nvlink",
      "Jobs of the corpus on which output, messages and exit code are nvlink's, byte for byte. With "
      "--bug-compatible (first columns) and by default; where nvlink abstains, a row of its defects is named.");
  cJSON *const voters = report_section(report, "voters", "Three voters",
                                       "Linker, reference and nvlink link the same inputs; who stands alone is named.");
  const report_record *const record = report_newest(input, "voters");
  if (!record || !cJSON_IsArray(cJSON_GetObjectItem(record->data, "results"))) {
    report_missing(identity, "the corpus by architecture, class and program", "./run voters");
    report_missing(voters, "the verdicts on the corpus", "./run voters");
    return;
  }
  corpus_add_identity(identity, input, record);
  corpus_add_voters(voters, record);
}

/* --- defects --- */

/* How often the voters' record names the row. */
static size_t defects_named(const report_record *record, const char *row) {
  size_t count = 0;
  const cJSON *one;
  const size_t length = strlen(row);
  const cJSON *const results = cJSON_GetObjectItem(record ? record->data : NULL, "results");
  cJSON_ArrayForEach(one, results) {
    for (const char *at = report_word(one, "rows"); *at; at += strspn(at, " ")) {
      const size_t word = strcspn(at, " ");
      count += word == length && strncmp(at, row, length) == 0;
      at += word;
    }
  }
  return count;
}

/* The cells of a row "| a | b |", trimmed and without backquotes, in the line itself. */
static size_t defects_split(char *line, char *cells[], size_t most) {
  size_t count = 0;
  for (char *at = line + 1; count < most && *at;) {
    char *const end = strstr(at, " |");
    if (!end)
      break;
    *end = '\0';
    at += strspn(at, " ");
    cells[count++] = at;
    at = end + 2;
  }
  return count;
}

static void defects_unquote(char *text) {
  char *to = text;
  for (const char *from = text; *from; from++)
    if (*from != '`')
      *to++ = *from;
  *to = '\0';
}

static void defects_add_row(cJSON *table, const report_input *input, const report_record *record, char *cells[5]) {
  char address[1024];
  for (int i = 0; i < 5; i++)
    defects_unquote(cells[i]);
  cJSON *const row = report_row(table);
  for (int i = 0; i < 4; i++)
    report_cell(row, "%s", cells[i]);
  snprintf(address, sizeof address, "%s/corpus/%s", input->root, cells[4]);
  const bool job = strchr(cells[4], '/') && !strchr(cells[4], ' ') && file_exists(address);
  snprintf(address, sizeof address, "%scorpus/%s", input->link, cells[4]);
  if (job)
    report_cell_link(row, cells[4], address);
  else
    report_cell(row, "%s", cells[4]);
  if (record)
    report_cell(row, "%zu", defects_named(record, cells[0]));
  else
    report_cell(row, "not measured");
}

void report_defects(cJSON *report, const report_input *input) {
  static const char *const page = "docs/specification/defects.md";
  cJSON *const section = report_section(
      report, "defects", "Defects of nvlink",
      "Every known one, with the smallest input that shows it. M: matched always. R: right by default, nvlink's "
      "bytes with --bug-compatible. E: a clear error in both modes.");
  const report_record *const record = report_newest(input, "voters");
  text_buffer path = {0};
  size_t size;
  text_add(&path, "%s/%s", input->root, page);
  char *const text = file_read(path.bytes, &size);
  text_free(&path);
  if (!text) {
    report_missing(section, "the table of defects", page);
    return;
  }
  cJSON *const table =
      report_table(section, "", "row|class|by default|with --bug-compatible|input|#named by the voters");
  report_source_file(table, page, record ? record->command : "./run voters: not measured");
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    char *cells[5];
    if (strncmp(line, "| `D", 4) == 0 && defects_split(line, cells, 5) == 5)
      defects_add_row(table, input, record, cells);
  }
  free(text);
}
