/* The CIEs and frames of .debug_frame, one behind the other. */
#ifndef TL_CUBIN_CALL_FRAME_H
#define TL_CUBIN_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* Where what an entry has stands in it: ff ff ff ff, its length, the CIE pointer (all ones: it is a CIE), for a frame the
 * function's address and length. */
enum { TL_FRAME_LENGTH = 4, TL_FRAME_CIE = 12, TL_FRAME_ADDRESS = 20, TL_FRAME_CODE = 28, TL_FRAME_FDE = 36 };

typedef struct tl_call_frame {
  uint64_t offset, size; /* in its section; nvlink reads a length of 32 bits (L1725) */
  bool cie;
  bool ends; /* no CIE, and with all its length it ends behind the section */
} tl_call_frame;

typedef enum tl_call_frame_kind {
  TL_FRAME_WHOLE,
  TL_FRAME_LAST, /* it reaches behind the section */
  TL_FRAME_NONE  /* the end, or no frame */
} tl_call_frame_kind;

/* The one at *position, which moves behind a whole one. */
tl_call_frame_kind tl_call_frame_next(const uint8_t *bytes, uint64_t size, uint64_t *position, tl_call_frame *frame);

#endif
