typedef int (*unary)(int);
__constant__ int equal[4] = {1, 2, 3, 4};
extern __managed__ int host_count;
__shared__ int between[12];
__device__ int shared_user(int i) {
  between[threadIdx.x % 12] = i;
  __syncthreads();
  return between[i % 12] + host_count;
}
__device__ int loop(int n) { return n ? loop(n - 1) + equal[n & 3] : 0; }
__global__ void gamma_kernel(int *v) { v[0] = loop(v[1]) + shared_user(3); }
