/* RF1263: instructions that are made of their record, as RF1220's are, by rows that were measured: each bit of a record was changed, and those of the SASS
 * instruction that followed are a field; those that never do, and are alike in all of a kind, are always so. What follows from several bits of the
 * record is known of records that compilers write (RF1237). A record may make several instructions, such as a fence. Times are not in a record. */
#include "bits.h"
#include "capsule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  WORD = 8,
  LEAST_RECORD = 4,
  OF_FILLER = 2,
  FIELDS = 16,
  LONGEST_RECORD = 64,
  TIMES = 105 - 64
};

static const uint64_t times = UINT64_MAX << TIMES; /* the bits of the upper word that say when it is done */

/* Bits of the instruction, of the record, how many, and 1 where they are the other way round. */
typedef struct ref_whole_field {
  uint8_t sass, record, width, inverted;
} ref_whole_field;

/* `count`: instructions of the record, of which this is number `part`. */
typedef struct ref_whole {
  uint8_t record[LEAST_RECORD];
  uint8_t count, part;
  uint64_t low, low_value, high,
      high_value; /* the bits that are always so, and what they are; the others are fields or the rest's (RF1237) */
  ref_whole_field fields[FIELDS];
} ref_whole;

/* clang-format off */
static const ref_whole wholes[] = {
    {{0x01, 0x10, 0x06, 0x0a}, 1, 0, 0xffffffffff000fff, 0x81c, 0x1fffc7100f8, 0x700070, {{12, 35, 3, 0}, {15, 32, 1, 0}, {77, 123, 3, 0}, {81, 91, 3, 0}, {87, 107, 3, 0}}},
    {{0x01, 0x11, 0x00, 0x0a}, 4, 0, 0xffffffffffff0fff, 0x992, 0x1ffffffffff, 0x5000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x11, 0x00, 0x0a}, 4, 1, 0xffffffffffff0fff, 0x9ab, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x11, 0x00, 0x0a}, 4, 2, 0xffffffffffff0fff, 0x5ab, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x11, 0x00, 0x0a}, 4, 3, 0xffffffffffff0fff, 0x94d, 0x1fff87fffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}, {87, 91, 3, 0}, {90, 48, 1, 0}}},
    {{0x01, 0x23, 0x40, 0x0a}, 1, 0, 0xfffff03fffff0fff, 0x80000000091a, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x29, 0x00, 0x04}, 1, 0, 0xffffff0000000fff, 0x212, 0x1fffff100ff, 0x78000ff, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 86, 8, 0}, {24, 102, 8, 0}, {32, 118, 8, 0}, {81, 75, 3, 0}}},
    {{0x01, 0x2b, 0x00, 0x0a}, 1, 0, 0xffffff00ff000fff, 0xff000212, 0x1fffff100ff, 0x78000ff, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 102, 8, 0}, {32, 118, 8, 0}, {72, 53, 1, 1}, {73, 53, 1, 1}, {74, 53, 1, 0}, {75, 53, 1, 0}, {76, 53, 1, 1}, {77, 53, 1, 1}, {78, 53, 1, 0}, {79, 53, 1, 0}, {81, 91, 3, 0}}},
    {{0x01, 0x47, 0x5a, 0x16}, 1, 0, 0xfc0003ffffff0fff, 0xb1d, 0x1ffffffffff, 0x10000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {42, 112, 12, 0}, {54, 88, 4, 0}}},
    {{0x01, 0x47, 0x6c, 0x0a}, 1, 0, 0xffffffffffff0fff, 0x918, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x04, 0x0a}, 7, 0, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x04, 0x0a}, 7, 1, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x04, 0x0a}, 7, 2, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x04, 0x0a}, 7, 3, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x04, 0x0a}, 7, 4, 0xffffffffffff0fff, 0x992, 0x1ffffffffff, 0x8000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x04, 0x0a}, 7, 5, 0xffffffffffff0fff, 0x992, 0x1ffffffffff, 0xa000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x04, 0x0a}, 7, 6, 0xffffffffffff0fff, 0x3c6, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 1, 0, 0xffffffffffff0fff, 0x992, 0x1ffffff7fff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 0, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 1, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 2, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 3, 0xffffffffffffffff, 0xfffff984, 0x1ffffffffff, 0x800, {{0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 4, 0xffffffffffff0fff, 0x992, 0x1ffffffffff, 0x8000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 5, 0xffffffffffff0fff, 0x992, 0x1ffffff6fff, 0x2000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {79, 48, 1, 0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 6, 0xffffffffffff0fff, 0x9ab, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 7, 0xffffffffffff0fff, 0x5ab, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x10, 0x0a}, 9, 8, 0xffffffffffff0fff, 0xff00098f, 0x1ffffffffff, 0x2000000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x16, 0x0a}, 4, 0, 0xffffffffffff0fff, 0x992, 0x1ffffffffff, 0x8000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x16, 0x0a}, 4, 1, 0xffffffffffff0fff, 0x992, 0x1ffffffffff, 0xa000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x16, 0x0a}, 4, 2, 0xffffffffffff0fff, 0x9ab, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x01, 0x49, 0x16, 0x0a}, 4, 3, 0xffffffffffff0fff, 0x5ab, 0x1ffffffffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x02, 0x29, 0x04, 0x06}, 1, 0, 0xfff, 0x812, 0x1fffff100ff, 0x78000ff, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 102, 8, 0}, {24, 118, 8, 0}, {32, 224, 32, 0}, {72, 53, 1, 0}, {73, 53, 1, 0}, {74, 53, 1, 1}, {75, 53, 1, 1}, {76, 53, 1, 1}, {77, 53, 1, 1}, {78, 53, 1, 0}, {79, 53, 1, 0}, {81, 91, 3, 0}}},
    {{0x02, 0x3a, 0x00, 0x26}, 1, 0, 0x7ff00ff00000fff, 0xff000000000f99, 0x1ffff8110ff, 0x8000000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 118, 8, 0}, {24, 142, 8, 0}, {40, 158, 8, 0}, {60, 57, 1, 0}, {72, 50, 1, 0}, {75, 61, 1, 0}, {78, 71, 1, 0}, {81, 107, 3, 0}, {84, 63, 1, 0}}},
    {{0x02, 0x3d, 0x02, 0x26}, 1, 0, 0x7ff000000ff0fff, 0xff000000000f9d, 0x1ffff8f10ff, 0x8000000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {24, 102, 8, 0}, {32, 118, 8, 0}, {40, 142, 8, 0}, {60, 57, 1, 0}, {72, 50, 1, 0}, {75, 61, 1, 0}, {78, 71, 1, 0}, {84, 63, 1, 0}}},
    {{0x02, 0x3e, 0x00, 0x14}, 1, 0, 0x14ff000000000fff, 0xff000000000f60, 0x1fffc703000, 0x8100000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 118, 8, 0}, {24, 142, 8, 0}, {32, 158, 8, 0}, {40, 174, 8, 0}, {57, 60, 1, 0}, {61, 51, 1, 0}, {64, 102, 8, 0}, {72, 192, 1, 0}, {74, 194, 2, 0}, {80, 56, 1, 0}, {81, 91, 3, 0}, {87, 49, 1, 0}}},
    {{0x02, 0x3f, 0x00, 0x26}, 1, 0, 0x1cff000000000fff, 0xff000000000f66, 0x1fffe700000, 0x8100000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 142, 8, 0}, {24, 158, 8, 0}, {32, 174, 8, 0}, {40, 190, 8, 0}, {57, 64, 1, 0}, {64, 118, 8, 0}, {74, 210, 2, 0}, {78, 60, 1, 0}, {80, 56, 1, 0}, {81, 107, 3, 0}}},
    {{0x02, 0x4b, 0x1a, 0x06}, 3, 0, 0xffffffff00ff0fff, 0x80348, 0x1ffffffffff, 0x3c00000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {24, 174, 8, 0}}},
    {{0x02, 0x4b, 0x1a, 0x06}, 3, 1, 0xf3ffff0000000fff, 0x389, 0x1fffff1ff00, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 102, 8, 0}, {24, 118, 8, 0}, {32, 142, 8, 0}, {58, 48, 2, 0}, {64, 158, 8, 0}, {81, 91, 3, 0}}},
    {{0x02, 0x4b, 0x1a, 0x06}, 3, 2, 0xffffffffffff0fff, 0x91b, 0x1ffffffffff, 0x3800000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x02, 0x4c, 0x0e, 0x06}, 3, 0, 0xffffffff00ff0fff, 0x80348, 0x1ffffffffff, 0x3c00000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {24, 142, 8, 0}}},
    {{0x02, 0x4c, 0x0e, 0x06}, 3, 1, 0xffffffffff000fff, 0x806, 0x1fff871feff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 86, 8, 0}, {72, 48, 1, 0}, {81, 107, 3, 0}, {87, 123, 3, 0}, {90, 55, 1, 0}}},
    {{0x02, 0x4c, 0x0e, 0x06}, 3, 2, 0xffffffffffff0fff, 0x91b, 0x1ffffffffff, 0x3800000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
    {{0x02, 0x4e, 0x08, 0x06}, 1, 0, 0xfff, 0x38b, 0x1fffef1f100, 0x900100, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 102, 8, 0}, {24, 118, 8, 0}, {32, 158, 8, 0}, {40, 224, 24, 0}, {64, 174, 8, 0}, {75, 55, 1, 0}, {81, 91, 3, 0}, {88, 50, 1, 0}}},
    {{0x02, 0x4e, 0x20, 0x32}, 1, 0, 0x8000000000000fff, 0x80000000000009a2, 0x1fffc710300, 0xc100300, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 118, 8, 0}, {24, 142, 8, 0}, {32, 190, 8, 0}, {40, 224, 23, 0}, {64, 174, 8, 0}, {76, 54, 1, 0}, {81, 107, 3, 0}}},
    {{0x02, 0x4e, 0x52, 0x32}, 1, 0, 0x8000000000000fff, 0x80000000000009a8, 0x1fff8711100, 0x8101100, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 118, 8, 0}, {24, 142, 8, 0}, {32, 190, 8, 0}, {40, 224, 23, 0}, {64, 174, 8, 0}, {75, 60, 1, 0}, {81, 107, 3, 0}}},
    {{0x02, 0x4e, 0x7e, 0x06}, 1, 0, 0xff0fff, 0x58d, 0x1fffef1f100, 0x800000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {24, 102, 8, 0}, {32, 142, 8, 0}, {40, 224, 24, 0}, {64, 158, 8, 0}, {75, 59, 1, 0}, {81, 91, 3, 0}, {88, 54, 1, 0}}},
    {{0x02, 0x64, 0x08, 0x06}, 4, 0, 0xffffffff00ff0fff, 0xc0348, 0x1ffffffffff, 0x3c00000, {{12, 35, 3, 0}, {15, 32, 1, 0}, {24, 142, 8, 0}}},
    {{0x02, 0x64, 0x08, 0x06}, 4, 1, 0xffffffffffff0fff, 0x4f082f, 0x1fff871ffff, 0x0, {{12, 35, 3, 0}, {15, 32, 1, 0}, {81, 91, 3, 0}, {87, 123, 3, 0}, {90, 52, 1, 0}}},
    {{0x02, 0x64, 0x08, 0x06}, 4, 2, 0xffffffffff000fff, 0x4f00000c02, 0x1ffffffffff, 0x8000f00, {{12, 35, 3, 0}, {15, 32, 1, 0}, {16, 102, 8, 0}}},
    {{0x02, 0x64, 0x08, 0x06}, 4, 3, 0xffffffffffff0fff, 0x91b, 0x1ffffffffff, 0x3800000, {{12, 35, 3, 0}, {15, 32, 1, 0}}},
};
/* clang-format on */

