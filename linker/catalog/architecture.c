/* catalog/architecture.c: one row an architecture name, and one row an input code that some target takes (C34).
 *
 * C34 was measured for all pairs of 22 names; what a cubin shows of its own name is a number in e_flags and the
 * accelerated bit of .nv.compat (F7, F9, F56), so an input row is one of those pairs. */
#include "catalog/architecture.h"

#include <string.h>

/* In the order in which nvlink's help text lists them. */
static const tl_architecture names[] = {
    {"compute_100", TL_ARCH_COMPUTE, 100, 0},
    {"compute_100a", TL_ARCH_COMPUTE, 100, 'a'},
    {"compute_100f", TL_ARCH_COMPUTE, 100, 'f'},
    {"compute_103", TL_ARCH_COMPUTE, 103, 0},
    {"compute_103a", TL_ARCH_COMPUTE, 103, 'a'},
    {"compute_103f", TL_ARCH_COMPUTE, 103, 'f'},
    {"compute_110", TL_ARCH_COMPUTE, 110, 0},
    {"compute_110a", TL_ARCH_COMPUTE, 110, 'a'},
    {"compute_110f", TL_ARCH_COMPUTE, 110, 'f'},
    {"compute_120", TL_ARCH_COMPUTE, 120, 0},
    {"compute_120a", TL_ARCH_COMPUTE, 120, 'a'},
    {"compute_120f", TL_ARCH_COMPUTE, 120, 'f'},
    {"compute_121", TL_ARCH_COMPUTE, 121, 0},
    {"compute_121a", TL_ARCH_COMPUTE, 121, 'a'},
    {"compute_121f", TL_ARCH_COMPUTE, 121, 'f'},
    {"compute_75", TL_ARCH_COMPUTE, 75, 0},
    {"compute_80", TL_ARCH_COMPUTE, 80, 0},
    {"compute_86", TL_ARCH_COMPUTE, 86, 0},
    {"compute_87", TL_ARCH_COMPUTE, 87, 0},
    {"compute_88", TL_ARCH_COMPUTE, 88, 0},
    {"compute_89", TL_ARCH_COMPUTE, 89, 0},
    {"compute_90", TL_ARCH_COMPUTE, 90, 0},
    {"compute_90a", TL_ARCH_COMPUTE, 90, 'a'},
    {"lto_100", TL_ARCH_LTO, 100, 0},
    {"lto_100a", TL_ARCH_LTO, 100, 'a'},
    {"lto_100f", TL_ARCH_LTO, 100, 'f'},
    {"lto_103", TL_ARCH_LTO, 103, 0},
    {"lto_103a", TL_ARCH_LTO, 103, 'a'},
    {"lto_103f", TL_ARCH_LTO, 103, 'f'},
    {"lto_110", TL_ARCH_LTO, 110, 0},
    {"lto_110a", TL_ARCH_LTO, 110, 'a'},
    {"lto_110f", TL_ARCH_LTO, 110, 'f'},
    {"lto_120", TL_ARCH_LTO, 120, 0},
    {"lto_120a", TL_ARCH_LTO, 120, 'a'},
    {"lto_120f", TL_ARCH_LTO, 120, 'f'},
    {"lto_121", TL_ARCH_LTO, 121, 0},
    {"lto_121a", TL_ARCH_LTO, 121, 'a'},
    {"lto_121f", TL_ARCH_LTO, 121, 'f'},
    {"lto_75", TL_ARCH_LTO, 75, 0},
    {"lto_80", TL_ARCH_LTO, 80, 0},
    {"lto_86", TL_ARCH_LTO, 86, 0},
    {"lto_87", TL_ARCH_LTO, 87, 0},
    {"lto_88", TL_ARCH_LTO, 88, 0},
    {"lto_89", TL_ARCH_LTO, 89, 0},
    {"lto_90", TL_ARCH_LTO, 90, 0},
    {"lto_90a", TL_ARCH_LTO, 90, 'a'},
    {"sm_100", TL_ARCH_SM, 100, 0},
    {"sm_100a", TL_ARCH_SM, 100, 'a'},
    {"sm_100f", TL_ARCH_SM, 100, 'f'},
    {"sm_103", TL_ARCH_SM, 103, 0},
    {"sm_103a", TL_ARCH_SM, 103, 'a'},
    {"sm_103f", TL_ARCH_SM, 103, 'f'},
    {"sm_110", TL_ARCH_SM, 110, 0},
    {"sm_110a", TL_ARCH_SM, 110, 'a'},
    {"sm_110f", TL_ARCH_SM, 110, 'f'},
    {"sm_120", TL_ARCH_SM, 120, 0},
    {"sm_120a", TL_ARCH_SM, 120, 'a'},
    {"sm_120f", TL_ARCH_SM, 120, 'f'},
    {"sm_121", TL_ARCH_SM, 121, 0},
    {"sm_121a", TL_ARCH_SM, 121, 'a'},
    {"sm_121f", TL_ARCH_SM, 121, 'f'},
    {"sm_75", TL_ARCH_SM, 75, 0},
    {"sm_80", TL_ARCH_SM, 80, 0},
    {"sm_86", TL_ARCH_SM, 86, 0},
    {"sm_87", TL_ARCH_SM, 87, 0},
    {"sm_88", TL_ARCH_SM, 88, 0},
    {"sm_89", TL_ARCH_SM, 89, 0},
    {"sm_90", TL_ARCH_SM, 90, 0},
    {"sm_90a", TL_ARCH_SM, 90, 'a'},
};

