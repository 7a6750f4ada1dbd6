/* The texts that -h, -V and -ghls=lcs-aug print on standard output (C54, C54b). */
#ifndef TL_CATALOG_USAGE_H
#define TL_CATALOG_USAGE_H

#include "base/arena.h"

const char *tl_usage_help(tl_arena *arena, const tl_options *options);
const char *tl_usage_version(const tl_options *options);
const char *tl_usage_host_script(void);

#endif
