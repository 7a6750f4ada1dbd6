/* A cubin in readable form: header, sections, segments, symbols, relocations, attributes, call graph, prototypes, notes,
 * compat records, and the bytes of the rest.
 *
 * It prints what compare says differences in, in the same words, so that the two can be read side by side. It never
 * trusts a number: everything goes through the reader and through labels that know their range. Rules: F1-F79. */
#include "ref_compare_parts.h"
#include "ref_names.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_BYTES = 8, LINE_BYTES = 16, TYPE_NOTE = 7, TOOL_NOTE = 2000, CUDA_NOTE = 1000 };

typedef void ref_dump_function(FILE *to, const ref_view *view, uint32_t section);

/* Which function prints a section's contents: the first row whose type (0: any) and name prefix (NULL: any) fit. */
typedef struct ref_dump_row {
  uint32_t type;
  const char *prefix;
  ref_dump_function *dump;
} ref_dump_row;

static void ref_print(FILE *to, ref_text *text) {
  fprintf(to, "%s\n", text->data ? text->data : "");
  ref_text_free(text);
}

static void ref_dump_header(FILE *to, const ref_view *view) {
  const ref_cubin *cubin = view->cubin;
  ref_text text = {0};
  ref_text_add(&text, "ELF header: ");
  ref_add_file_type(&text, cubin->type);
  ref_text_add(&text, " file, machine %u, e_flags 0x%08x (sm_%u, kind 0x%02x, note in ", cubin->machine, cubin->flags,
               cubin->flags >> 8 & 0xff, cubin->flags & 0xff);
  ref_add_section_label(&text, view, cubin->flags >> 24);
  ref_text_add(&text, "), %zu bytes", cubin->size);
  ref_print(to, &text);
  for (const ref_record_field *field = ref_header_fields; field->width; field++)
    fprintf(to, "  %-28s 0x%llx\n", field->words,
            (unsigned long long)ref_read_field(cubin->bytes + field->offset, field->width));
}

static void ref_dump_sections(FILE *to, const ref_view *view) {
  fprintf(to, "\nSections: %zu\n", view->cubin->section_count);
  for (uint32_t i = 0; i < view->cubin->section_count; i++) {
    const ref_section *section = &view->cubin->sections[i];
    ref_text text = {0};
    ref_text_add(&text, "  [%3u] %-32s ", i, view->sections[i]);
    ref_add_section_type(&text, section->type);
    ref_text_add(&text, "  flags ");
    ref_add_section_flags(&text, section->flags);
    ref_text_add(&text, "  offset 0x%llx  size 0x%llx  align %llu", (unsigned long long)section->offset,
                 (unsigned long long)section->size, (unsigned long long)section->align);
    if (section->entry_size)
      ref_text_add(&text, "  entry size %llu", (unsigned long long)section->entry_size);
    if (section->address)
      ref_text_add(&text, "  address 0x%llx", (unsigned long long)section->address);
    if (section->link) {
      ref_text_add(&text, "  link ");
      ref_add_section_link(&text, view, i);
    }
    if (section->info) {
      ref_text_add(&text, "  info ");
      ref_add_section_info(&text, view, i);
    }
    ref_print(to, &text);
  }
}

static void ref_dump_segments(FILE *to, const ref_view *view) {
  fprintf(to, "\nProgram headers: %zu\n", view->cubin->segment_count);
  for (size_t i = 0; i < view->cubin->segment_count; i++) {
    const ref_segment *segment = &view->cubin->segments[i];
    ref_text text = {0};
    ref_text_add(&text, "  [%zu] ", i);
    ref_add_segment_type(&text, segment->type);
    ref_text_add(&text, " ");
    ref_add_segment_flags(&text, segment->flags);
    ref_text_add(&text, "  offset 0x%llx  address 0x%llx  physical 0x%llx  file size 0x%llx  memory size 0x%llx",
                 (unsigned long long)segment->offset, (unsigned long long)segment->address,
                 (unsigned long long)segment->physical, (unsigned long long)segment->file_size,
                 (unsigned long long)segment->memory_size);
    ref_text_add(&text, "  align %llu  sections:", (unsigned long long)segment->align);
    for (uint32_t s = 1; s < view->cubin->section_count; s++) {
      const ref_section *section = &view->cubin->sections[s];
      if (section->flags & 2 && section->offset >= segment->offset &&
          section->offset - segment->offset + (section->data ? section->size : 0) <= segment->file_size)
        ref_text_add(&text, " %s", view->sections[s]);
    }
    ref_print(to, &text);
  }
}

