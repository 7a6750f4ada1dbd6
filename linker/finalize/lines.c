/* The SASS line tables, .debug_line and .nv_debug_line_sass (M25): unit by unit the header of the Mercury view, then the
 * sequences of live functions in the order of their symbols, with the Mercury view's rows at their places in the SASS text
 * (L129, L1481). A sequence begins with DW_LNE_set_address, at whose operand the file has an entry against the function. */
#include "finalize/line_rows.h"

#include "base/bytes.h"
#include "catalog/message.h"
#include "catalog/sass_type.h"
#include "cubin/elf.h"
#include "cubin/line_program.h"

#include <string.h>

/* unit_length in a unit, and the address behind DW_LNE_set_address, 00 09 02. */
enum { UNIT_LENGTH = 4, ADDRESS = 3 };
/* Behind header_length. */
enum { SHAPE_LEAST_STEP = 0, SHAPE_LINE_BASE = 2, SHAPE_LINE_RANGE = 3 };

typedef struct line_sequence {
  uint64_t start, end; /* in the piece */
  uint32_t symbol;     /* index in .symtab */
  uint32_t function;   /* symbol of the Mercury module, TL_NONE: there is no entry */
  uint32_t type;       /* of the entry on the SASS side */
  int64_t addend;
} line_sequence;
typedef TL_VECTOR(line_sequence) line_sequences;

/* One file's part. */
typedef struct line_table {
  const uint8_t *bytes;
  const tl_piece *piece;
} line_table;

typedef struct line_writer {
  finalizer *f;
  final_entry_list kept; /* of the section */
  tl_line_entries entries;
  final_line_bytes out;
  final_line_bytes relocations;
  bool info; /* .debug_line, whose units .debug_info names */
} line_writer;

static int lines_compare_symbols(const void *a, const void *b) {
  const line_sequence *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->symbol, y->symbol}, {x->start, y->start}};
  return tl_compare_pairs(pairs, 2);
}

/* Those that stay, by place; of several at one the first, which is the input's last. */
static void lines_collect_entries(line_writer *w) {
  const tl_emitted *const emitted = w->f->mercury->emitted;
  for (size_t i = 0; i < w->kept.count; i++) {
    const tl_kept *const kept = w->kept.items[i];
    const tl_line_entry one = {kept->offset, i, emitted->symbol_index[kept->symbol]};
    *tl_vector_push(w->f->arena, &w->entries) = one;
  }
  tl_line_sort_entries(&w->entries);
}

static const tl_kept *lines_find_entry(const line_writer *w, uint64_t offset) {
  const tl_line_entry *const entry = tl_line_find_entry(&w->entries, offset);
  return entry ? w->kept.items[entry->order] : NULL;
}

/* False at the end; a unit that does not fit its piece ends the link. */
static bool lines_next_unit(const line_writer *w, const line_table *table, uint64_t *position, tl_line_unit *unit) {
  const tl_line_found found = tl_line_next_unit(table->bytes, table->piece->size, position, unit);
  if (found == TL_LINE_SHORT)
    final_disagree(w->f, "a unit of its line table is incomplete");
  if (found == TL_LINE_PAST)
    final_disagree(w->f, "a unit of its line table runs past the table");
  return found == TL_LINE_UNIT;
}

/* A set_address begins a sequence, the function's that the entry at its operand is about; nvlink does not look at the end of the
 * one before. Without an entry there rows are nobody's (L1491). */
static void lines_add_sequence(const line_writer *w, const line_table *table, uint64_t start, uint64_t operand,
                               line_sequences *list) {
  if (list->count)
    list->items[list->count - 1].end = start;
  line_sequence *const one = tl_vector_push(w->f->arena, list);
  *one = (line_sequence){.start = start, .function = TL_NONE};
  const tl_kept *const kept = lines_find_entry(w, table->piece->offset + operand);
  if (!kept)
    return;
  one->symbol = w->f->mercury->emitted->symbol_index[kept->symbol];
  one->function = kept->symbol;
  one->type = tl_sass_type_in_data(kept->type);
  one->addend = kept->addend;
}

