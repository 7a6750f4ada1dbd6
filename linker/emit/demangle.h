/* Function names as nvlink prints them in the call graph, E26 and E36 (C83). */
#ifndef TL_EMIT_DEMANGLE_H
#define TL_EMIT_DEMANGLE_H

#include "base/arena.h"

/* The demangled text of a symbol name, in the arena; `name` itself where nvlink leaves it alone or where reading it would
 * pass a bound (nesting of 128, 64 KiB of text), so this never fails and never runs away. */
const char *tl_demangle(tl_arena *arena, const char *name);

#endif
