typedef int (*operation)(int, int);
extern __device__ operation in_global[3];
extern __constant__ operation in_constant[2];
__device__ int apply(operation f, int x);
__device__ int local_operation(int a, int b) { return a ^ b; }

__global__ void run(int *v, int which) {
  int x = v[threadIdx.x];
  x = in_global[which % 3](x, 3);
  x = in_constant[which & 1](x, 5);
  v[threadIdx.x] = apply(local_operation, x);
}
