/* The generator's own random numbers (splitmix64): the same seed gives the same program on every host, compiler and C
 * library, which rand() does not promise. */
#ifndef TWIN_GEN_RANDOM_H
#define TWIN_GEN_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gen_random {
  uint64_t state;
} gen_random;

static inline uint64_t gen_random_next(gen_random *random) {
  uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* A number in 0..bound-1; 0 for bound 0. The bias of the remainder does not matter here. */
static inline uint32_t gen_random_below(gen_random *random, uint32_t bound) {
  return bound ? (uint32_t)(gen_random_next(random) % bound) : 0;
}

static inline bool gen_random_percent(gen_random *random, uint32_t percent) {
  return gen_random_below(random, 100) < percent;
}

#endif
