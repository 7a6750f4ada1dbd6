/* Attribute records, call graph, prototypes and notes of two cubins.
 *
 * One machine compares all lists of records: each record is a text that says everything in it, a finer and a coarser
 * label for matching, and a key. Symbols and prototypes stand in these texts by name, so an index that only moved makes
 * no difference. Rules: F61-F64, I1-I4, F56-F71, F75-F79, W5.1, W5.2, W6.1, W7.1. */
#include "ref_compare_parts.h"
#include "ref_names.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_BYTES = 8, NOTE_HEADER_BYTES = 12, TOOL_NOTE = 2000, CUDA_NOTE = 1000, CALLGRAPH_HEADER = 0xfffffffc };

/* One record of a list: everything in words, what it is about (the coarser label), and its difference key. */
typedef struct ref_record {
  char *words, *subject, *key;
} ref_record;

typedef struct ref_record_list {
  ref_record *rows;
  size_t count, capacity;
} ref_record_list;

static void ref_record_add(ref_record_list *list, char *words, char *subject, char *key) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? list->capacity * 2 : 32;
    list->rows = ref_reallocate(list->rows, list->capacity, sizeof *list->rows);
  }
  list->rows[list->count++] = (ref_record){words, subject, key};
}

static void ref_record_list_free(ref_record_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->rows[i].words);
    free(list->rows[i].subject);
    free(list->rows[i].key);
  }
  free(list->rows);
}

static char *ref_label_record_by_subject(const void *data, int of_b, size_t index) {
  const ref_record_list *const *lists = data;
  return ref_format("%s", lists[of_b]->rows[index].subject);
}

static char *ref_label_record_by_key(const void *data, int of_b, size_t index) {
  const ref_record_list *const *lists = data;
  return ref_format("%s", lists[of_b]->rows[index].key);
}

static char **ref_label_records(const ref_record_list *list) {
  char **labels = ref_allocate(list->count, sizeof *labels);
  for (size_t i = 0; i < list->count; i++)
    labels[i] = ref_format("%s: %s", list->rows[i].subject, list->rows[i].words);
  ref_number_duplicates(labels, list->count);
  return labels;
}

/* `prefix`: the key of the order; `place`: where the list stands. */
static void ref_compare_records(ref_comparison *result, const char *prefix, const char *place, const ref_record_list *a,
                                const ref_record_list *b) {
  const ref_record_list *const lists[2] = {a, b};
  char **left = ref_label_records(a), **right = ref_label_records(b);
  ref_pairing pairing;
  ref_pair_labels(&pairing, left, a->count, right, b->count);
  ref_pair_rest(&pairing, ref_label_record_by_subject, lists);
  ref_pair_rest(&pairing, ref_label_record_by_key, lists);
  for (size_t i = 0; i < a->count; i++) {
    const size_t partner = pairing.b_of_a[i];
    if (partner == REF_UNPAIRED)
      ref_report(result, a->rows[i].key, place, "record", ref_format("%s", left[i]), NULL);
    else if (strcmp(a->rows[i].words, b->rows[partner].words) != 0 ||
             strcmp(a->rows[i].subject, b->rows[partner].subject) != 0) {
      const bool same_subject = strcmp(a->rows[i].subject, b->rows[partner].subject) == 0;
      ref_report(result, a->rows[i].key, place, same_subject ? a->rows[i].subject : "record",
                 ref_format("%s", same_subject ? a->rows[i].words : left[i]),
                 ref_format("%s", same_subject ? b->rows[partner].words : right[partner]));
    }
  }
  for (size_t i = 0; i < b->count; i++)
    if (pairing.a_of_b[i] == REF_UNPAIRED)
      ref_report(result, b->rows[i].key, place, "record", NULL, ref_format("%s", right[i]));
  ref_report_order(result, prefix, place, "record", &pairing, left, right);
  ref_pair_free(&pairing);
  ref_free_labels(left, a->count);
  ref_free_labels(right, b->count);
}

typedef void ref_name_function(ref_text *text, uint8_t code);

