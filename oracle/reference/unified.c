/* Unified tables of a relocatable link: W12.7, U3, U4, U12, RF710, RF713, RF790, RF793, RF794, RF885. Their entries go through it as they are, but for the symbol. */
#include "link.h"

#include <string.h>

enum {
  ENTRY_BYTES = 32,
  FLAGS_AT = 4,
  OFFSET_AT = 8,
  FLAGS = 7,
  ADDED_FLAGS = 6,
  RETURN_LOW = 56,
  RETURN_HIGH = 57,
  NUMBERS_OF_ENTRIES = 2
};

#define LACKING UINT32_C(0x80000000)

/* RF188: code of SASS kind for sm_100 and later has both tables a second time, among Mercury's sections. */
bool ref_unified_is_copy(const ref_section *section) {
  return ref_unified_is_table(section->type) && (section->flags & REF_FLAG_MERCURY) != 0;
}

/* R13a, U2: entries of type 114 stay if the link has a table of functions. */
bool ref_unified_keeps_offset(const ref_link *link) {
  return (link->relocatable || link->has_index) && ref_map_find(&link->section_by_name, ".nv.uft.entry") != REF_NONE;
}

size_t ref_unified_symbol(const ref_link *link, const ref_file *file, uint32_t index) {
  if (index >= file->cubin.symbol_count) {
    return REF_NONE;
  }
  const size_t function = file->function_of[index];
  return function == REF_NONE ? file->symbol_of[index] : link->functions[function].symbol;
}

/* RF222: the places that the copies tell are those of before the index file moved anything. */
static void ref_unified_write_copied_place(const ref_link *link, uint32_t type, size_t symbol, uint8_t *at) {
  const ref_unified *entry = ref_unified_of_symbol(&link->unified_functions, symbol);
  if (entry == NULL || type == REF_TYPE_UDT_ENTRY) {
    entry = ref_unified_of_symbol(&link->unified_objects, symbol);
  }
  ref_put_u64(at, entry == NULL ? 0 : entry->before);
}

/* RF1041: nvlink finds the output's tables by their names, so that in one of another name symbols keep its own numbers. */
static bool ref_unified_is_known(const ref_link *link, const ref_section *input) {
  const char *const name = input->name;
  return link->is_capsule || strcmp(name, ".nv.uft.entry") == 0 || strcmp(name, ".nv.udt.entry") == 0;
}

/* RF1042: what the index file says of this entry, one of several about a symbol; in capsules of the symbol's first. */
static const ref_unified *ref_unified_find(ref_link *link, const ref_section *table, uint64_t at, size_t symbol) {
  if (!link->is_capsule && !ref_unified_is_copy(table)) {
    const bool functions = table->type == REF_TYPE_UFT_ENTRY;
    return ref_unified_of_input(functions ? &link->unified_functions : &link->unified_objects, table->data + at);
  }
  const ref_unified *entry = ref_unified_of_symbol(&link->unified_functions, symbol);
  return entry == NULL ? ref_unified_of_symbol(&link->unified_objects, symbol) : entry;
}

/* The entry that the output has for one of a file's. */
static uint8_t *ref_unified_entry_of(ref_link *link, const ref_file *file, uint32_t number, uint64_t at) {
  const ref_bytes *output = &link->sections[file->section_of[number]].data;
  if (file->offset_in[number] + at + ENTRY_BYTES > output->size) { /* a table that is called `.nv.udt` */
    ref_message_fatal(link, "D20", "A table of unified objects lies in their section");
  }
  return output->data + file->offset_in[number] + at;
}

static uint64_t ref_unified_offset_of(ref_link *link, const ref_section *input, size_t symbol,
                                      const ref_unified *known) {
  const bool own = known != NULL && !link->is_capsule;
  if (own && known->found) {
    return known->offset;
  }
  if (input->type == REF_TYPE_UDT_ENTRY && own) {
    return known->before;
  }
  if (input->type == REF_TYPE_UDT_ENTRY && symbol != REF_NONE) {
    return link->symbols[symbol].value;
  }
  const ref_unified *slot = ref_unified_of_symbol(&link->unified_functions, symbol);
  return slot == NULL ? 0 : slot->offset;
}

