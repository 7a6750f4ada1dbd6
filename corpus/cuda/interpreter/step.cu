__device__ float step(int op, float a, float *c) {
  for (int i = 0; i < 4; i++)
    switch ((op + i) & 7) {
    case 0: a += *c; break;
    case 1: *c = a; break;
    case 2: a = c[1]; break;
    case 3: c[2] = a; break;
    case 4: a = -a; break;
    case 5: __syncthreads(); break;
    case 6: c++; break;
    case 7: return a;
    }
  return a + 1;
}
