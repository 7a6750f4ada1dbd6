/* What is said of the call graph at the end: `-dump-callgraph` (C57, C82, RF27), stack limits (E35), registers that kernels
 * take from what they call (G4, E34, RF28), RF778. */
#include "link.h"

#include <stdio.h>

enum { CODE_MAX_STACK = 0x23 };

static bool ref_dump_is_asked(const ref_link *link) {
  return ref_option_given(link, REF_OPTION_DUMP_CALLGRAPH) ||
         ref_option_given(link, REF_OPTION_DUMP_CALLGRAPH_NO_DEMANGLE);
}

static void ref_dump_add_callee(ref_link *link, ref_bytes *text, size_t number) {
  char word[32];
  const int length = snprintf(word, sizeof word, " %zu", number == REF_NONE ? 0 : number + 1); /* RF669 */
  ref_bytes_add(link, text, word, (size_t)length);
}

/* G2: for each -3 record the functions with that prototype, the last created first. */
static void ref_dump_indirect_callees(ref_link *link, const ref_function *function, ref_bytes *text) {
  ref_indices taken = {0};
  for (size_t i = 0; i < function->indirect_count; i++) {
    taken.count = 0;
    ref_function_list_indirect(link, function->indirect[i], &taken);
    for (size_t k = taken.count; k-- > 0;) {
      if (link->functions[taken.items[k]].live) {
        ref_dump_add_callee(link, text, taken.items[k]);
      }
    }
  }
}

/* D58: deleted callees keep their number. */
static const char *ref_dump_callees(ref_link *link, const ref_function *function) {
  ref_bytes text = {0};
  ref_dump_indirect_callees(link, function, &text);
  for (size_t i = function->shown_calls.count; i-- > 0;) {
    ref_dump_add_callee(link, &text, function->shown_calls.items[i]);
  }
  ref_bytes_add(link, &text, "", 1);
  return (const char *)text.data;
}

static void ref_dump_function(ref_link *link, size_t number) {
  const ref_function *function = &link->functions[number];
  const char *registers = "";
  if (!function->live) {
    ref_message_tell(link, REF_LINE, "%zu: ", number + 1);
    return;
  }
  if (function->has_register_count) {
    registers = ref_memory_print(link, " [%d]", (int)function->register_count);
  }
  const bool kernel = ref_indices_has(&link->entries, number) || ref_callgraph_is_mentioned_kernel(link, function);
  ref_message_tell(link, REF_LINE, "%zu: %s%s%s%s ->%s", number + 1, kernel ? "^" : "",
                   function->address_taken ? "&" : "", ref_demangle(link, function->name), registers,
                   ref_dump_callees(link, function));
}

/* D23: the names are demangled either way. RF45: the header names the base architecture. */
static void ref_dump_callgraph(ref_link *link) {
  if (!ref_dump_is_asked(link)) {
    return;
  }
  if (link->file_count == 0) {
    ref_message_tell(link, REF_LINE, "No relocatable objects found. Did not generate callgraph.");
    return;
  }
  ref_message_tell(link, REF_LINE, "callgraph for sm_%u:", (unsigned)link->sm);
  ref_message_tell(link, REF_LINE, "# A: s -> B // s (number A) potentially calls B");
  ref_message_tell(link, REF_LINE, "# s [N]     // s uses N registers");
  ref_message_tell(link, REF_LINE, "# ^s        // s is entry point");
  ref_message_tell(link, REF_LINE, "# &s        // s has address taken");
  for (size_t i = 0; i < link->function_count; i++) {
    ref_dump_function(link, i);
  }
}

static void ref_dump_note_stack_limits(const ref_link *link, const ref_records *records, uint32_t *limits) {
  for (size_t i = 0; i < records->count; i++) {
    const ref_record *record = &records->items[i];
    const bool counts = record->code == CODE_MAX_STACK && !record->dropped && record->payload.size >= 8 &&
                        record->symbols.items[0] != REF_NONE;
    const size_t function = counts ? link->symbols[record->symbols.items[0]].function : REF_NONE;
    if (function != REF_NONE) {
      limits[function] = ref_u32(record->payload.data + 4);
    }
  }
}

/* By function: what the last record about it says (L804); 0: no limit. RF964: those among functions' own attributes count behind the module's. */
static uint32_t *ref_dump_list_stack_limits(ref_link *link) {
  uint32_t *limits = REF_TAKE(link, uint32_t, link->function_count);
  ref_dump_note_stack_limits(link, &link->module_records, limits);
  for (size_t i = 0; i < link->function_count; i++) {
    ref_dump_note_stack_limits(link, &link->functions[i].records, limits);
  }
  return limits;
}

/* E35 (I29), of the kernels in order of creation, those first that stand among the local symbols (RF544). RF654: a stack that is endless by an
 * input's record is above every limit, too. */
static void ref_dump_check_stack(ref_link *link) {
  const uint32_t *limits = ref_dump_list_stack_limits(link);
  for (size_t i = 0; i < 2 * link->kernels.count; i++) {
    const size_t number = link->kernels.items[i % link->kernels.count];
    const ref_function *kernel = &link->functions[number];
    const bool first = kernel->symbol != REF_NONE && link->symbols[kernel->symbol].local_list;
    const uint32_t limit = first == (i < link->kernels.count) ? limits[number] : 0;
    const bool endless = kernel->reaches_cycle || kernel->has_endless_stack;
    const uint32_t stack = endless ? 0xffffffff : (uint32_t)kernel->stack;
    if (limit != 0 && stack > limit) {
      ref_message_add(link, REF_ERROR, "E35", "Function '%s' uses %d bytes stack but limited to %d", kernel->name,
                      (int)stack, (int)limit);
    }
  }
}

