#include "emit/demangle.h"
#include <string.h>
char *tl_demangle(tl_arena *arena, const char *name) { return tl_arena_text(arena, name, strlen(name)); }
