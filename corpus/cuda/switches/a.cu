__device__ int decode(int op, int x);
__global__ void run(int *v, int n) {
  int x = v[threadIdx.x];
  switch (n) {
  case 0: x = decode(x, 1); break;
  case 1: x *= 3; break;
  case 2: x = x / 7; break;
  case 3: x ^= 0x55; break;
  case 4: x = __popc(x); break;
  case 5: x = __brev(x); break;
  case 6: x = x << (n & 3); break;
  case 7: x = decode(x >> 2, x); break;
  default: x = 0;
  }
  v[threadIdx.x] = x;
}
