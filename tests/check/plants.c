/* Planted violations: one for every invariant, made in an output of nvlink's. The untouched output must be silent, the
 * planted one must be found by the row it is for. */
#include "tests/check/check_tests.h"

#include "ref_sass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
  SECTION_HEADER = 64,
  SYMBOL = 24,
  TYPE_OBJECT = 1,
  TYPE_FUNC = 2,
  REGCOUNT = 0x2f,
  SHT_RELA = 4,
  SHT_REL = 9,
  SHT_INFO = 0x70000000,
  SHT_CALLGRAPH = 0x70000001
};

/* Changes `bytes`, the output that `cubin` was read from. False when the output has nothing to change. */
typedef bool check_plant(uint8_t *bytes, const ref_cubin *cubin);

static void put(uint8_t *at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

static uint8_t *section_header(uint8_t *bytes, const ref_cubin *cubin, uint32_t section) {
  return bytes + cubin->section_offset + SECTION_HEADER * (uint64_t)section;
}

static uint8_t *symbol_at(uint8_t *bytes, const ref_cubin *cubin, size_t symbol) {
  return bytes + cubin->sections[cubin->symbol_section].offset + SYMBOL * symbol;
}

static uint32_t find_prefix(const ref_cubin *cubin, const char *prefix) {
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (strncmp(cubin->sections[i].name, prefix, strlen(prefix)) == 0 && cubin->sections[i].size > 0)
      return i;
  return 0;
}

/* The first relocation section whose name starts so, and the place of its entry `index`. */
static uint8_t *entry_at(uint8_t *bytes, const ref_cubin *cubin, uint32_t section, size_t index) {
  const uint64_t size = cubin->sections[section].type == SHT_RELA ? 24 : 16;
  return bytes + cubin->sections[section].offset + size * index;
}

static uint32_t find_text_relocations(const ref_cubin *cubin) {
  const uint32_t rela = find_prefix(cubin, ".rela.text.");
  return rela ? rela : find_prefix(cubin, ".rel.text.");
}

static bool plant_header(uint8_t *bytes, const ref_cubin *cubin) {
  put(bytes + 51, (cubin->flags >> 24) + 1, 1);
  return true;
}

static bool plant_cover(uint8_t *bytes, const ref_cubin *cubin) {
  for (uint32_t i = 1; i + 1 < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i], *next = &cubin->sections[i + 1];
    if (section->data && next->data && section->offset + section->size < next->offset) {
      bytes[section->offset + section->size] = 1;
      return true;
    }
  }
  return false;
}

static bool plant_sections(uint8_t *bytes, const ref_cubin *cubin) {
  put(section_header(bytes, cubin, find_prefix(cubin, ".text.")) + 48, 48, 8);
  return true;
}

static bool plant_segments(uint8_t *bytes, const ref_cubin *cubin) {
  for (size_t i = 0; i < cubin->segment_count; i++)
    if (cubin->segments[i].type == 1 && cubin->segments[i].file_size > 16) {
      put(bytes + cubin->segment_offset + 56 * i + 32, cubin->segments[i].file_size - 16, 8);
      return true;
    }
  return false;
}

static bool plant_headers_not_loaded(uint8_t *bytes, const ref_cubin *cubin) {
  for (size_t i = 0; i < cubin->segment_count; i++)
    if (cubin->segments[i].type == 1 && cubin->segments[i].offset == cubin->segment_offset) {
      put(bytes + cubin->segment_offset + 56 * i + 8, cubin->segments[i].offset - 16, 8);
      return true;
    }
  return false;
}

static bool plant_symbol_indices(uint8_t *bytes, const ref_cubin *cubin) {
  put(symbol_at(bytes, cubin, cubin->symbol_count - 1) + 6, cubin->section_count, 2);
  return true;
}

