#include "inline.h"
__global__ void other(float *v) { v[0] = nudge(v[1]); }
