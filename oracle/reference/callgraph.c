/* Reach, stack, registers over the call graph; `.nv.callgraph` and `.nv.prototype`. G2-G4, W6.3-W6.5, W7.1, W7.2, W7.6, RF785. */
#include "link.h"

#include <string.h>

static void ref_callgraph_add_callee(ref_link *link, ref_function *function, size_t callee) {
  if (link->functions[callee].live) {
    ref_indices_add(link, &function->callees, callee);
  }
}

static void ref_callgraph_expand(ref_link *link) {
  ref_indices taken = {0};
  for (size_t i = 0; i < link->function_count; i++) {
    ref_function *function = &link->functions[i];
    if (!function->live) {
      continue;
    }
    for (size_t k = 0; k < function->calls.count; k++) {
      ref_callgraph_add_callee(link, function, function->calls.items[k]);
    }
    for (size_t k = 0; k < function->indirect_count; k++) {
      taken.count = 0;
      ref_function_list_indirect(link, function->indirect[k], &taken);
      for (size_t j = 0; j < taken.count; j++) {
        ref_callgraph_add_callee(link, function, taken.items[j]);
      }
    }
  }
}

static void ref_callgraph_reach(ref_link *link, size_t kernel, size_t *seen_by) {
  ref_indices work = {0};
  ref_function *root = &link->functions[kernel];
  ref_indices_add(link, &work, kernel);
  while (work.count > 0) {
    const size_t number = work.items[--work.count];
    if (seen_by[number] == kernel) {
      continue;
    }
    seen_by[number] = kernel;
    if (link->functions[number].calls_no_function) {
      ref_message_fatal(link, "E71", "Internal error: no callgraph node"); /* RF590: here nvlink ends by a signal */
    }
    ref_indices_add(link, &root->reach, number);
    const ref_indices *callees = &link->functions[number].callees;
    for (size_t i = 0; i < callees->count; i++) {
      ref_indices_add(link, &work, callees->items[i]);
    }
  }
}

/* RF951: does a call of what the kernel reaches lead back to it? */
bool ref_callgraph_reaches_itself(const ref_link *link, size_t kernel) {
  const ref_indices *reach = &link->functions[kernel].reach;
  for (size_t i = 0; i < reach->count; i++) {
    if (ref_indices_has(&link->functions[reach->items[i]].callees, kernel)) {
      return true;
    }
  }
  return false;
}

static bool ref_callgraph_is_live_entry(const ref_function *function) {
  return function->entry && function->live && function->text != REF_NONE;
}

/* RF215: a second name of a function that has a kernel's mark counts as a kernel, though it has no text. */
static bool ref_callgraph_is_alias_kernel(const ref_link *link, const ref_function *function) {
  return function->entry && function->live && function->alias_of != REF_NONE && !link->relocatable &&
         ref_function_is_root(link, function);
}

/* The number of kernels decides a lot (D54). RF657: a kernel that stays for its address alone is not the one. RF1208: nor is one beside another
 * that is only mentioned. */
bool ref_callgraph_has_one_kernel(const ref_link *link) {
  return link->kernels.count == 1 && link->named_kernel_count == 1 && !link->mentions_kernel;
}

static void ref_callgraph_find_kernels(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    link->mentions_kernel = link->mentions_kernel || ref_callgraph_is_mentioned_kernel(link, &link->functions[i]);
  }
  size_t *seen_by = ref_memory_take_numbers(link, link->function_count); /* the last root of each function */
  for (size_t i = 0; i < link->symbol_count; i++) {
    const size_t number = link->symbols[i].function;
    if (number == REF_NONE) {
      continue;
    }
    ref_function *function = &link->functions[number];
    const bool alias = ref_callgraph_is_alias_kernel(link, function);
    if (!ref_callgraph_is_live_entry(function) && !alias) {
      continue;
    }
    if (!alias) {
      ref_indices_add(link, &link->all_kernels, number);
    }
    if (link->relocatable || !ref_function_is_root(link, function)) { /* I7 */
      function->is_unnamed = true;
      ref_indices_add(link, &function->reach, number); /* W17.13 */
    } else {
      function->is_kernel = true;
      ref_indices_add(link, &link->kernels, number);
      ref_callgraph_reach(link, number, seen_by);
    }
  }
}

