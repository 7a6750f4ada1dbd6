#include "types.h"
__device__ __noinline__ int ask(const Named *n, const Sized *s) { return n->name() * s->size(); }
__global__ void run(int *v) {
  Thing thing(v[1], v[2]);
  Named plain;
  plain.id = 5;
  v[0] = ask(v[3] ? (const Named *)&thing : &plain, &thing) + thing.both();
}
