/* Compiler constants above 64 KB: one image for the module, shared by value. K3, K3a, K3b, RF67, L1126, E33. */
#include "link.h"

#include <string.h>

enum { IMAGE_LIMIT = 0x10000, WORD = 8 };

/* One constant: a table or a double; a losing body's constants are one without a symbol (RF67). */
typedef struct ref_unit {
  size_t section, symbol;
  uint64_t offset, size, align;
  uint64_t place; /* in the module's image; before it is made, in those of W10.2 */
  bool is_placed;
} ref_unit;

typedef struct ref_image {
  ref_bytes bytes;
  uint64_t size;   /* of which the bytes have what ref_constants_append keeps */
  ref_unit *units; /* those of a section stand together, offsets ascending */
  size_t count, capacity;
  ref_indices shared; /* units that have been given a place and may be shared, in that order */
  uint64_t align;
} ref_image;

/* K3b, G7: sizes that take part in sharing. */
bool ref_constants_share_size(uint64_t size, uint64_t align) {
  static const uint64_t any[] = {12, 16, 20, 24, 32, 48, 64};
  for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) {
    if (size == any[i]) {
      return true;
    }
  }
  return (size == 8 && align == 8) || (size == 4 && align == 4);
}

/* K3 */
static bool ref_fallback_is_needed(const ref_link *link) {
  for (size_t i = 0; i < link->all_kernels.count; i++) {
    const size_t image = link->functions[link->all_kernels.items[i]].constant2;
    if (image != REF_NONE && link->sections[image].size > IMAGE_LIMIT) {
      return true;
    }
  }
  return false;
}

static void ref_fallback_add_unit(ref_link *link, ref_image *image, size_t section, size_t symbol, uint64_t offset,
                                  uint64_t size) {
  const ref_out_section *owner = &link->sections[section];
  if (offset > owner->data.size || size > owner->data.size - offset) {
    ref_message_fatal(link, "D44", "a variable lies outside section '%s'", owner->name);
  }
  image->units = ref_memory_grow(link, image->units, image->count, &image->capacity, sizeof *image->units);
  image->units[image->count++] = (ref_unit){.section = section,
                                            .symbol = symbol,
                                            .offset = offset,
                                            .size = size,
                                            .align = owner->own_align,
                                            .place = ref_constants_offset_of_section(link, section) + offset};
}

static int ref_fallback_compare(const ref_link *link, size_t a, size_t b) {
  const uint64_t first = link->symbols[a].value, second = link->symbols[b].value;
  return ref_order(first, second);
}

/* K3a: a section's units by ascending offset; what losing bodies brought stands behind them. */
static void ref_fallback_collect_section(ref_link *link, ref_image *image, size_t section) {
  ref_indices symbols = {0};
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].section == section && link->symbols[i].type == REF_SYMBOL_CUDA_OBJECT) {
      ref_indices_add(link, &symbols, i);
    }
  }
  ref_sort_swapping(link, &symbols, ref_fallback_compare, REF_TIE_FIRST);
  for (size_t i = 0; i < symbols.count; i++) {
    const ref_out_symbol *symbol = &link->symbols[symbols.items[i]];
    ref_fallback_add_unit(link, image, section, symbols.items[i], symbol->value, symbol->size);
  }
  for (size_t i = 0; i < link->lost_constant_count; i++) {
    const ref_constant_block *block = &link->lost_constants[i];
    if (block->section == section) {
      ref_fallback_add_unit(link, image, section, REF_NONE, block->offset, block->size);
      image->units[image->count - 1].align = block->align; /* RF586 */
    }
  }
}

static const uint8_t *ref_fallback_bytes(const ref_link *link, const ref_unit *unit) {
  return link->sections[unit->section].data.data + unit->offset;
}

static bool ref_fallback_is_zero_word(const ref_link *link, const ref_unit *unit) {
  static const uint8_t zeros[WORD];
  return unit->size <= WORD && memcmp(ref_fallback_bytes(link, unit), zeros, (size_t)unit->size) == 0;
}

/* K3b; NULL when there is none. */
static const ref_unit *ref_fallback_find_equal(const ref_link *link, const ref_image *image, const ref_unit *unit) {
  for (size_t i = 0; i < image->shared.count; i++) {
    const ref_unit *other = &image->units[image->shared.items[i]];
    if (other->size == unit->size && other->align == unit->align &&
        memcmp(ref_fallback_bytes(link, other), ref_fallback_bytes(link, unit), (size_t)unit->size) == 0) {
      return other;
    }
  }
  return NULL;
}

static uint64_t ref_fallback_append(ref_link *link, ref_image *image, const ref_unit *unit) {
  const uint64_t place = ref_align_up(image->size, unit->align);
  ref_constants_append(link, &image->bytes, place, unit->size == 0 ? NULL : ref_fallback_bytes(link, unit),
                       (size_t)unit->size);
  image->size = place + unit->size;
  return place;
}

/* A unit has a new place: its symbol's, or that of symbol 0 (RF67). --trace tells of one that there is. */
static void ref_fallback_set_place(ref_link *link, ref_unit *unit, uint64_t place) {
  const uint64_t before = unit->is_placed ? unit->place : unit->offset;
  if (place != before && place <= IMAGE_LIMIT) {
    ref_trace_tell(link, REF_TRACE_LAYOUT, "optimize ocg constant reloc offset from %llu to %llu",
                   (unsigned long long)before, (unsigned long long)place);
  }
  unit->is_placed = true;
  unit->place = place;
  if (unit->symbol == REF_NONE) {
    link->null_symbol_value = place;
  }
}

