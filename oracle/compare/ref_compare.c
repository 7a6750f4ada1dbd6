/* The comparison of two cubins from the outside in: bytes, then header, sections, contents, segments, padding.
 *
 * part_rows says which file of this room compares which kind of section. Two nets lie under it: a file that cannot be
 * read is compared along the map of the other one, and so are files whose bytes differ without any part noticing. */
#include "ref_compare_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_PROGBITS = 1, TYPE_SYMTAB = 2, TYPE_STRTAB = 3, TYPE_NOTE = 7, FLAG_EXECUTE = 4, HEADER_BYTES = 64 };

typedef void ref_part_function(const ref_context *context, uint32_t a, uint32_t b);

/* Which function compares a section's contents: the first row whose type (0: any) and name prefix (NULL: any) fit. */
typedef struct ref_part_row {
  uint32_t type;
  const char *prefix;
  ref_part_function *compare;
} ref_part_row;

static const ref_part_row part_rows[] = {
    {TYPE_SYMTAB, NULL, ref_compare_symbols},
    {TYPE_STRTAB, NULL, ref_compare_strings},
    {4, NULL, ref_compare_relocations},
    {9, NULL, ref_compare_relocations},
    {0x70000003, NULL, ref_compare_relocations},
    {0x70000082, NULL, ref_compare_relocations},
    {0x70000088, NULL, ref_compare_relocations},
    {0x70000000, NULL, ref_compare_attributes},
    {0x70000083, NULL, ref_compare_attributes},
    {0x70000086, NULL, ref_compare_compat},
    {0x70000001, NULL, ref_compare_callgraph},
    {0x70000002, NULL, ref_compare_prototypes},
    {TYPE_NOTE, NULL, ref_compare_notes},
    {TYPE_PROGBITS, ".text.", ref_compare_text},
    {0, NULL, ref_compare_data},
};

char *ref_format(const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = ref_allocate((size_t)(length > 0 ? length : 0) + 1, 1);
  (void)vsnprintf(text, (size_t)(length > 0 ? length : 0) + 1, format, again);
  va_end(again);
  return text;
}

void ref_free_labels(char **labels, size_t count) {
  for (size_t i = 0; i < count; i++)
    free(labels[i]);
  free(labels);
}

static void ref_report_row(ref_comparison *result, ref_difference difference) {
  if (result->count == result->capacity) {
    result->capacity = result->capacity ? result->capacity * 2 : 64;
    result->differences = ref_reallocate(result->differences, result->capacity, sizeof *result->differences);
  }
  difference.key = ref_format("%s", difference.key);
  difference.where = ref_format("%s", difference.where);
  difference.what = ref_format("%s", difference.what);
  result->differences[result->count++] = difference;
  result->causes += !difference.follows;
}

void ref_report(ref_comparison *result, const char *key, const char *where, const char *what, char *a, char *b) {
  ref_report_row(result,
                 (ref_difference){.key = (char *)key, .where = (char *)where, .what = (char *)what, .a = a, .b = b});
}

void ref_report_follows(ref_comparison *result, const char *key, const char *where, const char *what, char *a,
                        char *b) {
  ref_report_row(
      result, (ref_difference){
                  .key = (char *)key, .where = (char *)where, .what = (char *)what, .a = a, .b = b, .follows = true});
}

bool ref_report_texts(ref_comparison *result, const char *key, const char *where, const char *what, ref_text *a,
                      ref_text *b) {
  char *left = ref_text_take(a), *right = ref_text_take(b);
  if (strcmp(left, right) != 0) {
    ref_report(result, key, where, what, left, right);
    return true;
  }
  free(left);
  free(right);
  return false;
}

void ref_report_numbers(ref_comparison *result, const char *key, const char *where, const char *what, uint64_t a,
                        uint64_t b) {
  if (a != b)
    ref_report(result, key, where, what, ref_format("0x%llx", (unsigned long long)a),
               ref_format("0x%llx", (unsigned long long)b));
}

