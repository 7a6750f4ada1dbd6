__device__ int bottom(int *p, double x);
__device__ int middle(int *p, int n) {
  int mine[20];
  for (int i = 0; i < 20; i++)
    mine[i] = p[i + n];
  return bottom(mine, n * 1.5);
}
