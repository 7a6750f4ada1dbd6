/* The two notes, .nv.compat and .nv.rel.action (W5, F78, F79, C60, R55). */
#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/elf.h"
#include "emit/emit.h"

static const char note_owner[] = "NVIDIA Corp"; /* 12 bytes with its NUL */
enum { NOTE_HEADER = TL_NOTE_HEADER, NOTE_TOOL = 2000, NOTE_CUDA = 1000, TOOLKIT = 130 };

static void notes_header(uint8_t *at, uint32_t description, uint32_t type) {
  tl_put32(at, sizeof note_owner);
  tl_put32(at + 4, description);
  tl_put32(at + 8, type);
  memcpy(at + 12, note_owner, sizeof note_owner);
}

static void notes_copy(uint8_t *bytes, const tl_pieces *notes) {
  for (size_t i = 0; i < notes->count; i++)
    memcpy(bytes + notes->items[i].offset, notes->items[i].data, notes->items[i].size);
}

/* Our own record first, then those of the inputs, unchanged (W5.1). */
static void notes_tool(tl_emitted *e) {
  const tl_module *const module = e->module;
  const char *strings[TL_NOTE_STRINGS];
  const uint64_t own = tl_module_own_note(module, strings);
  uint8_t *const bytes = tl_emit_table(e, module->tool_note, tl_larger(own, module->tool_notes_end));
  notes_header(bytes, (uint32_t)(own - NOTE_HEADER), NOTE_TOOL);
  uint8_t *const words = bytes + NOTE_HEADER;
  tl_put32(words, 2);
  uint64_t offset = 0;
  for (int i = 0; i < TL_NOTE_STRINGS; i++) {
    tl_put32(words + 4 + 4 * i, (uint32_t)offset);
    memcpy(words + TL_NOTE_WORDS + offset, strings[i], strlen(strings[i]));
    offset += strlen(strings[i]) + 1;
  }
  notes_copy(bytes, &module->tool_notes);
}

/* W5.2 */
static void notes_cuda(tl_emitted *e) {
  const tl_module *const module = e->module;
  uint8_t *const bytes =
      tl_emit_table(e, module->cuda_note, tl_larger(NOTE_HEADER + TL_NOTE_CUDA, module->cuda_notes_end));
  notes_header(bytes, TL_NOTE_CUDA, NOTE_CUDA);
  tl_put16(bytes + NOTE_HEADER, 2);
  tl_put16(bytes + NOTE_HEADER + 2, (uint16_t)tl_module_virtual_sm(module));
  tl_put16(bytes + NOTE_HEADER + 4, TOOLKIT);
  notes_copy(bytes, &module->cuda_notes);
}

/* R55: the first type that an older loader does not know, and its record; behind it there is none. */
static void notes_actions(tl_emitted *e) {
  uint8_t *const bytes = tl_emit_table(e, e->module->rel_action, 2 * TL_ACTION_SIZE);
  tl_put32(bytes, TL_ACTION_TYPE);
  tl_relocation_action(tl_relocation_find(TL_ACTION_TYPE), bytes + TL_ACTION_SIZE);
}

/* Before the inputs' sections in which variables lie, which have the places that they have without it (L1366). */
static void notes_compat(tl_emitted *e) {
  const tl_module *const module = e->module;
  const tl_section *const section = &module->sections.items[module->compat_section];
  uint8_t *const bytes = tl_emit_table(e, module->compat_section, module->compat_size + section->size);
  memcpy(bytes, module->compat, module->compat_size);
  notes_copy(bytes + module->compat_size, &section->pieces);
}

void tl_emit_notes(tl_emitted *e) {
  const tl_module *const module = e->module;
  notes_tool(e);
  notes_cuda(e);
  if (module->compat_section != TL_NONE)
    notes_compat(e);
  if (module->rel_action != TL_NONE)
    notes_actions(e);
}
