/* How long a derived instruction of a capsule is when decoded (RF141, RF247, RF291, RF1320). Mercury has a form of 16 bytes for instructions with few
 * operands and one of 32 for all others; which one it takes can be told from the SASS instruction. Opcodes that have the
 * short form are listed; all others have the long one. Uniform forms (0xc.., 0xd..) are as those of registers (0x2.., 0x3..). */
#include "capsule.h"

enum { SHORT = 16, LONG = 32, OPCODE_BITS = 0xfff, WORD = 8, ZERO_REGISTER = 0xff, TABLE_BYTE = 9 };

/* What the short form of an opcode has no room for. */
enum {
  THIRD = 1,      /* a third source register */
  CARRY = 2,      /* .X */
  PREDICATES = 4, /* a predicate to combine with, a second result */
  NO_KIND = 8,    /* of a convergence barrier */
  HIGH = 16,      /* .HI */
  TRUTH = 32,     /* a table of truth that is not one of the first two words */
  EXTENDED = 64   /* .EX of whole numbers; RF1364: of floats the bit negates the first operand */
};

typedef struct ref_length_row {
  uint16_t opcode;
  unsigned without;
} ref_length_row;

static const uint16_t ref_lengths_always_short[] = {
    0x202, 0x207, 0x208, 0x209, 0x20a, 0x20f, 0x213, 0x216, 0x219, 0x21a, 0x220, 0x221, 0x226, 0x228, 0x229, 0x230,
    0x232, 0x236, 0x238, 0x23a, 0x23e, 0x240, 0x245, 0x246, 0x248, 0x287, 0x299, 0x2a4, 0x2bd, 0x2bf, 0x2ca, 0x300,
    0x301, 0x302, 0x304, 0x305, 0x306, 0x307, 0x308, 0x309, 0x310, 0x311, 0x312, 0x313, 0x3a1, 0x3c4, 0x802, 0x806,
    0x882, 0x886, 0x906, 0x908, 0x918, 0x941, 0x942, 0x946, 0x94d, 0x95c, 0x95d, 0x9af, 0xc02, 0xc07, 0xc08, 0xc09,
    0xc0f, 0xc13, 0xc16, 0xc19, 0xc20, 0xc21, 0xc24, 0xc26, 0xc28, 0xc30, 0xc32, 0xc36, 0xc45, 0xc46, 0xc48, 0xc82,
    0xd00, 0xd02, 0xd04, 0xd05, 0xd06, 0xd07, 0xd08, 0xd09, 0xd10, 0xd11, 0xd12, 0xd13, 0xe19, 0xe21, 0xe29, 0xe46,
};

static const ref_length_row ref_lengths[] = {
    {0x20b, PREDICATES},
    {0x20c, PREDICATES | EXTENDED},
    {0x210, THIRD | CARRY},
    {0x212, TRUTH},
    {0x224, CARRY},
    {0x22a, PREDICATES},
    {0x28c, PREDICATES | EXTENDED},
    {0x290, THIRD | CARRY},
    {0x291, CARRY | HIGH},
    {0x945, NO_KIND},
    {0xc0b, PREDICATES},
    {0xc0c, PREDICATES | EXTENDED},
    {0xc10, THIRD | CARRY},
    {0xc12, TRUTH},
    {0xe24, CARRY},
    {0xe2a, PREDICATES},
};

static unsigned ref_length_needs(const uint8_t *instruction) {
  const uint64_t upper = ref_u64(instruction + WORD);
  const unsigned third = (upper & ZERO_REGISTER) != ZERO_REGISTER ? THIRD : 0;
  const unsigned carry = (upper >> 10 & 1) != 0 ? CARRY : 0;
  const unsigned predicates = (upper >> 20 & 0x7f) != 0x3f ? PREDICATES : 0;
  const unsigned extended = (upper >> 8 & 1) != 0 ? EXTENDED : 0;
  const unsigned kind = (upper >> 8 & 3) == 0 ? NO_KIND : 0, high = (upper >> 16 & 1) != 0 ? HIGH : 0;
  const unsigned truth = ref_unused_is_logic_of_two(instruction[TABLE_BYTE]) ? 0 : TRUTH; /* RF1361 */
  return third | carry | predicates | kind | high | truth | extended;
}

uint64_t ref_capsule_derived_length(const uint8_t *instruction) {
  const uint16_t opcode = ref_u16(instruction) & OPCODE_BITS;
  size_t first = 0, behind = sizeof ref_lengths_always_short / sizeof *ref_lengths_always_short; /* in their order */
  while (first + 1 < behind) {
    const size_t middle = (first + behind) / 2;
    *(ref_lengths_always_short[middle] <= opcode ? &first : &behind) = middle;
  }
  if (ref_lengths_always_short[first] == opcode) {
    return SHORT;
  }
  for (size_t i = 0; i < sizeof ref_lengths / sizeof *ref_lengths; i++) {
    if (ref_lengths[i].opcode == opcode) {
      return (ref_lengths[i].without & ref_length_needs(instruction)) == 0 ? SHORT : LONG;
    }
  }
  return LONG;
}
