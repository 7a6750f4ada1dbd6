/* Shared memory of an executable (W9, H1-H8, W17.2-W17.4).
 *
 * Objects of kernels lie in their .nv.shared.K; objects of device functions and of file scope form the pool. A pool
 * object with exactly one user moves to that kernel. The others are coloured greedily, largest first: two share a
 * colour's offset when no kernel uses both. A kernel's own objects come behind its highest pool object. Extern shared
 * memory begins behind everything of the kernels that can see it together. */
#include "base/bytes.h"
#include "base/list_sort.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "layout/layout.h"

#include <string.h>

typedef struct shared_colour {
  uint64_t offset, align, size;
} shared_colour;

typedef struct tl_shared_plan {
  tl_layout *layout;
  const tl_module *module;
  const tl_graph *graph;
  tl_arena *arena;
  tl_u32_vector entries; /* kernels, and behind them the stubs that count as such (L554) */
  uint32_t kernel_count; /* of both */
  uint32_t alias_first;  /* of entries: second names of kernels (L1587) */
  uint32_t stub_first;   /* the position of the first stub */
  uint32_t *made;        /* by position: the section of a stub, TL_NONE */
  bool *made_last;       /* by position: the section was made for extern shared memory, behind the pool (L745) */
  tl_u32_vector *uses;   /* by function: shared symbols that its text refers to */
  tl_u32_vector *users;  /* by symbol: kernels (positions), ascending */
  bool any_late;         /* some kernel has its section made late, or is of an -ewp object: the next are there (L154) */
  tl_u32_vector *referrers;  /* by symbol: functions, in the order of their entries */
  tl_u32_vector *entries_of; /* by symbol: the function of each entry against it; with -ewp objects only (L555) */
  tl_u32_vector *reached_by; /* by function that refers to some object: kernels (positions), ascending */
  tl_u32_vector *outer;      /* by kernel: reached functions that refer to extern shared memory; with -g, the names */
  bool *kernel_uses;         /* by kernel: it reaches a reference to any shared symbol */
  tl_u32_vector sorted;      /* pool candidates in sorted order */
  tl_u32_vector pool, gone;
  TL_VECTOR(shared_colour) colours;
  tl_map next_colour;    /* kernel << 32 | colour that it uses: a later colour, before which it uses all */
  tl_names user_lists;   /* lists of users that a pool object had */
  tl_u32_vector after;   /* by number in user_lists: the colour behind that of the last object with those users */
  uint64_t pool_end;     /* end of the coloured layout */
  uint64_t pool_align;   /* D of W9.8: 1 when the pool is empty */
  uint64_t *end;         /* by kernel: end of its static objects, later of everything */
  uint64_t null_place;   /* of the last object without a symbol of the first kernel that has some */
  uint64_t *alone_align; /* by kernel with nothing but extern shared memory of -ewp objects: its alignment (L603) */
} shared_state;

uint32_t tl_layout_function_of(const tl_module *module, uint32_t section) {
  const uint32_t owner = module->sections.items[section].owner;
  return owner == TL_NONE ? TL_NONE : module->symbols.items[owner].function;
}

/* In the lists of what is laid out: the first of the two places of a symbol whose definition was replaced (L87). Each has
 * the alignment of its own definition (L264). */
static const uint32_t first_place = (uint32_t)1 << 31;

static uint32_t shared_of(uint32_t place) {
  return place & ~first_place;
}

static const tl_symbol *shared_symbol(const shared_state *s, uint32_t place) {
  return &s->module->symbols.items[shared_of(place)];
}

/* In the lists of what is a kernel's own: not a symbol but a number in the module's partial_objects (L556). */
static const uint32_t partial = (uint32_t)1 << 30;

static const tl_partial_object *shared_partial(const shared_state *s, uint32_t place) {
  return place & partial ? &s->module->partial_objects.items[place & ~partial] : NULL;
}

static uint64_t shared_align(const shared_state *s, uint32_t place) {
  const tl_partial_object *const object = shared_partial(s, place);
  if (object)
    return object->align;
  return place & first_place ? shared_symbol(s, place)->first_align : shared_symbol(s, place)->align;
}

/* L1717: nvlink reads 32 bits of an object's size (D38). */
static uint64_t shared_bytes(const shared_state *s, const tl_symbol *symbol) {
  return tl_defect_matched(s->module->options, TL_DEFECT_D38) ? (uint32_t)symbol->size : symbol->size;
}

static uint64_t shared_size(const shared_state *s, uint32_t place) {
  const tl_partial_object *const object = shared_partial(s, place);
  return object ? object->size : shared_bytes(s, shared_symbol(s, place));
}

static bool shared_is_stub(const shared_state *s, uint32_t kernel) {
  return kernel >= s->stub_first;
}

bool tl_layout_forgets_kernel(const tl_module *module, const tl_symbol *symbol) {
  return tl_symbol_is_kept_internal(symbol) && tl_defect_matched(module->options, TL_DEFECT_D100);
}

static bool shared_is_forgotten(const shared_state *s, uint32_t symbol) {
  return tl_layout_forgets_kernel(s->module, shared_symbol(s, symbol));
}

/* L555: a function of an -ewp object: one whose body that stands is of such a file, for nvlink whose first one was (L876). */
static bool shared_function_is_partial(const shared_state *s, const tl_symbol *symbol) {
  const tl_function *const function = &s->module->resolution->functions.items[symbol->function];
  const bool stands = tl_body_is_partial(s->module, function);
  const bool first = s->module->files[function->first_file].type == ET_EWP;
  if (first == stands)
    return stands;
  if (tl_defect_matched(s->module->options, TL_DEFECT_D142))
    return first;
  tl_defect_note(s->module->diagnostics, TL_DEFECT_D142, tl_module_text(s->module, symbol->name));
  return stands;
}

static bool shared_kernel_is_partial(const shared_state *s, uint32_t kernel) {
  return shared_function_is_partial(s, shared_symbol(s, s->entries.items[kernel]));
}

