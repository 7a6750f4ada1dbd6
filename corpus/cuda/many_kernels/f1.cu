__device__ int helper(int x, int y);
__global__ void k1a(int *v) { v[0] = helper(v[1], 5); }
__global__ void k1b(int *v, int p0) { v[1] = v[2] + 1; }
__global__ void k1c(int *v, int p0, int p1) { v[2] = helper(v[1], 7); }
__global__ void k1d(int *v, int p0, int p1, int p2) { v[3] = v[2] + 3; }
__global__ void k1e(int *v, int p0, int p1, int p2, int p3) { v[4] = helper(v[1], 9); }
