__device__ float reduce(float x);
__shared__ int lock;

__global__ void one(float *v) {
  __shared__ float tile[64];
  tile[threadIdx.x] = v[threadIdx.x];
  lock = 0;
  __syncthreads();
  v[threadIdx.x] = reduce(tile[63 - threadIdx.x]) + lock;
}

__global__ void two(double *v) {
  __shared__ double tile[33];
  __shared__ char flags[3];
  tile[threadIdx.x] = v[threadIdx.x];
  flags[threadIdx.x % 3] = 1;
  __syncthreads();
  v[threadIdx.x] = tile[32 - threadIdx.x] + flags[0];
}
