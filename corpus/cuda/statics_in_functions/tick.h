template <typename T> __device__ __noinline__ T tick(T by) {
  static T now = 5;
  static T history[3];
  __shared__ T recent[8];
  recent[threadIdx.x & 7] = now;
  history[(int)now % 3] = by;
  __syncthreads();
  return now += recent[0];
}
inline __device__ __noinline__ int counter() {
  static int n;
  auto next = [](int x) {
    static int calls = 9;
    return x + calls++;
  };
  return n = next(n);
}
