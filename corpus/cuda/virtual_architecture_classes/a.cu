#include "grid.h"
__global__ void ka(double *v) { v[0] = Grid<double>{v, 9}.smooth(3); }
