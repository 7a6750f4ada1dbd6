__device__ int a = 1, b, c[3] = {1, 2};
__constant__ float d[2] = {1.0f, 2.0f};