static uint8_t *find_registers(uint8_t *bytes, const ref_cubin *cubin, bool kernel) {
  for (size_t i = 1; i < cubin->section_count; i++) {
    ref_attribute attribute;
    if (cubin->sections[i].type != SHT_INFO)
      continue;
    for (uint64_t at = 0; ref_cubin_next_attribute(&cubin->sections[i], &at, &attribute);)
      if (attribute.code == REGCOUNT && ((cubin->symbols[ref_u32(attribute.data)].other & 0x10) != 0) == kernel)
        return bytes + cubin->sections[i].offset + attribute.offset + 4;
  }
  return NULL;
}

static bool plant_record_indices(uint8_t *bytes, const ref_cubin *cubin) {
  uint8_t *record = find_registers(bytes, cubin, true);
  put(record, cubin->symbol_count, 4);
  return record != NULL;
}

static bool plant_symbol_order(uint8_t *bytes, const ref_cubin *cubin) {
  uint8_t *symbol = symbol_at(bytes, cubin, cubin->symbol_count - 1);
  symbol[4] &= 15;
  return true;
}

/* The second variable of `.nv.global` to the place of the first. */
static bool plant_overlap(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = ref_cubin_find_section(cubin, ".nv.global");
  size_t first = 0;
  for (size_t i = 1; section && i < cubin->symbol_count; i++) {
    if (cubin->symbols[i].section != section || (cubin->symbols[i].info & 15) != TYPE_OBJECT || !cubin->symbols[i].size)
      continue;
    if (first) {
      put(symbol_at(bytes, cubin, i) + 8, cubin->symbols[first].value, 8);
      return true;
    }
    first = i;
  }
  return false;
}

static bool plant_alignment(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = ref_cubin_find_section(cubin, ".nv.global");
  for (size_t i = 1; section && i < cubin->symbol_count; i++)
    if (cubin->symbols[i].section == section && (cubin->symbols[i].info & 15) == TYPE_OBJECT && cubin->symbols[i].size)
      put(symbol_at(bytes, cubin, i) + 8, cubin->symbols[i].value | 1, 8);
  return section != 0;
}

static bool plant_kept(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = find_text_relocations(cubin);
  put(entry_at(bytes, cubin, section, 0), 0xffff0, 8);
  return section != 0;
}

static bool plant_kept_origin(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = find_text_relocations(cubin);
  uint8_t *entry = entry_at(bytes, cubin, section, 0);
  put(entry + 8, ref_u32(entry + 8) == 56 ? 57 : 56, 4);
  return section != 0;
}

static bool plant_applied(uint8_t *bytes, const ref_cubin *cubin) {
  bytes[cubin->sections[find_prefix(cubin, ".text.")].offset + 4] ^= 1;
  return true;
}

static bool plant_data(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = ref_cubin_find_section(cubin, ".nv.global.init");
  for (size_t i = 1; section && i < cubin->symbol_count; i++)
    if (cubin->symbols[i].section == section && (cubin->symbols[i].info & 15) == TYPE_OBJECT &&
        cubin->symbols[i].size) {
      bytes[cubin->sections[section].offset + cubin->symbols[i].value] ^= 1;
      return true;
    }
  return false;
}

/* A byte of the first CIE, which no relocation touches. */
static bool plant_debug(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = ref_cubin_find_section(cubin, ".debug_frame");
  bytes[cubin->sections[section].offset + 2] ^= 1;
  return section != 0;
}

/* A function's address in the debug sections is not relocated any more. */
static bool plant_debug_entry(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = ref_cubin_find_section(cubin, ".rela.debug_frame");
  put(entry_at(bytes, cubin, section, 0), 4, 8);
  return section != 0;
}

static bool plant_constants(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = find_prefix(cubin, ".nv.constant2.");
  for (uint64_t i = 0; section && i < cubin->sections[section].size; i++)
    bytes[cubin->sections[section].offset + i] ^= 1;
  return section != 0;
}

/* Four bytes less than the shared variables need. */
static bool plant_shared(uint8_t *bytes, const ref_cubin *cubin) {
  bool planted = false;
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (strncmp(cubin->sections[i].name, ".nv.shared.", 11) == 0 && cubin->sections[i].size > 4) {
      put(section_header(bytes, cubin, i) + 32, cubin->sections[i].size - 4, 8);
      planted = true;
    }
  return planted;
}

