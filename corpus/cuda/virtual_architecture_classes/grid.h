template <typename T> struct Grid {
  T *cells;
  int n;
  __device__ __noinline__ T smooth(int i) const {
    __shared__ T tile[16];
    tile[threadIdx.x & 15] = cells[i] * (T)1.2345678901234567;
    __syncthreads();
    return tile[(i * 3) & 15] + (T)0.98765432109876543 * cells[n - i];
  }
  __device__ __noinline__ T edge() const { return cells[0] / cells[n]; }
};
