/* Section order, headers, segments, the file: W1, L1173, RF775, RF1112. */
#include "link.h"

#include <string.h>

enum {
  HEADER_BYTES = 64,
  SECTION_BYTES = 64,
  SEGMENT_BYTES = 56,
  FIRST_SECTIONS = 4,
  INDEX_NAMES = 1,
  INDEX_STRINGS = 2,
  INDEX_SYMBOLS = 3,
  INDEX_WORDS = 4,
  CLASSES = 7,
  SEGMENT_LOAD = 1,
  SEGMENT_PHDR = 6,
  SEGMENT_READ_EXECUTE = 5,
  SEGMENT_READ_WRITE = 6,
  KIND_SASS = 4,
  RECORD_ALIGN = 8,
  SYSTEM_RESERVED = 0x40
};

/* L1173: constants and variables with the flag of code are none. */
static bool ref_write_is_data(const ref_out_section *section) {
  return ref_section_type_is_constant(section->type) || section->type == REF_TYPE_GLOBAL_INIT;
}

/* W1.4. L1173: what may be written is no code, either. */
int ref_write_class(const ref_out_section *section) {
  if (section->type == REF_TYPE_REL || section->type == REF_TYPE_RELA || section->type == REF_TYPE_RESOLVED_RELA) {
    return 3;
  }
  if (!ref_section_type_has_bytes(section->type)) {
    return 7;
  }
  const bool written = (section->flags & REF_FLAG_WRITE) != 0;
  if ((section->flags & REF_FLAG_EXEC) != 0 && !(written && ref_write_is_data(section))) {
    return 5;
  }
  if (written) {
    return 6;
  }
  if ((section->flags & REF_FLAG_ALLOC) != 0) {
    return 4;
  }
  return section->type == REF_TYPE_PROGBITS ? 1 : 2;
}

/* W4.4: what disappears when it is empty. */
static bool ref_write_is_dropped_when_empty(const ref_link *link, size_t number) {
  const ref_out_section *section = &link->sections[number];
  return section->type == REF_TYPE_REL || section->type == REF_TYPE_RELA || section->type == REF_TYPE_RESOLVED_RELA ||
         number == link->prototype_section || number == link->info_section ||
         (section->type == REF_TYPE_INFO && !link->is_capsule); /* RF761 */
}

/* H9, M28: `.nv.shared.reserved.0` begins with 64 bytes of the system's. */
static void ref_write_reserve_shared(ref_link *link) {
  if (link->is_capsule || link->relocatable) {
    return;
  }
  for (size_t i = 0; i < link->section_count; i++) {
    if (link->sections[i].type == REF_TYPE_SHARED_RESERVED && link->sections[i].size != 0 &&
        ref_target_has_capsules(link->sm)) { /* RF1052 */
      link->sections[i].size += SYSTEM_RESERVED;
    }
  }
}

/* RF177: those that stand before the module's. */
static size_t ref_write_first_sections(const ref_link *link) {
  return ref_many_sections(link) ? FIRST_SECTIONS + 1 : FIRST_SECTIONS;
}

void ref_write_order_sections(ref_link *link, ref_indices *order) {
  const size_t first = ref_write_first_sections(link);
  uint8_t *classes = REF_TAKE(link, uint8_t, link->section_count); /* 0: none */
  size_t begins[CLASSES + 2] = {0};                                /* where each class begins in the order */
  ref_write_reserve_shared(link);
  for (size_t i = 0; i < link->section_count; i++) {
    ref_out_section *section = &link->sections[i];
    if (section->size == 0 && ref_write_is_dropped_when_empty(link, i)) {
      section->dropped = true;
    }
    if (section->fixed_index != 0) { /* RF769 */
      section->index = section->fixed_index;
    } else if (!section->dropped) {
      classes[i] = (uint8_t)ref_write_class(section);
      begins[classes[i] + 1]++;
      order->count++;
    }
  }
  for (int class = 1; class <= CLASSES; class ++) {
    begins[class + 1] += begins[class];
  }
  order->capacity = order->count;
  order->items = REF_TAKE_ROOM(link, size_t, order->count);
  for (size_t i = 0; i < link->section_count; i++) {
    if (classes[i] != 0) {
      const size_t place = begins[classes[i]]++;
      link->sections[i].index = (uint32_t)(first + place);
      order->items[place] = i;
    }
  }
  if (link->is_capsule && order->count + first >= REF_SECTION_RESERVED) {
    ref_message_fatal(link, "X4", "%zu sections: the reference writes fewer than 65280 of capsules", order->count);
  }
}

