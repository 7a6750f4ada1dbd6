typedef float (*unary)(float);
typedef float (*binary)(float, float);
extern __constant__ unary unaries[2];
extern __constant__ binary binaries[2];
__device__ __noinline__ float pass(unary f, float x) { return f(x); }
__global__ void use_unary(float *v, int n) { v[0] = pass(unaries[n & 1], v[1]); }
__global__ void use_binary(float *v, int n) { v[0] = binaries[n & 1](v[1], v[2]); }
__global__ void neither(float *v) { v[0] = v[1]; }
