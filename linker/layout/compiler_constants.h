/* What the two layouts of compiler constants share: one block a function (W10.2), one image for all (K3). */
#ifndef TL_LAYOUT_COMPILER_CONSTANTS_H
#define TL_LAYOUT_COMPILER_CONSTANTS_H

#include "layout/layout.h"

/* What a kernel's .nv.constant2.K held before copies of functions' blocks came in. */
typedef struct tl_own_constants {
  size_t pieces;
} tl_own_constants;

/* The .nv.constant2.K of a kernel (position in module->kernels), TL_NONE. */
static inline uint32_t tl_kernel_image(const tl_module *module, uint32_t kernel) {
  return module->sections.items[module->symbols.items[module->kernels.items[kernel]].section].constant2;
}

/* True when some kernel's image is larger than the bank. */
bool tl_compiler_constants_overflow(const tl_module *module);
/* Lays all images out again as one (K3). `users`: by block, the kernels that reach it; `own`: by kernel. */
void tl_compiler_constants_pool(tl_module *module, const tl_u32_vector *users, const tl_own_constants *own,
                                tl_constant_offsets *offsets, tl_arena *arena);

#endif
