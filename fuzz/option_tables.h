/* Whether help names every option as it is spelled, all trace parts are all, and the host linker's script gives each section what is
 * called so. */
#ifndef FUZZ_OPTION_TABLES_H
#define FUZZ_OPTION_TABLES_H

#include "base/arena.h"

/* NULL, or what is wrong. */
const char *fuzz_option_tables_check(tl_arena *arena);

#endif
