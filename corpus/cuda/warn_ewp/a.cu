__device__ int value = 3;
__global__ void k(int *v) { v[0] = value; }
