// Leaf kernels as applications have them: more loads are on their way than there are scoreboard numbers (M45i).

template <int RADIUS>
__global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width - RADIUS || x < RADIUS)
    return;
  float sum = 0;
#pragma unroll
  for (int i = -RADIUS; i <= RADIUS; i++)
    sum += in[y * width + x + i] * (i + 1.5f) + in[(y + i + RADIUS) * width + x];
  out[y * width + x] = sum;
}
template __global__ void stencil<1>(const float *, float *, int);
template __global__ void stencil<3>(const float *, float *, int);
template __global__ void stencil<7>(const float *, float *, int);

template <int TILE>
__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    left[y][x] = a[(blockIdx.y * TILE + y) * n + k + x];
    right[y][x] = b[(k + y) * n + blockIdx.x * TILE + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++)
      sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x] = sum;
}
template __global__ void multiply<8>(const float *, const float *, float *, int);
template __global__ void multiply<16>(const float *, const float *, float *, int);
template __global__ void multiply<32>(const float *, const float *, float *, int);

__global__ void bodies(float4 *place, float4 *speed, int n, float step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = place[i];
  float3 force = {0, 0, 0};
#pragma unroll 8
  for (int j = 0; j < n; j++) {
    const float4 other = place[j];
    const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f), s = other.w * r * r * r;
    force.x += dx * s, force.y += dy * s, force.z += dz * s;
  }
  float4 v = speed[i];
  v.x += force.x * step, v.y += force.y * step, v.z += force.z * step;
  speed[i] = v;
  own.x += v.x * step, own.y += v.y * step, own.z += v.z * step;
  place[i] = own;
}

__global__ void sparse(const int *rows, const int *columns, const double *values, const double *x, double *y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  double sum = 0;
  for (int k = rows[row]; k < rows[row + 1]; k++)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}

__global__ void histogram(const unsigned char *data, unsigned *bins, int n) {
  __shared__ unsigned own[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&bins[i], own[i]);
}

__global__ void gather(const int *places, const double2 *table, double2 *out, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  double2 sum = make_double2(0, 0);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const double2 v = table[places[k * 8 + i]];
    sum.x += v.x * v.y, sum.y -= v.y;
  }
  out[k] = sum;
  if (n > 5)
    out[k + n] = table[k];
}

__global__ void softmax(const float *in, float *out, int n) {
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    most = fmaxf(most, in[blockIdx.x * n + i]);
  for (int o = 16; o; o >>= 1)
    most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  for (int i = threadIdx.x; i < n; i += 32)
    sum += __expf(in[blockIdx.x * n + i] - most);
  for (int o = 16; o; o >>= 1)
    sum += __shfl_xor_sync(~0u, sum, o);
  for (int i = threadIdx.x; i < n; i += 32)
    out[blockIdx.x * n + i] = __expf(in[blockIdx.x * n + i] - most) / sum;
}
