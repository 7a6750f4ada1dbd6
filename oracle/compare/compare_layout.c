/* Where things lie: the ELF header, section headers, padding and program headers of two cubins, and what a file offset
 * belongs to.
 *
 * Offsets say little by themselves: behind one section that grew, all others move. So an offset that is just what the
 * layout rule gives in its own file (W1.3: the end of the section before, aligned) is marked as following; an offset
 * that breaks the rule in one of the files is a difference of its own. Indices are compared by the label they lead to.
 * Rules: F1-F11, F45, W1.1-W1.8. */
#include "ref_compare_parts.h"
#include "ref_names.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 64, SECTION_BYTES = 64, SEGMENT_BYTES = 56, SYMBOL_BYTES = 24 };

/* Header fields that ref_compare_header_references says in words. */
static bool ref_header_field_is_reference(const char *key) {
  static const char *const keys[] = {"flags", "segment_offset", "section_offset", "section_count", "name_section"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(key, keys[i]) == 0)
      return true;
  return false;
}

void ref_compare_header(ref_comparison *result, const uint8_t *a, const uint8_t *b, bool references) {
  for (const ref_record_field *field = ref_header_fields; field->width; field++) {
    if (!references && ref_header_field_is_reference(field->key))
      continue;
    char *key = ref_format("header.%s", field->key);
    const uint64_t left = ref_read_field(a + field->offset, field->width);
    const uint64_t right = ref_read_field(b + field->offset, field->width);
    ref_report_numbers(result, key, "ELF header", field->words, left, right);
    free(key);
  }
}

/* F7, F10: the parts of e_flags; the note's index by the section it leads to. */
static void ref_add_file_flags(ref_text *text, const ref_view *view) {
  const uint32_t flags = view->cubin->flags;
  ref_text_add(text, "sm_%u, kind 0x%02x, bits 16-23 0x%02x, note in section ", flags >> 8 & 0xff, flags & 0xff,
               flags >> 16 & 0xff);
  ref_add_section_label(text, view, flags >> 24);
}

static uint64_t ref_align_up(uint64_t value, uint64_t align) {
  return align > 1 ? (value + align - 1) / align * align : value;
}

/* The file offset behind the bytes of the section before `section`, W1.3. */
static uint64_t ref_end_before(const ref_cubin *cubin, size_t section) {
  uint64_t end = HEADER_BYTES;
  if (section > 1) {
    const ref_section *before = &cubin->sections[section - 1];
    end = before->offset + (before->data ? before->size : 0);
  }
  return end;
}

static bool ref_section_offset_is_natural(const ref_cubin *cubin, size_t section) {
  const ref_section *header = &cubin->sections[section];
  return section > 0 && header->offset == ref_align_up(ref_end_before(cubin, section), header->align);
}

static bool ref_section_table_is_natural(const ref_cubin *cubin) {
  return cubin->section_offset == ref_align_up(ref_end_before(cubin, cubin->section_count), 8);
}

static bool ref_segment_table_is_natural(const ref_cubin *cubin) {
  return cubin->segment_offset ==
         (cubin->segment_count ? cubin->section_offset + cubin->section_count * (uint64_t)SECTION_BYTES : 0);
}

static void ref_report_offsets(ref_comparison *result, bool follows, const char *key, const char *where,
                               const char *what, uint64_t a, uint64_t b) {
  if (a == b)
    return;
  char *left = ref_format("0x%llx", (unsigned long long)a), *right = ref_format("0x%llx", (unsigned long long)b);
  if (follows)
    ref_report_follows(result, key, where, what, left, right);
  else
    ref_report(result, key, where, what, left, right);
}

void ref_compare_header_references(const ref_context *context) {
  const ref_cubin *a = context->a->cubin, *b = context->b->cubin;
  ref_text left = {0}, right = {0};
  ref_add_file_flags(&left, context->a);
  ref_add_file_flags(&right, context->b);
  ref_report_texts(context->result, "header.flags", "ELF header", "e_flags", &left, &right);
  ref_report_offsets(context->result, ref_section_table_is_natural(a) && ref_section_table_is_natural(b),
                     "header.section_offset", "ELF header", "e_shoff", a->section_offset, b->section_offset);
  const bool segments_follow = ref_segment_table_is_natural(a) && ref_segment_table_is_natural(b);
  ref_report_offsets(context->result, segments_follow, "header.segment_offset", "ELF header", "e_phoff",
                     a->segment_offset, b->segment_offset);
  ref_report_offsets(context->result, segments_follow && a->segment_count && b->segment_count, "header.section_count",
                     "ELF header", "e_shnum", ref_u16(a->bytes + 60), ref_u16(b->bytes + 60));
  ref_add_section_label(&left, context->a, ref_u16(a->bytes + 62));
  ref_add_section_label(&right, context->b, ref_u16(b->bytes + 62));
  ref_report_texts(context->result, "header.name_section", "ELF header", "e_shstrndx", &left, &right);
}

