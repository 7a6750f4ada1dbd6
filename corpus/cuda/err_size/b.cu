__device__ int field[8] = {1, 2, 3};