typedef struct arch_target {
  uint16_t number;
  const char *variants; /* letters of the target names; '-' is the name without a letter */
} arch_target;

typedef struct arch_input {
  uint16_t number;
  bool accelerated;
  arch_target targets[3]; /* ends with number 0 */
} arch_input;

/* clang-format off */
static const arch_input inputs[] = {
    {75,  false, {{75, "-"}}},
    {80,  false, {{80, "-"}, {86, "-"}, {89, "-"}}},
    {86,  false, {{86, "-"}, {89, "-"}}},
    {87,  false, {{87, "-"}}},
    {88,  false, {{88, "-"}}},
    {89,  false, {{89, "-"}}},
    {90,  false, {{90, "-a"}}},
    {90,  true,  {{90, "-a"}}},
    {100, false, {{100, "-af"}, {103, "-af"}}},
    {100, true,  {{100, "-af"}}},
    {103, false, {{103, "-af"}}},
    {103, true,  {{103, "-af"}}},
    {110, false, {{110, "-af"}}},
    {110, true,  {{110, "-af"}}},
    {120, false, {{120, "-af"}, {121, "-af"}}},
    {120, true,  {{120, "-af"}}},
    {121, false, {{121, "-af"}}},
    {121, true,  {{121, "-af"}}},
};
/* clang-format on */

const tl_architecture *tl_architecture_find(const char *name) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, name) == 0)
      return &names[i];
  return NULL;
}

const tl_architecture *tl_architecture_at(size_t index) {
  return index < sizeof names / sizeof *names ? &names[index] : NULL;
}

static bool arch_target_matches(const arch_target *row, const tl_architecture *target) {
  return row->number == target->number && strchr(row->variants, target->variant ? target->variant : '-') != NULL;
}

static bool arch_input_is_taken(const arch_input *input, const tl_architecture *target) {
  if (target->family == TL_ARCH_COMPUTE)
    return input->number <= target->number;
  for (size_t i = 0; i < sizeof input->targets / sizeof *input->targets; i++)
    if (input->targets[i].number && arch_target_matches(&input->targets[i], target))
      return true;
  return false;
}

bool tl_architecture_accepts(const tl_architecture *target, uint32_t number, bool accelerated) {
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    /* Rows below 90 have no accelerated twin: the bit says nothing there. */
    if (inputs[i].number == number && (inputs[i].accelerated == accelerated || number < 90) &&
        arch_input_is_taken(&inputs[i], target))
      return true;
  return false;
}
