/* C++ names as nvlink prints them (C83). */
#ifndef TL_EMIT_DEMANGLE_H
#define TL_EMIT_DEMANGLE_H

#include "base/arena.h"

/* The readable form of a mangled name; the name itself when it is not one. Text in the arena. */
char *tl_demangle(tl_arena *arena, const char *name);

#endif
