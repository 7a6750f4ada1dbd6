/* What the doubters print, against what they printed when it was last looked at: dump, comparison, canonical form and
 * invariants of outputs, of damaged outputs and of damaged inputs, link maps, and all names of the format. The other tests
 * say whether the doubters see a change; this one says that their sentences name the place and the values as before.
 *
 *   printed CORPUS ANSWERS          compares with ANSWERS: a line for each job, a hash for each of its texts
 *   printed CORPUS ANSWERS record   writes ANSWERS
 *   printed CORPUS ANSWERS JOB      prints the texts of a job, to look at
 *
 * Link maps lie in the directory `maps` beside ANSWERS. A job with one is small, so of it every number is changed, too.
 *
 * The texts are the doubters' own: no linker's answer is in them. They are recorded by hand after a change of a text. */
#define _GNU_SOURCE /* open_memstream */
#include "tests/check/printed.h"
#include "canonical.h"
#include "ref_compare.h"
#include "ref_names.h"
#include "ref_rules.h"
#include "ref_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  TEXTS = 6,
  CHANGES = 10,
  INPUT_CHANGES = 4,
  FORM_CHANGES = 4,
  STEP = 7,
  LARGEST = 60000,
  NEAR = 6,
  WRONG_MAX = 3
};
enum { HEADER = 64, SECTION = 64, SYMBOL = 24 };

static const char *const sets[] = {"cuda", "synthetic", "vendor-defects"};

static uint32_t printed_random(uint64_t *seed, uint64_t below) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((*seed >> 33) % (below ? below : 1));
}

static uint64_t printed_hash(const char *text, size_t size) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3u;
  return hash;
}

/* A bit of the header, of the section table, of a symbol or of anything is another. */
static void printed_change(harness_bytes *bytes, const ref_cubin *cubin, uint64_t *seed) {
  uint64_t at = printed_random(seed, bytes->size);
  const uint32_t where = printed_random(seed, 8);
  const ref_section *const section = &cubin->sections[printed_random(seed, cubin->section_count)];
  if (where == 0)
    at = printed_random(seed, HEADER);
  else if (where == 1)
    at = cubin->section_offset + printed_random(seed, cubin->section_count * SECTION);
  else if (where == 2 && cubin->symbol_section)
    at = cubin->sections[cubin->symbol_section].offset + printed_random(seed, cubin->symbol_count * SYMBOL);
  else if (where < 6 && section->data)
    at = section->offset + printed_random(seed, section->size);
  bytes->data[at % bytes->size] ^= (uint8_t)(1u << printed_random(seed, 8));
}

static harness_bytes printed_copy(const harness_bytes *bytes) {
  harness_bytes copy = {harness_grow(NULL, bytes->size), bytes->size};
  memcpy(copy.data, bytes->data, bytes->size);
  return copy;
}

static bool printed_read(ref_cubin *cubin, const harness_bytes *bytes) {
  char error[256];
  return ref_cubin_read(cubin, bytes->data, bytes->size, error, sizeof error);
}

static void printed_dump(FILE *to, const harness_bytes *bytes) {
  ref_cubin cubin;
  if (!printed_read(&cubin, bytes))
    return;
  ref_dump(to, &cubin);
  ref_cubin_free(&cubin);
}

/* With `job`, its inputs say which relocations were applied. */
static void printed_compare(FILE *to, const check_job *job, const harness_bytes *a, const harness_bytes *b) {
  ref_compared_file inputs[CHECK_INPUTS_MAX];
  const size_t count = job && !job->partial ? job->count : 0;
  for (size_t i = 0; i < count; i++)
    inputs[i] = (ref_compared_file){job->inputs[i].name, job->bytes[i].data, job->bytes[i].size};
  const ref_compared_file first = {"A", a->data, a->size}, second = {"B", b->data, b->size};
  ref_comparison result;
  char error[400] = "";
  const bool read = ref_compare_files(&result, &first, &second, inputs, count, error, sizeof error);
  fprintf(to, "read %d equal %d in place %zu%s\n", read, result.equal, (size_t)result.equal_in_place, error);
  for (size_t i = 0; i < result.count; i++) {
    ref_difference_print(to, &result.differences[i]);
    fputc('\n', to);
  }
  ref_comparison_free(&result);
}

