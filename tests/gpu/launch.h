/* Launch descriptions: corpus/SET/PROGRAM/launch, one launch a line,
 *
 *   KERNEL GRID BLOCK SHARED PARAMETER...
 *
 * GRID blocks of BLOCK threads in one dimension, SHARED bytes of dynamic shared memory; a parameter is buffer:BYTES (device
 * memory that holds the words 1, 2, 3 ... and is compared afterwards), pointers:BYTES (the same for a kernel that leaves
 * addresses there, which are other ones in each process: what is compared is which of them are null), i32:N, i64:N or f64:N.
 * '#' begins a comment line. The launches of a file run one after the other in one module, on the same buffers' own copies. */
#ifndef TWINLINK_TESTS_GPU_LAUNCH_H
#define TWINLINK_TESTS_GPU_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAUNCH_PARAMETERS = 8 };

typedef struct gpu_parameter {
  size_t size;    /* of the parameter: 4 or 8 */
  size_t buffer;  /* bytes of memory that it points to, or 0 */
  bool pointers;  /* the memory holds addresses */
  uint64_t value; /* of one that is no buffer, little-endian */
} gpu_parameter;

typedef struct gpu_launch {
  char kernel[512];
  unsigned grid, block, shared;
  gpu_parameter parameters[LAUNCH_PARAMETERS];
  size_t count;
} gpu_launch;

/* Reads one line; false, with a reason, when it is none. */
bool gpu_launch_read(gpu_launch *launch, const char *line, const char **reason);
/* Bytes of the kernel's parameters, each at a multiple of its size. */
size_t gpu_launch_parameter_bytes(const gpu_launch *launch);

#endif
