#include "shape.h"
__device__ float Shape::edge(int i) const { return scale * i; }
__device__ float Square::area() const { return scale * side * side; }
