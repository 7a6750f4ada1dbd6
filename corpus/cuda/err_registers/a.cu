__device__ float heavy(const float *v);
__device__ float middle(const float *v);
__global__ void __launch_bounds__(1024) narrow(float *v) { v[0] = heavy(v); }
__global__ void __maxnreg__(40) limited(float *v) { v[0] = middle(v); }
__global__ void wide(float *v) { v[0] = heavy(v); }
