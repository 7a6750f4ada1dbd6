__device__ int never(int x) { return x + 1; }
__device__ __noinline__ double never_either(double x) { return never((int)x) / 3.0; }
__device__ int dead_table[4] = {1, 2, 3, 4};
