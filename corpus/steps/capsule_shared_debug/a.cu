__shared__ int pool[5];
__global__ void k(int *p) {
  __shared__ int own[7];
  own[threadIdx.x] = *p;
  pool[threadIdx.x & 3] = 1;
  __syncthreads();
  *p = own[3] + pool[1];
}
