/* catalog/system_call.c: the names as tables (ZM1), those that begin alike by what follows. */
#include "catalog/system_call.h"

#include "base/text.h"

bool tl_reserved_name_is(const char *name) {
  static const char *const tables[] = {"_OFFSET", "_CANONICAL", "", "_END"};
  static const char *const shared[] = {"offset0", "offset1", "begin", "end", "cap"};
  static const char *const sizes[] = {"independent.texrefDescSize", "independent.samplerrefDescSize",
                                      "unified.texrefDescSize", "surfrefDescSize"};
  const char *const nv = tl_text_behind(name, ".nv."), *const memory = nv ? tl_text_behind(nv, "reservedSmem.") : NULL;
  if (nv)
    return memory ? TL_AMONG_TEXTS(shared, memory) : TL_AMONG_TEXTS(sizes, nv);
  const char *const functions = tl_text_behind(name, "__UFT");
  const char *const table = functions ? functions : tl_text_behind(name, "__UDT");
  return table && TL_AMONG_TEXTS(tables, table);
}

bool tl_system_call_is(const char *name) {
  static const char *const graph[] = {"SetConditional",       "KernelNodeSetParam",     "KernelNodeSetEnabled",
                                      "KernelNodeSetGridDim", "KernelNodeUpdatesApply", "Launch"};
  static const char *const device[] = {
      "LaunchDevice",       "LaunchDeviceV2", "GetParameterBuffer", "GetParameterBufferV2",
      "DeviceGetAttribute", "DeviceGetName",  "GetDevice",          "GetDeviceCount",
      "GetLastError",       "CtxSynchronize", "StreamCreate",       "StreamDestroy",
      "StreamWaitEvent",    "EventCreate",    "EventRecord",        "EventDestroy"};
  static const char *const others[] = {"vprintf", "vfprintf", "malloc", "free", "__assertfail", "__profile"};
  const char *const of_graph = tl_text_behind(name, "cudaGraph"), *const of_device = tl_text_behind(name, "cnp");
  if (of_graph)
    return TL_AMONG_TEXTS(graph, of_graph);
  if (of_device)
    return TL_AMONG_TEXTS(device, of_device);
  return tl_text_behind(name, "__cuda_syscall") || TL_AMONG_TEXTS(others, name);
}
