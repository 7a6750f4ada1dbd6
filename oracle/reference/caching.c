/* Requests for caching, 0x26, and the stacks of SAM regions, 0x3b: I27, RF93, RF94, RF951, RF952. */
#include "link.h"

#include <stdlib.h>

enum { CODE_EXPLICIT_CACHING = 0x21, CODE_CACHE_REQUEST = 0x26, CODE_SAM_STACK = 0x3b, FORMAT_FLAG = 1 };

/* What one record asks for; RF952: `function` is REF_NONE where it is about an object. */
typedef struct ref_request {
  size_t function;
  bool asks;
} ref_request;

typedef struct ref_requests {
  ref_request *items;
  size_t count, capacity;
} ref_requests;

/* One line of ref_caching_warn, and what decides where it stands: the record, then the kernel. */
typedef struct ref_clash {
  size_t request, rank;
  size_t first, second, kernel;
} ref_clash;

typedef struct ref_clashes {
  ref_clash *items;
  size_t count, capacity;
} ref_clashes;

/* RF1038: a compiler's constant has a symbol in an executable for -preserve-relocs alone. */
static bool ref_caching_is_constant(const ref_link *link, size_t section) {
  const uint32_t type = section == REF_NONE ? 0 : link->sections[section].type;
  return type == REF_TYPE_CONSTANT || (type == link->view->optimizer_type && !link->relocatable);
}

/* RF952: an object with a symbol in the output; sections and parameters are none, nor is what stays for -preserve-relocs alone. */
static bool ref_caching_is_object(const ref_link *link, size_t number) {
  const ref_out_symbol *symbol = &link->symbols[number];
  return symbol->function == REF_NONE && symbol->type != REF_SYMBOL_SECTION && ref_symbol_stays(link, symbol) &&
         !ref_preserve_hides_symbol(link, symbol) && !ref_caching_is_constant(link, symbol->section);
}

