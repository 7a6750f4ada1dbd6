struct Block {
  float values[40];
  int tag;
};
struct Small {
  char c;
  short s;
  long long l;
};
