// A function with a jump table and one that nothing calls.
__device__ __noinline__ int mix(int x) {
  switch (x & 7) {
  case 0: return x * 3;
  case 1: return x ^ 0x55;
  case 2: return x << 3;
  case 3: return x - 77;
  case 4: return x | 9;
  case 5: return x * x;
  default: return x + 1;
  }
}
__device__ __noinline__ int nobody(int x) { return x * 5 + 2; }
