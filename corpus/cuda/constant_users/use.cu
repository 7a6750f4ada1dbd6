struct Item {
  char tag;
  double weight;
  int codes[3];
};
extern __constant__ Item items[3];
extern __constant__ char title[14];
extern __constant__ float unset[5];
extern __constant__ int *where;
__device__ __noinline__ double weigh(int i) { return items[i].weight + items[i].codes[i] + title[i]; }
__global__ void first(double *v, int i) { v[0] = weigh(i) + unset[i]; }
__global__ void second(double *v, int i) { v[0] = weigh(i) + *where; }
__global__ void third(double *v) { v[0] = v[1]; }
