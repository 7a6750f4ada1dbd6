__device__ int last(int x);
__device__ int step(int x) {
  int s = 0;
  for (int i = 0; i < x; i++)
    s += last(i);
  return s;
}
