/* Common runs of tokens between two rooms: what tells a copied function from one that was written twice.
 *
 * Two functions that do the same by the same rule are alike in words, but not token by token over a whole screen. So both
 * rooms are read as tokens, normalised: a name becomes the distance to its last occurrence in the window (renaming every
 * variable of a copy changes nothing), numbers and texts become one token each; keywords and punctuation stay. Every run of
 * WINDOW equal tokens is reported, as long as it is. Comments, preprocessor lines, enumerations and initialisers in braces
 * are left out: the tables are typed from the same facts twice, and are equal when both are right.
 *
 *   runs ROOM-A ROOM-B      every .c and .h file below them; exit code 1 when there is a common run */
#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { WINDOW = 60, NAME_FIRST = 1000, NUMBER = 300, TEXT = 301, BREAK = 302, KEYWORD_FIRST = 400 };

typedef struct {
  uint32_t kind; /* a character, a constant from above, KEYWORD_FIRST + i, or NAME_FIRST + number of the name */
  uint32_t line;
  uint32_t file;
} token;

typedef struct {
  token *tokens;
  size_t count, room;
  char **files;
  uint32_t file_count;
} token_list;

typedef struct {
  char **names; /* open addressing, a power of two of slots; the number of a name is its slot */
  size_t slots;
} name_table;

static const char *const keywords[] = {"if",     "else",  "for",      "while", "do",      "switch", "case",
                                       "return", "break", "continue", "goto",  "sizeof",  "const",  "static",
                                       "struct", "union", "typedef",  "void",  "bool",    "char",   "unsigned",
                                       "size_t", "true",  "false",    "NULL",  "default", "enum"};

static void fail(const char *what) {
  fprintf(stderr, "runs: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void *grown(void *memory, size_t bytes) {
  void *const larger = realloc(memory, bytes);
  if (larger == NULL) {
    fail("memory");
  }
  return larger;
}

static uint32_t name_number(name_table *table, const char *name, size_t length) {
  size_t slot = XXH3_64bits(name, length) & (table->slots - 1);
  while (table->names[slot] != NULL &&
         (strncmp(table->names[slot], name, length) != 0 || table->names[slot][length] != '\0')) {
    slot = (slot + 1) & (table->slots - 1);
  }
  if (table->names[slot] == NULL) {
    table->names[slot] = strndup(name, length);
  }
  return (uint32_t)(NAME_FIRST + slot);
}

static void token_add(token_list *list, uint32_t kind, uint32_t line) {
  if (list->count == list->room) {
    list->room = list->room == 0 ? 4096 : 2 * list->room;
    list->tokens = grown(list->tokens, list->room * sizeof *list->tokens);
  }
  list->tokens[list->count++] = (token){.kind = kind, .line = line, .file = list->file_count - 1};
}

/* The length of a comment, preprocessor line, text or character constant at `at`; 0 if there is none. */
static size_t skipped(const char *text, const char *at, bool *is_text) {
  *is_text = *at == '"' || *at == '\'';
  if (strncmp(at, "/*", 2) == 0) {
    const char *const end = strstr(at + 2, "*/");
    return end == NULL ? strlen(at) : (size_t)(end - at) + 2;
  }
  if (strncmp(at, "//", 2) == 0) {
    return strcspn(at, "\n");
  }
  if (*at == '#' && (at == text || at[-1] == '\n')) {
    size_t length = strcspn(at, "\n");
    while (length > 0 && at[length - 1] == '\\' && at[length] == '\n') {
      length += 1 + strcspn(at + length + 1, "\n");
    }
    return length;
  }
  if (*is_text) {
    size_t length = 1;
    while (at[length] != '\0' && at[length] != *at) {
      length += at[length] == '\\' && at[length + 1] != '\0' ? 2 : 1;
    }
    return at[length] == '\0' ? length : length + 1;
  }
  return 0;
}

static uint32_t word_kind(name_table *table, const char *word, size_t length) {
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
    if (strlen(keywords[i]) == length && strncmp(keywords[i], word, length) == 0) {
      return (uint32_t)(KEYWORD_FIRST + i);
    }
  }
  return name_number(table, word, length);
}

