#include <cstdio>
__device__ int *grow(int n) {
  int *p = (int *)malloc(n * sizeof(int));
  if (!p)
    printf("no memory\n");
  return p;
}