/* The offset of data is its place in the output's `.nv.udt`. RF790: two flags are added to those that the input has, an executable's highest
 * bit is what L117 says (the index file has no place for it), and with -r the offset of a function is 0, whatever the input says. RF1041: so is
 * that of symbol 0. */
static void ref_unified_write_place(ref_link *link, const ref_section *input, uint64_t at, size_t symbol,
                                    uint8_t *entry) {
  const bool placed = ref_unified_is_placed(link);
  const ref_unified *known = placed ? ref_unified_find(link, input, at, symbol) : NULL;
  const uint32_t kept = placed ? ~LACKING : UINT32_MAX;
  const uint32_t flags = link->is_capsule ? FLAGS : (ref_u32(entry + FLAGS_AT) & kept) | ADDED_FLAGS;
  ref_put_u32(entry + FLAGS_AT, known != NULL && !known->found ? flags | LACKING : flags);
  if (ref_unified_is_copy(input) && placed) {
    ref_unified_write_copied_place(link, input->type, symbol, entry + OFFSET_AT);
  } else if (placed || (input->type == REF_TYPE_UDT_ENTRY && symbol != REF_NONE)) {
    ref_put_u64(entry + OFFSET_AT, ref_unified_offset_of(link, input, symbol, known));
  } else if (!link->is_capsule && (input->type == REF_TYPE_UFT_ENTRY || symbol == REF_NONE)) {
    ref_put_u64(entry + OFFSET_AT, 0);
  }
}

/* RF885: is it one that nvlink has, too? */
static bool ref_unified_counts(const ref_out_symbol *symbol) {
  return !symbol->is_partial && symbol->ghost_of == 0;
}

/* RF885: nvlink's own numbers: of what stands among the locals from 1 on, of globals from -1 down, whether it is in the output or not. */
static void ref_unified_number_all(ref_link *link) {
  ref_unified_numbers *numbers = &link->unified_numbers;
  for (; numbers->known < link->symbol_count; numbers->known++) {
    const ref_out_symbol *symbol = &link->symbols[numbers->known];
    if (ref_unified_counts(symbol)) {
      ref_indices_add(link, symbol->local_list ? &numbers->locals : &numbers->globals, numbers->known);
    }
  }
}

/* 0 for none. */
static uint32_t ref_unified_own_number(const ref_link *link, size_t symbol) {
  const bool local = symbol != REF_NONE && link->symbols[symbol].local_list;
  const ref_indices *list = local ? &link->unified_numbers.locals : &link->unified_numbers.globals;
  size_t low = 0, high = symbol == REF_NONE ? 0 : list->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list->items[middle] < symbol) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found = symbol != REF_NONE && low < list->count && list->items[low] == symbol;
  return !found ? 0 : local ? (uint32_t)(low + 1) : (uint32_t)-(int64_t)(low + 1);
}

/* L1726: a return address, about the function that it stands in. */
static bool ref_unified_is_return(const ref_link *link, const ref_out_relocation *entry) {
  const size_t function = entry->symbol == REF_NONE ? REF_NONE : link->symbols[entry->symbol].function;
  return (entry->type == RETURN_LOW || entry->type == RETURN_HIGH) && function != REF_NONE &&
         link->functions[function].text == entry->target;
}

/* The file in whose merging the symbol was made. */
static size_t ref_unified_file_of(const ref_link *link, size_t symbol) {
  size_t file = 0;
  while (file + 1 < link->file_count && link->files[file + 1].first_symbol <= symbol) {
    file++;
  }
  return file;
}

/* RF1294: in an executable each kernel takes one more. */
static void ref_unified_count_kernels(ref_link *link) {
  for (size_t i = 0; i < link->function_count && !link->relocatable; i++) {
    const ref_function *function = &link->functions[i];
    const size_t symbol = function->text == REF_NONE ? REF_NONE : link->sections[function->text].symbol;
    if (function->entry && function->live && symbol != REF_NONE) {
      link->unified_numbers.taken[ref_unified_file_of(link, symbol)]++;
    }
  }
}

/* L1726: a section of entries takes a number among the local ones with its first entry, and another with the second of a section of a file, once; a
 * return address behind another entry does not count. By file, how many. */
