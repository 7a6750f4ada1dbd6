/* Textures, samplers and surfaces that ptxas laid out in kernels of -ewp objects: L749, RF304. */
#include "capsule.h"

enum {
  CODE_PARAM_CBANK = 0x0a,
  OFFSET_AT = 4,
  SIZE_AT = 6,
  PARAMETER_BYTES = 8,
  TABLE_ALIGN = 16,
  SYMBOL_OF_TEXT = 0xffffff,
  LARGEST = 1 << 30
};

/* RF1318: a table of textures is about code or, as nvlink has it too, about a bank of parameters; about another section nvlink ends by a signal
 * or not at all. */
void ref_laid_check_tables(ref_link *link, const ref_file *file) {
  const ref_cubin *whole = &file->whole;
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *table = &whole->sections[i];
    if (table->type != REF_TYPE_CONSTANT_TABLE || table->info >= whole->section_count ||
        (table->flags & REF_FLAG_MERCURY) == 0) {
      continue;
    }
    const uint32_t type = whole->sections[table->info].type;
    if (type != REF_TYPE_CAPSULE_TEXT && type != REF_TYPE_CONSTANT) {
      ref_message_fatal(link, "RF1318", "Input file '%s' is damaged: section '%s' is about a section that is no code",
                        file->name, table->name);
    }
  }
}

bool ref_laid_is_table(const ref_link *mercury, size_t section) {
  const size_t text = mercury->sections[section].info_section;
  const size_t function = text == REF_NONE ? REF_NONE : mercury->sections[text].info_function;
  return function != REF_NONE && mercury->functions[function].laid_table == section;
}

/* RF1019: where no record says the bank, as beside a damaged symbol of it, the parameters' records say where they end. */
static uint64_t ref_laid_parameters_size(const ref_link *sass, const ref_function *function,
                                         const ref_records *records) {
  enum { CODE_KPARAM = 0x17, KPARAM_BYTES = 12, KPARAM_OFFSET = 6, KPARAM_SIZE = 8, KPARAM_SHIFT = 18 };
  uint64_t end = 0;
  for (size_t i = 0; i < records->count; i++) {
    const ref_record *record = &records->items[i];
    if (record->code == CODE_KPARAM && !record->dropped && record->payload.size == KPARAM_BYTES) {
      end = ref_larger(end, (uint64_t)ref_u16(record->payload.data + KPARAM_OFFSET) +
                                (ref_u32(record->payload.data + KPARAM_SIZE) >> KPARAM_SHIFT));
    }
  }
  return end == 0 ? sass->sections[function->constant0].size : REF_BANK_RESERVED + end;
}

/* Before attributes are finished those of the input say it. */
static uint64_t ref_laid_parameters_end(const ref_link *sass, const ref_function *function) {
  const ref_records *records = function->output_records.count != 0 ? &function->output_records : &function->records;
  for (size_t i = 0; i < records->count; i++) {
    const ref_record *record = &records->items[i];
    if (record->code == CODE_PARAM_CBANK && !record->dropped && record->payload.size >= PARAMETER_BYTES) {
      return (uint64_t)ref_u16(record->payload.data + OFFSET_AT) + ref_u16(record->payload.data + SIZE_AT);
    }
  }
  return ref_laid_parameters_size(sass, function, records);
}

/* The Mercury module's partner of a kernel's parameters: its table (M27), or what ptxas laid out; REF_NONE: none. */
size_t ref_laid_table_of(const ref_link *mercury, size_t function) {
  const size_t table = mercury->functions[function].constant0;
  return table == REF_NONE ? mercury->functions[function].laid_table : table;
}

/* RF304: where all tables begin, and the loads from them read: behind the parameters of the kernel that has most. */
uint64_t ref_laid_find_base(const ref_link *sass) {
  uint64_t base = 0;
  for (size_t i = 0; i < sass->function_count; i++) {
    if (sass->functions[i].constant0 != REF_NONE) {
      const uint64_t end = ref_laid_parameters_end(sass, &sass->functions[i]);
      base = ref_larger(end, base);
    }
  }
  return ref_align_up(base, TABLE_ALIGN);
}

/* The live function in whose Mercury text a section of the whole file is one of its tables, also where its body lost (RF490); REF_NONE: it is
 * none. */
static size_t ref_laid_owner(const ref_link *link, const ref_file *file, uint32_t number) {
  const ref_section *table = &file->whole.sections[number];
  const bool is_table = table->type == REF_TYPE_CONSTANT_TABLE && (table->flags & REF_FLAG_MERCURY) != 0;
  if (!is_table || table->info >= file->whole.section_count) {
    return REF_NONE;
  }
  const uint32_t symbol = file->whole.sections[table->info].info & SYMBOL_OF_TEXT;
  const size_t function = symbol < file->cubin.symbol_count ? file->function_of[symbol] : REF_NONE;
  return function != REF_NONE && link->functions[function].live ? function : REF_NONE;
}

