/* String tables of a capsule link (M12, M13): those of the Mercury view, in which the names of sections that the SASS side
 * calls differently are overwritten in place and filled with NULs; behind them the new names, never merged. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "base/map.h"
#include "catalog/defect.h"
#include "cubin/elf.h"

#include <string.h>

enum { UNUSED_BYTES = 36 }; /* behind .shstrtab (M13) */

static const char *strings_mercury_name(const finalizer *f, uint32_t section) {
  return tl_module_text(f->mercury->module, final_mercury(f, section)->name);
}

/* What is behind the first letters of the name of relocations of compiler constants, NULL; those are called after a function
 * even where the constants are called after an alias that leads it (L874). */
static const char *strings_of_constants(const char *name) {
  static const char prefix[] = ".rela.nv.constant.optimizer.";
  return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : NULL;
}

/* The SASS name of a Mercury section, NULL where it is the same; a relocation section follows its target. */
static const char *strings_new_name(const finalizer *f, uint32_t section) {
  const tl_section *const m = final_mercury(f, section);
  const bool record = m->type == SHT_CUDA_RESOLVEDRELA;
  const bool relocations = tl_section_type_is_relocations(m->type) || record;
  const uint32_t named = relocations ? m->about : section;
  const uint32_t sass = named == TL_NONE ? TL_NONE : f->sass_section[named];
  if (sass == TL_NONE || final_sass(f, sass)->name == final_mercury(f, named)->name)
    return NULL;
  const char *const constants = strings_of_constants(strings_mercury_name(f, section));
  if (constants)
    return tl_arena_format(f->arena, ".rela.nv.constant2.%s", constants);
  const char *const name = tl_module_text(f->mercury->module, final_sass(f, sass)->name);
  return relocations ? tl_arena_format(f->arena, record ? ".nv.resolvedrela%s" : ".rela%s", name) : name;
}

static uint32_t strings_append(uint8_t *table, uint64_t *size, const char *prefix, const char *text) {
  const uint32_t at = (uint32_t)*size;
  const size_t first = strlen(prefix), second = strlen(text);
  memcpy(table + at, prefix, first + 1);
  memcpy(table + at + first, text, second + 1);
  *size += first + second + 1;
  return at;
}

/* --- names of namesakes (L895) --- */

/* The text that a section is about, itself or through another section; TL_NONE. */
static uint32_t strings_text_of(const finalizer *f, uint32_t section) {
  enum { DEPTH = 2 }; /* relocations of constants of a text */
  for (int depth = 0; depth <= DEPTH && section != TL_NONE; depth++) {
    const tl_section *const m = final_mercury(f, section);
    if (m->flags & SHF_EXECINSTR && m->owner != TL_NONE)
      return section;
    section = m->about;
  }
  return TL_NONE;
}

/* nvlink finds what is about a function by the names of its sections (D113). So by default the sections about the second
 * function of a name, and later ones, have names of their own in a relocatable output. */
void final_find_suffixes(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  const tl_emitted *const e = f->mercury->emitted;
  f->suffix = tl_arena_new(f->arena, const char *, m->sections.count);
  if (m->mode->final || tl_defect_matched(m->options, TL_DEFECT_D113))
    return;
  tl_map counts; /* by name */
  tl_map_init(&counts, f->arena);
  for (uint32_t i = 0; i < e->section_count; i++) {
    const uint32_t section = e->order[i], name = final_mercury(f, section)->name;
    if (strings_text_of(f, section) != section)
      continue;
    const uint32_t before = tl_map_get(&counts, name), count = before == TL_NONE ? 1 : before + 1;
    tl_map_set(&counts, name, count);
    if (count == 1)
      continue;
    f->suffix[section] = tl_arena_format(f->arena, TL_NAMESAKE_MARK "%u", (uint64_t)count);
    tl_defect_note(m->diagnostics, TL_DEFECT_D113, tl_module_text(m, name));
  }
  for (uint32_t i = 0; i < e->section_count; i++) {
    const uint32_t text = strings_text_of(f, e->order[i]);
    if (text != TL_NONE)
      f->suffix[e->order[i]] = f->suffix[text];
  }
}

/* --- the tables --- */

