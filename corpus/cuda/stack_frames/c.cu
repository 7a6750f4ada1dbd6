__device__ int bottom(int *p, double x) {
  volatile double spill[9];
  for (int i = 0; i < 9; i++)
    spill[i] = x + p[i];
  return (int)spill[p[0] % 9];
}
