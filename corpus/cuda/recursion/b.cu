__device__ int even(int n);
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
