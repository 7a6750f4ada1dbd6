typedef float (*unary)(float);
typedef float (*binary)(float, float);
__device__ float half(float);
__device__ float square(float);
__device__ float larger(float, float);
__device__ float deep(float, float);
__constant__ unary unaries[2] = {half, square};
__constant__ binary binaries[2] = {larger, deep};
__device__ unary unused_table[1] = {half};
