__device__ int loop(int n) { return n ? loop(n - 1) + 1 : 0; }
__device__ __noinline__ double heavy(double x) {
  __shared__ double tile[16];
  tile[threadIdx.x & 15] = x * 1.2345678901234567;
  __syncthreads();
  return tile[3] + loop((int)x);
}
__constant__ int dead_constants[6] = {1, 1, 2, 3, 5, 8};
__device__ int reads() { return dead_constants[(int)heavy(2.0) & 3]; }
