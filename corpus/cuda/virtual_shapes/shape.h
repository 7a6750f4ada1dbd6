struct Shape {
  float scale;
  __device__ Shape(float s) : scale(s) {}
  __device__ virtual float area() const = 0;
  __device__ virtual float edge(int i) const;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ Square(float s, float a) : Shape(s), side(a) {}
  __device__ float area() const override;
};
struct Circle : Shape {
  float radius;
  __device__ Circle(float s, float r) : Shape(s), radius(r) {}
  __device__ float area() const override;
  __device__ float edge(int i) const override;
};