/* A jump slot, or a second name of a kernel, which shares its text (L1587). */
static bool shared_has_no_text(const shared_state *s, uint32_t kernel) {
  return kernel >= s->alias_first;
}

static uint32_t shared_section_of_kernel(const shared_state *s, uint32_t kernel) {
  if (shared_has_no_text(s, kernel))
    return s->made[kernel];
  const uint32_t text = shared_symbol(s, s->entries.items[kernel])->section;
  return s->module->sections.items[text].shared;
}

/* The section of a function that an object lies in, TL_NONE; such an object is not in the pool. */
static uint32_t shared_own_section(const shared_state *s, uint32_t symbol) {
  const tl_symbol *const object = shared_symbol(s, symbol);
  if (tl_module_is_own_external(s->module, object))
    return object->extern_section;
  const bool own = object->section != TL_NONE && s->module->sections.items[object->section].about != TL_NONE;
  return own ? object->section : TL_NONE;
}

static bool shared_list_has(const tl_u32_vector *list, uint32_t value) {
  return list->count && list->items[list->count - 1] == value;
}

static void shared_find_uses(shared_state *s) {
  const tl_module *const module = s->module;
  tl_map seen;
  tl_map_init(&seen, s->arena);
  s->uses = tl_arena_new(s->arena, tl_u32_vector, module->resolution->functions.count);
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    if (entry->state != TL_ENTRY_NORMAL || !shared_symbol(s, entry->symbol)->shared ||
        !tl_module_relocation_stands(module, i))
      continue;
    const uint32_t function = tl_layout_function_of(module, entry->target);
    if (function == TL_NONE)
      continue;
    if (s->entries_of)
      tl_u32_push(s->arena, &s->entries_of[entry->symbol], function);
    if (!tl_set_add(&seen, (uint64_t)function << 32 | entry->symbol))
      continue;
    tl_u32_push(s->arena, &s->uses[function], entry->symbol);
    if (s->any_late)
      tl_u32_push(s->arena, &s->referrers[entry->symbol], function);
  }
}

static bool shared_is_used(const shared_state *s) {
  bool used = s->module->shared_objects.count != 0;
  for (size_t i = 0; i < s->module->resolution->functions.count && !used; i++)
    used = s->uses[i].count != 0;
  return used;
}

/* L1041: what no file defines is nothing that a kernel has, as what -v says of one shows. */
static bool shared_is_somewhere(const shared_state *s, uint32_t place) {
  const tl_symbol *const symbol = shared_symbol(s, place);
  return symbol->section != TL_NONE || symbol->external_shared;
}

/* L1252: an object that ptxas laid out in another kernel's section gives this one no section. */
static bool shared_is_of_kernel(const shared_state *s, uint32_t place, const tl_symbol *kernel) {
  const uint32_t own = shared_own_section(s, place);
  return own == TL_NONE || shared_symbol(s, place)->external_shared ||
         s->module->sections.items[own].about == kernel->section;
}

/* L1301: what a kernel's own text names is no other kernel's, whoever calls that one. */
static bool shared_is_kernel(const tl_module *module, uint32_t function) {
  return tl_symbol_is_entry(&module->symbols.items[module->symbol_of_function[function]]);
}

static void shared_find_users(shared_state *s) {
  s->users = tl_arena_new(s->arena, tl_u32_vector, shared_is_used(s) ? s->module->symbols.count : 0);
  s->outer = tl_arena_new(s->arena, tl_u32_vector, s->kernel_count);
  s->kernel_uses = tl_arena_new(s->arena, bool, s->kernel_count);
  tl_reach reach;
  tl_reach_init(&reach, s->graph, s->arena);
  uint32_t *const refers = tl_arena_new(s->arena, uint32_t, s->graph->function_count);
  for (uint32_t f = 0; f < s->graph->function_count; f++)
    refers[f] = s->uses[f].count != 0;
  const tl_leads leads = tl_graph_leads(s->graph, refers, s->arena);
  for (uint32_t k = 0; k < s->kernel_count; k++) {
    const tl_symbol *const kernel = shared_symbol(s, s->entries.items[k]);
    tl_graph_reach_along(s->graph, kernel->function, &leads, &reach);
    if (kernel->late) { /* a kernel that is not named uses what its own text refers to (W17.13) */
      reach.list[0] = kernel->function;
      reach.count = 1;
    }
    for (uint32_t i = 0; i < reach.count; i++) {
      const tl_u32_vector *const uses = &s->uses[reach.list[i]];
      if (reach.list[i] != kernel->function && shared_is_kernel(s->module, reach.list[i]))
        continue;
      if (s->any_late && uses->count)
        tl_u32_push(s->arena, &s->reached_by[reach.list[i]], k);
      for (size_t u = 0; u < uses->count; u++) {
        s->kernel_uses[k] |= shared_is_somewhere(s, uses->items[u]) && shared_is_of_kernel(s, uses->items[u], kernel);
        if (!shared_list_has(&s->users[uses->items[u]], k))
          tl_u32_push(s->arena, &s->users[uses->items[u]], k);
        const uint32_t key = s->module->extern_by_name ? uses->items[u] : reach.list[i];
        if (shared_symbol(s, uses->items[u])->external_shared && !shared_list_has(&s->outer[k], key))
          tl_u32_push(s->arena, &s->outer[k], key);
      }
    }
  }
}

/* W9.2: size descending, the first half of the list goes first only when strictly larger. */
static bool shared_larger_first(const void *context, uint32_t a, uint32_t b) {
  const shared_state *const s = context;
  return shared_bytes(s, shared_symbol(s, a)) > shared_bytes(s, shared_symbol(s, b));
}

/* W9.4: alignment descending, then size ascending, ties take the first half; those without a symbol, too (L1034). */
static bool shared_own_first(const void *context, uint32_t a, uint32_t b) {
  const uint64_t x = shared_align(context, a), y = shared_align(context, b);
  return x != y ? x > y : shared_size(context, a) <= shared_size(context, b);
}

