/* Sections that stay keep their order and get new numbers; symbols keep theirs and lose the section when it went. */
#include "tests/sass/squeeze.h"

#include "ref_cubin.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 64, SYMBOL = 24, SECTIONS_MAX = 256, TEXT_ALIGN = 16 };

static bool sass_squeeze_keeps(const ref_section *section) {
  static const char *const whole[] = {".shstrtab", ".strtab", ".symtab"};
  static const char *const starts[] = {".text.", ".rel.text.", ".rela.text.", ".nv.info."};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (strcmp(section->name, whole[i]) == 0)
      return true;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strncmp(section->name, starts[i], strlen(starts[i])) == 0)
      return section->size > 0;
  return false;
}

static void sass_squeeze_put(uint8_t *at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

static void sass_squeeze_append(harness_bytes *out, const void *bytes, size_t size, size_t align) {
  const size_t start = (out->size + align - 1) / align * align;
  out->data = harness_grow(out->data, start + size + 1);
  memset(out->data + out->size, 0, start - out->size);
  if (size)
    memcpy(out->data + start, bytes, size);
  out->size = start + size;
  out->data[out->size] = 0;
}

harness_bytes sass_squeeze(const harness_bytes *cubin) {
  char error[256];
  ref_cubin read;
  if (!ref_cubin_read(&read, cubin->data, cubin->size, error, sizeof error) || read.section_count > SECTIONS_MAX)
    harness_stop("not a cubin to squeeze: %s", error);
  uint16_t renumbered[SECTIONS_MAX] = {0}, count = 1;
  for (size_t i = 1; i < read.section_count; i++)
    renumbered[i] = sass_squeeze_keeps(&read.sections[i]) ? count++ : 0;
  harness_bytes out = {0}, headers = {0};
  sass_squeeze_append(&out, cubin->data, HEADER, 1);
  sass_squeeze_append(&headers, cubin->data + read.section_offset, HEADER, 1);
  for (size_t i = 1; i < read.section_count; i++) {
    const ref_section *section = &read.sections[i];
    if (!renumbered[i])
      continue;
    uint8_t header[HEADER];
    memcpy(header, cubin->data + read.section_offset + i * HEADER, HEADER);
    sass_squeeze_append(&out, section->data, section->size, TEXT_ALIGN);
    sass_squeeze_put(header + 24, out.size - section->size, 8);
    sass_squeeze_put(header + 40, section->link < read.section_count ? renumbered[section->link] : 0, 4);
    const bool names_section = strncmp(section->name, ".rel", 4) == 0 || strncmp(section->name, ".nv.info.", 9) == 0;
    if (names_section && section->info < read.section_count)
      sass_squeeze_put(header + 44, renumbered[section->info], 4);
    sass_squeeze_append(&headers, header, HEADER, 1);
    for (size_t k = 0; i == read.symbol_section && k < read.symbol_count; k++) {
      const uint32_t where = read.symbols[k].section;
      if (where < read.section_count)
        sass_squeeze_put(out.data + out.size - section->size + k * SYMBOL + 6, renumbered[where], 2);
    }
  }
  sass_squeeze_append(&out, headers.data, headers.size, 8);
  sass_squeeze_put(out.data + 40, out.size - headers.size, 8);
  sass_squeeze_put(out.data + 60, count, 2);
  sass_squeeze_put(out.data + 62, renumbered[read.section_name_index], 2);
  free(headers.data);
  ref_cubin_free(&read);
  return out;
}
