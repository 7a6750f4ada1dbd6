#include "base.h"
static __device__ int calls = 2;
__device__ int use(const Base *b) { return b->twice() + calls++; }
