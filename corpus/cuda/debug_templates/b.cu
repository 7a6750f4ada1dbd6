#include "pool.h"
__global__ void kb(int *v) {
  Box<int> b{v[2]};
  v[0] = twice(b.get()) + twice(v[1]);
}
