/* The SASS .debug_frame (M24): written anew from the Mercury frames of live functions, in their order, each behind its CIE.
 * The inputs' SASS frames are not looked at (L492, L1482). */
#include "catalog/sass_type.h"
#include "finalize/barriers.h"
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/call_frame.h"
#include "cubin/elf.h"
#include "cubin/frame_writer.h"

#include <string.h>

/* The entries that stay at one place of the Mercury section. */
typedef struct frame_entry {
  uint64_t offset, addend;
  uint32_t symbol, order; /* of the first one */
  uint32_t addressed;     /* what the last address of code is about, TL_NONE without one; the addend is that one's */
} frame_entry;
typedef TL_VECTOR(frame_entry) frame_entries;

typedef struct frame_writer {
  finalizer *f;
  const tl_section *section; /* .debug_frame in the Mercury view */
  frame_entries entries;     /* by offset */
  tl_frame_pairs pairs;
  tl_frame_output out;
} frame_writer;

static int frames_compare_entries(const void *a, const void *b) {
  const frame_entry *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->offset, y->offset}, {x->order, y->order}};
  return tl_compare_pairs(pairs, 2);
}

static int frames_compare_places(const void *a, const void *b) {
  const frame_entry *const x = a, *const y = b;
  return tl_compare(x->offset, y->offset);
}

/* Whether an entry is an address of code. */
static bool frames_is_address(const tl_kept *entry) {
  enum { CODE_WORD = TL_R_MERCURY + 0x3c, CODE_ADDRESS };
  return entry->type == CODE_WORD || entry->type == CODE_ADDRESS;
}

/* Of all entries at a place the first in the output says whose it is, and what they add, or else the last address of code (L1304). */
static frame_entries frames_first_entries(const finalizer *f, uint32_t container) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, container);
  frame_entries entries = {0};
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i];
    const bool address = frames_is_address(kept);
    *tl_vector_push(f->arena, &entries) = (frame_entry){kept->offset, (uint64_t)kept->addend, kept->symbol, (uint32_t)i,
                                                        address ? kept->symbol : TL_NONE};
  }
  tl_vector_sort(&entries, frames_compare_entries);
  size_t kept = 0;
  for (size_t i = 0; i < entries.count; i++) {
    const frame_entry *const entry = &entries.items[i];
    frame_entry *const last = kept ? &entries.items[kept - 1] : NULL;
    if (!last || last->offset != entry->offset) {
      entries.items[kept++] = *entry;
    } else if (entry->addressed != TL_NONE) {
      last->addressed = entry->addressed;
      last->addend = entry->addend;
    }
  }
  entries.count = kept;
  return entries;
}

static const frame_entry *frames_find_entry(const frame_entries *entries, uint64_t offset) {
  const frame_entry key = {.offset = offset};
  return tl_sorted_find(&key, entries->items, entries->count, sizeof key, frames_compare_places);
}

/* Where the function of a frame begins in the decoded code of its text: 0, or the place of one in a kernel's text (L720). */
static uint64_t frames_start(const finalizer *f, const frame_entry *entry) {
  const tl_symbol *const symbol = &f->mercury->module->symbols.items[entry->symbol];
  const uint64_t place = final_is_inner(f, entry->symbol) ? symbol->value : entry->addend;
  return final_begins_inner(f, symbol->section, place) ? place : 0;
}

/* L1304: whether a frame is a function's. nvlink finds the function by the address that is stored there (L724). */
static bool frames_is_about_code(const finalizer *f, uint32_t symbol, const uint8_t *bytes) {
  const tl_symbol *const function = &f->mercury->module->symbols.items[symbol];
  const uint64_t stored = tl_get64(bytes + TL_FRAME_ADDRESS);
  return tl_type_of(function) == STT_FUNC && function->section != TL_NONE &&
         (!stored || final_begins_inner(f, function->section, stored));
}

static void frames_refuse(const finalizer *f, const tl_section *frames, uint64_t offset, const char *what) {
  const tl_module *const m = f->mercury->module;
  const tl_piece *const piece = tl_layout_piece(frames, offset);
  if (piece)
    tl_cubin_damaged(&m->files[piece->file], m->names, m->diagnostics, piece->section, offset - piece->offset, what);
}

