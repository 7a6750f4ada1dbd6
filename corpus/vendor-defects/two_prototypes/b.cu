extern "C" __device__ int shape(int a, long long b);
typedef int (*two)(int, long long);
__device__ two second = shape;
__global__ void kb(int *v) { v[0] = second(v[1], v[2]); }
