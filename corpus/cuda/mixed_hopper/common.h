template <typename T> __device__ __noinline__ T weigh(T x) { return x * x + 1; }
