/* What met in a relocatable output: L646, L791, L832, L1031, L1061, L1066, of capsules L890 and L1065. It is one file with one virtual architecture, and nvlink's next link forgets what decided
 * a contest of weak bodies in it, and that a file took an address whose function another defined (D120). By default a section
 * says so that every other linker ignores: a relocation section about nothing, an entry a body, and behind those an entry for each record
 * of the call graph that a replaced body left. */
#include "link.h"

#include <string.h>

enum {
  ENTRY_BYTES = 24,
  REGISTERS_SHIFT = 16,
  TAKEN = 0x10000,
  VIRTUAL = 0xffff,
  OF_BODY = 0,
  OF_RECORD = 1,
  OF_PARTIAL = 2,
  OF_PLACE = 3,
  OF_ALONE = 4,
  OF_LOST = 5,
  OF_POOL = 6
};

static const char *const BODIES = ".nv.resolvedrela.bodies", *const MERCURY_BODIES = ".nv.merc.nv.resolvedrela.bodies";

static bool ref_bodies_matter(const ref_link *link) {
  return !link->job->bug_compatible;
}

/* L890: of a capsule each view has its own. */
static bool ref_bodies_is_section(const ref_link *link, const ref_section *section) {
  const bool mercury = link->view->is_mercury;
  return section->type == (mercury ? REF_TYPE_MERCURY_RESOLVED : REF_TYPE_RESOLVED_RELA) &&
         strcmp(section->name, mercury ? MERCURY_BODIES : BODIES) == 0;
}

/* Its number in the file that is read, 0 when there is none. */
void ref_bodies_find(const ref_link *link, ref_file *file) {
  if (!ref_bodies_matter(link)) {
    return;
  }
  for (uint32_t i = (uint32_t)file->cubin.section_count; i-- > 1;) {
    if (ref_bodies_is_section(link, &file->cubin.sections[i])) {
      file->bodies = i; /* the first counts */
    }
  }
}

/* What a file is known to say of its body of a function. */
ref_body_origin ref_bodies_origin(const ref_file *file, uint32_t symbol) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  for (uint64_t at = 0; file->bodies != 0 && at + ENTRY_BYTES <= section->size; at += ENTRY_BYTES) {
    const uint8_t *entry = section->data + at;
    if (ref_u32(entry + 8) == OF_BODY && ref_u32(entry + 12) == symbol) {
      return (ref_body_origin){(uint16_t)(ref_u32(entry) & VIRTUAL), ref_u16(entry + 16),
                               (ref_u32(entry) & TAKEN) != 0};
    }
  }
  return (ref_body_origin){file->virtual_sm, file->virtual_sm, false};
}

/* L832: is it a kernel of an -ewp object that the file has from before? */
bool ref_bodies_is_partial(const ref_file *file, uint32_t symbol) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  bool found = false;
  for (uint64_t at = 0; file->bodies != 0 && at + ENTRY_BYTES <= section->size && !found; at += ENTRY_BYTES) {
    found = ref_u32(section->data + at + 8) == OF_PARTIAL && ref_u32(section->data + at + 12) == symbol;
  }
  return found;
}

/* L1031: has the file from before a place for it? */
bool ref_bodies_find_place(const ref_file *file, uint32_t symbol, uint64_t *place) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  for (uint64_t at = 0; file->bodies != 0 && at + ENTRY_BYTES <= section->size; at += ENTRY_BYTES) {
    const uint8_t *entry = section->data + at;
    if (ref_u32(entry + 8) == OF_PLACE && ref_u32(entry + 12) == symbol) {
      *place = ref_u64(entry);
      return true;
    }
  }
  return false;
}

/* L1065: is it a function in a kernel's text that a losing body had brought? */
bool ref_bodies_is_lost(const ref_file *file, uint32_t symbol) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  bool found = false;
  for (uint64_t at = 0; file->bodies != 0 && at + ENTRY_BYTES <= section->size && !found; at += ENTRY_BYTES) {
    found = ref_u32(section->data + at + 8) == OF_LOST && ref_u32(section->data + at + 12) == symbol;
  }
  return found;
}

/* L1061: the largest alignment of extern shared memory alone that the file has from before about it. */
bool ref_bodies_find_alone(const ref_file *file, uint32_t symbol, uint64_t *align) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  bool found = false;
  *align = 0;
  for (uint64_t at = 0; file->bodies != 0 && at + ENTRY_BYTES <= section->size; at += ENTRY_BYTES) {
    const uint8_t *entry = section->data + at;
    if (ref_u32(entry + 8) == OF_ALONE && ref_u32(entry + 12) == symbol) {
      *align = ref_larger(ref_u64(entry), *align);
      found = true;
    }
  }
  return found;
}

/* L1066: one of the pools of -ewp objects that the file has from before, in their order. */
bool ref_bodies_find_pool(const ref_file *file, size_t number, ref_bare_pool *pool) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  for (uint64_t at = 0; file->bodies != 0 && at + ENTRY_BYTES <= section->size; at += ENTRY_BYTES) {
    const uint8_t *entry = section->data + at;
    if (ref_u32(entry + 8) == OF_POOL && number-- == 0) {
      *pool = (ref_bare_pool){ref_u64(entry), ref_u64(entry + 16) >> 1, (entry[16] & 1) != 0};
      return true;
    }
  }
  return false;
}

