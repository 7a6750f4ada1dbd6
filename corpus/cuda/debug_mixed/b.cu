#include "base.h"
__device__ int Base::get() const { return x; }