static tl_u32_vector shared_collect_pool(const shared_state *s) {
  tl_u32_vector places = {0};
  bool *const seen = tl_arena_new(s->arena, bool, s->module->symbols.count);
  for (size_t i = 0; i < s->module->shared_objects.count; i++) {
    const uint32_t symbol = s->module->shared_objects.items[i];
    const bool first = shared_symbol(s, symbol)->first_align && !seen[symbol];
    seen[symbol] = true;
    if (shared_own_section(s, symbol) == TL_NONE)
      tl_u32_push(s->arena, &places, first ? symbol | first_place : symbol);
  }
  return places;
}

static void shared_refuse_flat(const tl_module *module) {
  const tl_cubin *const file = module->flat_shared;
  tl_cubin_damaged(file, module->names, module->diagnostics, file->symbol_table,
                   (uint64_t)module->flat_symbol * ELF_SYMBOL_SIZE, "st_value of a shared object is 0 (L241)");
}

void tl_layout_check_flat(const tl_module *module) {
  if (module->flat_shared && !module->debug_shared_align)
    shared_refuse_flat(module);
}

static void shared_sort_pool(shared_state *s) {
  const tl_u32_vector candidates = shared_collect_pool(s);
  tl_list_sort(s->arena, candidates.items, candidates.count, TL_DEAL_ALTERNATE, shared_larger_first, s);
  for (size_t i = 0; i < candidates.count; i++) {
    const uint32_t symbol = candidates.items[i];
    if (shared_symbol(s, symbol)->external_shared || shared_symbol(s, symbol)->misplaced) /* L748: D82 has no place */
      continue;
    tl_u32_push(s->arena, &s->sorted, symbol);
    if (s->users[shared_of(symbol)].count == 1)
      continue;
    tl_u32_push(s->arena, shared_symbol(s, symbol)->referenced ? &s->pool : &s->gone, symbol); /* W9.9 */
  }
  s->pool_align = s->pool.count && s->module->debug_shared_align ? s->module->debug_shared_align : 1;
}

/* The first colour from `colour` on that a kernel does not use. What was passed points there afterwards. */
static uint32_t shared_free_colour(shared_state *s, uint32_t kernel, uint32_t colour) {
  uint32_t found = colour;
  for (uint32_t next; (next = tl_map_get(&s->next_colour, (uint64_t)kernel << 32 | found)) != TL_NONE;)
    found = next;
  for (uint32_t next; colour != found; colour = next) {
    next = tl_map_get(&s->next_colour, (uint64_t)kernel << 32 | colour);
    tl_map_set(&s->next_colour, (uint64_t)kernel << 32 | colour, found);
  }
  return found;
}

/* The first colour that none of the kernels uses, which they use from now on. Objects of the same kernels begin behind the
 * last one. */
static uint32_t shared_take_colour(shared_state *s, const tl_u32_vector *users) {
  const uint32_t list = tl_names_intern(&s->user_lists, users->count ? (const char *)users->items : "",
                                        users->count * sizeof *users->items);
  if (list == s->after.count)
    tl_u32_push(s->arena, &s->after, 0);
  uint32_t colour = s->after.items[list], before;
  do {
    before = colour;
    for (size_t i = 0; i < users->count; i++)
      colour = shared_free_colour(s, users->items[i], colour);
  } while (colour != before);
  for (size_t i = 0; i < users->count; i++)
    tl_map_set(&s->next_colour, (uint64_t)users->items[i] << 32 | colour, colour + 1);
  s->after.items[list] = users->count ? colour + 1 : 0;
  return colour;
}

/* nvlink divides by the alignment of the first colour; of another it may be 0 (L241, L467). */
static void shared_check_colours(const shared_state *s) {
  if (s->module->flat_shared && s->colours.count && !s->colours.items[0].align)
    shared_refuse_flat(s->module);
}

static void shared_colour_pool(shared_state *s) {
  uint32_t *const colour_of = tl_arena_new(s->arena, uint32_t, s->pool.count);
  tl_map_init(&s->next_colour, s->arena);
  tl_names_init(&s->user_lists, s->arena, s->pool.count);
  for (size_t i = 0; i < s->pool.count; i++) {
    const tl_symbol *const symbol = shared_symbol(s, s->pool.items[i]);
    const uint32_t c = shared_take_colour(s, &s->users[shared_of(s->pool.items[i])]);
    if (c == s->colours.count)
      *tl_vector_push(s->arena, &s->colours) = (shared_colour){0};
    shared_colour *const colour = &s->colours.items[c];
    colour_of[i] = c;
    const uint64_t align = shared_align(s, s->pool.items[i]);
    colour->align = tl_larger(align, colour->align);
    colour->size = tl_larger(shared_bytes(s, symbol), colour->size);
  }
  shared_check_colours(s);
  for (size_t c = 0; c < s->colours.count; c++) {
    s->colours.items[c].offset = tl_align(s->pool_end, s->colours.items[c].align);
    s->pool_end = s->colours.items[c].offset + s->colours.items[c].size;
  }
  for (size_t i = 0; i < s->pool.count; i++) {
    const uint32_t symbol = shared_of(s->pool.items[i]);
    const uint64_t offset = s->colours.items[colour_of[i]].offset;
    s->layout->symbol_value[symbol] = offset;
    for (size_t u = 0; u < s->users[symbol].count; u++) {
      uint64_t *const end = &s->end[s->users[symbol].items[u]];
      *end = tl_larger(offset + shared_bytes(s, shared_symbol(s, symbol)), *end);
    }
  }
}

/* By section: the kernel that it belongs to, from 1 on. */
static uint32_t *shared_kernels_of_sections(const shared_state *s) {
  uint32_t *const kernel_of = tl_arena_new(s->arena, uint32_t, s->module->sections.count);
  for (uint32_t k = 0; k < s->kernel_count; k++)
    if (shared_section_of_kernel(s, k) != TL_NONE)
      kernel_of[shared_section_of_kernel(s, k)] = k + 1;
  return kernel_of;
}

/* L603, L1068: extern shared memory of -ewp objects alone counts only beside something else. */
static bool shared_has_size(const shared_state *s, const tl_u32_vector *own) {
  for (size_t i = 0; i < own->count; i++)
    if (!shared_partial(s, own->items[i]) || shared_size(s, own->items[i]))
      return true;
  return false;
}

