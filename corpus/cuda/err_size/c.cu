__device__ int field[8];
__global__ void kc(int *v) { v[0] = field[v[1]]; }
