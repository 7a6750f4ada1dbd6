__device__ double series(double x);
__device__ double rational(double x);
__global__ void k1(double *v) { v[0] = series(v[1]) * 1.2345678901234567; }
__global__ void k2(double *v) { v[0] = rational(v[1]) + v[2] / 3.7182818284590452; }
