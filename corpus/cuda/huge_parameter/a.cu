struct Huge {
  int values[1250];
};
__device__ int sum(const Huge &h);
__global__ void huge(Huge h, int *v) { v[0] = h.values[v[1]]; }
__global__ void constant(const __grid_constant__ Huge h, int *v) { v[0] = sum(h); }
__global__ void tiny(char c, char *v) { v[0] = c; }
