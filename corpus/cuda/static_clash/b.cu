static __device__ int state = 2;
static __device__ __noinline__ int foo(int x) { return x * 5 - state; }
namespace {
__device__ int hidden = 8;
__device__ __noinline__ int bar(int x) { return foo(x) - hidden; }
}
__device__ int from_b(int x) { return bar(x) + foo(x); }
__global__ void k2(int *v) { v[0] = from_b(v[1]); state = v[3]; hidden = v[4]; }
