__device__ int nowhere(int x);
__global__ void k(int *v) { v[0] = nowhere(v[1]); }
