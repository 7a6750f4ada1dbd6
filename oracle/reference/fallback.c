/* Compiler constants above 64 KB: one image for the module, shared by value. K3, K3a, K3b, E33. */
#include "link.h"

#include <string.h>

enum { IMAGE_LIMIT = 0x10000 };

typedef struct ref_unit {
  uint64_t place, align;
  const uint8_t *bytes;
  uint64_t size;
} ref_unit;

typedef struct ref_image {
  ref_bytes bytes;
  ref_unit *units;
  size_t count, capacity;
  uint64_t align;
} ref_image;

/* Where W10.2 would end, for every kernel. */
static bool ref_fallback_is_needed(ref_link *link) {
  uint64_t *ends = ref_memory_take(link, link->function_count + 1, sizeof *ends);
  for (size_t i = 0; i < link->all_kernels.count; i++) {
    const ref_function *kernel = &link->functions[link->all_kernels.items[i]];
    ends[link->all_kernels.items[i]] = kernel->constant2 == REF_NONE ? 0 : link->sections[kernel->constant2].size;
  }
  for (size_t i = link->section_count; i-- > 0;) {
    const size_t number = link->sections[i].constant_owner;
    if (number == REF_NONE || !link->functions[number].live) {
      continue;
    }
    const ref_indices *users = &link->functions[number].constant_users;
    uint64_t end = 0;
    for (size_t k = 0; k < users->count; k++) {
      end = ends[users->items[k]] > end ? ends[users->items[k]] : end;
    }
    end = ref_align_up(end, link->sections[i].align) + link->sections[i].size;
    for (size_t k = 0; k < users->count; k++) {
      ends[users->items[k]] = end;
    }
  }
  for (size_t i = 0; i < link->function_count; i++) {
    if (ends[i] > IMAGE_LIMIT) {
      return true;
    }
  }
  return false;
}

/* K3b */
static bool ref_fallback_may_share(const ref_unit *unit) {
  static const uint64_t any[] = {12, 16, 20, 24, 32, 48, 64};
  for (size_t i = 0; i < sizeof any / sizeof any[0]; i++) {
    if (unit->size == any[i]) {
      return true;
    }
  }
  return (unit->size == 8 && unit->align == 8) || (unit->size == 4 && unit->align == 4);
}

static uint64_t ref_fallback_place(ref_link *link, ref_image *image, ref_unit unit) {
  for (size_t i = 0; ref_fallback_may_share(&unit) && i < image->count; i++) {
    const ref_unit *other = &image->units[i];
    if (other->size == unit.size && other->align == unit.align &&
        memcmp(other->bytes, unit.bytes, (size_t)unit.size) == 0) {
      return other->place;
    }
  }
  unit.place = ref_align_up(image->bytes.size, unit.align);
  ref_bytes_fill(link, &image->bytes, (size_t)unit.place);
  ref_bytes_add(link, &image->bytes, unit.bytes, (size_t)unit.size);
  image->align = unit.align > image->align ? unit.align : image->align;
  image->units = ref_memory_grow(link, image->units, image->count, &image->capacity, sizeof *image->units);
  image->units[image->count++] = unit;
  return unit.place;
}

static int ref_fallback_compare(const ref_link *link, size_t a, size_t b) {
  const uint64_t first = link->symbols[a].value, second = link->symbols[b].value;
  return first < second ? -1 : first > second;
}

/* A section's units by ascending st_value; each section once. */
static void ref_fallback_add_section(ref_link *link, ref_image *image, size_t number, bool *done) {
  ref_indices symbols = {0};
  if (number == REF_NONE || done[number]) {
    return;
  }
  done[number] = true;
  const ref_out_section section = link->sections[number];
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (link->symbols[i].section == number && link->symbols[i].type == REF_SYMBOL_CUDA_OBJECT) {
      ref_indices_add(link, &symbols, i);
    }
  }
  ref_sort_swapping(link, &symbols, ref_fallback_compare, REF_TIE_FIRST);
  for (size_t i = 0; i < symbols.count; i++) {
    ref_out_symbol *symbol = &link->symbols[symbols.items[i]];
    if (symbol->value > section.data.size || symbol->size > section.data.size - symbol->value) {
      ref_message_fatal(link, "D44", "variable '%s' lies outside section '%s'", symbol->name, section.name);
    }
    const ref_unit unit = {.align = section.align, .bytes = section.data.data + symbol->value, .size = symbol->size};
    symbol->value = ref_fallback_place(link, image, unit);
  }
}

/* K3a: the kernel's own constants, then those of what it reaches, in reverse order of the texts. */
static void ref_fallback_add_kernel(ref_link *link, ref_image *image, size_t kernel, bool *done) {
  const ref_function *function = &link->functions[kernel];
  ref_fallback_add_section(link, image, function->constant2, done);
  for (size_t i = link->section_count; i-- > 0;) {
    const size_t number = link->sections[i].info_function;
    if (number != REF_NONE && !link->functions[number].entry && ref_indices_has(&function->reach, number)) {
      ref_fallback_add_section(link, image, link->functions[number].constant2, done);
    }
  }
}

/* True when the image was made; W10.2 is then not to be done. */
bool ref_fallback_lay_out(ref_link *link) {
  ref_image image = {.align = 1};
  bool *done = ref_memory_take(link, link->section_count + 1, sizeof *done);
  ref_indices kernels = {0};
  if (!ref_fallback_is_needed(link)) {
    return false;
  }
  for (size_t i = link->section_count; i-- > 0;) {
    for (size_t k = 0; k < link->all_kernels.count; k++) {
      if (link->functions[link->all_kernels.items[k]].constant2 == i) {
        ref_indices_add(link, &kernels, link->all_kernels.items[k]);
      }
    }
  }
  for (size_t i = 0; i < kernels.count; i++) {
    ref_fallback_add_kernel(link, &image, kernels.items[i], done);
  }
  for (size_t i = 0; i < kernels.count; i++) {
    ref_out_section *section = &link->sections[link->functions[kernels.items[i]].constant2];
    section->data = (ref_bytes){0};
    ref_bytes_add(link, &section->data, image.bytes.data, image.bytes.size);
    section->size = image.bytes.size;
    section->align = image.align;
  }
  for (size_t i = 0; i < link->section_count; i++) {
    link->sections[i].dropped = link->sections[i].dropped || link->sections[i].constant_owner != REF_NONE;
  }
  return true;
}
