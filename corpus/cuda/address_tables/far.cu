__device__ int far_array[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
__device__ double far_plain;
__device__ int function(int x) { return x + 1; }
__device__ int *to_far = far_array + 9;
__global__ void other(int *v) { v[0] = *to_far; }
