__device__ double c(double x);
__device__ double b(double x) { return sqrt(x) / c(x); }
