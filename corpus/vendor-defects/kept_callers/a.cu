typedef int (*step)(int);
__device__ __noinline__ int last(int x) { return x * 3 + 1; }
__device__ __noinline__ int first(int x) { return x > 9 ? first(x - 9) : last(x); }
__device__ __noinline__ int alone(int x) { return x ^ 5; }
__device__ step table[3] = {first, last, alone};
__global__ void k(int *v) { v[0] = v[1]; }