static uint64_t shared_align_alone(const shared_state *s, const tl_u32_vector *own) {
  uint64_t align = 1;
  for (size_t i = 0; i < own->count; i++)
    align = tl_larger(shared_align(s, own->items[i]), align);
  return align;
}

/* Of those without a symbol from *taken on the ones that were there when a symbol was made. */
static void shared_collect_partials(const shared_state *s, const uint32_t *kernel_of, tl_u32_vector *own, bool foreign,
                                    uint32_t *taken, uint32_t symbol) {
  const tl_module *const module = s->module;
  for (; *taken < module->partial_objects.count && module->partial_objects.items[*taken].symbols <= symbol; ++*taken) {
    const tl_partial_object *const object = &module->partial_objects.items[*taken];
    const uint32_t section = module->sections.items[object->text].shared; /* TL_NONE: L1963 */
    const uint32_t kernel = section == TL_NONE ? 0 : kernel_of[section];
    if (kernel && object->foreign == foreign)
      tl_u32_push(s->arena, &own[kernel - 1], *taken | partial);
  }
}

/* Kernel-local objects in creation order, those of another space among them (L1796), then the moved ones in sorted order
 * (W9.4). */
static tl_u32_vector *shared_collect_own(shared_state *s) {
  tl_u32_vector *const own = tl_arena_new(s->arena, tl_u32_vector, s->kernel_count);
  const uint32_t *const kernel_of = shared_kernels_of_sections(s);
  uint32_t foreign = 0, partials = 0;
  for (size_t i = 0; i < s->module->shared_objects.count; i++) {
    const uint32_t symbol = s->module->shared_objects.items[i], section = shared_own_section(s, symbol);
    shared_collect_partials(s, kernel_of, own, true, &foreign, symbol);
    if (section != TL_NONE && kernel_of[section])
      tl_u32_push(s->arena, &own[kernel_of[section] - 1], symbol);
  }
  shared_collect_partials(s, kernel_of, own, true, &foreign, UINT32_MAX);
  shared_collect_partials(s, kernel_of, own, false, &partials, UINT32_MAX);
  for (size_t i = 0; i < s->sorted.count; i++) {
    const uint32_t symbol = s->sorted.items[i];
    if (s->users[shared_of(symbol)].count != 1)
      continue;
    const uint32_t kernel = s->users[shared_of(symbol)].items[0];
    tl_u32_push(s->arena, &own[kernel], symbol);
    s->layout->symbol_section[shared_of(symbol)] = shared_section_of_kernel(s, kernel);
  }
  s->alone_align = tl_arena_new(s->arena, uint64_t, s->kernel_count);
  for (uint32_t k = 0; k < s->kernel_count; k++)
    if (!shared_has_size(s, &own[k])) {
      s->alone_align[k] = shared_align_alone(s, &own[k]);
      own[k].count = 0;
    }
  return own;
}

/* L558, D103: nvlink asks the first slot whether a slot uses the pool, since all have one text. Where that does not, what
 * the others use is forgotten, and their own objects lie over it. */
static bool shared_slots_forget(const shared_state *s) {
  const uint32_t first = s->stub_first;
  bool others = false;
  for (uint32_t k = first + 1; k < s->kernel_count; k++)
    others |= s->end[k] != 0;
  if (!others || s->end[first])
    return false;
  if (tl_defect_matched(s->module->options, TL_DEFECT_D103))
    return true;
  tl_defect_note(s->module->diagnostics, TL_DEFECT_D103,
                 tl_module_text(s->module, shared_symbol(s, s->entries.items[first])->name));
  return false;
}

/* L1300: what of an -ewp object's pool one kernel of such an object has lies where its file says. */
static bool shared_is_bare_own(const shared_state *s, uint32_t symbol) {
  return shared_symbol(s, symbol)->bare_shared && s->users[symbol].count == 1 &&
         shared_kernel_is_partial(s, s->users[symbol].items[0]);
}

/* What ptxas laid out in one file, but for what has a symbol; false where the place in the list is not of that, or `symbol`
 * came before it. */
static bool shared_add_partial(const shared_state *s, const tl_u32_vector *own, size_t i, uint32_t symbol,
                               uint64_t *end) {
  const tl_partial_object *const object = i < own->count ? shared_partial(s, own->items[i]) : NULL;
  if (!object || object->symbols > symbol)
    return false;
  *end = tl_larger(object->laid, *end);
  *end = object->counts ? tl_align(*end, object->align) + object->size : *end;
  return true;
}

/* What an ordinary body that lost brought into such a kernel: no code uses it. Where symbols stay nvlink misses its place,
 * and by default it has one (D142). */
static void shared_place_other(const shared_state *s, uint32_t place, uint64_t *end) {
  const uint32_t symbol = shared_of(place);
  s->layout->symbol_value[symbol] = UINT64_MAX;
  if (s->module->extern_by_name && tl_defect_matched(s->module->options, TL_DEFECT_D142)) {
    s->layout->symbol_unallocated[symbol] = true;
  } else if (s->module->extern_by_name) {
    tl_defect_note(s->module->diagnostics, TL_DEFECT_D142, tl_module_text(s->module, shared_symbol(s, symbol)->name));
    *end = s->layout->symbol_value[symbol] = tl_align(*end, shared_align(s, place));
  } else {
    s->layout->symbol_gone[symbol] = !s->layout->reserved || s->module->capsule; /* L1734 */
  }
  *end += shared_size(s, place);
}

/* The next one without a symbol: those of another space stand among the others (L1573). */
static size_t shared_find_partial(const shared_state *s, const tl_u32_vector *own, size_t from) {
  while (from < own->count && !shared_partial(s, own->items[from]))
    from++;
  return from;
}

/* L1011: what lies in a kernel of an -ewp object is not sorted: its own objects have the places of their file, what is of
 * another file none, and the sum grows file by file. */
