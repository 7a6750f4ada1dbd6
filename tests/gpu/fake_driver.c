/* A driver without a GPU, for the test of `gpu`: one device of compute capability 9.0 whose kernels write a checksum of
 * their module into the first word of each buffer. With FAKE_DRIVER_FAULT set, what they write is never twice the same. */
#define _DEFAULT_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters,
                   void **extra);

static uint64_t first_buffer;

int cuInit(unsigned flags) {
  return (int)flags;
}

int cuDeviceGetCount(int *count) {
  *count = getenv("FAKE_DRIVER_EMPTY") ? 0 : 1;
  return 0;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : 0;
  return device;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = context;
  return device;
}

int cuCtxSetCurrent(void *context) {
  return context == NULL;
}

int cuCtxSynchronize(void) {
  return 0;
}

/* Bytes up to the end of the segment table, which nvlink puts last. */
int cuModuleLoadData(void **module, const void *image) {
  const unsigned char *const bytes = image;
  uint64_t segments = 0;
  uint16_t count = 0;
  uint32_t sum = 2166136261u;
  memcpy(&segments, bytes + 32, sizeof segments);
  memcpy(&count, bytes + 56, sizeof count);
  for (uint64_t i = 0; i < segments + 56u * count; i++)
    sum = (sum ^ bytes[i]) * 16777619u;
  if (getenv("FAKE_DRIVER_FAULT"))
    sum ^= (uint32_t)getpid();
  *module = (void *)(uintptr_t)(sum | 1u);
  return memcmp(bytes, "\177ELF", 4) != 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return *name == 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
  *address = (uint64_t)(uintptr_t)calloc(1, size);
  first_buffer = first_buffer ? first_buffer : *address;
  return *address == 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  memcpy((void *)(uintptr_t)to, from, size);
  return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  memcpy(to, (const void *)(uintptr_t)from, size);
  return 0;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **parameters,
                   void **extra) {
  const uint32_t sum = (uint32_t)(uintptr_t)function;
  (void)shared_bytes, (void)parameters;
  if (stream || extra || !grid_x || grid_y != 1 || grid_z != 1 || !block_x || block_y != 1 || block_z != 1)
    return 1;
  if (first_buffer)
    memcpy((void *)(uintptr_t)first_buffer, &sum, sizeof sum);
  return 0;
}
