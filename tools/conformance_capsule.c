/* Capsule links: what the linker's map says of kernels whose text nvlink makes anew (M42-M45), and whether everything else
 * of the file is identical (M46). */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION_SIZE = 64, HEADER_SIZE = 64 };

typedef struct capsule_section {
  const char *name;
  const uint8_t *bytes;
  uint64_t size;
} capsule_section;

static uint64_t capsule_number(const uint8_t *at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

/* Section `index` of an output; false when there is none or it does not lie in the file. */
static bool capsule_section_at(const uint8_t *file, size_t size, uint64_t index, capsule_section *section) {
  if (size < HEADER_SIZE || index >= capsule_number(file + 60, 2))
    return false;
  const uint64_t table = capsule_number(file + 40, 8), names = capsule_number(file + 62, 2);
  if (table > size || (size - table) / SECTION_SIZE <= index || (size - table) / SECTION_SIZE <= names)
    return false;
  const uint8_t *const header = file + table + index * SECTION_SIZE, *const strings =
                                                                         file + table + names * SECTION_SIZE;
  const uint64_t offset = capsule_number(header + 24, 8), text = capsule_number(strings + 24, 8);
  const uint64_t name = capsule_number(header, 4);
  section->size = capsule_number(header + 4, 4) == 8 ? 0 : capsule_number(header + 32, 8);
  if (offset > size || section->size > size - offset || text > size || name >= size - text)
    return false;
  section->bytes = file + offset;
  section->name = (const char *)file + text + name;
  return memchr(section->name, 0, size - text - name) != NULL;
}

/* What M46 leaves out: texts, and what depends on a text's size or instructions. */
static bool capsule_depends_on_text(const char *name) {
  static const char *const prefixes[] = {
      ".text.",  ".nv.capmerc.text.", ".debug_frame", ".debug_line", ".debug_info", ".nv_debug_",
      ".symtab", ".nv.merc.symtab",   ".nv.info.",    ".rela.",      ".nv.merc.",   ".shstrtab"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

/* M46: the same sections in the same order, and equal bytes where they do not hang on a text. `texts_only`: all kept texts
 * have their sizes, so everything but texts must be equal. */
static bool capsule_rest_is_equal(const uint8_t *reference, size_t reference_size, const uint8_t *ours, size_t our_size,
                                  bool texts_only) {
  if (reference_size < HEADER_SIZE || our_size < HEADER_SIZE || memcmp(reference + 60, ours + 60, 2) != 0)
    return false;
  capsule_section a, b;
  for (uint64_t i = 1; i < capsule_number(reference + 60, 2); i++) {
    if (!capsule_section_at(reference, reference_size, i, &a) || !capsule_section_at(ours, our_size, i, &b) ||
        strcmp(a.name, b.name) != 0)
      return false;
    const bool text = strncmp(a.name, ".text.", 6) == 0;
    if (texts_only ? text : capsule_depends_on_text(a.name))
      continue;
    if (a.size != b.size || memcmp(a.bytes, b.bytes, a.size) != 0)
      return false;
  }
  return true;
}

void conformance_judge_capsule(const uint8_t *reference, size_t reference_size, const uint8_t *ours, size_t our_size,
                               const char *map, conformance_capsules *capsules) {
  static const char title[] = "\nKernels whose text nvlink makes anew\n";
  enum { FLAGS = 48, FLAG_CAPSULE = 2 };
  *capsules = (conformance_capsules){.judged = reference && reference_size > FLAGS && reference[FLAGS] == FLAG_CAPSULE};
  const char *at = map ? strstr(map, title) : NULL;
  if (!capsules->judged || !at || !ours)
    return;
  bool texts_only = true;
  for (at += sizeof title - 1; strncmp(at, "  ", 2) == 0; at += strcspn(at, "\n") + 1) {
    const size_t length = strcspn(at, "\n");
    const bool sure = (length > 6 && strncmp(at + length - 6, " (M45)", 6) == 0) ||
                      (length > 14 && strncmp(at + length - 14, "same way (M43)", 14) == 0); /* L134 */
    *(sure ? &capsules->sure : &capsules->kept) += 1;
    texts_only &= sure || (length > 7 && strncmp(at + length - 7, " (M45i)", 7) == 0);
    if (!at[length])
      break;
  }
  capsule_section section;
  for (uint64_t i = 1; capsule_section_at(reference, reference_size, i, &section); i++)
    capsules->kernels += strncmp(section.name, ".nv.constant0.", 14) == 0;
  capsules->rest_identical = capsule_rest_is_equal(reference, reference_size, ours, our_size, texts_only);
}

void conformance_print_capsules(const conformance_report *report, FILE *to) {
  size_t links = 0, identical = 0, kernels = 0, sure = 0, kept = 0;
  size_t certain = 0, certain_identical = 0, others = 0, others_rest = 0, debug = 0, debug_identical = 0;
  for (size_t i = 0; i < report->count; i++) {
    const conformance_verdict *const verdict = &report->cases[i].verdict;
    const conformance_capsules *const one = &verdict->capsules;
    if (!one->judged)
      continue;
    const bool same = verdict->outcome == CONFORMANCE_IDENTICAL;
    links++;
    identical += same;
    kernels += one->kernels;
    sure += one->sure;
    kept += one->kept;
    if (one->debug) {
      debug++;
      debug_identical += same;
      continue;
    }
    *(one->kept ? &others : &certain) += 1;
    certain_identical += !one->kept && same;
    others_rest += one->kept && one->rest_identical;
  }
  if (!links)
    return;
  fprintf(to, "capsule links: whole file identical %zu of %zu\n", identical, links);
  fprintf(
      to,
      "  of %zu kernels %zu have their input's text (M42), %zu are made anew surely (M45), %zu not (M43, M44, M45i)\n",
      kernels, kernels - sure - kept, sure, kept);
  fprintf(to, "  without -G, every kernel certain: whole file identical %zu of %zu\n", certain_identical, certain);
  fprintf(to, "  without -G, the others: everything of M46 identical %zu of %zu\n", others_rest, others);
  fprintf(to, "  with -G or -g: whole file identical %zu of %zu\n", debug_identical, debug);
}
