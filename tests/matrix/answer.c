/* What became of an entry is read off the output: whether its section's bytes are others than the input's, and whether there
 * is an entry for that section, one for the bank of parameters (a slot of a bindless table), or a record of what was
 * written. A few lines read section headers; an output that has none of these sections is one that dropped the entry. */
#include "answer.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { FIELD_BYTES = 8, HASH_BITS = 24, HEADER_BYTES = 64, NAME_BYTES = 128 };

typedef struct elf_bytes {
  const uint8_t *data;
  size_t size;
} elf_bytes;

static uint64_t elf_number(elf_bytes file, uint64_t at, unsigned width) {
  uint64_t value = 0;
  if (at > file.size || width > file.size - at)
    return 0;
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t)file.data[at + i] << 8 * i;
  return value;
}

/* The contents of a section, empty when there is none. */
static elf_bytes elf_section(elf_bytes file, const char *name) {
  const uint64_t headers = elf_number(file, 40, 8), count = elf_number(file, 60, 2), names = elf_number(file, 62, 2);
  const uint64_t strings = elf_number(file, headers + names * HEADER_BYTES + 24, 8);
  for (uint64_t i = 1; i < count; i++) {
    const uint64_t header = headers + i * HEADER_BYTES, at = strings + elf_number(file, header, 4);
    const uint64_t offset = elf_number(file, header + 24, 8), size = elf_number(file, header + 32, 8);
    if (at < file.size && strlen(name) < file.size - at && memcmp(file.data + at, name, strlen(name) + 1) == 0 &&
        offset <= file.size && size <= file.size - offset)
      return (elf_bytes){file.data + offset, (size_t)size};
  }
  return (elf_bytes){NULL, 0};
}

static bool elf_has(elf_bytes file, const char *name) {
  return elf_section(file, name).size != 0;
}

static bool elf_has_entries(elf_bytes file, const char *prefix, const char *section) {
  char name[NAME_BYTES];
  (void)snprintf(name, sizeof name, "%s%s", prefix, section);
  return *section && elf_has(file, name);
}

static uint8_t answer_changed(elf_bytes before, elf_bytes after, unsigned at) {
  uint8_t changed = 0;
  for (unsigned i = 0; i < FIELD_BYTES && at + i < before.size && at + i < after.size; i++)
    if (before.data[at + i] != after.data[at + i])
      changed |= (uint8_t)(1u << i);
  return changed;
}

static void answer_read_output(const matrix_place *place, elf_bytes input, elf_bytes output, matrix_cell *cell) {
  const matrix_names names = matrix_place_names(place);
  const bool kept = elf_has(output, names.rela) || elf_has(output, names.rel);
  cell->changed = answer_changed(elf_section(input, names.section), elf_section(output, names.section), names.at);
  if (kept)
    cell->fate = cell->changed ? FATE_BOTH : FATE_KEPT;
  else if (elf_has_entries(output, ".rela", names.bank) || elf_has_entries(output, ".rel", names.bank))
    cell->fate = FATE_BINDLESS;
  else
    cell->fate = cell->changed || elf_has(output, names.resolved) ? FATE_APPLIED : FATE_DROPPED;
  cell->hash = (uint32_t)(XXH3_64bits(output.data, output.size) & ((1u << HASH_BITS) - 1));
}

matrix_cell matrix_answer_cell(const matrix_answer *answer, const matrix_place *place, const fuzz_envelope *envelope,
                               matrix_table *table) {
  matrix_cell cell = {.outcome = OUTCOME_LINKED};
  if (answer->hung || answer->signal) {
    cell.outcome = answer->hung ? OUTCOME_HUNG : OUTCOME_CRASHED;
    cell.number = answer->hung ? 0 : (unsigned)answer->signal;
    return cell;
  }
  cell.number = matrix_table_message(table, answer->code, answer->text_size ? answer->text : "", answer->text_size);
  if (answer->code != 0 || !answer->image) {
    cell.outcome = OUTCOME_REFUSED;
    return cell;
  }
  const fuzz_file *const file = &envelope->files[envelope->file_count - 1];
  answer_read_output(place, (elf_bytes){file->bytes, file->size}, (elf_bytes){answer->image, answer->size}, &cell);
  return cell;
}
