__device__ void fill(char *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = (char)i;
}
