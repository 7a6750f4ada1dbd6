__device__ long long reduce(long long a, long long b);
__global__ void run(long long *v) { v[0] = v[1] / v[2] + reduce(v[3], v[4]); }
