/* SASS `.nv_debug_info_reg_sass` of a capsule link: RF79, RF144. For each function its name, a count, and that many records: a
 * word, a variable's name, its register, and the range of offsets in which it holds the variable. Both views have the same tables
 * in the same order, with the records of a table in orders of their own. */
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

/* What both views say of a record, and how many such records of the table came before it. */
static const char *ref_registers_key(ref_link *link, ref_map *seen, const uint8_t *record, uint64_t size) {
  const uint8_t *name = record + BEFORE_NAME;
  char *same = ref_memory_print(link, "%x %x %s", ref_u32(record), ref_u32(record + size - REGISTER - RANGE), name);
  const size_t number = ref_map_find(seen, same) == REF_NONE ? 0 : ref_map_find(seen, same);
  ref_map_set(link, seen, same, number + 1);
  return ref_memory_print(link, "%zu %s", number, same);
}

/* The places of a table's ranges, by the records' keys. */
static ref_map ref_registers_ranges(ref_link *link, const ref_register_tables *tables,
                                    const ref_register_table *table) {
  ref_map ranges = {0}, seen = {0};
  ref_registers registers = {tables->data, table->start, table->end};
  for (uint64_t at = registers.at; ref_registers_record(&registers); at = registers.at) {
    const char *key = ref_registers_key(link, &seen, registers.data + at, registers.at - at);
    ref_map_set(link, &ranges, key, (size_t)(registers.at - RANGE));
  }
  return ranges;
}

/* A range from the decoded places to those of the SASS text; what is at neither is 0. */
static void ref_registers_write(uint8_t *range, const ref_places *places, const uint8_t *decoded) {
  ref_put_u32(range, (uint32_t)ref_places_behind(places, ref_u32(decoded)));
  ref_put_u32(range + WORD, (uint32_t)ref_places_self(places, ref_u32(decoded + WORD)));
}

/* RF79: `function` is REF_NONE where the ranges are 0. */
static void ref_registers_settle(const ref_capsule *capsule, const ref_register_tables *sass,
                                 const ref_register_tables *mercury, size_t number, size_t function) {
  ref_link *link = capsule->mercury;
  const ref_register_table *table = &sass->items[number];
  const bool stands = function != REF_NONE && number < mercury->count;
  const ref_places places = stands ? ref_places_of_function(capsule, function) : (ref_places){0};
  const ref_map ranges = stands ? ref_registers_ranges(link, mercury, &mercury->items[number]) : (ref_map){0};
  ref_map seen = {0};
  ref_registers registers = {sass->data, table->start, table->end};
  for (uint64_t at = registers.at; ref_registers_record(&registers); at = registers.at) {
    const char *key = ref_registers_key(link, &seen, registers.data + at, registers.at - at);
    const size_t decoded = ref_map_find(&ranges, key);
    uint8_t *range = registers.data + registers.at - RANGE;
    ref_put_u64(range, 0);
    if (decoded != REF_NONE) {
      ref_registers_write(range, &places, mercury->data + decoded);
    }
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

/* RF144: the first table of a name has the ranges of the Mercury view in the code of the body that stands; all others have 0.
 * `section` is the Mercury module's. */
ref_bytes ref_capsule_registers(ref_capsule *capsule, size_t section) {
  ref_link *link = capsule->mercury;
  const ref_bytes *input = &capsule->sass->sections[ref_capsule_sass_section(capsule, section)].data;
  ref_map functions = ref_registers_functions(capsule), done = {0};
  ref_bytes output = {0};
  ref_bytes_add(link, &output, input->data, input->size);
  const ref_register_tables sass = ref_registers_list(link, &output);
  const ref_register_tables mercury = ref_registers_list(link, &link->sections[section].data);
  for (size_t i = 0; i < sass.count; i++) {
    const char *name = sass.items[i].name;
    const bool first = ref_map_find(&done, name) == REF_NONE;
    ref_registers_settle(capsule, &sass, &mercury, i, first ? ref_map_find(&functions, name) : REF_NONE);
    ref_map_set(link, &done, name, i);
  }
  return output;
}
