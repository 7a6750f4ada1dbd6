/* What of the changed files a link executes. Those files are compiled with a call in front of each basic block and of each
 * comparison (-fsanitize-coverage=trace-pc,trace-cmp); the blocks and how near to the change they lie are known by their addresses
 * (directed.sh). Features, which say whether a link is something new: a block with how often it ran, two blocks of the changed
 * functions behind one another, and how much the two sides of a comparison there have in common. */
#include "fuzz/directed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_SLOTS = 1 << 17, PLACE_FEATURES = 1 << 18, PLACE_COUNTS = 8, PLACE_PAIRS = 512 };

typedef struct place_slot {
  uintptr_t address; /* 0: free */
  uint32_t link;     /* the number of the last link that ran it */
  uint32_t count;    /* how often that one did */
  uint8_t level;
  uint8_t counted[DIRECTED_ENGINES]; /* a bit for each class of counts that a link had */
} place_slot;

static place_slot place_slots[PLACE_SLOTS];
static place_slot *place_ran[PLACE_SLOTS];
static size_t place_ran_count, place_count;
static uint8_t place_features[DIRECTED_ENGINES][PLACE_FEATURES / 8];
static unsigned place_engine;
static bool place_on; /* a link is running */
static uint32_t place_link;
static uintptr_t place_last;
static bool place_near;
static directed_reach place_reach;
static directed_pair place_pairs[PLACE_PAIRS];
static size_t place_pair_count; /* all of them; the last ones are there */

/* Called by what the compiler adds, under its names. */
void place_traced_pc(void) __asm__("__sanitizer_cov_trace_pc");
void place_traced_cmp1(uint8_t a, uint8_t b) __asm__("__sanitizer_cov_trace_cmp1");
void place_traced_cmp2(uint16_t a, uint16_t b) __asm__("__sanitizer_cov_trace_cmp2");
void place_traced_cmp4(uint32_t a, uint32_t b) __asm__("__sanitizer_cov_trace_cmp4");
void place_traced_cmp8(uint64_t a, uint64_t b) __asm__("__sanitizer_cov_trace_cmp8");
void place_traced_const_cmp1(uint8_t a, uint8_t b) __asm__("__sanitizer_cov_trace_const_cmp1");
void place_traced_const_cmp2(uint16_t a, uint16_t b) __asm__("__sanitizer_cov_trace_const_cmp2");
void place_traced_const_cmp4(uint32_t a, uint32_t b) __asm__("__sanitizer_cov_trace_const_cmp4");
void place_traced_const_cmp8(uint64_t a, uint64_t b) __asm__("__sanitizer_cov_trace_const_cmp8");
void place_traced_cmpf(float a, float b) __asm__("__sanitizer_cov_trace_cmpf");
void place_traced_cmpd(double a, double b) __asm__("__sanitizer_cov_trace_cmpd");
void place_traced_switch(uint64_t value, void *cases) __asm__("__sanitizer_cov_trace_switch");

static place_slot *place_find(uintptr_t address) {
  size_t at = (size_t)((uint64_t)address * 0x9e3779b97f4a7c15u >> 40);
  while (place_slots[at % PLACE_SLOTS].address && place_slots[at % PLACE_SLOTS].address != address)
    at++;
  return &place_slots[at % PLACE_SLOTS];
}

bool directed_places_read(const char *path) {
  char line[80];
  FILE *const file = fopen(path, "r");
  if (!file)
    return false;
  while (fgets(line, sizeof line, file)) {
    uintptr_t address = 0;
    unsigned level = 0;
    if (sscanf(line, "%" SCNxPTR " %u", &address, &level) != 2 || level > DIRECTED_LINE ||
        ++place_count > PLACE_SLOTS / 2)
      continue;
    place_slot *const slot = place_find(address);
    slot->address = address;
    slot->level = level > slot->level ? (uint8_t)level : slot->level;
  }
  (void)fclose(file);
  return true;
}

void directed_places_write(const char *path) {
  FILE *const file = fopen(path, "w");
  for (size_t i = 0; file && i < PLACE_SLOTS; i++)
    if (place_slots[i].counted[0] | place_slots[i].counted[1])
      (void)fprintf(file, "0x%" PRIxPTR "\n", place_slots[i].address);
  if (file)
    (void)fclose(file);
}

static void place_feature(uint64_t feature) {
  const size_t bit = (size_t)(feature * 0x9e3779b97f4a7c15u >> 40) % PLACE_FEATURES;
  uint8_t *const features = place_features[place_engine];
  place_reach.near += !(features[bit / 8] >> bit % 8 & 1);
  features[bit / 8] |= (uint8_t)(1u << bit % 8);
}

