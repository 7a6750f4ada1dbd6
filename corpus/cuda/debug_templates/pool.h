template <typename T> __device__ __noinline__ T twice(T x) { return x + x; }
template <typename T> struct Box {
  T value;
  __device__ __noinline__ T get() const { return value; }
};