static void printed_form(FILE *to, const check_job *job, const harness_bytes *output) {
  char error[256] = "";
  ref_cubin cubin;
  ref_canonical form;
  if (job->partial || job->count == 0 || !printed_read(&cubin, output))
    return;
  const ref_check_link link = {{"output", &cubin}, job->inputs, job->count};
  if (ref_canonical_make(&form, &link, error, sizeof error)) {
    for (size_t i = 0; i < form.count; i++)
      fprintf(to, "%s %zu\n", form.lines[i].text, (size_t)form.lines[i].size);
    ref_canonical_free(&form);
  }
  fprintf(to, "%s\n", error);
  ref_cubin_free(&cubin);
}

static void printed_check(FILE *to, const check_job *job, const harness_bytes *output) {
  ref_check_report report;
  ref_cubin cubin;
  if (!printed_read(&cubin, output))
    return;
  const ref_check_link link = {{"output", &cubin}, job->inputs, job->partial ? 0 : job->count};
  ref_check(&report, &link);
  ref_check_print(to, &report, &link, NEAR);
  fprintf(to, "%zu %zu %zu %zu %zu\n", report.broken, report.in_inputs, report.bytes_explained, report.fields_checked,
          report.entries_kept);
  ref_check_free(&report);
  ref_cubin_free(&cubin);
}

/* The invariants with one input damaged. */
static void printed_check_input(FILE *to, check_job *job, uint64_t *seed) {
  if (job->count == 0)
    return;
  const size_t which = printed_random(seed, job->count);
  const ref_check_file kept = job->inputs[which];
  harness_bytes damaged = printed_copy(&job->bytes[which]);
  ref_cubin cubin;
  printed_change(&damaged, &job->cubins[which], seed);
  if (printed_read(&cubin, &damaged)) {
    job->inputs[which].cubin = &cubin;
    printed_check(to, job, &job->output);
    job->inputs[which] = kept;
    ref_cubin_free(&cubin);
  }
  free(damaged.data);
}

static void printed_job(FILE *const to[TEXTS], check_job *job, const harness_bytes *other) {
  uint64_t seed = job->output.size;
  ref_cubin cubin;
  if (!printed_read(&cubin, &job->output))
    return;
  printed_dump(to[0], &job->output);
  for (size_t i = 0; i < job->count; i++)
    printed_dump(to[0], &job->bytes[i]);
  printed_form(to[2], job, &job->output);
  printed_check(to[3], job, &job->output);
  if (other->size)
    printed_compare(to[1], NULL, &job->output, other);
  for (size_t i = 0; i < CHANGES; i++) {
    harness_bytes changed = printed_copy(&job->output);
    for (size_t j = 0; j <= i % 3; j++)
      printed_change(&changed, &cubin, &seed);
    printed_compare(to[1], job, &job->output, &changed);
    printed_check(to[3], job, &changed);
    if (i < FORM_CHANGES) {
      printed_form(to[2], job, &changed);
      printed_dump(to[0], &changed);
    }
    free(changed.data);
  }
  for (size_t i = 0; i < INPUT_CHANGES; i++)
    printed_check_input(to[4], job, &seed);
  ref_cubin_free(&cubin);
}

