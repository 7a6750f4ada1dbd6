/* SASS `.nv_debug_info_reg_sass` of a capsule link: RF79, RF144. For each function its name, a count, and that many records: a
 * word, a variable's name, its register, and the range of offsets in which it holds the variable. Both are made of Mercury's: the same
 * tables in the same order, with the records of a table by their registers (RF830). */
#include "capsule.h"

#include <stdlib.h>
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

/* Past one record; false where the section ends in the middle of it, and at its end. */
static bool ref_registers_record(ref_registers *registers) {
  if (registers->end - registers->at < BEFORE_NAME) {
    registers->at = registers->end;
    return false;
  }
  registers->at += BEFORE_NAME;
  if (ref_registers_string(registers) == NULL || registers->end - registers->at < REGISTER + RANGE) {
    registers->at = registers->end;
    return false;
  }
  registers->at += REGISTER + RANGE;
  return true;
}

/* One function's table: its records from `start` to `end`. */
typedef struct ref_register_table {
  const char *name;
  uint64_t start, end;
} ref_register_table;

typedef struct ref_register_tables {
  uint8_t *data;
  ref_register_table *items;
  size_t count, capacity;
} ref_register_tables;

static ref_register_tables ref_registers_list(ref_link *link, const ref_bytes *bytes) {
  ref_register_tables tables = {.data = bytes->data};
  ref_registers registers = {bytes->data, 0, bytes->size};
  while (registers.at < registers.end) {
    const char *name = ref_registers_string(&registers);
    if (name == NULL || registers.end - registers.at < WORD) {
      return tables;
    }
    const uint32_t count = ref_u32(registers.data + registers.at);
    registers.at += WORD;
    ref_register_table table = {name, registers.at, registers.at};
    for (uint32_t i = 0; i < count && ref_registers_record(&registers); i++) {
      table.end = registers.at;
    }
    tables.items = ref_memory_grow(link, tables.items, tables.count, &tables.capacity, sizeof *tables.items);
    tables.items[tables.count++] = table;
  }
  return tables;
}

/* A range from the decoded places to those of the SASS text; what is at neither is 0. */
static void ref_registers_write(uint8_t *range, const ref_places *places, const size_t *behind,
                                const uint8_t *decoded) {
  ref_put_u32(range, (uint32_t)ref_places_behind(places, behind, ref_u32(decoded)));
  ref_put_u32(range + WORD, (uint32_t)ref_places_self(places, ref_u32(decoded + WORD)));
}

typedef struct ref_register_row {
  uint64_t start, end;
  uint32_t number; /* of the register */
  size_t place;    /* in Mercury's table */
} ref_register_row;

static int ref_registers_compare(const void *left, const void *right) {
  const ref_register_row *a = left, *b = right;
  return a->number != b->number ? ref_order(a->number, b->number) : ref_order(a->place, b->place);
}

/* RF830: the rows of one of Mercury's tables, by their registers' numbers. */
static ref_register_row *ref_registers_rows(ref_link *link, uint8_t *data, const ref_register_table *table,
                                            size_t *count) {
  ref_register_row *rows = NULL;
  size_t capacity = 0;
  ref_registers registers = {data, table->start, table->end};
  *count = 0;
  for (uint64_t at = registers.at; ref_registers_record(&registers); at = registers.at) {
    rows = ref_memory_grow(link, rows, *count, &capacity, sizeof *rows);
    rows[*count] = (ref_register_row){at, registers.at, ref_u32(data + registers.at - REGISTER - RANGE), *count};
    ++*count;
  }
  if (*count > 1) {
    qsort(rows, *count, sizeof *rows, ref_registers_compare);
  }
  return rows;
}