/* The records of an attribute section; returns where the last whole one ends. */
static uint64_t ref_collect_attributes(ref_record_list *list, const ref_view *view, uint32_t section,
                                       ref_name_function *add_name, const char *prefix) {
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(&view->cubin->sections[section], &position, &attribute)) {
    ref_text words = {0}, subject = {0}, key = {0};
    ref_text_add(&words, "format %u, ", attribute.format);
    ref_text_add(&key, "%s.", prefix);
    add_name(&key, attribute.code);
    add_name(&subject, attribute.code);
    if (add_name == ref_add_attribute_name) {
      const ref_attribute_row *row = ref_find_attribute_row(attribute.code);
      ref_add_attribute_value(&words, view, &attribute);
      if (row && row->payload == REF_PAYLOAD_SYMBOL_FIRST && attribute.size >= 4) {
        ref_text_add(&subject, " of ");
        ref_add_symbol_label(&subject, view, ref_u32(attribute.data));
      } else if (row && row->payload == REF_PAYLOAD_KPARAM && attribute.size >= 6)
        ref_text_add(&subject, " of parameter %u", ref_u16(attribute.data + 4));
    } else
      ref_text_add(&words, "value 0x");
    if (add_name != ref_add_attribute_name)
      for (size_t i = attribute.size; i > 0; i--)
        ref_text_add(&words, "%02x", attribute.data[i - 1]);
    ref_record_add(list, ref_text_take(&words), ref_text_take(&subject), ref_text_take(&key));
  }
  return position;
}

static void ref_compare_attribute_sections(const ref_context *context, uint32_t a, uint32_t b,
                                           ref_name_function *add_name, const char *prefix) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  const char *owner = ref_section_owner(left->name);
  ref_text place = {0};
  ref_text_add(&place, "%s", context->a->sections[a]);
  if (*owner) {
    ref_text_add(&place, " of function ");
    ref_text_add_name(&place, owner);
  }
  char *where = ref_text_take(&place), *rest = ref_format("%s.rest", prefix);
  ref_record_list a_list = {0}, b_list = {0};
  const uint64_t a_end = ref_collect_attributes(&a_list, context->a, a, add_name, prefix);
  const uint64_t b_end = ref_collect_attributes(&b_list, context->b, b, add_name, prefix);
  ref_compare_records(context->result, prefix, where, &a_list, &b_list);
  ref_report_rest(context->result, rest, where, left, a_end, right, b_end);
  ref_record_list_free(&a_list);
  ref_record_list_free(&b_list);
  free(where);
  free(rest);
}

void ref_compare_attributes(const ref_context *context, uint32_t a, uint32_t b) {
  ref_compare_attribute_sections(context, a, b, ref_add_attribute_name, "nvinfo");
}

void ref_compare_compat(const ref_context *context, uint32_t a, uint32_t b) {
  ref_compare_attribute_sections(context, a, b, ref_add_compat_name, "compat");
}

const ref_callgraph_part ref_callgraph_parts[REF_CALLGRAPH_PARTS] = {
    {"callgraph.call", "direct call"},
    {"callgraph.taken", "address taken"},
    {"callgraph.indirect", "indirect call"},
    {"callgraph.reference", "function reference"},
};

void ref_add_callgraph_pair(ref_text *text, const ref_view *view, const uint8_t *at, size_t *part) {
  const uint32_t first = ref_u32(at), second = ref_u32(at + 4);
  if (first == 0 && second >= CALLGRAPH_HEADER) {
    *part = (size_t)(UINT32_MAX - second);
    ref_text_add(text, "head of part -%zu (%s)", *part + 1, ref_callgraph_parts[*part].words);
    return;
  }
  ref_text_add(text, "%s ", *part < REF_CALLGRAPH_PARTS ? ref_callgraph_parts[*part].words : "pair before any part");
  ref_add_symbol_label(text, view, first);
  if (*part == 1 || *part == 2) {
    ref_text_add(text, ", ");
    ref_add_prototype(text, view, second);
  } else {
    ref_text_add(text, " -> ");
    ref_add_symbol_label(text, view, second);
  }
}

static void ref_collect_callgraph(ref_record_list *list, const ref_view *view, uint32_t section) {
  const ref_section *header = &view->cubin->sections[section];
  size_t part = REF_CALLGRAPH_PARTS;
  for (uint64_t at = 0; at + PAIR_BYTES <= header->size; at += PAIR_BYTES) {
    ref_text words = {0}, subject = {0};
    const size_t before = part;
    ref_add_callgraph_pair(&words, view, header->data + at, &part);
    if (part != before)
      ref_text_add(&subject, "head");
    else {
      ref_text_add(&subject, "pair of ");
      ref_add_symbol_label(&subject, view, ref_u32(header->data + at));
    }
    const char *key = part < REF_CALLGRAPH_PARTS ? ref_callgraph_parts[part].key : "callgraph.pair";
    ref_record_add(list, ref_text_take(&words), ref_text_take(&subject), ref_format("%s", key));
  }
}

