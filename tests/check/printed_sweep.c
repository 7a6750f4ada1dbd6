/* Every number of a cubin's tables in turn with a neighbouring value. A random change seldom finds the one value at which a
 * comparison of the doubters turns; next to each of them there is one. */
#include "tests/check/printed.h"

#include <string.h>

enum { HEADER = 64, SECTION = 64, SEGMENT = 56, SYMBOL = 24, REL = 16, RELA = 24, PAIR = 8 };
enum {
  TYPE_SYMTAB = 2,
  TYPE_RELA = 4,
  TYPE_NOTE = 7,
  TYPE_REL = 9,
  TYPE_INFO = 0x70000000,
  TYPE_CALLGRAPH = 0x70000001,
  TYPE_PROTOTYPE = 0x70000002,
  TYPE_COMPAT = 0x70000086
};
enum { PART_HEADER, PART_SEGMENTS, PART_SECTIONS, PARTS };
enum {
  CHANGE_MORE,
  CHANGE_LESS,
  CHANGE_ZERO,
  CHANGE_ONES,
  CHANGE_SECTIONS,
  CHANGE_SYMBOLS,
  CHANGE_NEXT,
  CHANGE_RECORD,
  CHANGE_FIRST,
  CHANGES
};

/* A table of the file: records of one size, and the widths of their fields. */
typedef struct sweep_table {
  uint64_t offset, size, record;
  uint8_t widths[16];
} sweep_table;

static sweep_table sweep_records(const ref_section *section) {
  static const struct {
    uint32_t type;
    uint64_t record;
    uint8_t widths[16];
  } rows[] = {
      {TYPE_SYMTAB, SYMBOL, {4, 1, 1, 2, 8, 8}},
      {TYPE_REL, REL, {8, 4, 4}},
      {TYPE_RELA, RELA, {8, 4, 4, 8}},
      {TYPE_NOTE, 4, {4}},
      {TYPE_INFO, 4, {1, 1, 2}},
      {TYPE_COMPAT, 4, {1, 1, 2}},
      {TYPE_CALLGRAPH, PAIR, {4, 4}},
      {TYPE_PROTOTYPE, PAIR, {4, 4}},
  };
  sweep_table table = {.offset = section->offset, .size = section->data ? section->size : 0, .record = 1};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].type == section->type) {
      table.record = rows[i].record;
      memcpy(table.widths, rows[i].widths, sizeof table.widths);
    }
  return table;
}

static sweep_table sweep_table_of(const ref_cubin *cubin, uint32_t part) {
  switch (part) {
  case PART_HEADER:
    return (sweep_table){16, HEADER - 16, HEADER - 16, {2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2}};
  case PART_SEGMENTS:
    return (sweep_table){cubin->segment_offset, cubin->segment_count * SEGMENT, SEGMENT, {4, 4, 8, 8, 8, 8, 8, 8}};
  case PART_SECTIONS:
    return (sweep_table){
        cubin->section_offset, cubin->section_count * SECTION, SECTION, {4, 4, 8, 8, 8, 8, 4, 4, 8, 8}};
  default:
    return sweep_records(&cubin->sections[part - PARTS]);
  }
}

/* The field at which the sweep stands; false when it stands behind the table's last one. */
static bool sweep_find(printed_sweep *sweep, sweep_table *table) {
  for (; sweep->part < PARTS + sweep->cubin->section_count; sweep->part++, sweep->record = 0, sweep->field = 0) {
    *table = sweep_table_of(sweep->cubin, sweep->part);
    if (!table->widths[0])
      continue;
    if (!table->widths[sweep->field]) {
      sweep->field = 0;
      sweep->record++;
    }
    uint64_t within = 0;
    for (size_t i = 0; i < sweep->field; i++)
      within += table->widths[i];
    sweep->at = table->offset + sweep->record * table->record + within;
    sweep->width = table->widths[sweep->field];
    if ((sweep->record + 1) * table->record <= table->size && sweep->at + sweep->width <= sweep->bytes->size)
      return true;
  }
  sweep->width = 0;
  return false;
}

/* The whole record is that of the next, or the first one is this. */
static bool sweep_change_record(printed_sweep *sweep, const sweep_table *table) {
  const uint64_t next = sweep->at + table->record, size = sweep->bytes->size;
  const bool first = sweep->change == CHANGE_FIRST;
  if (sweep->field > 0 || table->record > sizeof sweep->before || (first && sweep->record == 0) ||
      next + table->record > (first ? size + table->record : size))
    return false;
  const uint64_t from = first ? sweep->at : next;
  sweep->at = first ? table->offset : sweep->at;
  sweep->width = (uint8_t)table->record;
  memcpy(sweep->before, sweep->bytes->data + sweep->at, sweep->width);
  memcpy(sweep->bytes->data + sweep->at, sweep->bytes->data + from, sweep->width);
  return true;
}

static void sweep_change(printed_sweep *sweep, uint64_t record) {
  uint8_t *const at = sweep->bytes->data + sweep->at;
  const bool more = sweep->change == CHANGE_MORE, less = sweep->change == CHANGE_LESS;
  bool carry = more || less;
  for (size_t i = 0; i < sweep->width && carry; i++) {
    at[i] = (uint8_t)(at[i] + (more ? 1 : -1));
    carry = at[i] == (more ? 0 : 0xff);
  }
  if (sweep->change == CHANGE_ZERO || sweep->change == CHANGE_ONES)
    memset(at, sweep->change == CHANGE_ZERO ? 0 : 0xff, sweep->width);
  if (sweep->change == CHANGE_SECTIONS || sweep->change == CHANGE_SYMBOLS)
    for (size_t i = 0,
                count = sweep->change == CHANGE_SECTIONS ? sweep->cubin->section_count : sweep->cubin->symbol_count;
         i < sweep->width; i++)
      at[i] = (uint8_t)(count >> (8 * i));
  if (sweep->change == CHANGE_NEXT && sweep->at + record + sweep->width <= sweep->bytes->size)
    memcpy(at, at + record, sweep->width);
}

bool printed_sweep_next(printed_sweep *sweep) {
  sweep_table table;
  for (bool changed = false; !changed;) {
    if (sweep->width)
      memcpy(sweep->bytes->data + sweep->at, sweep->before, sweep->width);
    if (sweep->width && ++sweep->change == CHANGES) {
      sweep->change = 0;
      sweep->field++;
    }
    if (!sweep_find(sweep, &table))
      return false;
    memcpy(sweep->before, sweep->bytes->data + sweep->at, sweep->width);
    changed = sweep->change < CHANGE_RECORD;
    if (changed)
      sweep_change(sweep, table.record);
    else
      changed = sweep_change_record(sweep, &table);
  }
  sweep->is_plain = sweep->change == CHANGE_MORE || sweep->change == CHANGE_RECORD;
  sweep->is_wild = sweep->change == CHANGE_ONES;
  return true;
}
