#include "types.h"
__device__ float total(Block b, int a, float f, Small s, const int *p, double d, char c);
__global__ void run(Block b, Small s, float *out, int n, double d) { out[n] = total(b, n, d, s, &n, d, 'q'); }
__global__ void huge(Block b0, Block b1, Block b2, Block b3, Block b4, float *out, int i) {
  out[i] = b0.values[i] + b1.values[i] + b2.values[i] + b3.values[i] + b4.values[i];
}
