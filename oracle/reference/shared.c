/* Shared memory of an executable: W9, W17.2-W17.4, H4-H8, RF718, RF751, RF773, RF785. */
#include "link.h"

#include <string.h>

enum { RESERVED = 0x400, EXTERN_ALIGN = 16, VISIBILITY = 3, INTERNAL = 1 };

static const uint64_t NOWHERE = (uint64_t)-1;

typedef struct ref_shared {
  size_t pool_section;   /* `.nv_debug.shared` or REF_NONE */
  ref_indices objects;   /* in W9.12's order */
  ref_indices pool;      /* sorted */
  ref_indices owners;    /* functions with a section of their own: kernels, then others (RF186) */
  ref_indices forgotten; /* L540 */
  bool has_extern, pool_is_used;
  uint64_t pool_align;     /* D of W9.8 */
  ref_indices *reached_by; /* a function: kernels and jump slots */
} ref_shared;

static bool ref_shared_is_object(const ref_out_symbol *symbol) {
  return symbol->type == REF_SYMBOL_CUDA_OBJECT && (symbol->other & REF_SPACE_MASK) == REF_SPACE_SHARED;
}

/* Creation order, but a symbol first mentioned as undefined stands where it is defined (W9.12). */
static void ref_shared_list(ref_link *link, ref_shared *shared) {
  shared->has_extern = link->has_dead_extern;
  for (size_t i = 0; i < link->shared_objects.count; i++) {
    const size_t number = link->shared_objects.items[i];
    if (number == REF_NONE) {
      continue;
    }
    const ref_out_symbol *symbol = &link->symbols[number];
    shared->has_extern = shared->has_extern || symbol->has_no_place || symbol->is_extern_shared;
    if (symbol->section != REF_NONE || symbol->is_extern_shared) {
      ref_indices_add(link, &shared->objects, number);
    }
  }
}

/* Is it a live text's entry against shared memory? */
static bool ref_shared_entry_counts(const ref_link *link, const ref_out_relocation *entry) {
  return !entry->dropped && link->sections[entry->target].info_function != REF_NONE && entry->symbol != REF_NONE &&
         ref_shared_is_object(&link->symbols[entry->symbol]);
}

/* What each function's text refers to; W9.9: dead functions' references count as references, not as uses. */
static void ref_shared_find_uses(ref_link *link) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    const size_t number = link->sections[entry->target].info_function;
    if (!ref_shared_entry_counts(link, entry)) {
      continue;
    }
    ref_out_symbol *symbol = &link->symbols[entry->symbol];
    ref_function *function = &link->functions[number];
    symbol->referenced = true;
    if (symbol->is_extern_shared && !(function->entry && ref_shared_is_forgotten(link, number))) { /* RF751 */
      function->uses_extern_shared = true;
    }
  }
  for (size_t i = 0; i < link->function_count; i++) {
    for (size_t k = 0; k < link->functions[i].dead_references.count; k++) {
      link->symbols[link->functions[i].dead_references.items[k]].referenced = true;
    }
  }
}

/* L1301, RF753: what a kernel's text names, extern shared memory too, is its alone, whoever calls it. RF1117: what is a kernel by its name alone
 * has what functions name that it calls, and what its own text names is of those that call it. */
static bool ref_shared_shares(const ref_link *link, size_t holder, size_t function) {
  if (link->functions[holder].is_provided && holder == function) {
    return ref_function_is_root(link, &link->functions[holder]) &&
           ref_callgraph_reaches_itself(link, holder); /* RF1205 */
  }
  const bool marked = link->functions[function].entry && !link->functions[function].is_provided;
  return holder == function ? marked || !link->functions[function].entry || ref_callgraph_reaches_itself(link, holder)
                            : !marked;
}

/* For each function the holders that have what its text names, the last created first. */
static ref_indices *ref_shared_list_reaching(ref_link *link) {
  ref_indices *reached_by = REF_TAKE(link, ref_indices, link->function_count);
  for (size_t i = link->holders.count; i-- > 0;) {
    const size_t kernel = link->holders.items[i];
    for (size_t k = 0; k < link->functions[kernel].reach.count && !ref_shared_is_forgotten(link, kernel); k++) {
      const size_t function = link->functions[kernel].reach.items[k];
      if (ref_shared_shares(link, kernel, function)) {
        ref_indices_add(link, &reached_by[function], kernel);
      }
    }
  }
  return reached_by;
}

