/* The canonical form on the corpus: blind to the order of files, and to nothing else.
 *
 * Three tests. Stored answers of nvlink for the same files in another order must have the same form, but for the pairs of
 * `canonical-differences`, where the order decides which of several definitions stays. A byte changed anywhere in an
 * output must show, in the form or in an invariant, unless it lies where the list of freedoms says so
 * (docs/specification/canonical-form.md). And a form that is given another program's output must differ. */
#include "canonical.h"
#include "tests/check/check_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *corpus, *differences;

static void count_nothing(void *extra, const ref_canonical_line *a, const ref_canonical_line *b) {
  (void)extra;
  (void)a;
  (void)b;
}

/* The form of a job with `output` for its output; false when it has none. */
static bool form_make(ref_canonical *form, const check_job *job, const harness_bytes *output) {
  char error[256];
  ref_cubin cubin;
  if (job->partial || job->count == 0 || !ref_cubin_read(&cubin, output->data, output->size, error, sizeof error))
    return false;
  const ref_check_link link = {{"output", &cubin}, job->inputs, job->count};
  const bool made = ref_canonical_make(form, &link, error, sizeof error);
  ref_cubin_free(&cubin);
  return made;
}

/* --- the order of files --- */

/* The options and the files of a job, each sorted as one line: equal keys are the same link in another order. */
static int compare_words(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct order_job {
  char key[HARNESS_PATH], line[HARNESS_PATH];
  const harness_job *job;
} order_job;

static void order_job_read(order_job *order, const harness_job *job) {
  char path[HARNESS_PATH];
  harness_words words;
  harness_path(path, "%s/args", job->directory);
  harness_read_lines(path, &words);
  order->job = job;
  snprintf(order->key, sizeof order->key, "%s", job->inputs);
  order->line[0] = '\0';
  harness_join_words(order->line, &words);
  if (words.count > 0)
    qsort(words.items, words.count, sizeof *words.items, compare_words);
  harness_join_words(order->key, &words);
  harness_free_words(&words);
}

static int compare_orders(const void *a, const void *b) {
  const order_job *x = a, *y = b;
  const int order = strcmp(x->key, y->key);
  return order != 0 ? order : strcmp(x->job->name, y->job->name);
}

static bool pair_is_listed(const harness_words *list, const char *a, const char *b) {
  char names[2 * HARNESS_PATH];
  snprintf(names, sizeof names, "%s %s ", a, b);
  for (size_t i = 0; i < list->count; i++)
    if (strncmp(list->items[i], names, strlen(names)) == 0)
      return true;
  return false;
}

/* 1: compared; the count of wrong verdicts goes up when the verdict is not the list's. */
static size_t pair_compare(const harness_job *a, const harness_job *b, const harness_words *list, size_t *listed,
                           size_t *wrong) {
  check_job jobs[2];
  ref_canonical forms[2] = {{0}, {0}};
  size_t compared = 0;
  const bool read_a = check_job_read(&jobs[0], a->directory, a->inputs, NULL);
  const bool read_b = check_job_read(&jobs[1], b->directory, b->inputs, NULL);
  if (read_a && read_b && form_make(&forms[0], &jobs[0], &jobs[0].output) &&
      form_make(&forms[1], &jobs[1], &jobs[1].output)) {
    const bool same = ref_canonical_compare(&forms[0], &forms[1], count_nothing, NULL) == 0;
    const bool expected = !pair_is_listed(list, a->name, b->name);
    compared = 1;
    *listed += !expected;
    *wrong += same != expected;
    if (same != expected)
      print_message("%s %s: %s\n", a->name, b->name, same ? "the same, but listed" : "different");
  }
  ref_canonical_free(&forms[0]);
  ref_canonical_free(&forms[1]);
  check_job_free(&jobs[0]);
  check_job_free(&jobs[1]);
  return compared;
}

static void test_orders(void **state) {
  (void)state;
  static const char *const sets[] = {"cuda", "synthetic", "vendor-defects"};
  harness_words list;
  harness_read_lines(differences, &list);
  size_t compared = 0, listed = 0, wrong = 0;
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
    harness_jobs jobs;
    harness_list_jobs(corpus, sets[s], &jobs);
    order_job *orders = harness_grow(NULL, (jobs.count + 1) * sizeof *orders);
    for (size_t i = 0; i < jobs.count; i++)
      order_job_read(&orders[i], &jobs.items[i]);
    qsort(orders, jobs.count, sizeof *orders, compare_orders);
    for (size_t i = 1, first = 0; i < jobs.count; i++) {
      if (strcmp(orders[i].key, orders[first].key) != 0)
        first = i;
      else if (strcmp(orders[i].line, orders[first].line) != 0)
        compared += pair_compare(orders[first].job, orders[i].job, &list, &listed, &wrong);
    }
    free(orders);
    harness_free_jobs(&jobs);
  }
  print_message("%zu pairs of orders, %zu of them listed as different\n", compared, listed);
  size_t rows = 0;
  for (size_t i = 0; i < list.count; i++)
    rows += list.items[i][0] != '#' && list.items[i][0] != '\0';
  harness_free_words(&list);
  assert_true(compared > 60);
  assert_int_equal(listed, rows); /* no row without its pair */
  assert_int_equal(wrong, 0);
}

