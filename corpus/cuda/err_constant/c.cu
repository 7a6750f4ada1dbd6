__constant__ char three[12] = {3};
__constant__ char four[5] = {4};
__constant__ char five[8] = {5};
__global__ void kc(char *v) { v[0] = three[v[1]]; }
