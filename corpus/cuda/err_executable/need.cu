extern __device__ int inside;
__global__ void need(int *v) { v[0] = inside; }
