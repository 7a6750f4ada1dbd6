extern __shared__ int buffer[];
__device__ int left(int i);
__device__ int right(int i);
__shared__ int common_to_file[5];
__global__ void small(int *v) { v[0] = left(v[1]); }
__global__ void large(int *v) {
  __shared__ int mine[100];
  mine[threadIdx.x] = v[threadIdx.x];
  common_to_file[threadIdx.x % 5] = 1;
  __syncthreads();
  v[0] = left(mine[v[1]]) + right(v[2]) + common_to_file[v[3]];
}
__global__ void direct(int *v) {
  buffer[threadIdx.x] = v[threadIdx.x];
  __syncthreads();
  v[0] = buffer[v[1]];
}
__global__ void without(int *v) { v[0] = 1; }
