/* Every instruction of the corpus decoded and put back, unknown ones counted, every relocation on a field of its
 * instruction; and wrong sites noticed. */
#include "ref_sass.h"
#include "tests/harness/harness.h"
#include "tests/sass/sass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPCODES = 1 << 13, RANDOM_WORDS = 200000, FORMS = 8, UNKNOWN_PER_MILLE = 10 };

typedef struct sass_survey {
  size_t files, instructions, unknown, torn, outside, sites, bad_sites;
  size_t by_opcode[OPCODES];
} sass_survey;

/* The first two rows that both take one word, if any. */
void sass_test_rows_are_apart(void **state) {
  (void)state;
  for (size_t i = 0; i < ref_sass_row_count; i++) {
    const ref_sass_row *a = &ref_sass_rows[i];
    assert_true(a->name[0] && a->evidence[0] && a->forms && a->pages && a->from <= a->to);
    for (size_t k = i + 1; k < ref_sass_row_count; k++) {
      const ref_sass_row *b = &ref_sass_rows[k];
      const bool both =
          a->base == b->base && (a->forms & b->forms) && (a->pages & b->pages) && a->from <= b->to && b->from <= a->to;
      if (both)
        fail_msg("%s and %s share opcode base %03x", a->name, b->name, a->base);
    }
  }
}

static bool sass_goes_round(ref_sass_word word, const ref_sass_instruction *instruction) {
  const ref_sass_word back = ref_sass_encode(instruction), mask = ref_sass_mask(instruction);
  return back.low == (word.low & mask.low) && back.high == (word.high & mask.high);
}

static void sass_survey_section(sass_survey *survey, const ref_cubin *cubin, const ref_section *section) {
  for (uint64_t offset = 0; offset + REF_SASS_BYTES <= section->size; offset += REF_SASS_BYTES) {
    const ref_sass_word word = ref_sass_read(section->data + offset);
    ref_sass_instruction instruction;
    int64_t target = 0;
    ref_sass_decode(&instruction, word, ref_sass_sm(cubin));
    survey->instructions++;
    survey->unknown += !instruction.row;
    survey->by_opcode[instruction.opcode] += !instruction.row;
    survey->torn += !sass_goes_round(word, &instruction);
    survey->outside += ref_sass_target(&instruction, offset, &target) &&
                       (target < 0 || (uint64_t)target >= section->size || target % REF_SASS_BYTES != 0);
  }
}

/* Entries that stand where their type has no field: changed on purpose, or nvlink's of one of two functions of a name, in the
 * code of the other (D113). */
static bool sass_has_strange_entries(const char *path) {
  static const char *const places[] = {"/vendor-defects/entries/", "/vendor-defects/namesake_entries/",
                                       "/vendor-defects/namesake_records/"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (strstr(path, places[i]))
      return true;
  return false;
}

static void sass_survey_file(const char *path, void *context) {
  sass_survey *survey = context;
  harness_bytes bytes;
  char error[256];
  ref_cubin cubin;
  if (sass_has_strange_entries(path))
    return;
  if (!harness_read_file(path, &bytes) || !ref_cubin_read(&cubin, bytes.data, bytes.size, error, sizeof error)) {
    free(bytes.data); /* err_truncated and err_command_line hold files that are none */
    return;
  }
  survey->files++;
  for (uint32_t i = 1; i < cubin.section_count; i++) {
    if (ref_sass_is_code(&cubin.sections[i]))
      sass_survey_section(survey, &cubin, &cubin.sections[i]);
    const uint32_t target = cubin.sections[i].info;
    for (size_t k = 0; k < ref_cubin_relocation_count(&cubin, i); k++) {
      const ref_relocation relocation = ref_cubin_relocation(&cubin, i, k);
      ref_sass_site site;
      if (target >= cubin.section_count || !ref_sass_is_code(&cubin.sections[target]))
        continue;
      ref_sass_judge(&site, &cubin, &cubin.sections[target], relocation.offset, relocation.type);
      survey->sites++;
      survey->bad_sites += site.verdict != REF_SASS_SITE_GOOD;
    }
  }
  ref_cubin_free(&cubin);
  free(bytes.data);
}

static sass_survey *sass_survey_corpus(const char *corpus) {
  static const char *const sets[] = {"cuda", "vendor-defects", "sass"}; /* what compilers made */
  sass_survey *survey = calloc(1, sizeof *survey);
  assert_non_null(survey);
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    char path[HARNESS_PATH];
    harness_path(path, "%s/%s", corpus, sets[i]);
    sass_each_cubin(path, sass_survey_file, survey);
  }
  return survey;
}

