template <typename T> struct Visitor {
  __device__ virtual T visit(T x) { return x; }
  __device__ virtual ~Visitor() {}
};
template <typename T, int N> struct Adder : Visitor<T> {
  T extra;
  __device__ Adder(T e) : extra(e) {}
  __device__ T visit(T x) override { return x + extra * N; }
};
