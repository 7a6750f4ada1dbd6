/* String tables, symbol tables and relocation sections of two cubins.
 *
 * Entries are matched in steps, the finest label first: a relocation that is the same in everything, then one at the
 * same offset, then one of the same type, symbol and addend elsewhere. So a changed field is reported as that field, and
 * "missing" and "extra" are left for what really has no counterpart. Rules: W2.1-W2.6, W4.1-W4.6, R33-R37, F50-F58. */
#include "ref_compare_parts.h"
#include "ref_names.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOL_BYTES = 24, REL_BYTES = 16, RELA_BYTES = 24, TYPE_REL = 9, TYPE_RELA = 4, SYMBOL_FUNCTION = 2 };

void ref_report_rest(ref_comparison *result, const char *key, const char *where, const ref_section *a, uint64_t a_from,
                     const ref_section *b, uint64_t b_from) {
  ref_text left = {0}, right = {0};
  if (a_from < a->size)
    ref_text_add_hex(&left, a->data + a_from, (size_t)(a->size - a_from));
  if (b_from < b->size)
    ref_text_add_hex(&right, b->data + b_from, (size_t)(b->size - b_from));
  ref_report_texts(result, key, where, "bytes behind the last whole record", &left, &right);
}

/* The strings of a table as labels; the caller frees them. */
static char **ref_split_strings(const ref_section *section, size_t *count) {
  size_t strings = 0;
  for (uint64_t i = 0; i < section->size; i++)
    strings += section->data[i] == 0 || i + 1 == section->size;
  char **labels = ref_allocate(strings, sizeof *labels);
  *count = 0;
  for (uint64_t from = 0, i = 0; i < section->size; i++) {
    const bool ends = section->data[i] == 0;
    if (!ends && i + 1 < section->size)
      continue;
    ref_text text = {0};
    ref_text_add(&text, "'");
    ref_text_add_bytes_as_name(&text, section->data + from, (size_t)(i - from + !ends));
    ref_text_add(&text, "'%s", ends ? "" : " without end");
    labels[(*count)++] = ref_text_take(&text);
    from = i + 1;
  }
  return labels;
}

void ref_compare_strings(const ref_context *context, uint32_t a, uint32_t b) {
  const char *label = context->a->sections[a];
  size_t a_count, b_count;
  char **left = ref_split_strings(&context->a->cubin->sections[a], &a_count);
  char **right = ref_split_strings(&context->b->cubin->sections[b], &b_count);
  ref_number_duplicates(left, a_count);
  ref_number_duplicates(right, b_count);
  ref_pairing pairing;
  ref_pair_labels(&pairing, left, a_count, right, b_count);
  char *where = ref_format("string table %s", label);
  ref_report_pairing(context->result, *label == '.' ? label + 1 : "strings", where, "string", &pairing, left, right);
  ref_pair_free(&pairing);
  free(where);
  ref_free_labels(left, a_count);
  ref_free_labels(right, b_count);
}

static char *ref_label_symbol_by_name(const void *data, int of_b, size_t index) {
  const ref_context *context = data;
  return ref_format("%s", (of_b ? context->b : context->a)->symbols[index]);
}

static char *ref_label_symbol_by_shape(const void *data, int of_b, size_t index) {
  const ref_context *context = data;
  const ref_symbol *symbol = &(of_b ? context->b : context->a)->cubin->symbols[index];
  return ref_format("%zu %llx %llx", index, (unsigned long long)symbol->value, (unsigned long long)symbol->size);
}

/* Labels that agree only for symbols that are the same in everything. */
static char **ref_label_whole_symbols(const ref_view *view) {
  const ref_cubin *cubin = view->cubin;
  char **labels = ref_allocate(cubin->symbol_count, sizeof *labels);
  for (size_t i = 0; i < cubin->symbol_count; i++) {
    const ref_symbol *symbol = &cubin->symbols[i];
    ref_text text = {0};
    ref_text_add(&text, "%s %x %x %llx %llx ", symbol->name, symbol->info, symbol->other,
                 (unsigned long long)symbol->value, (unsigned long long)symbol->size);
    ref_add_symbol_section(&text, view, symbol);
    labels[i] = ref_text_take(&text);
  }
  ref_number_duplicates(labels, cubin->symbol_count);
  return labels;
}

static bool ref_string_tables_are_equal(const ref_cubin *a, const ref_cubin *b) {
  const ref_section *left = &a->sections[a->string_section], *right = &b->sections[b->string_section];
  return left->data && right->data && left->size == right->size &&
         memcmp(left->data, right->data, (size_t)left->size) == 0;
}

