/* Which relocation types and attributes the compilers wrote into the programs of a run, and which of those that they are
 * known to write are missing.
 *
 * The rows are what ptxas 13.0.88 was seen to write: the relocation types marked as seen (R_CUDA table) and section 4 of
 * the attributes, each with the architectures on which it was seen. A run is measured against its own architectures. The
 * entries of bindless tables (6, 7, 52, 101) are written by ptxas for whole programs only and by nvlink in a link, so
 * nvlink's output is looked at, too. The attributes that only whole programs have (0x54) are left out. */
#include "conformance.h"
#include "process.h"

#include "oracle/compare/ref_names.h"

#include <ref_cubin.h>

#include <stdlib.h>
#include <string.h>

typedef struct coverage_row {
  uint8_t code;
  unsigned char first, last; /* SM */
  char suffix;               /* 'a': only with the suffix; 0: any */
} coverage_row;

enum { COVERAGE_ANY = 255 };

static const coverage_row coverage_relocations[] = {
    {1, 75, COVERAGE_ANY, 0},
    {2, 75, COVERAGE_ANY, 0},
    {4, 75, COVERAGE_ANY, 0},
    {6, 75, COVERAGE_ANY, 0},
    {7, 75, 99, 0},
    {35, 75, COVERAGE_ANY, 0},
    {52, 75, COVERAGE_ANY, 0},
    {55, 75, COVERAGE_ANY, 0},
    {56, 75, COVERAGE_ANY, 0},
    {57, 75, COVERAGE_ANY, 0},
    {58, 75, 89, 0},
    {59, 75, COVERAGE_ANY, 0},
    {62, 75, COVERAGE_ANY, 0},
    {63, 75, COVERAGE_ANY, 0},
    {64, 75, 89, 0},
    {65, 75, 89, 0},
    {66, 75, 99, 0},
    {68, 75, 89, 0},
    {69, 75, 89, 0},
    {73, 75, COVERAGE_ANY, 0},
    {74, 75, 89, 0},
    {75, 90, COVERAGE_ANY, 0},
    {76, 75, 89, 0},
    {77, 75, 89, 0},
    {78, 75, 89, 0},
    {79, 75, 89, 0},
    {80, 75, 89, 0},
    {81, 75, 89, 0},
    {82, 75, 89, 0},
    {83, 75, 89, 0},
    {84, 75, COVERAGE_ANY, 0},
    {85, 75, COVERAGE_ANY, 0},
    {86, 75, COVERAGE_ANY, 0},
    {87, 75, COVERAGE_ANY, 0},
    {88, 75, COVERAGE_ANY, 0},
    {89, 75, COVERAGE_ANY, 0},
    {90, 75, COVERAGE_ANY, 0},
    {91, 75, COVERAGE_ANY, 0},
    {100, 80, 89, 0},
    {101, 100, COVERAGE_ANY, 0},
    {102, 90, COVERAGE_ANY, 0},
    {104, 90, COVERAGE_ANY, 0},
    {105, 90, COVERAGE_ANY, 0},
    {106, 90, COVERAGE_ANY, 0},
    {107, 90, COVERAGE_ANY, 0},
    {108, 90, COVERAGE_ANY, 0},
    {109, 90, COVERAGE_ANY, 0},
    {110, 90, COVERAGE_ANY, 0},
    {111, 90, COVERAGE_ANY, 0},
    {112, 90, COVERAGE_ANY, 0},
    {113, 90, COVERAGE_ANY, 0},
    {114, 90, COVERAGE_ANY, 0},
    {115, 100, COVERAGE_ANY, 0},
};

static const coverage_row coverage_attributes[] = {
    {0x04, 75, 89, 0},
    {0x05, 75, COVERAGE_ANY, 0},
    {0x09, 75, COVERAGE_ANY, 0},
    {0x0a, 75, COVERAGE_ANY, 0},
    {0x0f, 75, COVERAGE_ANY, 0},
    {0x10, 75, COVERAGE_ANY, 0},
    {0x11, 75, COVERAGE_ANY, 0},
    {0x12, 75, COVERAGE_ANY, 0},
    {0x13, 75, COVERAGE_ANY, 0},
    {0x15, 75, 89, 0},
    {0x16, 75, 89, 0},
    {0x17, 75, COVERAGE_ANY, 0},
    {0x19, 75, COVERAGE_ANY, 0},
    {0x1b, 75, COVERAGE_ANY, 0},
    {0x1c, 75, COVERAGE_ANY, 0},
    {0x1e, 75, COVERAGE_ANY, 0},
    {0x22, 75, COVERAGE_ANY, 0},
    {0x23, 75, COVERAGE_ANY, 0},
    {0x28, 75, COVERAGE_ANY, 0},
    {0x29, 75, COVERAGE_ANY, 0},
    {0x2b, 75, COVERAGE_ANY, 0},
    {0x2e, 75, COVERAGE_ANY, 0},
    {0x2f, 75, COVERAGE_ANY, 0},
    {0x31, 75, COVERAGE_ANY, 0},
    {0x34, 75, COVERAGE_ANY, 0},
    {0x35, 80, 89, 0},
    {0x36, 90, COVERAGE_ANY, 0},
    {0x37, 75, COVERAGE_ANY, 0},
    {0x38, 80, COVERAGE_ANY, 0},
    {0x39, 80, COVERAGE_ANY, 0},
    {0x3d, 90, COVERAGE_ANY, 0},
    {0x3e, 90, COVERAGE_ANY, 0},
    {0x3f, 90, COVERAGE_ANY, 0},
    {0x40, 80, COVERAGE_ANY, 0},
    {0x41, 80, COVERAGE_ANY, 0},
    {0x44, 75, COVERAGE_ANY, 0},
    {0x45, 75, COVERAGE_ANY, 0},
    {0x46, 75, COVERAGE_ANY, 0},
    {0x4a, 100, COVERAGE_ANY, 0},
    {0x4c, 75, COVERAGE_ANY, 0},
    {0x4d, 75, COVERAGE_ANY, 0},
    {0x4f, 100, 119, 'a'},
    {0x50, 90, COVERAGE_ANY, 0},
    {0x51, 100, 119, 'a'},
    {0x52, 100, 119, 'a'},
    {0x53, 75, COVERAGE_ANY, 0},
    {0x55, 75, COVERAGE_ANY, 0},
    {0x58, 90, COVERAGE_ANY, 0},
    {0x5a, 100, COVERAGE_ANY, 0},
    {0x5b, 90, COVERAGE_ANY, 0},
    {0x5c, 75, COVERAGE_ANY, 0},
    {0x5f, 75, COVERAGE_ANY, 0},
};