static void ref_dump_symbols(FILE *to, const ref_view *view, uint32_t section) {
  if (section != view->cubin->symbol_section)
    return;
  for (size_t i = 0; i < view->cubin->symbol_count; i++) {
    const ref_symbol *symbol = &view->cubin->symbols[i];
    ref_text text = {0};
    ref_text_add(&text, "  [%3zu] %-32s ", i, view->symbols[i]);
    ref_add_binding(&text, symbol->info);
    ref_text_add(&text, " ");
    ref_add_symbol_type(&text, symbol->info);
    ref_text_add(&text, "  other ");
    ref_add_symbol_other(&text, symbol->other, (symbol->info & 15) == 2);
    ref_text_add(&text, "  value 0x%llx  size 0x%llx  in ", (unsigned long long)symbol->value,
                 (unsigned long long)symbol->size);
    ref_add_symbol_section(&text, view, symbol);
    ref_print(to, &text);
  }
}

static void ref_dump_relocations(FILE *to, const ref_view *view, uint32_t section) {
  const size_t count = ref_cubin_relocation_count(view->cubin, section);
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_relocation(view->cubin, section, i);
    ref_text text = {0};
    ref_text_add(&text, "  [%3zu] 0x%-6llx ", i, (unsigned long long)entry.offset);
    ref_add_relocation(&text, view, section, &entry);
    ref_print(to, &text);
  }
}

static void ref_dump_rest(FILE *to, const ref_section *section, uint64_t from) {
  if (from >= section->size)
    return;
  ref_text text = {0};
  ref_text_add(&text, "  no whole record: ");
  ref_text_add_hex(&text, section->data + from, (size_t)(section->size - from));
  ref_print(to, &text);
}

static void ref_dump_attributes(FILE *to, const ref_view *view, uint32_t index) {
  const ref_section *section = &view->cubin->sections[index];
  const bool compat = section->type == 0x70000086;
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    ref_text text = {0};
    ref_text_add(&text, "  format %u  ", attribute.format);
    if (compat)
      ref_add_compat_name(&text, attribute.code);
    else
      ref_add_attribute_name(&text, attribute.code);
    ref_text_add(&text, " (0x%02x)  ", attribute.code);
    if (compat) {
      const ref_attribute plain = {attribute.format, 0xff, attribute.size, attribute.data, attribute.offset};
      ref_add_attribute_value(&text, view, &plain);
    } else
      ref_add_attribute_value(&text, view, &attribute);
    ref_print(to, &text);
  }
  ref_dump_rest(to, section, position);
}

static void ref_dump_callgraph(FILE *to, const ref_view *view, uint32_t index) {
  const ref_section *section = &view->cubin->sections[index];
  size_t part = REF_CALLGRAPH_PARTS;
  uint64_t at = 0;
  for (; at + PAIR_BYTES <= section->size; at += PAIR_BYTES) {
    ref_text text = {0};
    ref_text_add(&text, "  ");
    ref_add_callgraph_pair(&text, view, section->data + at, &part);
    ref_print(to, &text);
  }
  ref_dump_rest(to, section, at);
}

static void ref_dump_prototypes(FILE *to, const ref_view *view, uint32_t index) {
  const ref_section *section = &view->cubin->sections[index];
  uint64_t at = 0;
  for (; at + PAIR_BYTES <= section->size; at += PAIR_BYTES) {
    ref_text text = {0};
    ref_text_add(&text, "  ");
    ref_add_symbol_label(&text, view, ref_u32(section->data + at));
    ref_text_add(&text, ": ");
    ref_add_prototype(&text, view, ref_u32(section->data + at + 4));
    ref_print(to, &text);
  }
  ref_dump_rest(to, section, at);
}

static void ref_dump_note(FILE *to, const ref_note *note) {
  ref_text text = {0};
  ref_text_add(&text, "  type %u, owner '", note->type);
  ref_text_add_bytes_as_name(&text, note->owner, note->name_size);
  ref_text_add(&text, "', %u bytes", note->descriptor_size);
  if (note->type == CUDA_NOTE && note->descriptor_size >= 6)
    ref_text_add(&text, ": note version %u, virtual architecture compute_%u, toolkit %u", ref_u16(note->descriptor),
                 ref_u16(note->descriptor + 2), ref_u16(note->descriptor + 4));
  ref_print(to, &text);
  if (note->type != TOOL_NOTE)
    return;
  for (size_t i = 0; i < REF_TOOL_STRINGS; i++) {
    ref_text_add(&text, "    %-8s '", ref_tool_string_names[i]);
    if (!ref_tool_string(note, i, &text))
      ref_text_add(&text, "(outside the note)");
    ref_text_add(&text, "'");
    ref_print(to, &text);
  }
}

