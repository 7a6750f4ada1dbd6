#include "pool.h"
__global__ void ka(int *v) { v[0] = first<int> + block<int>[v[1] & 3] + next(); }
