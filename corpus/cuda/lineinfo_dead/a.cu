__device__ int dead_one(int x) { return x * 3; }
__device__ int live_one(int x);
__global__ void k(int *v) { v[0] = live_one(v[1]); }
__device__ int dead_two(int x) { return dead_one(x) - 1; }
