__device__ int shared_by_both(int x) { return x * 7; }
__device__ int dead_too(int x) { return shared_by_both(x) + 1; }
__global__ void k(int *v) { v[0] = shared_by_both(v[1]); }