void sass_test_corpus_round_trip(void **state) {
  sass_survey *survey = sass_survey_corpus(*state);
  print_message("%zu files, %zu instructions, %zu unknown", survey->files, survey->instructions, survey->unknown);
  for (size_t i = 0; i < OPCODES; i++)
    if (survey->by_opcode[i])
      print_message(", %04zx: %zu", i, survey->by_opcode[i]);
  print_message("\n");
  assert_true(survey->instructions > 150000);
  assert_int_equal(survey->torn, 0);
  assert_int_equal(survey->outside, 0);
  assert_true(survey->unknown * 1000 <= survey->instructions * UNKNOWN_PER_MILLE);
  free(survey);
}

void sass_test_random_words_round_trip(void **state) {
  (void)state;
  static const unsigned sms[] = {75, 80, 90, 100, 121};
  uint64_t seed = 1;
  size_t known = 0;
  for (size_t i = 0; i < RANDOM_WORDS; i++) {
    ref_sass_word word;
    ref_sass_instruction instruction;
    for (uint64_t *half = &word.low;; half = &word.high) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      *half = seed ^ seed >> 29;
      if (half == &word.high)
        break;
    }
    const ref_sass_row *row = &ref_sass_rows[i % ref_sass_row_count]; /* the opcode of a row, any form */
    word.low = (word.low & ~UINT64_C(0x1ff)) | row->base;
    ref_sass_decode(&instruction, word, sms[i % (sizeof sms / sizeof *sms)]);
    known += instruction.row != NULL;
    assert_true(sass_goes_round(word, &instruction));
  }
  assert_true(known > RANDOM_WORDS / 20);
}

void sass_test_sites_of_the_corpus(void **state) {
  sass_survey *survey = sass_survey_corpus(*state);
  print_message("%zu relocations on instructions, %zu not on a field\n", survey->sites, survey->bad_sites);
  assert_true(survey->sites > 10000);
  assert_int_equal(survey->bad_sites, 0);
  free(survey);
}

/* Each relocation of one file moved by 8 bytes, behind the end, and with a type of another field. */
void sass_test_planted_sites(void **state) {
  enum { PLANTED_AT_LEAST = 3 };
  char path[HARNESS_PATH], error[256];
  harness_bytes bytes;
  ref_cubin cubin;
  size_t planted = 0;
  harness_path(path, "%s/sass/sm_90/call.cubin", (const char *)*state);
  assert_true(harness_read_file(path, &bytes));
  assert_true(ref_cubin_read(&cubin, bytes.data, bytes.size, error, sizeof error));
  for (uint32_t i = 1; i < cubin.section_count; i++) {
    for (size_t k = 0; k < ref_cubin_relocation_count(&cubin, i); k++) {
      const ref_section *text = &cubin.sections[cubin.sections[i].info];
      const ref_relocation good = ref_cubin_relocation(&cubin, i, k);
      ref_sass_site site;
      ref_sass_judge(&site, &cubin, text, good.offset, good.type);
      assert_int_equal(site.verdict, REF_SASS_SITE_GOOD);
      ref_sass_judge(&site, &cubin, text, good.offset + 8, good.type);
      assert_int_equal(site.verdict, REF_SASS_SITE_MISPLACED);
      ref_sass_judge(&site, &cubin, text, text->size, good.type);
      assert_int_equal(site.verdict, REF_SASS_SITE_OUTSIDE);
      ref_sass_judge(&site, &cubin, text, UINT64_MAX - 15, good.type);
      assert_int_equal(site.verdict, REF_SASS_SITE_OUTSIDE);
      ref_sass_judge(&site, &cubin, text, good.offset, 24); /* CONST_FIELD19_28 */
      assert_int_equal(site.verdict, REF_SASS_SITE_NOT_FIELD);
      planted++;
    }
  }
  assert_true(planted >= PLANTED_AT_LEAST);
  ref_cubin_free(&cubin);
  free(bytes.data);
}