static void shared_place_laid(const shared_state *s, const tl_u32_vector *own, uint64_t *end) {
  size_t next = shared_find_partial(s, own, 0); /* most stand behind what lies in the kernel's section */
  for (size_t i = 0; i < own->count; i++) {
    const uint32_t symbol = shared_partial(s, own->items[i]) ? TL_NONE : shared_of(own->items[i]);
    while ((symbol != TL_NONE || next == i) && shared_add_partial(s, own, next, symbol, end))
      next = shared_find_partial(s, own, next + 1);
    if (symbol == TL_NONE)
      continue;
    if (shared_is_bare_own(s, symbol)) {
      s->layout->symbol_value[symbol] = shared_symbol(s, symbol)->input_value;
      *end = tl_larger(shared_symbol(s, symbol)->input_value + shared_size(s, symbol), *end);
    } else if (shared_symbol(s, symbol)->laid_shared) {
      s->layout->symbol_value[symbol] = shared_symbol(s, symbol)->value;
    } else {
      shared_place_other(s, own->items[i], end);
    }
  }
}

/* L1077: an object without an alignment stands at a multiple of its size, of 8 at most. One that has none either ends the link
 * (L1471). */
static uint64_t shared_step(const shared_state *s, uint32_t place) {
  enum { LARGEST = 8 };
  const uint64_t align = shared_align(s, place), size = shared_size(s, place);
  if (!align && !size && !shared_partial(s, place)) {
    const char *const name = tl_module_text(s->module, shared_symbol(s, place)->name);
    tl_diagnostics_add(s->module->diagnostics, tl_message_row_of(TL_MESSAGE_NO_SIZE),
                       (tl_site){NULL, NULL, name, TL_NO_OFFSET}, NULL);
  }
  return align ? align : tl_smaller(size, LARGEST);
}

/* W9.4. The result: the place of the last object without a symbol, or TL_NO_OFFSET. */
static uint64_t shared_place_sorted(shared_state *s, const tl_u32_vector *own, uint64_t *end) {
  uint64_t place = TL_NO_OFFSET;
  tl_list_sort(s->arena, own->items, own->count, TL_DEAL_ALTERNATE, shared_own_first, s);
  for (size_t i = 0; i < own->count; i++) {
    const tl_partial_object *const object = shared_partial(s, own->items[i]);
    if (object && !object->counts)
      continue;
    *end = tl_align(*end, shared_step(s, own->items[i]));
    if (object)
      place = *end;
    else
      s->layout->symbol_value[shared_of(own->items[i])] = *end;
    *end += shared_size(s, own->items[i]);
  }
  return place;
}

/* The largest of them, and of symbol 0, which stands for what has no symbol (L556). */
static uint64_t shared_align_own(const shared_state *s, const tl_u32_vector *own, uint64_t align) {
  for (size_t i = 0; i < own->count; i++) {
    const tl_partial_object *const object = shared_partial(s, own->items[i]);
    if (object && !object->counts)
      continue;
    s->layout->null_value += object ? s->layout->reserved : 0;
    s->layout->null_reserved += object ? s->layout->reserved : 0;
    align = tl_larger(shared_align(s, own->items[i]), align);
  }
  return align;
}

/* Whether ptxas has laid it out; by default what an earlier link made of that are objects like others (L832, D141). */
static bool shared_is_laid(const shared_state *s, const tl_u32_vector *own) {
  bool laid = tl_defect_matched(s->module->options, TL_DEFECT_D141);
  for (size_t i = 0; i < own->count && !laid; i++)
    laid = shared_partial(s, own->items[i]) || shared_symbol(s, own->items[i])->laid_shared ||
           shared_is_bare_own(s, shared_of(own->items[i]));
  return laid;
}

static void shared_place_own(shared_state *s) {
  tl_u32_vector *const own = shared_collect_own(s);
  const bool slots_forget = shared_slots_forget(s);
  s->null_place = TL_NO_OFFSET; /* that of the first such kernel (L1034) */
  for (uint32_t k = 0; k < s->kernel_count; k++) {
    const uint32_t section = shared_section_of_kernel(s, k);
    const bool forgets = slots_forget && shared_is_stub(s, k);
    const bool whole = own[k].count && shared_kernel_is_partial(s, k);
    const uint64_t align = shared_align_own(s, &own[k], s->made_last[k] ? 1 : s->pool_align);
    s->end[k] = forgets || whole ? 0 : s->end[k]; /* L555 */
    uint64_t place = TL_NO_OFFSET;
    if (whole && shared_is_laid(s, &own[k]))
      shared_place_laid(s, &own[k], &s->end[k]);
    else
      place = shared_place_sorted(s, &own[k], &s->end[k]);
    s->null_place = s->null_place == TL_NO_OFFSET ? place : s->null_place;
    s->kernel_uses[k] =
        own[k].count != 0 || (s->kernel_uses[k] && !forgets && !shared_symbol(s, s->entries.items[k])->late);
    if (section != TL_NONE)
      s->layout->section_align[section] = tl_larger(s->alone_align[k], align);
  }
}

/* L601, L1368: objects that lie in the section of a device function, which compilers do not write, are laid out as a kernel's
 * own are, from 0 on. */
static void shared_place_strays_of(shared_state *s, tl_u32_vector *strays, size_t section) {
  const uint32_t owner = tl_module_owner(s->module, s->module->sections.items[section].about);
  const bool whole = owner != TL_NONE && shared_function_is_partial(s, shared_symbol(s, owner));
  uint64_t end = 0, place = TL_NO_OFFSET;
  s->layout->section_align[section] = shared_align_own(s, strays, s->pool_align);
  if (whole && shared_is_laid(s, strays))
    shared_place_laid(s, strays, &end);
  else
    place = shared_place_sorted(s, strays, &end);
  s->null_place = s->null_place == TL_NO_OFFSET ? place : s->null_place;
  const bool used = end || s->layout->section_align[section] >= 16; /* L1471 */
  s->layout->section_size[section] = used ? end + s->layout->reserved : 0;
}

/* L540: the objects of a function that counts as dead code have no place, and its section is as large as all of them together
 * (L1470), but for one that ptxas laid out. */