/* A jump slot that counts as a kernel does: not where the program has exactly one (RF126). */
static bool ref_callgraph_is_slot(const ref_link *link, const ref_function *function) {
  return function->is_stub && !ref_callgraph_has_one_kernel(link);
}

/* U11 */
bool ref_callgraph_is_entry(const ref_link *link, const ref_function *function) {
  return function->is_kernel || ref_callgraph_is_slot(link, function);
}

static void ref_callgraph_find_entries(ref_link *link) {
  size_t *seen_by = ref_memory_take_numbers(link, link->function_count); /* the last root of each function */
  for (size_t i = 0; i < link->symbol_count; i++) {
    const size_t number = link->symbols[i].function;
    if (number == REF_NONE) {
      continue;
    }
    const bool slot = ref_callgraph_is_slot(link, &link->functions[number]);
    const bool name = ref_callgraph_is_alias_kernel(link, &link->functions[number]) && !link->is_capsule; /* RF785 */
    if (slot || name || ref_callgraph_is_live_entry(&link->functions[number])) {
      ref_indices_add(link, &link->holders, number);
    }
    if (slot) {
      ref_callgraph_reach(link, number, seen_by);
    }
    if (ref_callgraph_is_entry(link, &link->functions[number])) {
      ref_indices_add(link, &link->entries, number);
    }
  }
}

static void ref_callgraph_read_record(ref_link *link, const ref_record *record) {
  const size_t symbol = record->first_word_is_symbol && !record->dropped ? record->symbols.items[0] : REF_NONE;
  if (symbol == REF_NONE || link->symbols[symbol].function == REF_NONE || record->payload.size < 8) {
    return;
  }
  ref_function *function = &link->functions[link->symbols[symbol].function];
  const uint32_t value = ref_u32(record->payload.data + 4);
  if (record->code == 0x11) {
    function->frame_size = value;
  } else if (record->code == 0x2f) {
    function->register_count = value;
    function->has_register_count = true;
  }
}

/* RF675, RF965: FRAME_SIZE and REGCOUNT among a function's own attributes count, behind those of the module. */
static void ref_callgraph_read_own_records(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_records *records = &link->functions[i].records;
    for (size_t k = 0; k < records->count; k++) {
      ref_callgraph_read_record(link, &records->items[k]);
    }
  }
}

/* The last record of a symbol counts (I26b). */
static void ref_callgraph_read_records(ref_link *link) {
  for (size_t i = 0; i < link->module_records.count; i++) {
    ref_callgraph_read_record(link, &link->module_records.items[i]);
  }
  ref_callgraph_read_own_records(link);
  for (size_t i = 0; i < link->function_count; i++) { /* RF194 */
    ref_function *function = &link->functions[i];
    const size_t text = function->is_kernel && function->alias_of != REF_NONE ? link->functions[function->alias_of].text
                                                                              : function->text; /* RF529 */
    if (!function->has_register_count && text != REF_NONE) {
      function->register_count = link->sections[text].info_high >> 24;
    }
  }
}

