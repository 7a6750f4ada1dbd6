/* Reads .debug_frame as compilers for CUDA write it: 64-bit DWARF throughout (M24). */
#include "cubin/call_frame.h"

#include "base/bytes.h"

enum { LEAST = 20 }; /* up to the CIE pointer */

bool tl_call_frame_next(const uint8_t *bytes, uint64_t size, uint64_t *position, tl_call_frame *frame) {
  const uint64_t at = *position;
  if (size - at < LEAST || tl_get32(bytes + at) != UINT32_MAX)
    return false;
  const uint64_t length = tl_get64(bytes + at + TL_FRAME_LENGTH);
  if (length > size - at - TL_FRAME_CIE || length < LEAST - TL_FRAME_CIE)
    return false;
  *frame = (tl_call_frame){at, length + TL_FRAME_CIE, tl_get32(bytes + at + TL_FRAME_CIE) == UINT32_MAX};
  *position = at + frame->size;
  return frame->cie || frame->size >= TL_FRAME_FDE;
}
