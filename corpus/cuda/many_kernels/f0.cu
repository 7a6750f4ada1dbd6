__device__ int helper(int x, int y);
__global__ void k0a(int *v) { v[0] = helper(v[1], 0); }
__global__ void k0b(int *v, int p0) { v[1] = v[2] + 1; }
__global__ void k0c(int *v, int p0, int p1) { v[2] = helper(v[1], 2); }
__global__ void k0d(int *v, int p0, int p1, int p2) { v[3] = v[2] + 3; }
__global__ void k0e(int *v, int p0, int p1, int p2, int p3) { v[4] = helper(v[1], 4); }