/* --- changed bytes --- */

/* True when an input has, at that place of a section of that name, a field that the link fills with the address of a shared
 * variable: no other place of the output says where the variable is. */
static bool is_shared_field(const check_job *job, const char *section, uint64_t at) {
  enum { INSTRUCTION = 16, SPACE_MASK = 0xe0, SPACE_SHARED = 0x40, TYPE_REL = 9, TYPE_RELA = 4 };
  for (size_t i = 0; i < job->count; i++) {
    const ref_cubin *cubin = &job->cubins[i];
    const uint32_t target = ref_cubin_find_section(cubin, section);
    for (uint32_t k = 1; k < cubin->section_count; k++) {
      const bool about = (cubin->sections[k].type == TYPE_REL || cubin->sections[k].type == TYPE_RELA) && target != 0 &&
                         cubin->sections[k].info == target;
      for (size_t n = 0; about && n < ref_cubin_relocation_count(cubin, k); n++) {
        const ref_relocation entry = ref_cubin_relocation(cubin, k, n);
        if (at - entry.offset < INSTRUCTION && entry.symbol < cubin->symbol_count &&
            (cubin->symbols[entry.symbol].other & SPACE_MASK) == SPACE_SHARED)
          return true;
      }
    }
  }
  return false;
}

enum {
  HEADER_SIZE = 64,
  SECTION_HEADER = 64,
  SECTION_OFFSET = 24,
  SECTION_LINK = 40,
  SEGMENT = 56,
  SEGMENT_OFFSET = 8,
  SEGMENT_ADDRESS = 16,
  SEGMENT_MEMORY = 40,
  SEGMENT_MEMORY_END = 48
};
enum { SYMBOL = 24, SYMBOL_VALUE = 8, SYMBOL_SIZE = 16, TYPE_MERCURY_SYMTAB = 0x70000085 };

static const char *section_header_place(const ref_cubin *cubin, uint64_t inside) {
  const ref_section *section = &cubin->sections[inside / SECTION_HEADER];
  const uint64_t field = inside % SECTION_HEADER;
  return section->data == NULL && field >= SECTION_OFFSET && field < SECTION_LINK ? "place of a section without bytes"
                                                                                  : "section header";
}

