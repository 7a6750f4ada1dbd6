__global__ void other(int *v) { v[0] = 8; }
