/* Joins the two views of a capsule link (M3, M7-M28), step by step, and refuses what ends nvlink there (L1022, L1633). */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/message.h"
#include "cubin/code.h"
#include "cubin/elf.h"

#include <string.h>

const uint8_t *final_view_bytes(const tl_linked_view *view, uint32_t section) {
  return view->image + view->plan->section_offset[section];
}

uint64_t final_view_size(const tl_linked_view *view, uint32_t section) {
  return tl_plan_section_size(view->emitted, section);
}

uint8_t *final_new(const finalizer *f, uint64_t size) {
  return tl_arena_new(f->arena, uint8_t, size);
}

static void final_index_view(const finalizer *f, const tl_linked_view *view, final_entries *entries) {
  const tl_relocated *const relocated = view->emitted->relocated;
  const size_t sections = view->module->sections.count;
  uint32_t *const first = tl_arena_new(f->arena, uint32_t, sections + 2);
  for (size_t i = 0; i < relocated->kept.count; i++)
    first[relocated->kept.items[i].container + 2]++;
  for (size_t i = 2; i < sections + 2; i++)
    first[i] += first[i - 1];
  entries->items = tl_arena_new(f->arena, const tl_kept *, relocated->kept.count);
  for (size_t i = 0; i < relocated->kept.count; i++)
    entries->items[first[relocated->kept.items[i].container + 1]++] = &relocated->kept.items[i];
  entries->first = first;
}

void final_index_entries(finalizer *f) {
  final_index_view(f, f->mercury, &f->mercury_entries);
  final_index_view(f, f->sass, &f->sass_entries);
  const tl_layout *const layout = f->mercury->emitted->layout;
  f->has_slots = tl_arena_new(f->arena, bool, f->mercury->module->sections.count);
  for (size_t i = 0; i < layout->slot_entries.count; i++)
    f->has_slots[layout->slot_entries.items[i].section] = true;
}

final_entry_list final_entries_of(const final_entries *entries, uint32_t container) {
  if (container == TL_NONE)
    return (final_entry_list){NULL, 0};
  const uint32_t first = entries->first[container], end = entries->first[container + 1];
  return (final_entry_list){entries->items + first, end - first};
}

/* How far behind the section's place the section headers begin in the file of step 1: texts are not packed yet there (L126). */
static uint64_t final_distance_to_headers(const tl_linked_view *view, uint32_t section) {
  const tl_emitted *const e = view->emitted;
  uint64_t end = ELF_HEADER_SIZE, place = 0;
  for (uint32_t i = 0; i < e->section_count; i++) {
    const uint32_t one = e->order[i];
    end = tl_align(end, e->layout->section_align[one]);
    if (one == section)
      place = end;
    if (!tl_section_type_is_empty(tl_emit_section_type(e->module, e->module->sections.items[one].type)))
      end += tl_module_decoded_size(view->module, one, tl_plan_section_size(e, one));
  }
  return tl_align(end, 8) - place;
}

/* M28: it takes its size in the file although nothing was written there: what follows the section in the file of step 1
 * shows, zeros and the start of that file's section headers. */
void final_reserved_bytes(const finalizer *f, uint32_t section, uint8_t *bytes, uint64_t size) {
  const uint64_t headers = tl_get64(f->mercury->image + 40);
  const uint64_t before = final_distance_to_headers(f->mercury, section);
  const uint64_t left = f->mercury->plan->size - headers;
  if (before < size)
    memcpy(bytes + before, f->mercury->image + headers, size - before < left ? size - before : left);
}

/* L1022: nvlink ends by a signal over a place in a namesake's code at which no instruction begins, but in an executable
 * without line tables and records, whose texts it leaves alone, unless it makes them anew for their options (L1050). */
static void final_check_torn(const finalizer *f) {
  const tl_module *const m = f->sass->module;
  const bool made_anew = !m->mode->final || m->mode->records_applied || m->options->debug;
  for (uint32_t i = 0; i < m->sections.count; i++) {
    const tl_pieces *const pieces = &m->sections.items[i].pieces;
    for (size_t n = 0; f->sass->emitted->section_index[i] && n < pieces->count; n++) {
      const tl_cubin *const cubin = &m->files[pieces->items[n].file];
      const tl_cubin_section *const text = &cubin->sections[pieces->items[n].section];
      const tl_site site = {cubin->path, tl_module_text(m, m->sections.items[i].name), NULL, TL_NO_OFFSET};
      if ((made_anew || text->remade) && text->torn)
        tl_diagnostics_add(m->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE), site, NULL, cubin->path,
                           "half a place in the code of a function is about another function of its name, and no "
                           "instruction begins there (D113)");
    }
  }
}

/* L1633: nvlink's finalizer ends by a signal over an entry of code whose symbol has become symbol 0; with -r over one type more. */
static void final_check_places(const finalizer *f) {
  enum { PARTIAL = TL_R_MERCURY + 50 };
  const tl_module *const m = f->mercury->module;
  for (size_t i = 0; i < m->relocations.count; i++) {
    const tl_relocation *const entry = &m->relocations.items[i];
    const bool nothing = entry->symbol == 0 && (entry->state == TL_ENTRY_NULL || entry->state == TL_ENTRY_GONE);
    const bool needs = tl_code_needs_place(entry->type) || (!m->mode->final && entry->type == PARTIAL);
    if (nothing && needs && m->sections.items[entry->target].flags & SHF_EXECINSTR)
      tl_cubin_damaged(&m->files[entry->file], m->names, m->diagnostics, entry->section,
                       (uint64_t)entry->index * ELF_RELA_SIZE, "an entry of code is about no place (L1633)");
  }
}

const char *tl_remake_text(tl_remake what) {
  switch (what) {
  case TL_REMAKE_NONE:
    break;
  case TL_REMAKE_SURE:
    return "made anew in the same way (M45)";
  case TL_REMAKE_UNSURE:
    return "its scoreboard numbers run out, and nvlink's choice is not known (M45i)";
  case TL_REMAKE_FENCE:
    return "nvlink leaves out loads before a fence (M44)";
  case TL_REMAKE_OPENED:
    return "nvlink gives what it calls, or its fences, loads that ptxas left out (L723)";
  case TL_REMAKE_SHOWN:
    return "made anew in the same way (M43)";
  case TL_REMAKE_DEBUG:
    return "nvlink adds instructions before EXIT in links with debug code (M43)";
  }
  return "as in the input";
}

void tl_finalize(tl_finalized *finalized, const tl_linked_view *mercury, const tl_linked_view *sass, tl_arena *arena,
                 uint64_t limit) {
  *finalized = (tl_finalized){0};
  finalizer f = {.mercury = mercury, .sass = sass, .result = finalized, .arena = arena};
  final_pair(&f);
  final_check_family(&f);
  final_check_torn(&f);
  final_check_places(&f);
  final_index_entries(&f);
  final_find_inner(&f);
  final_find_aliases(&f);
  final_make_slots(&f);
  final_find_jumps(&f);
  final_find_suffixes(&f);
  final_strings(&f);
  final_add_sections(&f);
  final_mirror_sections(&f);
  final_symbols(&f);
  final_finish_strings(&f);
  final_plan(&f, limit);
}
