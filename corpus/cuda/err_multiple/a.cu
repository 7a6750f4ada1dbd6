__device__ int twice(int x) { return x; }
__device__ int value = 3;
__global__ void kernel(int *v) { v[0] = twice(v[1]) + value; }
