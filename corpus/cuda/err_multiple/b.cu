__device__ int twice(int x) { return x + 1; }
__device__ int value;
__global__ void kernel(int *v) { v[0] = twice(v[2]); }
