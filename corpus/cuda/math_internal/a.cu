#include <cmath>
__device__ double shape(double x);
__global__ void ka(double *v) { v[0] = sin(v[1]) / v[2] + pow(v[3], v[4]) + shape(v[5]); }
