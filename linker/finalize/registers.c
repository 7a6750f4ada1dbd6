/* The SASS side of .nv_debug_info_reg_sass (L765): for each function that was compiled with -G or -g its name, a number and
 * that many records of a word, a variable's name, a register, and where in the code the variable is there. nvlink looks a
 * table up by its function's name: the first one of a name is about the body that stands, whoever's table it is, and all
 * others, like those of dead functions, have no places. For another file's body the places are those of the Mercury view's
 * table in that body's code. nvlink crashes over a table in the Mercury view that is not whole (L1032). */
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
  uint64_t start, places, end; /* in the section; places: the two words */
  const uint8_t *bytes;        /* of the section */
} register_record;
typedef TL_VECTOR(register_record) register_records;

typedef struct register_writer {
  finalizer *f;
  uint32_t section; /* Mercury's */
  tl_map live;      /* by name: a Mercury text of a function that lives */
  tl_map seen;      /* by name: that it has had a table */
  tl_map checked;   /* by name: that its table in the Mercury view was looked at (L1032) */
  tl_map firsts;    /* by file and name: the first function with a body (L934, L960) */
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
  *record = (register_record){at, places, places + PLACES_SIZE, bytes};
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

static uint64_t registers_key(uint32_t file, uint32_t name) {
  return (uint64_t)file << 32 | name;
}

static void registers_find_firsts(register_writer *w) {
  const tl_module *const m = w->f->mercury->module;
  tl_map_init(&w->firsts, w->f->arena);
  for (uint32_t file = 0; file < m->file_count; file++)
    for (uint32_t i = m->files[file].symbol_count; i-- > 1;) {
      const tl_cubin_symbol *const s = &m->files[file].symbols[i];
      if (tl_symbol_type(s) == STT_FUNC && s->section != SHN_UNDEF)
        tl_map_set(&w->firsts, registers_key(file, s->name), i);
    }
}

/* L934, L960: whether the text is that of a later function of its name in its file, as an output of -r has them: the first table
 * of the name is another one's. */
static bool registers_is_later(register_writer *w, uint32_t text) {
  const tl_module *const m = w->f->mercury->module;
  const tl_symbol *const owner = &m->symbols.items[final_mercury(w->f, text)->owner];
  const tl_function *const function = &m->resolution->functions.items[owner->function];
  if (!w->firsts.arena)
    registers_find_firsts(w);
  const uint32_t first = tl_map_get(&w->firsts, registers_key(function->file, function->name));
  return first != TL_NONE && first != function->symbol;
}

/* The Mercury text that a table is about, TL_NONE where it has no places. */
static uint32_t registers_text(register_writer *w, const register_table *table) {
  const uint32_t name = tl_names_find(w->f->mercury->module->names, table->name, table->name_size);
  if (name == TL_NONE || tl_map_get(&w->seen, name) != TL_NONE)
    return TL_NONE;
  tl_map_set(&w->seen, name, 1);
  return tl_map_get(&w->live, name);
}

/* --- another file's body --- */

/* By what a record is told from others, then as they stand. Both views have as many of each. */
static int registers_compare(const void *a, const void *b) {
  const register_record *const x = a, *const y = b;
  const uint64_t words[][2] = {
      {tl_get32(x->bytes + x->start), tl_get32(y->bytes + y->start)},
      {tl_get32(x->bytes + x->places - REGISTER_SIZE), tl_get32(y->bytes + y->places - REGISTER_SIZE)}};
  const int order = tl_compare_pairs(words, 2);
  return order ? order
               : strcmp((const char *)x->bytes + x->start + WORD_SIZE, (const char *)y->bytes + y->start + WORD_SIZE);
}

static int registers_compare_places(const void *a, const void *b) {
  const register_record *const x = a, *const y = b;
  const int order = registers_compare(a, b);
  return order ? order : tl_compare(x->start, y->start);
}

static bool registers_collect(const register_writer *w, const uint8_t *bytes, uint64_t size,
                              const register_table *table, register_records *records) {
  register_record record = {.end = table->records};
  for (uint64_t i = 0; i < table->count; i++) {
    if (!registers_read_record(bytes, size, record.end, &record))
      return false;
    *tl_vector_push(w->f->arena, records) = record;
  }
  tl_vector_sort(records, registers_compare_places);
  return true;
}

/* `bytes`: the Mercury view's piece; the table there and the SASS one have the same records. */
static void registers_translate_table(const register_writer *w, uint32_t text, const register_records *sass,
                                      const register_records *mercury, uint8_t *bytes) {
  const final_register_places places = final_register_places_of(w->f, text);
  for (size_t i = 0; places.map && i < sass->count; i++) {
    const register_record *const to = &sass->items[i], *const from = &mercury->items[i];
    if (registers_compare(to, from) != 0)
      return;
    const uint8_t *const range = from->bytes + from->places;
    tl_put32(bytes + to->places, final_register_start(&places, tl_get32(range)));
    tl_put32(bytes + to->places + 4, final_register_end(&places, tl_get32(range + 4)));
  }
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

/* The tables of one file: what has no places loses those of the input. */
static void registers_write_piece(register_writer *w, const tl_piece *piece) {
  uint8_t *const bytes = w->bytes + piece->offset;
  const tl_piece *const other = tl_section_piece_of(final_mercury(w->f, w->section), piece->file);
  const uint8_t *const mercury = other ? final_view_bytes(w->f->mercury, w->section) + other->offset : NULL;
  register_table table, same;
  for (uint64_t at = 0, from = 0; at < piece->size && registers_read_table(bytes, piece->size, at, &table);) {
    register_records records = {0}, theirs = {0};
    const bool paired = other && registers_read_table(mercury, other->size, from, &same) && same.count == table.count &&
                        registers_collect(w, mercury, other->size, &same, &theirs);
    if (!registers_collect(w, bytes, piece->size, &table, &records))
      return;
    const uint32_t text = registers_text(w, &table);
    const bool own = text != TL_NONE && final_standing_file(w->f, text) == piece->file &&
                     !final_text_moved(w->f, text) && !final_mercury(w->f, text)->left && /* L868 */
                     !registers_is_later(w, text);
    at = table.records;
    from = paired ? same.records : from;
    for (size_t i = 0; i < records.count; i++) {
      at = at > records.items[i].end ? at : records.items[i].end;
      if (!own)
        memset(bytes + records.items[i].places, 0, PLACES_SIZE);
      if (i < theirs.count)
        from = from > theirs.items[i].end ? from : theirs.items[i].end;
    }
    if (text != TL_NONE && !own && paired)
      registers_translate_table(w, text, &records, &theirs, bytes);
  }
}

const uint8_t *final_registers(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size) {
  register_writer w = {.f = f, .section = section, .bytes = final_new(f, size)};
  const tl_pieces *const pieces = &final_sass(f, f->sass_section[section])->pieces;
  memcpy(w.bytes, bytes, size);
  tl_map_init(&w.live, f->arena);
  tl_map_init(&w.seen, f->arena);
  tl_map_init(&w.checked, f->arena);
  registers_find_live(&w);
  const tl_pieces *const mercury = &final_mercury(f, section)->pieces;
  for (size_t i = 0; i < mercury->count; i++)
    registers_check_piece(&w, &mercury->items[i]);
  for (size_t i = 0; i < pieces->count; i++)
    registers_write_piece(&w, &pieces->items[i]);
  return w.bytes;
}
