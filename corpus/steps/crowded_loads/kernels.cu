// More constants are loaded for later blocks than there are scoreboard numbers, uniform ones and those of one lane.

__global__ void sums(int n, int rows, float *out, float a, float b, float *in, int width, float c, float d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  float s = 0, t = ((c - s) + (d - a)) * (c * (float)n + a * s);
  float u = (a * (float)rows) * (s * c) - ((float)width * c + a * (float)rows);
  for (int i = 0; i < rows; i++) {
    s = in[i] * (float)i + ((float)i * b - u * u);
    s = out[i * width + x] * (float)i + (c * c - (a + c));
    out[i] = s;
    s = in[i] * d + a;
    s = in[x * rows + y] * (float)i + (b - t);
    in[(z * rows + y) * rows + x] = s;
  }
  out[(z * width + y) * width + x] = s * a;
}

__global__ void strides(float a, int width, float *unused, float b, float c, float d, int n, float *out, float *first, int end,
                        int other, float e, float f, float *second, float g) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float s = 0, t = ((e + d) + (a + (float)n)) - (g * g) * (b + f);
  for (int i = x; i < end; i += blockDim.x * gridDim.x) {
    s = first[i] * d + (f * (float)x + ((float)end + (float)i));
    s = second[x + end] * c + ((e + t) + ((float)end + a));
    s = second[x + 2] * a + g * t;
    second[i] = s;
  }
  out[x * width + y] = s * g;
}

__global__ void steps(float *in, float a, int n, float b, float c, float *out, float d, float e, float f, float *unused) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int i = x; i < n; i += blockDim.x * gridDim.x) {
    s = in[x] * b + e * s;
    out[i] = s;
    s = in[i] * e + (f + f) * (d + a);
  }
  out[x] = s * b;
}
