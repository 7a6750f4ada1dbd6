__constant__ char two[30000];
__global__ void kb(char *v) { v[0] = two[v[1]]; }
