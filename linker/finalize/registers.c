/* The SASS side of .nv_debug_info_reg_sass (L765): for each function that was compiled with -G or -g its name, a number and
 * that many records of a word, a variable's name, a register, and where in the code the variable is there. nvlink looks a
 * table up by its function's name: the first one of a name is about the body that stands, whoever's table it is, and all
 * others, like those of dead functions, have no places. They are those of the Mercury view's table in the code that stands,
 * whatever the input's SASS side has (L1483). nvlink crashes over a table in the Mercury view that is not whole (L1032). */
#include "finalize/register_places.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"

#include <string.h>

enum { COUNT_SIZE = 4, WORD_SIZE = 4, REGISTER_SIZE = 4, PLACES_SIZE = 8 };

/* A string with its end, and what follows it. */
typedef struct register_table {
  const char *name;
  size_t name_size; /* without its end */
  uint64_t records, count;
} register_table;

typedef struct register_record {
  uint64_t places, end; /* in the section; places: the two words */
} register_record;

typedef struct register_writer {
  finalizer *f;
  uint32_t section; /* Mercury's */
  tl_map live;      /* by name: a Mercury text of a function that lives */
  tl_map seen;      /* by name: that it has had a table */
  tl_map checked;   /* by name: that its table in the Mercury view was looked at (L1032) */
  uint8_t *bytes;
} register_writer;

/* Behind the string that begins at `at`, 0 where it has no end. */
static uint64_t registers_behind_string(const uint8_t *bytes, uint64_t size, uint64_t at) {
  const uint8_t *const end = at < size ? memchr(bytes + at, 0, size - at) : NULL;
  return end ? (uint64_t)(end - bytes) + 1 : 0;
}

static bool registers_read_table(const uint8_t *bytes, uint64_t size, uint64_t at, register_table *table) {
  const uint64_t behind = registers_behind_string(bytes, size, at);
  if (!behind || size - behind < COUNT_SIZE)
    return false;
  *table = (register_table){(const char *)bytes + at, behind - at - 1, behind + COUNT_SIZE, tl_get32(bytes + behind)};
  return true;
}

static bool registers_read_record(const uint8_t *bytes, uint64_t size, uint64_t at, register_record *record) {
  const uint64_t behind = size - at < WORD_SIZE ? 0 : registers_behind_string(bytes, size, at + WORD_SIZE);
  if (!behind || size - behind < REGISTER_SIZE + PLACES_SIZE)
    return false;
  const uint64_t places = behind + REGISTER_SIZE;
  *record = (register_record){places, places + PLACES_SIZE};
  return true;
}

/* Of functions in a text of their own; 0: not in the output. */
static uint32_t registers_index(const finalizer *f, uint32_t symbol) {
  return final_is_inner(f, symbol) ? 0 : f->mercury->emitted->symbol_index[symbol];
}

/* Which names have a function in the output: of several names of a text the first one has (L868). */
static void registers_find_live(register_writer *w) {
  const tl_module *const m = w->f->mercury->module;
  uint32_t *const first = tl_arena_new(w->f->arena, uint32_t, m->sections.count); /* index; 0 */
  const bool matched = tl_defect_matched(m->options, TL_DEFECT_D102);             /* else the function's (L899) */
  for (size_t i = 0; i < m->functions.count; i++) {
    const uint32_t symbol = m->symbol_of_function[m->functions.items[i]], index = registers_index(w->f, symbol);
    uint32_t *const known =
        index && m->symbols.items[symbol].section != TL_NONE ? &first[m->symbols.items[symbol].section] : NULL;
    const bool owns = known && m->sections.items[m->symbols.items[symbol].section].owner == symbol;
    if (known && (matched ? !*known || index < *known : owns))
      *known = index;
  }
  for (size_t i = 0; i < m->functions.count; i++) {
    const uint32_t symbol = m->symbol_of_function[m->functions.items[i]], index = registers_index(w->f, symbol);
    const tl_symbol *const s = &m->symbols.items[symbol];
    if (s->section != TL_NONE && (!index || index == first[s->section]) && tl_map_get(&w->live, s->name) == TL_NONE)
      tl_map_set(&w->live, s->name, s->section);
  }
}

