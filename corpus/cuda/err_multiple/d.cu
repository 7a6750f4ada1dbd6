__device__ int value = 4;
