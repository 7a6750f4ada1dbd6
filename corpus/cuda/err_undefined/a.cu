extern __device__ int missing_variable;
__device__ int missing_function(int x);
__device__ int missing_too(double d);
__global__ void k(int *v) { v[0] = missing_function(v[1]) + missing_variable; }
__device__ int dead(int x) { return missing_too(x); }
