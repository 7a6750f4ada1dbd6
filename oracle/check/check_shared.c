/* What kernels share and must agree on, by the values that code uses: shared memory (H1 to H8), compiler constants (K2,
 * K3), bindless slots (B3 to B7). */
#include "check_parts.h"

#include "ref_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_BYTES = 4, HEADER_TEXTURE = 6, HEADER_SAMPLER = 7, HEADER_SAMPLER_0 = 101, HEADER_SURFACE = 52 };

typedef struct check_interval {
  uint64_t start, end;
  uint32_t id;
  bool is_extern;
  const char *name;
} check_interval;

static const ref_symbol *check_use_symbol(const ref_check_context *context, const check_use *use) {
  return &context->link->inputs[use->input].cubin->symbols[use->symbol];
}

static const ref_section *check_use_section(const ref_check_context *context, const check_use *use) {
  return check_symbol_section(context->link->inputs[use->input].cubin, check_use_symbol(context, use));
}

static int check_order_intervals(const void *a, const void *b) {
  const check_interval *x = a, *y = b;
  if (x->start != y->start) {
    return x->start < y->start ? -1 : 1;
  }
  return x->id < y->id ? -1 : x->id > y->id;
}

/* All uses of the texts that a kernel reaches; the caller frees the items. */
typedef struct check_reached_uses {
  const check_use **items;
  size_t count, capacity;
} check_reached_uses;

static check_reached_uses check_uses_reached(const ref_check_context *context, const check_reach *reach) {
  check_reached_uses uses = {0};
  for (size_t i = 0; i < reach->count; i++) {
    const uint32_t node = reach->nodes[i];
    if (node >= context->output->symbol_count) { /* a prototype */
      continue;
    }
    const check_uses own = check_uses_of(context, context->output->symbols[node].section);
    for (size_t k = 0; k < own.count; k++) {
      if (uses.count == uses.capacity) {
        uses.capacity = uses.capacity == 0 ? 16 : 2 * uses.capacity;
        uses.items = ref_reallocate(uses.items, uses.capacity, sizeof *uses.items);
      }
      uses.items[uses.count++] = &own.items[k];
    }
  }
  return uses;
}

/* --- shared ------------------------------------------------------------------------------------------------------- */

