#include "tick.h"
static __device__ __noinline__ int local() {
  static int n = 2;
  return n++;
}
__global__ void kb(int *v, float *w) {
  v[0] = tick(v[1]) + counter() + local();
  w[0] = tick(w[1]);
}