/* RF79: `function` is REF_NONE where the ranges are 0. */
static void ref_registers_settle(const ref_capsule *capsule, uint8_t *data, const ref_register_table *table,
                                 size_t function, ref_bytes *output) {
  ref_link *link = capsule->mercury;
  const ref_places places = function != REF_NONE ? ref_places_of_function(capsule, function) : (ref_places){0};
  const size_t *behind = function != REF_NONE ? ref_places_list_behind(link, &places) : NULL;
  size_t count;
  const ref_register_row *rows = ref_registers_rows(link, data, table, &count);
  ref_bytes_add(link, output, table->name, strlen(table->name) + 1);
  ref_bytes_add(link, output, data + table->start - WORD, WORD);
  for (size_t i = 0; i < count; i++) {
    uint8_t range[RANGE] = {0};
    if (function != REF_NONE) {
      ref_registers_write(range, &places, behind, data + rows[i].end - RANGE);
    }
    ref_bytes_add(link, output, data + rows[i].start, (size_t)(rows[i].end - RANGE - rows[i].start));
    ref_bytes_add(link, output, range, RANGE);
  }
}

/* The functions whose texts are in the output, by the first of their names in the symbol table (L868), to which the ranges belong; of
 * equal names the first counts. */
static ref_map ref_registers_functions(const ref_capsule *capsule) {
  ref_map functions = {0};
  for (size_t i = capsule->sass->function_count; i-- > 0;) {
    const ref_function *function = &capsule->sass->functions[i];
    const size_t owner = function->alias_of == REF_NONE ? i : function->alias_of;
    if (capsule->sass->functions[owner].live && capsule->sass->functions[owner].text != REF_NONE &&
        ref_capsule_is_first_alias(capsule->mercury, owner, i)) {
      ref_map_set(capsule->mercury, &functions, function->name, owner);
    }
  }
  return functions;
}

/* RF144: the first table of a name has the ranges of the Mercury view in the code of the body that stands; all others have 0. RF830: all
 * else is Mercury's, and this, too, where the output has no table of types. `section` is the Mercury module's. */
ref_bytes ref_capsule_registers(ref_capsule *capsule, size_t section) {
  ref_link *link = capsule->mercury;
  const ref_map functions = ref_registers_functions(capsule);
  ref_map done = {0};
  ref_bytes output = {0};
  const ref_bytes *input = &link->sections[section].data;
  if (ref_map_find(&link->section_by_name, ".nv_debug_info_reg_type") == REF_NONE) {
    ref_bytes_add(link, &output, input->data, input->size);
    return output;
  }
  const ref_register_tables tables = ref_registers_list(link, input);
  for (size_t i = 0; i < tables.count; i++) {
    const char *name = tables.items[i].name;
    const bool first = ref_map_find(&done, name) == REF_NONE;
    ref_registers_settle(capsule, tables.data, &tables.items[i], first ? ref_map_find(&functions, name) : REF_NONE,
                         &output);
    ref_map_set(link, &done, name, i);
  }
  return output;
}

/* RF830, L1485: one table beside each of registers, of Mercury's types, which nvlink reads in the same order: behind a text and a number. What
 * is behind the section is 0 here. */
ref_bytes ref_capsule_register_types(ref_capsule *capsule, size_t section) {
  ref_link *link = capsule->mercury;
  const size_t beside = ref_map_find(&link->section_by_name, ".nv_debug_info_reg_sass");
  const ref_bytes *types = &link->sections[section].data;
  ref_bytes output = {0};
  if (beside == REF_NONE) {
    ref_bytes_add(link, &output, types->data, types->size);
    return output;
  }
  const ref_register_tables tables = ref_registers_list(link, &link->sections[beside].data);
  uint64_t at = 0;
  for (size_t i = 0; i < tables.count; i++) {
    const ref_register_table *table = &tables.items[i];
    size_t count;
    const ref_register_row *rows = ref_registers_rows(link, tables.data, table, &count);
    while (at < types->size && types->data[at] != 0) {
      at++;
    }
    at += 1 + WORD;
    ref_bytes_add(link, &output, table->name, strlen(table->name) + 1);
    ref_bytes_add(link, &output, tables.data + table->start - WORD, WORD);
    for (size_t k = 0; k < count; k++) {
      const uint64_t place = at + rows[k].place;
      const uint8_t type = place < types->size ? types->data[place] : 0;
      ref_bytes_add(link, &output, &type, 1);
    }
    at += count;
  }
  return output;
}
