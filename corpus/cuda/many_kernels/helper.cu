__device__ int helper(int x, int y) { return x * y + 1; }