/* A function behind its second name, or in a jump slot behind the first: its frame is not translated (L104, L660). */
static bool frames_stays(const finalizer *f, uint32_t symbol) {
  if (final_is_slot(f, symbol) && final_slot_place(f, symbol))
    return true;
  return f->aliased[f->mercury->module->symbols.items[symbol].section];
}

static void frames_find_code(finalizer *f, tl_frame_pair *pair) {
  const tl_symbol *const symbol = &f->mercury->module->symbols.items[pair->symbol];
  const uint32_t text = tl_type_of(symbol) == STT_FUNC ? symbol->section : TL_NONE;
  pair->stays = !pair->nobody && frames_stays(f, pair->symbol);
  pair->map = text == TL_NONE || pair->stays ? NULL : final_code_map_of(f, text);
  if (!pair->map || pair->nobody)
    return;
  const final_extent part = final_extent_of(f, text, pair->start);
  pair->text = final_code_text(f, text);
  pair->sass_start = part.start;
  pair->code_size = final_is_slot(f, pair->symbol) ? final_slot_code_end(f) : part.size;
}

static void frames_pair(frame_writer *w, const tl_call_frame *frame, const tl_call_frame *cie, const frame_entry *entry,
                        const uint8_t *bytes, uint64_t behind) {
  finalizer *const f = w->f;
  *tl_vector_push(f->arena, &w->pairs) =
      (tl_frame_pair){.place = frame->offset,
                      .symbol = entry->symbol,
                      .start = frames_start(f, entry),
                      .nobody = !frames_is_about_code(f, entry->symbol, bytes + frame->offset),
                      .frame = bytes + frame->offset,
                      .size = frame->size,
                      .behind = behind,
                      .cie = bytes + cie->offset,
                      .cie_size = cie->size,
                      .cie_at = cie->offset};
  frames_find_code(f, &w->pairs.items[w->pairs.count - 1]);
}

/* The frames of all files; `bytes` are those of the merged, patched section, `left` how much of the view's file begins there. One that
 * reaches behind the section, and is not needed, is the last (L1725). */
static void frames_pair_all(frame_writer *w, const uint8_t *bytes, uint64_t size, uint64_t left) {
  tl_call_frame cie = {0}, frame;
  tl_call_frame_kind kind = TL_FRAME_WHOLE;
  for (uint64_t at = 0; at < size && kind == TL_FRAME_WHOLE;) {
    const uint64_t start = at;
    kind = tl_call_frame_next(bytes, size, &at, &frame);
    const frame_entry *const entry =
        kind == TL_FRAME_NONE || frame.cie ? NULL : frames_find_entry(&w->entries, start + TL_FRAME_ADDRESS);
    if (kind == TL_FRAME_NONE || (entry && frame.ends)) {
      frames_refuse(w->f, w->section, start, "frames do not follow one another (L496)");
      return;
    }
    if (frame.cie)
      cie = frame; /* a frame's CIE is the one before it */
    if (!cie.size) /* what was carried out made another of it */
      frames_refuse(w->f, w->section, start, "a frame has no CIE (L496)");
    if (!entry && frame.ends)
      return;
    if (cie.size && entry)
      frames_pair(w, &frame, &cie, entry, bytes, left - at);
  }
}

/* What the entries of a place add: of an address of code that of an instruction, as in debug data (L1524). */
static uint64_t frames_addend(finalizer *f, const frame_entry *at) {
  const tl_module *const m = f->mercury->module;
  const tl_symbol *const symbol = at->addressed == TL_NONE ? NULL : &m->symbols.items[at->addressed];
  const uint32_t text = symbol ? symbol->section : TL_NONE;
  if (text == TL_NONE || !(m->sections.items[text].flags & SHF_EXECINSTR))
    return at->addend;
  if (tl_type_of(symbol) == STT_SECTION) /* L1746 */
    return 0;
  if (final_begins_inner(f, text, at->addend))
    return final_extent_of(f, text, at->addend).start;
  const tl_code *const map = final_code_map_of(f, text);
  return map ? tl_code_translate(map, at->addend, final_view_size(f->sass, f->sass_section[text])) : 0;
}

/* Whether an entry says where a frame's CIE is (D92), which only one about the frames' own section does (L1532). nvlink carries
 * it out. */
static bool frames_points(const finalizer *f, const tl_kept *entry) {
  const tl_symbol *const symbol = &f->mercury->module->symbols.items[entry->symbol];
  return tl_type_of(symbol) == STT_SECTION && symbol->section == final_mercury(f, entry->container)->about &&
         entry->type == TL_R_MERCURY + 2;
}

