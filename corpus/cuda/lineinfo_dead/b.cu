__device__ int live_one(int x) { return x - 4; }
__device__ int dead_three(int x) { return x * x * x; }
