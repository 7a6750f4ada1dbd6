struct Triple {
  long long a, b, c;
};
__device__ Triple make(int n);
__device__ void consume(Triple t);
__device__ int sink;
__global__ void nothing() {}
__global__ void pass() { consume(make(threadIdx.x)); }
__global__ void stay() { sink = 3; }
