extern __device__ int far_array[10];
extern __device__ double far_plain;
__device__ int function(int x);
struct Entry {
  const char *name;
  int *where;
  int (*call)(int);
  double *other;
};
__device__ int near_array[6] = {1};
__managed__ int shared_with_host[3] = {1, 2, 3};
__device__ Entry entries[3] = {{"first", &far_array[3], function, &far_plain}, {"second", near_array + 5, function, nullptr}, {nullptr, far_array, nullptr, &far_plain}};
__constant__ Entry fixed = {"fixed", &near_array[2], function, &far_plain};
__device__ const char *names[] = {"one", "two", "three"};
__device__ int **chain[2];
__global__ void walk(int *v) {
  const Entry &e = entries[v[1] % 3];
  v[0] = e.call(*e.where) + fixed.call(*fixed.where) + names[v[2]][1] + shared_with_host[v[3]];
}
