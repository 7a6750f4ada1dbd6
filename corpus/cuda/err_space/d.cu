extern __constant__ int place;
__global__ void kd(int *v) { v[0] = place; }