/* RF164: the users' order: text by text, as their entries are read; of each text those that reach it. */
static void ref_shared_find_users(ref_link *link, const ref_indices *reached_by) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    const size_t number = link->sections[entry->target].info_function;
    if (!ref_shared_entry_counts(link, entry) || link->symbols[entry->symbol].last_user == number + 1) {
      continue;
    }
    link->symbols[entry->symbol].last_user = number + 1;
    for (size_t k = 0; k < reached_by[number].count; k++) {
      ref_indices *users = &link->symbols[entry->symbol].users;
      if (!ref_indices_has(users, reached_by[number].items[k])) {
        ref_indices_add(link, users, reached_by[number].items[k]);
      }
    }
  }
}

/* RF62 */
static void ref_shared_place(ref_link *link, size_t number, uint64_t value) {
  link->symbols[number].value = value;
  if (link->symbols[number].ghost_of != 0) {
    link->symbols[link->symbols[number].ghost_of].value = value;
  }
}

static void ref_shared_copy_to_ghosts(ref_link *link, const ref_shared *shared) {
  for (size_t i = 0; i < shared->objects.count; i++) {
    ref_out_symbol *ghost = &link->symbols[shared->objects.items[i]];
    if (ghost->ghost_of != 0) {
      ghost->users = link->symbols[ghost->ghost_of].users;
      ghost->referenced = link->symbols[ghost->ghost_of].referenced;
    }
  }
}

static int ref_shared_compare_size(const ref_link *link, size_t a, size_t b) {
  const uint64_t first = link->symbols[a].size, second = link->symbols[b].size;
  return ref_order(second, first);
}

/* W9.2: the pool's order; extern symbols take part in the sort. RF1234: what has no symbol does not, and stands behind the others. */
static void ref_shared_sort_pool(ref_link *link, ref_shared *shared) {
  ref_indices unnamed = {0};
  for (size_t i = 0; i < shared->objects.count; i++) {
    const size_t number = shared->objects.items[i];
    const ref_out_symbol *symbol = &link->symbols[number];
    if (symbol->is_extern_shared || symbol->section == shared->pool_section) {
      ref_indices_add(link, symbol->is_partial ? &unnamed : &shared->pool, number);
    }
  }
  ref_sort_alternating(link, &shared->pool, ref_shared_compare_size, REF_TIE_SECOND);
  for (size_t i = 0; i < unnamed.count; i++) {
    ref_indices_add(link, &shared->pool, unnamed.items[i]);
  }
}

/* RF9: an object that no text refers to has no place; debug information that names it gets -1. */
static void ref_shared_mark_unplaced(ref_link *link, const ref_shared *shared) {
  for (size_t i = 0; i < shared->pool.count; i++) {
    ref_out_symbol *symbol = &link->symbols[shared->pool.items[i]];
    if (!symbol->is_extern_shared && !symbol->has_no_place && !symbol->referenced) {
      symbol->value = NOWHERE;
    }
  }
}

/* W9.3, W9.9 */
static bool ref_shared_is_coloured(const ref_out_symbol *symbol) {
  return !symbol->is_extern_shared && !symbol->has_no_place && symbol->referenced && symbol->users.count != 1;
}

static bool ref_shared_have_common_user(const ref_indices *a, const ref_indices *b) {
  for (size_t i = 0; i < a->count; i++) {
    for (size_t k = 0; k < b->count; k++) {
      if (a->items[i] == b->items[k]) {
        return true;
      }
    }
  }
  return false;
}

typedef struct ref_colour {
  ref_indices members, users;
  uint64_t align, size, offset;
} ref_colour;

static void ref_shared_colour_add(ref_link *link, ref_colour *colour, size_t number) {
  const ref_out_symbol *symbol = &link->symbols[number];
  ref_indices_add(link, &colour->members, number);
  for (size_t i = 0; i < symbol->users.count; i++) {
    ref_indices_add(link, &colour->users, symbol->users.items[i]);
  }
  colour->align = ref_larger(symbol->auxiliary, colour->align);
  colour->size = ref_larger(symbol->size, colour->size);
}

/* L241, RF451: nvlink divides by the alignment of the first colour; -r writes objects without one (D82). */
static void ref_shared_check_first_colour(ref_link *link, const ref_colour *colour) {
  if (colour->align == 0) {
    ref_message_fatal(link, "L241", "The shared memory of '%s' has no alignment",
                      link->symbols[colour->members.items[0]].name);
  }
}

