/* Jump tables among the SASS compiler constants (M20, L122). nvlink makes them from the entries of the Mercury section: an
 * entry says where in the decoded Mercury code of its function the jump goes, and the word gets that place in the SASS
 * text. In an ordinary table that gives the words of the input. A table that a losing or replaced body left is read with
 * the standing body's code, so a place that is none of its targets becomes 0. Which SASS place a target has is known from
 * the standing body's own table, in both views of its file. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/elf.h"

#include <stdlib.h>
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

/* The section of compiler constants about a text, in one view; NULL. */
static const tl_cubin_section *jump_constants(const tl_cubin *cubin, uint32_t text) {
  for (uint32_t i = 1; text && i < cubin->section_count; i++)
    if (cubin->sections[i].type == SHT_CUDA_CONSTANT0 + 2 && cubin->sections[i].info == text)
      return &cubin->sections[i];
  return NULL;
}

static void jump_read_table(const finalizer *f, jump_targets *targets, const tl_cubin *mercury, uint32_t constants,
                            const tl_cubin_section *sass) {
  for (uint32_t s = 1; s < mercury->section_count; s++) {
    const tl_cubin_section *const entries = &mercury->sections[s];
    const bool about = entries->type == SHT_RELA && entries->info == constants;
    const uint64_t count = about ? tl_cubin_relocation_count(entries) : 0;
    if (!count)
      continue;
    targets->items = tl_arena_new(f->arena, jump, count);
    targets->count = 0;
    for (uint64_t i = 0; i < count; i++) {
      const tl_cubin_relocation entry = tl_cubin_relocation_at(entries, i);
      if (entry.type == PROG_REL32 && entry.offset < sass->size && sass->size - entry.offset >= WORD)
        targets->items[targets->count++] = (jump){entry.addend, tl_get32(sass->data + entry.offset)};
    }
  }
}

/* The targets in the standing body of a function. */
static jump_targets jump_find_targets(const finalizer *f, uint32_t symbol) {
  jump_targets targets = {true, NULL, 0};
  const uint32_t text = f->mercury->module->symbols.items[symbol].section;
  const uint32_t other = text == TL_NONE ? TL_NONE : f->sass_section[text];
  if (other == TL_NONE || !final_sass(f, other)->pieces.count)
    return targets;
  const tl_piece *const body = &final_sass(f, other)->pieces.items[0];
  const tl_cubin *const sass = &f->sass->module->files[body->file], *const mercury =
                                                                        &f->mercury->module->files[body->file];
  const tl_cubin_section *const from = jump_constants(mercury, mercury->capsule_of[body->section]);
  const tl_cubin_section *const to = jump_constants(sass, body->section);
  if (from && to && to->data)
    jump_read_table(f, &targets, mercury, (uint32_t)(from - mercury->sections), to);
  if (targets.count)
    qsort(targets.items, targets.count, sizeof *targets.items, jump_compare);
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
  const jump *const found =
      targets->count ? bsearch(&key, targets->items, targets->count, sizeof key, jump_compare) : NULL;
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
