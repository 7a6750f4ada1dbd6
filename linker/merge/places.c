/* Where the compiler constants of one file lie in their sections (L230). nvlink knows such a section by its symbols: what
 * none of them covers is zero in the output (L1679), and what two of them cover in part makes it stop. What stands behind the
 * last one is left out (L292). Places outside of the section are refused. */
#include "base/bytes.h"
#include "catalog/message.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

void tl_merge_note_constant(tl_merging *m, uint32_t symbol) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[symbol];
  *tl_vector_push(m->module->arena, &m->constant_places) = (tl_constant_place){
      s->section, symbol, s->value, s->size > UINT64_MAX - s->value ? UINT64_MAX : s->value + s->size};
}

static int places_compare(const void *a, const void *b) {
  const tl_constant_place *const left = a, *const right = b;
  const uint64_t keys[][2] = {{left->section, right->section},
                              {left->start, right->start},
                              {right->end, left->end}, /* what lies inside another stands behind it */
                              {left->symbol, right->symbol}};
  return tl_compare_pairs(keys, sizeof keys / sizeof *keys);
}

/* L1127: the block of the function, if the constant came into one. */
static tl_constant_block *places_block(const tl_merging *m, uint32_t symbol) {
  const uint32_t out = tl_merging_symbol(m, symbol);
  const uint32_t block = out == TL_NONE ? TL_NONE : m->module->symbols.items[out].block;
  return block == TL_NONE ? NULL : &m->module->constant_blocks.items[block];
}

/* Two constants of which neither lies in the other. The one that comes later stops nvlink when it begins inside the
 * earlier one. Otherwise it is found when a device function's constants are copied into a kernel (L1127), and in a kernel's
 * own section when the file is written. */
static void places_report_overlap(tl_merging *m, const tl_constant_place *low, const tl_constant_place *high) {
  const uint32_t own = m->section_map[high->section];
  const tl_site site = {m->cubin->path, tl_merging_text(m, m->cubin->sections[high->section].name),
                        tl_merging_text(m, m->cubin->symbols[high->symbol].name), high->start};
  if (high->symbol > low->symbol)
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_OVERLAP_PART), site, NULL);
  tl_constant_block *const block = own == TL_NONE ? places_block(m, high->symbol) : NULL;
  if (block) {
    tl_site *const overlap = tl_arena_new(m->module->arena, tl_site, 1);
    *overlap = site;
    block->overlap = overlap;
  }
  if (own != TL_NONE && m->module->overlapping == TL_NONE)
    m->module->overlapping = own;
}

static void places_refuse(const tl_merging *m, const tl_constant_place *place) {
  tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                   (uint64_t)place->symbol * ELF_SYMBOL_SIZE, "compiler constants do not fill their section (K3)");
}

static bool places_are_zero(const tl_cubin_section *section, uint64_t start, uint64_t end) {
  for (uint64_t i = start; i < end; i++)
    if (section->data[i] != 0)
      return false;
  return true;
}

/* A piece with zeros where none of the constants [first, last) lies. */
static void places_clear_piece(const tl_merging *m, tl_piece *piece, size_t first, size_t last) {
  uint8_t *const bytes = tl_arena_new(m->module->arena, uint8_t, piece->size);
  for (size_t i = first; i < last; i++) {
    const tl_constant_place *const place = &m->constant_places.items[i];
    const uint64_t end = tl_smaller(place->end, piece->size);
    if (place->start < end)
      memcpy(bytes + place->start, piece->data + place->start, (size_t)(end - place->start));
  }
  piece->data = bytes;
}

/* L1679. False if the section's bytes came nowhere. */
static bool places_clear_gaps(const tl_merging *m, size_t first, size_t last) {
  const tl_constant_place *const place = &m->constant_places.items[first];
  const uint32_t own = m->section_map[place->section];
  tl_constant_block *const block = own == TL_NONE ? places_block(m, place->symbol) : NULL;
  tl_pieces *const pieces = block ? &block->pieces : own == TL_NONE ? NULL : &m->module->sections.items[own].pieces;
  if (!pieces)
    return false;
  bool cleared = false;
  for (size_t i = pieces->count; i > 0 && pieces->items[i - 1].file == m->file; i--) { /* this file's are the last */
    if (pieces->items[i - 1].section != place->section)
      continue;
    places_clear_piece(m, &pieces->items[i - 1], first, last);
    cleared = true;
  }
  return cleared;
}

/* The constants [first, last) of one section; `open` has room for as many. */
static void places_check_section(tl_merging *m, size_t first, size_t last, size_t *open) {
  const tl_constant_place *const places = m->constant_places.items;
  const tl_cubin_section *const section = &m->cubin->sections[places[first].section];
  uint64_t covered = 0;
  size_t depth = 0;
  bool overlap = false, gaps = false;
  for (size_t i = first; i < last; i++) {
    const tl_constant_place *const place = &places[i];
    while (depth && places[open[depth - 1]].end <= place->start)
      depth--;
    if (depth && places[open[depth - 1]].end < place->end) {
      places_report_overlap(m, &places[open[depth - 1]], place);
      overlap = true;
    }
    open[depth++] = i;
  }
  const bool dropped = m->section_state[places[first].section] & TL_SECTION_DEAD; /* L543 */
  for (size_t i = first; i < last && !overlap && !dropped; i++) {
    const bool gap = places[i].start > covered;
    if (places[i].end > tl_cubin_room(m->cubin, section) || (gap && places[i].start > section->size))
      places_refuse(m, &places[i]);
    gaps |= gap && !places_are_zero(section, covered, tl_smaller(places[i].start, section->size));
    covered = tl_larger(places[i].end, covered);
  }
  if (gaps && !places_clear_gaps(m, first, last))
    places_refuse(m, &places[first]);
}

void tl_merge_check_constants(tl_merging *m) {
  const size_t count = m->constant_places.count;
  if (!count)
    return;
  tl_vector_sort(&m->constant_places, places_compare);
  size_t *const open = tl_arena_new(m->module->arena, size_t, count);
  for (size_t first = 0, last; first < count; first = last) {
    for (last = first + 1;
         last < count && m->constant_places.items[last].section == m->constant_places.items[first].section;)
      last++;
    places_check_section(m, first, last, open);
  }
}