/* --- one cubin --- */

static void coverage_section(const ref_cubin *cubin, uint32_t index, conformance_coverage *coverage) {
  enum { RELA = 4, REL = 9, INFO = 0x70000000, MERCURY_INFO = 0x70000083 };
  const ref_section *section = &cubin->sections[index];
  if (section->type == RELA || section->type == REL)
    for (size_t i = 0, count = ref_cubin_relocation_count(cubin, index); i < count; i++) {
      uint32_t type = ref_cubin_relocation(cubin, index, i).type;
      if (type < 256)
        coverage->relocations[type] = true;
    }
  uint64_t position = 0;
  ref_attribute attribute;
  while ((section->type == INFO || section->type == MERCURY_INFO) &&
         ref_cubin_next_attribute(section, &position, &attribute))
    coverage->attributes[attribute.code] = true;
}

void conformance_cover(const char *path, conformance_coverage *coverage) {
  size_t size = 0;
  uint8_t *bytes = process_read_file(path, 256 << 20, &size);
  ref_cubin cubin;
  char error[128];
  if (bytes && ref_cubin_read(&cubin, bytes, size, error, sizeof error)) {
    for (uint32_t i = 1; i < cubin.section_count; i++)
      coverage_section(&cubin, i, coverage);
    ref_cubin_free(&cubin);
  }
  free(bytes);
}

/* --- a run --- */

static bool coverage_expected(const conformance_report *report, const coverage_row *row) {
  for (size_t i = 0; i < report->count; i++) {
    unsigned sm = 0;
    char suffix = 0;
    sscanf(report->cases[i].architecture, "sm_%u%c", &sm, &suffix);
    if (sm >= row->first && sm <= row->last && (!row->suffix || row->suffix == suffix))
      return true;
  }
  return false;
}

static bool coverage_found(const conformance_report *report, uint8_t code, bool relocation) {
  for (size_t i = 0; i < report->count; i++) {
    const conformance_coverage *coverage = &report->cases[i].verdict.coverage;
    if (relocation ? coverage->relocations[code] : coverage->attributes[code])
      return true;
  }
  return false;
}

/* One line: how many of the rows that these architectures have occur, and the names of the others. */
static size_t coverage_print_rows(const conformance_report *report, const coverage_row *rows, size_t count,
                                  bool relocation, FILE *to) {
  size_t expected = 0, found = 0;
  for (size_t i = 0; i < count; i++) {
    expected += coverage_expected(report, &rows[i]);
    found += coverage_expected(report, &rows[i]) && coverage_found(report, rows[i].code, relocation);
  }
  fprintf(to, "%s that ptxas writes: %zu of %zu occur%s", relocation ? "relocation types" : "attributes", found,
          expected, found < expected ? "; missing:" : "");
  for (size_t i = 0; i < count; i++) {
    if (!coverage_expected(report, &rows[i]) || coverage_found(report, rows[i].code, relocation))
      continue;
    const ref_relocation_row *type = relocation ? ref_find_relocation_row(rows[i].code) : NULL;
    const ref_attribute_row *attribute = relocation ? NULL : ref_find_attribute_row(rows[i].code);
    const char *name = type ? type->name : attribute ? attribute->name : "unknown";
    fprintf(to, relocation ? " %d %s" : " 0x%02x %s", rows[i].code, name);
  }
  fprintf(to, "\n");
  return expected - found;
}

size_t conformance_print_coverage(const conformance_report *report, FILE *to) {
  size_t missing = coverage_print_rows(report, coverage_relocations,
                                       sizeof coverage_relocations / sizeof coverage_relocations[0], true, to);
  return missing + coverage_print_rows(report, coverage_attributes,
                                       sizeof coverage_attributes / sizeof coverage_attributes[0], false, to);
}
