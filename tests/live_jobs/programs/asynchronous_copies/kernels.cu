// Asynchronous copies to shared memory in groups, as applications have them: a loop that ptxas unrolls, stages of a
// pipeline, and products of matrices with two buffers.
#include <cuda_pipeline.h>

extern "C" __global__ void copies(const float4 *in, float *out, int n) {
  __shared__ float4 tile[128];
  for (int i = 0; i < n; i++) {
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[i * 128 + threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i * 128 + threadIdx.x] = tile[threadIdx.x ^ 1].x;
    __syncthreads();
  }
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16);
}

extern "C" __global__ void staged(const float4 *in, float *out, int n) {
  extern __shared__ float4 stages[];
  for (int i = 0; i < 3; i++) {
    __pipeline_memcpy_async(&stages[i * blockDim.x + threadIdx.x], &in[i * blockDim.x + threadIdx.x], 16);
    __pipeline_commit();
  }
  float sum = 0;
  for (int i = 0; i < n; i++) {
    __pipeline_wait_prior(2);
    __syncthreads();
    sum += stages[i % 4 * blockDim.x + (threadIdx.x ^ 1)].y;
    if (i + 3 < n)
      __pipeline_memcpy_async(&stages[(i + 3) % 4 * blockDim.x + threadIdx.x],
                              &in[(i + 3) * blockDim.x + threadIdx.x], 16);
    __pipeline_commit();
  }
  out[threadIdx.x] = sum;
}

template <int UNROLLED, int TILE> __global__ void product(const float *a, const float *b, float *out, int n) {
  __shared__ float left[2][TILE][TILE], right[2][TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  auto load = [&](int k, int stage) {
    __pipeline_memcpy_async(&left[stage][y][x], &a[row * n + k + x], 4);
    __pipeline_memcpy_async(&right[stage][y][x], &b[(k + y) * n + column], 4);
    __pipeline_commit();
  };
  load(0, 0);
  float sum = 0;
#pragma unroll UNROLLED
  for (int k = 0; k < n; k += TILE) {
    if (k + TILE < n)
      load(k + TILE, (k / TILE + 1) & 1);
    __pipeline_wait_prior(k + TILE < n ? 1 : 0);
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += left[(k / TILE) & 1][y][i] * right[(k / TILE) & 1][i][x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}
template __global__ void product<1, 16>(const float *, const float *, float *, int);
template __global__ void product<3, 8>(const float *, const float *, float *, int);
