extern __managed__ float history[16];
__managed__ double remote = 2.5;
__device__ int plain_neighbour;
__device__ void note(float f) { history[plain_neighbour++ & 15] = f; }