static void shared_forget_strays(const shared_state *s, const tl_u32_vector *strays, size_t section) {
  tl_layout *const layout = s->layout;
  uint64_t size = 0;
  bool whole = false;
  for (size_t i = 0; i < strays->count; i++) {
    const uint32_t symbol = shared_of(strays->items[i]);
    const uint64_t align = shared_align(s, strays->items[i]);
    whole |= shared_partial(s, strays->items[i]) || shared_symbol(s, symbol)->laid_shared;
    if (shared_partial(s, strays->items[i]))
      continue;
    size += shared_size(s, strays->items[i]);
    layout->section_align[section] = tl_larger(layout->section_align[section], align);
    layout->symbol_value[symbol] = UINT64_MAX;
    layout->symbol_unallocated[symbol] = s->module->extern_by_name;
    layout->symbol_gone[symbol] = !layout->reserved && !s->module->extern_by_name;
  }
  layout->section_size[section] = layout->reserved + (whole ? layout->section_size[section] : size);
}

/* L1474: a function that the driver provides, too, beside a single kernel. */
static bool shared_is_of_provided(const shared_state *s, size_t section) {
  const tl_section *const its = &s->module->sections.items[section];
  const uint32_t owner = its->type == SHT_CUDA_SHARED ? tl_module_owner(s->module, its->about) : TL_NONE;
  return owner != TL_NONE && s->module->resolution->functions.items[shared_symbol(s, owner)->function].provided;
}

static bool shared_is_there(const tl_module *module) {
  bool found = module->shared_objects.count != 0;
  for (uint32_t i = 1; i < module->sections.count && !found; i++)
    found = module->sections.items[i].type == SHT_CUDA_SHARED;
  return found;
}

static void shared_place_strays(shared_state *s) {
  const tl_module *const module = s->module;
  if (!shared_is_there(module))
    return;
  tl_u32_vector *const strays = tl_arena_new(s->arena, tl_u32_vector, module->sections.count);
  const uint32_t *const kernel_of = shared_kernels_of_sections(s);
  for (size_t i = 0; i < module->shared_objects.count; i++) {
    const uint32_t symbol = module->shared_objects.items[i], section = shared_own_section(s, symbol);
    if (section != TL_NONE && !kernel_of[section])
      tl_u32_push(s->arena, &strays[section], symbol);
  }
  for (uint32_t i = 0; i < module->partial_objects.count; i++) {
    const uint32_t section = module->sections.items[module->partial_objects.items[i].text].shared;
    if (section != TL_NONE && !kernel_of[section])
      tl_u32_push(s->arena, &strays[section], i | partial);
  }
  for (uint32_t section = 1; section < module->sections.count; section++) {
    const uint32_t text = module->sections.items[section].about;
    const uint32_t owner = tl_module_owner(module, text);
    if (module->sections.items[section].type != SHT_CUDA_SHARED || owner == TL_NONE || !shared_is_forgotten(s, owner))
      continue;
    s->layout->section_dropped[section] = module->sections.items[section].size == 0;
    if (strays[section].count)
      shared_forget_strays(s, &strays[section], section);
    strays[section].count = 0;
  }
  for (size_t section = 1; section < module->sections.count; section++) {
    if (strays[section].count)
      shared_place_strays_of(s, &strays[section], section);
    else if (!kernel_of[section] && shared_is_of_provided(s, section))
      s->layout->section_dropped[section] = module->sections.items[section].size == 0;
  }
}

static uint32_t shared_group(uint32_t *parent, uint32_t kernel) {
  while (parent[kernel] != kernel)
    kernel = parent[kernel] = parent[parent[kernel]];
  return kernel;
}

static void shared_raise_align(shared_state *s, uint32_t kernel) {
  if (shared_section_of_kernel(s, kernel) == TL_NONE)
    return;
  uint64_t *const align = &s->layout->section_align[shared_section_of_kernel(s, kernel)];
  *align = tl_larger(*align, 16);
}

/* Z002.88: a line for each extern name that a kernel can see; where the place is not the name's own for each function that sees
 * it, else one alone (`told` has those names). */
static void shared_trace_external(const shared_state *s, uint32_t key, uint64_t offset, tl_map *told) {
  const tl_u32_vector own = {&key, 1, 1};
  const bool by_name = s->module->extern_by_name;
  const tl_u32_vector *const names = by_name ? &own : &s->uses[key];
  for (size_t i = 0; i < names->count; i++) {
    const uint32_t name = names->items[i];
    if (!shared_symbol(s, name)->external_shared || (by_name && tl_map_get(told, name) != TL_NONE))
      continue;
    tl_map_set(told, name, name);
    tl_trace(s->module->diagnostics, TL_TRACE_EXTERN_SHARED, tl_module_text(s->module, shared_symbol(s, name)->name),
             offset);
  }
}

static void shared_trace_kernel(const shared_state *s, uint32_t kernel) {
  if (!tl_trace_wants(s->module->diagnostics, TL_TRACE_LAYOUT))
    return;
  tl_map told;
  tl_map_init(&told, s->arena);
  for (size_t i = 0; i < s->outer[kernel].count; i++)
    shared_trace_external(s, s->outer[kernel].items[i], s->end[kernel], &told);
}

/* W9.5: kernels that can see extern shared memory through one function have it at one offset; with -g kernels that can see
 * one name do (W17.4, L83). */
