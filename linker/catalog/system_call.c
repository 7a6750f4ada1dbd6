/* catalog/system_call.c: the names as a table (ZM1). */
#include "catalog/system_call.h"

#include "base/text.h"

bool tl_reserved_name_is(const char *name) {
  static const char *const names[] = {"__UFT_OFFSET",
                                      "__UFT_CANONICAL",
                                      "__UFT",
                                      "__UFT_END",
                                      "__UDT_OFFSET",
                                      "__UDT_CANONICAL",
                                      "__UDT",
                                      "__UDT_END",
                                      ".nv.reservedSmem.offset0",
                                      ".nv.reservedSmem.offset1",
                                      ".nv.reservedSmem.begin",
                                      ".nv.reservedSmem.end",
                                      ".nv.reservedSmem.cap",
                                      ".nv.independent.texrefDescSize",
                                      ".nv.independent.samplerrefDescSize",
                                      ".nv.unified.texrefDescSize",
                                      ".nv.surfrefDescSize"};
  const bool may_be = tl_text_behind(name, "__U") || tl_text_behind(name, ".nv."); /* so they all begin */
  return may_be && TL_AMONG_TEXTS(names, name);
}

bool tl_system_call_is(const char *name) {
  static const char prefix[] = "__cuda_syscall";
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
  const bool mangled = tl_text_behind(name, "_Z"); /* as most are, and none of these is */
  return !mangled && (tl_text_behind(name, prefix) || TL_AMONG_TEXTS(names, name));
}