/* The Mercury text that a table is about, TL_NONE where it has no places. */
static uint32_t registers_text(register_writer *w, const register_table *table) {
  const uint32_t name = tl_names_find(w->f->mercury->module->names, table->name, table->name_size);
  if (name == TL_NONE || tl_map_get(&w->seen, name) != TL_NONE)
    return TL_NONE;
  tl_map_set(&w->seen, name, 1);
  return tl_map_get(&w->live, name);
}

/* --- damage --- */

static void registers_refuse(const register_writer *w, const tl_piece *piece, uint64_t at, const char *what) {
  const tl_module *const m = w->f->mercury->module;
  tl_cubin_damaged(&m->files[piece->file], m->names, m->diagnostics, piece->section, at, what);
}

/* Whether nvlink translates the places of a table in the Mercury view. */
static bool registers_is_asked(register_writer *w, const register_table *table) {
  const uint32_t name = tl_names_find(w->f->mercury->module->names, table->name, table->name_size);
  if (name == TL_NONE || tl_map_get(&w->live, name) == TL_NONE || tl_map_get(&w->checked, name) != TL_NONE)
    return false;
  tl_map_set(&w->checked, name, 1);
  return true;
}

/* nvlink reads on behind a table of which records are missing, and looks up any place in an array. Where it has no use for
 * the places it reads over the last name of the section without harm. */
static void registers_check_piece(register_writer *w, const tl_piece *piece) {
  enum { FAR = 0x1000000 };
  const uint8_t *const bytes = final_view_bytes(w->f->mercury, w->section) + piece->offset;
  register_table table;
  register_record record = {.end = 0};
  while (record.end < piece->size && registers_read_table(bytes, piece->size, record.end, &table)) {
    const bool asked = registers_is_asked(w, &table);
    record.end = table.records;
    for (uint64_t i = 0; i < table.count; i++) {
      const bool last = i + 1 == table.count && record.end + WORD_SIZE < piece->size;
      const bool whole = registers_read_record(bytes, piece->size, record.end, &record);
      if (!whole && last && !asked)
        return;
      if (!whole)
        registers_refuse(w, piece, record.end, "a table of registers is not whole (L1032)");
      const uint8_t *const places = bytes + record.places;
      if (asked && (tl_get32(places) >= FAR || tl_get32(places + 4) >= FAR))
        registers_refuse(w, piece, record.places, "a place of a register lies behind all code (L1032)");
    }
  }
}

/* --- the section --- */

/* A record of a table: where it is in the Mercury view's section. */
typedef struct register_row {
  uint64_t start, end;
  uint32_t number; /* of the register */
  uint32_t order;  /* in the table */
} register_row;
typedef TL_VECTOR(register_row) register_rows;

static int registers_compare_rows(const void *a, const void *b) {
  const register_row *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->number, y->number}, {x->order, y->order}};
  return tl_compare_pairs(pairs, 2);
}

/* The table at `at` of `bytes`, and its records in the order of their registers, as the SASS side has them (L1483); the end of
 * the last one, 0 where the table is not whole. */
static uint64_t registers_read_rows(tl_arena *arena, const uint8_t *bytes, uint64_t size, uint64_t at,
                                    register_table *table, register_rows *rows) {
  if (at >= size || !registers_read_table(bytes, size, at, table))
    return 0;
  register_record record = {.end = table->records};
  rows->count = 0;
  for (uint32_t i = 0; i < table->count; i++) {
    const uint64_t start = record.end;
    if (!registers_read_record(bytes, size, start, &record))
      return 0;
    const uint32_t number = tl_get32(bytes + record.places - REGISTER_SIZE);
    *tl_vector_push(arena, rows) = (register_row){start, record.end, number, i};
  }
  tl_vector_sort(rows, registers_compare_rows);
  return record.end;
}

