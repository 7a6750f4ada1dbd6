/* What the SASS sections of a capsule link hold: M19, M21, M24, M25. */
#include "capsule.h"

#include <string.h>

enum {
  SIZED = 4,
  CODE_PARAM_CBANK = 0x0a,
  CODE_CBANK_PARAM_SIZE = 0x19,
  CODE_BRANCH_TARGETS = 0x34,
  CODE_SW_WAR = 0x36,
  CODE_UCODE = 0x43,
  CODE_KPARAM_INFO_LARGE = 0x45,
  CODE_GRAPHICS = 0x48,
  CODE_FINALIZER = 0x5a,
  ENTRY_BYTES = 24,
  LARGE_FLAGS_AT = 8,
  LARGE_OF_MERCURY = 1 << 28
};

void ref_capsule_write_entry(ref_capsule *capsule, ref_bytes *output, uint64_t offset, uint32_t type, uint32_t symbol,
                             int64_t addend) {
  ref_bytes_add_u64(capsule->mercury, output, offset);
  ref_bytes_add_u32(capsule->mercury, output, type);
  ref_bytes_add_u32(capsule->mercury, output, symbol);
  ref_bytes_add_u64(capsule->mercury, output, (uint64_t)addend);
}

static uint32_t ref_capsule_index_of(const void *context, size_t symbol) {
  return ref_capsule_symbol_index(context, symbol);
}

/* M21: what the SASS module kept for this target, the last read first. */
static ref_bytes ref_capsule_relocations(ref_capsule *capsule, size_t target) {
  const ref_link *sass = capsule->sass;
  ref_bytes output = {0};
  for (size_t i = sass->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &sass->relocations[i];
    if (!entry->dropped && entry->target == target) {
      ref_capsule_write_entry(capsule, &output, entry->offset, entry->type,
                              ref_capsule_symbol_index(capsule, entry->symbol), entry->addend);
    }
  }
  return output;
}

/* M21: these two are sorted by offset. */
static void ref_capsule_sort_entries(ref_bytes *entries) {
  for (size_t i = ENTRY_BYTES; i + ENTRY_BYTES <= entries->size; i += ENTRY_BYTES) {
    uint8_t moved[ENTRY_BYTES];
    size_t at = i;
    memcpy(moved, entries->data + i, ENTRY_BYTES);
    while (at > 0 && ref_u64(entries->data + at - ENTRY_BYTES) > ref_u64(moved)) {
      memcpy(entries->data + at, entries->data + at - ENTRY_BYTES, ENTRY_BYTES);
      at -= ENTRY_BYTES;
    }
    memcpy(entries->data + at, moved, ENTRY_BYTES);
  }
}

static bool ref_capsule_is_line_table(const char *name) {
  return REF_IS(name, ".debug_line") || REF_IS(name, ".nv_debug_line_sass");
}

/* M24: the entries that the Mercury view keeps, in its order, at the places of the frames written anew. RF290: by default with -r
 * those that wait for the final link (D91, D92), too. */
static ref_bytes ref_capsule_frame_relocations(ref_capsule *capsule, size_t section) {
  const ref_link *mercury = capsule->mercury;
  const ref_frame_entry *entries = ref_capsule_frame_entries(capsule);
  ref_bytes output = {0};
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    if (!entry->dropped && entry->section == section && entries[i].type != 0) {
      ref_capsule_write_entry(capsule, &output, entries[i].offset, entries[i].type,
                              ref_symbol_index(mercury, entry->symbol), entries[i].addend);
    }
  }
  return output;
}

static bool ref_capsule_code_has_offsets(uint8_t code) {
  static const uint8_t codes[] = {0x1c, 0x28, 0x31, 0x46, 0x47, 0x57, 0x2e, 0x39, 0x40, 0x44, 0x34, 0x55};
  return memchr(codes, code, sizeof codes) != NULL;
}

/* The SASS module's record of the same code and rank. */
static const ref_record *ref_capsule_find_record(const ref_records *records, uint8_t code, size_t rank) {
  for (size_t i = 0; i < records->count; i++) {
    if (records->items[i].code == code && !records->items[i].dropped && rank-- == 0) {
      return &records->items[i];
    }
  }
  return NULL;
}

