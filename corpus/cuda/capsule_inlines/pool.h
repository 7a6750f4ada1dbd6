#pragma once

__device__ inline float tilt(float x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += x * i;
  return sum;
}

__device__ inline float blend(float a, float b) {
  if (a < b)
    return tilt(a, 3) + b;
  return b * 2;
}

template <typename T> __device__ __noinline__ T work(const T *v, int n) {
  T sum = 0;
  for (int i = n; i > 1; i /= 2)
    sum += blend(v[i], sum) - blend(sum, v[i - 1]);
#line 20000
  sum *= tilt(sum, n);
#line 3000
  for (int i = 0; i < n; i++)
    sum += blend(v[i], sum);
  return sum;
}
