#include "types.h"
__device__ Thing::Thing(int i, int b) {
  id = i;
  bytes = b;
}
__device__ int Thing::size() const { return bytes * 2; }
__device__ int Thing::name() const { return id + 100; }
__device__ int Thing::both() const { return name() + size(); }
