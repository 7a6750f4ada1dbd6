__device__ double deeper(double x);
__device__ double only_called_by_kept(double x) { return deeper(x) * 2.2222222222222223; }
__device__ double deeper(double x) { return x + 4.4444444444444446; }
