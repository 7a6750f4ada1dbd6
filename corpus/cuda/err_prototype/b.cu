extern "C" __device__ int shape(int a, long long b) { return a + (int)b; }
