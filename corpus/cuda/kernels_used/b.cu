__device__ int step(int x) { return x + 3; }
__device__ int rare(int x) {
  __shared__ int scratch[64];
  scratch[threadIdx.x] = x;
  __syncthreads();
  return scratch[x & 63];
}
__global__ void drop_four(double *v) { v[0] = v[1] * 1.2345678901234567; }