/* I26: 0x1e or 0x0d of the function itself. RF537: those of a capsule's SASS view end no link. */
static void ref_callgraph_read_crs(ref_link *link) {
  const bool strict = !link->is_capsule || link->view->is_mercury;
  for (size_t i = 0; i < link->function_count; i++) {
    ref_function *function = &link->functions[i];
    size_t found = 0;
    for (size_t k = 0; function->live && k < function->records.count; k++) {
      const ref_record *record = &function->records.items[k];
      if (record->code != 0x1e && record->code != 0x0d) {
        continue;
      }
      const size_t size = record->code == 0x0d ? 2 : 4; /* RF950 */
      const bool sound = record->format == 4 && record->payload.size >= size;
      if (!sound && strict) {
        ref_message_fatal(link, "D67", "attribute 0x%02x of function '%s' has no %zu-bit value", record->code,
                          function->name, 8 * size);
      }
      link->has_crs_conflict = link->has_crs_conflict || (strict && ++found > 1); /* RF189, RF1197 */
      function->crs_size = !sound ? 0 : size == 2 ? ref_u16(record->payload.data) : ref_u32(record->payload.data);
    }
  }
}

typedef struct ref_callers {
  ref_indices *of;
  size_t *open; /* callees without a result yet */
} ref_callers;

static void ref_callgraph_finish_function(ref_link *link, ref_function *function) {
  uint64_t stack = 0;
  uint32_t crs = 0;
  for (size_t i = 0; i < function->callees.count; i++) {
    const ref_function *callee = &link->functions[function->callees.items[i]];
    stack = ref_larger(callee->stack, stack);
    crs = (uint32_t)ref_larger(callee->crs, crs);
  }
  function->stack = function->frame_size + stack;
  function->crs = (uint32_t)(function->crs_size + crs);
  function->reaches_cycle = false;
}

/* Results from the leaves upwards; what gets none reaches a cycle. */
static void ref_callgraph_add_up(ref_link *link) {
  const size_t count = link->function_count;
  ref_callers callers = {REF_TAKE(link, ref_indices, count), REF_TAKE(link, size_t, count)};
  ref_indices ready = {0};
  for (size_t i = 0; i < count; i++) {
    ref_function *function = &link->functions[i];
    function->reaches_cycle = true;
    callers.open[i] = function->callees.count;
    for (size_t k = 0; k < function->callees.count; k++) {
      ref_indices_add(link, &callers.of[function->callees.items[k]], i);
    }
    if (function->callees.count == 0) {
      ref_indices_add(link, &ready, i);
    }
  }
  while (ready.count > 0) {
    const size_t number = ready.items[--ready.count];
    ref_callgraph_finish_function(link, &link->functions[number]);
    for (size_t k = 0; k < callers.of[number].count; k++) {
      const size_t caller = callers.of[number].items[k];
      if (--callers.open[caller] == 0) {
        ref_indices_add(link, &ready, caller);
      }
    }
  }
}

void ref_callgraph_analyze(ref_link *link) {
  ref_callgraph_expand(link);
  ref_callgraph_find_kernels(link);
  ref_callgraph_find_entries(link);
  ref_callgraph_read_records(link);
  if (!link->relocatable) { /* C51: no stack analysis */
    ref_callgraph_read_crs(link);
    ref_callgraph_add_up(link);
  }
}

/* E40: once for each edge of the kernel to a function that reaches a cycle (D73). U11: of a stub too. */
static void ref_callgraph_warn_of_cycles(ref_link *link) {
  for (size_t i = 0; i < link->entries.count; i++) {
    const ref_function *kernel = &link->functions[link->entries.items[i]];
    for (size_t k = 0; k < kernel->callees.count; k++) {
      if (link->functions[kernel->callees.items[k]].reaches_cycle &&
          !ref_option_given(link, REF_OPTION_SUPPRESS_STACK_SIZE_WARNING)) {
        ref_message_warn(link, "E40", "Stack size for entry function '%s' cannot be statically determined",
                         kernel->name);
      }
    }
  }
}

