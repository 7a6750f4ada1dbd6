/* How many barriers a text says in its flags, which compilers of old did: RF956. */
#include "link.h"

enum { CODE_NUM_BARRIERS = 0x4c, BARRIERS_BIT = 20, BARRIERS = 0x7f };

/* A text's own bits are in the output as it is written; what becomes a record is not. */
uint64_t ref_barriers_flags(uint64_t flags) {
  return flags & (uint64_t)BARRIERS << BARRIERS_BIT;
}

uint8_t ref_barriers_told(uint64_t flags) {
  return (uint8_t)(flags >> BARRIERS_BIT & BARRIERS);
}

static uint8_t ref_barriers_of(const ref_link *link, const ref_function *function) {
  const bool none = function->text == REF_NONE || function->alias_of != REF_NONE || function->is_stub;
  return none ? 0 : ref_barriers_told(link->sections[function->text].flags);
}

/* Of what the kernel reaches, itself where a call leads back to it. */
static uint8_t ref_barriers_reached(const ref_link *link, const uint8_t *barriers, size_t kernel) {
  const ref_indices *reach = &link->functions[kernel].reach;
  uint8_t most = barriers[kernel] != 0 && ref_callgraph_reaches_itself(link, kernel) ? barriers[kernel] : 0;
  for (size_t i = 0; i < reach->count; i++) {
    if (reach->items[i] != kernel && barriers[reach->items[i]] > most) {
      most = barriers[reach->items[i]];
    }
  }
  return most;
}

static void ref_barriers_finish(ref_link *link, ref_function *function, uint8_t own, uint8_t reached) {
  ref_records *records = &function->output_records;
  ref_record record = {.format = 2, .code = CODE_NUM_BARRIERS, .value = reached > own ? reached : own};
  if (ref_attribute_find(records, CODE_NUM_BARRIERS) == NULL) {
    if (record.value != 0) {
      (void)ref_records_add(link, records, &record);
      link->sections[function->text].flags &= ~((uint64_t)BARRIERS << BARRIERS_BIT);
    }
  } else if (reached != 0) {
    record.value = reached;
    ref_attribute_spread_maximum(link, records, &record);
  }
}

/* A function without a record of barriers gets one of what its text says, and the text says it no more; beside a record the text counts
 * for the kernels that reach it, and for them alone. */
void ref_barriers_spread(ref_link *link, const ref_indices *functions) {
  uint8_t *barriers = REF_TAKE(link, uint8_t, link->function_count);
  bool any = false;
  for (size_t i = 0; i < link->function_count; i++) {
    barriers[i] = link->functions[i].live ? ref_barriers_of(link, &link->functions[i]) : 0;
    any = any || barriers[i] != 0;
  }
  for (size_t i = 0; any && i < functions->count; i++) {
    const size_t number = functions->items[i];
    ref_function *function = &link->functions[number];
    if (function->text != REF_NONE) {
      const uint8_t reached = function->is_kernel ? ref_barriers_reached(link, barriers, number) : 0;
      ref_barriers_finish(link, function, barriers[number], reached);
    }
  }
}
