#include "common.h"
__global__ void k_mid(float *v) { v[0] = spin(v[1], 7) + spin(v[2], 3); }