/* One field of a section header in words. */
static void ref_add_section_field(ref_text *text, const ref_view *view, uint32_t index, const char *key,
                                  uint64_t number) {
  if (strcmp(key, "type") == 0)
    ref_add_section_type(text, (uint32_t)number);
  else if (strcmp(key, "flags") == 0)
    ref_add_section_flags(text, number);
  else if (strcmp(key, "link") == 0)
    ref_add_section_link(text, view, index);
  else if (strcmp(key, "info") == 0)
    ref_add_section_info(text, view, index);
  else
    ref_text_add(text, "0x%llx", (unsigned long long)number);
}

static bool ref_tables_are_equal(const ref_cubin *a, uint32_t a_table, const ref_cubin *b, uint32_t b_table) {
  if (a_table >= a->section_count || b_table >= b->section_count)
    return false;
  const ref_section *left = &a->sections[a_table], *right = &b->sections[b_table];
  return left->data && right->data && left->size == right->size &&
         memcmp(left->data, right->data, (size_t)left->size) == 0;
}

/* A name's offset differs on its own account only if the name tables are the same. */
static void ref_compare_section_name(const ref_context *context, uint32_t a, uint32_t b, const char *where) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  if (strcmp(left->name, right->name) != 0)
    ref_report(context->result, "section.name", where, "name", ref_format("'%s'", context->a->sections[a]),
               ref_format("'%s'", context->b->sections[b]));
  else if (ref_tables_are_equal(context->a->cubin, context->a->cubin->section_name_index, context->b->cubin,
                                context->b->cubin->section_name_index))
    ref_report_numbers(context->result, "section.name", where, "sh_name", left->name_offset, right->name_offset);
}

static void ref_compare_section_header(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_cubin *left = context->a->cubin, *right = context->b->cubin;
  const uint8_t *left_at = left->bytes + left->section_offset + (uint64_t)a * SECTION_BYTES;
  const uint8_t *right_at = right->bytes + right->section_offset + (uint64_t)b * SECTION_BYTES;
  char *where = ref_format("section %s", context->a->sections[a]);
  ref_compare_section_name(context, a, b, where);
  for (const ref_record_field *field = ref_section_fields + 1; field->width; field++) {
    const uint64_t left_number = ref_read_field(left_at + field->offset, field->width);
    const uint64_t right_number = ref_read_field(right_at + field->offset, field->width);
    char *key = ref_format("section.%s", field->key);
    if (strcmp(field->key, "offset") == 0)
      ref_report_offsets(context->result,
                         ref_section_offset_is_natural(left, a) && ref_section_offset_is_natural(right, b), key, where,
                         field->words, left_number, right_number);
    else {
      ref_text left_words = {0}, right_words = {0};
      ref_add_section_field(&left_words, context->a, a, field->key, left_number);
      ref_add_section_field(&right_words, context->b, b, field->key, right_number);
      ref_report_texts(context->result, key, where, field->words, &left_words, &right_words);
    }
    free(key);
  }
  free(where);
}

void ref_compare_section_headers(const ref_context *context, const ref_pairing *pairing) {
  for (size_t i = 0; i < pairing->a_count; i++)
    if (pairing->b_of_a[i] != REF_UNPAIRED)
      ref_compare_section_header(context, (uint32_t)i, (uint32_t)pairing->b_of_a[i]);
}

