#include <cmath>
__global__ void kc(double *v) { v[0] = 1.0 / v[1] + sqrt(v[2]) * rsqrt(v[3]); }
