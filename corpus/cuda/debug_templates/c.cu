#include "pool.h"
__global__ void kc(int *v) { v[0] = twice(v[1]); }
