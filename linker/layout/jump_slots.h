/* Where the jump slot of a unified function is (layout/jump_slots.c). */
#ifndef TL_LAYOUT_JUMP_SLOTS_H
#define TL_LAYOUT_JUMP_SLOTS_H

#include "merge/module.h"

typedef struct tl_jump_slots {
  const tl_module *module;
  const uint32_t *of_name;     /* position in module->stubs of the first slot with the name, TL_NONE */
  const uint32_t *of_function; /* the same; of several slots of one name the one that calls the function (L116) */
  bool loose;                  /* nvlink's answer is wanted where slots do not tell (D105) */
} tl_jump_slots;

tl_jump_slots tl_layout_jump_slots(const tl_module *module, bool loose, tl_arena *arena);
/* The symbol that has the place of the slot of what `symbol` is (L1601); TL_NONE for sections. */
uint32_t tl_jump_slot_holder(const tl_jump_slots *slots, uint32_t symbol);
/* Where nvlink takes the bytes of that slot from, of an entry of `file`: the first slot of the name that is there so far, or
 * the first of all (L1601). */
uint64_t tl_jump_slot_bytes(const tl_jump_slots *slots, uint32_t symbol, uint32_t file);

#endif
