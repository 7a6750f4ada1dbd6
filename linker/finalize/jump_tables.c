/* Jump tables among the SASS compiler constants (M20, L122). nvlink makes them from the entries of the Mercury section: an
 * entry says where in the decoded Mercury code of its function the jump goes, and the word gets that place in the SASS
 * text. In an ordinary table that gives the words of the input. A table that a losing or replaced body left is read with
 * the standing body's code, so a place that is none of its targets becomes 0. Which SASS place a target has is known from
 * the standing body's own table, in both views of its file. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/elf.h"
#include "finalize/moved_text.h"

#include <string.h>

enum { WORD = 4, PROG_REL32 = TL_R_MERCURY + 8 };

typedef struct jump {
  int64_t from; /* in decoded Mercury code */
  uint32_t to;  /* in the SASS text */
} jump;

/* Of one function, by `from`. */
typedef struct jump_targets {
  bool known;
  jump *items;
  size_t count;
} jump_targets;

static int jump_compare(const void *a, const void *b) {
  const jump *const x = a, *const y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* Of one file, by section number: what the searches below would find; 0 for nothing. */
typedef struct jump_sections {
  uint32_t *mercury, *sass; /* by text: its compiler constants in that view */
  uint32_t *entries;        /* by Mercury constants: their relocation section */
} jump_sections;

/* By text: the first section of compiler constants about it. */
static uint32_t *jump_index_constants(const finalizer *f, const tl_cubin *cubin) {
  uint32_t *const index = tl_arena_new(f->arena, uint32_t, cubin->section_count);
  for (uint32_t i = cubin->section_count; i-- > 1;)
    if (cubin->sections[i].type == SHT_CUDA_CONSTANT0 + 2 && cubin->sections[i].info &&
        cubin->sections[i].info < cubin->section_count)
      index[cubin->sections[i].info] = i;
  return index;
}

static const jump_sections *jump_index_file(finalizer *f, uint32_t file) {
  if (!f->jump_sections)
    f->jump_sections = tl_arena_new(f->arena, jump_sections, f->mercury->module->file_count);
  jump_sections *const index = &f->jump_sections[file];
  if (index->entries)
    return index;
  const tl_cubin *const cubin = &f->mercury->module->files[file];
  index->mercury = jump_index_constants(f, cubin);
  index->sass = jump_index_constants(f, &f->sass->module->files[file]);
  index->entries = tl_arena_new(f->arena, uint32_t, cubin->section_count);
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == SHT_RELA && cubin->sections[i].info < cubin->section_count &&
        tl_cubin_relocation_count(&cubin->sections[i]))
      index->entries[cubin->sections[i].info] = i;
  return index;
}

/* `moved`: where the text's instructions went before files were merged, or NULL. */
static void jump_read_table(const finalizer *f, jump_targets *targets, const tl_cubin_section *entries,
                            const tl_cubin_section *sass, const tl_moved_text *moved) {
  const uint64_t count = tl_cubin_relocation_count(entries);
  targets->items = tl_arena_new(f->arena, jump, count);
  for (uint64_t i = 0; i < count; i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(entries, i);
    if (entry.type != PROG_REL32 || entry.offset >= sass->size || sass->size - entry.offset < WORD)
      continue;
    const uint32_t place = tl_get32(sass->data + entry.offset);
    targets->items[targets->count++] = (jump){entry.addend, moved ? (uint32_t)tl_moved_place(moved, place) : place};
  }
}

/* The targets in the standing body of a function. */
static jump_targets jump_find_targets(finalizer *f, uint32_t symbol) {
  jump_targets targets = {true, NULL, 0};
  const uint32_t text = f->mercury->module->symbols.items[symbol].section;
  const uint32_t other = text == TL_NONE ? TL_NONE : f->sass_section[text];
  if (other == TL_NONE || !final_sass(f, other)->pieces.count)
    return targets;
  const tl_piece *const body = &final_sass(f, other)->pieces.items[0];
  const tl_cubin *const sass = &f->sass->module->files[body->file];
  const tl_cubin *const mercury = &f->mercury->module->files[body->file];
  const jump_sections *const index = jump_index_file(f, body->file);
  const uint32_t from = index->mercury[mercury->capsule_of[body->section]], to = index->sass[body->section];
  const uint32_t entries = from ? index->entries[from] : 0;
  if (entries && to && sass->sections[to].data)
    jump_read_table(f, &targets, &mercury->sections[entries], &sass->sections[to],
                    sass->moved ? sass->moved[body->section] : NULL);
  tl_vector_sort(&targets, jump_compare);
  return targets;
}

/* The SASS place of a target, 0 where the standing body has no such target. */
static uint32_t jump_translate(finalizer *f, const tl_kept *entry) {
  if (!f->jump_targets)
    f->jump_targets = tl_arena_new(f->arena, jump_targets, f->mercury->module->symbols.count);
  jump_targets *const targets = &f->jump_targets[entry->symbol];
  if (!targets->known)
    *targets = jump_find_targets(f, entry->symbol);
  const jump key = {entry->addend, 0};
  const jump *const found = tl_sorted_find(&key, targets->items, targets->count, sizeof key, jump_compare);
  return found ? found->to : 0;
}

const uint8_t *final_jump_tables(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, final_mercury(f, section)->relocations[1]);
  if (final_mercury(f, section)->type != SHT_CUDA_CONSTANT0 + 2 || !list.count)
    return bytes;
  uint8_t *const out = final_new(f, size);
  memcpy(out, bytes, size);
  for (size_t i = 0; i < list.count; i++)
    if (list.items[i]->type == PROG_REL32 && list.items[i]->offset < size && size - list.items[i]->offset >= WORD)
      tl_put32(out + list.items[i]->offset, jump_translate(f, list.items[i]));
  return out;
}