/* W9.3: first colour without a common user; returns the end of the layout. */
static uint64_t ref_shared_colour_pool(ref_link *link, ref_shared *shared) {
  ref_colour *colours = REF_TAKE(link, ref_colour, shared->pool.count);
  size_t count = 0;
  uint64_t end = 0;
  for (size_t i = 0; i < shared->pool.count; i++) {
    const size_t number = shared->pool.items[i];
    if (!ref_shared_is_coloured(&link->symbols[number])) {
      continue;
    }
    size_t colour = 0;
    while (colour < count && ref_shared_have_common_user(&colours[colour].users, &link->symbols[number].users)) {
      colour++;
    }
    count += colour == count;
    ref_shared_colour_add(link, &colours[colour], number);
    shared->pool_is_used = true;
  }
  if (count != 0) {
    ref_shared_check_first_colour(link, &colours[0]);
  }
  for (size_t i = 0; i < count; i++) {
    colours[i].offset = ref_align_up(end, colours[i].align);
    end = colours[i].offset + colours[i].size;
    for (size_t k = 0; k < colours[i].members.count; k++) {
      ref_shared_place(link, colours[i].members.items[k], colours[i].offset);
    }
  }
  return end;
}

static int ref_shared_compare_own(const ref_link *link, size_t a, size_t b) {
  const ref_out_symbol *first = &link->symbols[a], *second = &link->symbols[b];
  if (first->auxiliary != second->auxiliary) {
    return ref_order(second->auxiliary, first->auxiliary);
  }
  return ref_order(first->size, second->size);
}

/* W9.4: the kernel's own objects, then those that moved to it, behind the pool objects that it uses. */
static void ref_shared_list_own(ref_link *link, const ref_shared *shared, size_t kernel, ref_indices *own,
                                uint64_t *start) {
  const ref_function *function = &link->functions[kernel];
  for (size_t i = 0; i < shared->objects.count; i++) {
    const size_t number = shared->objects.items[i];
    if (link->symbols[number].section == function->shared && function->shared != REF_NONE &&
        !link->symbols[number].has_no_place) {
      ref_indices_add(link, own, number);
    }
  }
  for (size_t i = 0; i < shared->pool.count; i++) {
    const size_t number = shared->pool.items[i];
    const ref_out_symbol *symbol = &link->symbols[number];
    if (symbol->is_extern_shared || symbol->has_no_place) {
      continue;
    }
    if (symbol->users.count == 1 && symbol->users.items[0] == kernel) {
      ref_indices_add(link, own, number);
    } else if (ref_indices_has(&symbol->users, kernel)) {
      *start = ref_larger(*start, symbol->value + symbol->size);
    }
  }
}

static bool ref_shared_kernel_uses_extern(const ref_link *link, const ref_function *kernel) {
  for (size_t i = 0; i < kernel->reach.count; i++) {
    const size_t function = kernel->reach.items[i];
    if (link->functions[function].uses_extern_shared &&
        ref_shared_shares(link, (size_t)(kernel - link->functions), function)) {
      return true;
    }
  }
  return false;
}

/* RF156, L558: what a jump slot uses of the pool is lost, and its own objects lie over it, unless the first slot uses the pool too; by
 * default (D103) each has what it uses. */
static bool ref_shared_loses_pool(ref_link *link, const ref_shared *shared, const ref_function *function) {
  ref_indices own = {0};
  uint64_t end = 0;
  if (!function->is_stub || !link->job->bug_compatible) {
    return false;
  }
  ref_shared_list_own(link, shared, link->first_stub, &own, &end);
  return end == 0;
}

/* RF485: an object without an alignment stands at a multiple of its size, or of 8. */
uint64_t ref_shared_own_alignment(const ref_out_symbol *symbol) {
  const uint64_t largest = 8;
  return symbol->auxiliary == 0 && !symbol->is_partial ? ref_smaller(symbol->size, largest) : symbol->auxiliary;
}

/* W9.4: `own` is sorted. RF460: symbol 0 stands for each that has no symbol, so it has the place of the last; RF467: of the kernel whose
 * section was made first. */
static uint64_t ref_shared_place_own(ref_link *link, const ref_function *kernel, const ref_indices *own, uint64_t end) {
  const size_t known = link->null_symbol_section;
  for (size_t i = 0; i < own->count; i++) {
    const ref_out_symbol *symbol = &link->symbols[own->items[i]];
    ref_shared_place(link, own->items[i], ref_align_up(end, ref_shared_own_alignment(symbol)));
    end = symbol->value + symbol->size;
    if (symbol->is_partial && symbol->is_counted && (known == 0 || kernel->shared <= known)) {
      link->null_symbol_value = symbol->value;
      link->null_symbol_section = kernel->shared;
    }
  }
  return end;
}

/* L1011: where ptxas laid out the body that came first, what an ordinary one brings has no place. RF461: before sm_90 and in capsules it ends
 * the link where its symbol is in the output, as what is refused does (RF163), and without -g where something refers to it. */
static void ref_shared_lose_object(ref_link *link, size_t number) {
  ref_out_symbol *symbol = &link->symbols[number];
  ref_shared_place(link, number, NOWHERE);
  symbol->is_lost = true;
  if (link->sm < 90 || link->is_capsule) {
    symbol->has_no_name = !ref_options_keep_shared_symbols(link);
    link->has_refused_shared = link->has_refused_shared || symbol->referenced || !symbol->has_no_name;
  }
}

