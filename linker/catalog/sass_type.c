/* nvlink's finalizer makes every entry of the SASS side from one of Mercury's. Each of Mercury's types has one in its place,
 * whatever it is about; places in the code are written instead, and numbers behind Mercury's last one stay (L1200). */
#include "catalog/sass_type.h"

#include "base/bytes.h"

/* Ranges of Mercury's numbers whose SASS numbers follow one another, too. */
typedef struct sass_range {
  uint8_t first, last, sass;
} sass_range;

static const sass_range sass_ranges[] = {
    {0x01, 0x01, 4},   {0x0b, 0x0b, 6},  {0x0c, 0x0c, 101}, {0x0d, 0x0d, 52}, {0x0e, 0x0e, 73},
    {0x0f, 0x0f, 35},  {0x10, 0x17, 76}, {0x18, 0x1f, 84},  {0x20, 0x27, 92}, {0x32, 0x33, 102},
    {0x34, 0x3b, 104}, {0x3c, 0x3d, 1},  {0x3e, 0x3f, 112},
};

/* Those that differ: in data the halves of an address have none. */
static const sass_range sass_code_ranges[] = {
    {0x02, 0x02, 75}, {0x03, 0x03, 55}, {0x04, 0x04, 59}, {0x05, 0x06, 56}, {0x28, 0x29, 56}};
static const sass_range sass_data_ranges[] = {{0x02, 0x02, 2}, {0x03, 0x03, 1}};

static uint32_t sass_number(const sass_range *ranges, size_t count, uint32_t mercury, uint32_t otherwise) {
  for (size_t i = 0; i < count; i++)
    if (mercury >= TL_R_MERCURY + ranges[i].first && mercury <= TL_R_MERCURY + ranges[i].last)
      return ranges[i].sass + (mercury - TL_R_MERCURY - ranges[i].first);
  return otherwise;
}

static uint32_t sass_common_number(uint32_t mercury) {
  return sass_number(sass_ranges, sizeof sass_ranges / sizeof *sass_ranges, mercury, mercury);
}

/* Fields of their own have the offsets of loads from constants, and relative calls. */
typedef struct sass_field_type {
  uint16_t opcode;
  uint8_t mercury, sass;
} sass_field_type;

static const sass_field_type sass_field_types[] = {{0x343, 0x02, 114}, {0x7ac, 0x03, 115}, {0xb82, 0x04, 66}};

uint32_t tl_sass_type_in_code(uint32_t mercury, uint16_t opcode) {
  for (size_t i = 0; i < sizeof sass_field_types / sizeof *sass_field_types; i++)
    if (sass_field_types[i].opcode == opcode && TL_R_MERCURY + sass_field_types[i].mercury == mercury)
      return sass_field_types[i].sass;
  const size_t count = sizeof sass_code_ranges / sizeof *sass_code_ranges;
  return sass_number(sass_code_ranges, count, mercury, sass_common_number(mercury));
}

uint32_t tl_sass_type_in_data(uint32_t mercury) {
  const size_t count = sizeof sass_data_ranges / sizeof *sass_data_ranges;
  return sass_number(sass_data_ranges, count, mercury, sass_common_number(mercury));
}

/* A byte of the value in the low one of an immediate or of a constant's offset, and all that such a field has room for. */
#define SASS_BYTE(type, start, bits)                                                                                   \
  {TL_R_MERCURY + (type), NULL, TL_RELOC_APPLY, {{start, 8, TL_PART_BYTE, bits}}, TL_TEX_KEEP, TL_R_MERCURY + (type)}
#define SASS_BYTES(start)                                                                                              \
  {SASS_BYTE(0x10, start, 0),  SASS_BYTE(0x11, start, 8),  SASS_BYTE(0x12, start, 16), SASS_BYTE(0x13, start, 24),     \
   SASS_BYTE(0x14, start, 32), SASS_BYTE(0x15, start, 40), SASS_BYTE(0x16, start, 48), SASS_BYTE(0x17, start, 56)}
#define SASS_WORD(type, start, width)                                                                                  \
  {TL_R_MERCURY + (type), NULL, TL_RELOC_APPLY, {{start, width, TL_PART_ALL, 0}}, TL_TEX_KEEP, TL_R_MERCURY + (type)}

enum { SASS_BYTE_TYPES = 8 };

static const tl_relocation_row sass_bytes_of_moves[SASS_BYTE_TYPES] = SASS_BYTES(32);
static const tl_relocation_row sass_bytes_of_loads[SASS_BYTE_TYPES] = SASS_BYTES(38);
static const tl_relocation_row sass_bytes_of_uniform_loads[SASS_BYTE_TYPES] = SASS_BYTES(37);