/* Where a byte of an output lies, as the list of freedoms names places. */
static const char *place_name(const check_job *job, const ref_cubin *cubin, uint64_t at) {
  if (at - cubin->section_offset < cubin->section_count * SECTION_HEADER)
    return section_header_place(cubin, at - cubin->section_offset);
  if (cubin->segment_offset != 0 && at - cubin->segment_offset < cubin->segment_count * SEGMENT) {
    const uint64_t field = (at - cubin->segment_offset) % SEGMENT;
    if (cubin->segments[(at - cubin->segment_offset) / SEGMENT].file_size == 0 && field >= SEGMENT_OFFSET &&
        field < SEGMENT_ADDRESS)
      return "place of a section without bytes";
    return field >= SEGMENT_MEMORY && field < SEGMENT_MEMORY_END ? "size of a segment in memory" : "program header";
  }
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->data == NULL || at - section->offset >= section->size)
      continue;
    const uint64_t inside = at - section->offset;
    if (section->type == 2 || section->type == TYPE_MERCURY_SYMTAB) {
      const bool value = inside % SYMBOL >= SYMBOL_VALUE && inside % SYMBOL < SYMBOL_SIZE;
      return value ? "value of a symbol" : "symbol";
    }
    return section->type == 7                            ? "note"
           : section->type == 3                          ? "string table"
           : is_shared_field(job, section->name, inside) ? "field with a shared variable's address"
                                                         : section->name;
  }
  return at < HEADER_SIZE ? "ELF header" : "padding";
}

typedef struct silent_place {
  char name[128];
  size_t count;
} silent_place;

enum { PLACES_MAX = 256 };

static void silent_add(silent_place *places, const char *name) {
  size_t i = 0;
  while (i < PLACES_MAX - 1 && places[i].count != 0 && strcmp(places[i].name, name) != 0)
    i++;
  snprintf(places[i].name, sizeof places[i].name, "%s", name);
  places[i].count++;
}

/* True when nothing shows that `changed` is not the job's own output, which breaks `broken` invariants. */
static bool change_is_silent(const check_job *job, const ref_canonical *own, const harness_bytes *changed,
                             size_t broken) {
  ref_canonical form = {0};
  const bool made = form_make(&form, job, changed);
  const bool same = made && ref_canonical_compare(own, &form, count_nothing, NULL) == 0;
  ref_canonical_free(&form);
  ref_check_report report;
  if (!same || !check_job_run(job, changed, &report))
    return false;
  const bool silent = report.broken == broken;
  ref_check_free(&report);
  return silent;
}

/* Every CANONICAL_STEP-th byte of the job's output, changed. */
static size_t change_bytes(const char *name, silent_place *places) {
  char directory[HARNESS_PATH], inputs[HARNESS_PATH], error[256];
  check_job job;
  ref_canonical own = {0};
  ref_cubin cubin;
  harness_path(directory, "%s/cuda/%s", corpus, name);
  harness_path(inputs, "%s", directory);
  *strrchr(inputs, '/') = '\0';
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&own, &job, &job.output));
  assert_true(ref_cubin_read(&cubin, job.output.data, job.output.size, error, sizeof error));
  harness_bytes changed = {harness_grow(NULL, job.output.size + 1), job.output.size};
  ref_check_report report;
  assert_true(check_job_run(&job, &job.output, &report));
  const size_t broken = report.broken; /* by rows of tests/check/expected */
  ref_check_free(&report);
  size_t changes = 0;
  for (uint64_t at = 0; at < job.output.size; at += CANONICAL_STEP, changes++) {
    memcpy(changed.data, job.output.data, job.output.size + 1);
    changed.data[at] ^= (uint8_t)(1U << at / CANONICAL_STEP % 8);
    if (change_is_silent(&job, &own, &changed, broken))
      silent_add(places, place_name(&job, &cubin, at));
  }
  free(changed.data);
  ref_cubin_free(&cubin);
  ref_canonical_free(&own);
  check_job_free(&job);
  return changes;
}

