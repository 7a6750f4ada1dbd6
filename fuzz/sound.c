/* Which files are sound (sound.h). */
#include "fuzz/sound.h"

#include <stdlib.h>
#include <string.h>

enum { CAPSULE = 2, MERCURY_SYMBOLS = 0x70000085, SYMBOL_BYTES = 24, SECTION_SYMBOL = 3, CODE = 4 };

static const ref_section *sound_mercury_symbols(const ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == MERCURY_SYMBOLS)
      return &cubin->sections[i];
  return NULL;
}

/* A symbol of the Mercury view, at `at`, is that of the SASS view. */
static bool sound_symbol_alike(const ref_cubin *cubin, uint32_t names, const uint8_t *at, const ref_symbol *symbol) {
  const bool section = (symbol->info & 15) == SECTION_SYMBOL;
  return at[4] == symbol->info && !ref_u16(at + 6) == !symbol->raw_section &&
         (section || strcmp(ref_cubin_string(cubin, names, ref_u32(at)), symbol->name) == 0);
}

/* The views of a capsule have the same symbols, but for those of SASS sections at the end. Where they are unlike, each linker follows
 * one of them, and the output breaks what the input does. */
static bool sound_views_alike(const ref_cubin *cubin) {
  if (!(cubin->flags & CAPSULE))
    return true;
  const ref_section *const table = sound_mercury_symbols(cubin);
  if (!table || !table->data || table->size / SYMBOL_BYTES > cubin->symbol_count)
    return false;
  for (size_t i = 1; i < table->size / SYMBOL_BYTES; i++)
    if (!sound_symbol_alike(cubin, table->link, table->data + i * SYMBOL_BYTES, &cubin->symbols[i]))
      return false;
  return true;
}

static bool sound_alone(const ref_check_file *file) {
  const ref_check_link link = {.output = *file};
  ref_check_report report;
  ref_check(&report, &link);
  const bool sound = report.count == 0;
  ref_check_free(&report);
  return sound;
}

bool fuzz_sound_take(fuzz_sound *sound, const fuzz_envelope *envelope) {
  char error[160];
  sound->count = 0;
  for (size_t i = 0; i < envelope->file_count; i++) {
    const fuzz_file *const file = &envelope->files[i];
    if (!ref_cubin_read(&sound->cubins[i], file->bytes, file->size, error, sizeof error))
      return false;
    sound->files[i] = (ref_check_file){file->name, &sound->cubins[i]};
    sound->count = i + 1;
    if (!sound_views_alike(&sound->cubins[i]) || !sound_alone(&sound->files[i]))
      return false;
  }
  return true;
}

static int sound_order(const void *left, const void *right) {
  const ref_relocation *const a = left, *const b = right;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return (a->type > b->type) - (a->type < b->type);
}

/* Code has instructions with two fields, of two types. */
static bool sound_section_apart(const ref_cubin *cubin, uint32_t section) {
  const size_t count = ref_cubin_relocation_count(cubin, section);
  if (count < 2)
    return true;
  const uint32_t place = cubin->sections[section].info;
  const bool code = place < cubin->section_count && cubin->sections[place].flags & CODE;
  ref_relocation *const entries = fuzz_memory(count * sizeof *entries);
  for (size_t i = 0; i < count; i++)
    entries[i] = ref_cubin_relocation(cubin, section, i);
  qsort(entries, count, sizeof *entries, sound_order);
  bool apart = true;
  for (size_t i = 1; apart && i < count; i++)
    apart = entries[i].offset != entries[i - 1].offset || (code && entries[i].type != entries[i - 1].type);
  free(entries);
  return apart;
}

bool fuzz_sound_apart(const fuzz_sound *sound) {
  for (size_t i = 0; i < sound->count; i++)
    for (uint32_t j = 1; j < sound->cubins[i].section_count; j++)
      if (!sound_section_apart(&sound->cubins[i], j))
        return false;
  return true;
}

void fuzz_sound_free(fuzz_sound *sound) {
  for (size_t i = 0; i < sound->count; i++)
    ref_cubin_free(&sound->cubins[i]);
  sound->count = 0;
}
