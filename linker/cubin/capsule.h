/* The body of a capsule, .nv.capmerc.text.F (M9): which SASS text it belongs to, and its instructions' records. */
#ifndef TL_CUBIN_CAPSULE_H
#define TL_CUBIN_CAPSULE_H

#include "cubin/cubin.h"

enum { TL_CAPSULE_HEADER = 12 };
#define TL_CAPSULE_KIND 0xc0000000u

typedef struct tl_capsule {
  const uint8_t *bytes;
  uint64_t size;
  uint32_t sass;  /* section index of the SASS text */
  uint32_t kind;  /* TL_CAPSULE_KIND and 1 */
  uint32_t count; /* of Mercury instructions */
  uint64_t first; /* where the records begin */
} tl_capsule;

/* The record of a Mercury instruction that is not derived from the SASS text. */
typedef struct tl_capsule_record {
  uint64_t offset, size; /* in the capsule */
} tl_capsule_record;

/* What one bit of the mask stands for (L127): a Mercury instruction, or with `units` 0 and not derived NOPs that the
 * finalizer put in, such as those that fill the end of a text. */
typedef struct tl_capsule_item {
  uint32_t count; /* SASS instructions made of it */
  uint32_t units; /* of 16 bytes when decoded; 0 also where that does not show */
  bool derived;   /* from the SASS text: it has no record */
} tl_capsule_item;

typedef struct tl_capsule_cursor {
  uint32_t index;           /* of the mask's bit */
  uint64_t offset;          /* of the next record, 0 at first */
  tl_capsule_record record; /* the last item's own, size 0 where it has none */
} tl_capsule_cursor;

/* Of a section that tl_mercury_check let pass: its header is whole, and its records make the whole text (L493). */
tl_capsule tl_capsule_of(const tl_cubin_section *section);
/* False when the bytes are no capsule. */
bool tl_capsule_read(tl_capsule *capsule, const uint8_t *bytes, uint64_t size);
/* The next record, starting with *offset 0; false behind the last, or where a record runs past the end. Records go on to
 * the end of the capsule, behind those of the `count` instructions that the mask is about (L123). */
bool tl_capsule_next(const tl_capsule *capsule, uint64_t *offset, tl_capsule_record *record);
/* The next item, with a cursor of zeros at first; false behind the last, or where its record is not whole. */
bool tl_capsule_next_item(const tl_capsule *capsule, tl_capsule_cursor *cursor, tl_capsule_item *item);

#endif
