struct Node {
  int value;
  Node *next;
};