static void test_changes(void **state) {
  (void)state;
  static const char *const names[] = {"virtual_shapes/sm_90/plain", "doubles/sm_80/plain",
                                      "debug_mixed/sm_90/plain",    "ewp_inner/sm_100/stacks",
                                      "capsule_lines/sm_100/plain", "capsule_table_loads/sm_100/executable"};
  static const char *const free_places[] = {
      "note",
      "string table",
      "value of a symbol",
      "place of a section without bytes",
      "size of a segment in memory",
      "field with a shared variable's address",
  };
  silent_place places[PLACES_MAX] = {{.count = 0}};
  size_t changes = 0, wrong = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    changes += change_bytes(names[i], places);
  for (size_t i = 0; i < PLACES_MAX && places[i].count != 0; i++) {
    bool is_free = false;
    for (size_t k = 0; k < sizeof free_places / sizeof *free_places; k++)
      is_free |= strcmp(places[i].name, free_places[k]) == 0;
    wrong += !is_free;
    print_message("%4zu changes of %s do not show%s\n", places[i].count, places[i].name, is_free ? "" : ": WRONG");
  }
  print_message("%zu bytes changed\n", changes);
  assert_true(changes > 1000);
  assert_int_equal(wrong, 0);
}

/* --- what must not be called the same --- */

/* A form from which a sentence was taken, and one whose size grew: both differ, in both directions as they should. */
static void test_planted(void **state) {
  (void)state;
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  check_job job;
  ref_canonical a = {0}, b = {0};
  harness_path(directory, "%s/cuda/doubles/sm_80/plain", corpus);
  harness_path(inputs, "%s/cuda/doubles/sm_80", corpus);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&a, &job, &job.output) && form_make(&b, &job, &job.output));
  assert_true(a.count > 100 && a.fields > 3);
  assert_int_equal(ref_canonical_compare(&a, &b, count_nothing, NULL), 0);
  size_t sized = 0, limited = 0;
  for (size_t i = 0; i < b.count; i++) {
    if (b.lines[i].is_size) {
      const uint64_t size = b.lines[i].size, limit = b.lines[i].limit;
      sized++;
      limited += limit != 0;
      for (b.lines[i].size = limit; limit > size && b.lines[i].size > size; b.lines[i].size--) /* L994 */
        assert_int_equal(ref_canonical_compare(&a, &b, count_nothing, NULL), 0);
      b.lines[i].size = (limit > size ? limit : size) + 1;
      assert_int_equal(ref_canonical_compare(&a, &b, count_nothing, NULL), 1); /* b has grown */
      assert_int_equal(ref_canonical_compare(&b, &a, count_nothing, NULL), 0);
      b.lines[i].size = size;
    }
  }
  assert_true(sized > limited && limited > 0);
  free(b.lines[b.count / 2].text);
  memmove(&b.lines[b.count / 2], &b.lines[b.count / 2 + 1], (b.count - b.count / 2 - 1) * sizeof *b.lines);
  b.count--;
  assert_int_equal(ref_canonical_compare(&a, &b, count_nothing, NULL), 1);
  assert_int_equal(ref_canonical_compare(&b, &a, count_nothing, NULL), 1);
  ref_canonical_free(&a);
  ref_canonical_free(&b);
  check_job_free(&job);
}

/* The same form without the sentences about compiler constants. */
static void form_leave_constants(ref_canonical *form) {
  size_t kept = 0;
  for (size_t i = 0; i < form->count; i++)
    if (strstr(form->lines[i].text, ".nv.constant2.") != NULL)
      free(form->lines[i].text);
    else
      form->lines[kept++] = form->lines[i];
  form->count = kept;
}

/* Of compiler constants, what code reads may not be missing; an image that nobody reads may in the second link, and a
 * section that is no kernel's in either (L792). */
static void constants_compare(const char *name, bool may_go, bool may_come) {
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  check_job job;
  ref_canonical whole = {0}, without = {0};
  harness_path(directory, "%s/cuda/%s", corpus, name);
  harness_path(inputs, "%s", directory);
  *strrchr(inputs, '/') = '\0';
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&whole, &job, &job.output) && form_make(&without, &job, &job.output));
  form_leave_constants(&without);
  assert_true(without.count < whole.count);
  assert_int_equal(ref_canonical_compare(&whole, &without, count_nothing, NULL) == 0, may_go);
  assert_int_equal(ref_canonical_compare(&without, &whole, count_nothing, NULL) == 0, may_come);
  ref_canonical_free(&whole);
  ref_canonical_free(&without);
  check_job_free(&job);
}