static bool plant_bindless(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = find_prefix(cubin, ".rel.nv.constant0.");
  for (size_t i = 0; i < ref_cubin_relocation_count(cubin, section); i++) {
    uint8_t *entry = entry_at(bytes, cubin, section, i);
    put(entry, ref_u64(entry) - 4, 8);
  }
  return section != 0;
}

static bool plant_callgraph(uint8_t *bytes, const ref_cubin *cubin) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    for (uint64_t at = 8; cubin->sections[i].type == SHT_CALLGRAPH && at + 8 <= cubin->sections[i].size; at += 8)
      if (ref_u32(cubin->sections[i].data + at) != 0) {
        put(bytes + cubin->sections[i].offset + at, 1, 4); /* symbol 1 is a section's */
        return true;
      }
  }
  return false;
}

static bool plant_spread(uint8_t *bytes, const ref_cubin *cubin) {
  uint8_t *record = find_registers(bytes, cubin, true);
  put(record + 4, 1, 4);
  return record != NULL;
}

static bool plant_address(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = find_text_relocations(cubin);
  uint8_t *entry = entry_at(bytes, cubin, section, 0);
  put(entry, ref_u64(entry) + 8, 8);
  return section != 0;
}

/* Bit 80, the second highest of the offset, of the padding's branch to itself. */
static bool plant_same_section(uint8_t *bytes, const ref_cubin *cubin) {
  const ref_section *text = &cubin->sections[find_prefix(cubin, ".text.")];
  for (uint64_t at = 0; at < text->size; at += REF_SASS_BYTES) {
    ref_sass_instruction instruction;
    int64_t target = 0;
    ref_sass_decode(&instruction, ref_sass_read(text->data + at), ref_sass_sm(cubin));
    if (ref_sass_target(&instruction, at, &target) && target == (int64_t)at) {
      bytes[text->offset + at + 10] ^= 1;
      return true;
    }
  }
  return false;
}

static bool plant_limits(uint8_t *bytes, const ref_cubin *cubin) {
  const uint32_t section = find_prefix(cubin, ".nv.shared.");
  put(section_header(bytes, cubin, section) + 32, 0x40000, 8);
  return section != 0;
}

static bool plant_limit_registers(uint8_t *bytes, const ref_cubin *cubin) {
  uint8_t *record = find_registers(bytes, cubin, true);
  put(record + 4, 256, 4);
  return record != NULL;
}

/* 40 samplers: the section is made to cover what lies behind it, after that is overwritten. */
static bool plant_limit_samplers(uint8_t *bytes, const ref_cubin *cubin) {
  enum { SAMPLERS = 40, TYPE_SAMPLER = 7, ENTRY = 16 };
  const uint32_t section = find_prefix(cubin, ".rel.nv.constant0.");
  if (!section || entry_at(bytes, cubin, section, SAMPLERS) > bytes + cubin->section_offset)
    return false;
  for (size_t i = 0; i < SAMPLERS; i++) {
    memmove(entry_at(bytes, cubin, section, i), entry_at(bytes, cubin, section, 0), ENTRY);
    put(entry_at(bytes, cubin, section, i) + 8, TYPE_SAMPLER, 4);
  }
  put(section_header(bytes, cubin, section) + 32, (uint64_t)ENTRY * SAMPLERS, 8);
  return true;
}

static bool plant_call_targets(uint8_t *bytes, const ref_cubin *cubin) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    for (size_t k = 0;
         (section->type == SHT_RELA || section->type == SHT_REL) && k < ref_cubin_relocation_count(cubin, i); k++) {
      const uint32_t type = ref_cubin_relocation(cubin, i, k).type;
      if (type == 58 || type == 75) {
        put(entry_at(bytes, cubin, i, k) + 12, 1, 4);
        return true;
      }
    }
  }
  return false;
}

