#include "types.h"
__device__ float total(Block b, int a, float f, Small s, const int *p, double d, char c) {
  return b.values[a] + f + s.l + *p + (float)d + c + b.tag;
}