/* By default what comes from the pool, but what ptxas laid out (RF752), lies behind all others; with -g so does what an ordinary body that lost
 * brought (D142). RF758: nvlink has no place for either. */
static bool ref_shared_lies_behind(const ref_link *link, const ref_function *kernel, const ref_out_symbol *symbol) {
  const bool is_ordinary = !symbol->is_laid && !symbol->is_partial;
  return is_ordinary && !link->job->bug_compatible &&
         (symbol->section != kernel->shared || ref_options_keep_shared_symbols(link));
}

/* L1011: one behind the other. */
static uint64_t ref_shared_place_partial(ref_link *link, const ref_function *kernel, const ref_indices *own) {
  uint64_t end = 0;
  for (size_t i = 0; i < own->count; i++) {
    const ref_out_symbol *symbol = &link->symbols[own->items[i]];
    if (ref_shared_lies_behind(link, kernel, symbol)) {
      ref_shared_place(link, own->items[i], ref_align_up(end, symbol->auxiliary));
      end = symbol->value + symbol->size;
      continue;
    }
    end = ref_partial_end_behind(symbol, end);
    if (!symbol->is_laid && !symbol->is_partial) {
      ref_shared_lose_object(link, own->items[i]);
    }
  }
  return end;
}

static void ref_shared_layout_kernel(ref_link *link, const ref_shared *shared, size_t kernel) {
  ref_function *function = &link->functions[kernel];
  ref_out_section *section = &link->sections[function->shared];
  ref_indices own = {0};
  uint64_t end = 0;
  section->align = ref_larger(function->late_shared ? 1 : shared->pool_align, section->has_block ? section->align : 1);
  ref_shared_list_own(link, shared, kernel, &own, &end);
  ref_partial_count_objects(link, &own);
  if (own.count != 0 && ref_partial_is_laid_out(link, function, &own)) { /* RF152 */
    end = ref_shared_place_partial(link, function, &own);
  } else {
    const bool partial = own.count != 0 && ref_partial_has_kernel(link, function);
    end = partial || ref_shared_loses_pool(link, shared, function) ? 0 : end;
    ref_partial_order_objects(link, &own);
    ref_sort_alternating(link, &own, ref_shared_compare_own, REF_TIE_FIRST);
    end = ref_shared_place_own(link, function, &own, end);
  }
  for (size_t i = 0; i < own.count; i++) {
    ref_out_symbol *symbol = &link->symbols[own.items[i]];
    symbol->section = function->shared;
    function->has_empty_object = function->has_empty_object || symbol->size == 0;
    if (symbol->size == 0 && symbol->auxiliary == 0) {
      ref_message_fatal(link, "RF968", "Internal error: should only reach here with no opt");
    }
    section->align = ref_larger(symbol->auxiliary, section->align);
  }
  function->shared_end = end;
  function->kernel_uses_extern = ref_shared_kernel_uses_extern(link, function);
  if (function->kernel_uses_extern) {
    section->align = ref_larger(section->align, EXTERN_ALIGN);
  }
}

static size_t ref_shared_group_of(const ref_link *link, size_t kernel) {
  while (link->functions[kernel].group != kernel) {
    kernel = link->functions[kernel].group;
  }
  return kernel;
}

/* W9.5: kernels that reach one function with extern shared memory belong together. */
static void ref_shared_group_kernels(ref_link *link) {
  for (size_t i = 0; i < link->holders.count; i++) {
    link->functions[link->holders.items[i]].group = link->holders.items[i];
  }
  for (size_t i = 0; i < link->function_count; i++) {
    link->functions[i].extern_kernel = REF_NONE;
  }
  for (size_t i = 0; i < link->holders.count; i++) {
    const size_t kernel = link->holders.items[i];
    for (size_t k = 0; k < link->functions[kernel].reach.count; k++) {
      ref_function *function = &link->functions[link->functions[kernel].reach.items[k]];
      if (!function->uses_extern_shared || !ref_shared_shares(link, kernel, link->functions[kernel].reach.items[k])) {
        continue;
      }
      if (function->extern_kernel == REF_NONE) {
        function->extern_kernel = kernel;
      }
      link->functions[ref_shared_group_of(link, kernel)].group = ref_shared_group_of(link, function->extern_kernel);
    }
  }
}

