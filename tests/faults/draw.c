/* fault_draw: the faults of a seed, without choice. First a line, each line with a place for a fault as likely as any
 * other; then a kind of those that the line has; then a place. The same seed and sources give the same faults.
 *
 *   fault_draw list FILE...                  how many lines and places each file has
 *   fault_draw rows SEED FIRST COUNT FILE...  draws FIRST..: NUMBER FILE LINE KIND BEFORE AFTER, tabs between
 *   fault_draw write SEED NUMBER TO FILE...  the file of draw NUMBER with its fault, into TO
 *
 * A place is drawn once only; whether the change compiles is for the caller to find out. */
#include "tests/faults/source.h"
#include "tests/harness/harness.h"

#include "tools/gen_random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All changes of one line. */
typedef struct draw_line {
  const fault_source *source;
  size_t first, count;
} draw_line;

typedef struct draw_all {
  fault_source *sources;
  size_t source_count;
  draw_line *lines;
  size_t line_count;
} draw_all;

static int draw_compare_lines(const void *left, const void *right) {
  const fault_change *const a = left, *const b = right;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return strcmp(a->text, b->text);
}

static void draw_add_lines(draw_all *all, fault_source *source) {
  if (source->change_count)
    qsort(source->changes, source->change_count, sizeof *source->changes, draw_compare_lines);
  for (size_t i = 0; i < source->change_count; i++) {
    if (i > 0 && source->changes[i].line == source->changes[i - 1].line) {
      all->lines[all->line_count - 1].count++;
      continue;
    }
    all->lines = harness_grow(all->lines, (all->line_count + 1) * sizeof *all->lines);
    all->lines[all->line_count++] = (draw_line){source, i, 1};
  }
}

static void draw_read(draw_all *all, char **paths, int count) {
  all->sources = harness_grow(NULL, (size_t)(count ? count : 1) * sizeof *all->sources);
  for (int i = 0; i < count; i++)
    fault_source_read(&all->sources[all->source_count++], paths[i]);
  for (size_t i = 0; i < all->source_count; i++)
    draw_add_lines(all, &all->sources[i]);
}

static void draw_free(draw_all *all) {
  for (size_t i = 0; i < all->source_count; i++)
    fault_source_free(&all->sources[i]);
  free(all->sources);
  free(all->lines);
}

static const fault_change *draw_one(const draw_all *all, gen_random *random, const fault_source **source) {
  if (!all->line_count)
    harness_stop("fault_draw: no line has a place for a fault");
  const draw_line *const line = &all->lines[gen_random_below(random, (uint32_t)all->line_count)];
  const fault_change *const changes = line->source->changes + line->first;
  size_t of_kind[FAULT_KINDS] = {0}, kinds[FAULT_KINDS] = {0}, kind_count = 0;
  for (size_t i = 0; i < line->count; i++)
    if (of_kind[changes[i].kind]++ == 0)
      kinds[kind_count++] = changes[i].kind;
  const size_t kind = kinds[gen_random_below(random, (uint32_t)kind_count)];
  size_t number = gen_random_below(random, (uint32_t)of_kind[kind]);
  *source = line->source;
  for (size_t i = 0;; i++)
    if (changes[i].kind == kind && number-- == 0)
      return &changes[i];
}

/* Text between tabs, in one line and not endless. */
static void draw_print_text(const char *text, size_t length) {
  enum { LONGEST = 120 };
  bool blank = false;
  putchar('\t');
  for (size_t i = 0, printed = 0; i < length; i++) {
    const bool space = text[i] == ' ' || text[i] == '\n' || text[i] == '\t';
    if (!(space && blank) && printed++ < LONGEST)
      putchar(space ? ' ' : text[i]);
    blank = space;
  }
}

static void draw_print(size_t number, const fault_source *source, const fault_change *change) {
  printf("%zu\t%s\t%u\t%s", number, source->path, change->line, fault_kind_names[change->kind]);
  draw_print_text(source->bytes + change->start, change->end - change->start);
  draw_print_text(change->text, strlen(change->text));
  putchar('\n');
}

/* Draws up to `last` and calls for each its row, or writes the last one to `to`. */
static void draw_run(const draw_all *all, uint64_t seed, size_t first, size_t last, const char *to) {
  const fault_change **const taken = harness_grow(NULL, (last + 1) * sizeof *taken);
  gen_random random = {.state = seed};
  for (size_t i = 0; i <= last; i++) {
    const fault_source *source = NULL;
    bool known;
    do {
      taken[i] = draw_one(all, &random, &source);
      known = false;
      for (size_t j = 0; j < i; j++)
        known = known || taken[j] == taken[i];
    } while (known);
    if (i >= first && !to)
      draw_print(i, source, taken[i]);
    if (i == last && to) {
      char *const text = fault_source_apply(source, taken[i]);
      harness_write_file(to, text, strlen(text));
      free(text);
    }
  }
  free(taken);
}

static void draw_list(const draw_all *all) {
  size_t changes = 0;
  for (size_t i = 0; i < all->source_count; i++) {
    size_t lines = 0;
    for (size_t j = 0; j < all->line_count; j++)
      lines += all->lines[j].source == &all->sources[i];
    printf("%s: %zu lines, %zu places\n", all->sources[i].path, lines, all->sources[i].change_count);
    changes += all->sources[i].change_count;
  }
  printf("%zu files, %zu lines, %zu places\n", all->source_count, all->line_count, changes);
}

int main(int argc, char **argv) {
  draw_all all = {0};
  const char *const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "list") == 0) {
    draw_read(&all, argv + 2, argc - 2);
    draw_list(&all);
  } else if (argc > 5 && (strcmp(what, "rows") == 0 || strcmp(what, "write") == 0)) {
    const uint64_t seed = strtoull(argv[2], NULL, 10);
    const size_t first = strtoull(argv[3], NULL, 10);
    const bool rows = strcmp(what, "rows") == 0;
    const size_t count = rows ? strtoull(argv[4], NULL, 10) : 1;
    draw_read(&all, argv + 5, argc - 5);
    if (count == 0 || first + count > all.line_count)
      harness_stop("fault_draw: %zu lines have a place for a fault; not so many draws", all.line_count);
    draw_run(&all, seed, first, first + count - 1, rows ? NULL : argv[4]);
  } else {
    harness_stop("usage: fault_draw list FILE... | rows SEED FIRST COUNT FILE... | write SEED NUMBER TO FILE...");
  }
  draw_free(&all);
  return 0;
}