/* The texts of an output, or with `input` those of a link with that input, each of whose numbers is changed. */
static void printed_sweep_file(FILE *const to[TEXTS], check_job *job, const ref_check_file *input) {
  const size_t which = input ? (size_t)(input - job->inputs) : 0;
  harness_bytes *const original = input ? &job->bytes[which] : &job->output;
  harness_bytes changed = printed_copy(original);
  ref_cubin cubin, altered;
  if (!printed_read(&cubin, original))
    harness_stop("a file of a swept job is no cubin");
  printed_sweep sweep = {.bytes = &changed, .cubin = &cubin};
  while (printed_sweep_next(&sweep)) {
    if (!input) {
      if (sweep.is_plain)
        printed_compare(to[1], job, original, &changed);
      if (sweep.is_wild)
        printed_dump(to[0], &changed);
      printed_check(to[3], job, &changed);
    } else if (printed_read(&altered, &changed)) {
      job->inputs[which].cubin = &altered;
      printed_check(to[4], job, &job->output);
      job->inputs[which].cubin = &job->cubins[which];
      ref_cubin_free(&altered);
    }
  }
  ref_cubin_free(&cubin);
  free(changed.data);
}

/* Bytes between the sections. */
static void printed_change_gaps(FILE *const to[TEXTS], const check_job *job) {
  harness_bytes changed = printed_copy(&job->output);
  ref_cubin cubin;
  if (!printed_read(&cubin, &job->output))
    harness_stop("the output of a swept job is no cubin");
  for (size_t i = 2; i < cubin.section_count; i++) {
    const ref_section *const before = &cubin.sections[i - 1];
    const uint64_t at = before->offset + (before->data ? before->size : 0);
    if (at >= cubin.sections[i].offset)
      continue;
    changed.data[at] ^= 0x20;
    printed_compare(to[1], job, &job->output, &changed);
    printed_check(to[3], job, &changed);
    changed.data[at] ^= 0x20;
  }
  ref_cubin_free(&cubin);
  free(changed.data);
}

static void printed_sweep_job(FILE *const to[TEXTS], check_job *job) {
  printed_change_gaps(to, job);
  printed_sweep_file(to, job, NULL);
  for (size_t i = 0; i < job->count; i++)
    printed_sweep_file(to, job, &job->inputs[i]);
}

static void printed_map_job(FILE *const to[TEXTS], const check_job *job, const harness_bytes *map) {
  ref_cubin cubin;
  if (!map->size || !printed_read(&cubin, &job->output))
    return;
  printed_map(to[5], &(ref_check_link){{"output", &cubin}, job->inputs, job->count}, (const char *)map->data);
  ref_cubin_free(&cubin);
}

/* All names of the format, of numbers that there are and that there are not. */
static void printed_names(FILE *to) {
  for (uint32_t i = 0; i < 0x200; i++) {
    ref_text text = {0};
    ref_add_relocation_type(&text, i < 0x100 ? i : 0x10000 + i - 0x100);
    ref_text_add(&text, " ");
    ref_add_attribute_name(&text, (uint8_t)i);
    ref_text_add(&text, " ");
    ref_add_compat_name(&text, (uint8_t)i);
    ref_text_add(&text, " ");
    ref_add_section_type(&text, i < 0x100 ? i : 0x70000000 + i - 0x100);
    ref_text_add(&text, " ");
    ref_add_section_flags(&text, i < 64 ? UINT64_C(1) << i : i);
    ref_text_add(&text, " ");
    ref_add_symbol_type(&text, (uint8_t)i);
    ref_add_binding(&text, (uint8_t)i);
    ref_add_symbol_other(&text, (uint8_t)i, i & 0x100);
    ref_add_segment_type(&text, i < 0x100 ? i : 0x70000000 + i - 0x100);
    ref_add_segment_flags(&text, i);
    ref_add_file_type(&text, (uint16_t)(i < 0x100 ? i : 0xff00 + i - 0x100));
    char *const line = ref_text_take(&text);
    fprintf(to, "%u %s %s\n", i, line, ref_rules_of_type(i));
    free(line);
  }
}

