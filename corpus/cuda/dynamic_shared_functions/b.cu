extern __shared__ int buffer[];
__device__ int left(int i) { return buffer[i]; }
