/* Jump tables among the SASS compiler constants (M20, L122). nvlink makes them from the entries of the Mercury section: an
 * entry says where in the decoded Mercury code of its function the jump goes, and the word gets that place in the SASS
 * text. All other bytes are Mercury's, never those of the inputs' SASS views (L1058). In an ordinary table that gives the
 * words of the input. Places are those of the standing body, which its attribute 0x34 lists as targets of indirect branches:
 * any other place, as of a table that a losing or replaced body left, becomes 0 (L1490). */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/relocation.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "finalize/moved_text.h"

#include <string.h>

enum { WORD = 4, PROG_REL32 = TL_R_MERCURY + 8 };

typedef struct jump {
  int64_t from; /* in decoded Mercury code */
  uint32_t to;  /* in the SASS text */
} jump;

/* Of one text, by `from`. */
typedef struct jump_targets {
  jump *items;
  size_t count, capacity;
  bool read;
} jump_targets;

static int jump_compare(const void *a, const void *b) {
  const jump *const x = a, *const y = b;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* By text: the first section of compiler constants about it, 0 for none. */
static uint32_t *jump_index_constants(const tl_cubin *cubin, tl_arena *arena) {
  uint32_t *const index = tl_arena_new(arena, uint32_t, cubin->section_count);
  for (uint32_t i = cubin->section_count; i-- > 1;)
    if (cubin->sections[i].type == SHT_CUDA_CONSTANT0 + 2 && cubin->sections[i].info &&
        cubin->sections[i].info < cubin->section_count)
      index[cubin->sections[i].info] = i;
  return index;
}

/* By section: its relocation section, 0 for none. */
static uint32_t *jump_index_entries(const tl_cubin *cubin, tl_arena *arena) {
  uint32_t *const index = tl_arena_new(arena, uint32_t, cubin->section_count);
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == SHT_RELA && cubin->sections[i].info &&
        tl_cubin_relocation_count(&cubin->sections[i]))
      index[cubin->sections[i].info] = i;
  return index;
}

/* Those that a record of the attribute lists. */
static void jump_read_record(const finalizer *f, const tl_code *code, const tl_record *record, jump_targets *targets) {
  uint64_t position = 0;
  tl_targets list;
  while (tl_targets_next(record->data, record->size, &position, &list))
    for (uint64_t i = 0; i < list.count; i++) {
      const uint32_t target = tl_get32(record->data + list.first + i * WORD);
      const tl_code_place *const place = tl_code_find(code, target);
      if (place && place->mercury == target)
        *tl_vector_push(f->arena, targets) = (jump){target, (uint32_t)place->sass};
    }
}

/* Of a Mercury text. */
static const jump_targets *jump_targets_of(finalizer *f, uint32_t text) {
  enum { INDIRECT_TARGETS = 0x34 };
  jump_targets *const targets = &f->jump_targets[text];
  const uint32_t info = final_mercury(f, text)->info;
  const tl_code *const code = final_code_map_of(f, text);
  if (targets->read || info == TL_NONE || !final_plain_index(f, info) || !code)
    return targets;
  const tl_cubin_section records = {.data = final_view_bytes(f->mercury, info),
                                    .size = final_view_size(f->mercury, info)};
  uint64_t position = 0;
  tl_record record;
  targets->read = true;
  while (tl_record_next_whole(&records, &position, &record))
    if (record.code == INDIRECT_TARGETS && record.format == TL_RECORD_WHOLE)
      jump_read_record(f, code, &record, targets);
  tl_vector_sort(targets, jump_compare);
  return targets;
}

static void jump_move_words(const tl_cubin_section *entries, tl_cubin_section *constants, const tl_moved_text *moved,
                            tl_arena *arena) {
  const uint64_t count = tl_cubin_relocation_count(entries);
  uint8_t *const bytes = tl_arena_copy(arena, constants->data, constants->size);
  for (uint64_t i = 0; i < count; i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(entries, i);
    if (entry.type == PROG_REL32 && entry.offset < constants->size && constants->size - entry.offset >= WORD)
      tl_put32(bytes + entry.offset, (uint32_t)tl_moved_place(moved, tl_get32(constants->data + entry.offset)));
  }
  constants->data = bytes;
}