typedef struct ref_header {
  uint32_t name, type, link, info;
  uint64_t flags, offset, size, align, entry_size;
} ref_header;

static void ref_write_header(uint8_t *at, const ref_header *header) {
  ref_put_u32(at, header->name);
  ref_put_u32(at + 4, header->type);
  ref_put_u64(at + 8, header->flags);
  ref_put_u64(at + 24, header->offset);
  ref_put_u64(at + 32, header->size);
  ref_put_u32(at + 40, header->link);
  ref_put_u32(at + 44, header->info);
  ref_put_u64(at + 48, header->align);
  ref_put_u64(at + 56, header->entry_size);
}

/* W1.5, of an executable. */
uint32_t ref_write_type(uint32_t type) {
  if (type == REF_TYPE_GLOBAL_INIT || ref_section_type_is_constant(type)) {
    return REF_TYPE_PROGBITS;
  }
  return ref_section_type_has_bytes(type) ? type : REF_TYPE_NOBITS;
}

/* RF971: below sm_90 what an input calls so. */
static size_t ref_write_find_compat(const ref_link *link) {
  const size_t named = link->is_capsule ? REF_NONE : ref_map_find(&link->section_by_name, ".nv.compat");
  return link->compat_section != REF_NONE || named == REF_NONE || link->sections[named].dropped ? link->compat_section
                                                                                                : named;
}

/* W1.6 */
static ref_header ref_write_describe(const ref_link *link, size_t number) {
  const ref_out_section *section = &link->sections[number];
  ref_header header = {.name = ref_strings_offset(&link->section_names, section->name),
                       .type = link->relocatable ? section->type : ref_write_type(section->type),
                       .flags = section->flags,
                       .offset = section->file_offset,
                       .size = section->size,
                       .align = section->align,
                       .entry_size = section->entry_size,
                       .link = section->links_symtab ? INDEX_SYMBOLS : section->input_link};
  if (section->info_section != REF_NONE) {
    header.info = link->sections[section->info_section].index;
  }
  if (section->info_function != REF_NONE) {
    header.info = link->symbols[link->functions[section->info_function].symbol].index | section->info_high;
  }
  if (number == link->cuinfo_section) {
    header.link = link->sections[link->note_section].index;
    const size_t compat = ref_write_find_compat(link);
    if (compat != REF_NONE) {
      header.info = link->sections[compat].index;
      header.flags |= REF_FLAG_INFO;
    }
  }
  return header;
}

static size_t ref_write_place(ref_link *link, ref_bytes *file, const void *data, size_t size, uint64_t align) {
  ref_bytes_fill(link, file, (size_t)ref_align_up(file->size, align));
  const size_t offset = file->size;
  ref_bytes_add(link, file, data, size);
  return offset;
}

/* RF533: what would be too large is refused before any of it is there. */
static void ref_write_check_size(ref_link *link, uint64_t at, const ref_indices *order) {
  for (size_t i = 0; i < order->count; i++) {
    const ref_out_section *section = &link->sections[order->items[i]];
    at = ref_align_up(at, section->align) + section->data.size;
    ref_bytes_check(link, (size_t)at);
  }
}

/* W1.3: file order is index order; sections without bytes get an aligned offset. */
static void ref_write_sections(ref_link *link, ref_bytes *file, const ref_indices *order) {
  ref_write_check_size(link, file->size, order);
  for (size_t i = 0; i < order->count; i++) {
    ref_out_section *section = &link->sections[order->items[i]];
    section->file_offset = ref_write_place(link, file, section->data.data, section->data.size, section->align);
  }
}

static void ref_write_segment(uint8_t *at, uint32_t type, uint32_t flags, uint64_t offset, uint64_t file_size,
                              uint64_t memory_size) {
  ref_put_u32(at, type);
  ref_put_u32(at + 4, flags);
  ref_put_u64(at + 8, offset);
  ref_put_u64(at + 32, file_size);
  ref_put_u64(at + 40, memory_size);
  ref_put_u64(at + 48, 8);
}

typedef struct ref_extent {
  bool any;
  uint64_t start, end, memory;
} ref_extent;

