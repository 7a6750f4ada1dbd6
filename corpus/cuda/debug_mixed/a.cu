#include "base.h"
extern __shared__ int pool[];
static __device__ int calls = 1;
struct Derived : Base {
  __device__ int get() const override { return x + calls; }
};
__device__ int use(const Base *b);
__global__ void run(int *v) {
  Derived d;
  d.x = v[1];
  pool[threadIdx.x] = use(&d);
  __syncthreads();
  v[0] = pool[0];
  calls++;
}
