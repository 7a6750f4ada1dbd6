/* What nvlink itself writes differently from run to run (RF79). In links of capsules it does not set the places of the
 * records in tables of registers (.nv_debug_info_reg_sass) at which a function's code has no instruction: heap addresses
 * and old words stand there. nvlink is started again, each time with an environment of another size, so that its memory
 * begins elsewhere, and with other bytes in memory that the C library gives it (MALLOC_PERTURB_). A run tells something
 * only if all its bytes but places are those of the first. A place that came out differently has no answer. Old words of
 * memory that nvlink itself uses again are the same in all its runs, whatever surrounds it; such a place, in a table of
 * which another place came out differently, is let pass where ours is 0, which the linker writes where no instruction
 * begins (L765), and where it is anything else it must be nvlink's. The kind grouping asks whether two links of nvlink's
 * are one program, not which bytes they have, so there no place is needed that came out differently: wherever ours is 0 the
 * place is let pass. A link whose every other byte is the same is counted and listed by itself. So is one that the linker refuses by a row of nvlink's
 * defects and that nvlink, which goes on with memory that it never set (D20), writes differently each time. */
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

/* A place, and the table that it stands in; the places of a table follow each other. */
typedef struct unstable_place {
  size_t at, table;
  bool differs; /* among nvlink's runs */
} unstable_place;

typedef struct unstable_places {
  unstable_place *items;
  size_t count;
} unstable_places;

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

static void unstable_add_table(const uint8_t *bytes, const unstable_table *table, unstable_places *places) {
  unstable_record record;
  size_t at = unstable_behind_string(bytes, table->start, table->end) + WORD;
  for (; at < table->end && unstable_next_record(bytes, at, table->end, &record); at = record.end)
    for (size_t i = record.places; i < record.end; i += WORD)
      places->items[places->count++] = (unstable_place){.at = i, .table = table->start};
}

/* The places of all tables; false: no memory. */
static bool unstable_find_places(const uint8_t *bytes, const ref_section *section, unstable_places *places) {
  const size_t end = (size_t)(section->offset + section->size);
  unstable_table table;
  places->items = calloc((size_t)section->size / WORD + 1, sizeof *places->items);
  for (size_t at = (size_t)section->offset; places->items && at < end && unstable_next_table(bytes, at, end, &table);
       at = table.end)
    unstable_add_table(bytes, &table, places);
  return places->items != NULL;
}

/* Whether all but `skipped` of the places, and all that is no place, is the same. */
static bool unstable_agree(const uint8_t *a, const uint8_t *b, size_t size, const unstable_places *places,
                           const bool *skipped) {
  size_t from = 0;
  for (size_t i = 0; i < places->count; i++) {
    const size_t at = places->items[i].at;
    if (skipped && !skipped[i])
      continue;
    if (memcmp(a + from, b + from, at - from) != 0)
      return false;
    from = at + WORD;
  }
  return memcmp(a + from, b + from, size - from) == 0;
}

/* Notes which places another run of nvlink's has otherwise, if it differs in places only. */
static void unstable_note(const uint8_t *bytes, const uint8_t *again, size_t size, unstable_places *places) {
  if (!unstable_agree(bytes, again, size, places, NULL))
    return;
  for (size_t i = 0; i < places->count; i++)
    places->items[i].differs |= memcmp(bytes + places->items[i].at, again + places->items[i].at, WORD) != 0;
}

/* Which places have no answer to be compared with. `any`: where ours is 0 they pass in every table, not only in one of which
 * a place came out differently. */
static void unstable_skip(const unstable_places *places, const uint8_t *ours, bool any, bool *skipped) {
  for (size_t start = 0, end; start < places->count; start = end) {
    bool differs = any;
    for (end = start; end < places->count && places->items[end].table == places->items[start].table; end++)
      differs |= places->items[end].differs;
    for (size_t i = start; i < end; i++)
      skipped[i] = places->items[i].differs || (differs && unstable_word(ours + places->items[i].at) == 0);
  }
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

static const ref_section *unstable_section(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].data && strcmp(cubin->sections[i].name, ".nv_debug_info_reg_sass") == 0)
      return &cubin->sections[i];
  return NULL;
}

/* The reference's output, and its places if it has tables. */
typedef struct unstable_output {
  const conformance_answer *reference;
  unstable_places places;
  bool *skipped; /* NULL: no memory, or no cubin */
} unstable_output;

