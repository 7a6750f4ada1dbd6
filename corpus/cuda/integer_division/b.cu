__device__ long long reduce(long long a, long long b) { return a % b + (long long)((unsigned long long)a / (unsigned long long)b); }