static void ref_capsule_add_parameter_bank(ref_capsule *capsule, ref_bytes *output, size_t function,
                                           const ref_record *record) {
  const size_t at = output->size;
  ref_record plain = *record;
  plain.symbols.count = 0; /* they are the SASS module's */
  ref_record_write(capsule->mercury, &plain, output);
  for (size_t i = 0; i < capsule->kernels.count; i++) {
    if (capsule->kernels.items[i] == function) {
      ref_put_u32(output->data + at + 4, capsule->first_parameter_symbol + (uint32_t)i);
    }
  }
  const size_t table = ref_laid_table_of(capsule->mercury, function); /* M27 */
  if (table != REF_NONE) {
    ref_put_u32(output->data + at + 4, ref_symbol_index(capsule->mercury, capsule->mercury->sections[table].symbol));
  }
}

/* Does the link or ptxas (L749) give the kernel a table with entries? RF1240: one whose entries -r carried out, or that has
 * none, is no table. */
static bool ref_capsule_has_table(const ref_link *mercury, size_t function) {
  const size_t table = mercury->functions[function].bindless;
  const size_t laid = mercury->functions[function].laid_table;
  const size_t entries = laid == REF_NONE ? 0 : mercury->sections[laid].rela;
  return (entries != 0 && !mercury->sections[entries].dropped) ||
         (table != 0 && mercury->sections[table].data.size != 0);
}

/* RF578: of each branch in EIATTR_INDIRECT_BRANCH_TARGETS the low half of the second word is Mercury's, and the rest of it 0. */
static void ref_capsule_number_branches(ref_capsule *capsule, const ref_record *mercury, ref_bytes *output, size_t at) {
  ref_bytes other = {0};
  ref_record_write(capsule->mercury, mercury, &other);
  if (other.size != output->size - at) {
    return;
  }
  for (uint64_t place = 4; place + 12 <= other.size; place += 12 + 4 * (uint64_t)ref_u32(other.data + place + 8)) {
    ref_put_u32(output->data + at + place + 4, ref_u32(other.data + place + 4) & 0xffff);
  }
}

/* M19; RF1071: of the large parameters those with this bit. */
static bool ref_capsule_is_mercury_s(const ref_record *record) {
  const ref_bytes *payload = &record->payload;
  const bool is_parameter =
      record->code == CODE_KPARAM_INFO_LARGE && payload->size >= LARGE_FLAGS_AT + sizeof(uint32_t);
  return record->code == CODE_FINALIZER || record->code == CODE_UCODE || record->code == CODE_GRAPHICS ||
         (is_parameter && (ref_u32(payload->data + LARGE_FLAGS_AT) & LARGE_OF_MERCURY) != 0);
}

/* M19, I41 */
ref_bytes ref_capsule_attributes(ref_capsule *capsule, size_t function) {
  static const uint8_t last[] = {CODE_CBANK_PARAM_SIZE, CODE_PARAM_CBANK, CODE_SW_WAR};
  const ref_records *records = &capsule->mercury->functions[function].output_records;
  const ref_records *sass = &capsule->sass->functions[function].output_records;
  size_t rank[256] = {0}, own[256] = {0};
  bool is_sized[256] = {false}; /* RF875: what Mercury has in this format is not added */
  ref_bytes output = {0};
  for (size_t i = 0; i < records->count; i++) {
    const ref_record *record = &records->items[i];
    if (record->dropped || ref_capsule_is_mercury_s(record) ||
        ref_attribute_is_about_nothing(capsule->mercury, record)) {
      continue;
    }
    own[record->code]++;
    is_sized[record->code] = is_sized[record->code] || record->format == SIZED;
    const ref_record *other = ref_capsule_code_has_offsets(record->code)
                                  ? ref_capsule_find_record(sass, record->code, rank[record->code]++)
                                  : NULL;
    const size_t at = output.size;
    ref_record_write(capsule->mercury, other == NULL ? record : other, &output);
    if (other != NULL && record->code == CODE_BRANCH_TARGETS) {
      ref_capsule_number_branches(capsule, record, &output, at);
    }
    ref_slots_share_count(capsule, function, record, &output);
  }
  for (size_t i = 0; i < sizeof last; i++) {
    const bool is_added = !is_sized[last[i]] && ref_capsule_find_record(sass, last[i], own[last[i]]) != NULL;
    const ref_record *record = is_added ? ref_capsule_find_record(sass, last[i], 0) : NULL;
    if (record != NULL && last[i] == CODE_PARAM_CBANK) {
      ref_capsule_add_parameter_bank(capsule, &output, function, record);
    } else if (record != NULL) {
      ref_record_write(capsule->mercury, record, &output);
    } else if (last[i] == CODE_SW_WAR && !is_sized[CODE_SW_WAR] && own[CODE_SW_WAR] != 0) { /* RF730, RF1008 */
      ref_bytes_add_u32(capsule->mercury, &output, 4U << 16 | CODE_SW_WAR << 8 | SIZED);
      ref_bytes_add_u32(capsule->mercury, &output, capsule->mercury->sm >= 120 ? 0 : 8);
    }
  }
  if (ref_capsule_has_table(capsule->mercury, function)) {
    static const uint8_t banks[] = {2, 0x15, 0, 0, 2, 0x16, 0, 0};
    ref_bytes_add(capsule->mercury, &output, banks, sizeof banks);
  }
  return output;
}

