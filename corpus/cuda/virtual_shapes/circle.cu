#include "shape.h"
__device__ float Circle::area() const { return 3.14159f * radius * radius * scale; }
__device__ float Circle::edge(int i) const { return radius + i; }
