/* Sections of metadata (L591): records of a number, a text, and pairs of a key and a value, which is a text itself where
 * the key is 3. All of them, whatever their names, become one section of the output; their texts stand in front of
 * .strtab, each value before its record's text. nvlink does not look where a section ends: a record that begins in it
 * takes what lies behind in the file (D40), and memory behind the file. */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

enum { RECORD_HEAD = 12, PAIR_SIZE = 8, KEY_TEXT = 3 };

static _Noreturn void metadata_refuse(const tl_merging *m, uint32_t section, uint64_t offset, const char *what) {
  tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, section, offset, what);
}

/* The word at an offset from the section's start. */
static uint32_t metadata_word(const tl_merging *m, uint32_t section, uint64_t offset) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  const uint64_t room = m->cubin->reads_on ? tl_cubin_room(m->cubin, input) : input->size;
  if (offset + 4 > room)
    metadata_refuse(m, section, offset, "a record of metadata runs past its section (L591)");
  return tl_get32(input->data + offset);
}

static void metadata_add(tl_module *module, uint32_t value, bool text) {
  *tl_vector_push(module->arena, &module->metadata_words) = (tl_metadata_word){value, text};
}

/* The name whose text stands at that offset of the input's .strtab. */
static uint32_t metadata_text(const tl_merging *m, uint32_t section, uint64_t offset) {
  tl_module *const module = m->module;
  const char *const text = tl_cubin_string(m->cubin, metadata_word(m, section, offset));
  if (!text)
    metadata_refuse(m, section, offset, "a text of metadata lies outside .strtab (L591)");
  const uint32_t name = tl_names_intern(module->names, text, strlen(text));
  tl_u32_push(module->arena, &module->prototypes, name);
  return name;
}

/* One record; returns where the next one begins. */
static uint64_t metadata_read_record(const tl_merging *m, uint32_t section, uint64_t at) {
  tl_module *const module = m->module;
  const uint32_t number = metadata_word(m, section, at), count = metadata_word(m, section, at + 8);
  const size_t head = module->metadata_words.count;
  metadata_add(module, number, false);
  metadata_add(module, 0, true);
  metadata_add(module, count, false);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t pair = at + RECORD_HEAD + i * PAIR_SIZE;
    const uint32_t key = metadata_word(m, section, pair), value = metadata_word(m, section, pair + 4);
    metadata_add(module, key, false);
    if (key == KEY_TEXT)
      metadata_add(module, metadata_text(m, section, pair + 4), true);
    else
      metadata_add(module, value, false);
  }
  const uint32_t name = metadata_text(m, section, at + 4);
  module->metadata_words.items[head + 1].value = name;
  return at + RECORD_HEAD + (uint64_t)count * PAIR_SIZE;
}

void tl_merge_metadata(tl_merging *m, uint32_t section) {
  tl_module *const module = m->module;
  static const char name[] = ".nv.metadata";
  const uint64_t size = m->cubin->sections[section].size;
  if (!size)
    return;
  if (module->metadata == TL_NONE) {
    module->metadata = tl_module_add_section(module, tl_names_intern(module->names, name, sizeof name - 1),
                                             SHT_CUDA_METADATA, 0, 4, 0);
    tl_module_add_section_symbol(module, module->metadata);
  }
  for (uint64_t at = 0; at < size;)
    at = metadata_read_record(m, section, at);
  module->sections.items[module->metadata].size = 4 * (uint64_t)module->metadata_words.count;
}