/* L233: relocations about nothing are an input's section in which a symbol lies, taken along as if it held the symbol's bytes. */
static const ref_out_section *ref_capsule_check_section(ref_capsule *capsule, size_t section) {
  const ref_out_section *output = &capsule->mercury->sections[section];
  const bool astray = (output->type == REF_TYPE_RELA && output->target == REF_NONE) ||
                      (output->type == REF_TYPE_RESOLVED_RELA && output->info_section == REF_NONE);
  if (astray) {
    ref_message_fatal(capsule->mercury, "L233", "a symbol lies in '%s', which holds relocations", output->name);
  }
  return output;
}

static ref_bytes ref_capsule_entries(ref_capsule *capsule, size_t section) {
  const ref_out_section *output = &capsule->mercury->sections[section];
  const bool frames = REF_IS(capsule->mercury->sections[output->target].name, ".debug_frame");
  const size_t target = ref_capsule_sass_section(capsule, output->target);
  const size_t function = ref_capsule_function_of(capsule, output->target);
  ref_bytes entries = {0};
  const bool is_own = function == REF_NONE || capsule->mercury->functions[function].bindless != section ||
                      capsule->mercury->job->bug_compatible; /* D140: nvlink has no others on the SASS side */
  if (ref_laid_is_table(capsule->mercury, output->target) && is_own) {
    return ref_laid_entries(capsule, output->target);
  }
  if (capsule->mercury->sections[output->target].type == REF_TYPE_CONSTANT_TABLE && function != REF_NONE) {
    return ref_bindless_entries(capsule->sass, &capsule->sass->functions[function], ref_capsule_index_of, capsule);
  }
  if (ref_capsule_is_line_table(capsule->mercury->sections[output->target].name)) {
    (void)ref_capsule_lines(capsule, output->target, &entries, NULL);
    ref_capsule_sort_entries(&entries);
    return entries;
  }
  if (ref_capsule_is_shared_debug(capsule->mercury->sections[output->target].name) ||
      REF_IS(capsule->mercury->sections[output->target].name, ".nv_debug_info_reg_sass") ||
      REF_IS(capsule->mercury->sections[output->target].name, ".nv_debug_info_reg_type")) { /* RF831 */
    return ref_capsule_shared_entries(capsule, output->target);
  }
  if (REF_IS(capsule->mercury->sections[output->target].name, ".debug_info")) {
    return ref_capsule_debug_info_entries(capsule, output->target);
  }
  if (ref_data_is_derived(capsule->mercury->sections[output->target].type) ||
      capsule->mercury->sections[output->target].type == REF_TYPE_CONSTANT_OPTIMIZER) { /* RF905 */
    return ref_data_entries(capsule, output->target);
  }
  if (output->target == capsule->mercury->slot_section) {
    return ref_slots_entries(capsule);
  }
  if (function != REF_NONE && capsule->mercury->functions[function].text == output->target &&
      (capsule->mercury->relocatable || !ref_slots_is_slot(capsule, function)) &&
      ref_derived_entries(capsule, output->target, target, function, &entries)) {
    return entries;
  }
  return frames ? ref_capsule_frame_relocations(capsule, section) : ref_capsule_relocations(capsule, target);
}

