/* Damaged files: outputs and inputs cut and changed at random places, through the invariants and the decoder. Nothing may
 * crash, hang or read outside (the sanitizers see that); a damaged file that cannot be read is refused before. */
#include "tests/check/check_tests.h"

#include "ref_sass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef CHECK_CHANGES
#define CHECK_CHANGES 400
#endif

static uint64_t check_random(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 33;
}

/* Decodes all code of a cubin and judges all its relocations. */
static size_t check_decode_all(const ref_cubin *cubin) {
  size_t seen = 0;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    for (uint64_t at = 0; ref_sass_is_code(section) && at + REF_SASS_BYTES <= section->size; at += REF_SASS_BYTES) {
      ref_sass_instruction instruction;
      int64_t target = 0;
      ref_sass_decode(&instruction, ref_sass_read(section->data + at), ref_sass_sm(cubin));
      seen += ref_sass_target(&instruction, at, &target);
    }
    for (size_t k = 0; section->info < cubin->section_count && k < ref_cubin_relocation_count(cubin, i); k++) {
      const ref_relocation relocation = ref_cubin_relocation(cubin, i, k);
      ref_sass_site site;
      ref_sass_judge(&site, cubin, &cubin->sections[section->info], relocation.offset, relocation.type);
      seen += site.verdict != REF_SASS_SITE_GOOD;
    }
  }
  return seen;
}

/* `damaged` stands for the output (which == count) or for input `which`. */
static bool check_run_damaged(check_job *job, size_t which, const harness_bytes *damaged) {
  char error[256];
  ref_cubin cubin;
  ref_check_report report;
  /* a copy of the exact size, so that a read behind the end is seen */
  harness_bytes exact = {malloc(damaged->size ? damaged->size : 1), damaged->size};
  assert_non_null(exact.data);
  memcpy(exact.data, damaged->data, damaged->size);
  const bool good = ref_cubin_read(&cubin, exact.data, exact.size, error, sizeof error);
  if (good) {
    const ref_check_file kept = which < job->count ? job->inputs[which] : (ref_check_file){0};
    check_decode_all(&cubin);
    if (which < job->count)
      job->inputs[which].cubin = &cubin;
    assert_true(check_job_run(job, which < job->count ? &job->output : &exact, &report));
    ref_check_free(&report);
    if (which < job->count)
      job->inputs[which] = kept;
    ref_cubin_free(&cubin);
  }
  free(exact.data);
  return good;
}

static void check_damage_job(const char *name, const char *arch, uint64_t seed, size_t *runs, size_t *read) {
  char directory[HARNESS_PATH], inputs[HARNESS_PATH];
  check_job *job = malloc(sizeof *job);
  assert_non_null(job);
  harness_path(directory, "%s/cuda/%s/%s/plain", check_corpus, name, arch);
  harness_path(inputs, "%s/cuda/%s/%s", check_corpus, name, arch);
  assert_true(check_job_read(job, directory, inputs, NULL));
  for (size_t which = 0; which <= job->count; which++) {
    const harness_bytes *whole = which < job->count ? &job->bytes[which] : &job->output;
    harness_bytes damaged = {malloc(whole->size), whole->size};
    assert_non_null(damaged.data);
    for (size_t i = 0; i < CHECK_CHANGES; i++) {
      memcpy(damaged.data, whole->data, whole->size);
      damaged.size = whole->size;
      for (uint64_t k = check_random(&seed) % 4; k > 0; k--)
        damaged.data[check_random(&seed) % whole->size] = (uint8_t)check_random(&seed);
      damaged.data[check_random(&seed) % whole->size] ^= (uint8_t)(1U << check_random(&seed) % 8);
      if (i % 8 == 0)
        damaged.size = check_random(&seed) % whole->size;
      ++*runs;
      *read += check_run_damaged(job, which, &damaged);
    }
    free(damaged.data);
  }
  check_job_free(job);
  free(job);
}

void check_test_damaged(void **state) {
  (void)state;
  size_t runs = 0, read = 0;
  check_damage_job("doubles", "sm_75", 1, &runs, &read);
  check_damage_job("ptx_textures", "sm_90", 2, &runs, &read);
  check_damage_job("globals", "sm_90", 3, &runs, &read);
  check_damage_job("debug", "sm_90", 4, &runs, &read);
  print_message("%zu damaged files, %zu of them still read as cubins\n", runs, read);
  assert_true(read > runs / 4);
}