/* The bytes between two tables of the file; `label` says what stands behind them. */
static void ref_compare_gap(const ref_context *context, uint64_t a_from, uint64_t a_to, uint64_t b_from, uint64_t b_to,
                            const char *label) {
  const ref_cubin *a = context->a->cubin, *b = context->b->cubin;
  if (a_to < a_from || b_to < b_from || a_to > a->size || b_to > b->size)
    return;
  const uint64_t a_size = a_to - a_from, b_size = b_to - b_from, common = a_size < b_size ? a_size : b_size;
  uint64_t first = 0;
  while (first < common && a->bytes[a_from + first] == b->bytes[b_from + first])
    first++;
  if (first == common)
    return;
  ref_text left = {0}, right = {0};
  ref_text_add_hex(&left, a->bytes + a_from + first, (size_t)(common - first));
  ref_text_add_hex(&right, b->bytes + b_from + first, (size_t)(common - first));
  char *what = ref_format("padding, %llu bytes in", (unsigned long long)first);
  char *where = ref_format("padding before %s", label);
  ref_report(context->result, "file.padding", where, what, ref_text_take(&left), ref_text_take(&right));
  free(where);
  free(what);
}

static uint64_t ref_end_of_tables(const ref_cubin *cubin) {
  const uint64_t sections = cubin->section_offset + cubin->section_count * (uint64_t)SECTION_BYTES;
  const uint64_t segments = cubin->segment_offset + cubin->segment_count * (uint64_t)SEGMENT_BYTES;
  return segments > sections ? segments : sections;
}

void ref_compare_padding(const ref_context *context, const ref_pairing *pairing) {
  const ref_cubin *a = context->a->cubin, *b = context->b->cubin;
  for (size_t i = 1; i < pairing->a_count; i++) {
    const size_t partner = pairing->b_of_a[i];
    if (partner == REF_UNPAIRED || partner == 0)
      continue;
    ref_compare_gap(context, ref_end_before(a, i), a->sections[i].offset, ref_end_before(b, partner),
                    b->sections[partner].offset, context->a->sections[i]);
  }
  ref_compare_gap(context, ref_end_before(a, a->section_count), a->section_offset, ref_end_before(b, b->section_count),
                  b->section_offset, "the section headers");
  const uint64_t a_sections_end = a->section_offset + a->section_count * (uint64_t)SECTION_BYTES;
  const uint64_t b_sections_end = b->section_offset + b->section_count * (uint64_t)SECTION_BYTES;
  ref_compare_gap(context, a_sections_end, a->segment_offset, b_sections_end, b->segment_offset, "the program headers");
  const uint64_t a_end = ref_end_of_tables(a), b_end = ref_end_of_tables(b);
  ref_compare_gap(context, a_end, a->size, b_end, b->size, "the end of the file");
  if (a->size - a_end != b->size - b_end)
    ref_report_numbers(context->result, "file.trailing", "file", "number of bytes behind all tables", a->size - a_end,
                       b->size - b_end);
}

/* The section that starts at that file offset and has bytes, or the table. */
static void ref_add_segment_start(ref_text *text, const ref_view *view, uint64_t offset) {
  const ref_cubin *cubin = view->cubin;
  if (offset == cubin->segment_offset && cubin->segment_count) {
    ref_text_add(text, "the program headers");
    return;
  }
  for (size_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].offset == offset && (cubin->sections[i].data || cubin->sections[i].size)) {
      ref_text_add(text, "section %s", view->sections[i]);
      return;
    }
  ref_text_add(text, "no section");
}

static void ref_add_segment_field(ref_text *text, const char *key, uint64_t number) {
  if (strcmp(key, "type") == 0)
    ref_add_segment_type(text, (uint32_t)number);
  else if (strcmp(key, "flags") == 0)
    ref_add_segment_flags(text, (uint32_t)number);
  else
    ref_text_add(text, "0x%llx", (unsigned long long)number);
}

static char *ref_make_segment_label(const ref_view *view, size_t index) {
  const ref_segment *segment = &view->cubin->segments[index];
  ref_text text = {0};
  ref_text_add(&text, "program header %zu (", index);
  ref_add_segment_type(&text, segment->type);
  ref_text_add(&text, " ");
  ref_add_segment_flags(&text, segment->flags);
  ref_text_add(&text, " from ");
  ref_add_segment_start(&text, view, segment->offset);
  ref_text_add(&text, ")");
  return ref_text_take(&text);
}