void directed_places_choose(unsigned engine) {
  place_engine = engine;
}

void place_traced_pc(void) {
  if (!place_on)
    return;
  const uintptr_t address = (uintptr_t)__builtin_return_address(0);
  place_slot *const slot = place_find(address);
  if (!slot->address)
    return;
  if (slot->link != place_link) {
    slot->link = place_link;
    slot->count = 0;
    place_ran[place_ran_count++] = slot;
    place_reach.any = true;
    if (slot->level > place_reach.level)
      place_reach.level = slot->level;
  }
  slot->count++;
  place_near = slot->level >= DIRECTED_FUNCTION;
  if (place_near)
    place_feature(address * 3 + place_last);
  place_last = address;
}

static void place_compare(uintptr_t address, uint64_t a, uint64_t b, bool address_sized) {
  if (!place_on)
    return;
  if (!place_near) {
    if (!address_sized) /* where something lies is another place in each link */
      place_reach.way = (place_reach.way ^ a ^ b << 32) * 0x9e3779b97f4a7c15u + 1;
    return;
  }
  place_feature(address * 131 + (a == b ? 99 : a < b ? 0 : 64) + (unsigned)__builtin_clzll((a ^ b) | 1));
  if (a != b)
    place_pairs[place_pair_count++ % PLACE_PAIRS] = (directed_pair){a, b};
}

#define HERE ((uintptr_t)__builtin_return_address(0))
void place_traced_cmp1(uint8_t a, uint8_t b) {
  place_compare(HERE, a, b, false);
}
void place_traced_cmp2(uint16_t a, uint16_t b) {
  place_compare(HERE, a, b, false);
}
void place_traced_cmp4(uint32_t a, uint32_t b) {
  place_compare(HERE, a, b, false);
}
void place_traced_cmp8(uint64_t a, uint64_t b) {
  place_compare(HERE, a, b, true);
}
void place_traced_const_cmp1(uint8_t a, uint8_t b) {
  place_compare(HERE, a, b, false);
}
void place_traced_const_cmp2(uint16_t a, uint16_t b) {
  place_compare(HERE, a, b, false);
}
void place_traced_const_cmp4(uint32_t a, uint32_t b) {
  place_compare(HERE, a, b, false);
}
void place_traced_const_cmp8(uint64_t a, uint64_t b) {
  place_compare(HERE, a, b, true);
}
void place_traced_cmpf(float a, float b) {
  (void)a;
  (void)b;
}
void place_traced_cmpd(double a, double b) {
  (void)a;
  (void)b;
}
void place_traced_switch(uint64_t value, void *cases) {
  (void)cases;
  place_compare(HERE, value, 0, true);
}

void directed_places_begin(bool first) {
  place_link++;
  place_ran_count = 0;
  place_last = 0;
  place_near = false;
  place_pair_count = first ? 0 : place_pair_count;
  place_reach = (directed_reach){.any = place_count == 0};
  if (!place_count)
    place_reach.level = DIRECTED_LINE;
  place_on = place_count != 0;
}

/* 1, 2, 3, 4 to 7, ... */
static unsigned place_count_class(uint32_t count) {
  unsigned class = count < 4 ? count - 1 : 1;
  for (; count >= 4; count /= 4)
    class += 2;
  return class < PLACE_COUNTS ? class : PLACE_COUNTS - 1;
}

directed_reach directed_places_end(void) {
  place_on = false;
  for (size_t i = 0; i < place_ran_count; i++) {
    place_slot *const slot = place_ran[i];
    const uint8_t bit = (uint8_t)(1u << (slot->level == DIRECTED_FILE ? 0 : place_count_class(slot->count)));
    const uint32_t fresh = !(slot->counted[place_engine] & bit);
    slot->counted[place_engine] |= bit;
    if (slot->level == DIRECTED_FILE)
      place_reach.far += fresh;
    else
      place_reach.near += fresh;
  }
  return place_reach;
}

void directed_reach_add(directed_reach *reach, const directed_reach *before) {
  reach->near += before->near;
  reach->far += before->far;
  if (before->level > reach->level)
    reach->level = before->level;
  if (before->way != reach->way)
    reach->level = DIRECTED_OTHERWISE;
}

size_t directed_places_pairs(gen_random *random, directed_pair pairs[DIRECTED_PAIRS]) {
  const size_t all = place_pair_count < PLACE_PAIRS ? place_pair_count : PLACE_PAIRS;
  const size_t count = all < DIRECTED_PAIRS ? all : DIRECTED_PAIRS;
  for (size_t i = 0; i < count; i++)
    pairs[i] = place_pairs[all == count ? i : gen_random_below(random, (uint32_t)all)];
  return count;
}
