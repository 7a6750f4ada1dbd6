/* catalog/system_call.c: the names as a table (ZM1). */
#include "catalog/system_call.h"

#include <stddef.h>
#include <string.h>

bool tl_system_call_is(const char *name) {
  static const char *const prefixes[] = {"__cuda_syscall", "__UDT", "__UFT", ".nv.reservedSmem"};
  static const char *const names[] = {"cudaGraphSetConditional",
                                      "cudaGraphKernelNodeSetParam",
                                      "cudaGraphKernelNodeSetEnabled",
                                      "cudaGraphKernelNodeSetGridDim",
                                      "cudaGraphKernelNodeUpdatesApply",
                                      "vprintf",
                                      "vfprintf",
                                      "malloc",
                                      "free",
                                      "__assertfail",
                                      "__profile",
                                      "cudaGraphLaunch",
                                      "cnpLaunchDevice",
                                      "cnpLaunchDeviceV2",
                                      "cnpGetParameterBuffer",
                                      "cnpGetParameterBufferV2",
                                      "cnpDeviceGetAttribute",
                                      "cnpDeviceGetName",
                                      "cnpGetDevice",
                                      "cnpGetDeviceCount",
                                      "cnpGetLastError",
                                      "cnpCtxSynchronize",
                                      "cnpStreamCreate",
                                      "cnpStreamDestroy",
                                      "cnpStreamWaitEvent",
                                      "cnpEventCreate",
                                      "cnpEventRecord",
                                      "cnpEventDestroy"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}
