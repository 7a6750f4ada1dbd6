/* The two notes, .nv.compat and .nv.rel.action (W5, F78, F79, C60, R55). */
#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/elf.h"
#include "emit/emit.h"

static const char note_owner[] = "NVIDIA Corp"; /* 12 bytes with its NUL */
enum { NOTE_HEADER = 12 + 12, NOTE_TOOL = 2000, NOTE_CUDA = 1000, TOOLKIT = 130 };

static void notes_header(uint8_t *at, uint32_t description, uint32_t type) {
  tl_put32(at, sizeof note_owner);
  tl_put32(at + 4, description);
  tl_put32(at + 8, type);
  memcpy(at + 12, note_owner, sizeof note_owner);
}

/* Our own record first, then those of the inputs, unchanged (W5.1). */
static void notes_tool(tl_emitted *e) {
  const tl_module *const module = e->module;
  const tl_options *const options = module->options;
  const char *const strings[5] = {
      options->note_object ? options->note_object : "",
      options->identity_nvlink ? "nvlink" : "twinlink",
      options->identity_nvlink ? "Cuda compilation tools, release 13.0, V13.0.88"
                               : "twinlink, release " TWINLINK_VERSION,
      options->identity_nvlink ? "Build cuda_13.0.r13.0/compiler.36424714_0" : "links as nvlink 13.0.88",
      options->note_arguments ? options->note_arguments : "",
  };
  uint64_t text = 0, inputs = 0;
  for (int i = 0; i < 5; i++)
    text += strlen(strings[i]) + 1;
  for (size_t i = 0; i < module->tool_notes.count; i++)
    inputs += module->tool_notes.items[i].size + module->tool_notes.items[i].offset;
  const uint64_t description = tl_align(24 + text, 4);
  uint8_t *const bytes = tl_emit_table(e, module->tool_note, NOTE_HEADER + description + inputs);
  notes_header(bytes, (uint32_t)description, NOTE_TOOL);
  uint8_t *const words = bytes + NOTE_HEADER;
  tl_put32(words, 2);
  uint64_t offset = 0;
  for (int i = 0; i < 5; i++) {
    tl_put32(words + 4 + 4 * i, (uint32_t)offset);
    memcpy(words + 24 + offset, strings[i], strlen(strings[i]));
    offset += strlen(strings[i]) + 1;
  }
  uint64_t end = NOTE_HEADER + description;
  for (size_t i = 0; i < module->tool_notes.count; i++) { /* a piece's offset is its alignment (L187) */
    const tl_piece *const note = &module->tool_notes.items[i];
    end = tl_align(end, note->offset);
    memcpy(bytes + end, note->data, note->size);
    end += note->size;
  }
  e->tables[module->tool_note].size = end;
}

/* W5.2 */
static void notes_cuda(tl_emitted *e) {
  const tl_module *const module = e->module;
  uint8_t *const bytes = tl_emit_table(e, module->cuda_note, NOTE_HEADER + 8);
  notes_header(bytes, 8, NOTE_CUDA);
  tl_put16(bytes + NOTE_HEADER, 2);
  tl_put16(bytes + NOTE_HEADER + 2, (uint16_t)tl_module_virtual_sm(module));
  tl_put16(bytes + NOTE_HEADER + 4, TOOLKIT);
}

/* R55: the first type that an older loader does not know, and a record a type from there on. */
static void notes_actions(tl_emitted *e) {
  uint8_t records[TL_ACTION_SIZE * (TL_ACTION_END - TL_ACTION_FIRST)];
  size_t size = 0;
  for (uint32_t type = TL_ACTION_FIRST; type < TL_ACTION_END; type++)
    size += tl_relocation_action(tl_relocation_find(type), records + size);
  uint8_t *const bytes = tl_emit_table(e, e->module->rel_action, TL_ACTION_SIZE + size);
  tl_put32(bytes, TL_ACTION_FIRST);
  memcpy(bytes + TL_ACTION_SIZE, records, size);
}

void tl_emit_notes(tl_emitted *e) {
  const tl_module *const module = e->module;
  notes_tool(e);
  notes_cuda(e);
  if (module->compat_section != TL_NONE)
    memcpy(tl_emit_table(e, module->compat_section, module->compat_size), module->compat, module->compat_size);
  if (module->rel_action != TL_NONE)
    notes_actions(e);
}
