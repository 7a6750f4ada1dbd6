/* The linker's patch engine, proved: linker/relocate/patch.c is compiled here a second time, with affine forms instead of
 * integers (affine.h), and for every field of 1 to 128 bits that lies in 128 bits its result is compared with writing and
 * reading the field bit by bit. Equal forms mean equal results for all values and all old contents.
 *
 * Copies of the source with planted faults (made by CMakeLists.txt) must fail, each for the reason that it stands for. */
#include "affine.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *affine_broken;

/* A fault is a namespace with the same two functions. From here on the engine's types are forms. */
#define uint64_t affine<64>
#define uint8_t affine<8>
#define unsigned affine<32>
#define TL_RELOCATE_PATCH_H
#define static static inline
namespace engine {
#include "engine.inc"
}
namespace fault_condition {
#include "fault_condition.inc"
}
namespace fault_mask {
#include "fault_mask.inc"
}
namespace fault_shift {
#include "fault_shift.inc"
}
namespace fault_old_bits {
#include "fault_old_bits.inc"
}
namespace fault_step {
#include "fault_step.inc"
}
namespace fault_wide {
#include "fault_wide.inc"
}
namespace fault_carry {
#include "fault_carry.inc"
}
#undef uint64_t
#undef uint8_t
#undef unsigned
#undef static

enum { BYTES = 16, BITS = 128, WIDTH_MAX = 64 };

typedef void engine_put(affine<8> *bytes, affine<32> start, affine<32> width, affine<64> value);
typedef affine<64> engine_get(const affine<8> *bytes, affine<32> start, affine<32> width);

static affine_form variable(size_t index) {
  affine_form form = affine_constant(false);
  form.set(index);
  return form;
}

/* What bit `i` must be: bit `n` of the value inside the field, zero where the value has none; the old bit outside. */
static affine_form variable_or_zero(bool inside, unsigned n, unsigned i) {
  return !inside ? variable(AFFINE_OLD + i) : n < WIDTH_MAX ? variable(AFFINE_VALUE + n) : affine_constant(false);
}

/* Two bytes of room behind the 16, of known zeros: a step beyond the field is a difference, not a crash. */
static bool put_is_right(engine_put *put, unsigned start, unsigned width) {
  affine<8> bytes[BYTES + 2];
  affine<64> value;
  for (unsigned i = 0; i < BITS; i++)
    bytes[i / 8].bits[i % 8] = variable(AFFINE_OLD + i);
  for (unsigned i = 0; i < WIDTH_MAX; i++)
    value.bits[i] = variable(AFFINE_VALUE + i);
  put(bytes, start, width, value);
  bool right = true;
  for (unsigned i = 0; i < BITS; i++) {
    const bool inside = i >= start && i < start + width;
    right = right && bytes[i / 8].bits[i % 8] == variable_or_zero(inside, i - start, i);
  }
  for (unsigned i = BITS; i < 8 * (BYTES + 2); i++)
    right = right && bytes[i / 8].bits[i % 8] == affine_constant(false);
  return right;
}

static bool get_is_right(engine_get *get, unsigned start, unsigned width) {
  affine<8> bytes[BYTES + 2];
  for (unsigned i = 0; i < BITS; i++)
    bytes[i / 8].bits[i % 8] = variable(AFFINE_OLD + i);
  const affine<64> value = get(bytes, start, width);
  bool right = true;
  for (unsigned i = 0; i < WIDTH_MAX; i++)
    right = right && value.bits[i] == (i < width ? variable(AFFINE_OLD + start + i) : affine_constant(false));
  return right;
}

/* The number of fields that are proved; the first failure in words in `why`. */
static unsigned prove(engine_put *put, engine_get *get, char *why, size_t why_size) {
  unsigned proved = 0;
  why[0] = 0;
  for (unsigned start = 0; start < BITS; start++) {
    for (unsigned width = 1; start + width <= BITS; width++) {
      affine_broken = nullptr;
      const bool right = put_is_right(put, start, width) && get_is_right(get, start, width);
      if (right && !affine_broken)
        proved++;
      else if (!why[0])
        snprintf(why, why_size, "field [%u+%u]: %s", start, width, affine_broken ? affine_broken : "other bits");
    }
  }
  return proved;
}

int main() {
  const struct {
    const char *name;
    engine_put *put;
    engine_get *get;
  } faults[] = {
      {"if (v == K)", fault_condition::tl_bits_put, fault_condition::tl_bits_get},
      {"mask one bit wider", fault_mask::tl_bits_put, fault_mask::tl_bits_get},
      {"shift by one more", fault_shift::tl_bits_put, fault_shift::tl_bits_get},
      {"old bits kept under the field", fault_old_bits::tl_bits_put, fault_old_bits::tl_bits_get},
      {"step of a byte too far", fault_step::tl_bits_put, fault_step::tl_bits_get},
      {"old bits added with carry", fault_carry::tl_bits_put, fault_carry::tl_bits_get},
      {"nothing above the 56th bit", fault_wide::tl_bits_put, fault_wide::tl_bits_get},
  };
  const unsigned fields = BITS * (BITS + 1) / 2;
  char why[160];
  unsigned failed = 0;
  const unsigned proved = prove(engine::tl_bits_put, engine::tl_bits_get, why, sizeof why);
  printf("patch engine: %u of %u fields proved%s%s\n", proved, fields, why[0] ? "; " : "", why);
  failed += proved != fields;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    const unsigned of_fault = prove(faults[i].put, faults[i].get, why, sizeof why);
    printf("planted fault '%s': %s (%s)\n", faults[i].name, of_fault < fields ? "seen" : "NOT SEEN", why);
    failed += of_fault == fields;
  }
  printf("%u passed, %u failed, 0 skipped\n", 1 + (unsigned)(sizeof faults / sizeof *faults) - failed, failed);
  return failed != 0;
}
