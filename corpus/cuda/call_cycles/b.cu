__device__ int third(int n);
__device__ int leaf(int n);
__device__ int second(int n) {
  int local[12];
  for (int i = 0; i < 12; i++)
    local[i] = third(n - i) + leaf(i);
  return local[n % 12];
}