/* Room for everything that is appended: each section's name at most twice, with a prefix; a namesake's once more. */
static uint64_t strings_room(const finalizer *f) {
  enum { PREFIX = 16, SUFFIX = 16 };
  const tl_module *const m = f->mercury->module, *const s = f->sass->module;
  uint64_t room = 64;
  for (uint32_t i = 1; i < m->sections.count; i++) {
    const uint64_t length = m->names->list.items[m->sections.items[i].name].length + PREFIX;
    room += f->suffix[i] ? 2 * (length + SUFFIX) : length;
  }
  for (uint32_t i = 1; i < s->sections.count; i++)
    room += m->names->list.items[s->sections.items[i].name].length + 16;
  return room;
}

static uint8_t *strings_copy(const finalizer *f, uint32_t section, uint64_t room, uint64_t *size) {
  *size = final_view_size(f->mercury, section);
  uint8_t *const table = final_new(f, *size + room);
  memcpy(table, final_view_bytes(f->mercury, section), *size);
  return table;
}

/* Two sections have one name, and nvlink renames it twice: the second time, and each later one, it takes the function's name
 * from where it stood before the first (L808: entries of a kernel's constants; L902: constants of namesakes, and their
 * entries, with -r). */
static const char *strings_name_again(const finalizer *f, uint32_t section, const uint8_t *at, const char *name) {
  static const struct {
    const char *mercury, *sass;
    tl_defect defect;
  } rows[] = {{".rela.nv.constant.entry_image_header_indices.", ".rela.nv.constant0.", TL_DEFECT_D140},
              {".nv.constant.optimizer.", ".nv.constant2.", TL_DEFECT_D113},
              {".rela.nv.constant.optimizer.", ".rela.nv.constant2.", TL_DEFECT_D113}};
  const tl_section *const m = final_mercury(f, section);
  const bool laid = m->type == SHT_RELA && final_mercury(f, m->about)->laid_out == section;
  const char *const old = strings_mercury_name(f, section);
  if (strcmp((const char *)at, old) == 0)
    return name;
  for (size_t i = laid ? 0 : 1; i < (laid ? 1 : sizeof rows / sizeof *rows); i++) {
    const size_t length = strlen(rows[i].mercury);
    if (strncmp(old, rows[i].mercury, length) == 0 && tl_defect_matched(f->mercury->module->options, rows[i].defect))
      return tl_arena_format(f->arena, "%s%s", rows[i].sass, (const char *)at + length);
  }
  return name;
}

/* Overwrites names of sections that are in the output. */
static void strings_rename(finalizer *f, uint32_t section) {
  const char *const own = strings_new_name(f, section);
  if (!own)
    return;
  const tl_emitted *const e = f->mercury->emitted;
  const char *const old = strings_mercury_name(f, section);
  uint8_t *const at = f->names + e->section_name[final_mercury(f, section)->name];
  const char *const name = strings_name_again(f, section, at, own);
  const size_t length = strlen(old), room = strlen(name);
  if (room > length)
    final_disagree(f, "a section of its SASS view has a longer name than its Mercury section");
  memset(at, 0, length);
  memcpy(at, name, room + 1);
  f->strings_hole += length;
  const uint32_t symbol = final_mercury(f, section)->symbol;
  if (symbol != TL_NONE && e->symbol_index[symbol])
    f->renamed[section] = strings_append(f->strings, &f->strings_size, "", own);
  if (f->renamed[section])
    f->strings_hole -= strlen(own) + 1;
}

void final_strings(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  const tl_emitted *const e = f->mercury->emitted;
  const uint64_t room = strings_room(f);
  f->names = strings_copy(f, m->shstrtab, room, &f->names_size);
  f->strings = strings_copy(f, m->strtab, room, &f->strings_size);
  f->renamed = tl_arena_new(f->arena, uint32_t, m->sections.count);
  for (uint32_t i = 0; i < e->section_count; i++)
    strings_rename(f, e->order[i]);
}

uint32_t final_add_name(finalizer *f, const char *prefix, const char *name) {
  return strings_append(f->names, &f->names_size, prefix, name);
}

uint32_t final_add_string(finalizer *f, const char *name) {
  return strings_append(f->strings, &f->strings_size, "", name);
}

void final_finish_strings(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  final_section *const names = &f->sections.items[final_plain_index(f, m->shstrtab)];
  final_section *const strings = &f->sections.items[final_plain_index(f, m->strtab)];
  names->bytes = f->names;
  names->size = f->names_size;
  names->hole = UNUSED_BYTES;
  strings->bytes = f->strings;
  strings->size = f->strings_size;
  strings->hole = f->strings_hole;
}
