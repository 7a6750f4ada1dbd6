__device__ int helper(int x);
__global__ void k(int *v) { v[0] = helper(v[1]); }