/* All tokens of one file's text, with a BREAK in front: no run crosses files. */
static void text_read(token_list *list, name_table *table, const char *text) {
  uint32_t line = 1;
  token_add(list, BREAK, line);
  for (const char *at = text; *at != '\0';) {
    bool is_text = false;
    size_t length = skipped(text, at, &is_text);
    if (length != 0) {
      if (is_text) {
        token_add(list, TEXT, line);
      }
    } else if (isalpha((unsigned char)*at) || *at == '_') {
      length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
      token_add(list, word_kind(table, at, length), line);
    } else if (isdigit((unsigned char)*at)) {
      length = strspn(at, "0123456789abcdefABCDEFxXuUlL.");
      token_add(list, NUMBER, line);
    } else {
      length = 1;
      if (!isspace((unsigned char)*at)) {
        token_add(list, (unsigned char)*at, line);
      }
    }
    for (size_t i = 0; i < length; i++) {
      line += at[i] == '\n';
    }
    at += length;
  }
}

/* Takes out what stands in the braces of an enumeration or an initialiser: `= {`, `) {` of a compound literal stays code. */
static void tables_drop(token_list *list) {
  size_t kept = 0;
  const uint32_t enumeration = KEYWORD_FIRST + sizeof keywords / sizeof keywords[0] - 1;
  for (size_t i = 0; i < list->count; i++) {
    const token *const here = &list->tokens[i];
    const bool opens = here->kind == '{' && i >= 2;
    const bool initialises = opens && here[-1].kind == '=';
    const bool enumerates = opens && (here[-1].kind == enumeration || here[-2].kind == enumeration);
    if (!initialises && !enumerates) {
      list->tokens[kept++] = *here;
      continue;
    }
    const token first = *here;
    int depth = 0;
    do {
      depth += (list->tokens[i].kind == '{') - (list->tokens[i].kind == '}');
    } while (depth != 0 && ++i < list->count);
    list->tokens[kept] = first;
    list->tokens[kept++].kind = BREAK;
  }
  list->count = kept;
}

static int name_order(const FTSENT **a, const FTSENT **b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

static token_list room_read(const char *directory, name_table *table) {
  token_list list = {0};
  char *paths[] = {strdup(directory), NULL};
  FTS *const walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, name_order);
  if (walk == NULL) {
    fail(directory);
  }
  for (const FTSENT *entry = fts_read(walk); entry != NULL; entry = fts_read(walk)) {
    const char *const dot = strrchr(entry->fts_name, '.');
    if (entry->fts_info != FTS_F || dot == NULL || (strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0)) {
      continue;
    }
    FILE *const file = fopen(entry->fts_path, "rb");
    char *text = NULL;
    size_t room = 0;
    if (file == NULL || (getdelim(&text, &room, '\0', file) < 0 && ferror(file))) {
      fail(entry->fts_path);
    }
    fclose(file);
    list.files = grown(list.files, (list.file_count + 1) * sizeof *list.files);
    list.files[list.file_count++] = strdup(entry->fts_path);
    text_read(&list, table, text);
    free(text);
  }
  fts_close(walk);
  free(paths[0]);
  tables_drop(&list);
  return list;
}

/* What token i is in the window that starts at `start`: a name is the distance to the same name before it, 0 for its first. */
static uint32_t token_shape(const token_list *list, const size_t *last, size_t start, size_t i) {
  const uint32_t kind = list->tokens[i].kind;
  if (kind < NAME_FIRST) {
    return kind;
  }
  return (uint32_t)(NAME_FIRST + (last[i] != SIZE_MAX && last[i] >= start ? i - last[i] : 0));
}

/* For each token, the place of the same name before it; SIZE_MAX: none. The caller frees it. */
static size_t *last_places(const token_list *list, size_t slots) {
  size_t *const last = grown(NULL, (list->count + 1) * sizeof *last);
  size_t *const seen = grown(NULL, slots * sizeof *seen);
  memset(seen, 0xff, slots * sizeof *seen);
  for (size_t i = 0; i < list->count; i++) {
    last[i] = SIZE_MAX;
    if (list->tokens[i].kind >= NAME_FIRST) {
      last[i] = seen[list->tokens[i].kind - NAME_FIRST];
      seen[list->tokens[i].kind - NAME_FIRST] = i;
    }
  }
  free(seen);
  return last;
}

