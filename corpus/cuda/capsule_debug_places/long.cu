template <class T> __device__ __noinline__ T twice(T x) {
  T y = x;
  for (int i = 0; i < 3; i++) {
    T step = x * i;
    y += step;
  }
  return y + x;
}
__global__ void calls(int *p) {
  int a = twice(p[0]);
  p[0] = a + twice(p[1]);
}
