__device__ float only_if(float x);
inline __device__ __noinline__ float body(const float *v, int n) {
  float a[32];
#pragma unroll
  for (int i = 0; i < 32; i++)
    a[i] = v[i] * n;
  float s = 0;
#pragma unroll
  for (int i = 0; i < 32; i++)
    s = s * a[31 - i] + v[i + n];
#ifdef EXTRA
  s += only_if(s);
#endif
  return s;
}
