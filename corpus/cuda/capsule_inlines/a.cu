#include "pool.h"

__global__ void first(float *v, int n) {
  v[threadIdx.x] = work(v, n) + blend(v[1], v[2]);
}
