#include "pool.h"
__global__ void kb(float *w, int *v) { w[0] = first<float> + block<int>[1] + first<int> + next() + everywhere; }