static void shared_place_external(shared_state *s) {
  uint32_t *const parent = tl_arena_new(s->arena, uint32_t, s->kernel_count);
  const size_t keys = s->module->resolution->functions.count + s->module->symbols.count;
  uint32_t *const first = tl_arena_new(s->arena, uint32_t, keys);
  uint64_t *const offset = tl_arena_new(s->arena, uint64_t, s->kernel_count);
  for (uint32_t k = 0; k < s->kernel_count; k++)
    parent[k] = k;
  for (uint32_t k = 0; k < s->kernel_count; k++)
    for (size_t i = 0; i < s->outer[k].count; i++) {
      uint32_t *const known = &first[s->outer[k].items[i]];
      if (*known)
        parent[shared_group(parent, k)] = shared_group(parent, *known - 1);
      else
        *known = k + 1;
    }
  for (uint32_t k = 0; k < s->kernel_count; k++)
    if (s->outer[k].count) {
      uint64_t *const group = &offset[shared_group(parent, k)];
      *group = tl_larger(tl_align(s->end[k], 16), *group);
    }
  for (uint32_t k = 0; k < s->kernel_count; k++) {
    if (!s->outer[k].count)
      continue;
    s->end[k] = offset[shared_group(parent, k)];
    shared_raise_align(s, k);
    for (size_t i = 0; i < s->outer[k].count; i++) {
      uint64_t *const places = s->module->extern_by_name ? s->layout->symbol_value : s->layout->external_offset;
      places[s->outer[k].items[i]] = s->end[k];
    }
    shared_trace_kernel(s, k);
  }
}

/* W17.4: with -g extern shared symbols stay; one that no kernel reaches lies at 0, and so does what is never laid out
 * (D82, L94). */
static void shared_place_external_names(shared_state *s, const tl_u32_vector *half) {
  for (size_t i = 0; i < half->count; i++)
    if (shared_symbol(s, half->items[i])->external_shared || shared_symbol(s, half->items[i])->misplaced) {
      s->layout->symbol_value[half->items[i]] = 0;
      s->layout->symbol_section[half->items[i]] = shared_symbol(s, half->items[i])->extern_section;
    }
}

/* W9.6, W9.8: which sections survive, and how large they are. */
static void shared_finish_kernels(shared_state *s) {
  const bool external = s->module->has_external_shared;
  for (uint32_t k = 0; k < s->kernel_count; k++) {
    const uint32_t section = shared_section_of_kernel(s, k);
    if (section == TL_NONE)
      continue;
    const tl_section *const its = &s->module->sections.items[section];
    const bool alone = tl_section_keeps_external(its);
    if (its->external_alone)
      shared_raise_align(s, k);
    const uint64_t align = s->layout->section_align[section];
    const bool used = s->end[k] || ((s->kernel_uses[k] || external) && align >= 16); /* L1433: objects of no size */
    const uint64_t size = used ? s->end[k] + s->layout->reserved : 0;
    s->layout->section_size[section] = size;
    s->layout->section_dropped[section] = size == 0 && !alone && !(external && align == 16);
  }
}

/* W9.8; W17.3 with -g. */
static void shared_finish_pool_section(shared_state *s) {
  const uint32_t section = s->module->debug_shared;
  if (section == TL_NONE)
    return;
  tl_layout *const layout = s->layout;
  const bool external = s->module->has_external_shared;
  if (s->module->keeps_shared && s->pool_end) {
    layout->debug_shared_shifted = true;
    layout->section_size[section] = s->pool_end + layout->reserved;
    layout->section_align[section] = /* of the objects, not of the section (L253) */
        tl_larger(layout->section_align[section], s->module->debug_shared_align);
    if (external)
      layout->section_align[section] = tl_larger(layout->section_align[section], 16);
    return;
  }
  layout->section_size[section] = s->module->keeps_shared ? layout->reserved : 0;
  layout->section_align[section] = 16;
  layout->section_dropped[section] = !(external && s->pool_align <= 16);
}

static void shared_find_entries(shared_state *s) {
  const tl_module *const module = s->module;
  for (size_t k = 0; k < module->all_kernels.count; k++)
    if (!shared_is_forgotten(s, module->all_kernels.items[k]))
      tl_u32_push(s->arena, &s->entries, module->all_kernels.items[k]);
  s->alias_first = (uint32_t)s->entries.count;
  for (size_t k = module->kernels.count; k < module->entries.count; k++)
    tl_u32_push(s->arena, &s->entries, module->entries.items[k]);
  s->stub_first = (uint32_t)s->entries.count;
  for (size_t i = 0; i < tl_layout_kernel_stubs(module); i++)
    tl_u32_push(s->arena, &s->entries, module->stubs.items[i]);
  s->kernel_count = (uint32_t)s->entries.count;
  s->made = tl_arena_new(s->arena, uint32_t, s->kernel_count);
  s->made_last = tl_arena_new(s->arena, bool, s->kernel_count);
  for (uint32_t k = 0; k < s->kernel_count; k++)
    s->made[k] = TL_NONE;
}

tl_shared_plan *tl_layout_plan_shared(const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  shared_state *const s = tl_arena_new(arena, shared_state, 1);
  *s = (shared_state){.module = module, .graph = graph, .arena = arena};
  shared_find_entries(s);
  s->end = tl_arena_new(arena, uint64_t, s->kernel_count);
  const bool any_partial = module->any_ewp || module->resolution->any_partial;
  for (uint32_t k = 0; k < s->kernel_count; k++)
    s->any_late |= any_partial || shared_has_no_text(s, k) || shared_symbol(s, s->entries.items[k])->late_sections;
  if (s->any_late) {
    s->referrers = tl_arena_new(arena, tl_u32_vector, module->symbols.count);
    s->reached_by = tl_arena_new(arena, tl_u32_vector, module->resolution->functions.count);
  }
  if (s->any_late && any_partial)
    s->entries_of = tl_arena_new(arena, tl_u32_vector, module->symbols.count);
  shared_find_uses(s);
  shared_find_users(s);
  shared_sort_pool(s);
  return s;
}

/* L745: the last ones are made for extern shared memory, when the alignment of the pool has been given to all others. */
static void shared_create_section(const shared_state *s, tl_module *module, uint32_t kernel, bool last) {
  const tl_symbol *const symbol = shared_symbol(s, s->entries.items[kernel]);
  const uint32_t text = symbol->section;
  const bool bare = shared_has_no_text(s, kernel);
  if (bare ? s->made[kernel] != TL_NONE : !symbol->late_sections || module->sections.items[text].shared != TL_NONE)
    return;
  const uint32_t section = tl_module_add_section(module, tl_module_name(module, ".nv.shared.", symbol->name),
                                                 SHT_CUDA_SHARED, SHF_INFO_LINK | SHF_ALLOC | SHF_WRITE, 1, 0);
  tl_module_add_section_symbol(module, section);
  module->sections.items[section].about = text;
  *(bare ? &s->made[kernel] : &module->sections.items[text].shared) = section;
  s->made_last[kernel] = last;
}