/* An address of 64 bits ends with the value, and has the register of a move in its lower word (L1306). */
#define SASS_ADDRESS(...) {TL_R_MERCURY + 2, NULL, TL_RELOC_APPLY, {__VA_ARGS__}, TL_TEX_KEEP, TL_R_MERCURY + 2}
static const tl_relocation_row sass_words_of_moves[] = {
    SASS_ADDRESS({32, 32, TL_PART_HIGH, 0}, {16, 8, TL_PART_BYTE, 6}), SASS_WORD(3, 32, 32), SASS_WORD(4, 32, 16)};
static const tl_relocation_row sass_words_of_loads[] = {SASS_ADDRESS({38, 16, TL_PART_HIGH, 0}), SASS_WORD(3, 38, 16),
                                                        SASS_WORD(4, 38, 16)};
static const tl_relocation_row sass_words_of_uniform_loads[] = {SASS_ADDRESS({37, 17, TL_PART_HIGH, 0}),
                                                                SASS_WORD(3, 37, 17), SASS_WORD(4, 37, 16)};

/* Offsets of loads alone, without the bank. */
static const tl_relocation_row sass_offset_of_load = SASS_WORD(4, 38, 16);
static const tl_relocation_row sass_offset_of_uniform_load = SASS_WORD(3, 37, 17);

const tl_relocation_row *tl_sass_row_without_bank(uint32_t type) {
  enum { LOAD = 66, UNIFORM_LOAD = 115 };
  return type == LOAD ? &sass_offset_of_load : type == UNIFORM_LOAD ? &sass_offset_of_uniform_load : NULL;
}

/* Instructions that hold a value, and where. */
typedef struct sass_holder {
  uint16_t opcode;
  const tl_relocation_row *words, *bytes;
} sass_holder;

static const sass_holder sass_holders[] = {{0x802, sass_words_of_moves, sass_bytes_of_moves},
                                           {0x882, sass_words_of_moves, sass_bytes_of_moves},
                                           {0xb82, sass_words_of_loads, sass_bytes_of_loads},
                                           {0x7ac, sass_words_of_uniform_loads, sass_bytes_of_uniform_loads}};

bool tl_sass_row_has_register(const tl_relocation_row *row) {
  return row == &sass_words_of_moves[0];
}

const tl_relocation_row *tl_sass_row_in_code(uint32_t mercury, uint16_t opcode) {
  enum { ADDRESS = 2, HALF = 4, FIRST_BYTE = 0x10 };
  const uint32_t number = mercury - TL_R_MERCURY;
  const bool word = number >= ADDRESS && number <= HALF;
  if (!word && (number < FIRST_BYTE || number >= FIRST_BYTE + SASS_BYTE_TYPES))
    return NULL;
  for (size_t i = 0; i < sizeof sass_holders / sizeof *sass_holders; i++)
    if (sass_holders[i].opcode == opcode)
      return word ? &sass_holders[i].words[number - ADDRESS] : &sass_holders[i].bytes[number - FIRST_BYTE];
  return NULL;
}

/* What an instruction has whose value is a place in the code: a move 0, a load one from another bank, to which is added what else
 * the entries write (L1307). */
#define SASS_LABEL(...) {TL_R_MERCURY, NULL, TL_RELOC_RUNTIME, {__VA_ARGS__}, TL_TEX_KEEP, TL_R_MERCURY}
static const tl_relocation_row sass_label_of_move = SASS_LABEL({32, 32, TL_PART_ZERO, 0});
static const tl_relocation_row sass_label_of_load = SASS_LABEL({38, 16, TL_PART_ALL, 0}, {54, 5, TL_PART_ZERO, 0});
static const tl_relocation_row sass_label_of_uniform_load =
    SASS_LABEL({37, 17, TL_PART_ALL, 0}, {54, 5, TL_PART_ZERO, 0});

const tl_relocation_row *tl_sass_row_of_label(uint16_t opcode) {
  enum { MOVE = 0x802, UNIFORM_MOVE = 0x882, LOAD = 0xb82, UNIFORM_LOAD = 0x7ac };
  switch (opcode) {
  case MOVE:
  case UNIFORM_MOVE:
    return &sass_label_of_move;
  case LOAD:
    return &sass_label_of_load;
  case UNIFORM_LOAD:
    return &sass_label_of_uniform_load;
  default:
    return NULL;
  }
}

static const tl_relocation_row sass_reserved = SASS_WORD(3, 32, 32);

const tl_relocation_row *tl_sass_row_of_reserved(void) {
  return &sass_reserved;
}

bool tl_sass_row_is_label(const tl_relocation_row *row) {
  return row == &sass_label_of_move || row == &sass_label_of_load || row == &sass_label_of_uniform_load;
}
