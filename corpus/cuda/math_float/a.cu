__device__ float ratio(float a, float b);
__global__ void run(float *v) {
  float x = v[threadIdx.x];
  v[threadIdx.x] = ratio(x, v[0]) + sinf(x * 1000.0f) + sqrtf(x);
}
__global__ void plain(float *v) { v[0] = v[1] / v[2]; }