/* For every kernel that reaches the function, the last created first. */
static void shared_create_sections(const shared_state *s, tl_module *module, uint32_t function, bool last) {
  tl_u32_vector *const kernels = &s->reached_by[function];
  for (size_t k = kernels->count; k-- > 0;)
    shared_create_section(s, module, kernels->items[k], last);
}

/* W17.12, L154: first for objects with one user, then for those with several, each in the order of the entries against
 * it; then in the order of all entries against extern shared memory. */
void tl_layout_create_late_shared(tl_module *module, const tl_shared_plan *s) {
  const tl_u32_vector *const orders[] = {&s->sorted, &s->pool};
  for (int order = 0; s->any_late && order < 2; order++)
    for (size_t i = 0; i < orders[order]->count; i++) {
      const uint32_t symbol = shared_of(orders[order]->items[i]);
      for (size_t f = 0; f < s->referrers[symbol].count && (order == 1 || s->users[symbol].count == 1); f++)
        shared_create_sections(s, module, s->referrers[symbol].items[f], false);
    }
  for (size_t i = 0; s->any_late && i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    const uint32_t function = tl_layout_function_of(module, entry->target);
    if (function == TL_NONE || !module->symbols.items[entry->symbol].external_shared)
      continue;
    shared_create_sections(s, module, function, true);
    if (!s->entries_of)
      s->reached_by[function].count = 0; /* all of them have one now */
  }
}

/* D70, L295: where the pool is not empty nvlink takes extern shared memory for something that has a place: entries against
 * it that no kernel gives a value are recorded, and where some memory is reserved it is in .symtab, with the value that
 * nothing has. By default it is left out. */
static void shared_list_external(shared_state *s) {
  tl_layout *const layout = s->layout;
  const bool preserved = s->module->mode->records_applied && !s->module->extern_by_name;
  for (uint32_t i = 1; !s->module->extern_by_name && i < s->module->symbols.count; i++)
    if (tl_module_is_own_external(s->module, shared_symbol(s, i)))
      layout->symbol_section[i] = shared_symbol(s, i)->extern_section;
  layout->gone_recorded = s->pool_end != 0; /* L806 */
  if (!preserved || !s->pool_end || !s->module->has_external_shared)
    return;
  const bool matched = tl_defect_matched(s->module->options, TL_DEFECT_D70);
  layout->extern_recorded = true;
  layout->extern_listed = layout->reserved && matched;
  if (layout->reserved && !matched)
    tl_defect_note(s->module->diagnostics, TL_DEFECT_D70, NULL);
  for (uint32_t i = 1; i < s->module->symbols.count; i++)
    if ((shared_symbol(s, i)->external_shared && !tl_module_is_own_external(s->module, shared_symbol(s, i))) ||
        shared_symbol(s, i)->misplaced) { /* L520 */
      layout->symbol_value[i] = UINT64_MAX;
      layout->symbol_section[i] = shared_symbol(s, i)->extern_section;
    }
}

/* A line for each such kernel that reaches the function of an entry, the last created first; none for an entry of a
 * kernel's own text (L1300). */
static void shared_refuse_entry(const shared_state *s, uint32_t symbol, uint32_t function) {
  const tl_module *const module = s->module;
  const tl_u32_vector *const kernels = &s->reached_by[function];
  const char *const name = tl_module_text(module, module->symbols.items[symbol].name);
  const bool own = shared_is_kernel(module, function);
  for (size_t k = kernels->count; k-- > 0;) {
    const bool late = shared_symbol(s, s->entries.items[kernels->items[k]])->late; /* L1598 */
    if (late || !shared_kernel_is_partial(s, kernels->items[k]))
      continue;
    const char *const kernel = tl_module_text(module, shared_symbol(s, s->entries.items[kernels->items[k]])->name);
    if (!own)
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_PARTIAL_KERNEL),
                         (tl_site){NULL, NULL, name, TL_NO_OFFSET}, NULL, name, kernel);
    s->layout->symbol_unallocated[symbol] = s->users[symbol].count == 1 && !shared_is_bare_own(s, symbol);
  }
}

/* L555: ptxas has laid out the shared memory of a kernel of an -ewp object. */
static void shared_check_partial(const shared_state *s) {
  for (size_t i = 0; s->entries_of && i < s->sorted.count; i++) {
    const uint32_t symbol = shared_of(s->sorted.items[i]);
    for (size_t e = 0; e < s->entries_of[symbol].count; e++)
      shared_refuse_entry(s, symbol, s->entries_of[symbol].items[e]);
  }
}

/* L1381: with preserved relocations what nothing refers to in the pool of an -ewp object stays where the file has it, as
 * long as there is a pool. */
static void shared_drop_gone(const shared_state *s) {
  const bool stays = s->module->mode->records_applied && s->pool_end;
  for (size_t i = 0; i < s->gone.count; i++) {
    const uint32_t symbol = shared_of(s->gone.items[i]);
    if (stays && shared_symbol(s, symbol)->bare_shared)
      s->layout->symbol_value[symbol] = shared_symbol(s, symbol)->input_value;
    else
      s->layout->symbol_gone[symbol] = true;
  }
}

void tl_layout_shared(tl_layout *layout, tl_shared_plan *s) {
  s->layout = layout;
  shared_check_partial(s);
  shared_colour_pool(s);
  shared_drop_gone(s);
  shared_place_own(s);
  shared_place_strays(s);
  layout->null_value += s->null_place == TL_NO_OFFSET ? 0 : s->null_place;
  shared_list_external(s);
  if (s->module->extern_by_name) {
    shared_place_external_names(s, &s->module->locals);
    shared_place_external_names(s, &s->module->globals);
  }
  shared_place_external(s);
  shared_finish_kernels(s);
  shared_finish_pool_section(s);
}
