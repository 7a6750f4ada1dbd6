__device__ int value = 5;
__global__ void k(int *v) { v[0] = value; }
