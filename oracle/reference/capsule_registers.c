/* SASS `.nv_debug_info_reg_sass` of a capsule link: RF79. For each function its name, a count, and that many records: a word, a
 * variable's name, its register, and the range of SASS offsets in which it holds the variable. */
#include "capsule.h"

#include <string.h>

enum { WORD = 4, BEFORE_NAME = 4, REGISTER = 4, RANGE = 8 };

typedef struct ref_registers {
  uint8_t *data;
  uint64_t at, end;
} ref_registers;

/* Past a string; NULL when it has no end. */
static const char *ref_registers_string(ref_registers *registers) {
  const char *text = (const char *)registers->data + registers->at;
  const void *end = memchr(text, 0, (size_t)(registers->end - registers->at));
  if (end == NULL) {
    return NULL;
  }
  registers->at += (uint64_t)((const char *)end - text) + 1;
  return text;
}

/* The functions that a file has bodies of, by name; the first of a name counts. */
static ref_map ref_registers_bodies(ref_link *link, const ref_file *file) {
  ref_map bodies = {0};
  for (size_t i = file->cubin.symbol_count; i-- > 1;) {
    if (file->function_of[i] != REF_NONE && file->cubin.symbols[i].section != 0) {
      ref_map_set(link, &bodies, file->cubin.symbols[i].name, i);
    }
  }
  return bodies;
}

/* A body is not in the output when it is dead, lost or was replaced. */
static bool ref_registers_is_gone(const ref_link *sass, size_t number, const ref_map *bodies, const char *name) {
  const ref_file *file = &sass->files[number];
  const size_t symbol = ref_map_find(bodies, name);
  if (symbol == REF_NONE) {
    return false;
  }
  const size_t function = file->function_of[symbol];
  return !sass->functions[function].live || file->body_of[symbol] == REF_BODY_LOSES ||
         sass->functions[function].definition_file != number;
}

/* Past one record; false where the section ends in the middle of it. */
static bool ref_registers_record(ref_registers *registers) {
  if (registers->end - registers->at < BEFORE_NAME) {
    return false;
  }
  registers->at += BEFORE_NAME;
  if (ref_registers_string(registers) == NULL || registers->end - registers->at < REGISTER + RANGE) {
    return false;
  }
  registers->at += REGISTER + RANGE;
  return true;
}

/* One function's table: its records from `start` to `end`. */
typedef struct ref_register_table {
  const char *name;
  uint64_t start, end;
  bool is_gone;
} ref_register_table;

typedef struct ref_register_tables {
  ref_register_table *items;
  size_t count, capacity;
} ref_register_tables;

static void ref_registers_list_file(ref_capsule *capsule, size_t number, ref_registers registers,
                                    ref_register_tables *tables) {
  ref_link *link = capsule->mercury;
  const ref_map bodies = ref_registers_bodies(link, &capsule->sass->files[number]);
  while (registers.at < registers.end) {
    const char *name = ref_registers_string(&registers);
    if (name == NULL || registers.end - registers.at < WORD) {
      return;
    }
    const uint32_t count = ref_u32(registers.data + registers.at);
    registers.at += WORD;
    ref_register_table table = {name, registers.at, registers.at,
                                ref_registers_is_gone(capsule->sass, number, &bodies, name)};
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
      good = ref_registers_record(&registers);
      table.end = good ? registers.at : table.end;
    }
    tables->items = ref_memory_grow(link, tables->items, tables->count, &tables->capacity, sizeof *tables->items);
    tables->items[tables->count++] = table;
    if (!good) {
      return;
    }
  }
}

/* The ranges of one table: 0, or those of a table with the same records. */
static void ref_registers_set_ranges(uint8_t *data, const ref_register_table *table, const uint8_t *ranges) {
  ref_registers registers = {data, table->start, table->end};
  while (registers.at < registers.end && ref_registers_record(&registers)) {
    const uint64_t at = registers.at - RANGE;
    ref_put_u64(data + at, ranges == NULL ? 0 : ref_u64(ranges + (at - table->start)));
  }
}

static bool ref_registers_are_alike(const uint8_t *data, const ref_register_table *a, const ref_register_table *b) {
  ref_registers first = {(uint8_t *)(uintptr_t)data, a->start, a->end};
  if (a->end - a->start != b->end - b->start) {
    return false;
  }
  for (uint64_t at = first.at; at < a->end && ref_registers_record(&first); at = first.at) {
    if (memcmp(data + at, data + b->start + (at - a->start), (size_t)(first.at - at - RANGE)) != 0) {
      return false;
    }
  }
  return true;
}

/* RF132: the first table of a name has the ranges of the body that stands, all others 0. */
static void ref_registers_settle(ref_link *link, uint8_t *data, const ref_register_tables *tables) {
  ref_map first = {0}, standing = {0};
  for (size_t i = 0; i < tables->count; i++) {
    const ref_register_table *table = &tables->items[i];
    if (ref_map_find(&first, table->name) == REF_NONE) {
      ref_map_set(link, &first, table->name, i);
    }
    if (!table->is_gone && ref_map_find(&standing, table->name) == REF_NONE) {
      ref_map_set(link, &standing, table->name, i);
    }
  }
  for (size_t i = 0; i < tables->count; i++) {
    const ref_register_table *table = &tables->items[i];
    const size_t stands = ref_map_find(&standing, table->name);
    if (ref_map_find(&first, table->name) == i && stands != REF_NONE && stands != i) {
      const bool alike = ref_registers_are_alike(data, table, &tables->items[stands]);
      ref_registers_set_ranges(data, table, alike ? data + tables->items[stands].start : NULL);
      ref_registers_set_ranges(data, &tables->items[stands], NULL);
    } else if (table->is_gone && ref_map_find(&first, table->name) != i) {
      ref_registers_set_ranges(data, table, NULL);
    } else if (table->is_gone && stands == REF_NONE) {
      ref_registers_set_ranges(data, table, NULL);
    }
  }
}

/* RF79: 0 for the ranges of bodies that are not in the output. `section` is the SASS module's. */
ref_bytes ref_capsule_registers(ref_capsule *capsule, size_t section) {
  const ref_link *sass = capsule->sass;
  const ref_bytes *input = &sass->sections[section].data;
  ref_register_tables tables = {0};
  ref_bytes output = {0};
  ref_bytes_add(capsule->mercury, &output, input->data, input->size);
  for (size_t i = 0; i < sass->file_count; i++) {
    const ref_file *file = &sass->files[i];
    for (uint32_t k = 1; k < file->cubin.section_count; k++) {
      const uint64_t start = file->offset_in[k];
      if (file->section_of[k] == section && start <= output.size &&
          file->cubin.sections[k].size <= output.size - start) {
        const ref_registers registers = {output.data, start, start + file->cubin.sections[k].size};
        ref_registers_list_file(capsule, i, registers, &tables);
      }
    }
  }
  ref_registers_settle(capsule->mercury, output.data, &tables);
  return output;
}
