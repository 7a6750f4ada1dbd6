#include "list.h"
__device__ Node *push(Node *head, int value) {
  Node *node = new Node;
  node->value = value;
  node->next = head;
  return node;
}
__device__ void release(Node *head) {
  if (head) {
    release(head->next);
    delete head;
  }
}
