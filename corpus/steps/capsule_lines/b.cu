__device__ double g2[4] = {1,2};
__device__ int f(int a) { return a * 3; }
__global__ void k(int *p) { *p = f(*p); }
