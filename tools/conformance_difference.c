/* Where two linked cubins first differ, as the name of a part of nvlink's output. Sections that belong to one function
 * get one name for all functions (".text.*"), so that differences of one cause fall into one group. */
#include "conformance.h"

#include <ref_cubin.h>

#include <stdlib.h>
#include <string.h>

static void conformance_section_class(const char *name, char *class, size_t size) {
  static const char *const prefixes[] = {
      ".rela.nv.constant", ".rel.nv.constant", ".nv.constant", ".rela.text.",       ".rel.text.", ".text.",
      ".nv.info.",         ".nv.shared.",      ".nv.local.",   ".nv_debug_ptx_txt."};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    size_t length = strlen(prefixes[i]);
    if (strncmp(name, prefixes[i], length) != 0)
      continue;
    const char *rest = name + length;
    int bank = 0;
    if (prefixes[i][length - 1] != '.') { /* a bank's number stays in the name */
      bank = (int)strcspn(rest, ".");
      if (!rest[bank])
        break;
      bank++;
    }
    snprintf(class, size, "%s%.*s*", prefixes[i], bank, rest);
    return;
  }
  snprintf(class, size, "%s", name);
}

static bool conformance_table_class(const ref_cubin *cubin, size_t at, char *class, size_t size, char *details,
                                    size_t details_size) {
  uint64_t sections = cubin->section_offset, entry = cubin->section_entry_size;
  if (at >= sections && at < sections + cubin->section_count * entry) {
    size_t index = (size_t)((at - sections) / entry);
    snprintf(class, size, "section headers");
    snprintf(details, details_size, "header of %s, byte %zu", cubin->sections[index].name,
             (size_t)((at - sections) % entry));
    return true;
  }
  entry = cubin->segment_entry_size;
  if (at >= cubin->segment_offset && at < cubin->segment_offset + cubin->segment_count * entry) {
    snprintf(class, size, "program headers");
    snprintf(details, details_size, "entry %zu", (size_t)((at - cubin->segment_offset) / entry));
    return true;
  }
  return false;
}

static void conformance_name_place(const uint8_t *bytes, size_t size, size_t at, char *class, size_t class_size,
                                   char *details, size_t details_size) {
  ref_cubin cubin;
  char error[128];
  snprintf(class, class_size, "padding");
  snprintf(details, details_size, "offset %zu", at);
  if (!ref_cubin_read(&cubin, bytes, size, error, sizeof error)) {
    snprintf(class, class_size, "unreadable");
    return;
  }
  bool found = conformance_table_class(&cubin, at, class, class_size, details, details_size);
  for (size_t i = 1; i < cubin.section_count && !found; i++) {
    const ref_section *section = &cubin.sections[i];
    if (!section->data || at < section->offset || at >= section->offset + section->size)
      continue;
    conformance_section_class(section->name, class, class_size);
    snprintf(details, details_size, "%s+0x%llx", section->name, (unsigned long long)(at - section->offset));
    found = true;
  }
  ref_cubin_free(&cubin);
}

bool conformance_first_difference(const uint8_t *reference, size_t reference_size, const uint8_t *ours, size_t our_size,
                                  char *class, size_t class_size, char *details, size_t details_size) {
  size_t common = reference_size < our_size ? reference_size : our_size;
  size_t at = 64;
  while (at < common && reference[at] == ours[at])
    at++;
  if (at < common) {
    conformance_name_place(reference, reference_size, at, class, class_size, details, details_size);
    return true;
  }
  if (reference_size != our_size) {
    snprintf(class, class_size, "file size");
    snprintf(details, details_size, "%zu, ours %zu", reference_size, our_size);
    return true;
  }
  if (memcmp(reference, ours, common < 64 ? common : 64) == 0)
    return false;
  snprintf(class, class_size, "ELF header");
  *details = 0;
  return true;
}
