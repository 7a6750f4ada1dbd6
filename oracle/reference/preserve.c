/* -preserve-relocs: `.nv.resolvedrela` sections with what was applied. R50, R51, W17.7-W17.10, W17.16. */
#include "link.h"
#include "relocation_table.h"

#include <string.h>

enum { RECORD_BYTES = 24, VISIBILITY = 3, INTERNAL = 1 };

/* R50, E48 */
void ref_preserve_warn(ref_link *link) {
  if (link->preserves && link->sm >= 90) {
    ref_message_warn(link, "E48",
                     "Option '--preserve-relocs' is not fully implemented for gpu archtecture '%s' and may not work as "
                     "expected",
                     link->job->options.values[REF_OPTION_ARCH]);
  }
}

/* W17.8: behind the target's first relocation section. W17.16, D78: nvlink finds it by its name, so two functions of one name
 * share the first one's. */
void ref_preserve_add_section(ref_link *link, size_t target) {
  if (!link->preserves || link->sections[target].resolved != 0) {
    return;
  }
  const char *name = ref_memory_join(link, ".nv.resolvedrela", link->sections[target].stem);
  const size_t known = link->job->bug_compatible ? ref_map_find(&link->section_by_name, name) : REF_NONE;
  if (known != REF_NONE) {
    link->sections[target].resolved = known;
    return;
  }
  const size_t number = ref_section_add(link, name, REF_TYPE_RESOLVED_RELA, REF_FLAG_INFO, 8, RECORD_BYTES);
  link->sections[target].resolved = number;
  link->sections[number].links_symtab = true;
  link->sections[number].info_section = target;
}

/* RF113: nvlink records an entry against a symbol that is not in the output, and stops; by default it is not recorded. */
static void ref_preserve_refuse(ref_link *link) {
  link->preserves_deleted = link->job->bug_compatible;
}

/* RF1207: of an object of size 0 that is a kernel's own it is the kernel's section that has something in it. */
static bool ref_preserve_has_memory(const ref_link *link, const ref_out_symbol *symbol) {
  const size_t text = symbol->section == REF_NONE ? REF_NONE : link->sections[symbol->section].info_section;
  const size_t kernel = text == REF_NONE ? REF_NONE : link->sections[text].info_function;
  const bool own = kernel != REF_NONE && link->functions[kernel].shared == symbol->section;
  return own ? link->functions[kernel].shared_end != 0 : ref_shared_pool_is_used(link);
}

/* W17.7, RF113: an entry against an extern symbol (or that of D82) is recorded if no kernel gives it an offset and `.nv_debug.shared` is not
 * empty; but the symbol is then in the output from sm_90 on only (D70). With -g all are recorded (W17.10). */
static bool ref_preserve_takes_extern(ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  const size_t function = link->sections[entry->target].info_function;
  if (ref_options_keep_shared_symbols(link)) {
    const bool instance = (symbol->other & VISIBILITY) == INTERNAL;
    return !symbol->dropped && (!instance || ref_shared_pool_is_used(link)); /* RF115 */
  }
  const bool placed =
      !symbol->has_no_place && function != REF_NONE && link->functions[function].extern_kernel != REF_NONE;
  if (placed || !ref_preserve_has_memory(link, symbol)) {
    return false;
  }
  if (symbol->dropped) {
    ref_preserve_refuse(link);
    return false;
  }
  return true;
}

static bool ref_preserve_is_shared(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  return symbol != NULL && symbol->type == REF_SYMBOL_CUDA_OBJECT &&
         (symbol->other & REF_SPACE_MASK) == REF_SPACE_SHARED;
}

/* W17.9: a device function's compiler constants and textures are not recorded for an executable. RF111: nor, with -r too, the
 * size of all constants; nor shared objects without a name. */
