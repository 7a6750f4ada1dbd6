__device__ int scale = 3;
__device__ float mix(float a, float b, int n) {
  float sum = a;
  for (int i = 0; i < n; i++)
    sum = sum * b + a;
  return sum;
}
