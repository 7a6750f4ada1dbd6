__device__ double g1[4] = {1,2};