void ref_compare_callgraph(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  ref_record_list a_list = {0}, b_list = {0};
  ref_collect_callgraph(&a_list, context->a, a);
  ref_collect_callgraph(&b_list, context->b, b);
  ref_compare_records(context->result, "callgraph", context->a->sections[a], &a_list, &b_list);
  ref_report_rest(context->result, "callgraph.rest", context->a->sections[a], left,
                  left->size / PAIR_BYTES * PAIR_BYTES, right, right->size / PAIR_BYTES * PAIR_BYTES);
  ref_record_list_free(&a_list);
  ref_record_list_free(&b_list);
}

static void ref_collect_prototypes(ref_record_list *list, const ref_view *view, uint32_t section) {
  const ref_section *header = &view->cubin->sections[section];
  for (uint64_t at = 0; at + PAIR_BYTES <= header->size; at += PAIR_BYTES) {
    ref_text words = {0}, subject = {0};
    ref_add_symbol_label(&subject, view, ref_u32(header->data + at));
    ref_add_prototype(&words, view, ref_u32(header->data + at + 4));
    ref_record_add(list, ref_text_take(&words), ref_text_take(&subject), ref_format("prototype.record"));
  }
}

void ref_compare_prototypes(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  ref_record_list a_list = {0}, b_list = {0};
  ref_collect_prototypes(&a_list, context->a, a);
  ref_collect_prototypes(&b_list, context->b, b);
  ref_compare_records(context->result, "prototype", context->a->sections[a], &a_list, &b_list);
  ref_report_rest(context->result, "prototype.rest", context->a->sections[a], left,
                  left->size / PAIR_BYTES * PAIR_BYTES, right, right->size / PAIR_BYTES * PAIR_BYTES);
  ref_record_list_free(&a_list);
  ref_record_list_free(&b_list);
}

const char *const ref_tool_string_names[REF_TOOL_STRINGS] = {"object", "tool", "version", "build", "options"};

static uint64_t ref_pad_to_4(uint64_t size) {
  return (size + 3) / 4 * 4;
}

bool ref_next_note(const ref_section *section, uint64_t *position, ref_note *note) {
  if (!section->data || *position > section->size || section->size - *position < NOTE_HEADER_BYTES)
    return false;
  const uint8_t *at = section->data + *position;
  *note = (ref_note){.name_size = ref_u32(at), .descriptor_size = ref_u32(at + 4), .type = ref_u32(at + 8)};
  const uint64_t room = section->size - *position - NOTE_HEADER_BYTES;
  const uint64_t name = ref_pad_to_4(note->name_size);
  if (name > room || note->descriptor_size > room - name)
    return false;
  note->owner = at + NOTE_HEADER_BYTES;
  note->descriptor = note->owner + name;
  const uint64_t next = NOTE_HEADER_BYTES + name + ref_pad_to_4(note->descriptor_size);
  *position = next > section->size - *position ? section->size : *position + next;
  return true;
}

bool ref_tool_string(const ref_note *note, size_t which, ref_text *text) {
  const uint64_t table = 4 + 4 * REF_TOOL_STRINGS;
  if (note->type != TOOL_NOTE || note->descriptor_size < table)
    return false;
  const uint64_t from = table + ref_u32(note->descriptor + 4 + 4 * which);
  if (from >= note->descriptor_size)
    return false;
  const uint8_t *start = note->descriptor + from;
  const uint8_t *end = memchr(start, 0, (size_t)(note->descriptor_size - from));
  ref_text_add_bytes_as_name(text, start, end ? (size_t)(end - start) : (size_t)(note->descriptor_size - from));
  return true;
}

/* The fields of one note as records of the same list; `ordinal` counts the notes of the section. */
static void ref_collect_note_field(ref_record_list *list, const char *kind, size_t ordinal, const char *field,
                                   char *words) {
  ref_record_add(list, words, ref_format("note %zu %s", ordinal, field), ref_format("note.%s.%s", kind, field));
}