static void ref_fallback_place_shared(ref_link *link, ref_image *image, size_t number) {
  ref_unit *unit = &image->units[number];
  const ref_unit *equal = ref_fallback_find_equal(link, image, unit);
  if (equal == NULL) {
    ref_fallback_set_place(link, unit, ref_fallback_append(link, image, unit));
    ref_indices_add(link, &image->shared, number);
    return;
  }
  const bool follows = equal->symbol == REF_NONE && link->job->bug_compatible; /* D84 */
  ref_fallback_set_place(link, unit, follows ? link->null_symbol_value : equal->place);
}

/* RF67: words of zeros have a place of their own each. D84: what cannot be shared is written again for every kernel, and its
 * relocations keep the offset of the first layout; by default it has one place. */
static void ref_fallback_place(ref_link *link, ref_image *image, size_t number) {
  ref_unit *unit = &image->units[number];
  const bool is_shared = ref_constants_share_size(unit->size, unit->align);
  const bool is_alone = is_shared && ref_fallback_is_zero_word(link, unit);
  if (unit->is_placed && (is_alone || !link->job->bug_compatible)) {
    return;
  }
  if (is_shared && !is_alone) {
    ref_fallback_place_shared(link, image, number);
  } else if (!is_alone && link->job->bug_compatible) {
    (void)ref_fallback_append(link, image, unit);
  } else {
    ref_fallback_set_place(link, unit, ref_fallback_append(link, image, unit));
  }
}

static void ref_fallback_place_section(ref_link *link, ref_image *image, size_t section) {
  for (size_t i = 0; i < image->count; i++) {
    if (image->units[i].section == section) {
      ref_fallback_place(link, image, i);
    }
  }
}

/* K3a: the kernel's own constants, then those of what it reaches, the blocks in the order of W10.2 (RF5). */
static void ref_fallback_place_kernel(ref_link *link, ref_image *image, size_t kernel) {
  const ref_function *function = &link->functions[kernel];
  ref_fallback_place_section(link, image, function->constant2);
  for (size_t i = link->section_count; i-- > 0;) {
    const size_t number = link->sections[i].constant_owner;
    if (number != REF_NONE && ref_indices_has(&function->reach, number)) {
      ref_fallback_place_section(link, image, i);
    }
  }
}

/* RF67: a kernel's section that only a losing body brought. */
static bool ref_fallback_is_left_out(const ref_link *link, size_t section) {
  return link->sections[section].is_stray && link->job->bug_compatible;
}

/* K3a: in reverse order of their images. RF67: a kernel whose section only a losing body brought keeps the image of W10.2. */
static ref_indices ref_fallback_kernels(ref_link *link) {
  ref_indices kernels = {0};
  for (size_t i = link->section_count; i-- > 0;) {
    if (link->sections[i].dropped || ref_fallback_is_left_out(link, i)) {
      continue;
    }
    for (size_t k = 0; k < link->all_kernels.count; k++) {
      if (link->functions[link->all_kernels.items[k]].constant2 == i) {
        ref_indices_add(link, &kernels, link->all_kernels.items[k]);
      }
    }
  }
  return kernels;
}

/* RF586: what is left out does not align the image either. */
static void ref_fallback_collect(ref_link *link, ref_image *image) {
  for (size_t i = 0; i < link->function_count; i++) {
    const size_t section = link->functions[i].constant2;
    if (section != REF_NONE && !ref_fallback_is_left_out(link, section) &&
        (link->functions[i].entry || link->functions[i].constant_users.count != 0)) {
      ref_fallback_collect_section(link, image, section);
      image->align = ref_larger(link->sections[section].own_align, image->align);
    }
  }
}

/* Every kernel that takes part gets the whole image; every symbol its unit's place. */
static void ref_fallback_finish(ref_link *link, const ref_image *image, const ref_indices *kernels) {
  for (size_t i = 0; i < image->count; i++) {
    const ref_unit *unit = &image->units[i];
    if (unit->symbol != REF_NONE) {
      link->symbols[unit->symbol].value = unit->place;
    }
  }
  for (size_t i = 0; i < link->function_count; i++) {
    link->functions[i].constant_offset = 0;
  }
  for (size_t i = 0; i < kernels->count; i++) {
    ref_out_section *section = &link->sections[link->functions[kernels->items[i]].constant2];
    section->data = (ref_bytes){0};
    ref_bytes_add(link, &section->data, image->bytes.data, image->bytes.size);
    section->size = image->size;
    section->align = image->align;
  }
}

/* After W10.2, whose images it replaces. L1126: not where its own does not fit either. */
void ref_fallback_lay_out(ref_link *link) {
  const uint64_t null_symbol_value = link->null_symbol_value;
  ref_image image = {.align = 1};
  if (!ref_fallback_is_needed(link)) {
    return;
  }
  const ref_indices kernels = ref_fallback_kernels(link);
  ref_fallback_collect(link, &image);
  for (size_t i = 0; i < kernels.count; i++) {
    ref_fallback_place_kernel(link, &image, kernels.items[i]);
  }
  if (image.size > IMAGE_LIMIT) {
    link->null_symbol_value = null_symbol_value;
    return;
  }
  ref_fallback_finish(link, &image, &kernels);
}
