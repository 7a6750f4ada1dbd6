/* Compiler constants that do not fit into 64 KB as one block a function (K3, K3a, K3b): one image for the whole module,
 * in which equal constants of some sizes share their place, copied into every kernel that has any (names or not: L1631).
 *
 * Kernels are taken last output section first; of each its own constants, then those of the functions that it reaches,
 * in reverse order of the blocks. A unit is what one F.const_opt symbol stands for: its bytes are found in the input, its
 * new place becomes the symbol's value, and so the relocations follow. Where that does not fit either, the first layout
 * stays (L1126). */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "layout/compiler_constants.h"
#include "layout/layout.h"

#include <string.h>

static const uint64_t bank_size = 0x10000;

typedef struct pool_unit {
  uint32_t owner; /* a block, or behind all blocks a kernel */
  uint32_t file, symbol;
  uint64_t value;
} pool_unit;

typedef struct pool_item {
  tl_piece piece;
  uint64_t align;
  uint32_t symbol; /* 0: the constants of a body that lost */
} pool_item;
typedef TL_VECTOR(pool_item) pool_items;

typedef struct pool_found {
  uint64_t offset;
  bool lost; /* of a body that lost */
} pool_found;

typedef struct pool_state {
  tl_module *module;
  tl_arena *arena;
  tl_names seen;                /* bytes and alignment of units that can be shared */
  TL_VECTOR(pool_found) places; /* by number in `seen` */
  TL_VECTOR(pool_unit) units;   /* by owner, file and place */
  tl_pieces image;
  uint64_t end, align, null_value;
  const tl_constant_offsets *offsets; /* of the layout that did not fit */
  bool *taken;                        /* by owner: placed */
  pool_items *again;                  /* by owner: units that the next kernel looks at again */
} pool_state;

bool tl_compiler_constants_overflow(const tl_module *module) {
  for (size_t k = 0; k < module->kernels.count; k++) {
    const uint32_t image = tl_kernel_image(module, (uint32_t)k);
    if (image != TL_NONE && module->sections.items[image].size > bank_size)
      return true;
  }
  return false;
}

static uint64_t pool_append(pool_state *s, tl_piece unit, uint64_t align) {
  unit.offset = tl_align(s->end, align);
  s->end = unit.offset + unit.size;
  tl_piece *const last = s->image.count ? &s->image.items[s->image.count - 1] : NULL;
  if (last && last->data + last->size == unit.data && last->offset + last->size == unit.offset &&
      last->section == unit.section && last->file == unit.file)
    last->size += unit.size;
  else
    *tl_vector_push(s->arena, &s->image) = unit;
  return unit.offset;
}

/* Asked where nvlink's way is another one: whether it is taken, and if not, that is said (D84). */
static bool pool_goes_nvlinks_way(const tl_module *module) {
  if (tl_defect_matched(module->options, TL_DEFECT_D84))
    return true;
  tl_defect_note(module->diagnostics, TL_DEFECT_D84, NULL);
  return false;
}

/* nvlink remembers a shared unit by its symbol: what was shared with a losing body's is found where symbol 0 points then
 * (D84). */
static uint64_t pool_place(pool_state *s, const pool_item *unit) {
  if (!tl_layout_pool_finds(&unit->piece, unit->align))
    return pool_append(s, unit->piece, unit->align);
  const uint32_t number = tl_layout_pool_number(&s->seen, &unit->piece, unit->align, s->arena);
  if (number == s->places.count)
    *tl_vector_push(s->arena, &s->places) = (pool_found){pool_append(s, unit->piece, unit->align), !unit->symbol};
  else if (s->places.items[number].lost && pool_goes_nvlinks_way(s->module))
    return s->null_value;
  return s->places.items[number].offset;
}

/* The input sections that a block or a kernel's own constants were read from. */
static const tl_pieces *pool_sources(const tl_module *module, uint32_t owner) {
  const size_t blocks = module->constant_blocks.count;
  if (owner < blocks)
    return &module->constant_blocks.items[owner].pieces;
  return &module->sections.items[tl_kernel_image(module, owner - (uint32_t)blocks)].pieces;
}

static int pool_compare(const void *a, const void *b) {
  const pool_unit *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->owner, y->owner}, {x->file, y->file}, {x->value, y->value}, {x->symbol, y->symbol}};
  return tl_compare_pairs(pairs, 4);
}

static void pool_collect_units(pool_state *s, const tl_u32_vector *kernels) {
  const tl_module *const module = s->module;
  uint32_t *const owner_of = tl_arena_new(s->arena, uint32_t, module->sections.count);
  for (size_t i = 0; i < kernels->count; i++)
    owner_of[tl_kernel_image(module, kernels->items[i])] =
        (uint32_t)module->constant_blocks.count + kernels->items[i] + 1;
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    const uint32_t image = symbol->section == TL_NONE ? TL_NONE : owner_of[symbol->section] - 1;
    const uint32_t owner = symbol->block == TL_NONE ? image : symbol->block;
    if (owner != TL_NONE && tl_type_of(symbol) != STT_SECTION)
      *tl_vector_push(s->arena, &s->units) = (pool_unit){owner, symbol->mention, i, symbol->value};
  }
  tl_vector_sort(&s->units, pool_compare);
}

