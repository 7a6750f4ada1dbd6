__constant__ char one[40000];
__global__ void ka(char *v) { v[0] = one[v[1]]; }
