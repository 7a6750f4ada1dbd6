/* The SASS line tables, .debug_line and .nv_debug_line_sass (M25): unit by unit the header of the Mercury view, then the
 * sequences of live functions in the order of their symbols, with the Mercury view's rows at their places in the SASS text
 * (L129, L1481). A sequence begins with DW_LNE_set_address, at whose operand the file has an entry against the function. */
#include "finalize/line_rows.h"

#include "base/bytes.h"
#include "catalog/sass_type.h"
#include "cubin/elf.h"

#include <string.h>

/* DWARF 2: unit_length, version, header_length; set_address is 00 09 02 and the address. */
enum { UNIT_LENGTH = 4, UNIT_HEADER_LENGTH = 6, UNIT_LEAST = 10, ADDRESS = 3 };
/* Behind header_length. */
enum { SHAPE_LEAST_STEP = 0, SHAPE_LINE_BASE = 2, SHAPE_LINE_RANGE = 3, SHAPE_OPCODE_BASE = 4, SHAPE_SIZE = 5 };

typedef struct line_unit {
  uint64_t start, program, end; /* in the piece */
} line_unit;

typedef struct line_sequence {
  uint64_t start, end; /* in the piece */
  uint32_t symbol;     /* index in .symtab, 0: the function is not in the output */
  uint32_t function;   /* symbol of the Mercury module, TL_NONE */
  uint32_t type;       /* of the entry on the SASS side */
  int64_t addend;
} line_sequence;
typedef TL_VECTOR(line_sequence) line_sequences;

/* An entry that stays. */
typedef struct line_entry {
  uint64_t offset, order;
  const tl_kept *kept;
} line_entry;

/* Those of the section, by offset. */
typedef struct line_entries {
  line_entry *items;
  size_t count;
} line_entries;

/* One file's part. */
typedef struct line_table {
  const uint8_t *bytes;
  const tl_piece *piece;
} line_table;

typedef struct line_writer {
  finalizer *f;
  line_entries entries;
  final_line_bytes out;
  final_line_bytes relocations;
  bool info; /* .debug_line, whose units .debug_info names */
} line_writer;

static int lines_compare_entries(const void *a, const void *b) {
  const line_entry *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->offset, y->offset}, {x->order, y->order}};
  return tl_compare_pairs(pairs, 2);
}

static int lines_compare_places(const void *a, const void *b) {
  const line_entry *const x = a, *const y = b;
  return tl_compare(x->offset, y->offset);
}

static int lines_compare_symbols(const void *a, const void *b) {
  const line_sequence *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->symbol, y->symbol}, {x->start, y->start}};
  return tl_compare_pairs(pairs, 2);
}

static line_entries lines_collect_entries(const finalizer *f, const final_entries *all, uint32_t container) {
  const final_entry_list list = final_entries_of(all, container);
  line_entries entries = {tl_arena_new(f->arena, line_entry, list.count), list.count};
  for (size_t i = 0; i < list.count; i++)
    entries.items[i] = (line_entry){list.items[i]->offset, i, list.items[i]};
  tl_vector_sort(&entries, lines_compare_entries);
  size_t kept = 0; /* of several at a place the first */
  for (size_t i = 0; i < entries.count; i++)
    if (!kept || entries.items[kept - 1].offset != entries.items[i].offset)
      entries.items[kept++] = entries.items[i];
  entries.count = kept;
  return entries;
}

static const tl_kept *lines_find_entry(const line_entries *entries, uint64_t offset) {
  const line_entry key = {.offset = offset};
  const line_entry *const found =
      tl_sorted_find(&key, entries->items, entries->count, sizeof key, lines_compare_places);
  return found ? found->kept : NULL;
}

/* False at the end; a unit that does not fit its piece ends the link. */
static bool lines_next_unit(const line_writer *w, const uint8_t *bytes, uint64_t size, uint64_t *position,
                            line_unit *unit) {
  const uint64_t at = *position;
  if (at == size)
    return false;
  if (size - at < UNIT_LEAST)
    final_disagree(w->f, "a unit of its line table is incomplete");
  const uint64_t length = UNIT_LENGTH + (uint64_t)tl_get32(bytes + at);
  const uint64_t header = UNIT_LEAST + (uint64_t)tl_get32(bytes + at + UNIT_HEADER_LENGTH);
  if (length > size - at || header > length)
    final_disagree(w->f, "a unit of its line table runs past the table");
  *unit = (line_unit){at, at + header, at + length};
  *position = unit->end;
  return true;
}

/* A set_address begins a sequence, the function's that the entry at its operand is about; nvlink does not look at the end of the
 * one before. Without an entry there rows are nobody's (L1491). */
