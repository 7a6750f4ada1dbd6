#include <cmath>
__device__ double shape(double x) { return pow(x, 1.5) + sqrt(x) / (x + 2.0); }
