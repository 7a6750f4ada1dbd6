__device__ int middle(int *p, int n);
__global__ void deep(int *v) {
  int local[50];
  for (int i = 0; i < 50; i++)
    local[i] = v[i];
  v[0] = middle(local, v[1]);
}
__global__ void shallow(int *v) {
  int local[7];
  for (int i = 0; i < 7; i++)
    local[i] = v[i];
  v[0] = local[v[1] % 7];
}
