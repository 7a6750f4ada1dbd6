#include "pool.h"
__global__ void ka(int *v) {
  Box<int> b{v[1]};
  v[0] = twice(b.get());
}
