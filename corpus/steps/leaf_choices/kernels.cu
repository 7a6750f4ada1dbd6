// A copy of odd length, whose reads are waited for where their registers are written, and rows of exponentials with loads on their way.
__global__ void copy(int *p, int n) {
  int i = threadIdx.x;
  memcpy(p + i, p + n, 40);
  memset(p + 99, 3, n);
}
__global__ void softmax(const float *x, float *y, int n) {
  float m = -1e30f;
  for (int i = threadIdx.x; i < n; i += 32)
    m = fmaxf(m, x[blockIdx.x * n + i]);
  for (int o = 16; o; o >>= 1)
    m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    s += __expf(x[blockIdx.x * n + i] - m);
  for (int o = 16; o; o >>= 1)
    s += __shfl_xor_sync(~0u, s, o);
  for (int i = threadIdx.x; i < n; i += 32)
    y[blockIdx.x * n + i] = __expf(x[blockIdx.x * n + i] - m) / s;
}