bool tl_jumps_move(const tl_cubin *sass, tl_arena *arena) {
  const uint32_t *const to = jump_index_constants(sass, arena);
  bool any = false;
  for (uint32_t text = 1; sass->moved && text < sass->section_count; text++)
    any |= sass->moved[text] && to[text];
  return any;
}

void tl_jumps_moved(tl_cubin *sass, const tl_cubin *mercury, tl_arena *arena) {
  const uint32_t *const from = jump_index_constants(mercury, arena), *const to = jump_index_constants(sass, arena),
                        *const entries_of = jump_index_entries(mercury, arena);
  for (uint32_t text = 1; text < sass->section_count; text++) {
    const uint32_t entries = entries_of[from[mercury->capsule_of[text]]];
    if (sass->moved[text] && entries && to[text] && sass->sections[to[text]].data)
      jump_move_words(&mercury->sections[entries], &sass->sections[to[text]], sass->moved[text], arena);
  }
}

void final_find_jumps(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  f->jump_targets = tl_arena_new(f->arena, jump_targets, m->sections.count);
  for (uint32_t i = 1; m->jump_slots != TL_NONE && i < m->sections.count; i++)
    if (m->sections.items[i].type == SHT_CUDA_CONSTANT0 + 2 && m->sections.items[i].about == m->jump_slots) {
      f->slot_images++;
      f->last_slot_image = i;
    }
}

/* The SASS place of a target, 0 where the standing body of its function has no such target. */
static uint32_t jump_translate(finalizer *f, uint32_t symbol, int64_t from) {
  const uint32_t text = f->mercury->module->symbols.items[symbol].section;
  if (text == TL_NONE || f->sass_section[text] == TL_NONE)
    return 0;
  const jump_targets *const targets = jump_targets_of(f, text);
  const jump key = {from, 0};
  const jump *const found = tl_sorted_find(&key, targets->items, targets->count, sizeof key, jump_compare);
  return found ? found->to : 0;
}

/* L740: what nvlink makes of a word in the image of a jump slot, `old` in the Mercury view. All slots have one text, and for
 * the image of each it takes the last image of that text: this one is translated as often as there are images. */
static uint32_t jump_of_slot(finalizer *f, uint32_t section, const tl_kept *entry, uint32_t old) {
  int64_t place = section == f->last_slot_image ? entry->addend : old;
  for (uint32_t i = 0; section == f->last_slot_image && i < f->slot_images; i++)
    place = jump_translate(f, entry->symbol, place);
  return (uint32_t)place;
}

const uint8_t *final_jump_tables(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size) {
  const tl_module *const m = f->mercury->module;
  const final_entry_list list = final_entries_of(&f->mercury_entries, final_mercury(f, section)->relocations[1]);
  if (final_mercury(f, section)->type != SHT_CUDA_CONSTANT0 + 2)
    return bytes;
  const bool same = final_view_size(f->mercury, section) == size;
  const uint8_t *const base = same ? final_view_bytes(f->mercury, section) : bytes; /* L1058 */
  if (!list.count)
    return base;
  uint8_t *const out = final_new(f, size);
  memcpy(out, base, size);
  const bool of_slot = f->slot_images && final_mercury(f, section)->about == m->jump_slots;
  const bool matched = tl_defect_matched(m->options, TL_DEFECT_D121);
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const entry = list.items[i];
    const tl_relocation_row *const row = tl_relocation_in_view(entry->type, true);
    if (!tl_relocation_is_code_place(row) || entry->offset >= size)
      continue;
    if (entry->type != PROG_REL32) { /* as much of it as there is room for */
      const unsigned width = (unsigned)tl_smaller(row->fields[0].width / 8u, size - entry->offset);
      tl_put(out + entry->offset, final_place_value(f, entry) >> row->fields[0].shift, width);
      continue;
    }
    if (size - entry->offset < WORD)
      continue;
    const uint32_t right = jump_translate(f, entry->symbol, entry->addend);
    const uint32_t theirs =
        of_slot ? jump_of_slot(f, section, entry, tl_get32(final_view_bytes(f->mercury, section) + entry->offset))
                : right;
    if (theirs != right && !matched)
      tl_defect_note(m->diagnostics, TL_DEFECT_D121, tl_module_text(m, m->symbols.items[entry->symbol].name));
    tl_put32(out + entry->offset, matched ? theirs : right);
  }
  return out;
}
