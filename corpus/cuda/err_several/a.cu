__device__ int missing(int x);
extern __device__ int nowhere;
__device__ int down(int n);
__global__ void big(int *v) {
  __shared__ int tile[12289];
  tile[threadIdx.x] = v[0];
  __syncthreads();
  v[0] = tile[v[1]] + missing(v[2]) + nowhere;
}
__global__ void cycle(int *v) { v[0] = down(v[1]); }
