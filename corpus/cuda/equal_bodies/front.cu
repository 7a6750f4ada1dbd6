/* Lines of a function that is inlined: its table has entries about .debug_str, in a RELA section. */
static __device__ int sum(const int *values) {
  return values[1] + values[2];
}
__device__ int offset;
extern "C" __global__ void k_front(int *out) { out[0] = sum(out) * 3; }