static void ref_dump_notes(FILE *to, const ref_view *view, uint32_t index) {
  const ref_section *section = &view->cubin->sections[index];
  uint64_t position = 0;
  ref_note note;
  while (ref_next_note(section, &position, &note))
    ref_dump_note(to, &note);
  ref_dump_rest(to, section, position);
}

static void ref_dump_strings(FILE *to, const ref_view *view, uint32_t index) {
  const ref_section *section = &view->cubin->sections[index];
  for (uint64_t from = 0, at = 0; at < section->size; at++) {
    if (section->data[at] != 0 && at + 1 < section->size)
      continue;
    ref_text text = {0};
    ref_text_add(&text, "  0x%-5llx '", (unsigned long long)from);
    ref_text_add_bytes_as_name(&text, section->data + from, (size_t)(at - from + (section->data[at] != 0)));
    ref_text_add(&text, "'");
    ref_print(to, &text);
    from = at + 1;
  }
}

/* Whether a line repeats the one before it and is not the last: such lines are shown as one '*'. */
static bool ref_line_repeats(const ref_section *section, uint64_t at) {
  return at >= LINE_BYTES && at + 2 * (uint64_t)LINE_BYTES <= section->size &&
         memcmp(section->data + at, section->data + at - LINE_BYTES, LINE_BYTES) == 0;
}

static void ref_add_instruction(ref_text *text, const uint8_t *at, uint64_t size) {
  uint8_t bytes[LINE_BYTES] = {0};
  memcpy(bytes, at, (size_t)size);
  ref_text_add(text, "%016llx %016llx", (unsigned long long)ref_u64(bytes + 8), (unsigned long long)ref_u64(bytes));
}

static void ref_add_bytes(ref_text *text, const uint8_t *at, uint64_t size) {
  ref_text_add_hex(text, at, (size_t)size);
  ref_text_add(text, "  ");
  for (uint64_t i = 0; i < size; i++)
    ref_text_add(text, "%c", at[i] >= 0x20 && at[i] < 0x7f ? at[i] : '.');
}

typedef void ref_line_function(ref_text *text, const uint8_t *at, uint64_t size);

static void ref_dump_lines(FILE *to, const ref_view *view, uint32_t index, ref_line_function *add_line) {
  const ref_section *section = &view->cubin->sections[index];
  for (uint64_t at = 0; at < section->size; at += LINE_BYTES) {
    if (ref_line_repeats(section, at)) {
      if (!ref_line_repeats(section, at - LINE_BYTES))
        fprintf(to, "  *\n");
      continue;
    }
    const uint64_t size = section->size - at < LINE_BYTES ? section->size - at : LINE_BYTES;
    ref_text text = {0};
    ref_text_add(&text, "  ");
    ref_add_place(&text, view, index, at);
    ref_text_add(&text, "  ");
    add_line(&text, section->data + at, size);
    ref_print(to, &text);
  }
}

static void ref_dump_code(FILE *to, const ref_view *view, uint32_t index) {
  ref_dump_lines(to, view, index, ref_add_instruction);
}

static void ref_dump_bytes(FILE *to, const ref_view *view, uint32_t index) {
  ref_dump_lines(to, view, index, ref_add_bytes);
}

static const ref_dump_row dump_rows[] = {
    {2, NULL, ref_dump_symbols},
    {3, NULL, ref_dump_strings},
    {4, NULL, ref_dump_relocations},
    {9, NULL, ref_dump_relocations},
    {0x70000003, NULL, ref_dump_relocations},
    {0x70000082, NULL, ref_dump_relocations},
    {0x70000088, NULL, ref_dump_relocations},
    {0x70000000, NULL, ref_dump_attributes},
    {0x70000083, NULL, ref_dump_attributes},
    {0x70000086, NULL, ref_dump_attributes},
    {0x70000001, NULL, ref_dump_callgraph},
    {0x70000002, NULL, ref_dump_prototypes},
    {TYPE_NOTE, NULL, ref_dump_notes},
    {1, ".text.", ref_dump_code},
    {0, NULL, ref_dump_bytes},
};

void ref_dump(FILE *to, const ref_cubin *cubin) {
  ref_view view;
  ref_view_make(&view, cubin, "");
  ref_dump_header(to, &view);
  ref_dump_sections(to, &view);
  ref_dump_segments(to, &view);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (!section->data)
      continue;
    const ref_dump_row *row = dump_rows;
    while ((row->type != 0 && row->type != section->type) ||
           (row->prefix && !ref_section_has_name(section, row->prefix)))
      row++;
    fprintf(to, "\n%s:\n", view.sections[i]);
    row->dump(to, &view, i);
  }
  ref_view_free(&view);
}
