extern __constant__ int nowhere;
__device__ int down(int n);
__global__ void kd(int *v) { v[0] = nowhere + down(2); }
__device__ int elsewhere(int x) { return x + 1; }
