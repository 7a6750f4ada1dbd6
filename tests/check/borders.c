/* The limits at their border: a value that is just allowed is silent, the next one is named with both numbers. Made in
 * outputs of nvlink's, with room behind them for longer tables. */
#include "tests/check/check_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SECTION_HEADER = 64, ROOM = 8192, TYPE_NOBITS = 8, TYPE_INFO = 0x70000000, ENTRY = 16 };
enum { AT_TYPE = 4, AT_OFFSET = 24, AT_SIZE = 32 };

typedef struct check_border check_border;
/* Changes `bytes`, the output that `cubin` was read from, behind which there is ROOM; false when it has no such place. */
typedef bool check_border_change(uint8_t *bytes, const ref_cubin *cubin, const check_border *border, uint64_t value);

struct check_border {
  const char *job; /* below corpus/cuda */
  check_border_change *change;
  const char *section;    /* prefix of a name */
  uint32_t code;          /* attribute or relocation type */
  uint64_t silent, found; /* values */
  const char *sentence;   /* NULL: `found` is silent, too */
};

static void put(uint8_t *at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t find_section(const ref_cubin *cubin, const char *prefix) {
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (strncmp(cubin->sections[i].name, prefix, strlen(prefix)) == 0)
      return i;
  return 0;
}

static uint8_t *section_header(uint8_t *bytes, const ref_cubin *cubin, uint32_t section) {
  return bytes + cubin->section_offset + SECTION_HEADER * (uint64_t)section;
}

/* A section without bytes of that size. */
static bool change_size(uint8_t *bytes, const ref_cubin *cubin, const check_border *border, uint64_t value) {
  const uint32_t section = find_section(cubin, border->section);
  if (cubin->sections[section].data)
    put(section_header(bytes, cubin, section) + AT_TYPE, TYPE_NOBITS, 4);
  put(section_header(bytes, cubin, section) + AT_SIZE, value, 8);
  return section != 0;
}

/* A number in the first attribute of that code: behind a symbol's index, or in place of a payload. */
static bool change_attribute(uint8_t *bytes, const ref_cubin *cubin, const check_border *border, uint64_t value) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    ref_attribute attribute;
    for (uint64_t at = 0;
         cubin->sections[i].type == TYPE_INFO && ref_cubin_next_attribute(&cubin->sections[i], &at, &attribute);)
      if (attribute.code == border->code) {
        uint8_t *const record = bytes + cubin->sections[i].offset + attribute.offset;
        put(attribute.format == 4 ? record + 8 : record + 2, value, attribute.format == 4 ? 4 : 1);
        return true;
      }
  }
  return false;
}

/* A table of relocations of that type, behind the file. */
static bool change_table(uint8_t *bytes, const ref_cubin *cubin, const check_border *border, uint64_t value) {
  const uint32_t section = find_section(cubin, border->section);
  if (!section || !cubin->sections[section].data || value * ENTRY > ROOM)
    return false;
  for (uint64_t i = 0; i < value; i++) {
    uint8_t *const entry = bytes + cubin->size + i * ENTRY;
    memcpy(entry, cubin->sections[section].data, ENTRY);
    put(entry + 8, border->code, 4);
  }
  put(section_header(bytes, cubin, section) + AT_OFFSET, cubin->size, 8);
  put(section_header(bytes, cubin, section) + AT_SIZE, value * ENTRY, 8);
  return true;
}

static const check_border borders[] = {
    {"shared_static/sm_80/plain", change_size, ".nv.shared.", 0, 0xc000, 0xc001,
     "0xc001 bytes of shared memory, 0xc000 max"},
    {"cluster/sm_90/plain", change_size, ".nv.shared.clustered", 0, 0xc400, 0xc401,
     "0xc001 bytes of shared memory, 0xc000 max"},
    {"warpgroup/sm_90a/plain", change_size, ".nv.shared.warpgroup", 0, 0x39000, 0x39001,
     "0x38c01 bytes of shared memory, 0x38c00 max"},
    {"../vendor-defects/lost_fragments/sm_100a/defect", change_size, ".nv.shared.reserved", 0, 0x100, 0x100000, NULL},
    {"calls/sm_90/plain", change_size, ".nv.constant0.", 0, 0x10000, 0x10001,
     "0x10001 bytes of constants, 0x10000 max"},
    {"calls/sm_90/plain", change_attribute, "", 0x2f, 255, 256, "256 registers, 255 max"},
    {"barriers_numbered/sm_90/plain", change_attribute, "", 0x4c, 16, 17, "17 barriers, 16 max"},
    {"ptx_textures/sm_90/plain", change_table, ".rel.nv.constant0.", 6, 256, 257,
     "257 textures in one kernel, 256 max"},
    {"ptx_textures/sm_90/plain", change_table, ".rel.nv.constant0.", 7, 32, 33, "33 samplers in one kernel, 32 max"},
    {"ptx_textures/sm_90/plain", change_table, ".rel.nv.constant0.", 101, 32, 33, "33 samplers in one kernel, 32 max"},
    {"ptx_textures/sm_90/plain", change_table, ".rel.nv.constant0.", 52, 32, 33, "33 surfaces in one kernel, 32 max"},
};

/* Does the output with that value have a finding of `limits` with the sentence, or without one any finding of it? */
static bool border_finds(const check_job *job, const check_border *border, uint64_t value, const char *sentence) {
  char error[256];
  ref_check_report report;
  ref_cubin cubin;
  harness_bytes changed = {calloc(1, job->output.size + ROOM), job->output.size + ROOM};
  assert_non_null(changed.data);
  memcpy(changed.data, job->output.data, job->output.size);
  assert_true(ref_cubin_read(&cubin, job->output.data, job->output.size, error, sizeof error));
  assert_true(border->change(changed.data, &cubin, border, value));
  ref_cubin_free(&cubin);
  assert_true(check_job_run(job, &changed, &report));
  bool found = false;
  for (size_t i = 0; i < report.count; i++) {
    const bool limits = strcmp(report.findings[i].row->name, "limits") == 0;
    found |= limits && (!sentence || strcmp(report.findings[i].text, sentence) == 0);
    if (limits && (!sentence || strcmp(report.findings[i].text, sentence) != 0))
      print_message("%s: %s\n", border->job, report.findings[i].text);
  }
  ref_check_free(&report);
  assert_int_equal(report.count, 0);
  free(changed.data);
  return found;
}

void check_test_borders(void **state) {
  (void)state;
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof borders / sizeof *borders; i++) {
    const check_border *const border = &borders[i];
    char directory[HARNESS_PATH], inputs[HARNESS_PATH];
    check_job job;
    harness_path(directory, "%s/cuda/%s", check_corpus, border->job);
    harness_path(inputs, "%.*s", (int)(strrchr(directory, '/') - directory), directory);
    assert_true(check_job_read(&job, directory, inputs, NULL));
    const bool silent = !border_finds(&job, border, border->silent, NULL);
    const bool named = border_finds(&job, border, border->found, border->sentence) == (border->sentence != NULL);
    if (!silent || !named)
      print_error("%s, row %zu: %s\n", border->job, i, silent ? "not named" : "not silent at the border");
    wrong += !silent || !named;
    check_job_free(&job);
  }
  assert_int_equal(wrong, 0);
}
