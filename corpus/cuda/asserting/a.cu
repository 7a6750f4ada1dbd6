#include "checked.h"
__global__ void ka(int *v, int n) {
  assert(blockDim.x > 0);
  v[0] = Checked<int>{v, n}.at(3);
}