/* Where an entry is on the SASS side, 0 where that has no such word (L1304). */
static uint64_t frames_place(const finalizer *f, const tl_kept *entry, const tl_frame_moved *found) {
  const tl_module *const m = f->mercury->module;
  const uint32_t frames = final_mercury(f, entry->container)->about;
  if (!tl_frames_is_word(found, final_view_bytes(f->mercury, frames), entry->offset))
    return 0;
  const uint64_t to = found->to + (entry->offset - found->from);
  if (!found->cie || !to || (m->mode->final && !tl_barriers_asked(m->options)))
    return to;
  if (tl_defect_matched(m->options, TL_DEFECT_D135))
    return 0;
  tl_defect_note(m->diagnostics, TL_DEFECT_D135, tl_module_text(m, m->symbols.items[entry->symbol].name));
  return to;
}

/* L1304: nvlink writes a place in the code where an entry about one stands, and 0 as a frame's pointer where any entry does. */
static void frames_put_entries(const frame_writer *w, uint32_t container) {
  enum { POINTER_SIZE = 8 };
  finalizer *const f = w->f;
  const final_entry_list list = final_entries_of(&f->mercury_entries, container);
  for (size_t i = 0; i < list.count; i++) {
    const tl_frame_moved *const found = tl_frames_find(&f->frames, list.items[i]->offset);
    if (found && !found->cie && list.items[i]->offset - found->from == TL_FRAME_CIE && !frames_points(f, list.items[i]))
      memset(w->out.bytes + found->to + TL_FRAME_CIE, 0, POINTER_SIZE);
  }
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const entry = list.items[i];
    const tl_frame_moved *const found = tl_frames_find(&f->frames, entry->offset);
    const tl_relocation_row *const row = tl_relocation_in_view(entry->type, true);
    if (!tl_relocation_is_code_place(row))
      continue;
    const uint64_t at = frames_place(f, entry, found); /* the first word's where the SASS side has no such (L1523) */
    const unsigned width = row->fields[0].width / 8u;
    const uint32_t symbol = f->sass_symbol[entry->symbol];
    if (at > w->out.size || width > w->out.size - at)
      continue;
    const uint64_t begin = symbol == TL_NONE ? 0 : tl_emit_symbol_value(f->sass->emitted, symbol); /* L1785 */
    const uint64_t value = begin + frames_addend(f, frames_find_entry(&w->entries, entry->offset));
    tl_put(w->out.bytes + at, value >> row->fields[0].shift, width);
  }
}

/* --- entries that nvlink's finalizer cannot have (L513, L608, L1520, L1521) --- */

/* L513: whether an address of code in the frames lies behind it. Of texts with several functions tl_mercury_check knows. */
static bool frames_is_behind_code(finalizer *f, const tl_kept *entry) {
  const tl_module *const m = f->mercury->module;
  const uint32_t text = m->symbols.items[entry->symbol].section;
  if (!frames_is_address(entry) || text == TL_NONE || !(m->sections.items[text].flags & SHF_EXECINSTR))
    return false;
  const tl_code *const map = final_code_map_of(f, text);
  return map && (uint64_t)entry->addend >= map->mercury_size && !final_begins_inner(f, text, (uint64_t)entry->addend);
}

/* Those that stay. L1520: one about no symbol of the output, as one is about a section that the output makes anew. */
static void frames_check_kept(finalizer *f, const tl_section *frames) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, frames->relocations[1]);
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const entry = list.items[i];
    if (!entry->symbol)
      frames_refuse(f, frames, entry->offset, "an entry of a frame is about no symbol of the output (L1520)");
    if (frames_is_behind_code(f, entry))
      frames_refuse(f, frames, entry->offset, "the address of a frame's code lies in no function (L513)");
  }
}

/* The places where frames begin in the merged section, before anything is carried out. */
static tl_map frames_starts(const finalizer *f, const tl_section *frames) {
  tl_map starts;
  tl_map_init(&starts, f->arena);
  for (size_t i = 0; i < frames->pieces.count; i++) {
    const tl_piece *const piece = &frames->pieces.items[i];
    tl_call_frame one;
    for (uint64_t at = 0; tl_call_frame_next(piece->data, piece->size, &at, &one) == TL_FRAME_WHOLE;)
      tl_set_add(&starts, piece->offset + one.offset);
  }
  return starts;
}

