/* driver.c: dlopen, dlsym, and the first device's primary context. */
#include "tests/gpu/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76 };

typedef struct driver_entry {
  const char *name;
  size_t offset;
} driver_entry;

static const driver_entry entries[] = {
    {"cuInit", offsetof(gpu_driver, init)},
    {"cuDeviceGetCount", offsetof(gpu_driver, device_count)},
    {"cuDeviceGet", offsetof(gpu_driver, device_get)},
    {"cuDeviceGetAttribute", offsetof(gpu_driver, device_attribute)},
    {"cuDevicePrimaryCtxRetain", offsetof(gpu_driver, context_retain)},
    {"cuCtxSetCurrent", offsetof(gpu_driver, context_set)},
    {"cuCtxSynchronize", offsetof(gpu_driver, context_synchronize)},
    {"cuModuleLoadData", offsetof(gpu_driver, module_load)},
    {"cuModuleGetFunction", offsetof(gpu_driver, module_function)},
    {"cuMemAlloc_v2", offsetof(gpu_driver, memory_allocate)},
    {"cuMemcpyHtoD_v2", offsetof(gpu_driver, copy_to_device)},
    {"cuMemcpyDtoH_v2", offsetof(gpu_driver, copy_to_host)},
    {"cuLaunchKernel", offsetof(gpu_driver, launch)},
};

static bool driver_find_entries(gpu_driver *driver) {
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *const address = dlsym(driver->library, entries[i].name);
    if (!address)
      return false;
    memcpy((char *)driver + entries[i].offset, &address, sizeof address);
  }
  return true;
}

bool gpu_driver_open(gpu_driver *driver, int *number, const char **reason) {
  const char *const path = getenv("TWINLINK_CUDA_DRIVER");
  int count = 0, device = 0, major = 0, minor = 0;
  void *context = NULL;
  *driver = (gpu_driver){.library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW)};
  *reason = !driver->library                                  ? "there is no CUDA driver"
            : !driver_find_entries(driver)                    ? "the CUDA driver lacks a function"
            : driver->init(0) != 0                            ? "the CUDA driver does not start"
            : driver->device_count(&count) != 0 || count == 0 ? "there is no device"
            : driver->device_get(&device, 0) != 0 || driver->device_attribute(&major, ATTRIBUTE_MAJOR, device) != 0 ||
                    driver->device_attribute(&minor, ATTRIBUTE_MINOR, device) != 0
                ? "the device says nothing of itself"
            : driver->context_retain(&context, device) != 0 || driver->context_set(context) != 0
                ? "the device gives no context"
                : NULL;
  *number = major * 10 + minor;
  return !*reason;
}
