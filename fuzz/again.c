/* The same program once more (again.h). */
#include "fuzz/again.h"

#include "tests/support/cubin_builder.h"

#include <stdlib.h>
#include <string.h>

static void add_files(fuzz_envelope *to, const fuzz_envelope *from, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    (void)fuzz_envelope_add_file(to, from->files[i].name, from->files[i].bytes, from->files[i].size);
}

static bool again_order(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link) {
  (void)link;
  for (size_t i = from->file_count; i-- > 0;)
    add_files(to, from, i, i + 1);
  return from->file_count > 1;
}

/* All files but the last one become one. */
static bool again_grouping(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link) {
  fuzz_envelope group = {.file_count = 0};
  fuzz_answer answer;
  (void)fuzz_envelope_add_word(&group, from->words[0]);
  (void)fuzz_envelope_add_word(&group, "-r");
  const size_t last = from->file_count > 1 ? from->file_count - 1 : 1;
  add_files(&group, from, 0, last);
  link(&group, &answer);
  const bool good = answer.image && fuzz_envelope_add_file(to, "group.cubin", answer.image, answer.size);
  fuzz_answer_free(&answer);
  fuzz_envelope_free(&group);
  add_files(to, from, last, from->file_count);
  return good;
}

static bool again_dead_code(const fuzz_envelope *from, fuzz_envelope *to, fuzz_link *link) {
  (void)link;
  size_t size = 0;
  add_files(to, from, 0, from->file_count);
  const unsigned long sm = strtoul(from->words[0] + strlen("-arch=sm_"), NULL, 10);
  if (sm < 75 || sm > 90)
    return false;
  tb_cubin *const cubin = tb_new((unsigned)sm);
  (void)tb_function(cubin, "canonical_dead", TB_GLOBAL, NULL, 0, 24);
  uint8_t *const bytes = tb_finish(cubin, &size);
  const bool good = fuzz_envelope_add_file(to, "dead.cubin", bytes, size);
  free(bytes);
  tb_free(cubin);
  return good;
}

const fuzz_again_row fuzz_again_rows[] = {{"another order of files", again_order, true},
                                          {"a grouping through -r", again_grouping, false},
                                          {"code that nobody calls", again_dead_code, true}};
const size_t fuzz_again_count = sizeof fuzz_again_rows / sizeof *fuzz_again_rows;
