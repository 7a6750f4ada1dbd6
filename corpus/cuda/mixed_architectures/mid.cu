__device__ int helper(int x) {
  switch (x) {
  case 0: return 3;
  case 1: return x * 5;
  default: return x / 3;
  }
}
__global__ void k86(double *v) { v[0] = v[1] / v[2]; }
