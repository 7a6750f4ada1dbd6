/* Texture reads that are waited for by count: the finalizer puts DEPBAR in front of what needs the first of them, and rows of
 * line tables begin there (L1971). */
__constant__ float weights[5];

extern "C" __global__ void blurred(cudaTextureObject_t texture, float *out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0;
  for (int k = -2; k <= 2; k++)
    sum += weights[k + 2] * tex2D<float>(texture, x + k, y);
  out[y * width + x] = sum;
}

extern "C" __global__ void edges(cudaTextureObject_t texture, uchar4 *out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const float left = tex2D<float>(texture, x - 1, y);
  const float right = tex2D<float>(texture, x + 1, y);
  const float above = tex2D<float>(texture, x, y - 1);
  const float below = tex2D<float>(texture, x, y + 1);
  const float across = right - left;
  const float down = below - above;
  const float strength = __fsqrt_rn(across * across + down * down);
  out[y * width + x] = make_uchar4(strength, across, down, 255);
}
