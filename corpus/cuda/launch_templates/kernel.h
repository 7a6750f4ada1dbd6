template <int THREADS, int BLOCKS> __global__ void __launch_bounds__(THREADS, BLOCKS) scale(float *v, float f) {
  v[blockIdx.x * THREADS + threadIdx.x] *= f;
}