/* What a kernel reaches; where the edges of kept functions count (D58), what those call too. */
static bool *ref_callgraph_find_called(ref_link *link) {
  bool *called = REF_TAKE(link, bool, link->function_count);
  for (size_t i = 0; i < link->entries.count; i++) {
    const ref_indices *reach = &link->functions[link->entries.items[i]].reach;
    for (size_t k = 0; k < reach->count; k++) {
      called[reach->items[k]] = true;
    }
  }
  if (link->job->bug_compatible) {
    return called;
  }
  for (size_t i = 0; i < link->function_count; i++) {
    for (size_t k = 0; k < link->functions[i].callees.count; k++) {
      called[link->functions[i].callees.items[k]] = true;
    }
  }
  return called;
}

/* RF457, L470: a kernel that is only mentioned is one, too, unless exactly one other is named (RF50). */
bool ref_callgraph_is_mentioned_kernel(const ref_link *link, const ref_function *function) {
  const bool excluded = ref_options_restrict_kernels(link) && link->named_kernel_count == 1 &&
                        !ref_options_list_has_part(link, REF_OPTION_KERNELS_USED, function->name);
  const bool entry = function->local ? function->is_called_kernel : function->mentioned_as_entry; /* RF1208 */
  return !link->relocatable && function->live && !function->defined && entry && !excluded;
}

/* E41, RF19 */
static void ref_callgraph_warn_of_taken(ref_link *link) {
  if (!ref_option_given(link, REF_OPTION_EXTRA_WARNINGS) || link->everything_live) {
    return;
  }
  const bool *called = ref_callgraph_find_called(link);
  for (size_t i = 0; i < link->symbol_count; i++) {
    const size_t number = link->symbols[i].function;
    if (number != REF_NONE && link->functions[number].address_taken && !called[number] &&
        !ref_callgraph_is_mentioned_kernel(link, &link->functions[number])) {
      ref_message_warn(link, "E41", "Function '%s' has address taken but no calls to it found",
                       link->functions[number].name);
    }
  }
}

/* E83 comes behind these warnings (RF537). */
void ref_callgraph_warn(ref_link *link) {
  if (link->relocatable) {
    return; /* C51 */
  }
  ref_callgraph_warn_of_cycles(link);
  ref_callgraph_warn_of_taken(link);
}

/* RF189; RF962: behind what is undefined. RF1039: and behind E69 of internal functions. RF839: and behind large parameters. */
void ref_callgraph_check_stacks(ref_link *link) {
  if (link->has_crs_conflict && !link->relocatable) {
    ref_functions_check_internal(link);
    ref_limits_check_large_parameters(link);
    ref_message_fatal(link, "E83", "Internal error: conflicting crs_stack attribute");
  }
}

static void ref_callgraph_write_pair(ref_link *link, ref_bytes *output, uint32_t first, uint32_t second) {
  ref_bytes_add_u32(link, output, first);
  ref_bytes_add_u32(link, output, second);
}

/* Is an edge to the same function among those before number `at`? */
static bool ref_callgraph_is_repeated(const ref_indices *list, size_t at) {
  for (size_t i = 0; i < at; i++) {
    if (list->items[i] == list->items[at]) {
      return true;
    }
  }
  return false;
}

/* W7.1, W7.4: prepended lists, so the last record first; edges to what was deleted vanish. RF105: with -r an edge that
 * was there before is not added. */
static void ref_callgraph_write_edges(ref_link *link, ref_bytes *output, const ref_function *function, ref_part part) {
  const ref_indices *list = part == REF_PART_CALLS ? &function->calls : &function->references;
  for (size_t i = list->count; i-- > 0;) {
    const ref_function *callee = &link->functions[list->items[i]];
    const bool repeated = link->relocatable && ref_callgraph_is_repeated(list, i);
    const bool is_inside = part == REF_PART_CALLS && ref_function_lies_in_kernel(link, callee);
    if (callee->live && callee->symbol != REF_NONE && !repeated && !is_inside) {
      ref_bodies_note_record(link, function,
                             (ref_record_of_calls){.part = part, .place = output->size, .callee = list->items[i]});
      ref_callgraph_write_pair(link, output, link->symbols[function->symbol].index,
                               link->symbols[callee->symbol].index);
    }
  }
}

