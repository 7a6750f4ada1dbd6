/* What entries of the unified tables name after entries about them were carried out (L1710). nvlink's own numbers of symbols
 * stand there then: those of global symbols count down from -1, dead functions among them (L1643), those of sections and
 * local symbols up from 1 in the order in which they were made, also of sections whose symbols are not in the output. A number
 * of what is not there is a deleted symbol. Beyond all numbers nvlink reads what lies there, which most often is the same. The
 * copies of the tables for Mercury have such numbers throughout (L435, L1823). What another number fits the entry names (L1659). */
#include "relocate/unified_names.h"

#include "base/bytes.h"
#include "base/map.h"

#include <string.h>

enum { MARGIN = 16, WORD = 4, WINDOW = MARGIN + UNIFIED_ENTRY_SIZE + MARGIN };

typedef struct unified_window {
  uint32_t entry;        /* position in module->unified_entries */
  uint8_t bytes[WINDOW]; /* the entry begins behind a margin, for fields that reach into it or out of it */
} unified_window;

typedef struct unified_names {
  const tl_module *module;
  tl_arena *arena;
  tl_u32_vector made;    /* by number: the symbol, TL_NONE for none */
  tl_u32_vector globals; /* the same from -1 on */
  tl_u32_vector further; /* files of which a section of entries takes a second number, ascending */
  size_t further_done;
  uint32_t *number; /* by symbol */
  tl_map entry_of;  /* section and number of the entry, to module->unified_entries */
  tl_map window_of;
  TL_VECTOR(unified_window) windows;
} unified_names;

/* L1726: what earlier files brought comes before. */
static void unified_number_local(unified_names *n, uint32_t symbol) {
  const uint32_t file = n->module->symbols.items[symbol].mention;
  while (file != TL_NONE && n->further_done < n->further.count && n->further.items[n->further_done] < file) {
    tl_u32_push(n->arena, &n->made, TL_NONE);
    n->further_done++;
  }
  n->number[symbol] = (uint32_t)n->made.count;
  tl_u32_push(n->arena, &n->made, symbol);
}

/* A return address, which is about the function that it stands in. */
static bool unified_is_return(const tl_module *module, const tl_relocation *entry) {
  enum { ADDRESS_LOW = 56, ADDRESS_HIGH = 57 };
  const uint32_t owner = module->sections.items[entry->target].owner;
  return (entry->type == ADDRESS_LOW || entry->type == ADDRESS_HIGH) && owner == entry->symbol;
}

static int unified_compare_files(const void *a, const void *b) {
  return tl_compare(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* L1726, L1881: a section of entries takes a second number with the first entry that is no return address and not the first of
 * its section in the file. */
static void unified_find_further(unified_names *n) {
  const tl_module *const module = n->module;
  uint8_t *const taken = tl_arena_new(n->arena, uint8_t, module->sections.count);
  uint64_t last = UINT64_MAX;
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    const uint64_t input = tl_pair_key(entry->file, entry->section);
    const bool first = input != last;
    last = input;
    if (first || taken[entry->container] || unified_is_return(module, entry))
      continue;
    taken[entry->container] = 1;
    tl_u32_push(n->arena, &n->further, entry->file);
  }
  tl_vector_sort(&n->further, unified_compare_files);
}

/* Sections stand in the order in which they were made, and what is no section's stands in front of the next section. */
static void unified_number(unified_names *n) {
  const tl_module *const module = n->module;
  n->number = tl_arena_new(n->arena, uint32_t, module->symbols.count);
  unified_find_further(n);
  tl_u32_push(n->arena, &n->made, 0);
  uint32_t next = 0;
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const uint32_t symbol = module->sections.items[i].symbol;
    if (symbol == TL_NONE)
      tl_u32_push(n->arena, &n->made, TL_NONE);
    while (symbol != TL_NONE && next < module->locals.count && module->locals.items[next] <= symbol)
      unified_number_local(n, module->locals.items[next++]);
  }
  while (next < module->locals.count)
    unified_number_local(n, module->locals.items[next++]);
}

/* L1727: those that no output shows, by their turn among all. */
static void unified_pass_unlisted(unified_names *n, uint32_t *next, uint32_t end) {
  for (; *next < end; ++*next) {
    const tl_symbol *const symbol = &n->module->symbols.items[*next];
    if (symbol->unlisted && tl_binding_of(symbol) == STB_GLOBAL)
      tl_u32_push(n->arena, &n->globals, TL_NONE);
  }
}

static void unified_number_globals(unified_names *n) {
  const tl_module *const module = n->module;
  size_t dead = 0;
  uint32_t next = 1;
  for (uint32_t i = 0; i < module->globals.count; i++) {
    for (; dead < module->dead_globals.count && module->dead_globals.items[dead] <= i; dead++)
      tl_u32_push(n->arena, &n->globals, TL_NONE);
    unified_pass_unlisted(n, &next, module->globals.items[i]);
    n->number[module->globals.items[i]] = UINT32_MAX - (uint32_t)n->globals.count;
    tl_u32_push(n->arena, &n->globals, module->globals.items[i]);
  }
}