static void ref_compare_symbol_name(const ref_context *context, size_t a, size_t b, const char *where) {
  const ref_symbol *left = &context->a->cubin->symbols[a], *right = &context->b->cubin->symbols[b];
  if (strcmp(left->name, right->name) != 0)
    ref_report(context->result, "symtab.name", where, "name", ref_format("%s", context->a->symbols[a]),
               ref_format("%s", context->b->symbols[b]));
  else if (ref_string_tables_are_equal(context->a->cubin, context->b->cubin))
    ref_report_numbers(context->result, "symtab.name", where, "st_name", left->name_offset, right->name_offset);
}

static void ref_compare_symbol(const ref_context *context, size_t a, size_t b) {
  const ref_symbol *left = &context->a->cubin->symbols[a], *right = &context->b->cubin->symbols[b];
  char *where = ref_format("%s%s", (left->info & 15) == 3 || a == 0 ? "" : "symbol ", context->a->symbols[a]);
  ref_comparison *result = context->result;
  ref_text x = {0}, y = {0};
  ref_compare_symbol_name(context, a, b, where);
  ref_add_binding(&x, left->info);
  ref_add_binding(&y, right->info);
  ref_report_texts(result, "symtab.binding", where, "binding", &x, &y);
  ref_add_symbol_type(&x, left->info);
  ref_add_symbol_type(&y, right->info);
  ref_report_texts(result, "symtab.type", where, "type", &x, &y);
  ref_add_symbol_other(&x, left->other, (left->info & 15) == SYMBOL_FUNCTION);
  ref_add_symbol_other(&y, right->other, (right->info & 15) == SYMBOL_FUNCTION);
  ref_report_texts(result, "symtab.other", where, "st_other", &x, &y);
  ref_add_symbol_section(&x, context->a, left);
  ref_add_symbol_section(&y, context->b, right);
  ref_report_texts(result, "symtab.section", where, "section", &x, &y);
  ref_report_numbers(result, "symtab.value", where, "value", left->value, right->value);
  ref_report_numbers(result, "symtab.size", where, "size", left->size, right->size);
  free(where);
}

void ref_compare_symbols(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_cubin *left = context->a->cubin, *right = context->b->cubin;
  if (a != left->symbol_section || b != right->symbol_section) {
    ref_compare_data(context, a, b);
    return;
  }
  ref_pairing pairing;
  char **a_labels = ref_label_whole_symbols(context->a), **b_labels = ref_label_whole_symbols(context->b);
  ref_pair_labels(&pairing, a_labels, left->symbol_count, b_labels, right->symbol_count);
  ref_pair_rest(&pairing, ref_label_symbol_by_name, context);
  ref_pair_rest(&pairing, ref_label_symbol_by_shape, context);
  ref_free_labels(a_labels, left->symbol_count);
  ref_free_labels(b_labels, right->symbol_count);
  ref_report_pairing(context->result, "symtab", ".symtab", "symbol", &pairing, context->a->symbols,
                     context->b->symbols);
  for (size_t i = 0; i < pairing.a_count; i++)
    if (pairing.b_of_a[i] != REF_UNPAIRED)
      ref_compare_symbol(context, i, pairing.b_of_a[i]);
  ref_report_rest(context->result, "symtab.rest", ".symtab", &left->sections[a], left->symbol_count * SYMBOL_BYTES,
                  &right->sections[b], right->symbol_count * SYMBOL_BYTES);
  ref_pair_free(&pairing);
}

bool ref_section_is_relocation(const ref_section *section) {
  return section->type == TYPE_RELA || section->type == TYPE_REL || section->type == 0x70000003 ||
         section->type == 0x70000082 || section->type == 0x70000088;
}

void ref_add_relocation(ref_text *text, const ref_view *view, uint32_t section, const ref_relocation *relocation) {
  ref_add_relocation_type(text, relocation->type);
  ref_text_add(text, " at ");
  ref_add_place(text, view, view->cubin->sections[section].info, relocation->offset);
  ref_text_add(text, " against ");
  ref_add_symbol_label(text, view, relocation->symbol);
  if (view->cubin->sections[section].type != TYPE_REL)
    ref_text_add(
        text, " %c 0x%llx", relocation->addend < 0 ? '-' : '+',
        (unsigned long long)(relocation->addend < 0 ? 0 - (uint64_t)relocation->addend : (uint64_t)relocation->addend));
}

/* Two relocation sections; what the label functions need. */
typedef struct ref_relocation_pair {
  const ref_view *views[2];
  uint32_t sections[2];
} ref_relocation_pair;

