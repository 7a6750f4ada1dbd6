namespace outer {
namespace inner {
struct Vec {
  float x, y;
  __device__ Vec operator+(const Vec &o) const;
};
__device__ Vec Vec::operator+(const Vec &o) const { return {x + o.x, y + o.y}; }
__device__ float apply(float (*f)(float), float x) { return f(x) + 1; }
}
__device__ int over(int x) { return x + 1; }
__device__ float over(float x) { return x * 2; }
}
