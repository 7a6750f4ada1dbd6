__global__ void k(int *v) { v[0] = 1; }