void ref_report_order(ref_comparison *result, const char *prefix, const char *where, const char *what,
                      ref_pairing *pairing, char *const *a, char *const *b) {
  ref_pair_count_moved(pairing);
  if (pairing->moved) {
    char *order = ref_format("%s.order", prefix);
    char *words = ref_format("order of %s entries (%zu of %zu moved), first where it differs", what, pairing->moved,
                             pairing->a_count);
    ref_report(result, order, where, words, ref_format("%s at place %zu", a[pairing->first_a], pairing->first_a),
               ref_format("%s at place %zu", b[pairing->first_b], pairing->first_b));
    free(words);
    free(order);
  }
}

void ref_report_pairing(ref_comparison *result, const char *prefix, const char *where, const char *what,
                        ref_pairing *pairing, char *const *a, char *const *b) {
  char *missing = ref_format("%s.missing", prefix), *extra = ref_format("%s.extra", prefix);
  for (size_t i = 0; i < pairing->a_count; i++)
    if (pairing->b_of_a[i] == REF_UNPAIRED)
      ref_report(result, missing, where, what, ref_format("%s", a[i]), NULL);
  for (size_t i = 0; i < pairing->b_count; i++)
    if (pairing->a_of_b[i] == REF_UNPAIRED)
      ref_report(result, extra, where, what, NULL, ref_format("%s", b[i]));
  ref_report_order(result, prefix, where, what, pairing, a, b);
  free(missing);
  free(extra);
}

bool ref_section_has_name(const ref_section *section, const char *prefix) {
  return strncmp(section->name, prefix, strlen(prefix)) == 0;
}

static void ref_compare_contents(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  if (!left->data || !right->data ||
      (left->size == right->size && memcmp(left->data, right->data, (size_t)left->size) == 0))
    return;
  for (const ref_part_row *row = part_rows; row < part_rows + sizeof part_rows / sizeof *part_rows; row++)
    if ((row->type == 0 || row->type == left->type) && (!row->prefix || ref_section_has_name(left, row->prefix))) {
      row->compare(context, a, b);
      return;
    }
}

static char *ref_label_section_by_name(const void *data, int of_b, size_t index) {
  const ref_context *context = data;
  return ref_format("%s", (of_b ? context->b : context->a)->sections[index]);
}

/* A section without partner and one of the other file at the same index with the same type and size are taken for one
 * that was renamed. */
static char *ref_label_section_by_shape(const void *data, int of_b, size_t index) {
  const ref_context *context = data;
  const ref_section *section = &(of_b ? context->b : context->a)->cubin->sections[index];
  return ref_format("%zu %x %llx", index, section->type, (unsigned long long)section->size);
}

/* Labels that agree only for sections of the same name, place and size: where a name occurs more than once, these are
 * partners before the first of the one file and the first of the other are. */
static char **ref_label_whole_sections(const ref_cubin *cubin) {
  char **labels = ref_allocate(cubin->section_count, sizeof *labels);
  for (size_t i = 0; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    labels[i] = ref_format("%s %x %llx %llx", section->name, section->type, (unsigned long long)section->offset,
                           (unsigned long long)section->size);
  }
  ref_number_duplicates(labels, cubin->section_count);
  return labels;
}

static void ref_pair_sections(const ref_context *context, ref_pairing *pairing) {
  const ref_cubin *a = context->a->cubin, *b = context->b->cubin;
  char **a_labels = ref_label_whole_sections(a), **b_labels = ref_label_whole_sections(b);
  ref_pair_labels(pairing, a_labels, a->section_count, b_labels, b->section_count);
  ref_pair_rest(pairing, ref_label_section_by_name, context);
  ref_pair_rest(pairing, ref_label_section_by_shape, context);
  ref_free_labels(a_labels, a->section_count);
  ref_free_labels(b_labels, b->section_count);
}

