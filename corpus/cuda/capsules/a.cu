// Kernels that call, and kernels that nvlink makes anew: no stack is needed (M45).
extern __device__ int mix(int x);
__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int base = 5;

__global__ void calls(int *p) {
  __shared__ int s[32];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = mix(s[31 - threadIdx.x]) + factors[p[1] & 3] + base;
}

__global__ void leaf(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += 32)
    p[i] = p[i] * 3 + p[i + n];
}