static void ref_caching_add(ref_link *link, ref_requests *requests, const ref_record *record) {
  const size_t symbol = record->symbols.count != 0 ? record->symbols.items[0] : REF_NONE;
  if (record->code != CODE_CACHE_REQUEST || symbol == REF_NONE || record->payload.size < 8) {
    return;
  }
  const size_t function = link->symbols[symbol].function;
  if (function == REF_NONE ? !ref_caching_is_object(link, symbol) : !link->functions[function].live) {
    return;
  }
  requests->items =
      ref_memory_grow(link, requests->items, requests->count, &requests->capacity, sizeof *requests->items);
  requests->items[requests->count++] =
      (ref_request){.function = function, .asks = ref_u32(record->payload.data + 4) != 0};
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

/* RF93, C78: between E36 and E34. */
void ref_caching_warn(ref_link *link) {
  for (size_t i = 0; i + 2 < link->caching_clashes.count; i += 3) {
    const size_t *named = &link->caching_clashes.items[i];
    ref_message_warn(link, "RF93",
                     "Function '%s' and function '%s' have conflicting cache preference, falling back to use cache "
                     "preference of entry '%s'",
                     link->functions[named[0]].name, link->functions[named[1]].name, link->functions[named[2]].name);
  }
}

/* A kernel's own records decide, the last of them; else those of what it reaches, if all say the same. */
typedef struct ref_preference {
  const ref_request *own, *seen;
  size_t asking; /* of its own records */
  bool clashes;
} ref_preference;

static ref_preference ref_caching_find_own(const ref_requests *requests, size_t kernel) {
  ref_preference preference = {0};
  for (size_t i = 0; i < requests->count; i++) {
    if (requests->items[i].function == kernel) {
      preference.own = &requests->items[i];
      preference.asking += requests->items[i].asks;
    }
  }
  return preference;
}

static void ref_caching_add_clash(ref_link *link, ref_clashes *clashes, ref_clash clash) {
  clashes->items = ref_memory_grow(link, clashes->items, clashes->count, &clashes->capacity, sizeof *clashes->items);
  clashes->items[clashes->count++] = clash;
}

/* RF952: each record of what the kernel reaches, not only a function's last; its own ones where it reaches itself. */
static void ref_caching_consider(ref_link *link, const ref_requests *requests, ref_preference *preference,
                                 const bool *reached, ref_clash clash, ref_clashes *clashes) {
  for (size_t i = 0; i < requests->count; i++) {
    const ref_request *request = &requests->items[i];
    if (request->function == REF_NONE || !reached[request->function]) {
      continue;
    }
    clash.request = i;
    clash.second = request->function;
    if (preference->own != NULL && preference->own->asks != request->asks) {
      clash.first = clash.kernel;
      ref_caching_add_clash(link, clashes, clash);
    } else if (preference->own == NULL && preference->seen == NULL) {
      preference->seen = request;
    } else if (preference->own == NULL && preference->seen->asks != request->asks && !preference->clashes) {
      preference->clashes = true;
      clash.first = preference->seen->function;
      ref_caching_add_clash(link, clashes, clash);
    }
  }
}

static bool ref_caching_all_ask(const ref_requests *requests) {
  bool all = requests->count != 0;
  for (size_t i = 0; all && i < requests->count; i++) {
    all = requests->items[i].asks;
  }
  return all;
}

/* RF952, L1410: how many records the kernel gets; the only kernel (D54) one where all records of the program ask, if it has one or reaches
 * none. */
static size_t ref_caching_count(const ref_link *link, const ref_requests *requests, const ref_preference *preference) {
  const bool alone = ref_callgraph_has_one_kernel(link) && ref_caching_all_ask(requests);
  if (preference->own != NULL) {
    return !preference->own->asks ? 0 : alone ? 1 : preference->asking;
  }
  if (preference->seen != NULL) {
    return preference->seen->asks && !preference->clashes;
  }
  return alone;
}

static int ref_caching_compare(const void *left, const void *right) {
  const ref_clash *a = left, *b = right;
  if (a->request != b->request) {
    return a->request < b->request ? -1 : 1;
  }
  return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void ref_caching_note_clashes(ref_link *link, ref_clashes *clashes) {
  if (clashes->count != 0) {
    qsort(clashes->items, clashes->count, sizeof *clashes->items, ref_caching_compare);
  }
  for (size_t i = 0; i < clashes->count; i++) {
    ref_indices_add(link, &link->caching_clashes, clashes->items[i].first);
    ref_indices_add(link, &link->caching_clashes, clashes->items[i].second);
    ref_indices_add(link, &link->caching_clashes, clashes->items[i].kernel);
  }
}

/* RF93: clashes in the order in which the records were read, for each the kernels last created first. RF700: what a kernel's second name
 * gets is written for the kernel. */
void ref_caching_spread(ref_link *link) {
  const ref_requests requests = ref_caching_collect(link);
  ref_clashes clashes = {0};
  bool *reached = REF_TAKE(link, bool, link->function_count);
  for (size_t k = 0; requests.count != 0 && k < link->kernels.count; k++) {
    const size_t kernel = link->kernels.items[k], named = link->functions[kernel].alias_of;
    const size_t holder = named == REF_NONE ? kernel : named;
    const ref_indices *reach = &link->functions[kernel].reach;
    ref_preference preference = ref_caching_find_own(&requests, kernel);
    const bool itself = preference.own != NULL && ref_callgraph_reaches_itself(link, kernel);
    for (size_t i = 0; i < reach->count; i++) {
      reached[reach->items[i]] = reach->items[i] != kernel || itself;
    }
    ref_caching_consider(link, &requests, &preference, reached,
                         (ref_clash){.rank = link->kernels.count - k, .kernel = kernel}, &clashes);
    for (size_t i = 0; i < reach->count; i++) {
      reached[reach->items[i]] = false;
    }
    for (size_t count = ref_caching_count(link, &requests, &preference); count > 0; count--) {
      const ref_record record = {.format = FORMAT_FLAG, .code = CODE_EXPLICIT_CACHING};
      (void)ref_records_add(link, &link->functions[holder].output_records, &record);
    }
  }
  ref_caching_note_clashes(link, &clashes);
}

static void ref_caching_note_stack(const ref_link *link, const ref_record *record, uint32_t *stacks) {
  if (record->code != CODE_SAM_STACK || record->dropped || record->payload.size < 8) {
    return;
  }
  const size_t symbol = record->symbols.items[0];
  const size_t function = symbol == REF_NONE ? REF_NONE : link->symbols[symbol].function;
  if (function != REF_NONE && link->functions[function].symbol == symbol) {
    stacks[function] = (uint32_t)ref_larger(ref_u32(record->payload.data + 4), stacks[function]);
  }
}

/* By function the most that one of its records says; 0: none does. RF951: also those among a function's own attributes. */
uint32_t *ref_caching_read_stacks(ref_link *link) {
  uint32_t *stacks = REF_TAKE(link, uint32_t, link->function_count);
  for (size_t i = 0; i < link->module_records.count; i++) {
    ref_caching_note_stack(link, &link->module_records.items[i], stacks);
  }
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_records *records = &link->functions[i].records;
    for (size_t k = 0; k < records->count; k++) {
      ref_caching_note_stack(link, &records->items[k], stacks);
    }
  }
  return stacks;
}

/* RF94: behind the kernel's MIN_STACK_SIZE, the maximum over what it reaches, itself too where that calls it (RF755), unless that is 0. */
void ref_caching_add_stack(ref_link *link, size_t kernel, const uint32_t *stacks) {
  uint32_t most = stacks[kernel] != 0 && ref_callgraph_reaches_itself(link, kernel) ? stacks[kernel] : 0;
  for (size_t i = 0; i < link->functions[kernel].reach.count; i++) {
    const size_t other = link->functions[kernel].reach.items[i];
    const uint32_t stack = other == kernel ? 0 : stacks[other];
    most = (uint32_t)ref_larger(stack, most);
  }
  if (most == 0) {
    return;
  }
  ref_attribute_add_symbol_word(link, CODE_SAM_STACK, link->functions[kernel].symbol, most);
}