static const struct check_planted {
  const char *row, *job; /* the job: below corpus/cuda, or vendor-defects with its whole path */
  check_plant *plant;
} planted[] = {
    {"header", "calls/sm_90/plain", plant_header},
    {"cover", "calls/sm_90/plain", plant_cover},
    {"sections", "calls/sm_90/plain", plant_sections},
    {"segments", "calls/sm_90/plain", plant_segments},
    {"segments", "calls/sm_90/plain", plant_headers_not_loaded},
    {"symbol-indices", "calls/sm_90/plain", plant_symbol_indices},
    {"record-indices", "calls/sm_90/plain", plant_record_indices},
    {"symbol-order", "calls/sm_90/plain", plant_symbol_order},
    {"overlap", "globals/sm_90/plain", plant_overlap},
    {"alignment", "ptx_common/sm_90/plain", plant_alignment},
    {"kept", "calls/sm_90/plain", plant_kept},
    {"applied", "calls/sm_90/plain", plant_applied},
    {"data", "globals/sm_90/plain", plant_data},
    {"debug", "calls/sm_90/plain", plant_debug},
    {"debug", "calls/sm_90/plain", plant_debug_entry},
    {"kept-origin", "calls/sm_90/plain", plant_kept_origin},
    {"compiler-constants", "doubles/sm_75/plain", plant_constants},
    {"shared", "shared_static/sm_80/plain", plant_shared},
    {"bindless", "ptx_textures/sm_90/plain", plant_bindless},
    {"callgraph", "calls/sm_90/plain", plant_callgraph},
    {"spread", "calls/sm_90/plain", plant_spread},
    {"address", "calls/sm_90/plain", plant_address},
    {"same-section", "calls/sm_90/plain", plant_same_section},
    {"same-section", "calls/sm_80/plain", plant_same_section},
    {"limits", "shared_static/sm_80/plain", plant_limits},
    {"limits", "calls/sm_90/plain", plant_limit_registers},
    {"limits", "ptx_textures/sm_90/plain", plant_limit_samplers},
    {"call-targets", "calls/sm_90/plain", plant_call_targets},
};

static bool check_plant_one(const struct check_planted *row) {
  char directory[HARNESS_PATH], inputs[HARNESS_PATH], error[256];
  ref_check_report report;
  ref_cubin cubin;
  check_job job;
  harness_path(directory, "%s/cuda/%s", check_corpus, row->job);
  harness_path(inputs, "%.*s", (int)(strrchr(directory, '/') - directory), directory);
  assert_true(check_job_read(&job, directory, inputs, NULL));
  assert_true(check_job_run(&job, &job.output, &report));
  const size_t before = report.broken;
  ref_check_free(&report);
  harness_bytes changed = {malloc(job.output.size), job.output.size};
  assert_non_null(changed.data);
  memcpy(changed.data, job.output.data, job.output.size);
  assert_true(ref_cubin_read(&cubin, job.output.data, job.output.size, error, sizeof error));
  const bool could = row->plant(changed.data, &cubin);
  ref_cubin_free(&cubin);
  const bool read = could && check_job_run(&job, &changed, &report);
  const bool good = read && before == 0 && check_count_row(&report, row->row) > 0;
  if (!good)
    print_error("%s in %s: %s\n", row->row, row->job,
                before   ? "not silent before"
                : !could ? "nothing to change"
                : !read  ? "not read"
                         : "not found");
  if (read)
    ref_check_free(&report);
  free(changed.data);
  check_job_free(&job);
  return good;
}

void check_test_planted(void **state) {
  (void)state;
  size_t missed = 0;
  for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
    missed += !check_plant_one(&planted[i]);
  for (size_t i = 0; i < ref_check_row_count; i++) { /* every row has a plant */
    size_t count = 0;
    for (size_t k = 0; k < sizeof planted / sizeof *planted; k++)
      count += strcmp(planted[k].row, ref_check_rows[i].name) == 0;
    if (!count)
      print_error("no violation is planted for %s\n", ref_check_rows[i].name);
    missed += !count;
  }
  assert_int_equal(missed, 0);
}