static void ref_count_section_bytes(const ref_context *context, const ref_pairing *pairing) {
  ref_comparison *result = context->result;
  for (size_t i = 0; i < pairing->a_count; i++) {
    const ref_section *left = &context->a->cubin->sections[i];
    const size_t partner = pairing->b_of_a[i];
    const ref_section *right = partner == REF_UNPAIRED ? NULL : &context->b->cubin->sections[partner];
    const uint64_t left_size = left->data ? left->size : 0, right_size = right && right->data ? right->size : 0;
    result->compared_in_sections += left_size > right_size ? left_size : right_size;
    for (uint64_t at = 0; at < left_size && at < right_size; at++)
      result->equal_in_sections += left->data[at] == right->data[at];
  }
  const ref_section *extra = context->b->cubin->sections;
  for (size_t i = 0; extra && i < pairing->b_count; i++)
    if (pairing->a_of_b[i] == REF_UNPAIRED && extra[i].data)
      result->compared_in_sections += extra[i].size;
}

static void ref_compare_cubins(const ref_context *context) {
  ref_pairing pairing;
  ref_pair_sections(context, &pairing);
  ref_compare_header(context->result, context->a->cubin->bytes, context->b->cubin->bytes, false);
  ref_compare_header_references(context);
  ref_report_pairing(context->result, "section", "file", "section", &pairing, context->a->sections,
                     context->b->sections);
  ref_compare_section_headers(context, &pairing);
  for (size_t i = 0; i < pairing.a_count; i++)
    if (pairing.b_of_a[i] != REF_UNPAIRED)
      ref_compare_contents(context, (uint32_t)i, (uint32_t)pairing.b_of_a[i]);
  ref_compare_segments(context);
  ref_compare_padding(context, &pairing);
  ref_count_section_bytes(context, &pairing);
  ref_pair_free(&pairing);
}

/* Differing bytes along one file's map: for files of which only one can be read, and as the last resort that makes sure
 * that different bytes are never passed over in silence. */
static void ref_compare_by_map(ref_comparison *result, const ref_view *map, const ref_compared_file *a,
                               const ref_compared_file *b) {
  const uint8_t *left = a->bytes, *right = b->bytes;
  const uint64_t common = a->size < b->size ? a->size : b->size;
  for (uint64_t at = 0; at < common;) {
    if (left[at] == right[at]) {
      at++;
      continue;
    }
    ref_text words = {0};
    char *key = NULL;
    uint64_t length = 1;
    if (map)
      length = ref_locate(map, at, &key, &words);
    else
      ref_text_add(&words, "the file, 0x%llx bytes from its start", (unsigned long long)at);
    if (length > common - at)
      length = common - at;
    ref_text left_hex = {0}, right_hex = {0};
    ref_text_add_hex(&left_hex, left + at, (size_t)length);
    ref_text_add_hex(&right_hex, right + at, (size_t)length);
    char *where = ref_text_take(&words);
    ref_report(result, key ? key : "file.bytes", where, "bytes", ref_text_take(&left_hex), ref_text_take(&right_hex));
    free(where);
    free(key);
    if (!map)
      return;
    at += length;
  }
}

static void ref_compare_bytes(ref_comparison *result, const ref_compared_file *a, const ref_compared_file *b) {
  const uint8_t *left = a->bytes, *right = b->bytes;
  const size_t common = a->size < b->size ? a->size : b->size;
  *result = (ref_comparison){.size_a = a->size, .size_b = b->size};
  result->compared_in_place = a->size > b->size ? a->size : b->size;
  for (size_t i = 0; i < common; i++)
    result->equal_in_place += left[i] == right[i];
  result->equal = a->size == b->size && result->equal_in_place == a->size;
}

