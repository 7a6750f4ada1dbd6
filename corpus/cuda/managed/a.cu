__managed__ int total = 7;
__managed__ float history[16];
extern __managed__ double remote;
__device__ void note(float f);
__global__ void run(int n) {
  total += n;
  note(remote * n);
}
