/* The one way in which this linker uses several threads. */
#ifndef TL_BASE_PARALLEL_H
#define TL_BASE_PARALLEL_H

#include <stddef.h>

/* Calls task(context, i) once for every i below `count`, on up to `threads` threads (0: as many as the machine has
 * processors), and returns when all are done. Tasks must not touch the same memory, take none from an arena, and report
 * nothing; so the result cannot depend on the number of threads. When no thread can be started the caller does it all. */
void tl_parallel_for(unsigned threads, size_t count, void (*task)(void *context, size_t index), void *context);

#endif
