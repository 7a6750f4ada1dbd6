extern __device__ int counter, table[5];
extern __device__ double big[3];
extern __device__ int *pointer;
extern __constant__ int weights[7];
extern __constant__ double limit;
__device__ double fold(int i);

__global__ void sum(double *out, int n) {
  double s = limit;
  for (int i = 0; i < n; i++)
    s += table[i % 5] * weights[i % 7] + fold(i);
  atomicAdd(&counter, *pointer);
  big[n % 3] = s;
  *out = s;
}