static void test_constants(void **state) {
  (void)state;
  constants_compare("stray_constants/sm_75/filled_again", true, true);
  constants_compare("stray_constants/sm_75/lost_in_group", true, false);
  constants_compare("losing_constants/sm_80/two_weak", false, false);
  constants_compare("doubles/sm_80/plain", false, false);
}

/* Fields that lead into debug sections are said by unit and place in it (L334). */
static void test_units(void **state) {
  (void)state;
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  check_job job;
  ref_canonical form = {0};
  size_t leading = 0;
  harness_path(directory, "%s/cuda/debug_mixed/sm_90/plain", corpus);
  harness_path(inputs, "%s/cuda/debug_mixed/sm_90", corpus);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&form, &job, &job.output));
  for (size_t i = 0; i < form.count; i++) {
    const char *const to = strstr(form.lines[i].text, " -> .debug_");
    leading += to != NULL && strstr(to, " unit ") != NULL && strstr(to, "+0x") != NULL;
  }
  print_message("%zu fields lead into units\n", leading);
  assert_true(leading >= 10);
  ref_canonical_free(&form);
  check_job_free(&job);
}

/* A capsule has the sentences of both its views (M7), and each function's lines are a unit of their own (L679). */
static void test_views(void **state) {
  (void)state;
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  check_job job;
  ref_canonical form = {0};
  size_t mercury = 0, symbols[2] = {0}, lines[2] = {0};
  harness_path(directory, "%s/cuda/capsule_lines/sm_100/plain", corpus);
  harness_path(inputs, "%s/cuda/capsule_lines/sm_100", corpus);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&form, &job, &job.output));
  for (size_t i = 0; i < form.count; i++) {
    const char *const text = form.lines[i].text;
    const bool of_mercury = strncmp(text, "Mercury: ", 9) == 0;
    mercury += of_mercury;
    symbols[of_mercury] += strncmp(text + (of_mercury ? 9 : 0), "symbol ", 7) == 0;
    lines[of_mercury] += strstr(text, ".nv_debug_line_sass unit ") != NULL && strstr(text, ": kept ") != NULL;
  }
  print_message("%zu sentences, %zu of Mercury's view\n", form.count, mercury);
  assert_true(mercury > 100 && form.count - mercury > 100);
  assert_true(symbols[0] >= symbols[1] && symbols[1] > 3); /* without the section symbols of bank 0 (M8) */
  assert_true(lines[0] > 1 && lines[1] > 1);
  ref_canonical_free(&form);
  check_job_free(&job);
}

/* The first list of two outside functions or more in the attributes of an output, NULL. */
static uint8_t *find_externs(const harness_bytes *output) {
  enum { EXTERNS = 0x0f, WORD = 4, TYPE_INFO = 0x70000000 };
  char error[256];
  ref_cubin cubin;
  uint8_t *found = NULL;
  assert_true(ref_cubin_read(&cubin, output->data, output->size, error, sizeof error));
  for (uint32_t i = 1; i < cubin.section_count && found == NULL; i++) {
    uint64_t position = 0;
    ref_attribute attribute;
    while (cubin.sections[i].type == TYPE_INFO && found == NULL &&
           ref_cubin_next_attribute(&cubin.sections[i], &position, &attribute))
      if (attribute.code == EXTERNS && attribute.size >= 2 * (uint64_t)WORD)
        found = output->data + cubin.sections[i].offset + (attribute.data - cubin.sections[i].data);
  }
  ref_cubin_free(&cubin);
  return found;
}

