/* The SASS line tables, .debug_line and .nv_debug_line_sass (M25): unit by unit the header of the Mercury view, then the
 * sequences of live functions in the order of their symbols, with the Mercury view's rows at their places in the SASS text
 * (L129, L1481). A sequence begins with DW_LNE_set_address, at whose operand the file has an entry against the function. */
#include "finalize/line_rows.h"

#include "base/bytes.h"
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
  int64_t addend;
} line_sequence;
typedef TL_VECTOR(line_sequence) line_sequences;

/* An entry that stays. */
typedef struct line_entry {
  uint64_t offset;
  const tl_kept *kept;
} line_entry;

/* Those of the section, by offset. */
typedef struct line_entries {
  line_entry *items;
  size_t count;
} line_entries;

/* A relocation section of a file with line tables, by its target. */
typedef struct line_source {
  uint64_t target; /* file << 32 | section */
  uint32_t section;
} line_source;

typedef struct line_sources {
  line_source *items;
  size_t count;
} line_sources;

/* One file's part. */
typedef struct line_table {
  const uint8_t *bytes;
  const tl_piece *piece;
  line_sequences sequences;
} line_table;

typedef struct line_writer {
  finalizer *f;
  line_entries entries;
  line_sources sources;
  final_line_bytes out;
  final_line_bytes relocations;
  bool info; /* .debug_line, whose units .debug_info names */
} line_writer;

static int lines_compare_entries(const void *a, const void *b) {
  const line_entry *const x = a, *const y = b;
  return tl_compare(x->offset, y->offset);
}

static int lines_compare_starts(const void *a, const void *b) {
  const line_sequence *const x = a, *const y = b;
  return tl_compare(x->start, y->start);
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
    entries.items[i] = (line_entry){list.items[i]->offset, list.items[i]};
  tl_vector_sort(&entries, lines_compare_entries);
  return entries;
}

static const tl_kept *lines_find_entry(const line_entries *entries, uint64_t offset) {
  const line_entry key = {offset, NULL};
  const line_entry *const found =
      tl_sorted_find(&key, entries->items, entries->count, sizeof key, lines_compare_entries);
  return found ? found->kept : NULL;
}

static uint64_t lines_target(uint32_t file, uint32_t section) {
  return (uint64_t)file << 32 | section;
}

static int lines_compare_sources(const void *a, const void *b) {
  const line_source *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->target, y->target}, {x->section, y->section}};
  return tl_compare_pairs(pairs, 2);
}

/* The relocation sections of all files that have a piece. */
static line_sources lines_collect_sources(const finalizer *f, const tl_module *module, const tl_pieces *pieces) {
  TL_VECTOR(line_source) sources = {0};
  for (size_t i = 0; i < pieces->count; i++) {
    const uint32_t file = pieces->items[i].file;
    const tl_cubin *const cubin = &module->files[file];
    for (uint32_t s = 1; (!i || pieces->items[i - 1].file != file) && s < cubin->section_count; s++)
      if (cubin->sections[s].type == SHT_RELA)
        *tl_vector_push(f->arena, &sources) = (line_source){lines_target(file, cubin->sections[s].info), s};
  }
  tl_vector_sort(&sources, lines_compare_sources);
  return (line_sources){sources.items, sources.count};
}

