#include "visitor.h"
__device__ Visitor<float> *choose(Adder<float, 3> *a, Adder<float, 4> *b, int n) {
  static_assert(sizeof(*a) == sizeof(*b), "same layout");
  return n ? (Visitor<float> *)a : b;
}
__global__ void kb(float *v) {
  Adder<float, 3> three(v[1]);
  Visitor<float> *p = v[2] > 0 ? (Visitor<float> *)&three : new Visitor<float>;
  v[0] = p->visit(v[3]);
}
