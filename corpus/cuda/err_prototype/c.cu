extern "C" __global__ void both(int *v) { v[0] = 1; }
