/* How long a derived instruction of a capsule is when decoded (RF141, RF247, RF291). Mercury has a form of 16 bytes for instructions with few
 * operands and one of 32 for all others; which one it takes can be told from the SASS instruction. One row an opcode that has the
 * short form; all others have the long one. Uniform forms (0xc.., 0xd..) are as those of registers (0x2.., 0x3..). */
#include "capsule.h"

enum { SHORT = 16, LONG = 32, OPCODE_BITS = 0xfff, WORD = 8, ZERO_REGISTER = 0xff };

/* Where the short form has no room. */
typedef enum ref_length_need {
  REF_ALWAYS_SHORT,
  REF_WITHOUT_THIRD = 1,      /* no third source register */
  REF_WITHOUT_CARRY = 2,      /* .X */
  REF_WITHOUT_PREDICATES = 4, /* neither .EX nor a predicate to combine with nor a second result */
  REF_WITH_KIND = 8,          /* of a convergence barrier */
  REF_WITHOUT_HIGH = 16       /* .HI */
} ref_length_need;

typedef struct ref_length_row {
  uint16_t opcode;
  unsigned needs;
} ref_length_row;

static const ref_length_row ref_lengths[] = {
    {0x202, REF_ALWAYS_SHORT},
    {0x207, REF_ALWAYS_SHORT},
    {0x208, REF_ALWAYS_SHORT},
    {0x209, REF_ALWAYS_SHORT},
    {0x20a, REF_ALWAYS_SHORT},
    {0x20b, REF_WITHOUT_PREDICATES},
    {0x20c, REF_WITHOUT_PREDICATES},
    {0x20f, REF_ALWAYS_SHORT},
    {0x210, REF_WITHOUT_THIRD | REF_WITHOUT_CARRY},
    {0x212, REF_WITHOUT_THIRD},
    {0x213, REF_ALWAYS_SHORT},
    {0x216, REF_ALWAYS_SHORT},
    {0x219, REF_ALWAYS_SHORT},
    {0x21a, REF_ALWAYS_SHORT},
    {0x220, REF_ALWAYS_SHORT},
    {0x221, REF_ALWAYS_SHORT},
    {0x224, REF_WITHOUT_CARRY},
    {0x226, REF_ALWAYS_SHORT},
    {0x228, REF_ALWAYS_SHORT},
    {0x229, REF_ALWAYS_SHORT},
    {0x22a, REF_WITHOUT_PREDICATES},
    {0x230, REF_ALWAYS_SHORT},
    {0x232, REF_ALWAYS_SHORT},
    {0x236, REF_ALWAYS_SHORT},
    {0x238, REF_ALWAYS_SHORT},
    {0x23a, REF_ALWAYS_SHORT},
    {0x23e, REF_ALWAYS_SHORT},
    {0x240, REF_ALWAYS_SHORT},
    {0x245, REF_ALWAYS_SHORT},
    {0x246, REF_ALWAYS_SHORT},
    {0x248, REF_ALWAYS_SHORT},
    {0x287, REF_ALWAYS_SHORT},
    {0x28c, REF_WITHOUT_PREDICATES},
    {0x290, REF_WITHOUT_THIRD | REF_WITHOUT_CARRY},
    {0x291, REF_WITHOUT_CARRY | REF_WITHOUT_HIGH},
    {0x299, REF_ALWAYS_SHORT},
    {0x2a4, REF_ALWAYS_SHORT},
    {0x2bd, REF_ALWAYS_SHORT},
    {0x2bf, REF_ALWAYS_SHORT},
    {0x2ca, REF_ALWAYS_SHORT},
    {0x300, REF_ALWAYS_SHORT},
    {0x301, REF_ALWAYS_SHORT},
    {0x302, REF_ALWAYS_SHORT},
    {0x304, REF_ALWAYS_SHORT},
    {0x305, REF_ALWAYS_SHORT},
    {0x306, REF_ALWAYS_SHORT},
    {0x307, REF_ALWAYS_SHORT},
    {0x308, REF_ALWAYS_SHORT},
    {0x309, REF_ALWAYS_SHORT},
    {0x310, REF_ALWAYS_SHORT},
    {0x311, REF_ALWAYS_SHORT},
    {0x312, REF_ALWAYS_SHORT},
    {0x313, REF_ALWAYS_SHORT},
    {0x3a1, REF_ALWAYS_SHORT},
    {0x3c4, REF_ALWAYS_SHORT},
    {0x802, REF_ALWAYS_SHORT},
    {0x806, REF_ALWAYS_SHORT},
    {0x882, REF_ALWAYS_SHORT},
    {0x886, REF_ALWAYS_SHORT},
    {0x908, REF_ALWAYS_SHORT},
    {0x918, REF_ALWAYS_SHORT},
    {0x941, REF_ALWAYS_SHORT},
    {0x942, REF_ALWAYS_SHORT},
    {0x945, REF_WITH_KIND},
    {0x946, REF_ALWAYS_SHORT},
    {0x94d, REF_ALWAYS_SHORT},
    {0x95c, REF_ALWAYS_SHORT},
    {0x95d, REF_ALWAYS_SHORT},
    {0x9af, REF_ALWAYS_SHORT},
    {0xc02, REF_ALWAYS_SHORT},
    {0xc07, REF_ALWAYS_SHORT},
    {0xc08, REF_ALWAYS_SHORT},
    {0xc09, REF_ALWAYS_SHORT},
    {0xc0b, REF_WITHOUT_PREDICATES},
    {0xc0c, REF_WITHOUT_PREDICATES},
    {0xc10, REF_WITHOUT_THIRD | REF_WITHOUT_CARRY},
    {0xc12, REF_WITHOUT_THIRD},
    {0xc13, REF_ALWAYS_SHORT},
    {0xc16, REF_ALWAYS_SHORT},
    {0xc19, REF_ALWAYS_SHORT},
    {0xc20, REF_ALWAYS_SHORT},
    {0xc21, REF_ALWAYS_SHORT},
    {0xc24, REF_ALWAYS_SHORT},
    {0xc28, REF_ALWAYS_SHORT},
    {0xc30, REF_ALWAYS_SHORT},
    {0xc32, REF_ALWAYS_SHORT},
    {0xc36, REF_ALWAYS_SHORT},
    {0xc45, REF_ALWAYS_SHORT},
    {0xc48, REF_ALWAYS_SHORT},
    {0xc82, REF_ALWAYS_SHORT},
    {0xd00, REF_ALWAYS_SHORT},
    {0xd02, REF_ALWAYS_SHORT},
    {0xd04, REF_ALWAYS_SHORT},
    {0xd05, REF_ALWAYS_SHORT},
    {0xd06, REF_ALWAYS_SHORT},
    {0xd07, REF_ALWAYS_SHORT},
    {0xd08, REF_ALWAYS_SHORT},
    {0xd09, REF_ALWAYS_SHORT},
    {0xd10, REF_ALWAYS_SHORT},
    {0xd11, REF_ALWAYS_SHORT},
    {0xd12, REF_ALWAYS_SHORT},
    {0xd13, REF_ALWAYS_SHORT},
    {0xe21, REF_ALWAYS_SHORT},
    {0xe24, REF_WITHOUT_CARRY},
    {0xe29, REF_ALWAYS_SHORT},
    {0xe2a, REF_WITHOUT_PREDICATES},
};

