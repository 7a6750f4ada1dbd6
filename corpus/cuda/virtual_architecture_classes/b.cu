#include "grid.h"
__global__ void kb(double *v) { v[0] = Grid<double>{v, 7}.smooth(1) + Grid<double>{v, 7}.edge(); }