/* L808: of a function's tables in the SASS view, which has none of them, what the Mercury view will have. */
static uint64_t *ref_laid_list_sizes(ref_link *link) {
  uint64_t *sizes = REF_TAKE(link, uint64_t, link->function_count);
  for (size_t f = 0; f < link->file_count; f++) {
    for (uint32_t i = 1; i < link->files[f].whole.section_count; i++) {
      const ref_section *table = &link->files[f].whole.sections[i];
      const size_t function = ref_laid_owner(link, &link->files[f], i);
      if (function != REF_NONE && table->align != 0 && table->size <= LARGEST && sizes[function] <= LARGEST) {
        sizes[function] = ref_align_up(sizes[function], table->align) + table->size;
      }
    }
  }
  return sizes;
}

/* L808: the largest table that ptxas laid out. Behind it are the slots of the link, in all kernels. */
uint64_t ref_laid_find_largest(ref_link *link) {
  uint64_t largest = 0;
  if (!link->is_capsule || link->relocatable) {
    return 0;
  }
  const uint64_t *sizes = ref_laid_list_sizes(link);
  for (size_t i = 0; i < link->function_count; i++) {
    const size_t table = link->functions[i].laid_table;
    largest = ref_larger(link->view->is_mercury && table != REF_NONE ? link->sections[table].size : sizes[i], largest);
  }
  return largest;
}

bool ref_laid_is_anywhere(const ref_link *link) {
  for (size_t f = 0; f < link->file_count && link->is_capsule; f++) {
    for (uint32_t i = 1; i < link->files[f].whole.section_count; i++) {
      if (ref_laid_owner(link, &link->files[f], i) != REF_NONE) {
        return true;
      }
    }
  }
  return false;
}

/* A file's section of a type that is about a function; 0: none. */
static uint32_t ref_laid_section_of(const ref_file *file, size_t function, uint32_t type) {
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    const uint32_t owner = file->cubin.sections[i].type == type ? ref_merge_owner(file, i) : 0;
    if (owner != 0 && file->function_of[owner] == function) {
      return i;
    }
  }
  return 0;
}

/* Of the entries about a section of a file; UINT64_MAX: none. */
static uint64_t ref_laid_lowest_entry(const ref_file *file, uint32_t section) {
  uint64_t lowest = UINT64_MAX;
  for (uint32_t i = 1; i < file->cubin.section_count && section != 0; i++) {
    const ref_section *table = &file->cubin.sections[i];
    if ((table->type != REF_TYPE_RELA && table->type != REF_TYPE_REL) || table->info != section) {
      continue;
    }
    for (size_t k = 0; k < ref_cubin_relocation_count(&file->cubin, i); k++) {
      lowest = ref_smaller(lowest, ref_cubin_relocation(&file->cubin, i, k).offset);
    }
  }
  return lowest;
}

/* D149: the table of the body that stands, in the output and in its file, where its entries are at the same places in both views. */
static void ref_laid_find_own(const ref_capsule *capsule, size_t function, ref_laid_place *place) {
  const size_t number = capsule->mercury->functions[function].definition_file;
  if (number == REF_NONE) {
    return;
  }
  const ref_file *mercury = &capsule->mercury->files[number], *sass = &capsule->sass->files[number];
  const uint32_t table = ref_laid_section_of(mercury, function, REF_TYPE_CONSTANT_TABLE);
  const uint64_t first = ref_laid_lowest_entry(mercury, table);
  const uint64_t sass_first = ref_laid_lowest_entry(sass, ref_laid_section_of(sass, function, REF_TYPE_CONSTANT));
  if (table != 0) {
    place->own = mercury->offset_in[table];
  }
  if (first != UINT64_MAX && sass_first != UINT64_MAX && sass_first >= first) {
    place->input_base = sass_first - first;
    place->size = mercury->cubin.sections[table].size;
  }
}

/* `text` is the Mercury module's. RF490, D149: loads are of the first of several bodies' tables, whichever body stands; by default of
 * that body's own. */
void ref_laid_move_loads(ref_capsule *capsule, size_t text) {
  const ref_link *mercury = capsule->mercury;
  const size_t function = mercury->sections[text].info_function;
  if (mercury->functions[function].laid_table == REF_NONE) {
    return;
  }
  ref_laid_place place = {.base = capsule->laid_base, .slots = UINT64_MAX};
  if (!mercury->job->bug_compatible) {
    place.slots = mercury->slots.count == 0 ? UINT64_MAX : mercury->laid_size;
    ref_laid_find_own(capsule, function, &place);
  }
  const size_t sass = capsule->sass->functions[function].text;
  ref_mercury_move_loads(capsule, text, &place, &capsule->sass->sections[sass].data);
}

uint64_t ref_laid_size(const ref_capsule *capsule, size_t section) {
  return capsule->laid_base + capsule->mercury->sections[section].size;
}

/* The Mercury view's entries, of all bodies, at their places behind the base, with the types of entries of data (RF905). */
ref_bytes ref_laid_entries(ref_capsule *capsule, size_t section) {
  ref_link *mercury = capsule->mercury;
  ref_bytes output = {0};
  for (size_t i = mercury->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &mercury->relocations[i];
    const uint32_t type =
        entry->dropped || entry->target != section ? 0 : ref_data_sass_type(entry->type, false); /* RF863 */
    if (type != 0) {
      ref_capsule_write_entry(capsule, &output, capsule->laid_base + entry->offset, type,
                              ref_symbol_index(mercury, entry->symbol), entry->addend);
    }
  }
  return output;
}
