/* Code and data bytes of two cubins: which instruction or variable a differing byte belongs to.
 *
 * Code is compared an instruction (16 bytes) at a time, and the differing bits are looked up in the relocations that the
 * link had at that place: those still in A and B and, when the linked inputs are given, those of the inputs, which is
 * where applied relocations are found (a text section comes from one function, so its offsets stay, W3.1). Data is
 * compared in runs of bytes. Rules: R2-R9a, W9, W10. */
#include "ref_compare_parts.h"
#include "ref_names.h"

#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_BYTES = 16, RUNS_SHOWN = 1000, EQUAL_BYTES_BRIDGED = 8 };

/* Difference keys of data sections by name; the last row is for all others. */
typedef struct ref_data_row {
  const char *prefix, *key;
} ref_data_row;

static const ref_data_row data_rows[] = {
    {".nv.constant", "constant.bytes"},
    {".nv.global", "global.bytes"},
    {".debug", "debug.bytes"},
    {".nv_debug", "debug.bytes"},
    {".nv.rel.action", "relaction.bytes"},
    {".nv.uft", "uft.bytes"},
    {".nv.udt", "udt.bytes"},
    {"", "section.bytes"},
};

/* Which of the 128 bits differ, as ranges. */
static void ref_add_bit_ranges(ref_text *text, const uint8_t *differing) {
  const char *between = "";
  for (unsigned bit = 0; bit < 8 * INSTRUCTION_BYTES; bit++) {
    if (!(differing[bit / 8] >> bit % 8 & 1))
      continue;
    const unsigned first = bit;
    while (bit + 1 < 8 * INSTRUCTION_BYTES && differing[(bit + 1) / 8] >> (bit + 1) % 8 & 1)
      bit++;
    ref_text_add(text, "%s%u", between, first);
    if (bit > first)
      ref_text_add(text, "-%u", bit);
    between = ", ";
  }
}

/* Whether a field of that relocation, which starts `shift` bits behind the instruction, has a differing bit. */
static bool ref_field_covers(const ref_relocation_row *row, int64_t shift, const uint8_t *differing) {
  for (size_t i = 0; i < REF_FIELDS_MAX && row->fields[i].width; i++)
    for (int64_t bit = shift + row->fields[i].start; bit < shift + row->fields[i].start + row->fields[i].width; bit++)
      if (bit >= 0 && bit < 8 * INSTRUCTION_BYTES && differing[bit / 8] >> bit % 8 & 1)
        return true;
  return false;
}

/* Where a walk over all relocations of one section stands; starts as {0}. */
typedef struct ref_cursor {
  uint32_t section; /* of relocations */
  size_t index;     /* of the next entry there */
} ref_cursor;

static bool ref_next_relocation(const ref_cubin *cubin, uint32_t target, ref_cursor *cursor, ref_relocation *entry) {
  for (; cursor->section < cubin->section_count; cursor->section++, cursor->index = 0) {
    const ref_section *section = &cubin->sections[cursor->section];
    if (!ref_section_is_relocation(section) || section->info != target)
      continue;
    if (cursor->index >= ref_cubin_relocation_count(cubin, cursor->section))
      continue;
    *entry = ref_cubin_relocation(cubin, cursor->section, cursor->index++);
    return true;
  }
  return false;
}

/* Adds the relocations of one file against that section whose field covers a differing bit. */
static bool ref_add_covering(ref_text *text, const ref_view *view, uint32_t target, uint64_t instruction,
                             const uint8_t *differing, const char *origin, uint32_t *type) {
  ref_cursor cursor = {0};
  ref_relocation entry;
  bool found = false;
  while (ref_next_relocation(view->cubin, target, &cursor, &entry)) {
    const ref_relocation_row *row = ref_find_relocation_row(entry.type);
    if (!row || entry.offset + 8 <= instruction || entry.offset >= instruction + INSTRUCTION_BYTES)
      continue;
    if (!ref_field_covers(row, ((int64_t)entry.offset - (int64_t)instruction) * 8, differing))
      continue;
    ref_text_add(text, "; in the field of ");
    ref_add_relocation(text, view, cursor.section, &entry);
    ref_text_add(text, " (%s)", origin);
    found = true;
    *type = entry.type;
  }
  return found;
}

static bool ref_add_covering_of_all(ref_text *text, const ref_context *context, uint32_t a, uint32_t b,
                                    uint64_t instruction, const uint8_t *differing, uint32_t *type) {
  bool found = ref_add_covering(text, context->a, a, instruction, differing, "kept in A", type);
  if (!found)
    found = ref_add_covering(text, context->b, b, instruction, differing, "kept in B", type);
  for (size_t i = 0; i < context->input_count; i++) {
    const ref_view *input = &context->inputs[i];
    const uint32_t target = ref_view_find_section(input, context->a->sections[a]);
    if (target != REF_NO_INDEX)
      found |= ref_add_covering(text, input, target, instruction, differing, input->file, type);
  }
  return found;
}

