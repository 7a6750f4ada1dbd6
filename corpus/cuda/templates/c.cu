#include "pool.h"
__device__ float third(float *v) { return polynomial<float, 24>(v[1], v + 2) + clamp01(v[5]); }
__global__ void kc(float *v, double *w) {
  v[0] = third(v);
  w[0] = clamp01(w[1]);
}