/* What is made of the SASS module's section. */
static ref_bytes ref_capsule_sass_content(ref_capsule *capsule, size_t section, size_t sass) {
  const ref_out_section *output = &capsule->mercury->sections[section];
  const size_t function = output->info_function;
  if (function != REF_NONE) {
    if (capsule->sass->functions[function].text == sass) {
      ref_written_restore_text(capsule, function, &capsule->sass->sections[sass].data);
    }
    ref_mercury_set_table(capsule, section, &capsule->sass->sections[sass].data);
    ref_laid_move_loads(capsule, section);
    if (capsule->sass->functions[function].entry && !capsule->mercury->relocatable &&
        !ref_options_keep_shared_symbols(capsule->mercury)) { /* M41, RF76 */
      ref_leaf_finalize(capsule->mercury, &capsule->sass->sections[sass].data);
    } else if (capsule->sass->functions[function].entry) { /* RF997, RF1317 */
      ref_numbers_open(capsule->mercury, &capsule->sass->sections[sass].data);
      ref_leaf_open(capsule->mercury, &capsule->sass->sections[sass].data);
    }
  }
  if (output->type == REF_TYPE_CONSTANT_TABLE) {
    const uint64_t size = ref_laid_is_table(capsule->mercury, section) ? ref_laid_size(capsule, section)
                                                                       : capsule->sass->sections[sass].size;
    ref_bytes zeros = {0};
    ref_bytes_fill(capsule->mercury, &zeros, (size_t)size);
    return zeros; /* M20 */
  }
  if (REF_IS(output->name, ".nv_debug_info_reg_sass")) {
    return ref_capsule_registers(capsule, section);
  }
  if (REF_IS(output->name, ".nv_debug_info_reg_type")) {
    return ref_capsule_register_types(capsule, section);
  }
  if (REF_IS(output->name, ".debug_info")) {
    return ref_capsule_debug_info(capsule, section);
  }
  if (ref_data_is_derived(output->type) || ref_capsule_is_shared_debug(output->name)) {
    ref_bytes bytes = {0}; /* places are written over them */
    ref_bytes_add(capsule->mercury, &bytes, output->data.data, output->data.size);
    return bytes;
  }
  return capsule->sass->sections[sass].data;
}

ref_bytes ref_capsule_content(ref_capsule *capsule, size_t section) {
  const size_t bodies = capsule->mercury->bodies_section;
  if (bodies != 0 && section == bodies) {
    return capsule->mercury->sections[section].data; /* L890: symbols and records have one number in both views */
  }
  const ref_out_section *output = ref_capsule_check_section(capsule, section);
  if (output->type == REF_TYPE_RELA) {
    return ref_capsule_entries(capsule, section);
  }
  if (output->type == REF_TYPE_RESOLVED_RELA) {
    return ref_capsule_resolved(capsule, output->info_section);
  }
  if (output->type == REF_TYPE_INFO) {
    const size_t function = ref_capsule_function_of(capsule, section);
    return function == REF_NONE ? ref_slots_module_attributes(capsule) : ref_capsule_attributes(capsule, function);
  }
  const ref_section like = {.type = output->type, .flags = output->flags};
  if (!ref_view_is_mirrored(&like) ||
      ref_unified_is_table(output->type)) { /* RF226: the tables have the output's numbers */
    return output->data;
  }
  if (REF_IS(output->name, ".debug_frame")) {
    return ref_capsule_frames(capsule);
  }
  if (ref_capsule_is_line_table(output->name)) {
    ref_bytes entries = {0};
    return ref_capsule_lines(capsule, section, &entries, NULL);
  }
  if (output->type == REF_TYPE_CONSTANT_OPTIMIZER) {
    return ref_capsule_jump_tables(capsule, section, output->data); /* RF471: whatever the SASS views have */
  }
  const size_t sass = ref_capsule_sass_section(capsule, section);
  return sass == REF_NONE ? output->data : ref_capsule_sass_content(capsule, section, sass);
}
