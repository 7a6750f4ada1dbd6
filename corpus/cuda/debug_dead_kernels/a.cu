extern __shared__ int pool[];
__device__ int value = 2;
__global__ void stay(int *v) {
  __shared__ int tile[6];
  tile[threadIdx.x % 6] = v[0];
  __syncthreads();
  v[0] = tile[v[1]] + value;
}
__global__ void leave(int *v) {
  __shared__ short other[9];
  other[threadIdx.x % 9] = (short)v[0];
  pool[threadIdx.x] = v[1];
  __syncthreads();
  v[0] = other[v[1]] + pool[0];
}
