/* nvlink's finalizer walks over a capsule's SASS side, and finds Mercury's attributes, entries and debug data by their names
 * (RF812). So they stand in the output as the SASS side has them, whatever their own order is (L1539): here they change
 * places, with the numbers that name them. */
#include "cubin/order.h"

#include "base/bytes.h"
#include "cubin/elf.h"

typedef struct order_member {
  uint64_t place;
  uint32_t section;
} order_member;
typedef TL_VECTOR(order_member) order_members;

static int order_compare(const void *a, const void *b) {
  const order_member *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->place, y->place}, {x->section, y->section}};
  return tl_compare_pairs(pairs, 2);
}

/* Mercury's symbols with the sections' new numbers. */
static void order_renumber_symbols(tl_cubin_section *table, const uint32_t *moved, uint32_t count, tl_arena *arena) {
  enum { SECTION = 6 };
  if (!table->size)
    return;
  uint8_t *const bytes = tl_arena_copy(arena, table->data, table->size);
  for (uint64_t at = 0; at + ELF_SYMBOL_SIZE <= table->size; at += ELF_SYMBOL_SIZE) {
    const uint32_t section = tl_get16(bytes + at + SECTION);
    if (section < count)
      tl_put16(bytes + at + SECTION, (uint16_t)moved[section]);
  }
  table->data = bytes;
}

static void order_renumber(tl_cubin *cubin, const uint32_t *moved, tl_arena *arena) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    const bool entries = section->type == SHT_CUDA_MERCURY_RELA || section->type == SHT_CUDA_MERCURY_RESOLVEDRELA;
    if (section->type == SHT_CUDA_MERCURY_SYMTAB)
      order_renumber_symbols(section, moved, cubin->section_count, arena);
    if (entries && section->info < cubin->section_count)
      section->info = moved[section->info];
  }
}

bool tl_order_sections(tl_cubin *cubin, const uint32_t *place, tl_arena *arena) {
  order_members members = {0};
  const uint32_t count = cubin->section_count;
  bool stands = true;
  for (uint32_t i = 1; i < count; i++) {
    if (!place[i])
      continue;
    stands &= !members.count || members.items[members.count - 1].place <= place[i];
    *tl_vector_push(arena, &members) = (order_member){place[i], i};
  }
  if (stands)
    return false;
  tl_cubin_section *const old = tl_arena_new(arena, tl_cubin_section, count);
  uint32_t *const moved = tl_arena_new(arena, uint32_t, count), *const slots = tl_arena_new(arena, uint32_t, count);
  for (uint32_t i = 0; i < count; i++) {
    old[i] = cubin->sections[i];
    moved[i] = i;
  }
  for (size_t i = 0; i < members.count; i++)
    slots[i] = members.items[i].section;
  tl_vector_sort(&members, order_compare);
  for (size_t i = 0; i < members.count; i++) {
    cubin->sections[slots[i]] = old[members.items[i].section];
    moved[members.items[i].section] = slots[i];
  }
  order_renumber(cubin, moved, arena);
  return true;
}
