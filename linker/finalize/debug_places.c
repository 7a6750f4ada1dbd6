/* Places in the code that debug data of the SASS side names by entries against a function (.debug_info, .debug_loc and the
 * like; L780, L1500). nvlink makes them from the Mercury view's entries with the code of the body that stands, whoever's the
 * data are. Line tables and frames have steps of their own (lines.c, frames.c). */
#include "finalize/parts.h"

#include "cubin/elf.h"

#include <stdlib.h>

enum { CODE_WORD = TL_R_MERCURY + 0x3c, CODE_ADDRESS };

static int places_compare(const void *a, const void *b) {
  const tl_kept *const *const x = a, *const *const y = b;
  const uint64_t pairs[][2] = {{(*x)->offset, (*y)->offset}, {(uint64_t)(*x)->addend, (uint64_t)(*y)->addend}};
  return tl_compare_pairs(pairs, 2);
}

/* The Mercury view's entries of a relocation section that are addresses of code, by their places. */
static void places_sort(finalizer *f, uint32_t section, final_places *places) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, section);
  const tl_kept **const items = tl_arena_new(f->arena, const tl_kept *, list.count);
  size_t count = 0;
  for (size_t i = 0; i < list.count; i++)
    if (list.items[i]->type == CODE_WORD || list.items[i]->type == CODE_ADDRESS)
      items[count++] = list.items[i];
  qsort(items, count, sizeof *items, places_compare);
  *places = (final_places){.items = items, .count = count, .sorted = true};
}

/* The first instruction of a body at a decoded place or behind it, NOPs left out: 0 where only the end of the code is there,
 * the text's size for a place behind the code. */
static uint64_t places_translate(const tl_code *map, uint64_t mercury, uint64_t text_size) {
  size_t low = 0, high = map->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (map->items[middle].mercury < mercury)
      low = middle + 1;
    else
      high = middle;
  }
  while (low < map->count && !map->items[low].code)
    low++;
  const uint64_t missing = mercury < map->mercury_size ? 0 : text_size;
  return low < map->count ? map->items[low].sass : missing;
}

uint64_t final_debug_place(finalizer *f, uint32_t text, uint64_t addend) {
  const tl_code *const map = final_code_map_of(f, text);
  const uint64_t place = addend - addend % TL_CODE_INSTRUCTION;
  return map ? places_translate(map, place, final_view_size(f->sass, f->sass_section[text])) : addend;
}

/* Whether Mercury's entry at the place of one is an address of code. */
static bool places_is_address(finalizer *f, uint32_t section, const tl_kept *kept, final_places *places) {
  if (!places->sorted)
    places_sort(f, section, places);
  return tl_sorted_find(&kept, places->items, places->count, sizeof *places->items, places_compare) != NULL;
}

int64_t final_debug_addend(finalizer *f, uint32_t section, const tl_kept *kept, final_places *places) {
  const tl_symbol *const symbol = &f->sass->module->symbols.items[kept->symbol];
  const uint32_t text = symbol->section == TL_NONE ? TL_NONE : f->mercury_section[symbol->section];
  if (text == TL_NONE || final_mercury(f, final_mercury(f, section)->about)->flags & SHF_ALLOC)
    return kept->addend;
  const bool whole = tl_type_of(symbol) == STT_SECTION && final_mercury(f, text)->flags & SHF_EXECINSTR;
  if ((!whole && tl_type_of(symbol) != STT_FUNC) || !places_is_address(f, section, kept, places))
    return kept->addend;
  return whole ? 0 : (int64_t)final_debug_place(f, text, (uint64_t)kept->addend); /* a text has no function's places */
}
