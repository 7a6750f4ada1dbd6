__device__ float heavy(const float *v) {
  float a[160];
#pragma unroll
  for (int i = 0; i < 160; i++)
    a[i] = v[i] * v[i + 160];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int i = 0; i < 160; i++)
    s = s * a[159 - i] + a[i];
  return s;
}
__device__ float middle(const float *v) { return heavy(v) + 1; }
