// All the data of the program; no code.
__device__ int counter;
__device__ int table[5] = {1, 2, 3, 5, 8};
__device__ char small = 'x';
__device__ double big[3];
__device__ __align__(64) float aligned[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ int *pointer = &table[2];
__constant__ int weights[7] = {9, 8, 7, 6, 5, 4, 3};
__constant__ short tiny = 12;
__constant__ double limit;
