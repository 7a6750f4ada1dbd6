__global__ void nothing(int unused, double also_unused) {}
