__device__ unsigned long long total;
__managed__ int worst;
__device__ void record(float *sum, int x);
__global__ void count(float *sum, const int *v) {
  __shared__ int here;
  if (threadIdx.x == 0)
    here = 0;
  __syncthreads();
  atomicAdd(&here, v[threadIdx.x]);
  atomicMax(&worst, v[threadIdx.x]);
  __syncthreads();
  atomicAdd(&total, (unsigned long long)here);
  record(sum, here);
}
