extern __constant__ float missing_constant;
__device__ int missing_function(int x);
__device__ int missing_in_b(float f);
__global__ void kb(int *v) { v[0] = missing_function(3) + missing_in_b(missing_constant); }
