#include <cassert>
#include <cstdio>
__device__ int *grow(int n);
__global__ void talk(int n) {
  int *p = grow(n);
  printf("n %d at %p\n", n, (void *)p);
  assert(p != nullptr);
  free(p);
}
__global__ void silent(int *v) { v[0] = 1; }
