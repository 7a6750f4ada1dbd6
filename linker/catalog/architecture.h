/* Names of architectures, and which input code a target takes (C34). */
#ifndef TL_CATALOG_ARCHITECTURE_H
#define TL_CATALOG_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tl_arch_family { TL_ARCH_SM, TL_ARCH_COMPUTE, TL_ARCH_LTO } tl_arch_family;

typedef struct tl_architecture {
  const char *name; /* as spelled behind -arch */
  tl_arch_family family;
  uint16_t number;  /* of what can be linked for */
  bool accelerated; /* the "a" variant of a device */
} tl_architecture;

/* NULL for a name that nvlink 13.0.88 does not know (E4). */
const tl_architecture *tl_architecture_find(const char *name);
/* The `index`-th row in the order of nvlink's help text; NULL behind the last. */
const tl_architecture *tl_architecture_at(size_t index);
/* Whether code for SM `number`, made for the accelerated variant or not (F56), may go into a link for `target`. A
 * cubin does not say whether it was made for an "f" variant (F9); those rows equal the base rows. A compute_ target
 * takes every known number up to its own. */
bool tl_architecture_accepts(const tl_architecture *target, uint32_t number, bool accelerated);

#endif