static void ref_unified_count_entries(ref_link *link) {
  size_t *last = ref_memory_take_numbers(link, link->section_count + 1); /* the entry that was there last */
  bool *is_done = REF_TAKE(link, bool, link->section_count + 1);
  link->unified_numbers.taken = REF_TAKE(link, uint32_t, link->file_count + 1);
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    if (entry->section >= link->section_count || is_done[entry->section]) {
      continue;
    }
    const size_t before = last[entry->section];
    const bool is_second = before != REF_NONE && link->relocations[before].file == entry->file &&
                           link->relocations[before].input_table == entry->input_table;
    if (is_second && ref_unified_is_return(link, entry)) {
      continue;
    }
    is_done[entry->section] = is_second;
    link->unified_numbers.taken[entry->file] += is_second || before == REF_NONE;
    last[entry->section] = i;
  }
  ref_unified_count_kernels(link);
}

/* Those of the files before the one that made the symbol. */
static uint32_t ref_unified_taken_before(const ref_link *link, size_t symbol) {
  uint32_t taken = 0;
  for (size_t i = 0; i < ref_unified_file_of(link, symbol); i++) {
    taken += link->unified_numbers.taken[i];
  }
  return taken;
}

/* RF188, RF1077: in the copies symbols have nvlink's own numbers: -1 is the first global one; RF1195: and of local ones. */
static uint32_t ref_unified_number(const ref_link *link, size_t symbol, bool copy) {
  const uint32_t index = symbol == REF_NONE ? 0 : link->symbols[symbol].index;
  if (!copy || index == 0) {
    return index;
  }
  return index >= link->first_global ? 0 - link->symbols[symbol].own_number
                                     : ref_unified_own_number(link, symbol) + ref_unified_taken_before(link, symbol);
}

/* RF713, RF885: what an entry has left of nvlink's own number is read as one. */
static uint32_t ref_unified_changed_number(ref_link *link, uint32_t number) {
  const bool local = number < 0x80000000;
  const ref_indices *list = local ? &link->unified_numbers.locals : &link->unified_numbers.globals;
  const size_t place = local ? (size_t)number - 1 : (size_t)(UINT32_MAX - number);
  const uint32_t index = place < list->count ? link->symbols[list->items[place]].index : 0;
  if (index == 0) {
    ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
  }
  return index;
}

static void ref_unified_write_number(ref_link *link, const ref_section *input, size_t symbol, uint8_t *entry,
                                     uint32_t number) {
  const uint32_t found = ref_u32(entry);
  const uint32_t own = link->is_capsule ? 0 : ref_unified_own_number(link, symbol);
  const bool copy = ref_unified_is_copy(input) || !ref_unified_is_known(link, input);
  if (!link->is_capsule && found == 0) { /* RF794 */
    return;
  }
  if (!link->is_capsule && found != (own == 0 ? number : own) && !copy) { /* RF713: an entry has written over it */
    ref_put_u32(entry, ref_unified_changed_number(link, found));
    return;
  }
  ref_put_u32(entry, ref_unified_number(link, symbol, copy));
}

/* RF1079: what -r wrote into a copy are nvlink's own numbers, over which it ends by a signal where it reads them. */
static void ref_unified_check_number(ref_link *link, const ref_file *file, const ref_section *input, uint32_t index) {
  if (ref_unified_is_copy(input) && link->job->bug_compatible && !link->is_capsule && index > INT32_MAX) {
    ref_message_fatal(link, "RF1079",
                      "Input file '%s' is damaged: section '%s' names a symbol outside the symbol table", file->name,
                      input->name);
  }
}

/* {symbol, 7, offset, two words of identity}. RF713: the words in the middle are there before entries are applied, the symbol's number is
 * written behind them; in capsules all is. RF794: a number that an entry has set to 0 stays. */
static void ref_unified_write_table(ref_link *link, const ref_file *file, uint32_t number, bool early) {
  const ref_section *input = &file->cubin.sections[number];
  for (uint64_t at = 0; input->data != NULL && at + ENTRY_BYTES <= input->size; at += ENTRY_BYTES) {
    const uint32_t index = ref_u32(input->data + at);
    ref_unified_check_number(link, file, input, index);
    const size_t symbol = ref_unified_symbol(link, file, index);
    uint8_t *entry = ref_unified_entry_of(link, file, number, at);
    if (early || link->is_capsule) {
      ref_unified_write_place(link, input, at, symbol, entry);
    }
    if (early && ref_unified_own_number(link, symbol) != 0) {
      ref_put_u32(entry, ref_unified_own_number(link, symbol));
    }
    if (!early) {
      ref_unified_write_number(link, input, symbol, entry, index);
    }
  }
}

