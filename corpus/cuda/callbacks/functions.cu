__device__ float helper(float *p, int n) { return p[n]; }
__device__ float half(float x) { return x * 0.5f; }
__device__ float square(float x) { return x * x; }
__device__ float larger(float a, float b) { return a > b ? a : b; }
__device__ float deep(float a, float b) {
  float local[30];
  for (int i = 0; i < 30; i++)
    local[i] = a + b * i;
  return helper(local, (int)a % 30);
}
__device__ float never(float x) { return x + 2; }
