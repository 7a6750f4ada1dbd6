/* Reads .debug_frame as compilers for CUDA write it: 64-bit DWARF throughout (M24). */
#include "cubin/call_frame.h"

#include "base/bytes.h"

enum { LEAST = 20 }; /* up to the CIE pointer */

tl_call_frame_kind tl_call_frame_next(const uint8_t *bytes, uint64_t size, uint64_t *position, tl_call_frame *frame) {
  const uint64_t at = *position;
  if (at >= size || size - at < LEAST || tl_get32(bytes + at) != UINT32_MAX)
    return TL_FRAME_NONE;
  const uint64_t left = size - at - TL_FRAME_CIE;
  const uint64_t length = tl_get32(bytes + at + TL_FRAME_LENGTH), whole = tl_get64(bytes + at + TL_FRAME_LENGTH);
  const bool cie = tl_get32(bytes + at + TL_FRAME_CIE) == UINT32_MAX;
  *frame = (tl_call_frame){at, length + TL_FRAME_CIE, cie, !cie && whole > left};
  if (length > left)
    return TL_FRAME_LAST;
  *position = at + frame->size;
  return cie || frame->size >= TL_FRAME_FDE ? TL_FRAME_WHOLE : TL_FRAME_NONE;
}
