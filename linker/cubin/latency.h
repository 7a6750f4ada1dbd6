/* How many cycles a SASS instruction lets the next one wait (L1677). Private to cubin/. */
#ifndef TL_CUBIN_LATENCY_H
#define TL_CUBIN_LATENCY_H

#include "cubin/operands.h"

#include <stdbool.h>
#include <stdint.h>

/* What is looked at: the text, its instructions' operands, and where jumps lead to. */
typedef struct tl_latency_text {
  const uint8_t *text;
  const tl_operands *operands;
  const bool *starts;
  uint32_t count;
} tl_latency_text;

/* What stands before it in its block asks for, and itself; what is not known asks for nothing. */
uint32_t tl_latency_find(const tl_latency_text *t, uint32_t index);
/* The least of it that the results of arithmetic before it, which the next one reads, and memory's unit ask for. */
uint32_t tl_latency_least(const tl_latency_text *t, uint32_t index);
/* L1807: the cycles of a fence's parts, which hang on nothing else. */
enum { TL_LATENCY_UNKNOWN = 16 };
uint32_t tl_latency_of_fence(const tl_latency_text *t, uint32_t index);
/* L1812 to L1814: cycles that are certain, whatever the instruction has. */
uint32_t tl_latency_of_certain(const tl_latency_text *t, uint32_t index);

#endif
