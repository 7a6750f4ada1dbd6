extern __device__ int scale;
__device__ int bias(int x);
__device__ __noinline__ int helper(int x) { return x * scale - 1; }
__device__ int twice(int x) { return helper(x) + bias(2 * x); }