/* W1.7, W1.8 */
static ref_extent ref_write_extent(const ref_link *link, const ref_indices *order, int first, int last) {
  ref_extent extent = {0};
  for (size_t i = 0; i < order->count; i++) {
    const ref_out_section *section = &link->sections[order->items[i]];
    const int class = ref_write_class(section);
    const bool hidden = class == 5 && ref_write_is_data(section) && (section->flags & REF_FLAG_ALLOC) == 0; /* RF775 */
    if (class < first || class > last || hidden) {
      continue;
    }
    const bool has_bytes = ref_section_type_has_bytes(section->type);
    const uint64_t end = section->file_offset + (has_bytes ? section->size : 0);
    extent.start = extent.any ? extent.start : section->file_offset;
    extent.end = ref_larger(end, extent.end);
    extent.any = true;
    if (!has_bytes) {
      extent.memory = ref_align_up(extent.memory, section->align) + section->size;
    }
  }
  return extent;
}

static size_t ref_write_segments(ref_link *link, ref_bytes *file, const ref_indices *order) {
  const ref_extent code = ref_write_extent(link, order, 4, 5), data = ref_write_extent(link, order, 6, 7);
  const size_t count = 2u + code.any + data.any;
  const size_t offset = file->size;
  ref_bytes_fill(link, file, offset + count * SEGMENT_BYTES);
  uint8_t *at = file->data + offset;
  ref_write_segment(at, SEGMENT_PHDR, SEGMENT_READ_EXECUTE, offset, count * SEGMENT_BYTES, count * SEGMENT_BYTES);
  at += SEGMENT_BYTES;
  if (code.any) {
    ref_write_segment(at, SEGMENT_LOAD, SEGMENT_READ_EXECUTE, code.start, code.end - code.start, code.end - code.start);
    at += SEGMENT_BYTES;
  }
  if (data.any) {
    ref_write_segment(at, SEGMENT_LOAD, SEGMENT_READ_WRITE, data.start, data.end - data.start,
                      data.end - data.start + data.memory);
    at += SEGMENT_BYTES;
  }
  ref_write_segment(at, SEGMENT_LOAD, SEGMENT_READ_EXECUTE, offset, count * SEGMENT_BYTES, count * SEGMENT_BYTES);
  return count;
}

/* W1.1, W1.2 */
void ref_write_file_header(const ref_link *link, uint8_t *at, size_t section_offset, size_t section_count,
                           size_t segment_offset, size_t segment_count, uint32_t note_index) {
  static const uint8_t usual[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8}; /* L180, RF205: whatever the inputs have */
  const uint32_t kind = link->is_capsule ? REF_KIND_CAPSULE : KIND_SASS;    /* M4, RF203 */
  memcpy(at, usual, sizeof usual);
  ref_put_u16(at + 16, link->relocatable ? 1 : 2);
  ref_put_u16(at + 18, 190);
  ref_put_u32(at + 20, 1);
  ref_put_u64(at + 32, segment_offset);
  ref_put_u64(at + 40, section_offset);
  ref_put_u32(at + 48, kind | link->sm << 8 | note_index << 24);
  ref_put_u16(at + 52, HEADER_BYTES);
  ref_put_u16(at + 54, link->is_capsule && link->relocatable ? 0 : SEGMENT_BYTES); /* M14 */
  ref_put_u16(at + 56, (uint16_t)segment_count);
  ref_put_u16(at + 58, SECTION_BYTES);
  ref_put_u16(at + 60, section_count > REF_SECTION_RESERVED ? 0 : (uint16_t)section_count); /* X1 */
  ref_put_u16(at + 62, INDEX_NAMES);
}

static void ref_write_headers(ref_link *link, ref_bytes *file, const ref_indices *order, const ref_header *first) {
  const size_t offset = file->size;
  const size_t before = ref_write_first_sections(link), count = order->count + before;
  ref_bytes_fill(link, file, offset + count * SECTION_BYTES);
  for (size_t i = 0; i < before; i++) {
    ref_write_header(file->data + offset + i * SECTION_BYTES, &first[i]);
  }
  for (size_t i = 0; i < order->count; i++) {
    const ref_header header = ref_write_describe(link, order->items[i]);
    ref_write_header(file->data + offset + (before + i) * SECTION_BYTES, &header);
  }
}

