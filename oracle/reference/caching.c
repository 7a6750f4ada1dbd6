/* Requests for caching, 0x26, and the stacks of SAM regions, 0x3b: I27, RF93, RF94. */
#include "link.h"

enum { CODE_EXPLICIT_CACHING = 0x21, CODE_CACHE_REQUEST = 0x26, CODE_SAM_STACK = 0x3b, FORMAT_FLAG = 1 };

/* What one function asks for; its last record decides. */
typedef struct ref_request {
  size_t function, count, total; /* count: of records that ask */
  bool asks;
} ref_request;

typedef struct ref_requests {
  ref_request *items;
  size_t count, capacity;
} ref_requests;

static ref_request *ref_caching_find(const ref_requests *requests, size_t function) {
  for (size_t i = 0; i < requests->count; i++) {
    if (requests->items[i].function == function) {
      return &requests->items[i];
    }
  }
  return NULL;
}

static void ref_caching_add(ref_link *link, ref_requests *requests, const ref_record *record) {
  const size_t symbol = record->symbols.count != 0 ? record->symbols.items[0] : REF_NONE;
  const size_t function = symbol == REF_NONE ? REF_NONE : link->symbols[symbol].function;
  if (record->code != CODE_CACHE_REQUEST || function == REF_NONE || record->payload.size < 8 ||
      !link->functions[function].live) {
    return;
  }
  ref_request *request = ref_caching_find(requests, function);
  if (request == NULL) {
    requests->items =
        ref_memory_grow(link, requests->items, requests->count, &requests->capacity, sizeof *requests->items);
    request = &requests->items[requests->count++];
    *request = (ref_request){.function = function};
  }
  request->asks = ref_u32(record->payload.data + 4) != 0;
  request->count += request->asks;
  request->total++;
}

/* In the order in which they were read; I9: wherever they lie. */
static ref_requests ref_caching_collect(ref_link *link) {
  ref_requests requests = {0};
  for (size_t i = 0; i < link->module_records.count; i++) {
    ref_caching_add(link, &requests, &link->module_records.items[i]);
  }
  for (size_t i = 0; i < link->function_count; i++) {
    for (size_t k = 0; k < link->functions[i].records.count; k++) {
      ref_caching_add(link, &requests, &link->functions[i].records.items[k]);
    }
  }
  return requests;
}

/* D54: with exactly one kernel all that lives. */
static bool ref_caching_counts_for(const ref_link *link, const ref_function *kernel, size_t function) {
  return ref_callgraph_has_one_kernel(link) || ref_indices_has(&kernel->reach, function);
}

static void ref_caching_note_clash(ref_link *link, size_t first, size_t second, size_t kernel) {
  ref_indices_add(link, &link->caching_clashes, first);
  ref_indices_add(link, &link->caching_clashes, second);
  ref_indices_add(link, &link->caching_clashes, kernel);
}

/* RF93, C78: between E36 and E34. */
void ref_caching_warn(ref_link *link) {
  for (size_t i = 0; i + 2 < link->caching_clashes.count; i += 3) {
    const size_t *named = &link->caching_clashes.items[i];
    ref_message_warn(link, "RF93",
                     "Function '%s' and function '%s' have conflicting cache preference, falling back to use cache "
                     "preference of entry '%s'",
                     ref_demangle(link, link->functions[named[0]].name),
                     ref_demangle(link, link->functions[named[1]].name),
                     ref_demangle(link, link->functions[named[2]].name));
  }
}

/* A kernel's own requests decide (and clash with the last one only where something calls the kernel back, RF761); else those of what it reaches, if all say the same. `seen`: the first function that has one;
 * `clashes`: another says otherwise. */
typedef struct ref_preference {
  const ref_request *own, *seen;
  bool clashes;
} ref_preference;

