extern __device__ unsigned long long total;
extern __managed__ int worst;
__device__ void record(float *sum, int x) {
  atomicAdd(sum, (float)x);
  atomicCAS(&total, 3ull, 4ull);
  atomicExch(&worst, x);
  __threadfence_system();
  atomicAdd_system(&worst, 1);
}
