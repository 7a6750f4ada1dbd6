/* Relocatable capsules (-r): what differs from an executable of capsules beside the rules of relocatable links, which both views
 * follow. M14-M17, M27, M50. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum { LOAD_CONSTANT = 66, LOAD_UNIFORM = 115, PARAMETER_BANK = 0 };

/* What the section is called in the Mercury view, also where it is one of the SASS view (L968); NULL: no compiler constants. */
static const char *ref_capsule_constants_name(ref_link *link, const ref_section *section) {
  const char *prefix = ref_view_sass.optimizer_prefix;
  if (section->type == REF_TYPE_CONSTANT_OPTIMIZER) {
    return section->name;
  }
  const bool is_sass = section->type == ref_view_sass.optimizer_type && !link->view->is_mercury;
  return is_sass && strncmp(section->name, prefix, strlen(prefix)) == 0
             ? ref_memory_join(link, ref_view_mercury.optimizer_prefix, section->name + strlen(prefix))
             : NULL;
}

/* M16: the symbols of compiler constants get new names, numbered through each file; with -preserve-relocs too (RF175). */
void ref_capsule_name_constants(ref_link *link, const ref_file *file) {
  size_t number = 0;
  if (!link->relocatable && !link->preserves) {
    return;
  }
  for (size_t i = 1; i < file->cubin.symbol_count; i++) {
    ref_symbol *symbol = &file->cubin.symbols[i];
    const bool is_object = (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT && symbol->section < file->cubin.section_count;
    const char *name = is_object ? ref_capsule_constants_name(link, &file->cubin.sections[symbol->section]) : NULL;
    if (name != NULL) {
      symbol->name = ref_memory_print(link, "%s.%zu", name, ++number);
    }
  }
}

/* L968: so are those of the capsules that a mixed link begins with. */
void ref_capsule_name_first_constants(ref_link *link) {
  for (size_t i = 0; i < link->file_count && (link->files[i].cubin.flags & REF_KIND_CAPSULE) != 0; i++) {
    ref_capsule_name_constants(link, &link->files[i]);
  }
}

/* M27: entries against textures stay, in both views. */
bool ref_capsule_keeps_texture(const ref_link *link) {
  return link->is_capsule && link->relocatable;
}

/* M27: a load of a slot reads from where the table begins, behind the parameters of the largest kernel; RF235: without a kernel it stays
 * as ptxas wrote it. RF1000: so does what reads no slot by its record (RF904). */
void ref_capsule_point_to_table(ref_link *link, const ref_out_relocation *entry) {
  const ref_relocation_row *row = ref_relocation_row_of(entry->type);
  const ref_bytes *data = &link->sections[entry->target].data;
  const uint64_t base = ref_bindless_find_base(link);
  if (base == 0 || (entry->type != LOAD_CONSTANT && entry->type != LOAD_UNIFORM)) {
    return;
  }
  ref_relocate_keep_unpatched(link, &link->sections[entry->target]);
  for (size_t i = 0; i < REF_RELOCATION_FIELDS && row->fields[i].width != 0; i++) {
    const uint64_t content = ref_field_value(&row->fields[i], base, 0, PARAMETER_BANK, 0);
    ref_field_write(&row->fields[i], data->data, data->size, entry->offset, content);
  }
}

/* M15 read backwards: nvlink's own undefined names have CUDA's object type in a relocatable capsule; they are ordinary objects, with the
 * value that they have (RF172). */
void ref_capsule_restore_names(ref_cubin *view) {
  static const char *const prefixes[] = {"__UFT", "__UDT", ".nv.reservedSmem."};
  for (size_t i = 1; i < view->symbol_count; i++) {
    ref_symbol *symbol = &view->symbols[i];
    for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
      if (symbol->section == 0 && (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT &&
          strncmp(symbol->name, prefixes[k], strlen(prefixes[k])) == 0) {
        symbol->info = (uint8_t)((symbol->info & 0xf0) | REF_SYMBOL_OBJECT);
      }
    }
  }
}

/* --- records of what was applied --- */

/* By instruction of a function's text: has it a record in the capsule? */
typedef struct ref_recorded {
  size_t function;
  bool *has_record;
} ref_recorded;

static void ref_capsule_find_records(const ref_capsule *capsule, size_t function, ref_recorded *recorded) {
  enum { UNIT = 16 };
  const size_t body = capsule->mercury->functions[function].text, text = capsule->sass->functions[function].text;
  const size_t count = ref_places_text(capsule, text)->size / UNIT;
  ref_capsule_step step;
  if (recorded->function == function) {
    return;
  }
  *recorded = (ref_recorded){function, REF_TAKE(capsule->mercury, bool, count + 1)};
  if (body == REF_NONE || !ref_capsule_body_begin(capsule->mercury->sections[body].data.data,
                                                  capsule->mercury->sections[body].data.size, &step)) {
    return;
  }
  while (ref_capsule_body_next(&step)) {
    recorded->has_record[step.sass < count ? step.sass : count] = !step.derived;
  }
}

/* RF369: what one source of 32 bits, or a constant, comes from; all others have an offset of 24 bits, and so has a uniform load of constants that
 * has a record in the capsule (RF1028). */
static uint32_t ref_capsule_record_type(const ref_bytes *text, uint64_t offset, const bool *has_record) {
  static const uint16_t words[] = {0x202, 0x2ca, 0x7ac, 0x802, 0x882, 0x919, 0x9c3, 0xb82, 0xc02};
  enum { OPCODE_BITS = 0xfff, OPCODE_LDCU = 0x7ac, UNIT = 16, WORD_TYPE = 55, OFFSET_TYPE = 74 };
  for (size_t i = 0; text->size >= UNIT && offset <= text->size - UNIT && i < sizeof words / sizeof words[0]; i++) {
    if ((ref_u16(text->data + offset) & OPCODE_BITS) == words[i]) {
      return words[i] == OPCODE_LDCU && has_record[offset / UNIT] ? OFFSET_TYPE : WORD_TYPE;
    }
  }
  return OFFSET_TYPE;
}

/* RF369: of records that functions of one name share the code is that which the section is about; behind that nvlink reads foreign memory, and
 * a record stays its own. */
static size_t ref_capsule_record_function(ref_capsule *capsule, const ref_out_relocation *record, size_t section) {
  const size_t own = capsule->mercury->sections[record->target].info_function;
  const size_t first = capsule->mercury->sections[section].info_function;
  if (own == first || own == REF_NONE || first == REF_NONE || capsule->sass->functions[first].text == REF_NONE) {
    return own;
  }
  return ref_units_find(ref_places_units_of_function(capsule, first), record->offset, true) == REF_NONE ? own : first;
}

/* RF856: the record that the finalizer makes of one of Mercury's. */
static bool ref_capsule_make_record(ref_capsule *capsule, size_t section, ref_out_relocation *record,
                                    ref_recorded *recorded) {
  const size_t function = ref_capsule_record_function(capsule, record, section);
  const size_t text = function == REF_NONE ? REF_NONE : capsule->sass->functions[function].text;
  if (text == REF_NONE) {
    return false;
  }
  const ref_bytes *code = ref_places_text(capsule, text);
  const size_t place = ref_units_find(ref_places_units_of_function(capsule, function), record->offset, true);
  record->offset = place == REF_NONE ? record->offset : place;
  ref_capsule_find_records(capsule, function, recorded);
  record->type = record->type == REF_MERCURY_32 ? ref_capsule_record_type(code, record->offset, recorded->has_record)
                                                : ref_derived_sass_type(capsule->mercury, record, code, record->offset);
  return record->type != 0;
}

/* RF856: the SASS side's records are Mercury's; D78: functions of one name share a section. */
ref_bytes ref_capsule_resolved(ref_capsule *capsule, size_t section) {
  const ref_link *mercury = capsule->mercury;
  ref_bytes output = {0};
  ref_recorded recorded = {.function = REF_NONE};
  for (size_t i = 0; section != REF_NONE && i < mercury->resolved_count; i++) {
    ref_out_relocation record = mercury->resolved[i];
    if (mercury->sections[record.target].resolved == mercury->sections[section].resolved &&
        ref_capsule_make_record(capsule, section, &record, &recorded)) {
      ref_capsule_write_entry(capsule, &output, record.offset, record.type, ref_symbol_index(mercury, record.symbol),
                              record.addend);
    }
  }
  return output;
}