/* Whether what is carried out changes the first words of a frame, which say that it is one. A value that is not 0 changes the
 * high half of a frame's length, too (L638). */
static bool frames_is_broken_by(const tl_map *starts, const tl_patch *patch) {
  enum { FIRST_WORDS = 8, LENGTH_END = 12 };
  const uint64_t bytes = tl_relocation_row_bytes(patch->row), end = patch->offset + bytes;
  const uint64_t kept = patch->value ? LENGTH_END : FIRST_WORDS; /* at the start of a frame */
  bool broken = false;
  for (uint64_t i = 1; i < bytes + kept; i++)
    broken |= end >= i && tl_set_has(starts, end - i);
  return broken;
}

/* L1521: whether an entry says that the place of code is an undefined object of the output. nvlink ends by a signal there, and
 * not over `__UFT_OFFSET`. */
static bool frames_is_no_place(const finalizer *f, const tl_relocation *entry) {
  enum { CODE = TL_R_MERCURY + 0x0e };
  const tl_module *const m = f->mercury->module;
  const tl_symbol *const symbol = &m->symbols.items[entry->symbol];
  const bool object = tl_type_of(symbol) == STT_OBJECT || tl_type_of(symbol) == STT_CUDA_OBJECT;
  return entry->type == CODE && object && symbol->section == TL_NONE &&
         f->mercury->emitted->symbol_index[entry->symbol] &&
         strcmp(tl_module_text(m, symbol->name), "__UFT_OFFSET") != 0;
}

static void frames_check_carried(const finalizer *f, uint32_t section, const tl_section *frames) {
  const tl_module *const m = f->mercury->module;
  const tl_relocated *const relocated = f->mercury->emitted->relocated;
  const tl_map starts = frames_starts(f, frames);
  for (size_t i = 0; i < relocated->patches.count; i++) {
    const tl_patch *const patch = &relocated->patches.items[i];
    if (patch->section != section)
      continue;
    if (frames_is_broken_by(&starts, patch))
      frames_refuse(f, frames, patch->offset, "an entry stands in the first words of a frame (L513)");
    if (frames_is_no_place(f, &m->relocations.items[patch->entry]))
      frames_refuse(f, frames, patch->offset, "an entry of a frame is about no function (L608)");
  }
}

const uint8_t *final_frames(finalizer *f, uint32_t section, uint64_t *size) {
  const tl_section *const m = final_mercury(f, section);
  frames_check_kept(f, m);
  frames_check_carried(f, section, m);
  const uint8_t *const bytes = final_view_bytes(f->mercury, section);
  frame_writer w = {.f = f, .section = m};
  w.entries = frames_first_entries(f, m->relocations[1]);
  frames_pair_all(&w, bytes, final_view_size(f->mercury, section),
                  f->mercury->plan->size - f->mercury->plan->section_offset[section]);
  const char *const what = tl_frames_write(&w.pairs, f->arena, &w.out, &f->frames);
  if (what)
    final_disagree(f, what);
  frames_put_entries(&w, m->relocations[1]);
  *size = w.out.size;
  return w.out.bytes;
}

/* Entries of the Mercury section that stay, with their numbers in data (R63), at the frames' new places (L1304). */
const uint8_t *final_frame_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, section);
  const frame_entries first = frames_first_entries(f, section);
  uint8_t *const bytes = final_new(f, list.count * ELF_RELA_SIZE);
  *size = 0;
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const entry = list.items[i];
    const tl_frame_moved *const found = tl_frames_find(&f->frames, entry->offset);
    const bool points = frames_points(f, entry);
    const bool nothing = entry->type == 0 || entry->type == TL_R_MERCURY; /* L1568 */
    if (nothing || tl_relocation_is_code_place(tl_relocation_in_view(entry->type, true)) || (points && !found))
      continue;
    uint8_t *const at = bytes + *size;
    tl_put64(at, frames_place(f, entry, found));
    tl_put64(at + 8,
             (uint64_t)f->mercury->emitted->symbol_index[entry->symbol] << 32 | tl_sass_type_in_data(entry->type));
    tl_put64(at + 16, points ? found->cie_place : frames_addend(f, frames_find_entry(&first, entry->offset)));
    *size += ELF_RELA_SIZE;
  }
  return bytes;
}
