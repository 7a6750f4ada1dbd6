/* How often inputs reach a rule. Every rule of docs/specification is headed by a function (./run rules), and clang counts
 * every edge of the linkers for libFuzzer, which takes them for features; so a rule has a counter already, and nothing in
 * the linkers is made for this. What is added is a count over all inputs of a campaign: where TWIN_FUZZ_RULES names a file,
 * one number a counter says how many inputs moved it, with its place in the program beside it, and fuzz/rules.sh makes
 * functions and rules of those. */
#define _DEFAULT_SOURCE
#include "fuzz/rules.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As clang's instrumentation lays them out: a byte a counter, and beside it its address and a flag for a function's entry. */
typedef struct rules_place {
  uintptr_t address, flags;
} rules_place;

typedef struct rules_count {
  uint32_t offset; /* in the program; bit 31 marks a function's entry */
  uint32_t inputs;
} rules_count;

extern uint8_t rules_begin[] __asm__("__start___sancov_cntrs") __attribute__((weak));
extern uint8_t rules_end[] __asm__("__stop___sancov_cntrs") __attribute__((weak));
extern const rules_place rules_places[] __asm__("__start___sancov_pcs") __attribute__((weak));
extern const char rules_program[] __asm__("__executable_start");

/* All counters of all inputs would cost a tenth of a link: one input in sixteen counts for sixteen, and of the others only
 * what no input moved before. */
enum { RULES_SAMPLE = 16 };
static rules_count *rules_counts; /* NULL where nobody wants them */
static uint8_t *rules_seen;       /* all bits for a counter that was moved */
static uint64_t rules_inputs;

static rules_count *rules_map(const char *path, size_t count) {
  const size_t size = count * sizeof(rules_count);
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0)
    return NULL;
  void *memory = MAP_FAILED;
  if (ftruncate(file, (off_t)size) == 0)
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  (void)close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

size_t fuzz_rules_start(const char *path) {
  const size_t count = (size_t)(rules_end - rules_begin);
  if (!path || !*path || !rules_places || !count)
    return 0;
  rules_seen = calloc(count, 1);
  rules_counts = rules_seen ? rules_map(path, count) : NULL;
  for (size_t i = 0; rules_counts && i < count; i++)
    rules_counts[i].offset = (uint32_t)(rules_places[i].address - (uintptr_t)rules_program) |
                             (rules_places[i].flags & 1 ? UINT32_C(1) << 31 : 0);
  return rules_counts ? count : 0;
}

/* Counter `i` was moved by `inputs` inputs more. */
static void rules_move(size_t i, uint32_t inputs) {
  if (rules_counts[i].inputs <= UINT32_MAX - inputs)
    rules_counts[i].inputs += inputs;
}

static uint64_t rules_word(const uint8_t *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

static void rules_add_range(size_t begin, size_t end, bool sample) {
  for (size_t i = begin; i < end; i++) {
    if (!rules_begin[i])
      continue;
    if (sample)
      rules_move(i, RULES_SAMPLE);
    else if (!rules_seen[i])
      rules_move(i, 1);
    rules_seen[i] = UINT8_MAX;
  }
}

void fuzz_rules_add(void) {
  const size_t count = rules_counts ? (size_t)(rules_end - rules_begin) : 0;
  const bool sample = rules_inputs++ % RULES_SAMPLE == 0;
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= count; i += sizeof(uint64_t)) {
    const uint64_t word = rules_word(rules_begin + i);
    if (sample ? word : word & ~rules_word(rules_seen + i))
      rules_add_range(i, i + sizeof word, sample);
  }
  rules_add_range(i, count, sample);
}
