/* The places of the instructions of a text, which cubin/code.h reads. Debug data of the Mercury view names places in decoded
 * Mercury code; nvlink's finalizer carries them over to the SASS text with the standing body's instructions, which shows
 * where the data describe another body (L128, L129). */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "base/map.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"

#include <string.h>

/* The input's bytes of a section, where it has those of one alone: entries that are carried out may write over opcodes and
 * records, whose places were known before (L1487). */
static const uint8_t *code_input(const tl_linked_view *view, uint32_t section) {
  const tl_pieces *const pieces = &view->module->sections.items[section].pieces;
  const bool whole = pieces->count == 1 && pieces->items[0].data && !pieces->items[0].offset &&
                     pieces->items[0].size == final_view_size(view, section);
  return whole ? pieces->items[0].data : final_view_bytes(view, section);
}

const uint8_t *final_code_text(const finalizer *f, uint32_t text) {
  return code_input(f->sass, f->sass_section[text]);
}

static bool code_read(const finalizer *f, uint32_t text, final_code_map *map) {
  const uint32_t other = f->sass_section[text];
  if (text == f->mercury->module->jump_slots)
    return tl_code_read(&map->code, f->slots.capsule, f->slots.capsule_size, f->slots.sass, f->slots.sass_size,
                        f->arena);
  return tl_code_read(&map->code, code_input(f->mercury, text), final_view_size(f->mercury, text),
                      code_input(f->sass, other), final_view_size(f->sass, other), f->arena);
}

const tl_code *final_code_map_of(finalizer *f, uint32_t text) {
  if (f->sass_section[text] == TL_NONE)
    return NULL;
  if (!f->code_maps)
    f->code_maps = tl_arena_new(f->arena, final_code_map, f->mercury->module->sections.count);
  final_code_map *const map = &f->code_maps[text];
  if (!map->read)
    map->known = code_read(f, text, map);
  map->read = true;
  return map->known ? &map->code : NULL;
}

/* --- functions in a kernel's text (L720) --- */

bool final_is_inner(const finalizer *f, uint32_t symbol) {
  const tl_symbol *const s = &f->mercury->module->symbols.items[symbol];
  return tl_type_of(s) == STT_FUNC && s->section != TL_NONE && s->value && !final_is_slot(f, symbol) &&
         final_mercury(f, s->section)->type != SHT_CUDA_UFT_REL;
}

/* L1064: what a body that lost brought may lie behind the code that stands, where nvlink finds no place. */
static bool code_is_place(finalizer *f, uint32_t text, uint64_t mercury) {
  const tl_code *const map = final_code_map_of(f, text);
  return map && mercury < map->mercury_size;
}

/* Functions of a body that lost stand in the text of the one that won, and do not divide it. */
static bool code_stands(finalizer *f, uint32_t symbol) {
  const tl_symbol *const s = &f->mercury->module->symbols.items[symbol];
  return !s->lost_inner && s->mention == final_standing_file(f, s->section) && code_is_place(f, s->section, s->value);
}

static int code_compare_functions(const void *a, const void *b) {
  const final_function *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->text, y->text}, {x->mercury, y->mercury}};
  return tl_compare_pairs(pairs, 2);
}

void final_find_inner(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  for (uint32_t i = 0; i < m->symbols.count; i++)
    if (final_is_inner(f, i) && code_stands(f, i))
      *tl_vector_push(f->arena, &f->inner) = (final_function){m->symbols.items[i].section, m->symbols.items[i].value};
  tl_vector_sort(&f->inner, code_compare_functions);
}

bool final_begins_inner(const finalizer *f, uint32_t text, uint64_t mercury) {
  const final_function key = {text, mercury};
  return tl_sorted_find(&key, f->inner.items, f->inner.count, sizeof key, code_compare_functions) != NULL;
}

/* The SASS place of a place in decoded code; what lies behind the code is the text's end, with the NOPs that fill it. */
static uint64_t code_sass_place(finalizer *f, uint32_t text, uint64_t mercury) {
  const tl_code *const map = final_code_map_of(f, text);
  const tl_code_place *const place = map ? tl_code_find(map, mercury) : NULL;
  return place ? place->sass : final_view_size(f->sass, f->sass_section[text]);
}

