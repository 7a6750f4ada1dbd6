extern "C" __device__ void both(int *v);
__global__ void kd(int *v) { both(v); }
