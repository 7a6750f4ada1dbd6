extern __device__ int value;
__global__ void other(int *v) { v[0] = value; }