/* The first unit of that owner that was read from that file, or where it would stand. */
static size_t pool_find_units(const pool_state *s, uint32_t owner, uint32_t file) {
  const pool_unit key = {.owner = owner, .file = file}; /* before all of them: none is of symbol 0 */
  const pool_unit *const before = TL_SORTED_LAST(&key, &s->units, pool_compare);
  return before ? (size_t)(before - s->units.items) + 1 : 0;
}

static bool pool_unit_is_of(const pool_state *s, size_t at, uint32_t owner, uint32_t file) {
  return at < s->units.count && s->units.items[at].owner == owner && s->units.items[at].file == file;
}

/* Relocations against a unit that is not shared keep the offset of the layout that did not fit (D84). */
static bool pool_keeps_offset(const pool_state *s, const pool_item *unit) {
  return !tl_layout_pool_takes(&unit->piece, unit->align) && pool_goes_nvlinks_way(s->module);
}

/* Behind the bank nothing can be reached: the link ends with E33, and further messages would only confuse. */
static void pool_set_place(pool_state *s, const pool_item *unit, uint64_t place) {
  if (place > bank_size || pool_keeps_offset(s, unit))
    return;
  if (unit->symbol) {
    uint64_t *const value = &s->module->symbols.items[unit->symbol].value;
    if (*value != place)
      tl_trace(s->module->diagnostics, TL_TRACE_MOVED_CONSTANT, *value, place);
    if (place < bank_size || !unit->piece.size)
      *value = place;
  } else
    s->null_value = place; /* of a losing body, a kernel's too (W8.9) */
}

/* nvlink looks at every unit again for every kernel that reaches it. That shows where a unit is not shared, so that it is
 * placed again, and where a losing body's moves the value of symbol 0. */
static void pool_take_unit(pool_state *s, uint32_t owner, const pool_item *unit) {
  const bool takes = tl_layout_pool_takes(&unit->piece, unit->align);
  const bool again = !takes || (!unit->symbol && tl_layout_pool_finds(&unit->piece, unit->align));
  if (again && unit->piece.size && pool_goes_nvlinks_way(s->module))
    *tl_vector_push(s->arena, &s->again[owner]) = *unit;
  if (unit->symbol && owner < s->module->constant_blocks.count && pool_keeps_offset(s, unit))
    s->module->symbols.items[unit->symbol].value += s->offsets->blocks[owner];
  pool_set_place(s, unit, pool_place(s, unit));
}

/* Places the units of one input section and gives their symbols those places. That of a body that lost has no symbols:
 * it is one unit. */
static void pool_take_source(pool_state *s, uint32_t owner, const tl_piece *source) {
  const uint64_t align = s->module->files[source->file].sections[source->section].align;
  const size_t first = pool_find_units(s, owner, source->file);
  s->align = tl_larger(align, s->align);
  if (!pool_unit_is_of(s, first, owner, source->file))
    pool_take_unit(s, owner, &(pool_item){*source, align, 0});
  for (size_t at = first; pool_unit_is_of(s, at, owner, source->file); at++) {
    const tl_symbol *const symbol = &s->module->symbols.items[s->units.items[at].symbol];
    if (symbol->value > source->size || symbol->size > source->size - symbol->value) /* nvlink reads on behind it */
      tl_cubin_damaged(&s->module->files[source->file], s->module->names, s->module->diagnostics, source->section,
                       symbol->value, "st_size of a compiler constant is too large for its section");
    const tl_piece piece = {0, symbol->size, source->data + symbol->value, source->file, source->section, false};
    pool_take_unit(s, owner, &(pool_item){piece, align, s->units.items[at].symbol});
  }
}

/* Stops when the bank is full: nothing can make the image smaller, and the link ends with E33. */
static void pool_take_owner(pool_state *s, uint32_t owner) {
  const tl_pieces *const sources = pool_sources(s->module, owner);
  if (s->taken[owner])
    for (size_t i = 0; i < s->again[owner].count && s->end <= bank_size; i++)
      pool_set_place(s, &s->again[owner].items[i], pool_place(s, &s->again[owner].items[i]));
  else
    for (size_t i = 0; i < sources->count && s->end <= bank_size; i++)
      pool_take_source(s, owner, &sources->items[i]);
  s->taken[owner] = true;
}

/* By kernel, the blocks that it reaches, the last one first. */
static tl_u32_vector *pool_reached_blocks(const pool_state *s, const tl_u32_vector *users) {
  tl_u32_vector *const reached = tl_arena_new(s->arena, tl_u32_vector, s->module->kernels.count);
  for (size_t block = s->module->constant_blocks.count; block-- > 0;)
    for (size_t i = 0; i < users[block].count; i++)
      tl_u32_push(s->arena, &reached[users[block].items[i]], (uint32_t)block);
  return reached;
}

