#include "types.h"
__device__ int word_of(const Page &page, int i) { return page.words[i] + page.words[7]; }
__global__ void read_book(short first, Book book, char last, double *out) {
  *out = word_of(book.pages[first], last) + book.pages[2].words[first];
}