/* The places of the record that ends at `end`. */
static void registers_translate(const final_register_places *places, uint8_t *end) {
  uint8_t *const from = end - PLACES_SIZE, *const to = end - WORD_SIZE;
  tl_put32(to, places->map ? final_register_end(places, tl_get32(to)) : 0);
  tl_put32(from, places->map ? final_register_start(places, tl_get32(from)) : 0);
}

/* The tables of one file: those that are about no body have no places. */
static void registers_write_piece(register_writer *w, const tl_piece *piece) {
  const uint8_t *const bytes = final_view_bytes(w->f->mercury, w->section) + piece->offset;
  register_rows rows = {0};
  register_table table;
  for (uint64_t at = 0, end; (end = registers_read_rows(w->f->arena, bytes, piece->size, at, &table, &rows));
       at = end) {
    const uint32_t text = registers_text(w, &table);
    const final_register_places places =
        text == TL_NONE ? (final_register_places){.map = NULL} : final_register_places_of(w->f, text);
    uint8_t *to = w->bytes + piece->offset + table.records;
    for (size_t i = 0; i < rows.count; i++) {
      const uint64_t size = rows.items[i].end - rows.items[i].start;
      memcpy(to, bytes + rows.items[i].start, size);
      to += size;
      registers_translate(&places, to);
    }
  }
}

/* L1484: nvlink knows places in the code of debug data only where the output has both sections. */
bool final_has_registers(const finalizer *f) {
  static const char *const sections[] = {".nv_debug_info_reg_sass", ".nv_debug_info_reg_type"};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    const uint32_t section = tl_module_section_named(f->mercury->module, sections[i]);
    if (section == TL_NONE || !final_is_debug(f, section))
      return false;
  }
  return true;
}

const uint8_t *final_registers(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size) {
  register_writer w = {.f = f, .section = section, .bytes = final_new(f, size)};
  const tl_pieces *const pieces = &final_mercury(f, section)->pieces;
  if (!final_has_registers(f))
    return bytes;
  memcpy(w.bytes, bytes, size);
  tl_map_init(&w.live, f->arena);
  tl_map_init(&w.seen, f->arena);
  tl_map_init(&w.checked, f->arena);
  registers_find_live(&w);
  for (size_t i = 0; i < pieces->count; i++)
    registers_check_piece(&w, &pieces->items[i]);
  for (size_t i = 0; i < pieces->count; i++)
    registers_write_piece(&w, &pieces->items[i]);
  return w.bytes;
}

/* --- types --- */

/* A byte of the Mercury view's types, which nvlink reads on behind the section (L1485). */
static uint8_t registers_type(const uint8_t *types, uint64_t size, uint64_t at) {
  return at < size ? types[at] : 0;
}

const uint8_t *final_register_types(finalizer *f, const uint8_t *types, uint64_t *size) {
  const tl_names *const names = f->mercury->module->names;
  static const char places[] = ".nv_debug_info_reg_sass";
  const uint32_t name = tl_names_find(names, places, sizeof places - 1);
  const uint32_t section = name == TL_NONE ? TL_NONE : tl_module_find_section(f->mercury->module, name);
  if (section == TL_NONE || !*size)
    return types;
  const uint8_t *const bytes = final_view_bytes(f->mercury, section);
  const uint64_t all = final_view_size(f->mercury, section);
  uint8_t *const made = final_new(f, all);
  register_rows rows = {0};
  register_table table;
  uint64_t done = 0, from = 0; /* in what is made, and in the types */
  for (uint64_t at = 0, end; (end = registers_read_rows(f->arena, bytes, all, at, &table, &rows)); at = end) {
    const uint64_t behind = registers_behind_string(types, *size, from);
    from = (behind ? behind : *size) + COUNT_SIZE;
    memcpy(made + done, bytes + at, table.records - at);
    done += table.records - at;
    for (size_t i = 0; i < rows.count; i++)
      made[done++] = registers_type(types, *size, from + rows.items[i].order);
    from += rows.count;
  }
  *size = done;
  return made;
}
