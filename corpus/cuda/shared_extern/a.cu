extern __shared__ float bytes[];
__device__ float pick(int i);

__global__ void scatter(float *v, int n) {
  bytes[threadIdx.x] = v[threadIdx.x];
  __syncthreads();
  v[threadIdx.x] = pick(n);
}

__global__ void with_static(float *v, int n) {
  __shared__ short own[19];
  own[threadIdx.x % 19] = (short)n;
  bytes[threadIdx.x] = own[0];
  __syncthreads();
  v[threadIdx.x] = bytes[n] + own[n % 19];
}
