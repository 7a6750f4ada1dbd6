#include "checked.h"
#include <cstdio>
__global__ void kb(int *v, float *w, int n) {
  v[0] = Checked<int>{v, n}.at(4);
  w[0] = Checked<float>{w, n}.at(5);
  if (w[0] < 0)
    printf("negative\n");
}
