struct Named {
  int id;
  __device__ virtual int name() const { return id; }
};
struct Sized {
  int bytes;
  __device__ virtual int size() const;
};
struct Thing : virtual Named, Sized {
  __device__ Thing(int i, int b);
  __device__ int size() const override;
  __device__ int name() const override;
  __device__ virtual int both() const;
};
