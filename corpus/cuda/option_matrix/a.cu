typedef int (*unary)(int);
__constant__ int codes[4] = {1, 2, 3, 4};
__constant__ int same[4] = {5, 6, 7, 8};
__managed__ int host_count;
extern __shared__ int pool[];
__device__ int shared_user(int i);
__device__ int negate(int x) { return -x; }
__device__ int unused_taken(int x) { return x + 2; }
__device__ unary table[2] = {negate, unused_taken};
__device__ int dead(int x) { return codes[x & 3] + shared_user(x); }
__global__ void alpha(int *v) {
  __shared__ int tile[20];
  tile[threadIdx.x % 20] = v[0];
  __syncthreads();
  v[0] = tile[v[1]] + shared_user(v[2]) + codes[v[3] & 3];
}
__global__ void beta(int *v, unary f) {
  pool[threadIdx.x] = f(v[0]);
  __syncthreads();
  v[0] = pool[v[1]] + same[v[2] & 3];
}
