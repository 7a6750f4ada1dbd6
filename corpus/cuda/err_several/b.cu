__device__ int elsewhere(int x);
__device__ int down(int n) { return n ? down(n - 1) + elsewhere(n) : 0; }
