__device__ float step(int op, float a, float *c);
__global__ void vm(const int *code, float *out, int n) {
  float a = 0, b = 1, c = 2;
  for (int i = 0; i < n; i++) {
    switch (code[i]) {
    case 0: a += b; break;
    case 1: b *= c; break;
    case 2: c -= a; break;
    case 3: a = step(i, b, &c); break;
    case 4: b = step(i + 1, c, &a); break;
    case 5: out[i] = a; break;
    case 6: out[i] = b; break;
    case 7: a = out[i]; break;
    case 8: i += (int)a; break;
    case 9: __syncthreads(); break;
    case 10: return;
    }
  }
  out[n] = a + b + c;
}
