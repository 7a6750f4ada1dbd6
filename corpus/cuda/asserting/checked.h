#include <cassert>
template <typename T> struct Checked {
  T *data;
  int n;
  __device__ __noinline__ T &at(int i) const {
    assert(i >= 0 && i < n);
    return data[i];
  }
};
