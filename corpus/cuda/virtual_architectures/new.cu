#include "common.h"
__global__ void k_new(float *v) { v[0] = spin(v[1], 9); }
