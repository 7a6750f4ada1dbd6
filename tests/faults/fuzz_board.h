/* The faults of a draw as functions of one program: what fuzz.sh writes, and fuzz_board.c tries. */
#ifndef FUZZ_BOARD_H
#define FUZZ_BOARD_H

#include "fuzz/voter.h"

typedef struct board_program {
  unsigned number; /* of the draw */
  void (*link)(const fuzz_envelope *envelope, fuzz_answer *answer);
} board_program;

extern const board_program board_programs[];
extern const size_t board_program_count;

/* The memory of the faulty linkers' voters (compiled with -Dmalloc=board_malloc and so on), which may write where they like in it:
 * taken back before each link. */
void *board_malloc(size_t size);
void *board_memory(size_t size); /* ends where there is none */
void board_free(void *memory);

#endif
