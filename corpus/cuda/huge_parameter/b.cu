struct Huge {
  int values[1250];
};
__device__ int sum(const Huge &h) {
  int s = 0;
  for (int i = 0; i < 1250; i += 50)
    s += h.values[i];
  return s;
}
