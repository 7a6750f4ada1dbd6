__device__ int step(int x);
__global__ void run(int *v) { v[0] = step(v[1]); }