static unstable_output unstable_read(const conformance_answer *reference) {
  unstable_output read = {.reference = reference};
  ref_cubin cubin;
  char error[128];
  if (!ref_cubin_read(&cubin, reference->output, reference->output_size, error, sizeof error))
    return read;
  const ref_section *const section = unstable_section(&cubin);
  if (!section || unstable_find_places(reference->output, section, &read.places))
    read.skipped = calloc(read.places.count + 1, sizeof *read.skipped);
  ref_cubin_free(&cubin);
  return read;
}

static void unstable_free(unstable_output *read) {
  free(read->skipped);
  free(read->places.items);
}

static bool unstable_explains(const conformance_settings *settings, const string_list *command, const char *directory,
                              const char *output, const conformance_answer *reference, const conformance_answer *ours) {
  unstable_output read = unstable_read(reference);
  bool good = false;
  for (int run = 0; read.places.count && read.skipped && !good && run < UNSTABLE_RUNS; run++) {
    conformance_answer again = {0};
    unstable_link(settings, command, run, directory, output, &again);
    if (again.output && again.output_size == reference->output_size)
      unstable_note(reference->output, again.output, again.output_size, &read.places);
    conformance_answer_free(&again);
    unstable_skip(&read.places, ours->output, settings->unset_anywhere, read.skipped);
    good = unstable_agree(reference->output, ours->output, reference->output_size, &read.places, read.skipped);
  }
  unstable_free(&read);
  return good;
}

bool conformance_clear_unset(const conformance_settings *settings, const string_list *command, const char *directory,
                             const char *output, const conformance_answer *reference, const conformance_answer *ours) {
  const bool same_length = ours->output && reference->output && ours->output_size == reference->output_size;
  unstable_output read = same_length ? unstable_read(reference) : (unstable_output){.reference = reference};
  bool differs = false;
  for (int run = 0; read.places.count && read.skipped && !differs && run < UNSTABLE_RUNS; run++) {
    conformance_answer again = {0};
    unstable_link(settings, command, run, directory, output, &again);
    if (again.output && again.output_size == reference->output_size)
      unstable_note(reference->output, again.output, again.output_size, &read.places);
    conformance_answer_free(&again);
    for (size_t i = 0; i < read.places.count; i++)
      differs |= read.places.items[i].differs;
  }
  for (size_t i = 0; differs && i < read.places.count; i++) {
    const size_t at = read.places.items[i].at;
    if (read.places.items[i].differs || unstable_word(ours->output + at) == 0)
      memset(reference->output + at, 0, WORD);
  }
  unstable_free(&read);
  return differs;
}

/* Whether nvlink's runs differ in more than places, which is no reason to refuse. */
static bool unstable_runs_differ(const conformance_settings *settings, const string_list *command,
                                 const char *directory, const char *output, const conformance_answer *reference) {
  unstable_output read = unstable_read(reference);
  bool differ = false;
  for (int run = 0; read.skipped && !differ && run < UNSTABLE_RUNS; run++) {
    conformance_answer again = {0};
    unstable_link(settings, command, run, directory, output, &again);
    differ = again.output && again.result.exit_code == 0 &&
             (again.output_size != reference->output_size ||
              !unstable_agree(reference->output, again.output, again.output_size, &read.places, NULL));
    conformance_answer_free(&again);
  }
  unstable_free(&read);
  return differ;
}

/* A refusal that names a row of the catalogue of nvlink's defects. */
static bool unstable_names_row(const conformance_answer *ours) {
  char line[256];
  conformance_first_line(ours, line, sizeof line);
  return conformance_is_refusal(ours) && strstr(line, "(D");
}

void conformance_judge_unstable(const conformance_settings *settings, const string_list *command, const char *directory,
                                const char *output, const conformance_answer *reference, const conformance_answer *ours,
                                conformance_verdict *verdict) {
  if (verdict->outcome != CONFORMANCE_DIFFERENT || reference->result.exit_code || !reference->output)
    return;
  const bool same_length = !ours->result.exit_code && ours->output && reference->output_size == ours->output_size;
  if (unstable_names_row(ours)) {
    if (unstable_runs_differ(settings, command, directory, output, reference))
      verdict->outcome = CONFORMANCE_UNSTABLE;
  } else if (same_length && conformance_same_text(reference, ours) &&
             unstable_explains(settings, command, directory, output, reference, ours)) {
    verdict->outcome = CONFORMANCE_UNSTABLE;
  }
}
