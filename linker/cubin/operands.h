/* The registers that a SASS instruction writes and reads, as far as they are known (L1676). Private to cubin/. */
#ifndef TL_CUBIN_OPERANDS_H
#define TL_CUBIN_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

/* Registers of each lane and of all lanes together, and conditions of both. */
typedef enum tl_register_file {
  TL_FILE_LANES,
  TL_FILE_UNIFORM,
  TL_FILE_CONDITION,
  TL_FILE_UNIFORM_CONDITION
} tl_register_file;

typedef struct tl_register_range {
  uint8_t file, first, count;
  bool guard; /* the condition that the whole instruction hangs on */
} tl_register_range;

enum { TL_OPERANDS_MOST = 10 };

typedef struct tl_operands {
  tl_register_range writes[TL_OPERANDS_MOST], reads[TL_OPERANDS_MOST];
  uint8_t write_count, read_count;
  bool known; /* none others */
} tl_operands;

void tl_operands_read(tl_operands *operands, const uint8_t *instruction);
/* With more opcodes (L1856). */
void tl_operands_read_more(tl_operands *operands, const uint8_t *instruction);
/* Whether two lists have a register in common; `lanes` looks at those of each lane alone. */
bool tl_operands_meet(const tl_register_range *a, unsigned a_count, const tl_register_range *b, unsigned b_count,
                      bool lanes);

#endif
