__device__ int second(int n);
__device__ int leaf(int n);
__device__ int first(int n) { return n <= 0 ? leaf(n) : second(n - 1) + 1; }
__global__ void in_cycle(int *v) { v[0] = first(v[1]); }
__global__ void beside(int *v) { v[0] = leaf(v[1]); }