static void ref_unified_write_tables(ref_link *link, bool early) {
  bool is_numbered = false; /* which the first table is there for */
  for (size_t i = 0; i < link->file_count; i++) {
    const ref_file *file = &link->files[i];
    for (uint32_t k = 1; k < file->cubin.section_count; k++) {
      if (!ref_unified_is_table(file->cubin.sections[k].type) || file->section_of[k] == REF_NONE) {
        continue;
      }
      if (!is_numbered) {
        is_numbered = true;
        ref_unified_number_all(link);
        ref_unified_count_entries(link);
      }
      ref_unified_write_table(link, file, k, early);
    }
  }
}

/* RF713: when all has its place. */
void ref_unified_write_places(ref_link *link) {
  if (!link->is_capsule) {
    ref_unified_write_tables(link, true);
  }
}

static bool ref_unified_names_nothing(const ref_cubin *cubin, const ref_section *table) {
  for (uint64_t at = 0; table->data != NULL && at + ENTRY_BYTES <= table->size; at += ENTRY_BYTES) {
    if (ref_u32(table->data + at) >= cubin->symbol_count) {
      return true;
    }
  }
  return false;
}

/* RF697: in an executable without an index file nvlink ends by a signal over an entry of a symbol that there is not. */
void ref_unified_check_entries(ref_link *link) {
  for (size_t i = 0; i < link->file_count && !link->has_index && !link->relocatable; i++) {
    const ref_cubin *cubin = &link->files[i].cubin;
    for (uint32_t k = 1; k < cubin->section_count; k++) {
      if (cubin->sections[k].type == REF_TYPE_UFT_ENTRY && ref_unified_names_nothing(cubin, &cubin->sections[k])) {
        ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
      }
    }
  }
}

/* RF710: what has the name of a table and is none keeps the input's numbers, which nvlink reads as its own; with -r no other number than 0 is
 * sure to be right. RF969: in an executable 1 to 4 are surely those of sections that have no symbol. */
static void ref_unified_refuse_namesake(ref_link *link, const char *name) {
  const uint32_t without_symbol = 4; /* .shstrtab, .strtab, .symtab, .symtab_shndx */
  const size_t number = link->is_capsule ? REF_NONE : ref_map_find(&link->section_by_name, name);
  if (number == REF_NONE || link->sections[number].dropped || ref_unified_is_table(link->sections[number].type)) {
    return;
  }
  const ref_bytes *data = &link->sections[number].data;
  for (size_t at = 0; at + ENTRY_BYTES <= data->size; at += ENTRY_BYTES) {
    const uint32_t symbol = ref_u32(data->data + at);
    if (symbol != 0 && (link->relocatable || symbol <= without_symbol)) {
      ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
    }
  }
}

/* RF793, L473: a table that an object has placed before its time goes through the link as it is, with the input's numbers. Where these happen to
 * fit nvlink links. */
void ref_unified_note_placed(ref_link *link, const ref_section *table) {
  const bool counts = !link->is_capsule && table->size >= ENTRY_BYTES;
  link->has_raw_functions = link->has_raw_functions || (counts && table->type == REF_TYPE_UFT_ENTRY);
  link->has_raw_objects = link->has_raw_objects || (counts && table->type == REF_TYPE_UDT_ENTRY);
}

/* RF1039: found with the entries that stay, before what E68 and E70 are said of. */
void ref_unified_check_namesakes(ref_link *link) {
  if (link->has_raw_functions || link->has_raw_objects) { /* RF793 */
    ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
  }
  ref_unified_refuse_namesake(link, ".nv.uft.entry");
  ref_unified_refuse_namesake(link, ".nv.udt.entry");
}

/* When symbols have numbers. */
void ref_unified_write(ref_link *link) {
  ref_unified_check_namesakes(link);
  ref_unified_write_tables(link, false);
}
