/* Which inputs execute the line of which fault? Most faults lie in lines that few inputs reach, and an input that does not
 * reach a fault cannot show it. One more program without a fault (faults.sh, "traced") is compiled so that each of its
 * basic blocks calls the function below; the blocks in which a fault lies are known by their addresses (sites.sh). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/faults/hunt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { REACH_BLOCKS = 1 << 17 };
enum { REACH_SLOTS = 1 << 14, REACH_FAULTS = 64 * HUNT_REACH_WORDS };

typedef struct reach_slot {
  uintptr_t address; /* 0: the slot is free */
  uint64_t faults[HUNT_REACH_WORDS];
} reach_slot;

static reach_slot reach_slots[REACH_SLOTS];
static int reach_numbers[REACH_FAULTS]; /* of the faults, by bit */
static size_t reach_count;
static uint64_t *reach_now;
static uintptr_t *reach_blocks; /* shared with the children: every block that was executed; NULL: not asked for */

/* Called by the compiler's code at the begin of each basic block; the name is the compiler's. */
void __sanitizer_cov_trace_pc(void); /* NOLINT */

static reach_slot *reach_find(uintptr_t address) {
  size_t at = (address * 0x9e3779b97f4a7c15u) >> 32;
  while (reach_slots[at % REACH_SLOTS].address && reach_slots[at % REACH_SLOTS].address != address)
    at++;
  return &reach_slots[at % REACH_SLOTS];
}

static void reach_note(uintptr_t address) {
  size_t at = (address * 0x9e3779b97f4a7c15u) >> 32;
  while (reach_blocks[at % REACH_BLOCKS] && reach_blocks[at % REACH_BLOCKS] != address)
    at++;
  reach_blocks[at % REACH_BLOCKS] = address;
}

void __sanitizer_cov_trace_pc(void) { /* NOLINT */
  const uintptr_t address = (uintptr_t)__builtin_return_address(0);
  if (!reach_now)
    return;
  if (reach_blocks)
    reach_note(address);
  const reach_slot *const slot = reach_find(address);
  for (size_t i = 0; slot->address && i < HUNT_REACH_WORDS; i++)
    reach_now[i] |= slot->faults[i];
}

void hunt_reach_begin(uint64_t *reached) {
  reach_now = reached;
}

void hunt_reach_watch(void) {
  reach_blocks =
      mmap(NULL, REACH_BLOCKS * sizeof *reach_blocks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (reach_blocks == MAP_FAILED)
    harness_stop("no memory: %s", strerror(errno));
}

void hunt_reach_write(const char *path) {
  FILE *const file = fopen(path, "w");
  if (!file)
    harness_stop("cannot write %s: %s", path, strerror(errno));
  for (size_t i = 0; i < REACH_BLOCKS; i++)
    if (reach_blocks[i])
      fprintf(file, "0x%" PRIxPTR "\n", reach_blocks[i]);
  fclose(file);
}

static size_t reach_bit(int number) {
  size_t bit = 0;
  while (bit < reach_count && reach_numbers[bit] != number)
    bit++;
  return bit;
}

void hunt_reach_read(const char *path) {
  harness_words lines;
  size_t used = 0;
  harness_read_lines(path, &lines);
  for (size_t i = 0; i < lines.count; i++) {
    int number = 0;
    uintptr_t address = 0;
    if (sscanf(lines.items[i], "%d %" SCNxPTR, &number, &address) != 2)
      continue;
    const size_t bit = reach_bit(number);
    reach_slot *const slot = reach_find(address);
    used += slot->address == 0;
    if (bit >= REACH_FAULTS || 2 * used > REACH_SLOTS)
      harness_stop("%s: more faults or places than there is room for", path);
    if (bit == reach_count)
      reach_numbers[reach_count++] = number;
    slot->address = address;
    slot->faults[bit / 64] |= (uint64_t)1 << bit % 64;
  }
  harness_free_words(&lines);
}

bool hunt_reaches(const hunt_task *task, int number) {
  const size_t bit = reach_bit(number);
  return bit == reach_count || task->reached[bit / 64] >> bit % 64 & 1;
}
