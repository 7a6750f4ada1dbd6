/* catalog/architecture.c: the architecture names, and whose code which of them takes (C34).
 *
 * C34 was measured for all pairs of 22 names; what a cubin shows of its own name is a number in e_flags and the
 * accelerated bit of .nv.compat (F7, F9, F56), so an input is one of those pairs. */
#include "catalog/architecture.h"

#include "base/vector.h"

#include <string.h>

#define SM(name, number) {name, TL_ARCH_SM, number, false}
#define ACCELERATED(name, number) {name, TL_ARCH_SM, number, true}
#define COMPUTE(name, number) {name, TL_ARCH_COMPUTE, number, false}
#define LTO(name) {name, TL_ARCH_LTO, 0, false}

/* In the order in which nvlink's help text lists them, that of their letters. */
static const tl_architecture names[] = {
    COMPUTE("compute_100", 100),
    COMPUTE("compute_100a", 100),
    COMPUTE("compute_100f", 100),
    COMPUTE("compute_103", 103),
    COMPUTE("compute_103a", 103),
    COMPUTE("compute_103f", 103),
    COMPUTE("compute_110", 110),
    COMPUTE("compute_110a", 110),
    COMPUTE("compute_110f", 110),
    COMPUTE("compute_120", 120),
    COMPUTE("compute_120a", 120),
    COMPUTE("compute_120f", 120),
    COMPUTE("compute_121", 121),
    COMPUTE("compute_121a", 121),
    COMPUTE("compute_121f", 121),
    COMPUTE("compute_75", 75),
    COMPUTE("compute_80", 80),
    COMPUTE("compute_86", 86),
    COMPUTE("compute_87", 87),
    COMPUTE("compute_88", 88),
    COMPUTE("compute_89", 89),
    COMPUTE("compute_90", 90),
    COMPUTE("compute_90a", 90),
    LTO("lto_100"),
    LTO("lto_100a"),
    LTO("lto_100f"),
    LTO("lto_103"),
    LTO("lto_103a"),
    LTO("lto_103f"),
    LTO("lto_110"),
    LTO("lto_110a"),
    LTO("lto_110f"),
    LTO("lto_120"),
    LTO("lto_120a"),
    LTO("lto_120f"),
    LTO("lto_121"),
    LTO("lto_121a"),
    LTO("lto_121f"),
    LTO("lto_75"),
    LTO("lto_80"),
    LTO("lto_86"),
    LTO("lto_87"),
    LTO("lto_88"),
    LTO("lto_89"),
    LTO("lto_90"),
    LTO("lto_90a"),
    SM("sm_100", 100),
    ACCELERATED("sm_100a", 100),
    SM("sm_100f", 100),
    SM("sm_103", 103),
    ACCELERATED("sm_103a", 103),
    SM("sm_103f", 103),
    SM("sm_110", 110),
    ACCELERATED("sm_110a", 110),
    SM("sm_110f", 110),
    SM("sm_120", 120),
    ACCELERATED("sm_120a", 120),
    SM("sm_120f", 120),
    SM("sm_121", 121),
    ACCELERATED("sm_121a", 121),
    SM("sm_121f", 121),
    SM("sm_75", 75),
    SM("sm_80", 80),
    SM("sm_86", 86),
    SM("sm_87", 87),
    SM("sm_88", 88),
    SM("sm_89", 89),
    SM("sm_90", 90),
    ACCELERATED("sm_90a", 90),
};

static int architecture_compare(const void *name, const void *row) {
  return strcmp(name, ((const tl_architecture *)row)->name);
}

const tl_architecture *tl_architecture_find(const char *name) {
  return tl_sorted_find(name, names, sizeof names / sizeof *names, sizeof *names, architecture_compare);
}

const tl_architecture *tl_architecture_at(size_t index) {
  return index < sizeof names / sizeof *names ? &names[index] : NULL;
}

/* Code that another target than that of its own number takes. */
static const uint16_t arch_taken[][2] = {{80, 86}, {80, 89}, {86, 89}, {100, 103}, {120, 121}};

static bool arch_is_number(uint32_t number) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].family == TL_ARCH_SM && names[i].number == number)
      return true;
  return false;
}

bool tl_architecture_accepts(const tl_architecture *target, uint32_t number, bool accelerated) {
  enum { FIRST_ACCELERATED = 90 }; /* the bit says nothing before */
  if (target->family == TL_ARCH_COMPUTE)
    return number <= target->number && arch_is_number(number);
  bool taken = number == target->number;
  for (size_t i = 0; i < sizeof arch_taken / sizeof *arch_taken; i++)
    if (!accelerated || number < FIRST_ACCELERATED)
      taken |= arch_taken[i][0] == number && arch_taken[i][1] == target->number;
  return taken;
}
