// A convolution of halves: between the loads of its block and their uses in the loop, and behind it, numbers run out.
typedef unsigned short half_bits;
__device__ __forceinline__ float half_to_float(half_bits h) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
}
__device__ __forceinline__ half_bits float_to_half(float f) {
  half_bits h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
}
__global__ void conv(const half_bits *in, const half_bits *w, half_bits *o, int H, int W, int C) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z;
  float s = 0;
  for (int ci = 0; ci < C; ci++)
#pragma unroll
    for (int dy = 0; dy < 3; dy++)
#pragma unroll
      for (int dx = 0; dx < 3; dx++)
        s += half_to_float(in[(ci * H + y + dy) * W + x + dx]) * half_to_float(w[((c * C + ci) * 3 + dy) * 3 + dx]);
  o[(c * H + y) * W + x] = float_to_half(s);
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
