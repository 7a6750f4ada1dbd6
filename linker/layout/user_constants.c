/* User constants that do not fit into 64 KB as they were merged (K1a, K1b): every variable of .nv.constant3 is placed
 * anew, one by one, and bytes, symbols and relocations follow.
 *
 * nvlink aligns each variable to its size, at most 8, and so forgets declared alignments (D64). By default a variable
 * keeps the alignment that its place in its input file shows. What still does not fit is E32, with this layout's size. */
#include "base/bytes.h"
#include "base/list_sort.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "cubin/elf.h"
#include "layout/layout.h"

#include <string.h>

static const uint64_t bank_size = 0x10000;

typedef struct constants_state {
  const tl_module *module;
  const uint64_t *align; /* by symbol */
  const bool *later;     /* by symbol: it stands in the half of .symtab whose alignments are not known */
} constants_state;

/* nvlink does not find the alignment of a local or weak variable, so those come behind all others (L88); of a weak one that stands
 * among the global symbols, because a file before mentions it so, it does (L1731). */
static uint64_t constants_rank(const constants_state *s, uint32_t symbol) {
  return s->later[symbol] && tl_defect_matched(s->module->options, TL_DEFECT_D64) ? 0 : s->align[symbol];
}

/* Alignment descending, then size ascending; a tie takes the second half. */
static bool constants_first(const void *context, uint32_t a, uint32_t b) {
  const constants_state *const s = context;
  if (constants_rank(s, a) != constants_rank(s, b))
    return constants_rank(s, a) > constants_rank(s, b);
  return s->module->symbols.items[a].size < s->module->symbols.items[b].size;
}

static uint64_t constants_align(const tl_module *module, const tl_section *section, const tl_symbol *symbol) {
  const uint64_t natural = tl_smaller(symbol->size, 8);
  const tl_piece *const piece = tl_layout_piece(section, symbol->value);
  if (!piece || tl_defect_matched(module->options, TL_DEFECT_D64))
    return natural;
  uint64_t shown = module->files[piece->file].sections[piece->section].align;
  const uint64_t place = symbol->value - piece->offset;
  while (shown > 1 && place % shown)
    shown /= 2;
  if (shown <= natural)
    return natural;
  tl_defect_note(module->diagnostics, TL_DEFECT_D64, tl_module_text(module, symbol->name));
  return shown;
}

/* L439: of user constants that do not fit, -kernels-used and -variables-used drop what nothing refers to. By symbol: what
 * stays; NULL: everything. */
static bool *constants_used(const tl_module *module, tl_arena *arena) {
  const tl_list *const named = &module->options->variables_used;
  if (!tl_layout_is_restricted(module->options))
    return NULL;
  bool *const used = tl_arena_new(arena, bool, module->symbols.count);
  for (size_t i = 0; i < module->relocations.count; i++)
    used[module->relocations.items[i].symbol] |= tl_module_relocation_stands(module, i);
  for (uint32_t i = 1; i < module->symbols.count; i++)
    for (size_t n = 0; n < named->count; n++)
      used[i] |= strstr(tl_module_text(module, module->symbols.items[i].name), named->items[n]) != NULL;
  return used;
}

/* The variables of one half of the symbol table, the last one first. */
static void constants_collect(tl_layout *layout, const tl_module *module, const bool *used, const tl_u32_vector *half,
                              uint32_t section, tl_u32_vector *list, uint64_t *align_of, tl_arena *arena) {
  for (size_t i = half->count; i-- > 0;) {
    const tl_symbol *const symbol = &module->symbols.items[half->items[i]];
    if (symbol->section != section || tl_type_of(symbol) == STT_SECTION)
      continue;
    if (used && !used[half->items[i]]) {
      layout->symbol_gone[half->items[i]] = true;
      continue;
    }
    align_of[half->items[i]] = constants_align(module, &module->sections.items[section], symbol);
    tl_u32_push(arena, list, half->items[i]);
  }
}

static void constants_move(tl_layout *layout, const tl_module *module, uint32_t section, const tl_u32_vector *order,
                           tl_arena *arena) {
  tl_placement *const placement = &layout->placed[TL_PLACED_CONSTANTS];
  placement->section = section;
  placement->overflows = !tl_layout_user_constants_fit(layout, section);
  placement->pieces.count = 0;
  for (size_t i = 0; i < order->count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[order->items[i]];
    const uint64_t to = layout->symbol_value[order->items[i]];
    tl_layout_move(placement, module, (tl_move){symbol->value, symbol->size, to}, arena);
  }
  tl_layout_end_moves(placement);
}

/* A variable to be placed must lie in the bytes of a file, and have a size (L243), behind which one of 32 bits (L472) is
 * asked for (L1258). */
