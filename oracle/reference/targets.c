/* The targets of CUDA 13.0 and what links into what: C34, M5, H8. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_48K = 0xc000, SHARED_99K = 0x18c00, SHARED_227K = 0x38c00, FIRST_WITH_CAPSULES = 100 };

/* Variant: 'a', 'f' or 0. RF18: with an "a" the limit of static shared memory is the hardware's. */
static const ref_target ref_targets[] = {
    {"75", 75, 0, SHARED_48K},       {"80", 80, 0, SHARED_48K},      {"86", 86, 0, SHARED_48K},
    {"87", 87, 0, SHARED_48K},       {"88", 88, 0, SHARED_48K},      {"89", 89, 0, SHARED_48K},
    {"90", 90, 0, SHARED_48K},       {"90a", 90, 'a', SHARED_227K},  {"100", 100, 0, SHARED_48K},
    {"100a", 100, 'a', SHARED_227K}, {"100f", 100, 'f', SHARED_48K}, {"103", 103, 0, SHARED_48K},
    {"103a", 103, 'a', SHARED_227K}, {"103f", 103, 'f', SHARED_48K}, {"110", 110, 0, SHARED_48K},
    {"110a", 110, 'a', SHARED_227K}, {"110f", 110, 'f', SHARED_48K}, {"120", 120, 0, SHARED_48K},
    {"120a", 120, 'a', SHARED_99K},  {"120f", 120, 'f', SHARED_48K}, {"121", 121, 0, SHARED_48K},
    {"121a", 121, 'a', SHARED_99K},  {"121f", 121, 'f', SHARED_48K}};

const ref_target *ref_target_find(const char *name) {
  for (size_t i = 0; i < sizeof ref_targets / sizeof ref_targets[0]; i++) {
    if (ref_text_is(name, ref_targets[i].name)) {
      return &ref_targets[i];
    }
  }
  return NULL;
}

/* Code for one SM that links for another: C34 to sm_89, M5 above. What the finalizer carries over (RF524) is code of attribute 9 = 0 alone;
 * that of sm_120 runs on sm_121 as it is, but a target sm_121f asks the finalizer. */
typedef struct ref_upward {
  uint32_t input, target;
  bool finalized, finalized_family;
} ref_upward;

static const ref_upward ref_upwards[] = {{80, 86, false, false},
                                         {80, 89, false, false},
                                         {86, 89, false, false},
                                         {100, 103, true, true},
                                         {120, 121, false, true}};

static const ref_upward *ref_target_find_upward(const ref_target *target, uint32_t sm) {
  for (size_t i = 0; i < sizeof ref_upwards / sizeof ref_upwards[0]; i++) {
    if (ref_upwards[i].input == sm && ref_upwards[i].target == target->sm) {
      return &ref_upwards[i];
    }
  }
  return NULL;
}

bool ref_target_is_finalized(const ref_target *target, uint32_t sm) {
  const ref_upward *row = ref_target_find_upward(target, sm);
  return row != NULL && (target->variant == 'f' ? row->finalized_family : row->finalized);
}

/* RF525: code of SASS kind is bare where no capsule stands before it. */
bool ref_target_takes(const ref_target *target, uint32_t sm, uint8_t acceleration, bool bare) {
  if (sm == target->sm) {
    return !bare || target->variant != 'f' || acceleration != 1;
  }
  if (ref_target_is_finalized(target, sm)) {
    return !bare && acceleration == 0;
  }
  return ref_target_find_upward(target, sm) != NULL && (sm < FIRST_WITH_CAPSULES || acceleration != 1);
}

bool ref_target_is_sm(uint32_t sm) {
  for (size_t i = 0; i < sizeof ref_targets / sizeof ref_targets[0]; i++) {
    if (ref_targets[i].sm == sm) {
      return true;
    }
  }
  return false;
}

/* M1: objects have a Mercury view from sm_100 on. */
bool ref_target_has_capsules(uint32_t sm) {
  return sm >= FIRST_WITH_CAPSULES;
}
