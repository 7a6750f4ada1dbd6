__device__ int step(int x);
__device__ int rare(int x);
__constant__ int bias[4] = {1, 2, 3, 4};
__global__ void keep_one(int *v) { v[0] = step(v[1]) + bias[v[2] & 3]; }
__global__ void drop_two(int *v) { v[0] = rare(v[1]); }
__global__ void keep_three(int *v) {
  __shared__ int tile[32];
  tile[threadIdx.x] = v[threadIdx.x];
  __syncthreads();
  v[threadIdx.x] = tile[31 - threadIdx.x];
}
