__device__ float ratio(float a, float b) { return a / b + sqrtf(a * b) + cosf(a) / 3.0f; }