/* RF296: of several records the last, of which a byte counts, of one with contents that of their size. */
static uint32_t ref_dump_register_maximum(const ref_function *kernel) {
  uint32_t maximum = 0;
  for (size_t i = 0; i < kernel->records.count; i++) {
    const ref_record *record = &kernel->records.items[i];
    if (record->code == 0x1b) {
      maximum = ref_attribute_byte(record);
    }
  }
  return maximum;
}

/* RF764: does a kernel count among the functions that it reaches? The only one does. */
static bool ref_dump_counts_itself(const ref_link *link, size_t number) {
  return ref_callgraph_has_one_kernel(link) || ref_callgraph_reaches_itself(link, number);
}

/* RF194: when the first function comes that they reach. */
static void ref_dump_add_registers(ref_link *link, size_t number, bool *added) {
  for (size_t i = link->kernels.count; i-- > 0;) {
    const ref_function *kernel = &link->functions[link->kernels.items[i]];
    if (!kernel->has_register_count && !added[i] &&
        (link->kernels.items[i] != number || ref_dump_counts_itself(link, number)) &&
        (ref_callgraph_has_one_kernel(link) || ref_indices_has(&kernel->reach, number))) { /* D54 */
      added[i] = true;
      ref_attributes_add_registers(link, kernel);
    }
  }
}

/* For one function the kernels in reverse order of creation that reach it and have fewer registers so far; E34 first. */
static void ref_dump_carry_registers(ref_link *link, size_t number, uint32_t *registers) {
  const ref_function *function = &link->functions[number];
  for (size_t i = link->kernels.count; i-- > 0;) {
    const ref_function *kernel = &link->functions[link->kernels.items[i]];
    if (function->register_count <= registers[i] || !ref_indices_has(&kernel->reach, number) ||
        ref_attribute_keeps_registers(link, kernel)) { /* RF614, RF656 */
      continue;
    }
    registers[i] = function->register_count;
    const uint32_t maximum = ref_dump_register_maximum(kernel);
    if (maximum != 0 && function->register_count > maximum) {
      ref_message_add(link, REF_ERROR, "E34",
                      "entry function '%s' with max regcount of %d calls function '%s' with regcount of %d",
                      kernel->name, (int)maximum, function->name, (int)function->register_count);
    }
    if (ref_dump_is_asked(link)) {
      ref_message_tell(link, REF_LINE, "regcount %d for %s propagated to entry %s", (int)function->register_count,
                       ref_demangle(link, function->name), ref_demangle(link, kernel->name));
    }
  }
}

/* RF569: of a capsule its Mercury side alone is asked. */
static void ref_dump_refuse_registers(ref_link *link) {
  if (!ref_view_is_derived(link)) {
    ref_message_fatal(link, "E60", "Internal error: no regcount?");
  }
}

/* I13, RF194, RF570: a function without a count when its turn comes; a kernel may have got one by then. */
static void ref_dump_check_function(ref_link *link, size_t number, const uint32_t *registers) {
  const ref_function *function = &link->functions[number];
  uint32_t count = function->register_count;
  for (size_t i = 0; i < link->kernels.count; i++) {
    count = link->kernels.items[i] == number ? registers[i] : count;
  }
  const bool counts = function->live && !function->is_stub && !function->is_emptied;
  if (counts && (function->has_stray_text || (count == 0 && !ref_attribute_alias_has_registers(link, number)))) {
    ref_dump_refuse_registers(link);
  }
}

/* RF28: the functions in the order in which their text sections were made. RF193: so is code of no function. */
static void ref_dump_check_registers(ref_link *link) {
  uint32_t *registers = REF_TAKE(link, uint32_t, link->kernels.count);
  bool *added = REF_TAKE(link, bool, link->kernels.count);
  for (size_t i = 0; i < link->kernels.count; i++) {
    registers[i] = link->functions[link->kernels.items[i]].register_count;
  }
  for (size_t i = 0; i < link->section_count; i++) {
    const ref_out_section *section = &link->sections[i];
    if (section->info_function != REF_NONE) {
      ref_dump_check_function(link, section->info_function, registers);
      ref_dump_add_registers(link, section->info_function, added);
      ref_dump_carry_registers(link, section->info_function, registers);
    } else if (section->type == REF_TYPE_PROGBITS && (section->flags & REF_FLAG_EXEC) != 0) {
      ref_dump_refuse_registers(link);
    }
  }
  if (link->has_nameless_text) { /* RF559: nvlink crashes, or says one thing or another */
    ref_dump_refuse_registers(link);
  }
}

/* E36 */
static void ref_dump_report_groups(ref_link *link) {
  for (size_t i = 0; i < link->group_conflicts.count; i++) {
    ref_message_add(
        link, REF_ERROR, "E36",
        "Function '%s' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not "
        "allowed.",
        link->functions[link->group_conflicts.items[i]].name); /* L1373, RF808 */
  }
}

/* C78, steps 8 to 10. */
void ref_dump_finish(ref_link *link) {
  if (link->relocatable) {
    return; /* C51 */
  }
  ref_dump_callgraph(link);
  ref_dump_check_stack(link);
  if (link->has_null_entry) {
    ref_message_fatal(link, "RF975", "Internal error: entry_info was null"); /* RF778 */
  }
  ref_dump_report_groups(link);
  ref_caching_warn(link);
  ref_dump_check_registers(link);
}
