extern __device__ float aligned[4];
extern __device__ char small;
extern __constant__ short tiny;
__device__ double fold(int i) { return aligned[i & 3] * tiny + small; }