/* L791: whose record it is, if the file says that it is a replaced body's. */
static bool ref_bodies_find_replaced(const ref_file *file, uint64_t place, ref_reading *reading) {
  const ref_section *section = &file->cubin.sections[file->bodies];
  if (file->bodies == 0) {
    return false;
  }
  for (uint64_t at = 0; at + ENTRY_BYTES <= section->size; at += ENTRY_BYTES) {
    const uint8_t *entry = section->data + at;
    if (ref_u32(entry + 8) == OF_RECORD && ref_u64(entry) == place) {
      reading->registers = (uint32_t)(ref_u64(entry + 16) >> REGISTERS_SHIFT);
      reading->virtual_sm = ref_u16(entry + 16);
      return true;
    }
  }
  return false;
}

/* L791: the file's body took another one's place, which the body that the record is of would not have. */
bool ref_bodies_loses_record(const ref_file *file, const ref_function *function, uint32_t symbol, uint64_t place) {
  ref_reading reading = {0};
  if (file->body_of[symbol] != REF_BODY_REPLACES || !ref_bodies_find_replaced(file, place, &reading)) {
    return false;
  }
  return reading.registers > function->beaten_registers ||
         (reading.registers == function->beaten_registers && reading.virtual_sm <= function->beaten_virtual_sm);
}

/* L791: what a relocatable link reads. */
void ref_bodies_add_reading(ref_link *link, ref_function *function, size_t file_number, ref_record_of_calls record) {
  const ref_file *file = &link->files[file_number];
  if (!link->relocatable || !ref_bodies_matter(link)) {
    return;
  }
  ref_reading reading = {
      .record = record, .file = file_number, .registers = function->registers, .virtual_sm = function->virtual_sm};
  reading.has_body = file->body_of[record.symbol] != REF_BODY_NONE && file->body_of[record.symbol] != REF_BODY_LOSES;
  reading.was_replaced = ref_bodies_find_replaced(file, record.place, &reading);
  function->readings = ref_memory_grow(link, function->readings, function->reading_count, &function->reading_capacity,
                                       sizeof *function->readings);
  function->readings[function->reading_count++] = reading;
}

static bool ref_bodies_is_reading_of(const ref_reading *reading, const ref_record_of_calls *record) {
  if (reading->record.part != record->part) {
    return false;
  }
  switch (record->part) {
  case REF_PART_CALLS:
  case REF_PART_REFERENCES:
    return reading->record.callee == record->callee;
  case REF_PART_INDIRECT:
    return strcmp(reading->record.prototype, record->prototype) == 0;
  default:
    return true;
  }
}

/* L791: of several readings of a record the last counts. */
void ref_bodies_note_record(ref_link *link, const ref_function *function, ref_record_of_calls record) {
  size_t last = function->reading_count;
  while (last > 0 && !ref_bodies_is_reading_of(&function->readings[last - 1], &record)) {
    last--;
  }
  if (last == 0 || (record.part == REF_PART_TAKEN && function->taken_elsewhere)) {
    return;
  }
  const ref_reading *reading = &function->readings[last - 1];
  if (!reading->was_replaced && (!reading->has_body || function->definition_file == reading->file)) {
    return;
  }
  link->body_records = ref_memory_grow(link, link->body_records, link->body_record_count, &link->body_record_capacity,
                                       sizeof *link->body_records);
  link->body_records[link->body_record_count++] = (ref_body_record){
      record.place, function->symbol, (uint64_t)reading->registers << REGISTERS_SHIFT | reading->virtual_sm};
}

/* A body whose contest the next link would decide otherwise. */
static bool ref_bodies_are_noted(const ref_link *link, const ref_function *function, uint16_t output_sm) {
  const bool stands =
      function->defined && function->weak && function->symbol != REF_NONE && !link->symbols[function->symbol].dropped;
  return stands &&
         (function->taken_elsewhere || function->virtual_sm != output_sm || function->first_virtual_sm != output_sm);
}

/* L832 */
static bool ref_bodies_is_noted_partial(const ref_link *link, const ref_function *function) {
  const bool is_shown = function->live && function->symbol != REF_NONE && !link->symbols[function->symbol].dropped;
  return is_shown && function->entry && ref_partial_has_kernel(link, function);
}

/* L1031: of a kernel's own. */
static bool ref_bodies_is_noted_place(const ref_out_symbol *symbol, size_t pool) {
  return !symbol->dropped && (symbol->is_laid || symbol->is_whole) && symbol->section != pool;
}

/* L1065, D146: of the Mercury view alone. */
static bool ref_bodies_is_noted_lost(const ref_link *link, const ref_out_symbol *symbol) {
  return link->view->is_mercury && !symbol->dropped && ref_inner_is_lost(link, symbol->function);
}

