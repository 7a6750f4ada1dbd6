typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ operation in_global[3] = {add, subtract, multiply};
__constant__ operation in_constant[2] = {multiply, add};
