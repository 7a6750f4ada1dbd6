/* Which barriers are pending at each instruction of a SASS text, on any way there (L1676). Private to cubin/. */
#ifndef TL_CUBIN_PENDING_H
#define TL_CUBIN_PENDING_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { TL_PENDING_NUMBERS = 6, TL_PENDING_SETTERS = 4, TL_PENDING_MOST = 8192 /* instructions of a text */ };

/* The instructions whose barrier has a number; `more`: not these alone. */
typedef struct tl_pending_number {
  uint16_t setters[TL_PENDING_SETTERS];
  uint8_t count;
  bool more;
} tl_pending_number;

typedef struct tl_pending {
  tl_pending_number numbers[TL_PENDING_NUMBERS];
  bool reached;
} tl_pending;

/* Room for the longest text that is looked at. */
typedef struct tl_pending_room {
  tl_pending *pending; /* by instruction, before it waits */
  uint32_t (*next)[2]; /* where it may go on, UINT32_MAX */
  uint32_t *work;
  bool *waits;  /* in `work` */
  bool *starts; /* a jump leads there */
} tl_pending_room;

tl_pending_room tl_pending_make_room(uint32_t count, tl_arena *arena);
/* Where branches and BSSY of a text go, and what follows each instruction: `next` and `starts` of the room. */
void tl_pending_find_starts(tl_pending_room *room, const uint8_t *text, uint32_t count);
/* False where it is not known: where something is pending at a jump through a register (L908). */
bool tl_pending_find(tl_pending_room *room, const uint8_t *text, uint32_t count);
/* Whether an instruction is the last of its block: a branch, a call, a return and the like. */
bool tl_pending_ends(uint16_t opcode);
/* Jumps through a register. */
bool tl_pending_is_indirect(uint16_t opcode);

#endif