static char *ref_make_instruction(const uint8_t *at, uint64_t size) {
  uint8_t bytes[INSTRUCTION_BYTES] = {0};
  memcpy(bytes, at, size < INSTRUCTION_BYTES ? (size_t)size : INSTRUCTION_BYTES);
  return ref_format("%016llx %016llx", (unsigned long long)ref_u64(bytes + 8), (unsigned long long)ref_u64(bytes));
}

static void ref_report_instruction(const ref_context *context, uint32_t a, uint32_t b, uint64_t at, uint64_t size) {
  const uint8_t *left = context->a->cubin->sections[a].data + at, *right = context->b->cubin->sections[b].data + at;
  uint8_t differing[INSTRUCTION_BYTES] = {0};
  for (uint64_t i = 0; i < size; i++)
    differing[i] = left[i] ^ right[i];
  ref_text where = {0}, what = {0};
  ref_text_add(&where, "function ");
  ref_add_place(&where, context->a, a, at);
  ref_text_add(&what, "instruction (bits ");
  ref_add_bit_ranges(&what, differing);
  ref_text_add(&what, " differ");
  ref_code_pair code = {.size = (unsigned)size, .flags = context->a->cubin->flags, .relocation = REF_NO_TYPE};
  memcpy(code.a, left, (size_t)size);
  memcpy(code.b, right, (size_t)size);
  const bool covered = ref_add_covering_of_all(&what, context, a, b, at, differing, &code.relocation);
  ref_text_add(&what, ")");
  char *where_words = ref_text_take(&where), *what_words = ref_text_take(&what);
  ref_report(context->result, covered ? "text.field" : "text.bits", where_words, what_words,
             ref_make_instruction(left, size), ref_make_instruction(right, size));
  context->result->differences[context->result->count - 1].code = code;
  free(where_words);
  free(what_words);
}

void ref_compare_text(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  const uint64_t common = left->size < right->size ? left->size : right->size;
  for (uint64_t at = 0; at < common; at += INSTRUCTION_BYTES) {
    const uint64_t size = common - at < INSTRUCTION_BYTES ? common - at : INSTRUCTION_BYTES;
    if (memcmp(left->data + at, right->data + at, (size_t)size) != 0)
      ref_report_instruction(context, a, b, at, size);
  }
}

/* Debug sections have no symbols of their own; the relocation before a byte says whose lines or frames it belongs to. */
static void ref_add_nearest_relocation(ref_text *text, const ref_view *view, uint32_t target, uint64_t at) {
  ref_cursor cursor = {0};
  ref_relocation entry, nearest = {0};
  bool found = false;
  while (ref_next_relocation(view->cubin, target, &cursor, &entry))
    if (entry.offset <= at && (!found || entry.offset > nearest.offset)) {
      nearest = entry;
      found = true;
    }
  if (!found)
    return;
  ref_text_add(text, " (0x%llx bytes behind the field for ", (unsigned long long)(at - nearest.offset));
  ref_add_symbol_label(text, view, nearest.symbol);
  ref_text_add(text, ")");
}

static void ref_report_run(const ref_context *context, uint32_t a, uint32_t b, uint64_t from, uint64_t to,
                           const char *key) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  ref_text where = {0}, what = {0}, x = {0}, y = {0};
  ref_text_add(&where, "section %s, ", context->a->sections[a]);
  ref_add_place(&where, context->a, a, from);
  if (strcmp(key, "debug.bytes") == 0)
    ref_add_nearest_relocation(&where, context->a, a, from);
  ref_text_add(&what, "%s", to - from == 1 ? "byte" : "bytes");
  ref_text_add_hex(&x, left->data + from, (size_t)(to - from));
  ref_text_add_hex(&y, right->data + from, (size_t)(to - from));
  char *where_words = ref_text_take(&where), *what_words = ref_text_take(&what);
  ref_report(context->result, key, where_words, what_words, ref_text_take(&x), ref_text_take(&y));
  free(where_words);
  free(what_words);
}

void ref_compare_data(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  const uint64_t common = left->size < right->size ? left->size : right->size;
  const ref_data_row *row = data_rows;
  while (!ref_section_has_name(left, row->prefix))
    row++;
  size_t runs = 0;
  for (uint64_t at = 0; at < common; at++) {
    if (left->data[at] == right->data[at])
      continue;
    const uint64_t from = at;
    uint64_t end = at + 1;
    /* Two contents that have nothing in common make runs without end; the last one shown then stands for all. */
    const bool last = ++runs == RUNS_SHOWN;
    for (; at < common && (last || at < end + EQUAL_BYTES_BRIDGED); at++)
      if (left->data[at] != right->data[at])
        end = at + 1;
    ref_report_run(context, a, b, from, end, row->key);
    at = end;
  }
}