/* Not Mercury's copies, whose numbers stay nvlink's own (L1933). */
static bool unified_is_table(const tl_module *module, uint32_t section) {
  const uint32_t type = module->sections.items[section].type;
  const bool copy = module->sections.items[section].flags & SHF_CUDA_MERCURY;
  return !copy && (type == SHT_CUDA_UFT_ENTRY || type == SHT_CUDA_UDT_ENTRY);
}

static uint64_t unified_key(uint32_t section, uint64_t place) {
  return tl_pair_key(section, (uint32_t)(place / UNIFIED_ENTRY_SIZE));
}

static void unified_find_entries(unified_names *n) {
  tl_map_init(&n->entry_of, n->arena);
  tl_map_init(&n->window_of, n->arena);
  for (size_t i = 0; i < n->module->unified_entries.count; i++) {
    const tl_unified_entry *const entry = &n->module->unified_entries.items[i];
    if (entry->offset % UNIFIED_ENTRY_SIZE == 0)
      tl_map_set(&n->entry_of, unified_key(entry->section, entry->offset), (uint32_t)i);
  }
}

/* Carries a patch out on the entry at a place of the same table, where it reaches the first word of that. */
static void unified_patch(unified_names *n, const tl_patch *patch, uint64_t place) {
  const uint64_t end = patch->offset + tl_relocation_row_bytes(patch->row);
  const uint64_t key = unified_key(patch->section, place);
  const uint32_t found = tl_map_get(&n->entry_of, key);
  if (found == TL_NONE || patch->offset >= place + WORD || end <= place || patch->offset + MARGIN < place)
    return;
  const tl_unified_entry *const entry = &n->module->unified_entries.items[found];
  uint32_t window = tl_map_get(&n->window_of, key);
  if (window == TL_NONE) {
    window = (uint32_t)n->windows.count;
    tl_map_set(&n->window_of, key, window);
    unified_window *const made = tl_vector_push(n->arena, &n->windows);
    *made = (unified_window){.entry = found};
    memcpy(made->bytes + MARGIN, entry->data, UNIFIED_ENTRY_SIZE);
    tl_put32(made->bytes + MARGIN, entry->symbol == TL_NONE ? 0 : n->number[entry->symbol]);
  }
  tl_patch_apply(patch, n->windows.items[window].bytes + (patch->offset + MARGIN - place));
}

/* TL_NONE: no symbol has the number. */
static uint32_t unified_symbol(const unified_names *n, uint32_t number) {
  const bool global = number >> 31;
  const tl_u32_vector *const list = global ? &n->globals : &n->made;
  const uint32_t place = global ? UINT32_MAX - number : number;
  return place < list->count ? list->items[place] : TL_NONE;
}

uint32_t *tl_unified_numbers(const tl_module *module, tl_arena *arena) {
  unified_names n = {.module = module, .arena = arena};
  unified_number(&n);
  unified_number_globals(&n);
  return n.number;
}

/* Carries out what is written into the tables. */
static void unified_carry_out(unified_names *n, const tl_relocated *relocated) {
  for (size_t i = 0; i < relocated->patches.count; i++) {
    const tl_patch *const patch = &relocated->patches.items[i];
    if (!unified_is_table(n->module, patch->section))
      continue;
    if (!n->number) {
      unified_number(n);
      unified_number_globals(n);
      unified_find_entries(n);
    }
    const uint64_t place = patch->offset - patch->offset % UNIFIED_ENTRY_SIZE;
    unified_patch(n, patch, place);
    unified_patch(n, patch, place + UNIFIED_ENTRY_SIZE);
  }
}

tl_unified_renames tl_unified_find_renamed(const tl_relocated *relocated, const tl_module *module) {
  unified_names n = {.module = module, .arena = module->arena};
  tl_unified_renames renames = {0};
  unified_carry_out(&n, relocated);
  for (size_t i = 0; i < n.windows.count; i++)
    *tl_vector_push(n.arena, &renames) =
        (tl_unified_rename){n.windows.items[i].entry, unified_symbol(&n, tl_get32(n.windows.items[i].bytes + MARGIN))};
  return renames;
}

bool tl_unified_names_deleted(const tl_relocated *relocated, const tl_module *module, const tl_layout *layout) {
  const tl_unified_renames renames = tl_unified_find_renamed(relocated, module);
  for (size_t i = 0; i < renames.count; i++) {
    const uint32_t symbol = renames.items[i].symbol;
    if (symbol == TL_NONE || !tl_symbol_is_listed(module, layout, symbol))
      return true;
  }
  return false;
}