static void lines_add_sequence(const line_writer *w, const line_table *table, uint64_t start, uint64_t operand,
                               line_sequences *list) {
  if (list->count)
    list->items[list->count - 1].end = start;
  line_sequence *const one = tl_vector_push(w->f->arena, list);
  *one = (line_sequence){.start = start, .function = TL_NONE};
  const tl_kept *const kept = lines_find_entry(&w->entries, table->piece->offset + operand);
  if (!kept)
    return;
  one->symbol = w->f->mercury->emitted->symbol_index[kept->symbol];
  one->function = kept->symbol;
  one->type = tl_sass_type_in_data(kept->type);
  one->addend = kept->addend;
}

/* All sequences of a unit, in the order of their places. */
static line_sequences lines_find_sequences(const line_writer *w, const line_table *table, const line_unit *unit) {
  const uint8_t *const shape = table->bytes + unit->start + UNIT_LEAST;
  line_sequences list = {0};
  uint64_t at = unit->program;
  final_line_opcode opcode;
  if (unit->program - unit->start < UNIT_LEAST + SHAPE_SIZE)
    return list;
  while (final_next_line_opcode(table->bytes, unit->end, shape[SHAPE_OPCODE_BASE], &at, &opcode))
    if (opcode.sets_address)
      lines_add_sequence(w, table, opcode.start, opcode.operand, &list);
  if (list.count)
    list.items[list.count - 1].end = unit->end;
  return list;
}

static void lines_put_entry(line_writer *w, const line_sequence *sequence) {
  if (tl_relocation_is_code_place(tl_relocation_in_view(sequence->type, true)))
    return;
  uint8_t entry[ELF_RELA_SIZE];
  tl_put64(entry, w->out.count + ADDRESS);
  tl_put64(entry + 8, (uint64_t)sequence->symbol << 32 | sequence->type);
  tl_put64(entry + 16, (uint64_t)sequence->addend);
  tl_bytes_put(w->f->arena, &w->relocations, entry, sizeof entry);
}

/* Rows that are about anything but a function's code stay where they are, too (L1491). */
static bool lines_is_about_code(const finalizer *f, uint32_t symbol) {
  const tl_symbol *const s = &f->mercury->module->symbols.items[symbol];
  return tl_type_of(s) == STT_FUNC && s->section != TL_NONE && f->sass_section[s->section] != TL_NONE &&
         final_mercury(f, s->section)->flags & SHF_EXECINSTR;
}

/* A sequence of `unit` with its rows at their places in the SASS text; where a second name stands before the function they
 * stay where they are. False where nothing is known of it. */
static bool lines_rewrite(const line_writer *w, const line_table *table, const line_unit *unit,
                          const line_sequence *sequence, final_line_bytes *out) {
  finalizer *const f = w->f;
  const uint32_t text =
      sequence->function == TL_NONE ? TL_NONE : f->mercury->module->symbols.items[sequence->function].section;
  const bool about = lines_is_about_code(f, sequence->function);
  const bool slot = about && final_is_slot(f, sequence->function); /* L665 */
  const bool stays = !about || f->aliased[text] || (slot && final_slot_place(f, sequence->function));
  const uint8_t *const shape = table->bytes + unit->start + UNIT_LEAST;
  const tl_code *const map = stays ? NULL : final_code_map_of(f, text);
  if (unit->program - unit->start < UNIT_LEAST + SHAPE_SIZE || shape[SHAPE_LEAST_STEP] != 1 || (!stays && !map))
    return false;
  const line_shape form = {(int8_t)shape[SHAPE_LINE_BASE], shape[SHAPE_LINE_RANGE], shape[SHAPE_OPCODE_BASE]};
  const uint64_t size = slot ? f->slots.sass_size : about ? final_view_size(f->sass, f->sass_section[text]) : 0;
  const line_text code = {text, map, size};
  const final_rows made =
      final_rewrite_rows(f, &code, &form, table->bytes + sequence->start, sequence->end - sequence->start, out);
  if (made == FINAL_ROWS_RING)
    final_disagree(f, "rows of a line table are inlined at themselves (L751)");
  if (made == FINAL_ROWS_FIXED)
    final_disagree(f, "a line table advances by a fixed number (L1702)");
  return made == FINAL_ROWS_MADE;
}

/* The sequences of `unit` that are in the output, in their order there. */
static line_sequences lines_choose(const line_writer *w, const line_table *table, const line_unit *unit) {
  line_sequences live = lines_find_sequences(w, table, unit);
  size_t kept = 0;
  for (size_t i = 0; i < live.count; i++)
    if (live.items[i].symbol)
      live.items[kept++] = live.items[i];
  live.count = kept;
  tl_vector_sort(&live, lines_compare_symbols);
  return live;
}