/* Is the record, but for its fields, one that compilers write? What others make is not known. */
static bool ref_wholes_is_known(const ref_whole *row, const uint8_t *record, size_t size, ref_rest_bits *bits) {
  uint8_t rest[LONGEST_RECORD];
  if (size > sizeof rest) {
    return false;
  }
  memcpy(rest, record, size);
  for (size_t i = 0; i < FIELDS && row->fields[i].width != 0; i++) {
    ref_bits_put(rest, row->fields[i].record, row->fields[i].width, 0);
  }
  return ref_rests_find(rest, size, row->count, row->part, bits);
}

/* The rows are in the order of their records, of the numbers of instructions and of the parts. */
static const ref_whole *ref_wholes_find(const uint8_t *record, uint64_t count, uint64_t part) {
  size_t first = 0, behind = sizeof wholes / sizeof *wholes;
  while (first < behind) {
    const size_t middle = (first + behind) / 2;
    const ref_whole *row = &wholes[middle];
    const int order = memcmp(row->record, record, LEAST_RECORD);
    if (order == 0 && row->count == count && row->part == part) {
      return row;
    }
    const bool is_before = order != 0 ? order < 0 : row->count != count ? row->count < count : row->part < part;
    *(is_before ? &first : &behind) = is_before ? middle + 1 : middle;
  }
  return NULL;
}

