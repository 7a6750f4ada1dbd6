struct Base {
  int x;
  __device__ virtual int get() const;
  __device__ virtual int twice() const { return get() * 2; }
};
