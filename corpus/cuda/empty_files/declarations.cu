extern __device__ int unused;
__device__ int also_unused(int x);
