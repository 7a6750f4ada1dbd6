__device__ short h = 5;
__device__ __align__(16) char tail[3] = {1, 2, 3};
__device__ __align__(128) char zero[2];
__constant__ short k3 = 4;
__constant__ __align__(16) char k4[6] = {6, 5, 4};
__device__ int peek(int i) {
  __shared__ __align__(128) char s4[1];
  s4[0] = (char)k3;
  __syncthreads();
  return h + tail[i] + k4[i] + zero[i] + s4[0];
}
