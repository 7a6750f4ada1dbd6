/* Jump slots have no finalizer's options of their own, so that nvlink's finalizer schedules them as optimised code, or as
 * -g asks, whatever the rest of their file is (L660). It does so in capsule links, and in mixed links with each capsule that
 * stands before the first file of SASS kind (L1847). */
#include "cubin/stub.h"

#include "cubin/code.h"
#include "cubin/elf.h"

void tl_stub_schedule(uint8_t *code, bool debug) {
  enum { CONTROL = 13, WAITS = 0x0fea, GOES_ON = 0x0fe2, ALONE = 0x3fde, BRANCHES = 2 };
  for (unsigned i = 0; i + 1 < TL_STUB_ITEMS; i++) {
    uint8_t *const control = code + i * TL_CODE_INSTRUCTION + CONTROL;
    const unsigned bits = debug ? ALONE : i < BRANCHES ? WAITS : GOES_ON;
    control[0] = (uint8_t)bits;
    control[1] = (uint8_t)(bits >> 8);
  }
}

void tl_stub_schedule_all(tl_cubin *cubin, bool debug, tl_arena *arena) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    if (section->type != SHT_CUDA_UFT_REL || section->size != TL_STUB_SIZE || !section->data)
      continue;
    uint8_t *const copy = tl_arena_copy(arena, section->data, section->size);
    tl_stub_schedule(copy, debug);
    section->data = copy;
  }
}
