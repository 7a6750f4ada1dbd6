/* The CUDA driver, found at run time: no header and no library of the toolkit is needed to build this. The signatures are
 * those of the CUDA Driver API reference; a result of 0 is success. */
#ifndef TWINLINK_TESTS_GPU_DRIVER_H
#define TWINLINK_TESTS_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gpu_driver {
  void *library;
  int (*init)(unsigned flags);
  int (*device_count)(int *count);
  int (*device_get)(int *device, int ordinal);
  int (*device_attribute)(int *value, int attribute, int device);
  int (*context_retain)(void **context, int device);
  int (*context_set)(void *context);
  int (*context_synchronize)(void);
  int (*module_load)(void **module, const void *image);
  int (*module_function)(void **function, void *module, const char *name);
  int (*memory_allocate)(uint64_t *address, size_t size);
  int (*copy_to_device)(uint64_t to, const void *from, size_t size);
  int (*copy_to_host)(void *to, uint64_t from, size_t size);
  int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra);
} gpu_driver;

/* Opens libcuda.so.1, or what TWINLINK_CUDA_DRIVER names, and its first device. `reason` says why that failed; `number` is
 * the compute capability, 90 for 9.0. */
bool gpu_driver_open(gpu_driver *driver, int *number, const char **reason);

#endif
