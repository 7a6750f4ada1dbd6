template <typename T> __device__ T first = (T)7;
template <typename T> __device__ T block[4];
inline __device__ int everywhere = 11;
inline __device__ __noinline__ int next() {
  static int last = 3;
  last = last * 5 + everywhere;
  return last % 97 + __popc(last) + __clz(last) * __brev(last);
}
