/* Weak variables that an earlier weak definition beats (W8.5, L1584): what stands in them is not read, so that a function
 * descriptor takes no address there. The merge finds them again, but liveness comes before it. */
#include "graph/lost.h"
#include "cubin/elf.h"

static int lost_compare(const void *a, const void *b) {
  const tl_lost_bytes *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->file, y->file}, {x->section, y->section}, {x->start, y->start}};
  return tl_compare_pairs(pairs, 3);
}

static bool lost_is_definition(const tl_cubin *cubin, const tl_cubin_symbol *s) {
  const unsigned type = tl_symbol_type(s);
  return (type == STT_OBJECT || type == STT_CUDA_OBJECT) && tl_symbol_binding(s) != STB_LOCAL &&
         s->section != SHN_UNDEF && s->section < cubin->section_count;
}

/* Sorted by their beginnings: each is joined to the one before it where they meet. */
static void lost_join(tl_lost_list *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    const tl_lost_bytes *const next = &list->items[i];
    tl_lost_bytes *const last = kept ? &list->items[kept - 1] : NULL;
    if (last && next->file == last->file && next->section == last->section && next->start <= last->end)
      last->end = next->end > last->end ? next->end : last->end;
    else
      list->items[kept++] = *next;
  }
  list->count = kept;
}

void tl_lost_find(tl_lost_list *list, const tl_cubin *files, uint32_t file_count, tl_arena *arena) {
  tl_map weak; /* by name: whether the definition that stands is weak */
  tl_map_init(&weak, arena);
  for (uint32_t file = 0; file < file_count; file++)
    for (uint32_t i = 1; i < files[file].symbol_count; i++) {
      const tl_cubin_symbol *const s = &files[file].symbols[i];
      if (!lost_is_definition(&files[file], s))
        continue;
      const bool is_weak = tl_symbol_binding(s) == STB_WEAK, address = (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
      const uint32_t known = tl_map_get(&weak, s->name);
      if (known == TL_NONE || !is_weak)
        tl_map_set(&weak, s->name, is_weak);
      else if (known && s->size && !address) /* L252 */
        *tl_vector_push(arena, list) = (tl_lost_bytes){file, s->section, s->value, s->value + s->size};
    }
  tl_vector_sort(list, lost_compare);
  lost_join(list);
}

bool tl_lost_has(const tl_lost_list *list, uint32_t file, uint32_t section, uint64_t offset) {
  const tl_lost_bytes key = {file, section, offset, offset};
  const tl_lost_bytes *const bytes = TL_SORTED_LAST(&key, list, lost_compare);
  return bytes && bytes->file == file && bytes->section == section && offset < bytes->end;
}
