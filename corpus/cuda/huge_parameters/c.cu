#include "types.h"
__global__ void read_last(Page page, char *out) { *out = page.last; }
