#include <cstdlib>
__device__ void *buffers[4];
__device__ void fill(char *p, int n);
__global__ void take(int n) {
  char *p = (char *)malloc(n);
  if (p)
    fill(p, n);
  buffers[n & 3] = p;
}
__global__ void give(int n) { free(buffers[n & 3]); }