/* False if a BREAK lies in the window. */
static bool window_hash(const token_list *list, const size_t *last, size_t start, uint64_t *hash) {
  uint32_t shapes[WINDOW];
  for (size_t i = 0; i < WINDOW; i++) {
    shapes[i] = token_shape(list, last, start, start + i);
    if (shapes[i] == BREAK) {
      return false;
    }
  }
  *hash = XXH3_64bits(shapes, sizeof shapes);
  return true;
}

static bool windows_equal(const token_list *a, const size_t *last_a, size_t at_a, const token_list *b,
                          const size_t *last_b, size_t at_b, size_t length) {
  for (size_t i = 0; i < length; i++) {
    const uint32_t shape = token_shape(a, last_a, at_a, at_a + i);
    if (shape == BREAK || shape != token_shape(b, last_b, at_b, at_b + i)) {
      return false;
    }
  }
  return true;
}

typedef struct {
  uint64_t hash;
  size_t at;
} window;

static int window_order(const void *a, const void *b) {
  const window *const x = a;
  const window *const y = b;
  return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static window *windows_sorted(const token_list *list, const size_t *last, size_t *count) {
  window *const windows = grown(NULL, (list->count + 1) * sizeof *windows);
  *count = 0;
  for (size_t i = 0; i + WINDOW <= list->count; i++) {
    if (window_hash(list, last, i, &windows[*count].hash)) {
      windows[(*count)++].at = i;
    }
  }
  qsort(windows, *count, sizeof *windows, window_order);
  return windows;
}

/* Reports every longest run; returns how many. Each place of A is reported once, with the first place of B. */
static size_t runs_report(const token_list *a, const token_list *b, size_t slots) {
  size_t *const last_a = last_places(a, slots);
  size_t *const last_b = last_places(b, slots);
  size_t count = 0;
  window *const windows = windows_sorted(b, last_b, &count);
  size_t found = 0;
  for (size_t i = 0; i + WINDOW <= a->count; i++) {
    window key = {.at = 0};
    if (!window_hash(a, last_a, i, &key.hash)) {
      continue;
    }
    size_t low = 0;
    for (size_t high = count; low < high;) {
      const size_t middle = low + (high - low) / 2;
      if (windows[middle].hash < key.hash) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == count || windows[low].hash != key.hash) {
      continue;
    }
    const size_t at = windows[low].at;
    size_t length = WINDOW;
    while (i + length < a->count && at + length < b->count && windows_equal(a, last_a, i, b, last_b, at, length + 1)) {
      length++;
    }
    printf("%s:%u-%u ~ %s:%u-%u: %zu tokens\n", a->files[a->tokens[i].file], a->tokens[i].line,
           a->tokens[i + length - 1].line, b->files[b->tokens[at].file], b->tokens[at].line,
           b->tokens[at + length - 1].line, length);
    found++;
    i += length - 1;
  }
  free(last_a);
  free(last_b);
  free(windows);
  return found;
}

static void list_free(token_list *list) {
  for (uint32_t i = 0; i < list->file_count; i++) {
    free(list->files[i]);
  }
  free(list->files);
  free(list->tokens);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: runs ROOM-A ROOM-B\n");
    return 2;
  }
  name_table table = {.slots = (size_t)1 << 18};
  table.names = calloc(table.slots, sizeof *table.names);
  if (table.names == NULL) {
    fail("memory");
  }
  token_list a = room_read(argv[1], &table);
  token_list b = room_read(argv[2], &table);
  const size_t found = runs_report(&a, &b, table.slots);
  fprintf(stderr, "%zu and %zu tokens, %zu common runs of at least %d\n", a.count, b.count, found, WINDOW);
  list_free(&a);
  list_free(&b);
  for (size_t i = 0; i < table.slots; i++) {
    free(table.names[i]);
  }
  free(table.names);
  return found == 0 ? 0 : 1;
}