static void ref_collect_tool_note(ref_record_list *list, const ref_note *note, size_t ordinal) {
  if (note->descriptor_size >= 4)
    ref_collect_note_field(list, "tkinfo", ordinal, "note_version", ref_format("%u", ref_u32(note->descriptor)));
  ref_text offsets = {0};
  for (size_t i = 0; i < REF_TOOL_STRINGS && note->descriptor_size >= 8 + 4 * i; i++) {
    ref_text string = {0};
    ref_text_add(&string, "'");
    if (!ref_tool_string(note, i, &string))
      ref_text_add(&string, "(outside the note)");
    ref_text_add(&string, "'");
    ref_collect_note_field(list, "tkinfo", ordinal, ref_tool_string_names[i], ref_text_take(&string));
    ref_text_add(&offsets, "%s0x%x", i ? ", " : "", ref_u32(note->descriptor + 4 + 4 * i));
  }
  ref_collect_note_field(list, "tkinfo", ordinal, "string_offsets", ref_text_take(&offsets));
}

static void ref_collect_cuda_note(ref_record_list *list, const ref_note *note, size_t ordinal) {
  static const char *const fields[] = {"note_version", "virtual_sm", "toolkit", "toolkit_high"};
  for (size_t i = 0; i < sizeof fields / sizeof *fields && 2 * i + 2 <= note->descriptor_size; i++)
    ref_collect_note_field(list, "cuinfo", ordinal, fields[i], ref_format("%u", ref_u16(note->descriptor + 2 * i)));
}

static uint64_t ref_collect_notes(ref_record_list *list, const ref_view *view, uint32_t section) {
  const ref_section *header = &view->cubin->sections[section];
  uint64_t position = 0, from = 0;
  ref_note note;
  for (size_t ordinal = 0; ref_next_note(header, &position, &note); ordinal++, from = position) {
    const char *kind = note.type == TOOL_NOTE ? "tkinfo" : note.type == CUDA_NOTE ? "cuinfo" : "other";
    ref_text owner = {0};
    ref_text_add_bytes_as_name(&owner, note.owner, note.name_size);
    ref_collect_note_field(list, kind, ordinal, "type", ref_format("%u", note.type));
    ref_collect_note_field(list, kind, ordinal, "owner", ref_text_take(&owner));
    ref_collect_note_field(list, kind, ordinal, "descriptor_size", ref_format("%u", note.descriptor_size));
    if (note.type == TOOL_NOTE)
      ref_collect_tool_note(list, &note, ordinal);
    else if (note.type == CUDA_NOTE)
      ref_collect_cuda_note(list, &note, ordinal);
  }
  return from;
}

/* What no field names (padding, bytes between strings) is still said, when it is all that differs. */
static void ref_compare_note_bytes(const ref_context *context, uint32_t a, uint32_t b) {
  const ref_section *left = &context->a->cubin->sections[a], *right = &context->b->cubin->sections[b];
  const uint64_t common = left->size < right->size ? left->size : right->size;
  uint64_t at = 0, position = 0, ordinal = 0;
  while (at < common && left->data[at] == right->data[at])
    at++;
  if (at == common)
    return;
  ref_note note;
  while (ref_next_note(left, &position, &note) && position <= at)
    ordinal++;
  char *where = ref_format("%s, note %llu", context->a->sections[a], (unsigned long long)ordinal);
  ref_report(context->result, "note.bytes", where, "byte outside the fields", ref_format("%02x", left->data[at]),
             ref_format("%02x", right->data[at]));
  free(where);
}

void ref_compare_notes(const ref_context *context, uint32_t a, uint32_t b) {
  ref_record_list a_list = {0}, b_list = {0};
  const size_t before = context->result->count;
  const uint64_t a_end = ref_collect_notes(&a_list, context->a, a);
  const uint64_t b_end = ref_collect_notes(&b_list, context->b, b);
  ref_compare_records(context->result, "note", context->a->sections[a], &a_list, &b_list);
  ref_report_rest(context->result, "note.rest", context->a->sections[a], &context->a->cubin->sections[a], a_end,
                  &context->b->cubin->sections[b], b_end);
  if (context->result->count == before)
    ref_compare_note_bytes(context, a, b);
  ref_record_list_free(&a_list);
  ref_record_list_free(&b_list);
}
