static __device__ int state = 1;
static __device__ __noinline__ int foo(int x) { return x * 3 + state; }
namespace {
__device__ int hidden = 4;
__device__ __noinline__ int bar(int x) { return foo(x) + hidden; }
}
__device__ int from_b(int x);
__global__ void k(int *v) { v[0] = bar(v[1]) + from_b(v[2]); state = v[3]; hidden = v[4]; }
