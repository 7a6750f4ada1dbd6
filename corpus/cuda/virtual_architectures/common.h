template <typename T> __device__ __noinline__ T spin(T x, int n) {
  for (int i = 0; i < n; i++)
    x = x * x + (T)i;
  return x;
}
