__device__ int odd(int n);
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__global__ void use_fib(int *v) { v[0] = fib(v[1]); }
__global__ void use_even(int *v) { v[0] = even(v[1]); }
__global__ void plain(int *v) { v[0] = v[1] + 1; }
