/* Values in capsules (M22). An entry of Mercury text stands at an offset in decoded instructions; how long a derived one is
 * when decoded does not show. Its SASS entry does stand at an instruction: both views' entries against constants and
 * shared objects have the same order, and the n-th constant load of the SASS text is the n-th record of that kind. A load
 * has its value at byte 28 of the record; instructions without such a record keep nothing (M22, L103). */
#include "finalize/finalize.h"

#include "base/bytes.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"

#include <stdlib.h>

enum { RECORD_VALUE = 28, WIDE_RECORD = 32, NO_OPCODE = 0x918, INSTRUCTION = 16 };

typedef struct placing {
  const tl_module *module, *sass;
  tl_arena *arena;
  uint32_t file, section; /* of the Mercury relocation section that `places` is about; TL_NONE */
  uint64_t *places;       /* by entry: offset in the capsule, TL_NO_OFFSET */
} placing;

static unsigned capsules_opcode(const uint8_t *text, uint64_t at) {
  return (unsigned)tl_get16(text + at) & 0xfff;
}

/* LDC, LDCU, S2R, S2UR and CS2R: the instructions whose records begin alike. */
static bool capsules_is_load(unsigned opcode) {
  return opcode == 0xb82 || opcode == 0x7ac || opcode == 0x919 || opcode == 0x9c3 || opcode == 0x805;
}

static bool capsules_is_load_record(const uint8_t *record, uint64_t size) {
  if (size == INSTRUCTION)
    return record[1] == 0x0b;
  return size == WIDE_RECORD && record[1] == 0x22 && record[3] == 6 && record[2] < 0x10;
}

/* By SASS instruction: where its record lies in the capsule, TL_NO_OFFSET where it has none of the kind. */
static uint64_t *capsules_find_records(const placing *p, const tl_cubin_section *capsule_section,
                                       const tl_cubin_section *text) {
  const uint64_t count = text->size / INSTRUCTION;
  uint64_t *const where = tl_arena_new(p->arena, uint64_t, count + 1);
  for (uint64_t i = 0; i < count; i++)
    where[i] = TL_NO_OFFSET;
  tl_capsule capsule;
  if (!tl_capsule_read(&capsule, capsule_section->data, capsule_section->size))
    return where;
  uint32_t index = 0;
  uint64_t offset = 0, at = 0;
  tl_capsule_record record;
  while (tl_capsule_next(&capsule, &index, &offset, &record)) {
    if (!capsules_is_load_record(capsule.bytes + record.offset, record.size))
      continue;
    while (at < count && !capsules_is_load(capsules_opcode(text->data, at * INSTRUCTION)))
      at++;
    if (at == count)
      break;
    where[at++] = record.size == WIDE_RECORD ? record.offset : TL_NO_OFFSET;
  }
  return where;
}

typedef struct placed_entry {
  tl_cubin_relocation entry;
  uint64_t index;
} placed_entry;

static int capsules_compare(const void *a, const void *b) {
  const placed_entry *const x = a, *const y = b;
  return x->entry.offset < y->entry.offset ? -1 : x->entry.offset > y->entry.offset;
}

static bool capsules_counts(uint32_t type, bool mercury) {
  if (mercury)
    return type == TL_R_MERCURY + 3 || type == TL_R_MERCURY + 4;
  return type == 55 || type == 59 || type == 66 || type == 115;
}

static placed_entry *capsules_sorted(const placing *p, const tl_cubin_section *section, bool mercury, size_t *count) {
  const uint64_t all = tl_cubin_relocation_count(section);
  placed_entry *const list = tl_arena_new(p->arena, placed_entry, all + 1);
  *count = 0;
  for (uint64_t i = 0; i < all; i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(section, i);
    if (capsules_counts(entry.type, mercury))
      list[(*count)++] = (placed_entry){entry, i};
  }
  qsort(list, *count, sizeof *list, capsules_compare);
  return list;
}

static const tl_cubin_section *capsules_sass_entries(const tl_cubin *cubin, uint32_t text) {
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == SHT_RELA && cubin->sections[i].info == text)
      return &cubin->sections[i];
  return NULL;
}

/* Fills p->places for one relocation section of one file. */
static void capsules_prepare(placing *p, uint32_t file, uint32_t section) {
  const tl_cubin *const cubin = &p->module->files[file], *const other = &p->sass->files[file];
  const tl_cubin_section *const entries = &cubin->sections[section];
  const uint64_t all = tl_cubin_relocation_count(entries);
  p->file = file;
  p->section = section;
  p->places = tl_arena_new(p->arena, uint64_t, all + 1);
  for (uint64_t i = 0; i < all; i++)
    p->places[i] = TL_NO_OFFSET;
  const uint32_t text = cubin->sass_text[entries->info];
  const tl_cubin_section *const sass = capsules_sass_entries(other, text);
  if (!text || !sass)
    return;
  const uint64_t *const where = capsules_find_records(p, &cubin->sections[entries->info], &other->sections[text]);
  size_t mercury_count, sass_count, at = 0;
  const placed_entry *const from = capsules_sorted(p, entries, true, &mercury_count);
  const placed_entry *const to = capsules_sorted(p, sass, false, &sass_count);
  for (size_t i = 0; i < mercury_count && at < sass_count; i++) {
    const tl_cubin_relocation *const a = &from[i].entry, *const b = &to[at].entry;
    if (a->symbol != b->symbol || a->addend != b->addend)
      continue; /* .nv.reservedSmem.cap has no SASS entry (M17) */
    at++;
    if (b->offset / INSTRUCTION < other->sections[text].size / INSTRUCTION)
      p->places[from[i].index] = where[b->offset / INSTRUCTION];
  }
}

void tl_finalize_capsules(tl_relocated *mercury, const tl_module *module, const tl_module *sass, tl_arena *arena) {
  placing p = {.module = module, .sass = sass, .arena = arena, .file = TL_NONE};
  size_t kept = 0;
  for (size_t i = 0; i < mercury->patches.count; i++) {
    tl_patch patch = mercury->patches.items[i];
    if (module->sections.items[patch.section].flags & SHF_EXECINSTR) {
      const tl_relocation *const entry = &module->relocations.items[patch.entry];
      if (!p.places || p.file != entry->file || p.section != entry->section)
        capsules_prepare(&p, entry->file, entry->section);
      if (p.places[entry->index] == TL_NO_OFFSET)
        continue;
      patch.offset = p.places[entry->index] + RECORD_VALUE;
    }
    mercury->patches.items[kept++] = patch;
  }
  mercury->patches.count = kept;
}
