/* What nvlink prints on damaged inputs: which texts, how often each, and the first line of each kind.
 *
 * The record holds the number of inputs so far, the seed to go on with, and a line a text; it grows with every run, and
 * says which messages of the catalogue nvlink was never seen to print (docs/specification/messages.md). */
#include "damage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED_LINE = 400, PRINTED_STEP = 500 };

typedef struct printed_text {
  char *key, *line;
  uint64_t count;
} printed_text;

typedef struct printed_record {
  uint64_t inputs, next;
  printed_text *items;
  size_t count, room;
} printed_record;

/* The line without what differs from input to input: quoted texts, and numbers. */
static void printed_key(const char *line, char *key, size_t size) {
  size_t used = 0;
  bool quoted = false;
  for (size_t i = 0; line[i] && used + 2 < size; i++) {
    const bool quote = line[i] == '\'' && (quoted || i == 0 || line[i - 1] == ' '); /* no apostrophe */
    const bool digit = line[i] >= '0' && line[i] <= '9';
    if (!quoted && digit && used && key[used - 1] != '#')
      key[used++] = '#';
    else if ((!quoted || quote) && !digit)
      key[used++] = line[i];
    quoted = quoted != quote;
  }
  key[used] = '\0';
}

static void printed_add(printed_record *record, const char *line, uint64_t count) {
  char key[PRINTED_LINE];
  printed_key(line, key, sizeof key);
  for (size_t i = 0; i < record->count; i++)
    if (strcmp(record->items[i].key, key) == 0) {
      record->items[i].count += count;
      return;
    }
  if (record->count == record->room) {
    record->room = record->room ? 2 * record->room : 64;
    void *const larger = realloc(record->items, record->room * sizeof *record->items);
    if (!larger)
      abort();
    record->items = larger;
  }
  text_buffer copy = {0}, name = {0};
  text_add(&copy, "%s", line);
  text_add(&name, "%s", key);
  record->items[record->count++] = (printed_text){name.bytes, copy.bytes, count};
}

/* Of nvlink's own lines, without those of -v; names of damaged symbols can hold anything. */
static void printed_add_messages(printed_record *record, char *text) {
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    if (strncmp(line, "nvlink ", 7) != 0 || strncmp(line, "nvlink info ", 12) == 0)
      continue;
    for (char *at = line; *at; at++)
      if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
        *at = '?';
    if (strlen(line) < PRINTED_LINE)
      printed_add(record, line, 1);
  }
}

static void printed_free(printed_record *record) {
  for (size_t i = 0; i < record->count; i++) {
    free(record->items[i].key);
    free(record->items[i].line);
  }
  free(record->items);
}

/* "INPUTS NEXT-SEED", then "COUNT LINE" a text. A file that is not there is an empty record. */
static bool printed_read(printed_record *record, const char *path) {
  size_t size;
  char *const text = file_read(path, &size);
  if (!text)
    return true;
  char *line = strtok(text, "\n");
  bool good = line && sscanf(line, "%" SCNu64 " %" SCNu64, &record->inputs, &record->next) == 2;
  while (good && (line = strtok(NULL, "\n")) != NULL) {
    char *end;
    const uint64_t count = strtoull(line, &end, 10);
    good = *end == ' ';
    if (good)
      printed_add(record, end + 1, count);
  }
  free(text);
  return good;
}

static int printed_compare(const void *a, const void *b) {
  return strcmp(((const printed_text *)a)->key, ((const printed_text *)b)->key);
}

static bool printed_write(printed_record *record, const char *path) {
  text_buffer text = {0};
  if (record->count)
    qsort(record->items, record->count, sizeof *record->items, printed_compare);
  text_add(&text, "%" PRIu64 " %" PRIu64 "\n", record->inputs, record->next);
  for (size_t i = 0; i < record->count; i++)
    text_add(&text, "%" PRIu64 " %s\n", record->items[i].count, record->items[i].line);
  const bool good = process_write_file(path, text.bytes, text.size);
  text_free(&text);
  return good;
}

bool damage_printed_run(const damage_settings *settings, const damage_bases *bases, const char *path, uint64_t seed,
                        uint64_t count, const char *directory) {
  printed_record record = {.next = seed};
  bool good = printed_read(&record, path);
  for (uint64_t i = 0; i < count && good && !process_interrupted(); i++) {
    damage_case one;
    damage_answer answer;
    damage_case_make(&one, bases, record.next);
    good = damage_link(settings, &one, DAMAGE_NVLINK, directory, &answer);
    if (good)
      printed_add_messages(&record, answer.text);
    damage_answer_free(&answer);
    damage_case_free(&one);
    record.inputs += good;
    record.next += good;
    if (record.inputs % PRINTED_STEP == 0)
      good = good && printed_write(&record, path);
  }
  good = good && printed_write(&record, path);
  if (good)
    printf("damage: %" PRIu64 " damaged inputs so far, %zu texts of nvlink, record %s\n", record.inputs, record.count,
           path);
  printed_free(&record);
  return good;
}
