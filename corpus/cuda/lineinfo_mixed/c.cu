__device__ int last(int x) { return x ^ 1; }
__device__ int dead(int x) { return last(x) + 1; }