static void ref_shared_place_extern(ref_link *link) {
  ref_shared_group_kernels(link);
  for (size_t i = 0; i < link->holders.count; i++) {
    const ref_function *kernel = &link->functions[link->holders.items[i]];
    const uint64_t end = ref_align_up(kernel->shared_end, EXTERN_ALIGN);
    ref_function *group = &link->functions[ref_shared_group_of(link, link->holders.items[i])];
    if (kernel->kernel_uses_extern) {
      group->extern_shared_offset = ref_larger(end, group->extern_shared_offset);
    }
  }
  for (size_t i = 0; i < link->holders.count; i++) {
    ref_function *kernel = &link->functions[link->holders.items[i]];
    if (kernel->kernel_uses_extern) {
      const ref_function *group = &link->functions[ref_shared_group_of(link, link->holders.items[i])];
      kernel->shared_end = group->extern_shared_offset;
    }
  }
}

/* R23: what an entry in this function's text against an extern shared symbol becomes. */
uint64_t ref_shared_extern_offset(const ref_link *link, const ref_function *function) {
  if (function->extern_kernel == REF_NONE) {
    return NOWHERE; /* RF12: no kernel reaches the function */
  }
  return link->functions[ref_shared_group_of(link, function->extern_kernel)].extern_shared_offset;
}

bool ref_shared_pool_is_used(const ref_link *link) {
  return link->shared->pool_is_used;
}

/* RF248: an object of size 0 that is a kernel's own. */
static bool ref_shared_is_own_empty(const ref_shared *shared, const ref_out_symbol *symbol) {
  return symbol->is_extern_shared && symbol->section != REF_NONE && symbol->section != shared->pool_section;
}

/* RF12, RF976, RF1213: for data and for a function that no kernel reaches: nowhere, but a kernel's own has its place beside others, else 0. */
uint64_t ref_shared_unreached_place(const ref_link *link, const ref_out_symbol *symbol) {
  if (!ref_shared_is_own_empty(link->shared, symbol)) {
    return NOWHERE;
  }
  const size_t text = link->sections[symbol->section].info_section;
  const size_t kernel = text == REF_NONE ? REF_NONE : link->sections[text].info_function;
  const bool alone = kernel == REF_NONE || link->functions[kernel].shared != symbol->section ||
                     link->functions[kernel].shared_end == 0;
  return alone ? 0 : symbol->value;
}

/* W17.4: with -g one offset for each extern symbol. RF522: a kernel's own stays in its section, at its start where no text names it (RF773). */
static bool ref_shared_raise_extern(ref_link *link, const ref_shared *shared) {
  bool raised = false;
  for (size_t i = 0; i < shared->objects.count; i++) {
    ref_out_symbol *symbol = &link->symbols[shared->objects.items[i]];
    if (!symbol->is_extern_shared) {
      continue;
    }
    const bool own = ref_shared_is_own_empty(shared, symbol);
    symbol->section = own ? symbol->section : shared->pool_section;
    symbol->value = own ? 0 : symbol->value; /* RF1210: wherever its own section has room */
    for (size_t k = 0; k < symbol->users.count; k++) {
      const uint64_t end = ref_align_up(link->functions[symbol->users.items[k]].shared_end, EXTERN_ALIGN);
      symbol->value = ref_larger(end, symbol->value);
    }
    for (size_t k = 0; k < symbol->users.count; k++) {
      ref_function *kernel = &link->functions[symbol->users.items[k]];
      raised = raised || kernel->shared_end != symbol->value;
      kernel->shared_end = symbol->value;
    }
  }
  return raised;
}

/* RF14: until nothing changes, because a kernel that one name raises raises its other names. */
static void ref_shared_place_extern_by_name(ref_link *link, const ref_shared *shared) {
  while (ref_shared_raise_extern(link, shared)) {
  }
}

/* RF1033: an object of another space that joined the pool has no symbol in an executable, and entries against it are not recorded. */
bool ref_shared_is_foreign(const ref_link *link, const ref_out_symbol *symbol) {
  return !link->relocatable && !link->is_capsule && link->pool != 0 && symbol->section == link->pool &&
         link->sections[link->pool].dropped && symbol->type != REF_SYMBOL_SECTION &&
         (symbol->other & REF_SPACE_MASK) != REF_SPACE_SHARED;
}

static void ref_shared_hide_foreign(ref_link *link) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    ref_out_symbol *symbol = &link->symbols[i];
    symbol->has_no_name = symbol->has_no_name || ref_shared_is_foreign(link, symbol);
  }
}

/* W17.2: an object that nothing refers to, outside the pool. RF166: without -g too, what has a symbol. RF758: what a kernel has no place for
 * keeps its symbol where reserved memory moves it. */
