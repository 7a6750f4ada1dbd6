extern "C" __device__ int shape(int a);
__global__ void k(int *v) { v[0] = shape(v[1]); }
