__device__ float light(float x);
__global__ void __launch_bounds__(256, 2) bounded(float *v) { v[threadIdx.x] = light(v[threadIdx.x]); }
__global__ void __launch_bounds__(64) one_argument(float *v) { v[threadIdx.x] = light(v[threadIdx.x]) * 2; }
__global__ void __maxnreg__(64) limited(float *v) { v[threadIdx.x] = light(v[threadIdx.x]) * 3; }
__global__ void free_kernel(float *v) { v[threadIdx.x] += 1; }
