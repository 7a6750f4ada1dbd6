#include <cstdio>
__device__ void log_all(int a, double b, const char *c) { printf("%s: %5d %-8.3f %p %c %lld\n", c, a, b, (void *)c, (char)a, (long long)a); }
__device__ void dead_log() { printf("start %d\n", 7); }
