extern __shared__ double pool[];
__shared__ int for_file[6];
__device__ int reach(int i);
__global__ void one(int *v) {
  __shared__ int tile[10];
  tile[threadIdx.x % 10] = v[0];
  for_file[threadIdx.x % 6] = 1;
  __syncthreads();
  v[0] = tile[v[1]] + for_file[v[2]] + reach(v[3]);
}
__global__ void two(double *v) {
  pool[threadIdx.x] = v[0];
  __syncthreads();
  v[0] = pool[0] + for_file[0];
}