static void check_shared_intervals(ref_check_context *context, uint32_t section, check_interval *intervals,
                                   size_t count, uint64_t limit) {
  uint64_t end = 0, static_end = 0;
  const char *before = "";
  qsort(intervals, count, sizeof *intervals, check_order_intervals);
  for (size_t i = 0; i < count; i++) {
    const check_interval *at = &intervals[i];
    if (at->is_extern || (i > 0 && at->id == intervals[i - 1].id && at->start == intervals[i - 1].start)) {
      continue;
    }
    if (at->start < end) {
      check_found(context, section, at->start, "'%s' overlaps '%s'", at->name, before);
    }
    if (at->end > end) {
      end = at->end;
      before = at->name;
    }
    static_end = end;
    if (at->end > limit) {
      check_found(context, section, at->start, "'%s' ends at 0x%" PRIx64 ", the kernel has 0x%" PRIx64 " bytes",
                  at->name, at->end, limit);
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (intervals[i].is_extern && intervals[i].start < static_end) {
      check_found(context, section, intervals[i].start, "extern '%s' begins before the static end 0x%" PRIx64,
                  intervals[i].name, static_end);
    }
  }
}

static void check_shared_kernel(ref_check_context *context, uint32_t kernel, const check_reach *reach, void *extra) {
  (void)extra;
  const check_reached_uses uses = check_uses_reached(context, reach);
  check_interval *intervals = ref_allocate(uses.count, sizeof *intervals);
  size_t used = 0;
  for (size_t i = 0; i < uses.count; i++) {
    const check_use *use = uses.items[i];
    const ref_symbol *symbol = check_use_symbol(context, use);
    if ((symbol->other & SPACE_MASK) == SPACE_SHARED && (symbol->info & 15) == SYMBOL_CUDA_OBJECT) {
      const bool is_extern = check_use_section(context, use) == NULL;
      intervals[used++] = (check_interval){.start = use->S,
                                           .end = use->S + (is_extern ? 0 : symbol->size),
                                           .id = use->id,
                                           .is_extern = is_extern,
                                           .name = symbol->name};
    }
  }
  const uint32_t section = check_section_of_kernel(context, kernel, CHECK_SHARED);
  const uint64_t reserved = context->sm >= 90 ? RESERVED_SHARED : 0;
  const uint64_t size = section == 0 ? 0 : context->output->sections[section].size;
  if (used > 0 && section == 0) {
    check_found(context, context->output->symbols[kernel].section, 0,
                "'%s' uses shared memory ('%s') and has no section for it", context->output->symbols[kernel].name,
                intervals[0].name);
  } else {
    check_shared_intervals(context, section, intervals, used, size < reserved ? 0 : size - reserved);
  }
  free(intervals);
  free(uses.items);
}

void check_shared(ref_check_context *context) {
  for (size_t i = 0; i < context->use_count; i++) {
    const check_use *use = &context->uses[i];
    const ref_symbol *symbol = check_use_symbol(context, use);
    const ref_section *section = check_use_section(context, use);
    const bool is_shared = section != NULL && section->type == TYPE_SHARED;
    if (is_shared && symbol->value > 1 && use->S % symbol->value != 0) { /* H1: st_value is the alignment */
      check_found(context, use->section, 0, "shared '%s' lies at 0x%" PRIx64 ", its alignment is %" PRIu64,
                  symbol->name, use->S, symbol->value);
    }
  }
  if (context->executable) {
    check_each_kernel(context, check_shared_kernel, NULL);
  }
}

/* --- compiler constants ------------------------------------------------------------------------------------------- */

static void check_constants_kernel(ref_check_context *context, uint32_t kernel, const check_reach *reach, void *extra) {
  (void)extra;
  const check_reached_uses uses = check_uses_reached(context, reach);
  const uint32_t index = check_section_of_kernel(context, kernel, CHECK_CONSTANT2);
  const ref_section *image = index == 0 ? NULL : &context->output->sections[index];
  for (size_t i = 0; i < uses.count; i++) {
    const check_use *use = uses.items[i];
    const ref_symbol *symbol = check_use_symbol(context, use);
    const ref_section *source = check_use_section(context, use);
    if (source == NULL || source->data == NULL || source->type != TYPE_CONSTANT + 2 || symbol->value > source->size ||
        symbol->size > source->size - symbol->value) {
      continue;
    }
    if (image == NULL || image->data == NULL || use->S > image->size || symbol->size > image->size - use->S) {
      check_found(context, index, use->S, "'%s' has no place in the constants of '%s'", symbol->name,
                  context->output->symbols[kernel].name);
    } else if (memcmp(image->data + use->S, source->data + symbol->value, symbol->size) != 0) {
      check_found(context, index, use->S, "code of '%s' reads '%s' here, the bytes are others",
                  context->output->symbols[kernel].name, symbol->name);
    }
  }
  free(uses.items);
}

void check_compiler_constants(ref_check_context *context) {
  if (context->executable) {
    check_each_kernel(context, check_constants_kernel, NULL);
  }
}

/* --- bindless ----------------------------------------------------------------------------------------------------- */

static bool check_has_slot(const ref_check_context *context, uint32_t constants, const check_use *use) {
  const ref_symbol *symbol = check_use_symbol(context, use);
  const check_entries *kept = check_entries_of(&context->kept, constants);
  for (size_t i = check_entries_from(kept, use->S); i < kept->count && kept->items[i].relocation.offset == use->S;
       i++) {
    const ref_relocation *entry = &kept->items[i].relocation;
    const bool type = entry->type == HEADER_TEXTURE || entry->type == HEADER_SAMPLER ||
                      entry->type == HEADER_SAMPLER_0 || entry->type == HEADER_SURFACE;
    if (type && entry->symbol < context->output->symbol_count &&
        strcmp(context->output->symbols[entry->symbol].name, symbol->name) == 0) {
      return true;
    }
  }
  return false;
}

static void check_bindless_kernel(ref_check_context *context, uint32_t kernel, const check_reach *reach, void *extra) {
  (void)extra;
  const check_reached_uses uses = check_uses_reached(context, reach);
  const uint32_t constants = check_section_of_kernel(context, kernel, CHECK_CONSTANT0);
  for (size_t i = 0; i < uses.count; i++) {
    const check_use *use = uses.items[i];
    const unsigned kind = check_use_symbol(context, use)->info & 15;
    if (kind >= SYMBOL_TEXTURE && kind <= SYMBOL_SURFACE &&
        (constants == 0 || !check_has_slot(context, constants, use))) {
      check_found(context, constants, use->S, "code of '%s' takes '%s' from here, the table has no such entry",
                  context->output->symbols[kernel].name, check_use_symbol(context, use)->name);
    }
  }
  for (size_t i = 0; constants != 0 && i < check_entries_of(&context->kept, constants)->count; i++) {
    const uint64_t at = check_entries_of(&context->kept, constants)->items[i].relocation.offset;
    if (at > context->output->sections[constants].size || context->output->sections[constants].size - at < SLOT_BYTES) {
      check_found(context, constants, at, "a slot of the bindless table lies outside the constants");
    }
  }
  free(uses.items);
}

void check_bindless(ref_check_context *context) {
  if (context->executable) {
    check_each_kernel(context, check_bindless_kernel, NULL);
  }
}
