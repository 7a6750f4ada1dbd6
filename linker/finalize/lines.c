/* The SASS line tables, .debug_line and .nv_debug_line_sass (M25): unit by unit the header of the Mercury view, then the
 * SASS sequences of live functions in the order of their symbols. A sequence begins with DW_LNE_set_address, at whose
 * operand the file has an entry against the function. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "cubin/elf.h"

#include <stdlib.h>
#include <string.h>

/* DWARF 2: unit_length, version, header_length; set_address is 00 09 02 and the address. */
enum { UNIT_LENGTH = 4, UNIT_HEADER_LENGTH = 6, UNIT_LEAST = 10, ADDRESS = 3 };

typedef struct line_unit {
  uint64_t start, program, end; /* in the piece */
} line_unit;

typedef struct line_sequence {
  uint64_t start, end; /* in the SASS piece */
  uint32_t symbol;     /* index in .symtab, 0: the function is not in the output */
  int64_t addend;
} line_sequence;
typedef TL_VECTOR(line_sequence) line_sequences;

/* A kept entry of the SASS section. */
typedef struct line_entry {
  uint64_t offset;
  const tl_kept *kept;
} line_entry;

typedef struct line_writer {
  finalizer *f;
  uint32_t sass; /* section */
  line_entry *entries;
  size_t entry_count;
  uint8_t *bytes, *relocations;
  uint64_t size, relocations_size;
} line_writer;

static int lines_compare_entries(const void *a, const void *b) {
  const line_entry *const x = a, *const y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int lines_compare_starts(const void *a, const void *b) {
  const line_sequence *const x = a, *const y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

static int lines_compare_symbols(const void *a, const void *b) {
  const line_sequence *const x = a, *const y = b;
  if (x->symbol != y->symbol)
    return x->symbol < y->symbol ? -1 : 1;
  return lines_compare_starts(a, b);
}

static void lines_collect_entries(line_writer *w) {
  const final_entry_list list = final_entries_of(&w->f->sass_entries, final_sass(w->f, w->sass)->relocations[1]);
  w->entries = tl_arena_new(w->f->arena, line_entry, list.count + 1);
  for (size_t i = 0; i < list.count; i++)
    w->entries[w->entry_count++] = (line_entry){list.items[i]->offset, list.items[i]};
  qsort(w->entries, w->entry_count, sizeof *w->entries, lines_compare_entries);
}

static const tl_kept *lines_find_entry(const line_writer *w, uint64_t offset) {
  const line_entry key = {offset, NULL};
  const line_entry *const found = bsearch(&key, w->entries, w->entry_count, sizeof key, lines_compare_entries);
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

/* All sequences of one file, in the order of their places. */
static line_sequences lines_find_sequences(const line_writer *w, const tl_piece *piece) {
  const tl_cubin *const cubin = &w->f->sass->module->files[piece->file];
  line_sequences list = {0};
  for (uint32_t s = 1; s < cubin->section_count; s++) {
    const tl_cubin_section *const section = &cubin->sections[s];
    const bool about = section->type == SHT_RELA && section->info == piece->section;
    const uint64_t count = about ? tl_cubin_relocation_count(section) : 0;
    for (uint64_t i = 0; i < count; i++) {
      const tl_cubin_relocation entry = tl_cubin_relocation_at(section, i);
      if (entry.offset < ADDRESS || entry.offset > piece->size || entry.symbol >= cubin->symbol_count ||
          tl_symbol_type(&cubin->symbols[entry.symbol]) != STT_FUNC)
        continue; /* the header's entry against .debug_str */
      const tl_kept *const kept = lines_find_entry(w, piece->offset + entry.offset);
      *tl_vector_push(w->f->arena, &list) = (line_sequence){
          entry.offset - ADDRESS, 0, kept ? final_symbol_index(w->f, kept->symbol) : 0, kept ? kept->addend : 0};
    }
  }
  if (list.count)
    qsort(list.items, list.count, sizeof *list.items, lines_compare_starts);
  return list;
}

static void lines_put(line_writer *w, const uint8_t *bytes, uint64_t size) {
  memcpy(w->bytes + w->size, bytes, size);
  w->size += size;
}

static void lines_write_unit(line_writer *w, const uint8_t *header, uint64_t header_size, const tl_piece *sass,
                             const line_unit *unit, const line_sequences *all) {
  line_sequence *const live = tl_arena_new(w->f->arena, line_sequence, all->count + 1);
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    line_sequence one = all->items[i];
    const uint64_t next = i + 1 < all->count ? all->items[i + 1].start : sass->size;
    one.end = next < unit->end ? next : unit->end;
    if (one.start >= unit->program && one.start < unit->end && one.symbol)
      live[count++] = one;
  }
  qsort(live, count, sizeof *live, lines_compare_symbols);
  const uint64_t start = w->size;
  lines_put(w, header, header_size);
  for (size_t i = 0; i < count; i++) {
    uint8_t *const entry = w->relocations + w->relocations_size;
    tl_put64(entry, w->size + ADDRESS);
    tl_put64(entry + 8, (uint64_t)live[i].symbol << 32 | 2);
    tl_put64(entry + 16, (uint64_t)live[i].addend);
    w->relocations_size += ELF_RELA_SIZE;
    lines_put(w, sass->data + live[i].start, live[i].end - live[i].start);
  }
  tl_put32(w->bytes + start, (uint32_t)(w->size - start - UNIT_LENGTH));
}

static void lines_write_file(line_writer *w, const uint8_t *mercury, uint64_t mercury_size, const tl_piece *sass) {
  const line_sequences sequences = lines_find_sequences(w, sass);
  uint64_t from = 0, to = 0;
  line_unit header, unit;
  while (lines_next_unit(w, mercury, mercury_size, &from, &header)) {
    if (!lines_next_unit(w, sass->data, sass->size, &to, &unit))
      final_disagree(w->f, "its SASS line table has fewer units than its Mercury line table");
    lines_write_unit(w, mercury + header.start, header.program - header.start, sass, &unit, &sequences);
  }
}

const uint8_t *final_lines(finalizer *f, uint32_t section, uint64_t *size) {
  line_writer w = {.f = f, .sass = f->sass_section[section]};
  const tl_section *const m = final_mercury(f, section);
  const uint8_t *const bytes = final_view_bytes(f->mercury, section);
  lines_collect_entries(&w);
  w.bytes = final_new(f, final_view_size(f->mercury, section) + final_view_size(f->sass, w.sass));
  w.relocations = final_new(f, w.entry_count * ELF_RELA_SIZE);
  for (size_t i = 0; i < m->pieces.count; i++) {
    const tl_piece *const piece = &m->pieces.items[i];
    const tl_piece *const sass = final_piece_of(final_sass(f, w.sass), piece->file);
    if (!sass)
      final_disagree(f, "it has a Mercury line table and no SASS line table");
    lines_write_file(&w, bytes + piece->offset, piece->size, sass);
  }
  const uint32_t container = m->relocations[1];
  if (container != TL_NONE && final_plain_index(f, container)) {
    final_section *const entries = &f->sections.items[final_plain_index(f, container)];
    entries->bytes = w.relocations;
    entries->size = w.relocations_size;
  }
  *size = w.size;
  return w.bytes;
}
