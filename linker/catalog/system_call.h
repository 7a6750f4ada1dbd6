/* Names that the driver provides: undefined, they are neither an error (E20) nor a reason to take cudadevrt (C46). */
#ifndef TL_CATALOG_SYSTEM_CALL_H
#define TL_CATALOG_SYSTEM_CALL_H

#include <stdbool.h>

/* The symbols of the unified tables and of reserved shared memory, and the sizes of descriptors, by their
 * whole names (L181, L447, L840). */
bool tl_reserved_name_is(const char *name);
bool tl_system_call_is(const char *name);

#endif
