__managed__ int e = 4;
__device__ short f;