/* Whose a section is, by its name. */
static void printed_owners(FILE *to) {
  static const char *const starts[] = {".rela.text.",
                                       ".rel.text.",
                                       ".nv.resolvedrela.text.",
                                       ".text.",
                                       ".nv.info.",
                                       ".nv.shared.",
                                       ".nv.capmerc.text.",
                                       ".nv.merc.nv.info.",
                                       ".nv.local.",
                                       ".nv.uft.rel.",
                                       ".nv.constant0.",
                                       ".nv.constant17.",
                                       ".rel.nv.constant2.",
                                       ".nv.constant3",
                                       ".nv.constant",
                                       ".debug_frame",
                                       ".nv.uft",
                                       ".nv.info"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    char name[64];
    snprintf(name, sizeof name, "%sf.g", starts[i]);
    fprintf(to, "%s: %s, %s: %s\n", starts[i], ref_section_owner(starts[i]), name, ref_section_owner(name));
  }
}

/* --- the texts of a job, and their hashes --- */

/* Jobs with a link map, and those of which every number is changed. */
static const struct {
  const char *job, *map;
  bool numbers;
} swept[] = {
    {"synthetic/programs/sm_75/extern_shared", "extern_shared", true},
    {"synthetic/programs/sm_75/static_shared", "static_shared", true},
    {"synthetic/programs/sm_75/virtual_architectures", "weak_loser", false},
    {"synthetic/programs/sm_75/strong_over_weak", "replaced", false},
    {"synthetic/programs/sm_75/managed_and_weak_data", "managed", true},
    {"synthetic/programs/sm_75/function_constants", "constants", true},
    {"synthetic/programs/sm_75/indirect_calls", "indirect", true},
    {"synthetic/programs/sm_75/debug_sections", "debug", true},
    {"synthetic/programs/sm_75/common_symbols", NULL, true},
    {"cuda/debug_shared_alignment/sm_90/debug", "debug_shared", true},
    {"cuda/verbose_replaced/sm_75/replaced", "later", false},
    {"cuda/err_executable/sm_80/only_linked", "executable", false},
    {"cuda/capsules/sm_100/capsules", "capsule", false},
    {"cuda/ptx_textures/sm_75/plain", NULL, true},
    {"cuda/err_unified/sm_90/relocatable", NULL, true},
    {"cuda/ptx_alias_indirect/sm_90/plain", NULL, true},
    {"cuda/stray_constants/sm_75/emptied", NULL, true},
    {"cuda/sass_kind/sm_100/sass", NULL, true},
};

typedef struct printed_run {
  const char *corpus, *path, *wanted; /* path: of the answers; wanted: the job whose texts are printed, or NULL */
  FILE *answers;                      /* written to, or read */
  bool record;
  harness_bytes other; /* the output of the job before */
  size_t jobs, wrong;
} printed_run;

/* Compares a row with that of the answers, or writes it. */
static void printed_row(printed_run *run, const char *name, const uint64_t hashes[TEXTS]) {
  char row[HARNESS_PATH], stored[HARNESS_PATH] = "";
  snprintf(row, sizeof row,
           "%s %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", name,
           hashes[0], hashes[1], hashes[2], hashes[3], hashes[4], hashes[5]);
  run->jobs++;
  if (run->record) {
    fputs(row, run->answers);
    return;
  }
  if (!fgets(stored, sizeof stored, run->answers) || strcmp(row, stored) != 0) {
    run->wrong++;
    printf("printed otherwise (dump, comparison, form, invariants, those of inputs, maps):\n  now    %s  before %s",
           row, stored);
  }
}

/* What only the swept jobs have. */
static void printed_take_swept(const printed_run *run, FILE *const to[TEXTS], const char *name, check_job *job) {
  for (size_t i = 0; i < sizeof swept / sizeof *swept; i++) {
    char path[HARNESS_PATH];
    harness_bytes map = {0};
    if (strcmp(swept[i].job, name) != 0)
      continue;
    harness_path(path, "%.*s/maps/%s", (int)(strrchr(run->path, '/') - run->path), run->path,
                 swept[i].map ? swept[i].map : "");
    if (swept[i].map && !harness_read_file(path, &map))
      harness_stop("no map %s", path);
    if (swept[i].numbers)
      printed_sweep_job(to, job);
    printed_map_job(to, job, &map);
    free(map.data);
  }
}

