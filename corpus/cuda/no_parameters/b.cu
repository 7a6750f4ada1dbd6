struct Triple {
  long long a, b, c;
};
extern __device__ int sink;
__device__ Triple make(int n) { return {n, n * 2, n * 3}; }
__device__ void consume(Triple t) { sink = (int)(t.a + t.b * t.c); }
