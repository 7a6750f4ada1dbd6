#include "pool.h"
__device__ int dead() { return next() + first<short>; }
