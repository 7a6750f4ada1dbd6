#include <cstdio>
__device__ void log_float(float f) { printf("%f %g %e\n", f, f, f); }
