__device__ int down(int n) { return n; }
__device__ int elsewhere(int x) { return x; }
__device__ int nowhere = 3;