static void constants_check(const tl_module *module, uint32_t section, const tl_u32_vector *order) {
  const char *const name = tl_module_user_constants(module);
  uint32_t empty = 0, large = 0;
  for (size_t i = 0; i < order->count; i++) {
    const uint32_t index = order->items[i];
    const tl_symbol *const symbol = &module->symbols.items[index];
    const tl_site site = {NULL, name, tl_module_text(module, symbol->name), symbol->value};
    if (!tl_layout_piece(&module->sections.items[section], symbol->value))
      tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_RELOC_NOT_FOUND), site, NULL);
    else if (symbol->size >= UINT32_MAX)
      large = large ? large : index;
    else if (!symbol->size)
      empty = empty ? empty : index;
  }
  const uint32_t wrong = empty ? empty : large;
  const tl_site site = {NULL, name, tl_module_text(module, module->symbols.items[wrong].name), TL_NO_OFFSET};
  const tl_message_id message = tl_module_lacks_index(module) ? TL_MESSAGE_NO_UIDX /* comes before (L1590) */
                                : empty                       ? TL_MESSAGE_NO_SIZE
                                                              : TL_MESSAGE_WRITING_FILE;
  if (wrong)
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(message), site, NULL);
}

static void constants_refuse(const tl_module *module, uint32_t file, uint32_t symbol, const char *what) {
  const tl_site site = {module->files[file].path, tl_module_user_constants(module),
                        tl_module_text(module, module->symbols.items[symbol].name), TL_NO_OFFSET};
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE), site, NULL, site.file, what);
}

/* D101: what nvlink ends by a signal over when it drops constants: its layout divides by the alignment of those that stay
 * (L88: it knows none of a local or weak one), and it looks for the new place of every address. */
static void constants_check_drops(const tl_layout *layout, const tl_module *module, uint32_t section,
                                  const tl_u32_vector *order, const bool *later) {
  for (size_t i = 0; i < order->count; i++) {
    const tl_symbol *const symbol = &module->symbols.items[order->items[i]];
    const tl_piece *const piece = tl_layout_piece(&module->sections.items[section], symbol->value);
    if (later[order->items[i]]) { /* the piece is there (constants_check) */
      constants_refuse(module, piece->file, order->items[i],
                       "a local or weak constant stays among user constants that do not fit (D101)");
      return;
    }
  }
  for (size_t i = 0; i < module->relocations.count; i++) {
    const tl_relocation *const entry = &module->relocations.items[i];
    if (entry->target == section && tl_module_relocation_stands(module, i) &&
        tl_layout_offset_is_gone(layout, section, entry->offset)) {
      constants_refuse(module, entry->file, entry->symbol, "a user constant that is dropped holds an address (D101)");
      return;
    }
  }
}

bool tl_layout_user_constants_fit(const tl_layout *layout, uint32_t section) {
  return layout->section_size[section] <= bank_size;
}

void tl_layout_user_constants(tl_layout *layout, const tl_module *module, tl_arena *arena) {
  const uint32_t section = tl_module_section_named(module, tl_module_user_constants(module));
  if (section == TL_NONE || tl_layout_user_constants_fit(layout, section))
    return;
  uint64_t *const align_of = tl_arena_new(arena, uint64_t, module->symbols.count);
  tl_u32_vector order = {0};
  const bool *const used = constants_used(module, arena);
  layout->placed[TL_PLACED_CONSTANTS].drops = used != NULL;
  constants_collect(layout, module, used, &module->globals, section, &order, align_of, arena);
  constants_collect(layout, module, used, &module->locals, section, &order, align_of, arena);
  constants_check(module, section, &order);
  bool *const later = tl_arena_new(arena, bool, module->symbols.count);
  for (size_t i = 0; i < module->locals.count; i++)
    later[module->locals.items[i]] = true;
  const constants_state state = {module, align_of, later};
  tl_list_sort(arena, order.items, order.count, TL_DEAL_SWAP, constants_first, &state);
  uint64_t end = 0, align = 1; /* that of the first variable, if it is known (L88) */
  for (size_t i = 0; i < order.count; i++) {
    const uint32_t symbol = order.items[i];
    end = tl_align(end, align_of[symbol]);
    align = tl_larger(constants_rank(&state, symbol), align);
    layout->symbol_value[symbol] = end;
    end += module->symbols.items[symbol].size;
  }
  layout->section_size[section] = end;
  layout->section_dropped[section] |= !end;
  if (!end)
    layout->gone_name = module->sections.items[section].name;
  layout->section_align[section] = align;
  constants_move(layout, module, section, &order,
                 arena); /* also what does not fit: its relocations lie in it all the same */
  if (used)
    constants_check_drops(layout, module, section, &order, later);
}
