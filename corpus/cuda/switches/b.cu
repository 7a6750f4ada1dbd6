__device__ int decode(int op, int x) {
  switch (op & 15) {
  case 0: return x + 1;
  case 1: return x * x;
  case 2: return x / 3;
  case 3: return __clz(x);
  case 4: return x % 11;
  case 5: return x | 64;
  case 6: return __ffs(x);
  case 7: return -x;
  case 8: return x * 5 - 1;
  case 9: return x >> 3;
  case 10: return ~x;
  default: return 2;
  }
}
