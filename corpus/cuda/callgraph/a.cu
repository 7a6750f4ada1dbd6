namespace tools {
template <typename T> __device__ __noinline__ T scale(T x, int n) { return x * n; }
struct Op {
  __device__ float operator()(float x, const int *p, unsigned long long u) const;
};
}
namespace {
__device__ __noinline__ int quiet(int x) { return x + 3; }
}
typedef int (*step)(int);
__device__ int walk(step s, int n);
__device__ int down(int n) { return n ? down(n - 1) + 1 : 0; }
__global__ void k(float *v, int *w) {
  tools::Op op;
  v[0] = op(v[1], w, 7ull) + tools::scale(v[2], 3);
  w[0] = walk(quiet, w[1]) + down(w[2]);
}
__global__ void simple(int *w) { w[0] = tools::scale(w[1], 2); }
