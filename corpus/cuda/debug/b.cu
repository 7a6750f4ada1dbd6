struct Pair { int a; float b; };
__device__ float combine(const Pair *p) {
  float s = 0;
  for (int i = 0; i < p->a; i++)
    s += p->b;
  return s;
}
