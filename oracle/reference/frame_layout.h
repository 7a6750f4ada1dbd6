/* Where what an entry of `.debug_frame` has stands in it: a common entry and a function's frame are 64-bit DWARF throughout. */
#ifndef REF_FRAME_LAYOUT_H
#define REF_FRAME_LAYOUT_H

enum {
  REF_FRAME_WIDE = 0xffffffff, /* the first word */
  REF_FRAME_LENGTH_AT = 4,
  REF_FRAME_HEAD = 12, /* bytes that the length does not count */
  REF_FRAME_POINTER_AT = 12,
  REF_FRAME_ADDRESS_AT = 20,
  REF_FRAME_RANGE_AT = 28,
  REF_FRAME_ROWS_AT = 36,
  REF_FRAME_BARE = 40 /* a frame without rows */
};

#endif
