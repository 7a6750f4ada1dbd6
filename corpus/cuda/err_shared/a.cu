__device__ int extra(int x);
__global__ void over(int *v) {
  __shared__ int tile[12000];
  tile[threadIdx.x] = v[0];
  __syncthreads();
  v[0] = tile[v[1]] + extra(v[2]);
}
__global__ void exact(int *v) {
  __shared__ int tile[12288];
  tile[threadIdx.x] = v[0];
  __syncthreads();
  v[0] = tile[v[1]];
}
