/* What nvlink itself writes differently from run to run (RF79). In links of capsules it does not set the places of the
 * records in tables of registers (.nv_debug_info_reg_sass) whose function has another file's body: heap addresses and old
 * words stand there. nvlink is started again, each time with an environment of another size, so that its memory begins
 * elsewhere, and with other bytes in memory that the C library gives it (MALLOC_PERTURB_). A link whose every other byte is the same, and which differs only in the places of tables that came out
 * differently among nvlink's own runs, has no answer to be compared with there; it is counted and listed by itself. */
#include "conformance_link.h"

#include <ref_cubin.h>

#include <stdlib.h>
#include <string.h>

enum { UNSTABLE_RUNS = 4, UNSTABLE_STEP = 977, UNSTABLE_FILL = 83, WORD = 4, PLACES = 8 };

/* A table in the output: from its name on. */
typedef struct unstable_table {
  size_t start, end;
} unstable_table;

/* One record: where its places are, and where the next begins. */
typedef struct unstable_record {
  size_t places, end;
} unstable_record;

static size_t unstable_behind_string(const uint8_t *bytes, size_t at, size_t end) {
  const uint8_t *const zero = at < end ? memchr(bytes + at, 0, end - at) : NULL;
  return zero ? (size_t)(zero - bytes) + 1 : end;
}

static size_t unstable_word(const uint8_t *at) {
  return (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

static bool unstable_next_record(const uint8_t *bytes, size_t at, size_t end, unstable_record *record) {
  const size_t behind = end - at < WORD ? end : unstable_behind_string(bytes, at + WORD, end);
  if (end - behind < WORD + PLACES)
    return false;
  *record = (unstable_record){behind + WORD, behind + WORD + PLACES};
  return true;
}

/* False behind the last, and where the rest is none. */
static bool unstable_next_table(const uint8_t *bytes, size_t at, size_t end, unstable_table *table) {
  const size_t behind = unstable_behind_string(bytes, at, end);
  if (end - behind < WORD)
    return false;
  *table = (unstable_table){at, behind + WORD};
  const size_t count = unstable_word(bytes + behind);
  for (size_t i = 0; i < count; i++) {
    unstable_record record;
    if (!unstable_next_record(bytes, table->end, end, &record))
      return false;
    table->end = record.end;
  }
  return true;
}

/* Marks the places of one table. */
static void unstable_mark_table(const uint8_t *bytes, const unstable_table *table, bool *free_bytes) {
  unstable_record record;
  size_t at = unstable_behind_string(bytes, table->start, table->end) + WORD;
  for (; at < table->end && unstable_next_record(bytes, at, table->end, &record); at = record.end)
    for (size_t i = record.places; i < record.end; i++)
      free_bytes[i] = true;
}

/* Marks the tables in which another run of nvlink's has other bytes. */
static void unstable_mark(const uint8_t *bytes, const uint8_t *again, const ref_section *section, bool *free_bytes) {
  const size_t end = (size_t)(section->offset + section->size);
  unstable_table table;
  for (size_t at = (size_t)section->offset; at < end && unstable_next_table(bytes, at, end, &table); at = table.end)
    if (memcmp(bytes + table.start, again + table.start, table.end - table.start) != 0)
      unstable_mark_table(bytes, &table, free_bytes);
}

/* nvlink once more, in an environment of another size and with other bytes in fresh memory. */
static void unstable_link(const conformance_settings *settings, const string_list *command, int run,
                          const char *directory, const char *output, conformance_answer *answer) {
  char padding[(UNSTABLE_RUNS + 1) * UNSTABLE_STEP];
  string_list longer = {0};
  memset(padding, 'x', sizeof padding);
  string_list_add(&longer, "env");
  string_list_add(&longer, "TWIN_PADDING=%.*s", (run + 1) * UNSTABLE_STEP, padding);
  if (run % 2)
    string_list_add(&longer, "MALLOC_PERTURB_=%d", run * UNSTABLE_FILL % 256);
  for (size_t i = 0; i < command->count; i++)
    string_list_add(&longer, "%s", command->items[i]);
  conformance_link(settings, &longer, directory, output, "again", answer);
  string_list_free(&longer);
}

static bool unstable_agree(const uint8_t *a, const uint8_t *b, size_t size, const bool *free_bytes) {
  for (size_t i = 0; i < size; i++)
    if (a[i] != b[i] && !free_bytes[i])
      return false;
  return true;
}

static const ref_section *unstable_section(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].data && strcmp(cubin->sections[i].name, ".nv_debug_info_reg_sass") == 0)
      return &cubin->sections[i];
  return NULL;
}

static bool unstable_explains(const conformance_settings *settings, const string_list *command, const char *directory,
                              const char *output, const conformance_answer *reference, const conformance_answer *ours) {
  ref_cubin cubin;
  char error[128];
  if (!ref_cubin_read(&cubin, reference->output, reference->output_size, error, sizeof error))
    return false;
  const ref_section *const section = unstable_section(&cubin);
  const size_t size = reference->output_size;
  bool *const free_bytes = section ? calloc(size, sizeof *free_bytes) : NULL;
  bool good = false;
  for (int run = 0; free_bytes && !good && run < UNSTABLE_RUNS; run++) {
    conformance_answer again = {0};
    unstable_link(settings, command, run, directory, output, &again);
    if (again.output && again.output_size == size)
      unstable_mark(reference->output, again.output, section, free_bytes);
    conformance_answer_free(&again);
    good = unstable_agree(reference->output, ours->output, size, free_bytes);
  }
  free(free_bytes);
  ref_cubin_free(&cubin);
  return good;
}

void conformance_judge_unstable(const conformance_settings *settings, const string_list *command, const char *directory,
                                const char *output, const conformance_answer *reference, const conformance_answer *ours,
                                conformance_verdict *verdict) {
  if (verdict->outcome != CONFORMANCE_DIFFERENT || reference->result.exit_code || ours->result.exit_code ||
      !reference->output || !ours->output || reference->output_size != ours->output_size ||
      !conformance_same_text(reference, ours) ||
      !unstable_explains(settings, command, directory, output, reference, ours))
    return;
  verdict->outcome = CONFORMANCE_UNSTABLE;
}
