/* A link map with one place changed at a time: lines left out, twice or exchanged, cut off, with other numbers, names and
 * spaces. The sentences about each are what `printed` compares. */
#include "tests/check/printed.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One line of the map. */
typedef struct map_line {
  const char *start;
  size_t length; /* with its end */
} map_line;

/* The map with bytes [from, to) replaced by `text`; what is said of it goes to `to`. */
static void map_try(FILE *out, const ref_check_link *link, const char *map, size_t from, size_t to, const char *text) {
  const size_t size = strlen(map), added = strlen(text);
  char *const changed = harness_grow(NULL, size + added + 1);
  snprintf(changed, size + added + 1, "%.*s%s%s", (int)from, map, text, map + to);
  fprintf(out, "= %zu\n", ref_check_map(link, changed, out));
  free(changed);
}

static void map_change_line(FILE *out, const ref_check_link *link, const char *map, const map_line *line) {
  const size_t from = (size_t)(line->start - map), end = from + line->length;
  const map_line next = {line->start + line->length, strcspn(line->start + line->length, "\n")};
  char *const text = harness_grow(NULL, line->length + next.length + 4);
  map_try(out, link, map, from, end, "");
  map_try(out, link, map, from, strlen(map), "");
  map_try(out, link, map, end, end, "\n");
  memcpy(text, line->start, line->length);
  text[line->length] = '\0';
  map_try(out, link, map, end, end, text);
  memcpy(text, next.start, next.length);
  text[next.length] = '\n';
  memcpy(text + next.length + 1, line->start, line->length);
  text[next.length + 1 + line->length] = '\0';
  if (next.length)
    map_try(out, link, map, from, end + next.length + 1, text);
  free(text);
}

/* Every word's last character one further, gone, and a word put before it; all before it gone. */
static void map_change_words(FILE *out, const ref_check_link *link, const char *map, const map_line *line) {
  const size_t from = (size_t)(line->start - map);
  for (size_t i = 0; i + 1 < line->length; i++) {
    const size_t at = from + i;
    const char here = map[at], further[] = {(char)(here == '9' ? '0' : here == 'f' ? '1' : here + 1), '\0'};
    if (isspace((unsigned char)here) || !(isspace((unsigned char)map[at + 1]) || ispunct((unsigned char)map[at + 1])))
      continue;
    map_try(out, link, map, at, at + 1, further);
    map_try(out, link, map, at, at + 1, "");
    map_try(out, link, map, at + 1, at + 1, " x ");
    map_try(out, link, map, from, at + 1, "");
    map_try(out, link, map, at + 1, from + line->length, "");
  }
}

void printed_map(FILE *to, const ref_check_link *link, const char *map) {
  enum { LONG = 20000 };
  fprintf(to, "= %zu\n", ref_check_map(link, map, to));
  char *const endless = harness_grow(NULL, LONG + 1);
  memset(endless, 'x', LONG);
  endless[LONG] = '\0';
  map_line line = {map, 0};
  for (; *line.start; line.start += line.length) {
    line.length = strcspn(line.start, "\n") + 1;
    map_change_line(to, link, map, &line);
    map_change_words(to, link, map, &line);
    const size_t end = (size_t)(line.start - map) + line.length - 1;
    map_try(to, link, map, end, end, endless);
  }
  free(endless);
}
