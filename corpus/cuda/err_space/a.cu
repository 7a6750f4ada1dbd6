extern __device__ int place;
__global__ void k(int *v) { v[0] = place; }