static void ref_callgraph_write_indirect(ref_link *link, ref_bytes *output, const ref_function *function) {
  for (size_t i = function->indirect_count; i-- > 0;) {
    const ref_record_of_calls record = {
        .part = REF_PART_INDIRECT, .place = output->size, .prototype = function->indirect[i]};
    ref_bodies_note_record(link, function, record);
    ref_callgraph_write_pair(link, output, link->symbols[function->symbol].index,
                             ref_strings_offset(&link->names, function->indirect[i]));
  }
}

/* `symbols`: those of functions. */
static void ref_callgraph_write_part(ref_link *link, ref_bytes *output, ref_part part, const ref_indices *symbols) {
  ref_callgraph_write_pair(link, output, 0, (uint32_t)-(int)part);
  for (size_t i = 0; i < symbols->count; i++) {
    const ref_out_symbol *symbol = &link->symbols[symbols->items[i]];
    const ref_function *function = &link->functions[symbol->function];
    const uint32_t index = symbol->index;
    if (part == REF_PART_CALLS && ref_function_lies_in_kernel(link, function)) { /* RF162, RF1151 */
      continue;
    }
    if (part == REF_PART_CALLS || part == REF_PART_REFERENCES) {
      ref_callgraph_write_edges(link, output, function, part);
    } else if (part == REF_PART_TAKEN && function->address_taken) {
      const uint32_t text = ref_strings_offset(&link->names, function->taken_prototype);
      ref_bodies_note_record(link, function, (ref_record_of_calls){.part = part, .place = output->size});
      ref_callgraph_write_pair(link, output, index, function->taken_without_text ? 0 : text);
    } else if (part == REF_PART_INDIRECT) {
      ref_callgraph_write_indirect(link, output, function);
    }
  }
}

/* W7.2, W7.6: not for a function with a -2 record; RF550: nor for a local one. */
static bool ref_callgraph_lists_prototype(const ref_link *link, const ref_function *function) {
  return function->symbol != REF_NONE && function->prototype != NULL && !function->address_taken &&
         link->symbols[function->symbol].bind != REF_BIND_LOCAL;
}

static void ref_callgraph_write_prototypes(ref_link *link) {
  ref_bytes *output = &link->sections[link->prototype_section].data;
  for (size_t i = 0; i < link->symbol_count; i++) {
    const size_t number = link->symbols[i].function;
    if (number == REF_NONE) {
      continue;
    }
    const ref_function *function = &link->functions[number];
    if (ref_callgraph_lists_prototype(link, function)) {
      ref_callgraph_write_pair(link, output, link->symbols[i].index,
                               ref_strings_offset(&link->names, function->prototype));
    }
  }
  link->sections[link->prototype_section].size = output->size;
}

void ref_callgraph_write_records(ref_link *link, ref_bytes *output) {
  static const ref_part parts[] = {REF_PART_CALLS, REF_PART_TAKEN, REF_PART_INDIRECT, REF_PART_REFERENCES};
  ref_indices symbols = {.items = REF_TAKE_ROOM(link, size_t, link->symbol_count)};
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].function != REF_NONE) {
      symbols.items[symbols.count++] = i;
    }
  }
  link->body_record_count = 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    ref_callgraph_write_part(link, output, parts[i], &symbols);
  }
}

void ref_callgraph_write(ref_link *link) {
  ref_bytes *output = &link->sections[link->callgraph_section].data;
  ref_callgraph_write_records(link, output);
  link->sections[link->callgraph_section].size = output->size;
  ref_callgraph_write_prototypes(link);
}

/* Is `.nv.prototype` empty? Known before symbols have numbers. */
void ref_callgraph_measure(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    if (ref_callgraph_lists_prototype(link, &link->functions[i])) {
      link->sections[link->prototype_section].size += 8;
    }
  }
  link->sections[link->callgraph_section].size = 32;
}
