__device__ double c(double x) { return 1.0 / (x + 0.1234567890123456); }