static void ref_shared_hide_unused(ref_link *link, const ref_shared *shared) {
  for (size_t i = 0; i < shared->pool.count; i++) {
    ref_out_symbol *symbol = &link->symbols[shared->pool.items[i]];
    if (symbol->is_laid && symbol->value == NOWHERE && link->preserves && shared->pool_is_used) { /* RF768 */
      symbol->value = symbol->laid_place;
    }
    const bool unused =
        !symbol->is_extern_shared && !symbol->has_no_place && !symbol->is_lost && symbol->value == NOWHERE;
    symbol->has_no_name = symbol->has_no_name || unused;
  }
}

/* RF522, RF703: with -preserve-relocs a kernel's own of size 0 has no symbol where its section is empty, unless it has a visibility (RF166). */
static void ref_shared_hide_empty(ref_link *link, const ref_shared *shared) {
  const bool hides = link->preserves && !ref_options_keep_shared_symbols(link);
  for (size_t i = 0; i < shared->objects.count && hides; i++) {
    ref_out_symbol *symbol = &link->symbols[shared->objects.items[i]];
    if (ref_shared_is_own_empty(shared, symbol) && link->sections[symbol->section].size == 0 &&
        (symbol->other & VISIBILITY) <= INTERNAL) {
      symbol->has_no_name = true;
    }
  }
}

/* W17.7, D70: with -preserve-relocs on sm_90 an extern symbol stays if the pool is not empty, with the value -1;
 * by default it does not. */
static void ref_shared_show_extern(ref_link *link, const ref_shared *shared) {
  if (!link->preserves || link->sm < 90 || !shared->pool_is_used || !link->job->bug_compatible ||
      link->is_capsule) { /* RF175 */
    return;
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    ref_out_symbol *symbol = &link->symbols[i];
    const bool own = ref_shared_is_own_empty(shared, symbol); /* RF640 */
    if ((symbol->is_extern_shared || symbol->has_no_place) && !own) {
      symbol->dropped = false;
      symbol->has_no_name = false;
      symbol->section = shared->pool_section;
      symbol->value = NOWHERE;
    }
  }
}

/* RF855: a block that an object of another memory space brought, first of the section, counts beside what is laid out. */
uint64_t ref_shared_placed_size(const ref_out_section *section, const ref_function *kernel) {
  return section->has_block && !kernel->has_partial ? section->size : 0;
}

/* W9.6, W9.8 */
static void ref_shared_finish_kernel(ref_link *link, const ref_shared *shared, const ref_function *kernel) {
  ref_out_section *section = &link->sections[kernel->shared];
  const uint64_t reserved = link->sm >= 90 && !link->is_capsule ? RESERVED : 0; /* M17 */
  const bool wraps = link->job->bug_compatible && !link->is_capsule;            /* RF970 */
  const uint64_t placed = ref_shared_placed_size(section, kernel);
  section->size = (wraps ? (uint32_t)kernel->shared_end : kernel->shared_end) + placed;
  if (section->size != 0) {
    section->size += reserved;
  } else if (kernel->has_partial) {
    section->size = shared->has_extern ? reserved : 0; /* RF510 */
  } else if (kernel->has_empty_object) {
    section->size = section->align >= EXTERN_ALIGN ? reserved : 0; /* RF248, RF967 */
  } else if (section->has_block) {
    section->size = reserved;
  } else if (shared->has_extern &&
             (section->align == EXTERN_ALIGN || (reserved != 0 && section->align > EXTERN_ALIGN))) {
    section->size = reserved;
  } else {
    section->dropped = true;
  }
}

static void ref_shared_finish_pool(ref_link *link, const ref_shared *shared, uint64_t end) {
  if (shared->pool_section == REF_NONE) {
    return;
  }
  ref_out_section *section = &link->sections[shared->pool_section];
  const bool full = ref_options_list_shared_symbols(link);
  const uint64_t reserved = full && link->sm >= 90 && !link->is_capsule ? RESERVED : 0;
  if (full && end != 0) {
    /* W17.3 */
    section->size = end + reserved;
    const bool has_extern = shared->has_extern || link->pool_begins_extern;               /* D82 */
    section->align = ref_larger(link->debug_shared_align, has_extern ? EXTERN_ALIGN : 0); /* L253 */
    return;
  }
  section->size = reserved;
  section->align = EXTERN_ALIGN;
  section->dropped = !(shared->has_extern && shared->pool_align <= EXTERN_ALIGN);
}

/* RF115: with -g and -preserve-relocs `externsharedinstance` stays if its section is not empty. */
static void ref_shared_hide_instances(ref_link *link, const ref_shared *shared) {
  const bool empty = shared->pool_section == REF_NONE || link->sections[shared->pool_section].size == 0;
  if (!link->preserves || !ref_options_keep_shared_symbols(link) || !empty) {
    return;
  }
  for (size_t i = 0; i < shared->objects.count; i++) {
    ref_out_symbol *symbol = &link->symbols[shared->objects.items[i]];
    if (symbol->is_extern_shared && (symbol->other & VISIBILITY) == INTERNAL) {
      symbol->has_no_name = true;
    }
  }
}

