__device__ char c1 = 1;
__device__ __align__(256) int big = 2;
__device__ __align__(32) char odd[5];
__constant__ char k1 = 3;
__constant__ __align__(128) int k2[3] = {1, 2, 3};
__device__ int peek(int i);
__global__ void run(int *v) {
  __shared__ char s1[7];
  __shared__ __align__(64) double s2[5];
  __shared__ __align__(2) char s3[9];
  s1[threadIdx.x % 7] = c1;
  s2[threadIdx.x % 5] = big;
  s3[threadIdx.x % 9] = k1;
  __syncthreads();
  v[0] = s1[v[1]] + (int)s2[v[2]] + s3[v[3]] + odd[v[4]] + k2[v[5]] + peek(v[6]);
}
