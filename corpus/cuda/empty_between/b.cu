struct Unused {
  int x;
};
extern __device__ Unused nowhere;
