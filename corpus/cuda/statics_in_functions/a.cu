#include "tick.h"
static __device__ __noinline__ int local() {
  static int n = 1;
  return n++;
}
__global__ void ka(int *v) { v[0] = tick(v[1]) + counter() + local(); }
