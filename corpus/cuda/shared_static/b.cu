__device__ float reduce(float x) {
  __shared__ float partial[32];
  __shared__ __align__(16) int odd[3];
  partial[threadIdx.x & 31] = x;
  odd[threadIdx.x % 3] = 1;
  __syncthreads();
  float s = odd[0];
  for (int i = 0; i < 32; i++)
    s += partial[i];
  return s;
}