static void ref_shared_add_late_section(ref_link *link, size_t kernel, bool by_extern) {
  if (link->functions[kernel].shared == REF_NONE) {
    ref_merge_add_shared_section(link, &link->functions[kernel]);
    link->functions[kernel].late_shared = by_extern;
  }
}

/* RF254: of jump slots those that reach the text, the last created first; of unnamed kernels only the text's own (W17.13). */
static void ref_shared_add_for_extern(ref_link *link, const ref_shared *shared, const ref_out_relocation *entry) {
  const size_t number = link->sections[entry->target].info_function;
  if (number == REF_NONE || entry->dropped || entry->symbol == REF_NONE || /* RF1134: of a body that was replaced */
      !link->symbols[entry->symbol].is_extern_shared) {
    return;
  }
  for (size_t i = 0; i < shared->reached_by[number].count; i++) {
    const size_t holder = shared->reached_by[number].items[i];
    if (link->functions[holder].is_stub) {
      ref_shared_add_late_section(link, holder, true);
    }
  }
  if (link->functions[number].entry && link->functions[number].live &&
      !link->functions[number].is_provided) { /* RF1117 */
    ref_shared_add_late_section(link, number, true);
  }
}

/* W17.12: an unnamed kernel's section is made when something needs it: first pool objects with one user, then those with
 * several, then extern symbols. */
static void ref_shared_add_late_sections(ref_link *link, const ref_shared *shared) {
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < shared->pool.count; i++) {
      const ref_out_symbol *symbol = &link->symbols[shared->pool.items[i]];
      const ref_indices users = symbol->users;
      if (symbol->is_extern_shared || symbol->has_no_place || (users.count == 1) != (pass == 0)) { /* RF315 */
        continue;
      }
      for (size_t k = 0; k < users.count; k++) {
        ref_shared_add_late_section(link, users.items[k], false);
      }
    }
  }
  for (size_t i = 0; i < link->relocation_count; i++) {
    ref_shared_add_for_extern(link, shared, &link->relocations[i]);
  }
  for (size_t i = 0; i < link->entries.count; i++) { /* RF50: by default unnamed ones too; RF164 */
    const size_t kernel = link->entries.items[i];
    const bool own = !link->is_capsule || link->functions[kernel].alias_of == REF_NONE; /* RF785 */
    if (own && ref_shared_kernel_uses_extern(link, &link->functions[kernel])) {
      ref_shared_add_late_section(link, kernel, !link->functions[kernel].entry);
    }
  }
}

/* RF163, RF152: once an entry against the object. */
static void ref_shared_refuse_entry(ref_link *link, const ref_out_relocation *entry, const ref_indices *users) {
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  for (size_t i = 0; i < users->count; i++) {
    const ref_function *kernel = &link->functions[users->items[i]];
    if (kernel->is_kernel && ref_partial_has_kernel(link, kernel)) {
      ref_message_add(link, REF_ERROR, "RF163", "Cannot link shared object '%s' with partially linked kernel '%s'",
                      symbol->name, kernel->name);
      const bool laid = ref_partial_is_file(link, symbol->definition_file); /* RF1125 */
      link->has_refused_shared = link->has_refused_shared || (symbol->users.count == 1 && !laid);
    }
  }
}

/* RF163: the shared memory of a kernel of an -ewp file is laid out already, so nothing that other files share can be its. In the
 * pool's order, entries in that in which they were read. */
static void ref_shared_refuse_partial(ref_link *link, const ref_shared *shared) {
  ref_indices *entries_of = REF_TAKE(link, ref_indices, link->symbol_count);
  for (size_t i = 0; i < link->relocation_count; i++) {
    if (ref_shared_entry_counts(link, &link->relocations[i])) {
      ref_indices_add(link, &entries_of[link->relocations[i].symbol], i);
    }
  }
  for (size_t i = 0; i < shared->pool.count; i++) {
    const size_t number = shared->pool.items[i];
    if (link->symbols[number].is_extern_shared) {
      continue;
    }
    for (size_t k = 0; k < entries_of[number].count; k++) {
      const ref_out_relocation *entry = &link->relocations[entries_of[number].items[k]];
      const size_t function = link->sections[entry->target].info_function;
      if (!link->functions[function].entry) { /* RF718 */
        ref_shared_refuse_entry(link, entry, &shared->reached_by[function]);
      }
    }
  }
}