static void printed_take(printed_run *run, const char *name, check_job *job) {
  FILE *to[TEXTS];
  char *texts[TEXTS];
  size_t sizes[TEXTS];
  uint64_t hashes[TEXTS];
  for (size_t i = 0; i < TEXTS; i++)
    if (!(to[i] = open_memstream(&texts[i], &sizes[i])))
      harness_stop("no memory");
  if (job) {
    printed_job(to, job, &run->other);
    printed_take_swept(run, to, name, job);
  } else {
    printed_names(to[0]);
    printed_owners(to[0]);
  }
  for (size_t i = 0; i < TEXTS; i++) {
    fclose(to[i]);
    hashes[i] = printed_hash(texts[i], sizes[i]);
    if (run->wanted && strcmp(run->wanted, name) == 0)
      fputs(texts[i], stdout);
    free(texts[i]);
  }
  if (!run->wanted)
    printed_row(run, name, hashes);
}

static void printed_take_job(printed_run *run, const char *name) {
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  check_job *const job = harness_grow(NULL, sizeof *job);
  harness_path(directory, "%s/%s", run->corpus, name);
  harness_path(inputs, "%s", directory);
  *strrchr(inputs, '/') = '\0';
  if (!check_job_read(job, directory, inputs, NULL))
    harness_stop("no job %s", name);
  printed_take(run, name, job);
  free(run->other.data);
  run->other = printed_copy(&job->output);
  check_job_free(job);
  free(job);
}

static bool printed_is_swept(const char *name) {
  bool is_swept = false;
  for (size_t i = 0; i < sizeof swept / sizeof *swept; i++)
    is_swept |= strcmp(swept[i].job, name) == 0;
  return is_swept;
}

/* The swept jobs, which show most, and of the others every STEP-th with an output that is not large. */
static void printed_record(printed_run *run) {
  size_t number = 0;
  for (size_t i = 0; i < sizeof swept / sizeof *swept; i++)
    printed_take_job(run, swept[i].job);
  for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
    harness_jobs jobs;
    harness_list_jobs(run->corpus, sets[set], &jobs);
    for (size_t i = 0; i < jobs.count; i++) {
      char path[HARNESS_PATH], name[HARNESS_PATH];
      harness_bytes output = {0};
      harness_path(path, "%s/expect.cubin", jobs.items[i].directory);
      harness_path(name, "%s/%s", sets[set], jobs.items[i].name);
      if (!printed_is_swept(name) && harness_read_file(path, &output) && output.size < LARGEST && number++ % STEP == 0)
        printed_take_job(run, name);
      free(output.data);
    }
    harness_free_jobs(&jobs);
  }
}

/* The jobs that the answers name, until enough of them are printed otherwise. */
static void printed_compare_all(printed_run *run, const char *path) {
  harness_words rows;
  harness_read_lines(path, &rows);
  for (size_t i = 1; i < rows.count && run->wrong < WRONG_MAX; i++) {
    rows.items[i][strcspn(rows.items[i], " ")] = '\0';
    if (*rows.items[i])
      printed_take_job(run, rows.items[i]);
  }
  harness_free_words(&rows);
}

int main(int argc, char **argv) {
  if (argc < 3)
    harness_stop("usage: printed CORPUS ANSWERS [record | JOB]");
  printed_run run = {.corpus = argv[1], .path = argv[2], .record = argc > 3 && strcmp(argv[3], "record") == 0};
  run.wanted = argc > 3 && !run.record ? argv[3] : NULL;
  run.answers = fopen(argv[2], run.record ? "w" : "r");
  if (!run.answers)
    harness_stop("cannot open %s", argv[2]);
  printed_take(&run, "names", NULL);
  if (run.record)
    printed_record(&run);
  else
    printed_compare_all(&run, argv[2]);
  fclose(run.answers);
  free(run.other.data);
  printf("texts of %zu jobs, %zu printed otherwise\n", run.jobs, run.wrong);
  return run.wrong || run.jobs < 2;
}
