struct Item {
  char tag;
  double weight;
  int codes[3];
};
__constant__ Item items[3] = {{'a', 1.5, {1, 2, 3}}, {'b', 2.5, {4, 5}}, {'c'}};
__constant__ char title[] = "constant text";
__constant__ float unset[5];
__device__ int unrelated[2] = {5, 6};
__constant__ int *where = &unrelated[1];
