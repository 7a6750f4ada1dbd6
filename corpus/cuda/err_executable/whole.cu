__device__ int inside = 3;
__global__ void whole(int *v) { v[0] = inside; }
