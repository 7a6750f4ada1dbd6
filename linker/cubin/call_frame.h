/* The CIEs and frames of .debug_frame, one behind the other. */
#ifndef TL_CUBIN_CALL_FRAME_H
#define TL_CUBIN_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* Where what an entry has stands in it: ff ff ff ff, its length, the CIE pointer (all ones: it is a CIE), for a frame the
 * function's address and length. */
enum { TL_FRAME_LENGTH = 4, TL_FRAME_CIE = 12, TL_FRAME_ADDRESS = 20, TL_FRAME_CODE = 28, TL_FRAME_FDE = 36 };

typedef struct tl_call_frame {
  uint64_t offset, size; /* in its section */
  bool cie;
} tl_call_frame;

/* The one at *position, which moves behind it. False at the end and at anything that is no frame. */
bool tl_call_frame_next(const uint8_t *bytes, uint64_t size, uint64_t *position, tl_call_frame *frame);

#endif
