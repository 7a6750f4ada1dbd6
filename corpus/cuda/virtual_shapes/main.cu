#include "shape.h"
__device__ float measure(const Shape *s, int i) { return s->area() + s->edge(i); }

__global__ void run(float *out, int n) {
  Square square(1.5f, out[0]);
  Circle circle(0.5f, out[1]);
  const Shape *shape = n & 1 ? (const Shape *)&square : (const Shape *)&circle;
  out[threadIdx.x] = measure(shape, n);
}