static void ref_caching_consider(ref_link *link, ref_preference *preference, size_t kernel,
                                 const ref_request *request) {
  if (!ref_caching_counts_for(link, &link->functions[kernel], request->function)) {
    return;
  }
  if (preference->own == request && ref_attribute_is_called_back(link, &link->functions[kernel], kernel)) {
    const size_t others = request->asks ? request->total - request->count : request->count;
    for (size_t i = 0; i < others; i++) {
      ref_caching_note_clash(link, kernel, kernel, kernel);
    }
    return;
  }
  if (preference->own != NULL) {
    if (preference->own->asks != request->asks) {
      ref_caching_note_clash(link, kernel, request->function, kernel);
    }
    return;
  }
  if (preference->seen == NULL) {
    preference->seen = request;
  } else if (preference->seen->asks != request->asks && !preference->clashes) {
    preference->clashes = true;
    ref_caching_note_clash(link, preference->seen->function, request->function, kernel);
  }
}

/* RF761: the only kernel of a program gets one where all its records ask. */
static size_t ref_caching_count_own(const ref_link *link, const ref_request *own) {
  const bool once = own->count == own->total && ref_callgraph_has_one_kernel(link);
  return !own->asks ? 0 : once ? 1 : own->count;
}

/* RF93: functions in the order in which their requests were read, for each the kernels last created first. RF700: what a kernel's second
 * name gets is written for the kernel. */
void ref_caching_spread(ref_link *link) {
  const ref_requests requests = ref_caching_collect(link);
  ref_preference *preferences = REF_TAKE(link, ref_preference, link->kernels.count);
  for (size_t k = 0; k < link->kernels.count; k++) {
    preferences[k].own = ref_caching_find(&requests, link->kernels.items[k]);
  }
  for (size_t i = 0; i < requests.count; i++) {
    for (size_t k = link->kernels.count; k-- > 0;) {
      ref_caching_consider(link, &preferences[k], link->kernels.items[k], &requests.items[i]);
    }
  }
  for (size_t k = 0; k < link->kernels.count; k++) {
    const ref_preference *preference = &preferences[k];
    const bool all_ask = preference->seen != NULL && preference->seen->asks && !preference->clashes;
    const size_t kernel = link->kernels.items[k], named = link->functions[kernel].alias_of;
    size_t count = preference->own == NULL ? all_ask : ref_caching_count_own(link, preference->own);
    const size_t holder = named == REF_NONE ? kernel : named;
    for (; count > 0; count--) {
      const ref_record record = {.format = FORMAT_FLAG, .code = CODE_EXPLICIT_CACHING};
      (void)ref_records_add(link, &link->functions[holder].output_records, record);
    }
  }
}

static void ref_caching_read_stack(const ref_link *link, const ref_records *records, uint32_t *stacks) {
  for (size_t i = 0; i < records->count; i++) {
    const ref_record *record = &records->items[i];
    const size_t symbol = record->symbols.count == 0 ? REF_NONE : record->symbols.items[0];
    const size_t function = symbol == REF_NONE ? REF_NONE : link->symbols[symbol].function;
    if (record->code == CODE_SAM_STACK && !record->dropped && record->payload.size >= 8 && function != REF_NONE &&
        link->functions[function].symbol == symbol) {
      stacks[function] = (uint32_t)ref_larger(ref_u32(record->payload.data + 4), stacks[function]);
    }
  }
}

/* By function the largest that its records say, in whatever section (RF755). */
uint32_t *ref_caching_read_stacks(ref_link *link) {
  uint32_t *stacks = REF_TAKE(link, uint32_t, link->function_count);
  ref_caching_read_stack(link, &link->module_records, stacks);
  for (size_t i = 0; i < link->function_count; i++) {
    ref_caching_read_stack(link, &link->functions[i].records, stacks);
  }
  return stacks;
}

/* RF94: behind the kernel's MIN_STACK_SIZE, the maximum over what it reaches, itself too where that calls it (RF755), unless that is 0. */
void ref_caching_add_stack(ref_link *link, size_t kernel, const uint32_t *stacks) {
  const bool counts = ref_attribute_is_called_back(link, &link->functions[kernel], kernel);
  uint32_t most = 0;
  for (size_t i = 0; i < link->functions[kernel].reach.count; i++) {
    const size_t other = link->functions[kernel].reach.items[i];
    const uint32_t stack = other == kernel && !counts ? 0 : stacks[other];
    most = (uint32_t)ref_larger(stack, most);
  }
  if (most == 0) {
    return;
  }
  ref_attribute_add_symbol_word(link, CODE_SAM_STACK, link->functions[kernel].symbol, most);
}
