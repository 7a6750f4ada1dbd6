namespace outer {
namespace inner {
struct Vec {
  float x, y;
  __device__ Vec operator+(const Vec &o) const;
};
__device__ float apply(float (*f)(float), float x);
}
__device__ int over(int x);
__device__ float over(float x);
}
__global__ void run(float *v) {
  auto half = [](float x) { return x * 0.5f; };
  float (*f)(float) = half;
  outer::inner::Vec a{v[0], v[1]}, b{v[2], v[3]};
  v[0] = (a + b).x + outer::inner::apply(f, v[4]) + outer::over(3) + outer::over(v[5]);
}