/* What fills a text: a branch to itself, and what is never reached. One alone stands between others, to wait; DEPBAR waits, too. */
static void ref_wholes_write_filler(uint64_t count, uint64_t part, uint8_t *instruction) {
  enum { OPCODE_WIDTH = 12, DEPBAR = 0x91a };
  if (count == 1 && ref_bits_get(instruction, 0, OPCODE_WIDTH) == DEPBAR) {
    return;
  }
  if (count == 1) {
    ref_put_u64(instruction, 0x7918);
    ref_put_u64(instruction + WORD, ref_u64(instruction + WORD) & times);
  } else {
    ref_put_u64(instruction, part == 0 ? 0xfffffffc00fc7947 : 0x7918);
    ref_put_u64(instruction + WORD, part == 0 ? 0x000fc0000383ffff : 0x000fc00000000000);
  }
}

bool ref_wholes_write(const uint8_t *record, size_t size, uint64_t count, uint64_t part, uint8_t *instruction) {
  if (size == OF_FILLER) {
    ref_wholes_write_filler(count, part, instruction);
    return true;
  }
  const bool is_whole = size >= INSTRUCTION && size == (size_t)(record[0] & 0x0f) * INSTRUCTION;
  const ref_whole *row = is_whole ? ref_wholes_find(record, count, part) : NULL;
  ref_rest_bits bits = {0};
  if (row == NULL || !ref_wholes_is_known(row, record, size, &bits)) {
    return false;
  }
  ref_put_u64(instruction, row->low_value | bits.low);
  ref_put_u64(instruction + WORD, (ref_u64(instruction + WORD) & times) | row->high_value | bits.high);
  for (size_t i = 0; i < FIELDS && row->fields[i].width != 0; i++) {
    const ref_whole_field *field = &row->fields[i];
    const unsigned value = ref_bits_get(record, field->record, field->width);
    ref_bits_put(instruction, field->sass, field->width, field->inverted != 0 ? ~value : value);
  }
  return true;
}
