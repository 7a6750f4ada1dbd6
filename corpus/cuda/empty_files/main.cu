__global__ void k(int *v) { v[0] = v[1] * 2; }
