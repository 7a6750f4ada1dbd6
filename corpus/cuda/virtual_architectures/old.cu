#include "common.h"
__global__ void k_old(float *v) { v[0] = spin(v[1], 5); }
