extern "C" __device__ __noinline__ int shape(int a) { return 3 * a; }
typedef int (*one)(int);
__device__ one first = shape;
__global__ void ka(int *v) { v[0] = first(v[1]); }
