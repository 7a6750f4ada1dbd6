/* How long a derived instruction of a capsule is when decoded (RF141, RF247, RF291, RF1320). Mercury has a form of 16 bytes for instructions with few
 * operands and one of 32 for all others; which one it takes can be told from the SASS instruction. Opcodes that have the
 * short form are listed; all others have the long one. Uniform forms (0xc.., 0xd..) are as those of registers (0x2.., 0x3..). */
#include "capsule.h"

enum { SHORT = 16, LONG = 32, OPCODE_BITS = 0xfff, WORD = 8, ZERO_REGISTER = 0xff, TABLE_BYTE = 9 };

/* What the short form of an opcode has no room for, if it has one. */
enum {
  THIRD = 1,      /* a third source register */
  CARRY = 2,      /* .X */
  PREDICATES = 4, /* a predicate to combine with, a second result */
  NO_KIND = 8,    /* of a convergence barrier */
  HIGH = 16,      /* .HI */
  TRUTH = 32,     /* a table of truth that is not one of the first two words */
  EXTENDED = 64,  /* .EX of whole numbers; RF1364: of floats the bit negates the first operand */
  LISTED = 128    /* it has one */
};

/* By opcode. */
static const uint8_t ref_lengths[OPCODE_BITS + 1] = {
    [0x202] = LISTED,
    [0x207] = LISTED,
    [0x208] = LISTED,
    [0x209] = LISTED,
    [0x20a] = LISTED,
    [0x20b] = LISTED | PREDICATES,
    [0x20c] = LISTED | PREDICATES | EXTENDED,
    [0x20f] = LISTED,
    [0x210] = LISTED | THIRD | CARRY,
    [0x212] = LISTED | TRUTH,
    [0x213] = LISTED,
    [0x216] = LISTED,
    [0x219] = LISTED,
    [0x21a] = LISTED,
    [0x220] = LISTED,
    [0x221] = LISTED,
    [0x224] = LISTED | CARRY,
    [0x226] = LISTED,
    [0x228] = LISTED,
    [0x229] = LISTED,
    [0x22a] = LISTED | PREDICATES,
    [0x230] = LISTED,
    [0x232] = LISTED,
    [0x236] = LISTED,
    [0x238] = LISTED,
    [0x23a] = LISTED,
    [0x23e] = LISTED,
    [0x240] = LISTED,
    [0x245] = LISTED,
    [0x246] = LISTED,
    [0x248] = LISTED,
    [0x287] = LISTED,
    [0x28c] = LISTED | PREDICATES | EXTENDED,
    [0x290] = LISTED | THIRD | CARRY,
    [0x291] = LISTED | CARRY | HIGH,
    [0x299] = LISTED,
    [0x2a4] = LISTED,
    [0x2bd] = LISTED,
    [0x2bf] = LISTED,
    [0x2ca] = LISTED,
    [0x300] = LISTED,
    [0x301] = LISTED,
    [0x302] = LISTED,
    [0x304] = LISTED,
    [0x305] = LISTED,
    [0x306] = LISTED,
    [0x307] = LISTED,
    [0x308] = LISTED,
    [0x309] = LISTED,
    [0x310] = LISTED,
    [0x311] = LISTED,
    [0x312] = LISTED,
    [0x313] = LISTED,
    [0x3a1] = LISTED,
    [0x3c4] = LISTED,
    [0x802] = LISTED,
    [0x806] = LISTED,
    [0x882] = LISTED,
    [0x886] = LISTED,
    [0x906] = LISTED,
    [0x908] = LISTED,
    [0x918] = LISTED,
    [0x941] = LISTED,
    [0x942] = LISTED,
    [0x945] = LISTED | NO_KIND,
    [0x946] = LISTED,
    [0x94d] = LISTED,
    [0x95c] = LISTED,
    [0x95d] = LISTED,
    [0x9af] = LISTED,
    [0xc02] = LISTED,
    [0xc07] = LISTED,
    [0xc08] = LISTED,
    [0xc09] = LISTED,
    [0xc0b] = LISTED | PREDICATES,
    [0xc0c] = LISTED | PREDICATES | EXTENDED,
    [0xc0f] = LISTED,
    [0xc10] = LISTED | THIRD | CARRY,
    [0xc12] = LISTED | TRUTH,
    [0xc13] = LISTED,
    [0xc16] = LISTED,
    [0xc19] = LISTED,
    [0xc20] = LISTED,
    [0xc21] = LISTED,
    [0xc24] = LISTED,
    [0xc26] = LISTED,
    [0xc28] = LISTED,
    [0xc30] = LISTED,
    [0xc32] = LISTED,
    [0xc36] = LISTED,
    [0xc45] = LISTED,
    [0xc46] = LISTED,
    [0xc48] = LISTED,
    [0xc82] = LISTED,
    [0xd00] = LISTED,
    [0xd02] = LISTED,
    [0xd04] = LISTED,
    [0xd05] = LISTED,
    [0xd06] = LISTED,
    [0xd07] = LISTED,
    [0xd08] = LISTED,
    [0xd09] = LISTED,
    [0xd10] = LISTED,
    [0xd11] = LISTED,
    [0xd12] = LISTED,
    [0xd13] = LISTED,
    [0xe19] = LISTED,
    [0xe21] = LISTED,
    [0xe24] = LISTED | CARRY,
    [0xe29] = LISTED,
    [0xe2a] = LISTED | PREDICATES,
    [0xe46] = LISTED,
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
  const unsigned row = ref_lengths[ref_u16(instruction) & OPCODE_BITS];
  return row == LISTED || (row != 0 && (row & ref_length_needs(instruction)) == 0) ? SHORT : LONG;
}