/* By section: a symbol lies in it. */
static const bool *pool_find_named(const tl_module *module, tl_arena *arena) {
  bool *const named = tl_arena_new(arena, bool, module->sections.count);
  for (uint32_t i = 1; i < module->symbols.count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[i];
    if (symbol->section != TL_NONE && symbol->block == TL_NONE && tl_type_of(symbol) != STT_SECTION)
      named[symbol->section] = true;
  }
  return named;
}

/* A section that only a losing body of the kernel brought is not laid out again (D84), nor one in which no symbol lies
 * (L1948). */
static bool pool_takes_part(const tl_module *module, uint32_t kernel, const tl_own_constants *own, const bool *named) {
  const uint32_t image = tl_kernel_image(module, kernel);
  if (image == TL_NONE)
    return false;
  const tl_symbol *const symbol = &module->symbols.items[module->kernels.items[kernel]];
  const tl_pieces *const pieces = &module->sections.items[image].pieces;
  const bool brought =
      pieces->count && pieces->items[0].file != module->resolution->functions.items[symbol->function].file;
  const bool nameless = own[kernel].pieces && !named[image];
  return !(brought || nameless) || !pool_goes_nvlinks_way(module);
}

/* Kernels that take part, the last section first. */
static tl_u32_vector pool_order_kernels(const pool_state *s, const tl_own_constants *own, bool *taking) {
  const tl_module *const module = s->module;
  const bool *const named = pool_find_named(module, s->arena);
  uint32_t *const kernel_of = tl_arena_new(s->arena, uint32_t, module->sections.count);
  tl_u32_vector order = {0};
  for (uint32_t k = 0; k < module->kernels.count; k++) {
    taking[k] = pool_takes_part(module, k, own, named);
    if (taking[k])
      kernel_of[tl_kernel_image(module, k)] = k + 1;
  }
  for (size_t section = module->sections.count; section-- > 0;)
    if (kernel_of[section])
      tl_u32_push(s->arena, &order, kernel_of[section] - 1);
  return order;
}

static void pool_write_images(const pool_state *s, const tl_u32_vector *order) {
  for (size_t i = 0; i < order->count; i++) {
    tl_section *const image = &s->module->sections.items[tl_kernel_image(s->module, order->items[i])];
    image->pieces = s->image; /* one list for all: nothing is added any more */
    image->size = s->end;
    image->align = s->align;
  }
}

/* L1126: the link ends with E33 for what does not fit in the first layout, and -v tells its sizes. */
static void pool_restore_values(const pool_state *s) {
  for (size_t i = 0; i < s->units.count; i++)
    s->module->symbols.items[s->units.items[i].symbol].value = s->units.items[i].value;
}

void tl_compiler_constants_pool(tl_module *module, const tl_u32_vector *users, const tl_own_constants *own,
                                tl_constant_offsets *offsets, tl_arena *arena) {
  const size_t blocks = module->constant_blocks.count, kernels = module->kernels.count;
  pool_state s = {.module = module, .arena = arena, .offsets = offsets, .align = 1, .null_value = offsets->null_value};
  bool *const taking = tl_arena_new(arena, bool, kernels);
  s.again = tl_arena_new(arena, pool_items, blocks + kernels);
  s.taken = tl_arena_new(arena, bool, blocks + kernels);
  size_t *const copied = tl_arena_new(arena, size_t, kernels);
  for (uint32_t k = 0; k < kernels; k++) { /* back to what the kernels had before the copies came in */
    if (tl_kernel_image(module, k) == TL_NONE)
      continue;
    copied[k] = module->sections.items[tl_kernel_image(module, k)].pieces.count;
    module->sections.items[tl_kernel_image(module, k)].pieces.count = own[k].pieces;
  }
  const tl_u32_vector order = pool_order_kernels(&s, own, taking);
  pool_collect_units(&s, &order);
  tl_names_init(&s.seen, arena, s.units.count);
  const tl_u32_vector *const reached = pool_reached_blocks(&s, users);
  for (size_t i = 0; i < order.count; i++) {
    pool_take_owner(&s, (uint32_t)blocks + order.items[i]);
    for (size_t b = 0; b < reached[order.items[i]].count; b++)
      pool_take_owner(&s, reached[order.items[i]].items[b]);
  }
  const bool fits = s.end <= bank_size;
  for (uint32_t k = 0; k < kernels; k++)
    if (tl_kernel_image(module, k) != TL_NONE && (!taking[k] || !fits))
      module->sections.items[tl_kernel_image(module, k)].pieces.count = copied[k];
  for (size_t block = 0; block < blocks; block++)
    if (s.taken[block] || !fits)
      offsets->blocks[block] = 0; /* its symbols have places in the image now */
  if (!fits) {
    pool_restore_values(&s);
    return;
  }
  pool_write_images(&s, &order);
  offsets->null_value = s.null_value;
}
