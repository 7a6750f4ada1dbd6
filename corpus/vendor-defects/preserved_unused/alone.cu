__shared__ double s4[69];
extern "C" __device__ int f(int *p, int a) { p[0] = 1; return 1;}