/* The first relocation section of a piece's section, or where it would stand. */
static size_t lines_find_source(const line_sources *sources, const tl_piece *piece) {
  const uint64_t target = lines_target(piece->file, piece->section);
  size_t low = 0, high = sources->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (sources->items[middle].target < target)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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

static void lines_end_sequences(line_sequences *list, uint64_t size) {
  tl_vector_sort(list, lines_compare_starts);
  for (size_t i = 0; i < list->count; i++)
    list->items[i].end = i + 1 < list->count ? list->items[i + 1].start : size;
}

/* All sequences of one file, in the order of their places; the last of a unit reaches into the next one. */
static line_sequences lines_find_sequences(const line_writer *w, const tl_piece *piece) {
  const tl_cubin *const cubin = &w->f->mercury->module->files[piece->file];
  line_sequences list = {0};
  for (size_t s = lines_find_source(&w->sources, piece);
       s < w->sources.count && w->sources.items[s].target == lines_target(piece->file, piece->section); s++) {
    const tl_cubin_section *const section = &cubin->sections[w->sources.items[s].section];
    const uint64_t count = tl_cubin_relocation_count(section);
    for (uint64_t i = 0; i < count; i++) {
      const tl_cubin_relocation entry = tl_cubin_relocation_at(section, i);
      if (entry.offset < ADDRESS || entry.offset > piece->size ||
          tl_symbol_type(tl_cubin_symbol_at(cubin, entry.symbol)) != STT_FUNC)
        continue; /* the header's entry against .debug_str */
      const tl_kept *const kept = lines_find_entry(&w->entries, piece->offset + entry.offset);
      line_sequence *const one = tl_vector_push(w->f->arena, &list);
      *one = (line_sequence){.start = entry.offset - ADDRESS, .function = TL_NONE};
      if (!kept)
        continue;
      one->symbol = w->f->mercury->emitted->symbol_index[kept->symbol];
      one->function = kept->symbol;
      one->addend = kept->addend;
    }
  }
  lines_end_sequences(&list, piece->size);
  return list;
}

static void lines_put_entry(line_writer *w, const line_sequence *sequence) {
  uint8_t entry[ELF_RELA_SIZE];
  tl_put64(entry, w->out.count + ADDRESS);
  tl_put64(entry + 8, (uint64_t)sequence->symbol << 32 | 2);
  tl_put64(entry + 16, (uint64_t)sequence->addend);
  tl_bytes_put(w->f->arena, &w->relocations, entry, sizeof entry);
}

/* A sequence of `unit` with its rows at their places in the SASS text; where a second name stands before the function they
 * stay where they are. False where nothing is known of it. */
static bool lines_rewrite(const line_writer *w, const line_table *table, const line_unit *unit,
                          const line_sequence *sequence, final_line_bytes *out) {
  finalizer *const f = w->f;
  const uint32_t text =
      sequence->function == TL_NONE ? TL_NONE : f->mercury->module->symbols.items[sequence->function].section;
  if (text == TL_NONE || f->sass_section[text] == TL_NONE)
    return false;
  const bool slot = final_is_slot(f, sequence->function); /* L665 */
  const bool stays = f->aliased[text] || (slot && final_slot_place(f, sequence->function));
  const uint8_t *const shape = table->bytes + unit->start + UNIT_LEAST;
  const tl_code *const map = stays ? NULL : final_code_map_of(f, text);
  if (unit->program - unit->start < UNIT_LEAST + SHAPE_SIZE || shape[SHAPE_LEAST_STEP] != 1 || (!stays && !map))
    return false;
  const line_shape form = {(int8_t)shape[SHAPE_LINE_BASE], shape[SHAPE_LINE_RANGE], shape[SHAPE_OPCODE_BASE]};
  const uint64_t size = slot ? f->slots.sass_size : final_view_size(f->sass, f->sass_section[text]);
  const line_text about = {text, map, size};
  const final_rows made =
      final_rewrite_rows(f, &about, &form, table->bytes + sequence->start, sequence->end - sequence->start, out);
  if (made == FINAL_ROWS_RING)
    final_disagree(f, "rows of a line table are inlined at themselves (L751)");
  return made == FINAL_ROWS_MADE;
}

/* The sequences of `unit` that are in the output, in their order there. */
static line_sequences lines_choose(const line_writer *w, const line_table *table, const line_unit *unit) {
  line_sequences live = {0};
  size_t from = 0, to = table->sequences.count; /* by start */
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    if (table->sequences.items[middle].start < unit->program)
      from = middle + 1;
    else
      to = middle;
  }
  for (size_t i = from; i < table->sequences.count && table->sequences.items[i].start < unit->end; i++) {
    line_sequence one = table->sequences.items[i];
    one.end = tl_smaller(one.end, unit->end);
    if (one.symbol)
      *tl_vector_push(w->f->arena, &live) = one;
  }
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
  w.sources = lines_collect_sources(f, f->mercury->module, &m->pieces);
  tl_vector_reserve(f->arena, &w.out, 2 * final_view_size(f->mercury, section) + 1);
  for (size_t i = 0; i < m->pieces.count; i++) {
    const tl_piece *const piece = &m->pieces.items[i];
    line_table table = {bytes + piece->offset, piece, lines_find_sequences(&w, piece)};
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
