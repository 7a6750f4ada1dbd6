extern __device__ int field[4];
__global__ void k(int *v) { v[0] = field[v[1]]; }
