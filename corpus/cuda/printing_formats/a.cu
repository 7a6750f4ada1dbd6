#include <cstdio>
__device__ void log_float(float f);
__device__ void log_all(int a, double b, const char *c);
__global__ void talk(int n) {
  printf("start %d\n", n);
  log_float(n * 0.5f);
  log_all(n, n * 2.0, "text");
  printf("end\n");
}
