__device__ float step(float x);
__global__ void walk(float *v, int n) {
  float x = v[threadIdx.x];
  for (int i = 0; i < n; i++)
    x = step(x);
  v[threadIdx.x] = x;
}