static char *ref_label_relocation_by_offset(const void *data, int of_b, size_t index) {
  const ref_relocation_pair *pair = data;
  const ref_relocation entry = ref_cubin_relocation(pair->views[of_b]->cubin, pair->sections[of_b], index);
  return ref_format("%llx", (unsigned long long)entry.offset);
}

static char *ref_label_relocation_by_rest(const void *data, int of_b, size_t index) {
  const ref_relocation_pair *pair = data;
  const ref_relocation entry = ref_cubin_relocation(pair->views[of_b]->cubin, pair->sections[of_b], index);
  ref_text text = {0};
  ref_add_symbol_label(&text, pair->views[of_b], entry.symbol);
  ref_text_add(&text, " %x %llx", entry.type, (unsigned long long)entry.addend);
  return ref_text_take(&text);
}

static char **ref_label_relocations(const ref_view *view, uint32_t section, size_t count) {
  char **labels = ref_allocate(count, sizeof *labels);
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_relocation(view->cubin, section, i);
    ref_text text = {0};
    ref_add_relocation(&text, view, section, &entry);
    labels[i] = ref_text_take(&text);
  }
  ref_number_duplicates(labels, count);
  return labels;
}

static void ref_compare_relocation(const ref_context *context, const ref_relocation_pair *pair, size_t a, size_t b) {
  const ref_relocation left = ref_cubin_relocation(context->a->cubin, pair->sections[0], a);
  const ref_relocation right = ref_cubin_relocation(context->b->cubin, pair->sections[1], b);
  ref_text x = {0}, y = {0}, place = {0};
  ref_text_add(&place, "entry %zu of %s at ", a, context->a->sections[pair->sections[0]]);
  ref_add_place(&place, context->a, context->a->cubin->sections[pair->sections[0]].info, left.offset);
  char *where = ref_text_take(&place);
  ref_comparison *result = context->result;
  if (left.offset != right.offset) {
    ref_add_place(&x, context->a, context->a->cubin->sections[pair->sections[0]].info, left.offset);
    ref_add_place(&y, context->b, context->b->cubin->sections[pair->sections[1]].info, right.offset);
    /* The same words when the function's own start moved by as much as the offset. */
    ref_report(result, "reloc.offset", where, "offset", ref_text_take(&x), ref_text_take(&y));
  }
  ref_add_relocation_type(&x, left.type);
  ref_add_relocation_type(&y, right.type);
  ref_report_texts(result, "reloc.type", where, "type", &x, &y);
  ref_add_symbol_label(&x, context->a, left.symbol);
  ref_add_symbol_label(&y, context->b, right.symbol);
  ref_report_texts(result, "reloc.symbol", where, "symbol", &x, &y);
  ref_report_numbers(result, "reloc.addend", where, "addend", (uint64_t)left.addend, (uint64_t)right.addend);
  free(where);
}

void ref_compare_relocations(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_cubin *left = context->a->cubin, *right = context->b->cubin;
  const size_t a_count = ref_cubin_relocation_count(left, a), b_count = ref_cubin_relocation_count(right, b);
  const ref_relocation_pair pair = {{context->a, context->b}, {a, b}};
  char **a_labels = ref_label_relocations(context->a, a, a_count);
  char **b_labels = ref_label_relocations(context->b, b, b_count);
  ref_pairing pairing;
  ref_pair_labels(&pairing, a_labels, a_count, b_labels, b_count);
  /* In code an entry is known by its instruction; in debug sections, whose bytes shift, by what it points to. */
  const bool in_code = strstr(left->sections[a].name, ".text.") != NULL;
  ref_pair_rest(&pairing, in_code ? ref_label_relocation_by_offset : ref_label_relocation_by_rest, &pair);
  ref_pair_rest(&pairing, in_code ? ref_label_relocation_by_rest : ref_label_relocation_by_offset, &pair);
  ref_report_pairing(context->result, "reloc", context->a->sections[a], "entry", &pairing, a_labels, b_labels);
  for (size_t i = 0; i < a_count; i++)
    if (pairing.b_of_a[i] != REF_UNPAIRED)
      ref_compare_relocation(context, &pair, i, pairing.b_of_a[i]);
  const uint64_t a_entry = left->sections[a].type == TYPE_REL ? REL_BYTES : RELA_BYTES;
  const uint64_t b_entry = right->sections[b].type == TYPE_REL ? REL_BYTES : RELA_BYTES;
  ref_report_rest(context->result, "reloc.rest", context->a->sections[a], &left->sections[a], a_count * a_entry,
                  &right->sections[b], b_count * b_entry);
  ref_pair_free(&pairing);
  ref_free_labels(a_labels, a_count);
  ref_free_labels(b_labels, b_count);
}
