#include "types.h"
__device__ int Sized::size() const { return bytes; }