static void ref_compare_segment(const ref_context *context, size_t index) {
  const ref_cubin *a = context->a->cubin, *b = context->b->cubin;
  const uint8_t *left_at = a->bytes + a->segment_offset + index * SEGMENT_BYTES;
  const uint8_t *right_at = b->bytes + b->segment_offset + index * SEGMENT_BYTES;
  char *where = ref_make_segment_label(context->a, index);
  for (const ref_record_field *field = ref_segment_fields; field->width; field++) {
    const uint64_t left = ref_read_field(left_at + field->offset, field->width);
    const uint64_t right = ref_read_field(right_at + field->offset, field->width);
    char *key = ref_format("segment.%s", field->key);
    ref_text left_words = {0}, right_words = {0};
    if (strcmp(field->key, "offset") == 0) {
      ref_add_segment_start(&left_words, context->a, left);
      ref_add_segment_start(&right_words, context->b, right);
      const bool same_start = !ref_report_texts(context->result, key, where, field->words, &left_words, &right_words);
      if (same_start)
        ref_report_offsets(context->result, true, key, where, field->words, left, right);
    } else {
      ref_add_segment_field(&left_words, field->key, left);
      ref_add_segment_field(&right_words, field->key, right);
      ref_report_texts(context->result, key, where, field->words, &left_words, &right_words);
    }
    free(key);
  }
  free(where);
}

void ref_compare_segments(const ref_context *context) {
  const size_t a_count = context->a->cubin->segment_count, b_count = context->b->cubin->segment_count;
  for (size_t i = 0; i < a_count || i < b_count; i++) {
    if (i < a_count && i < b_count)
      ref_compare_segment(context, i);
    else if (i < a_count)
      ref_report(context->result, "segment.missing", "file", "segment", ref_make_segment_label(context->a, i), NULL);
    else
      ref_report(context->result, "segment.extra", "file", "segment", NULL, ref_make_segment_label(context->b, i));
  }
}

/* The field of a record that offset `at` lies in; NULL when none does. */
static const ref_record_field *ref_find_field(const ref_record_field *fields, uint64_t at) {
  for (; fields->width; fields++)
    if (at >= fields->offset && at < (uint64_t)fields->offset + fields->width)
      return fields;
  return NULL;
}

static uint64_t ref_locate_in_record(const ref_record_field *fields, uint64_t at, const char *prefix, char **key,
                                     ref_text *words, const char *record) {
  const ref_record_field *field = ref_find_field(fields, at);
  *key = ref_format("%s.%s", prefix, field ? field->key : "bytes");
  ref_text_add(words, "%s, field %s", record, field ? field->words : "unknown");
  return field ? field->offset + field->width - at : 1;
}

static uint64_t ref_locate_in_section(const ref_view *view, size_t index, uint64_t at, char **key, ref_text *words) {
  const ref_section *section = &view->cubin->sections[index];
  if (index == view->cubin->symbol_section && at / SYMBOL_BYTES < view->cubin->symbol_count) {
    char *record = ref_format("symbol %s", view->symbols[at / SYMBOL_BYTES]);
    const uint64_t rest = ref_locate_in_record(ref_symbol_fields, at % SYMBOL_BYTES, "symtab", key, words, record);
    free(record);
    return rest;
  }
  *key = ref_format("section.bytes");
  ref_text_add(words, "section %s, ", view->sections[index]);
  ref_add_place(words, view, (uint32_t)index, at);
  return section->size - at;
}

uint64_t ref_locate(const ref_view *view, uint64_t offset, char **key, ref_text *words) {
  const ref_cubin *cubin = view->cubin;
  if (offset < HEADER_BYTES)
    return ref_locate_in_record(ref_header_fields, offset, "header", key, words, "ELF header");
  const uint64_t in_sections = offset - cubin->section_offset, in_segments = offset - cubin->segment_offset;
  if (offset >= cubin->section_offset && in_sections / SECTION_BYTES < cubin->section_count) {
    char *record = ref_format("header of section %s", view->sections[in_sections / SECTION_BYTES]);
    const uint64_t rest =
        ref_locate_in_record(ref_section_fields, in_sections % SECTION_BYTES, "section", key, words, record);
    free(record);
    return rest;
  }
  if (offset >= cubin->segment_offset && in_segments / SEGMENT_BYTES < cubin->segment_count) {
    char *record = ref_make_segment_label(view, (size_t)(in_segments / SEGMENT_BYTES));
    const uint64_t rest =
        ref_locate_in_record(ref_segment_fields, in_segments % SEGMENT_BYTES, "segment", key, words, record);
    free(record);
    return rest;
  }
  for (size_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->data && offset >= section->offset && offset - section->offset < section->size)
      return ref_locate_in_section(view, i, offset - section->offset, key, words);
  }
  *key = ref_format("file.padding");
  ref_text_add(words, "padding, 0x%llx bytes from the file's start", (unsigned long long)offset);
  return 1;
}