static void ref_bodies_write_entry(ref_link *link, uint64_t place, uint32_t type, size_t symbol, uint64_t addend) {
  ref_bytes *data = &link->sections[link->bodies_section].data;
  ref_bytes_add_u64(link, data, place);
  ref_bytes_add_u32(link, data, type);
  ref_bytes_add_u32(link, data, ref_symbol_index(link, symbol));
  ref_bytes_add_u64(link, data, addend);
}

static size_t ref_bodies_find_kernel(const ref_link *link, size_t section) {
  size_t kernel = 0;
  while (kernel < link->function_count && link->functions[kernel].shared != section) {
    kernel++;
  }
  return kernel < link->function_count ? kernel : REF_NONE;
}

/* L1061 */
static bool ref_bodies_is_noted_alone(const ref_link *link, const ref_out_symbol *symbol) {
  return symbol->is_partial && symbol->size == 0 && ref_bodies_find_kernel(link, symbol->section) != REF_NONE;
}

/* L1061: the object of the kernel that stands in front of it in the output, else the kernel. */
static size_t ref_bodies_find_front(const ref_link *link, size_t place) {
  const size_t section = link->symbols[link->shared_objects.items[place]].section;
  while (place-- > 0) {
    const size_t number = link->shared_objects.items[place];
    if (number != REF_NONE && link->symbols[number].section == section && !link->symbols[number].dropped) {
      return number;
    }
  }
  return link->functions[ref_bodies_find_kernel(link, section)].symbol;
}

static void ref_bodies_write_alone(ref_link *link) {
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const size_t number = link->shared_objects.items[i];
    if (number != REF_NONE && ref_bodies_is_noted_alone(link, &link->symbols[number])) {
      ref_bodies_write_entry(link, link->symbols[number].auxiliary, OF_ALONE, ref_bodies_find_front(link, i), 0);
    }
  }
}

static void ref_bodies_write_pools(ref_link *link) {
  for (size_t i = 0; i < link->bare_pool_count; i++) {
    const ref_bare_pool *pool = &link->bare_pools[i];
    ref_bodies_write_entry(link, pool->align, OF_POOL, REF_NONE, pool->size << 1 | pool->is_apart);
  }
}

/* The section has its size before anything is placed. */
void ref_bodies_add_section(ref_link *link) {
  const uint16_t output_sm = ref_notes_virtual_sm(link);
  ref_bytes graph = {0};
  if (!link->relocatable || !ref_bodies_matter(link)) {
    return;
  }
  ref_callgraph_write_records(link, &graph);
  uint64_t size = (link->body_record_count + link->bare_pool_count) * ENTRY_BYTES;
  for (size_t i = 0; i < link->function_count; i++) {
    size += ref_bodies_are_noted(link, &link->functions[i], output_sm) ? ENTRY_BYTES : 0;
    size += ref_bodies_is_noted_partial(link, &link->functions[i]) ? ENTRY_BYTES : 0;
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    size += ref_bodies_is_noted_place(&link->symbols[i], ref_section_find_pool(link)) ? ENTRY_BYTES : 0;
    size += ref_bodies_is_noted_lost(link, &link->symbols[i]) ? ENTRY_BYTES : 0;
    size += ref_bodies_is_noted_alone(link, &link->symbols[i]) ? ENTRY_BYTES : 0;
  }
  if (size == 0) {
    return;
  }
  link->bodies_section = ref_section_add(link, BODIES, REF_TYPE_RESOLVED_RELA, 0, 8, ENTRY_BYTES);
  link->sections[link->bodies_section].links_symtab = true;
  link->sections[link->bodies_section].size = size;
}

/* In the order of the symbols, whose numbers are known now. */
void ref_bodies_write(ref_link *link) {
  const uint16_t output_sm = ref_notes_virtual_sm(link);
  if (link->bodies_section == 0) {
    return;
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    const size_t number = link->symbols[i].function;
    if (number != REF_NONE && ref_bodies_are_noted(link, &link->functions[number], output_sm)) {
      const ref_function *function = &link->functions[number];
      const uint64_t taken = function->taken_elsewhere ? TAKEN : 0;
      ref_bodies_write_entry(link, function->virtual_sm | taken, OF_BODY, i, function->first_virtual_sm);
    }
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    const size_t number = link->symbols[i].function;
    if (number != REF_NONE && ref_bodies_is_noted_partial(link, &link->functions[number])) {
      ref_bodies_write_entry(link, 0, OF_PARTIAL, i, 0);
    }
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (ref_bodies_is_noted_place(&link->symbols[i], ref_section_find_pool(link))) {
      ref_bodies_write_entry(link, link->symbols[i].laid_place, OF_PLACE, i, 0);
    }
  }
  ref_bodies_write_alone(link);
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (ref_bodies_is_noted_lost(link, &link->symbols[i])) {
      ref_bodies_write_entry(link, 0, OF_LOST, i, 0);
    }
  }
  ref_bodies_write_pools(link);
  for (size_t i = 0; i < link->body_record_count; i++) {
    const ref_body_record *record = &link->body_records[i];
    ref_bodies_write_entry(link, record->place, OF_RECORD, record->symbol, record->body);
  }
}