/* RF1112: the largest alignment of what inputs have brought into a fixed section, which moves nothing. */
static uint64_t ref_write_fixed_align(const ref_link *link, const char *name, uint64_t own) {
  const size_t number = ref_map_find(&link->section_by_name, name);
  const bool brought = number != REF_NONE && link->sections[number].fixed_index != 0;
  return brought ? ref_larger(own, link->sections[number].align) : own;
}

/* All parts, one behind the other. */
static void ref_write_parts(ref_link *link, const ref_indices *order, const ref_bytes *symbols) {
  ref_bytes file = {0};
  ref_header first[FIRST_SECTIONS + 1] = {0};
  const ref_bytes *names = &link->section_names.bytes, *strings = &link->names.bytes;
  ref_bytes_fill(link, &file, HEADER_BYTES);
  first[INDEX_NAMES] = (ref_header){.name = ref_strings_offset(&link->section_names, ".shstrtab"),
                                    .type = REF_TYPE_STRTAB,
                                    .offset = ref_write_place(link, &file, names->data, names->size, 1),
                                    .size = names->size,
                                    .align = ref_write_fixed_align(link, ".shstrtab", 1)};
  first[INDEX_STRINGS] = (ref_header){.name = ref_strings_offset(&link->section_names, ".strtab"),
                                      .type = REF_TYPE_STRTAB,
                                      .offset = ref_write_place(link, &file, strings->data, strings->size, 1),
                                      .size = strings->size,
                                      .align = ref_write_fixed_align(link, ".strtab", 1)};
  first[INDEX_SYMBOLS] = (ref_header){.name = ref_strings_offset(&link->section_names, ".symtab"),
                                      .type = REF_TYPE_SYMTAB,
                                      .offset = ref_write_place(link, &file, symbols->data, symbols->size, 8),
                                      .size = symbols->size,
                                      .align = ref_write_fixed_align(link, ".symtab", 8),
                                      .link = INDEX_STRINGS,
                                      .info = link->first_global,
                                      .entry_size = 24};
  if (ref_many_sections(link)) {
    const ref_bytes words = ref_many_words(link);
    first[INDEX_WORDS] = (ref_header){.name = ref_strings_offset(&link->section_names, ".symtab_shndx"),
                                      .type = REF_TYPE_SYMTAB_SHNDX,
                                      .offset = ref_write_place(link, &file, words.data, words.size, 4),
                                      .size = words.size,
                                      .align = 4,
                                      .link = INDEX_SYMBOLS,
                                      .entry_size = 4};
  }
  ref_write_sections(link, &file, order);
  ref_bytes_fill(link, &file, (size_t)ref_align_up(file.size, 8));
  const size_t section_offset = file.size, section_count = order->count + ref_write_first_sections(link);
  first[0].size = section_count > REF_SECTION_RESERVED ? section_count : link->lost_records; /* X1, L831 */
  first[0].align = link->lost_records > 0 ? RECORD_ALIGN : 0;
  ref_write_headers(link, &file, order, first);
  const size_t segment_offset = link->relocatable ? 0 : file.size; /* W1.7 */
  const size_t segments = link->relocatable ? 0 : ref_write_segments(link, &file, order);
  ref_write_file_header(link, file.data, section_offset, section_count, segment_offset, segments,
                        link->sections[link->cuinfo_section].index);
  link->result->bytes = file.data;
  link->result->size = file.size;
}

/* RF535: nvlink finds it as it writes, behind the lines of -v. */
void ref_write_check_spans(ref_link *link) {
  if (link->mismatched_section != NULL && !link->is_capsule) {
    ref_message_fatal(link, "RF95", "Internal error: %s section size mismatch", link->mismatched_section);
  }
}

void ref_write_file(ref_link *link) {
  ref_indices order = {0};
  ref_bytes symbols = {0};
  ref_write_order_sections(link, &order);
  ref_symbols_number(link);
  ref_symbols_name_globals(link);
  ref_names_build(link);
  ref_attributes_write(link);
  ref_callgraph_write(link);
  ref_relocate_write(link);
  ref_bindless_write(link);
  ref_unified_write(link);
  ref_metadata_write(link);
  ref_symbols_write(link, &symbols);
  if (link->error_count == 0) { /* else nobody gets the file, which what is too large makes large */
    ref_write_parts(link, &order, &symbols);
  }
}