/* The outside functions of a kernel in another order are the same (L961), others are not. */
static void test_externs(void **state) {
  (void)state;
  enum { WORD = 4 };
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  check_job job;
  ref_canonical whole = {0}, turned = {0}, other = {0};
  harness_path(directory, "%s/cuda/printing/sm_80/plain", corpus);
  harness_path(inputs, "%s/cuda/printing/sm_80", corpus);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&whole, &job, &job.output));
  uint8_t *const words = find_externs(&job.output);
  uint8_t first[WORD];
  assert_non_null(words);
  memcpy(first, words, WORD);
  memcpy(words, words + WORD, WORD);
  assert_true(form_make(&other, &job, &job.output));
  memcpy(words + WORD, first, WORD);
  assert_true(form_make(&turned, &job, &job.output));
  assert_int_equal(ref_canonical_compare(&whole, &turned, count_nothing, NULL), 0);
  assert_int_not_equal(ref_canonical_compare(&whole, &other, count_nothing, NULL), 0);
  ref_canonical_free(&whole);
  ref_canonical_free(&turned);
  ref_canonical_free(&other);
  check_job_free(&job);
}

/* A text that the link made anew (L962): a changed byte shows anywhere in it, in the constants' places, too, on both sides. */
static void test_remade(void **state) {
  (void)state;
  static const char *const texts[] = {".text.reads", ".nv.capmerc.text.reads"};
  char directory[HARNESS_PATH], inputs[HARNESS_PATH], error[256];
  check_job job;
  ref_canonical own = {0};
  ref_cubin cubin;
  harness_path(directory, "%s/cuda/remade_constants/sm_100/behind", corpus);
  harness_path(inputs, "%s/cuda/remade_constants/sm_100", corpus);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&own, &job, &job.output));
  assert_true(ref_cubin_read(&cubin, job.output.data, job.output.size, error, sizeof error));
  size_t silent = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const ref_section *const section = &cubin.sections[ref_cubin_find_section(&cubin, texts[i])];
    assert_true(section->size > 0);
    for (uint64_t at = 0; at < section->size; at++) {
      ref_canonical form = {0};
      job.output.data[section->offset + at] ^= (uint8_t)(1U << at % 8);
      if (form_make(&form, &job, &job.output) && ref_canonical_compare(&own, &form, count_nothing, NULL) == 0) {
        print_message("%s+0x%zx does not show\n", texts[i], (size_t)at);
        silent++;
      }
      job.output.data[section->offset + at] ^= (uint8_t)(1U << at % 8);
      ref_canonical_free(&form);
    }
  }
  assert_int_equal(silent, 0);
  ref_cubin_free(&cubin);
  ref_canonical_free(&own);
  check_job_free(&job);
}

/* --- compiler constants of Mercury's view (L992) --- */

enum { TABLE_LOST = 0x30, TABLE_PLACE = 0x54, TABLE_ENTRY = 24, TABLE_FIELD = 28 };

static ref_section *table_section(const ref_cubin *cubin, const char *name) {
  const uint32_t index = ref_cubin_find_section(cubin, name);
  assert_int_not_equal(index, 0);
  return &cubin->sections[index];
}

static void table_resize(harness_bytes *output, const ref_cubin *cubin, const ref_section *section, uint64_t size) {
  enum { SIZE_FIELD = 32 };
  memcpy(output->data + cubin->section_offset + (uint64_t)(section - cubin->sections) * SECTION_HEADER + SIZE_FIELD,
         &size, sizeof size);
}

/* Leaves out the constants of the body that lost last, behind which the table of g stands, so that it stands where they did,
 * and with `told` says so in the load. */