/* All sequences of a unit, in the order of their places. */
static line_sequences lines_find_sequences(const line_writer *w, const line_table *table, const tl_line_unit *unit) {
  line_sequences list = {0};
  uint64_t at = unit->program;
  tl_line_opcode opcode;
  if (!tl_line_has_shape(unit))
    return list;
  while (tl_line_next_opcode(table->bytes, unit->end, tl_line_opcode_base(table->bytes, unit), &at, &opcode)) {
    if (opcode.adds_row && !list.count)
      final_disagree(w->f, "a row of a line table is in front of its first address (L1820)");
    if (opcode.sets_address)
      lines_add_sequence(w, table, opcode.start, opcode.operand, &list);
  }
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
static bool lines_rewrite(const line_writer *w, const line_table *table, const tl_line_unit *unit,
                          const line_sequence *sequence, final_line_bytes *out) {
  finalizer *const f = w->f;
  const uint32_t text =
      sequence->function == TL_NONE ? TL_NONE : f->mercury->module->symbols.items[sequence->function].section;
  const bool about = lines_is_about_code(f, sequence->function);
  const bool slot = about && final_is_slot(f, sequence->function); /* L665 */
  const bool stays = !about || f->aliased[text] || (slot && final_slot_place(f, sequence->function));
  const uint8_t *const shape = table->bytes + unit->start + TL_LINE_UNIT_LEAST;
  const tl_code *const map = stays ? NULL : final_code_map_of(f, text);
  if (!tl_line_has_shape(unit) || (!stays && !map))
    return false;
  const line_shape form = {(int8_t)shape[SHAPE_LINE_BASE], shape[SHAPE_LEAST_STEP], shape[SHAPE_LINE_RANGE],
                           tl_line_opcode_base(table->bytes, unit)};
  const uint64_t size = slot ? f->slots.sass_size : about ? final_view_size(f->sass, f->sass_section[text]) : 0;
  const uint8_t *const sass = !map ? NULL : slot ? f->slots.sass : final_code_text(f, text);
  const line_text code = {text, map, size, sass};
  const final_rows made =
      final_rewrite_rows(f, &code, &form, table->bytes + sequence->start, sequence->end - sequence->start, out);
  if (made == FINAL_ROWS_RING)
    final_disagree(f, "rows of a line table are inlined at themselves (L751)");
  if (made == FINAL_ROWS_NONE)
    final_disagree(f, "a sequence of a line table has no rows (L1820)");
  if (made == FINAL_ROWS_FIXED)
    final_disagree(f, "a line table advances by a fixed number, or by nothing (L1702, L1788)");
  return made == FINAL_ROWS_MADE;
}

/* The sequences of `unit` that are in the output, in their order there: those with an entry, be it about symbol 0 (L1786). */
static line_sequences lines_choose(const line_writer *w, const line_table *table, const tl_line_unit *unit) {
  line_sequences live = lines_find_sequences(w, table, unit);
  size_t kept = 0;
  for (size_t i = 0; i < live.count; i++)
    if (live.items[i].function != TL_NONE)
      live.items[kept++] = live.items[i];
  live.count = kept;
  tl_vector_sort(&live, lines_compare_symbols);
  return live;
}

static void lines_write_unit(line_writer *w, const line_table *table, const tl_line_unit *unit) {
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
static void lines_check_header(const line_writer *w, const line_table *table, const tl_line_unit *unit) {
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
  tl_line_unit unit;
  while (lines_next_unit(w, table, &position, &unit)) {
    lines_check_header(w, table, &unit);
    lines_write_unit(w, table, &unit);
  }
}

/* L1780: nvlink's finalizer reads what the link wrote as it read the inputs. */
static void lines_check_repeats(const line_writer *w, uint32_t section, const uint8_t *bytes) {
  const tl_module *const module = w->f->mercury->module;
  const char *const output = module->options->output_name ? module->options->output_name : "";
  const tl_site site = {NULL, tl_module_text(module, final_mercury(w->f, section)->name), NULL, TL_NO_OFFSET};
  if (!tl_line_repeats(bytes, final_view_size(w->f->mercury, section), &w->entries, w->f->arena))
    return;
  tl_diagnostics_add_before(module->diagnostics, tl_message_row_of(TL_MESSAGE_REPEATED_LINES), site);
  tl_diagnostics_end(module->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER), site, NULL, output);
}

const uint8_t *final_lines(finalizer *f, uint32_t section, uint64_t *size) {
  const tl_section *const m = final_mercury(f, section);
  const bool info = strcmp(tl_module_text(f->mercury->module, m->name), ".debug_line") == 0;
  line_writer w = {.f = f, .info = info};
  const uint8_t *const bytes = final_view_bytes(f->mercury, section);
  w.kept = final_entries_of(&f->mercury_entries, m->relocations[1]);
  lines_collect_entries(&w);
  lines_check_repeats(&w, section, bytes);
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
