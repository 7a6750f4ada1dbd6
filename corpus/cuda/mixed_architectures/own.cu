extern __device__ int table[4];
__global__ void own(int *v) { table[v[0] & 3] = v[1]; }
