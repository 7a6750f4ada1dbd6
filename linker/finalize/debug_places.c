/* Places in the code that debug data of the SASS side names by entries against a function (.debug_info, .debug_loc and the
 * like; L780). nvlink makes them from the Mercury view's entries with the code of the body that stands. Where the data's own
 * file gave that body these are the input's; where the body is another file's, its instructions decide. Line tables and
 * frames have steps of their own (lines.c, frames.c). */
#include "finalize/parts.h"

#include "cubin/elf.h"

#include <stdlib.h>

static int places_compare(const void *a, const void *b) {
  const tl_kept *const *const x = a, *const *const y = b;
  return tl_compare((*x)->offset, (*y)->offset);
}

/* The Mercury view's entries of a relocation section by their places. */
static void places_sort(finalizer *f, uint32_t section, final_places *places) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, section);
  const tl_kept **const items = tl_arena_new(f->arena, const tl_kept *, list.count);
  for (size_t i = 0; i < list.count; i++)
    items[i] = list.items[i];
  qsort(items, list.count, sizeof *items, places_compare);
  *places = (final_places){.items = items, .count = list.count, .sorted = true};
}

/* The file that gave the bytes at a place of a section. */
static uint32_t places_file(const tl_section *section, uint64_t offset) {
  size_t low = 0, high = section->pieces.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (section->pieces.items[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? section->pieces.items[low - 1].file : TL_NONE;
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

int64_t final_debug_addend(finalizer *f, uint32_t section, const tl_kept *kept, final_places *places) {
  const tl_symbol *const symbol = &f->sass->module->symbols.items[kept->symbol];
  const uint32_t target = final_mercury(f, section)->about;
  if (tl_type_of(symbol) != STT_FUNC || symbol->section == TL_NONE || final_mercury(f, target)->flags & SHF_ALLOC)
    return kept->addend;
  const uint32_t text = f->mercury_section[symbol->section];
  const uint32_t file = places_file(final_sass(f, f->sass_section[target]), kept->offset);
  if (text == TL_NONE || (final_standing_file(f, text) == file && !final_text_moved(f, text)))
    return kept->addend;
  const tl_code *const map = final_code_map_of(f, text);
  if (!places->sorted)
    places_sort(f, section, places);
  const tl_kept *const *const same =
      tl_sorted_find(&kept, places->items, places->count, sizeof *places->items, places_compare);
  return map && same
             ? (int64_t)places_translate(map, (uint64_t)(*same)->addend, final_view_size(f->sass, symbol->section))
             : kept->addend;
}