void ref_shared_prepare(ref_link *link) {
  ref_shared *shared = REF_TAKE_ONE(link, ref_shared);
  link->shared = shared;
  shared->pool_section = ref_section_find_pool(link);
  ref_shared_list(link, shared);
  ref_shared_find_uses(link);
  shared->reached_by = ref_shared_list_reaching(link);
  ref_shared_find_users(link, shared->reached_by);
  ref_shared_copy_to_ghosts(link, shared);
  ref_shared_sort_pool(link, shared);
  ref_shared_add_late_sections(link, shared);
}

static void ref_shared_add_owner(ref_link *link, ref_shared *shared, size_t function) {
  if (link->functions[function].shared == REF_NONE) {
    return;
  }
  if (ref_shared_is_forgotten(link, function)) {
    ref_shared_forget(link, function, &shared->objects);
    link->functions[function].kernel_uses_extern = ref_shared_kernel_uses_extern(link, &link->functions[function]);
    ref_indices_add(link, &shared->forgotten, function);
  } else {
    ref_indices_add(link, &shared->owners, function);
  }
}

/* RF186: a live function that is no kernel can have shared memory of its own (no compiler makes one), which is laid out like a
 * kernel's. */
static void ref_shared_list_owners(ref_link *link, ref_shared *shared) {
  for (size_t i = 0; i < link->holders.count; i++) {
    ref_shared_add_owner(link, shared, link->holders.items[i]);
  }
  for (size_t i = 0; i < link->function_count; i++) {
    if (!ref_indices_has(&link->holders, i)) {
      ref_shared_add_owner(link, shared, i);
    }
  }
}

/* --trace: with -g a line for each kernel that uses an extern symbol. */
static void ref_shared_trace_extern_by_name(ref_link *link, const ref_shared *shared) {
  for (size_t i = 0; i < shared->objects.count; i++) {
    const ref_out_symbol *symbol = &link->symbols[shared->objects.items[i]];
    for (size_t k = 0; symbol->is_extern_shared && k < symbol->users.count; k++) {
      ref_trace_tell(link, REF_TRACE_LAYOUT, "extern shared variable %s at offset %llu", symbol->name,
                     (unsigned long long)symbol->value);
    }
  }
}

/* --trace: else one for each kernel, function that it has extern shared memory of, and symbol that the function names. */
static void ref_shared_trace_extern(ref_link *link, const ref_shared *shared) {
  ref_indices *named = REF_TAKE(link, ref_indices, link->function_count);
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    const size_t number = link->sections[entry->target].info_function;
    if (!ref_shared_entry_counts(link, entry) || !link->symbols[entry->symbol].is_extern_shared ||
        ref_indices_has(&named[number], entry->symbol)) {
      continue;
    }
    ref_indices_add(link, &named[number], entry->symbol);
    for (size_t k = 0; k < shared->reached_by[number].count; k++) {
      const size_t group = ref_shared_group_of(link, shared->reached_by[number].items[k]);
      ref_trace_tell(link, REF_TRACE_LAYOUT, "extern shared variable %s at offset %llu",
                     link->symbols[entry->symbol].name,
                     (unsigned long long)link->functions[group].extern_shared_offset);
    }
  }
}

void ref_shared_layout(ref_link *link) {
  ref_shared *shared = link->shared;
  ref_shared_list_owners(link, shared);
  ref_shared_mark_unplaced(link, shared);
  ref_shared_refuse_partial(link, shared);
  const uint64_t end = ref_shared_colour_pool(link, shared);
  shared->pool_align = shared->pool_is_used ? link->debug_shared_align : 1;
  for (size_t i = 0; i < shared->owners.count; i++) {
    ref_shared_layout_kernel(link, shared, shared->owners.items[i]);
  }
  if (ref_options_keep_shared_symbols(link)) {
    ref_shared_place_extern_by_name(link, shared);
  } else {
    ref_shared_place_extern(link);
    ref_shared_show_extern(link, shared);
  }
  if (ref_trace_wants(link, REF_TRACE_LAYOUT)) {
    (ref_options_keep_shared_symbols(link) ? ref_shared_trace_extern_by_name : ref_shared_trace_extern)(link, shared);
  }
  ref_shared_hide_unused(link, shared);
  for (size_t i = 0; i < shared->owners.count; i++) {
    ref_shared_finish_kernel(link, shared, &link->functions[shared->owners.items[i]]);
  }
  for (size_t i = 0; i < shared->forgotten.count; i++) {
    ref_shared_finish_forgotten(link, &link->functions[shared->forgotten.items[i]]);
  }
  ref_shared_hide_empty(link, shared);
  ref_shared_finish_pool(link, shared, end);
  ref_shared_hide_foreign(link);
  ref_shared_hide_instances(link, shared);
}
