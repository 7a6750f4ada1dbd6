/* The SASS side's call frames, written anew from Mercury's at the places of a SASS text (M24, L492, L1120, L1504). */
#ifndef TL_CUBIN_FRAME_WRITER_H
#define TL_CUBIN_FRAME_WRITER_H

#include "base/vector.h"
#include "cubin/code.h"

/* A frame of Mercury's that the SASS side has, and its CIE. */
typedef struct tl_frame_pair {
  uint64_t place;  /* in Mercury's section */
  uint64_t cie_at; /* and its CIE's */
  const uint8_t *frame, *cie;
  uint64_t size, cie_size;
  uint64_t behind; /* how many bytes may be read behind it */
  uint32_t symbol;
  uint64_t start;                 /* of its function, in the decoded code */
  bool nobody;                    /* it is no function's (L1304) */
  bool stays;                     /* its function's frames are not translated */
  const tl_code *map;             /* of its function's text; NULL where that is not known */
  const uint8_t *text;            /* that's bytes */
  uint64_t sass_start, code_size; /* of its function there */
  /* The writer's own. */
  uint32_t next;   /* of the same function: the next body's frame, TL_NONE */
  uint32_t newest; /* and the last one's */
  bool bare;       /* it is not translated */
} tl_frame_pair;
typedef TL_VECTOR(tl_frame_pair) tl_frame_pairs;

/* Where a frame or a CIE of Mercury's section went. */
typedef struct tl_frame_moved {
  uint64_t from, to, size; /* size: in Mercury's section */
  uint64_t cie_place;      /* on the SASS side */
  bool cie;
} tl_frame_moved;
typedef TL_VECTOR(tl_frame_moved) tl_frames_moved;

typedef struct tl_frame_output {
  uint8_t *bytes;
  uint64_t size;
} tl_frame_output;

/* Writes them in their order and lists in `moved` where they went, ascending by `from`. NULL, or what was not understood. */
const char *tl_frames_write(tl_frame_pairs *pairs, tl_arena *arena, tl_frame_output *out, tl_frames_moved *moved);
/* The frame or CIE that a place in Mercury's section lies in; NULL. */
const tl_frame_moved *tl_frames_find(const tl_frames_moved *moved, uint64_t offset);
/* Whether an entry stands at a word that nvlink knows: of a frame, or an address in an expression of a CIE. `section` is
 * Mercury's. */
bool tl_frames_is_word(const tl_frame_moved *found, const uint8_t *section, uint64_t offset);
/* Length of a DWARF call frame instruction of those that ptxas writes, 0 for others. */
uint64_t tl_frame_instruction_size(const uint8_t *bytes, uint64_t left);

#endif
