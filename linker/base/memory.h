/* The system's memory as an allocator, for jobs that bring none of their own and for the program. Large blocks come
 * straight from the kernel, on huge pages where it has them: a link touches nearly all that it takes, and on small pages
 * the faults cost more than the linking. What it returns is zero already, and nothing that is not touched is resident. */
#ifndef TL_BASE_MEMORY_H
#define TL_BASE_MEMORY_H

#include "twinlink.h"

extern const tl_allocator tl_system_memory;

#endif
