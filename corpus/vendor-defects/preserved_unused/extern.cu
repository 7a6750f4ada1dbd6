__shared__ unsigned char s6[27];
extern __shared__ int ex[];
extern "C" __global__ void k10(int *p, int a) { p[0] = s6[a % 27u]+ex[a]; }
extern "C" __global__ void k11(int *p, int a) { p[0] = s6[a % 25u]; }