static bool ref_length_is_short(const ref_length_row *row, const uint8_t *instruction) {
  const uint64_t upper = ref_u64(instruction + WORD);
  const bool third = (upper & ZERO_REGISTER) != ZERO_REGISTER;
  const bool carry = (upper >> 10 & 1) != 0;
  const bool predicates = (upper >> 8 & 1) != 0 || (upper >> 20 & 0x7f) != 0x3f;
  const bool kind = (upper >> 8 & 3) != 0, high = (upper >> 16 & 1) != 0;
  return !(third && (row->needs & REF_WITHOUT_THIRD) != 0) && !(carry && (row->needs & REF_WITHOUT_CARRY) != 0) &&
         !(predicates && (row->needs & REF_WITHOUT_PREDICATES) != 0) && (kind || (row->needs & REF_WITH_KIND) == 0) &&
         !(high && (row->needs & REF_WITHOUT_HIGH) != 0);
}

uint64_t ref_capsule_derived_length(const uint8_t *instruction) {
  const uint16_t opcode = ref_u16(instruction) & OPCODE_BITS;
  for (size_t i = 0; i < sizeof ref_lengths / sizeof *ref_lengths; i++) {
    if (ref_lengths[i].opcode == opcode) {
      return ref_length_is_short(&ref_lengths[i], instruction) ? SHORT : LONG;
    }
  }
  return LONG;
}