static bool ref_read_file(ref_cubin *cubin, ref_view *view, const ref_compared_file *file, char *error,
                          size_t error_size) {
  char reason[200] = "";
  if (ref_cubin_read(cubin, file->bytes, file->size, reason, sizeof reason)) {
    ref_view_make(view, cubin, file->name);
    return true;
  }
  const size_t used = error_size ? strlen(error) : 0;
  if (used < error_size)
    (void)snprintf(error + used, error_size - used, "%s%s: %s", used ? "; " : "", file->name, reason);
  return false;
}

static void ref_compare_with_inputs(ref_comparison *result, const ref_view *a, const ref_view *b,
                                    const ref_compared_file *inputs, size_t input_count) {
  ref_cubin *cubins = ref_allocate(input_count, sizeof *cubins);
  ref_view *views = ref_allocate(input_count, sizeof *views);
  size_t readable = 0;
  char unused[1] = "";
  for (size_t i = 0; i < input_count; i++)
    readable += ref_read_file(&cubins[readable], &views[readable], &inputs[i], unused, 0);
  const ref_context context = {.result = result, .a = a, .b = b, .inputs = views, .input_count = readable};
  ref_compare_cubins(&context);
  for (size_t i = 0; i < readable; i++) {
    ref_view_free(&views[i]);
    ref_cubin_free(&cubins[i]);
  }
  free(cubins);
  free(views);
}

bool ref_compare_files(ref_comparison *result, const ref_compared_file *a, const ref_compared_file *b,
                       const ref_compared_file *inputs, size_t input_count, char *error, size_t error_size) {
  if (error_size)
    *error = 0;
  ref_compare_bytes(result, a, b);
  if (result->equal)
    return true;
  ref_cubin left = {0}, right = {0};
  ref_view left_view = {0}, right_view = {0};
  const bool left_good = ref_read_file(&left, &left_view, a, error, error_size);
  const bool right_good = ref_read_file(&right, &right_view, b, error, error_size);
  if (left_good && right_good)
    ref_compare_with_inputs(result, &left_view, &right_view, inputs, input_count);
  else if (!left_good && !right_good && a->size >= HEADER_BYTES && b->size >= HEADER_BYTES)
    ref_compare_header(result, a->bytes, b->bytes, true);
  if (!left_good || !right_good || result->count == 0)
    ref_compare_by_map(result, left_good ? &left_view : right_good ? &right_view : NULL, a, b);
  if (a->size != b->size) {
    void (*report)(ref_comparison *, const char *, const char *, const char *, char *, char *) =
        result->causes ? ref_report_follows : ref_report;
    report(result, "file.size", "file", "size", ref_format("%zu bytes", a->size), ref_format("%zu bytes", b->size));
  }
  ref_view_free(&left_view);
  ref_view_free(&right_view);
  ref_cubin_free(&left);
  ref_cubin_free(&right);
  return left_good && right_good;
}

void ref_comparison_free(ref_comparison *result) {
  for (size_t i = 0; i < result->count; i++) {
    free(result->differences[i].key);
    free(result->differences[i].where);
    free(result->differences[i].what);
    free(result->differences[i].a);
    free(result->differences[i].b);
  }
  free(result->differences);
  *result = (ref_comparison){0};
}

char *ref_difference_text(const ref_difference *difference, const char *a, const char *b) {
  ref_text text = {0};
  ref_text_add(&text, "%-24s %s: %s", difference->key, difference->where, difference->what);
  if (difference->a && difference->b)
    ref_text_add(&text, " is %s in %s, %s in %s", difference->a, a, difference->b, b);
  else
    ref_text_add(&text, " only in %s: %s", difference->a ? a : b, difference->a ? difference->a : difference->b);
  ref_text_add(&text, "%s", difference->follows ? " (follows)" : "");
  return ref_text_take(&text);
}

void ref_difference_print(FILE *to, const ref_difference *difference) {
  char *const text = ref_difference_text(difference, "A", "B");
  fputs(text, to);
  free(text);
}