static void lines_write_unit(line_writer *w, const line_table *table, const line_unit *unit) {
  const line_sequences live = lines_choose(w, table, unit);
  const uint64_t start = w->out.count;
  if (w->info) /* all of these come in the order of their places */
    *tl_vector_push(w->f->arena, &w->f->line_units) = (final_unit){table->piece->offset + unit->start, start};
  tl_bytes_put(w->f->arena, &w->out, table->bytes + unit->start, unit->program - unit->start);
  for (size_t i = 0; i < live.count; i++) {
    const line_sequence *const one = &live.items[i];
    lines_put_entry(w, one);
    final_line_bytes made;
    if (lines_rewrite(w, table, unit, one, &made))
      tl_bytes_put(w->f->arena, &w->out, made.items, made.count);
    else
      tl_bytes_put(w->f->arena, &w->out, table->bytes + one->start, one->end - one->start);
  }
  tl_put32(w->out.items + start, (uint32_t)(w->out.count - start - UNIT_LENGTH));
}

/* Behind the text at `at` and its 0; `end` where it has none. */
static uint64_t lines_text_end(const uint8_t *bytes, uint64_t at, uint64_t end) {
  const uint8_t *const zero = at < end ? memchr(bytes + at, 0, (size_t)(end - at)) : NULL;
  return zero ? (uint64_t)(zero - bytes) + 1 : end;
}

/* L984: where a header is shorter or longer than its lists of directories and files, nvlink's finalizer looks for the names
 * of functions that rows are inlined from, and crashes where there are none. */
static void lines_check_header(const line_writer *w, const line_table *table, const line_unit *unit) {
  const uint8_t *const bytes = table->bytes;
  enum { OPCODE_BASE = 14, FILE_NUMBERS = 3 };
  const uint64_t base = unit->start + OPCODE_BASE, end = unit->program;
  uint64_t at = base < end ? base + (bytes[base] ? bytes[base] : 1) : end;
  while (at < end && bytes[at])
    at = lines_text_end(bytes, at, end);
  at++; /* the directories' end */
  while (at < end && bytes[at]) {
    at = lines_text_end(bytes, at, end);
    for (unsigned i = 0; i < FILE_NUMBERS && at < end; at++)
      i += !(bytes[at] & 0x80);
  }
  const bool names = w->info && tl_module_section_named(w->f->mercury->module, ".debug_str") != TL_NONE;
  if (at + 1 != end && !names)
    tl_cubin_damaged(&w->f->mercury->module->files[table->piece->file], w->f->mercury->module->names,
                     w->f->mercury->module->diagnostics, table->piece->section, unit->start,
                     "the header of a line table does not end behind its files (L984)");
}

static void lines_write_file(line_writer *w, const line_table *table) {
  uint64_t position = 0;
  line_unit unit;
  while (lines_next_unit(w, table->bytes, table->piece->size, &position, &unit)) {
    lines_check_header(w, table, &unit);
    lines_write_unit(w, table, &unit);
  }
}

const uint8_t *final_lines(finalizer *f, uint32_t section, uint64_t *size) {
  const tl_section *const m = final_mercury(f, section);
  const bool info = strcmp(tl_module_text(f->mercury->module, m->name), ".debug_line") == 0;
  line_writer w = {.f = f, .info = info};
  const uint8_t *const bytes = final_view_bytes(f->mercury, section);
  w.entries = lines_collect_entries(f, &f->mercury_entries, m->relocations[1]);
  tl_vector_reserve(f->arena, &w.out, 2 * final_view_size(f->mercury, section) + 1);
  for (size_t i = 0; i < m->pieces.count; i++) {
    const tl_piece *const piece = &m->pieces.items[i];
    const line_table table = {bytes + piece->offset, piece};
    lines_write_file(&w, &table);
  }
  const uint32_t container = m->relocations[1];
  if (container != TL_NONE && final_plain_index(f, container)) {
    final_section *const entries = &f->sections.items[final_plain_index(f, container)];
    entries->bytes = w.relocations.items;
    entries->size = w.relocations.count;
  }
  *size = w.out.count;
  return w.out.items;
}

static int lines_compare_units(const void *a, const void *b) {
  return tl_compare(((const final_unit *)a)->from, ((const final_unit *)b)->from);
}

uint64_t final_line_unit(const finalizer *f, uint64_t place) {
  const final_unit key = {.from = place};
  const final_unit *const found =
      tl_sorted_find(&key, f->line_units.items, f->line_units.count, sizeof key, lines_compare_units);
  return found ? found->to : place;
}
