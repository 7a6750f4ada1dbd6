/* Two sections of one input with the same bytes of the file: M2c, M10. nvlink applies relocations in the input's image, so in a
 * link of SASS kind the Mercury section that shares its bytes with a SASS one shows what was written there. */
#include "link.h"
#include "relocation_table.h"

#include <stdlib.h>

/* Where a section's bytes are. */
typedef struct ref_twin {
  uint64_t offset, size;
  size_t section;
} ref_twin;

static int ref_twin_compare_places(const ref_twin *a, const ref_twin *b) {
  return a->offset != b->offset ? ref_order(a->offset, b->offset) : ref_order(a->size, b->size);
}

static int ref_twin_compare(const void *left, const void *right) {
  const ref_twin *a = left, *b = right;
  const int order = ref_twin_compare_places(a, b);
  return order != 0 ? order : ref_order(a->section, b->section);
}

static bool ref_twin_shares_bytes(const ref_file *file, size_t a, size_t b) {
  const ref_section *first = &file->cubin.sections[a], *second = &file->cubin.sections[b];
  return first->offset == second->offset && first->size == second->size;
}

/* Looked for once a file, as soon as an entry of it is written, among sections in the order of their places: there are none but in objects of
 * SASS kind and in damaged files. */
static void ref_twins_find(ref_link *link, ref_file *file) {
  ref_twin *places = REF_TAKE(link, ref_twin, file->cubin.section_count);
  size_t count = 0;
  bool is_ordered = true;
  for (size_t i = 1; i < file->cubin.section_count; i++) {
    const ref_section *section = &file->cubin.sections[i];
    if (section->data != NULL) {
      places[count] = (ref_twin){section->offset, section->size, i};
      is_ordered = is_ordered && (count == 0 || ref_twin_compare_places(&places[count - 1], &places[count]) < 0);
      count++;
    }
  }
  if (is_ordered) {
    return; /* as usual */
  }
  qsort(places, count, sizeof *places, ref_twin_compare);
  for (size_t i = 0; i < count; i++) {
    if ((i != 0 && ref_twin_compare_places(&places[i - 1], &places[i]) == 0) ||
        (i + 1 < count && ref_twin_compare_places(&places[i], &places[i + 1]) == 0)) {
      ref_indices_add(link, &file->twins, places[i].section);
    }
  }
}

/* The first of the twins that are at a section's place or behind it. */
static size_t ref_twin_first(const ref_file *file, const ref_section *section) {
  const ref_twin wanted = {section->offset, section->size, 0};
  size_t first = 0, end = file->twins.count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    const ref_section *other = &file->cubin.sections[file->twins.items[middle]];
    if (ref_twin_compare_places(&(ref_twin){other->offset, other->size, 0}, &wanted) < 0) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

/* The input section in which the entry lies; 0 where its bytes have moved since. */
static uint32_t ref_twin_find_source(const ref_file *file, const ref_out_relocation *entry) {
  const uint32_t source = entry->input_target;
  const bool is_there =
      file->section_of[source] == entry->target && file->offset_in[source] == entry->offset - entry->input_offset;
  return is_there ? source : 0;
}

/* M2c */
void ref_twins_write(ref_link *link, const ref_out_relocation *entry, const ref_field *field, uint64_t value) {
  ref_file *file = &link->files[entry->file];
  if (!file->knows_twins) {
    file->knows_twins = true;
    ref_twins_find(link, file);
  }
  const uint32_t source = file->twins.count == 0 ? 0 : ref_twin_find_source(file, entry);
  if (source == 0 || file->cubin.sections[source].data == NULL) {
    return;
  }
  for (size_t i = ref_twin_first(file, &file->cubin.sections[source]);
       i < file->twins.count && ref_twin_shares_bytes(file, source, file->twins.items[i]); i++) {
    const size_t twin = file->twins.items[i];
    if (file->section_of[twin] != REF_NONE && file->section_of[twin] != entry->target) {
      const ref_bytes *bytes = &link->sections[file->section_of[twin]].data;
      ref_field_write(field, bytes->data, bytes->size, file->offset_in[twin] + entry->input_offset, value);
    }
  }
}
