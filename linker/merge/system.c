/* Files of the runtime (C46, L220): any input whose path contains "cudadevrt". One is taken only if, when its turn comes,
 * some function is undefined: mentioned as GLOBAL by a file before it, by dead code too, defined by none of them, and no
 * name that the driver provides. Once one was not taken, any file that is not of the runtime ends the link. */
#include "catalog/system_call.h"
#include "cubin/elf.h"
#include "merge/module.h"

enum { NAME_MISSING = 1, NAME_DEFINED = 2 };

static uint32_t system_count_functions(const tl_cubin *cubin, const tl_names *names, uint8_t *state, uint32_t missing) {
  for (uint32_t i = 0; i < cubin->symbol_count; i++) {
    const tl_cubin_symbol *const symbol = &cubin->symbols[i];
    const bool defined = symbol->section != SHN_UNDEF;
    const unsigned binding = tl_symbol_binding(symbol);
    if (tl_symbol_type(symbol) != STT_FUNC || binding == STB_LOCAL || state[symbol->name] & NAME_DEFINED)
      continue;
    if (defined) {
      missing -= state[symbol->name] & NAME_MISSING;
      state[symbol->name] = NAME_DEFINED;
    } else if (binding == STB_GLOBAL && !state[symbol->name] &&
               !tl_system_call_is(tl_names_text(names, symbol->name))) {
      state[symbol->name] = NAME_MISSING;
      missing++;
    }
  }
  return missing;
}

bool tl_merge_misses_function(const tl_cubin *files, size_t count, const tl_names *names, tl_arena *arena) {
  uint8_t *const state = tl_arena_new(arena, uint8_t, names->list.count);
  uint32_t missing = 0;
  for (size_t i = 0; i < count; i++)
    if (!files[i].system || missing)
      missing = system_count_functions(&files[i], names, state, missing);
  return missing != 0;
}

uint32_t tl_merge_choose_files(tl_cubin *files, uint32_t count, const tl_names *names, tl_arena *arena) {
  uint8_t *const state = tl_arena_new(arena, uint8_t, names->list.count);
  tl_cubin *const left = tl_arena_new(arena, tl_cubin, count);
  uint32_t missing = 0, taken = 0, dropped = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (files[i].system && !missing) {
      left[dropped++] = files[i];
      continue;
    }
    files[taken] = files[i];
    files[taken].late = dropped && !files[i].system;
    missing = system_count_functions(&files[taken++], names, state, missing);
  }
  for (uint32_t i = 0; i < dropped; i++)
    files[taken + i] = left[i];
  return taken;
}