static bool ref_preserve_takes(ref_link *link, const ref_out_relocation *entry) {
  if (entry->names_constant_size) {
    return false;
  }
  if (entry->symbol == REF_NONE || link->relocatable) {
    return true;
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  if (symbol->is_extern_shared || symbol->has_no_place) {
    return ref_preserve_takes_extern(link, entry);
  }
  if (ref_shared_is_foreign(link, symbol)) {
    return false;
  }
  if (symbol->has_no_name && ref_shared_pool_is_used(link)) {
    ref_preserve_refuse(link);
  }
  const bool slot = ref_bindless_mask_of(symbol->type) != 0 && ref_bindless_takes(entry->type); /* L575 */
  if (slot || symbol->has_no_name) {
    return false;
  }
  const ref_out_section *section = symbol->section == REF_NONE ? NULL : &link->sections[symbol->section];
  const bool nobodys = section != NULL && section->dropped && !section->deleted && /* RF1382 */
                       section->type == link->view->optimizer_type;                /* RF623 */
  return section == NULL || (section->constant_owner == REF_NONE && !nobodys);
}

static bool ref_preserve_starts(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* RF175: of capsules only entries against shared objects are recorded; L589: none of data; RF316, RF870: none of debug data. What would end the
 * link does so all the same (L806). */
static bool ref_preserve_takes_capsule(ref_link *link, const ref_out_relocation *entry) {
  const ref_out_section *target = &link->sections[entry->target];
  const bool debug = ref_preserve_starts(target->name, ".debug_") || ref_preserve_starts(target->name, ".nv_debug_");
  const bool data = target->type == REF_TYPE_GLOBAL_INIT || debug;
  return ref_preserve_is_shared(link, entry) && ref_preserve_takes(link, entry) && !data;
}

/* W17.7: shared objects whose symbols stay for the record alone are internal. RF166: unless they were hidden or protected. */
bool ref_preserve_hides_symbol(const ref_link *link, const ref_out_symbol *symbol) {
  const bool shared = symbol->type == REF_SYMBOL_CUDA_OBJECT && (symbol->other & REF_SPACE_MASK) == REF_SPACE_SHARED;
  return shared && symbol->section != REF_NONE && !link->relocatable && (symbol->other & VISIBILITY) <= INTERNAL &&
         !ref_options_keep_shared_symbols(link);
}

/* L831: nvlink looks for the records' section by the name of the text, which has an alias's name where one leads it (RF116); RF647: and
 * `.text.F` where the input calls it otherwise. By default it is found. */
static bool ref_preserve_has_no_section(const ref_link *link, const ref_out_section *target) {
  if (target->info_function == REF_NONE) {
    return false;
  }
  const char *name = link->sections[target->resolved].name;
  const bool other =
      link->job->bug_compatible && !link->is_capsule && strcmp(name + strlen(".nv.resolvedrela"), target->name) != 0;
  return other || link->functions[target->info_function].leads != REF_NONE;
}

/* RF1179: of a capsule the section of a kernel's shared memory that has nothing in it: it has no symbol. */
static bool ref_preserve_names_empty_shared(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  const ref_out_section *section = symbol == NULL || symbol->section == REF_NONE || symbol->type != REF_SYMBOL_SECTION
                                       ? NULL
                                       : &link->sections[symbol->section];
  return section != NULL && section->type == REF_TYPE_SHARED && section->size == 0 && !link->relocatable;
}

/* R51: before the field is written, whose old content is a REL entry's addend. */
void ref_preserve_record(ref_link *link, const ref_out_relocation *entry) {
  const ref_relocation_row *row = ref_relocation_row_of(entry->type);
  const ref_out_section *target = &link->sections[entry->target];
  if (!link->preserves || target->resolved == 0) {
    return;
  }
  if (link->is_capsule && link->view->is_mercury && ref_preserve_names_empty_shared(link, entry)) {
    link->preserves_deleted = true;
  }
  if (!(link->is_capsule ? ref_preserve_takes_capsule(link, entry) : ref_preserve_takes(link, entry))) {
    return;
  }
  ref_out_relocation record = *entry;
  const bool cleared = row->kind == REF_KIND_CLEAR;
  if (cleared) {
    record.addend = record.has_addend ? record.addend : 0; /* L571 */
  } else if (!record.has_addend || record.adds_old) {
    const uint64_t old =
        ref_field_read(&row->fields[0], target->data.data, ref_relocate_end_of_block(link, entry), entry->offset);
    record.addend = (int64_t)((uint64_t)record.addend + old);
  }
  if (ref_preserve_has_no_section(link, target)) {
    link->lost_records += RECORD_BYTES;
    return;
  }
  link->resolved = ref_memory_grow(link, link->resolved, link->resolved_count, &link->resolved_capacity, sizeof record);
  link->resolved[link->resolved_count++] = record;
  link->sections[target->resolved].size += RECORD_BYTES;
}

/* RF251: the symbol of a section that has no bytes in the output is not there to be recorded. RF553: nor is that of compiler constants. */
static void ref_preserve_check_section(ref_link *link, const ref_out_relocation *record) {
  const ref_out_symbol *symbol = record->symbol == REF_NONE ? NULL : &link->symbols[record->symbol];
  const bool gone = symbol == NULL ? (record->names_gone_section || record->names_unlisted) && !link->is_capsule
                                   : symbol->type == REF_SYMBOL_SECTION && symbol->index == 0;
  if (gone && ref_relocation_row_of(record->type)->kind != REF_KIND_CLEAR) {
    ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
  }
}

/* RF1039: found with the entries that stay. */
void ref_preserve_check(ref_link *link) {
  if (link->preserves_deleted) {
    ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
  }
  for (size_t i = 0; i < link->resolved_count; i++) {
    if (!ref_relocate_waits(link, &link->resolved[i])) {
      ref_preserve_check_section(link, &link->resolved[i]);
    }
  }
}

/* In the order in which the entries were applied. */
void ref_preserve_write(ref_link *link) {
  if (link->is_capsule) {
    ref_preserve_check(link);
  }
  for (size_t i = 0; i < link->resolved_count; i++) {
    const ref_out_relocation *record = &link->resolved[i];
    ref_preserve_check_section(link, record);
    ref_bytes *data = &link->sections[link->sections[record->target].resolved].data;
    ref_bytes_add_u64(link, data, record->offset);
    ref_bytes_add_u32(link, data, record->type);
    ref_bytes_add_u32(link, data, record->symbol == REF_NONE ? 0 : link->symbols[record->symbol].index);
    ref_bytes_add_u64(link, data, (uint64_t)record->addend);
  }
}
