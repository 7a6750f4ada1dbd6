__device__ double b(double x);
__global__ void ka(double *v) { v[0] = v[1] / v[2] + b(v[3]); }
