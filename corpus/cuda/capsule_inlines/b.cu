#include "pool.h"

template <> __device__ __noinline__ float work<float>(const float *v, int n) {
  float sum = blend(v[0], v[n]);
  return sum + tilt(v[1], n);
}

__global__ void second(float *v, int n) {
  if (n > 4)
    v[threadIdx.x] = tilt(work(v, n), n);
  else
    v[threadIdx.x + n] = blend(v[n], work(v + 1, n));
}
