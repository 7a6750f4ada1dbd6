__device__ inline float nudge(float x) {
  if (x < 0)
    return -x;
  return x + 1;
}