static void table_move(harness_bytes *output, const ref_cubin *cubin, bool told) {
  const ref_section *const image = table_section(cubin, ".nv.merc.nv.constant.optimizer.k");
  const ref_section *const entries = table_section(cubin, ".nv.merc.rela.nv.constant.optimizer.k");
  uint8_t *const text = output->data + table_section(cubin, ".nv.capmerc.text.g")->offset;
  uint64_t kept = 0;
  for (uint64_t at = 0; at < entries->size; at += TABLE_ENTRY) {
    uint8_t *const entry = output->data + entries->offset + at;
    uint64_t place;
    memcpy(&place, entry, sizeof place);
    if (place >= TABLE_LOST && place < TABLE_PLACE)
      continue;
    place -= place < TABLE_PLACE ? 0 : TABLE_PLACE - TABLE_LOST;
    memcpy(entry, &place, sizeof place);
    memmove(output->data + entries->offset + kept, entry, TABLE_ENTRY);
    kept += TABLE_ENTRY;
  }
  assert_true(kept < entries->size);
  table_resize(output, cubin, entries, kept);
  table_resize(output, cubin, image, image->size - (TABLE_PLACE - TABLE_LOST));
  uint64_t load = 0; /* 32 bytes that begin with 02 22 */
  while (text[load] != 2 || text[load + 1] != 0x22 || text[load + TABLE_FIELD] != TABLE_PLACE)
    load++;
  text[load + TABLE_FIELD] = told ? TABLE_LOST : TABLE_PLACE;
}

static bool table_is_same(const check_job *job, const ref_canonical *own, const harness_bytes *output) {
  ref_canonical form = {0};
  const bool same = form_make(&form, job, output) && ref_canonical_compare(own, &form, count_nothing, NULL) == 0;
  ref_canonical_free(&form);
  return same;
}

/* A changed byte shows in the load's text, in the image and in its entries. */
static void table_change(const check_job *job, const ref_canonical *own, harness_bytes *output,
                         const ref_cubin *cubin) {
  static const char *const names[] = {".nv.capmerc.text.g", ".nv.merc.nv.constant.optimizer.k",
                                      ".nv.merc.rela.nv.constant.optimizer.k"};
  size_t silent = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const ref_section *const section = table_section(cubin, names[i]);
    for (uint64_t at = 0; at < section->size; at++) {
      uint8_t *const byte = &output->data[section->offset + at];
      *byte ^= (uint8_t)(1U << at % 8);
      if (table_is_same(job, own, output)) {
        print_message("%s+0x%zx does not show\n", names[i], (size_t)at);
        silent++;
      }
      *byte ^= (uint8_t)(1U << at % 8);
    }
  }
  assert_int_equal(silent, 0);
}

/* A table that stands elsewhere in the second link is the same if its load says so (L992), in no other case. */
static void test_tables(void **state) {
  (void)state;
  char directory[HARNESS_PATH], inputs[HARNESS_PATH], error[256];
  check_job job;
  ref_canonical own = {0};
  ref_cubin cubin;
  harness_path(directory, "%s/cuda/table_places/sm_100/plain", corpus);
  harness_path(inputs, "%s/cuda/table_places/sm_100", corpus);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(form_make(&own, &job, &job.output));
  assert_true(ref_cubin_read(&cubin, job.output.data, job.output.size, error, sizeof error));
  table_change(&job, &own, &job.output, &cubin);
  for (int told = 0; told < 2; told++) {
    harness_bytes moved = {harness_grow(NULL, job.output.size + 1), job.output.size};
    memcpy(moved.data, job.output.data, job.output.size + 1);
    table_move(&moved, &cubin, told != 0);
    assert_int_equal(table_is_same(&job, &own, &moved), told);
    free(moved.data);
  }
  ref_cubin_free(&cubin);
  ref_canonical_free(&own);
  check_job_free(&job);
}

int main(int argc, char **argv) {
  if (argc != 3)
    harness_stop("usage: canonical CORPUS DIFFERENCES");
  corpus = argv[1];
  differences = argv[2];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),    cmocka_unit_test(test_changes), cmocka_unit_test(test_planted),
      cmocka_unit_test(test_constants), cmocka_unit_test(test_units),   cmocka_unit_test(test_views),
      cmocka_unit_test(test_externs),   cmocka_unit_test(test_remade),  cmocka_unit_test(test_tables)};
  return cmocka_run_group_tests_name("canonical", tests, NULL, NULL);
}