/* The first function that begins behind a place, NULL. */
static const final_function *code_behind(const finalizer *f, const final_function *place) {
  size_t low = 0, high = f->inner.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (code_compare_functions(&f->inner.items[middle], place) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->inner.count ? &f->inner.items[low] : NULL;
}

bool final_has_inner(const finalizer *f, const final_function *place) {
  const final_function *const behind = code_behind(f, place);
  return behind && behind->text == place->text;
}

final_extent final_extent_of(finalizer *f, uint32_t text, uint64_t mercury) {
  const final_function key = {text, mercury};
  const final_function *const next = code_behind(f, &key);
  const bool more = next && next->text == text;
  const uint64_t start = mercury ? code_sass_place(f, text, mercury) : 0;
  const uint64_t end = code_sass_place(f, text, more ? next->mercury : UINT64_MAX);
  return (final_extent){start, end - start};
}

void final_inner_symbol(finalizer *f, uint32_t symbol, uint8_t *at) {
  const tl_symbol *const s = &f->mercury->module->symbols.items[symbol];
  const final_extent part = final_extent_of(f, s->section, s->value);
  if (!final_code_map_of(f, s->section))
    return;
  tl_put64(at + 8, code_is_place(f, s->section, s->value) ? part.start : 0);
  tl_put64(at + 16, s->size && code_stands(f, symbol) ? part.size : s->size); /* a second name has none (L750) */
}

/* By index in the symbol table: the text of a function, if it has functions behind its beginning; TL_NONE. */
static uint32_t code_shared_text(const finalizer *f, uint32_t index) {
  const tl_emitted *const e = f->mercury->emitted;
  const tl_symbol *const s =
      index && index <= e->symbols.count ? &f->mercury->module->symbols.items[e->symbols.items[index - 1]] : NULL;
  if (!s || tl_type_of(s) != STT_FUNC || s->section == TL_NONE)
    return TL_NONE;
  const final_function key = {s->section, 0};
  return final_has_inner(f, &key) ? s->section : TL_NONE;
}

/* L721: a text has one stack on the SASS side: FRAME_SIZE of its functions is what the last record says. */
const uint8_t *final_text_stacks(const finalizer *f, const uint8_t *records, uint64_t size) {
  enum { HEAD = 4, PAIR = 8 };
  if (!f->inner.count)
    return records;
  uint8_t *const bytes = final_new(f, size);
  memcpy(bytes, records, size);
  tl_map stacks; /* by text */
  tl_map_init(&stacks, f->arena);
  for (int round = 0; round < 2; round++)
    for (uint64_t at = 0, length = 0; at + HEAD <= size; at += length) {
      uint8_t *const record = bytes + at;
      const uint64_t data = record[0] == 4 ? tl_get16(record + 2) : 0;
      length = HEAD + data;
      if (record[1] != EIATTR_FRAME_SIZE || data < PAIR)
        continue;
      const uint32_t text = code_shared_text(f, tl_get32(record + HEAD));
      if (text == TL_NONE)
        continue;
      if (!round)
        tl_map_set(&stacks, text, (uint32_t)at);
      else
        tl_put32(record + PAIR, tl_get32(bytes + tl_map_get(&stacks, text) + PAIR));
    }
  return bytes;
}

uint32_t final_standing_file(const finalizer *f, uint32_t text) {
  return final_mercury(f, text)->pieces.count ? final_mercury(f, text)->pieces.items[0].file : TL_NONE;
}

const struct tl_moved_text *final_moved_text(const finalizer *f, uint32_t sass) {
  const tl_section *const text = final_sass(f, sass);
  if (!text->pieces.count)
    return NULL;
  const tl_cubin *const file = &f->sass->module->files[text->pieces.items[0].file];
  return file->moved ? file->moved[text->pieces.items[0].section] : NULL;
}

bool final_text_moved(const finalizer *f, uint32_t text) {
  return final_moved_text(f, f->sass_section[text]) != NULL;
}

/* Which texts have a second name that stands before their function. */
void final_find_aliases(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  f->aliased = tl_arena_new(f->arena, bool, m->sections.count);
  for (size_t i = 0; i < m->functions.count; i++) {
    const uint32_t symbol = m->symbol_of_function[m->functions.items[i]];
    if (final_names_first(f, symbol))
      f->aliased[m->symbols.items[symbol].section] = true;
  }
}
