/* The places of a text's instructions in both views (L127). */
#ifndef TL_CUBIN_CODE_H
#define TL_CUBIN_CODE_H

#include "cubin/cubin.h"

enum { TL_CODE_INSTRUCTION = 16 };

typedef struct tl_code_place {
  uint64_t mercury; /* in the decoded code */
  uint64_t sass;
  uint64_t record; /* in the capsule, 0: none */
  uint32_t count;  /* SASS instructions made of it */
  bool code;       /* no NOPs of the finalizer's, nor the end of the code */
  bool derived;    /* from the SASS instruction: it has no record */
  bool waits;      /* a DEPBAR of the finalizer's: no code, but rows of lines begin there (L1971) */
} tl_code_place;

typedef struct tl_code {
  tl_code_place *items; /* ascending; the last is the end of the Mercury code */
  size_t count, room;
  uint64_t mercury_size; /* of the decoded code */
} tl_code;

/* Reads a capsule's body beside its SASS text into *code, whose room is used again. False where the records do not make
 * the whole text, are no records, or the text is of SHT_NOBITS (sass is NULL). */
bool tl_code_read(tl_code *code, const uint8_t *bytes, uint64_t size, const uint8_t *sass, uint64_t sass_size,
                  tl_arena *arena);
/* Whether a Mercury instruction can be derived from a SASS instruction of this opcode (L621). */
bool tl_code_is_instruction(const uint8_t *sass, uint32_t sm);
/* The instruction that a place in the decoded code lies in, NULL behind the code. It is one of the code: what makes none has
 * no place there. */
const tl_code_place *tl_code_find(const tl_code *code, uint64_t mercury);
/* The first instruction of a body at a decoded place, cut to whole instructions, or behind it, NOPs left out: 0 where only the
 * end of the code is there, the text's size for a place behind the code (L780). */
uint64_t tl_code_translate(const tl_code *map, uint64_t at, uint64_t text_size);
/* The opcode of the first SASS instruction made of it; 0, which is none, behind the text. */
uint16_t tl_code_opcode(const tl_code_place *place, const tl_cubin_section *sass);
/* An addend that is a place in the code, cut to whole instructions towards 0, as nvlink looks it up (L1134). */
uint64_t tl_code_whole(uint64_t addend);
/* Whether Mercury's type of an entry is half a place in the code: of a return address, say. */
bool tl_code_is_half_place(uint32_t type);
/* Whether Mercury's type of an entry of code is one whose symbol nvlink looks up the place of (L1133). */
bool tl_code_needs_place(uint32_t type);

#endif
