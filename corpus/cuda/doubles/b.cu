__device__ double series(double x) {
  double s = 0.12345678912345678;
  s = s * x + 1.98765432198765432;
  s = s * x + 2.11111111111111111;
  s = s * x - 7.77777777777777777;
  s = s * x + 3.14159265358979323;
  return s;
}
__device__ double rational(double x) { return (x + 0.33333333333333331) / (x * 1.7320508075688772 + 5.5555555555555554); }
