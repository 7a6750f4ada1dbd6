__device__ void cpp(int *v) { v[0] = 3; }
__global__ void ke(int *v) { cpp(v); }
