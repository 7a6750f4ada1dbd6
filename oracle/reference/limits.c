/* Errors after the merge: E30-E35, H8, K1, K5. */
#include "link.h"

#include <string.h>

enum { CONSTANT_LIMIT = 0x10000, SHARED_LIMIT = 0xc000, SHARED_LIMIT_90A = 0x38c00 };

static const char *ref_limits_owner(const ref_link *link, const ref_out_section *section) {
  if (section->info_section == REF_NONE || link->sections[section->info_section].info_function == REF_NONE) {
    return "";
  }
  return link->functions[link->sections[section->info_section].info_function].name;
}

/* H8; measured: 227 KB for the target sm_90a. */
static unsigned ref_limits_shared(const ref_link *link) {
  return link->sm_accelerated ? SHARED_LIMIT_90A : SHARED_LIMIT;
}

/* E55, U4 */
void ref_limits_check_unified(ref_link *link) {
  for (size_t i = 0; i < link->file_count; i++) {
    const ref_cubin *cubin = &link->files[i].cubin;
    for (size_t k = 1; k < cubin->section_count; k++) {
      if (cubin->sections[k].type == REF_TYPE_UFT_ENTRY || cubin->sections[k].type == REF_TYPE_UDT_ENTRY) {
        ref_message_fatal(link, "E55", "Unified symbols found but index file not specified.");
      }
    }
  }
}

/* C78, step 5: in the order in which the sections were created. */
void ref_limits_check_sizes(ref_link *link) {
  for (size_t i = 0; i < link->section_count; i++) {
    const ref_out_section *section = &link->sections[i];
    const uint64_t size = section->size;
    if (section->dropped) {
      continue;
    }
    if (section->type == REF_TYPE_SHARED && section->info_section != REF_NONE) {
      const uint64_t used = size - (link->sm >= 90 && size > 0 ? 0x400 : 0);
      if (used > ref_limits_shared(link)) {
        ref_message_add(link, REF_ERROR, "E30",
                        "Entry function '%s' uses too much shared data (0x%llx bytes, 0x%x max)",
                        ref_limits_owner(link, section), (unsigned long long)used, ref_limits_shared(link));
      }
    } else if (section->type == REF_TYPE_CONSTANT && size > CONSTANT_LIMIT) {
      ref_message_add(link, REF_ERROR, "E31",
                      "Entry function '%s' uses too much constant data (0x%llx bytes, 0x%x max)",
                      ref_limits_owner(link, section), (unsigned long long)size, CONSTANT_LIMIT);
    } else if (section->type == REF_TYPE_CONSTANT + 2 && size > CONSTANT_LIMIT) {
      ref_message_add(link, REF_ERROR, "E33",
                      "Entry function '%s' uses too much data for compiler-generated constants; please recompile with "
                      "-Xptxas --disable-optimizer-constants",
                      ref_limits_owner(link, section));
    } else if (section->type == REF_TYPE_CONSTANT + 3 && size > CONSTANT_LIMIT) {
      ref_message_add(link, REF_ERROR, "E32", "File uses too much global constant data (0x%llx bytes, 0x%x max)",
                      (unsigned long long)size, CONSTANT_LIMIT);
    }
  }
}

/* E35 (I29) */
static void ref_limits_check_stack(ref_link *link) {
  for (size_t i = 0; i < link->module_records.count; i++) {
    const ref_record *record = &link->module_records.items[i];
    if (record->code != 0x23 || record->dropped || record->payload.size < 8 || record->symbols.count == 0 ||
        record->symbols.items[0] == REF_NONE) {
      continue;
    }
    const size_t number = link->symbols[record->symbols.items[0]].function;
    const uint32_t limit = ref_u32(record->payload.data + 4);
    if (number == REF_NONE || !link->functions[number].is_kernel || limit == 0) {
      continue;
    }
    const ref_function *kernel = &link->functions[number];
    const uint32_t stack = kernel->reaches_cycle ? 0xffffffff : (uint32_t)kernel->stack;
    if (stack > limit) {
      ref_message_add(link, REF_ERROR, "E35", "Function '%s' uses %d bytes stack but limited to %d", kernel->name,
                      (int)stack, (int)limit);
    }
  }
}

static uint32_t ref_limits_register_maximum(const ref_function *kernel) {
  for (size_t i = 0; i < kernel->records.count; i++) {
    if (kernel->records.items[i].code == 0x1b && kernel->records.items[i].format != 4) {
      return kernel->records.items[i].value;
    }
  }
  return 0;
}

/* Callers before callees: first what nobody calls, the last created first; then each function when its last caller is
 * done. Functions in cycles come at the end. */
static void ref_limits_list_functions(ref_link *link, ref_indices *order) {
  size_t *callers = ref_memory_take(link, link->function_count + 1, sizeof *callers);
  for (size_t i = 0; i < link->function_count; i++) {
    for (size_t k = 0; k < link->functions[i].calls.count; k++) {
      callers[link->functions[i].calls.items[k]]++;
    }
  }
  for (size_t i = link->symbol_count; i-- > 0;) {
    const size_t number = link->symbols[i].function;
    if (number != REF_NONE && callers[number] == 0) {
      ref_indices_add(link, order, number);
    }
  }
  for (size_t i = 0; i < order->count; i++) {
    const ref_function *function = &link->functions[order->items[i]];
    for (size_t k = function->calls.count; k-- > 0;) {
      if (--callers[function->calls.items[k]] == 0) {
        ref_indices_add(link, order, function->calls.items[k]);
      }
    }
  }
  for (size_t i = 0; i < link->function_count; i++) {
    if (callers[i] > 0) {
      ref_indices_add(link, order, i);
    }
  }
}

/* E34: each function in turn; the kernels in reverse creation order that reach it and have fewer registers so far. */
static void ref_limits_check_function(ref_link *link, size_t number, uint32_t *registers) {
  const ref_function *function = &link->functions[number];
  for (size_t i = link->kernels.count; i-- > 0;) {
    const ref_function *kernel = &link->functions[link->kernels.items[i]];
    if (function->register_count <= registers[i] || !ref_indices_has(&kernel->reach, number)) {
      continue;
    }
    registers[i] = function->register_count;
    const uint32_t maximum = ref_limits_register_maximum(kernel);
    if (maximum != 0 && function->register_count > maximum) {
      ref_message_add(link, REF_ERROR, "E34",
                      "entry function '%s' with max regcount of %u calls function '%s' with regcount of %u",
                      kernel->name, maximum, function->name, function->register_count);
    }
  }
}

static void ref_limits_check_registers(ref_link *link) {
  ref_indices order = {0};
  uint32_t *registers = ref_memory_take(link, link->kernels.count + 1, sizeof *registers);
  ref_limits_list_functions(link, &order);
  for (size_t i = 0; i < link->kernels.count; i++) {
    registers[i] = link->functions[link->kernels.items[i]].register_count;
  }
  for (size_t i = 0; i < order.count; i++) {
    ref_limits_check_function(link, order.items[i], registers);
  }
}

void ref_limits_check_calls(ref_link *link) {
  ref_limits_check_stack(link);
  ref_limits_check_registers(link);
}
