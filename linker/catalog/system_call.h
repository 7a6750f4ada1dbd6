/* Names that the driver provides: undefined, they are neither an error (E20) nor a reason to take cudadevrt (C46). */
#ifndef TL_CATALOG_SYSTEM_CALL_H
#define TL_CATALOG_SYSTEM_CALL_H

#include <stdbool.h>

bool tl_system_call_is(const char *name);

#endif
