__global__ void cpp(int *v) { v[0] = 2; }
