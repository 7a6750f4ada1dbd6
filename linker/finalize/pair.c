/* Pairs the symbols and sections of the two views (M7, M8). Both views of a file have the same symbols at the same
 * indices, so both modules create theirs in the same order; section symbols alone differ in number. */
#include "finalize/parts.h"

#include "catalog/message.h"
#include "cubin/elf.h"

#include <stdlib.h>
#include <string.h>

void final_disagree(const finalizer *f, const char *what) {
  const tl_module *const module = f->mercury->module;
  const char *const path = module->file_count ? module->files[0].path : "";
  const tl_site site = {path, NULL, NULL, TL_NO_OFFSET};
  tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), site, NULL, path, what);
  abort(); /* not reached: T1 is fatal and jumps */
}

static uint32_t *pair_table(const finalizer *f, size_t count) {
  uint32_t *const table = tl_arena_new(f->arena, uint32_t, count);
  for (size_t i = 0; i < count; i++)
    table[i] = TL_NONE;
  return table;
}

static uint32_t pair_next_symbol(const tl_module *module, uint32_t index) {
  while (index < module->symbols.count && tl_type_of(&module->symbols.items[index]) == STT_SECTION)
    index++;
  return index;
}

static void pair_symbols(finalizer *f) {
  const tl_module *const m = f->mercury->module, *const s = f->sass->module;
  f->sass_symbol = pair_table(f, m->symbols.count);
  f->mercury_symbol = pair_table(f, s->symbols.count);
  uint32_t i = 0, j = 0;
  for (;;) {
    i = pair_next_symbol(m, i);
    j = pair_next_symbol(s, j);
    const bool ends = i == m->symbols.count;
    if (ends && j == s->symbols.count)
      return;
    if (ends || j == s->symbols.count || m->symbols.items[i].name != s->symbols.items[j].name)
      final_disagree(f, "its SASS and its Mercury symbols differ");
    f->sass_symbol[i] = j;
    f->mercury_symbol[j] = i;
    i++, j++;
  }
}

static void pair_two(finalizer *f, uint32_t mercury, uint32_t sass) {
  if (mercury == TL_NONE || sass == TL_NONE || !sass)
    return;
  f->sass_section[mercury] = sass;
  f->mercury_section[sass] = mercury;
}

/* A text and what belongs to it. */
static void pair_text(finalizer *f, uint32_t text) {
  const tl_section *const m = final_mercury(f, text);
  const uint32_t owner = f->sass_symbol[m->owner];
  const uint32_t other = owner == TL_NONE ? TL_NONE : f->sass->module->symbols.items[owner].section;
  if (other == TL_NONE || !(final_sass(f, other)->flags & SHF_EXECINSTR))
    final_disagree(f, "a function has Mercury code and no SASS code");
  const tl_section *const s = final_sass(f, other);
  pair_two(f, text, other);
  pair_two(f, m->info, s->info);
  pair_two(f, m->shared, s->shared);
  pair_two(f, m->constant2, s->constant2);
  pair_two(f, m->stray, s->stray);
  pair_two(f, m->constant0, s->constant0);
}

/* Sections that are found by their names. L1821: without the bank beside it nvlink's finalizer divides by what lies in memory. */
static void pair_named(finalizer *f, uint32_t section) {
  const tl_module *const m = f->mercury->module, *const s = f->sass->module;
  uint32_t name = m->sections.items[section].name;
  static const char *const renamed[][2] = {{".nv.constant.user", ".nv.constant3"},
                                           {".nv.constant.pic", ".nv.constant4"}};
  bool is_bank = false;
  for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
    if (strcmp(tl_module_text(m, m->sections.items[section].name), renamed[i][0]) == 0) {
      name = tl_names_find(m->names, renamed[i][1], strlen(renamed[i][1]));
      is_bank = true;
    }
  const uint32_t other = name == TL_NONE ? TL_NONE : tl_module_find_section(s, name);
  if (is_bank && (other == TL_NONE || !other))
    final_disagree(f, "its SASS view lacks a bank of constants of its Mercury view (L1821)");
  pair_two(f, section, other);
}

static bool pair_is_lone_image(const tl_section *section, uint32_t other) {
  return section->type == SHT_CUDA_CONSTANT0 + 2 && section->about != TL_NONE && !section->forgotten &&
         other == TL_NONE;
}

/* Jump slots that count as kernels have images of their own, all about one section: they go by their names (L660). */
static uint32_t pair_slot_image(const finalizer *f, uint32_t section) {
  const tl_module *const m = f->mercury->module, *const s = f->sass->module;
  const char *const mercury = tl_module_compiler_constants(m), *const sass = tl_module_compiler_constants(s);
  const char *const own = tl_module_text(m, m->sections.items[section].name);
  const size_t length = strlen(mercury);
  if (strncmp(own, mercury, length) != 0)
    return TL_NONE;
  const char *const text = tl_arena_format(f->arena, "%s%s", sass, own + length);
  const uint32_t name = tl_names_find(m->names, text, strlen(text));
  return name == TL_NONE ? TL_NONE : tl_module_find_section(s, name);
}

/* A kernel's own constants beside an image of the same name that was forgotten (L157, L130). */
static void pair_lone_images(finalizer *f) {
  const tl_module *const m = f->mercury->module, *const s = f->sass->module;
  uint32_t *const image = pair_table(f, s->sections.count); /* by SASS text */
  for (uint32_t i = (uint32_t)s->sections.count; i-- > 1;)
    if (pair_is_lone_image(&s->sections.items[i], f->mercury_section[i]))
      image[s->sections.items[i].about] = i;
  for (uint32_t i = 1; i < m->sections.count; i++)
    if (pair_is_lone_image(&m->sections.items[i], f->sass_section[i])) {
      const uint32_t text = f->sass_section[m->sections.items[i].about];
      const bool slot = m->sections.items[i].about == m->jump_slots;
      pair_two(f, i, slot ? pair_slot_image(f, i) : text == TL_NONE ? TL_NONE : image[text]);
    }
}

void final_pair(finalizer *f) {
  const tl_module *const m = f->mercury->module;
  pair_symbols(f);
  f->sass_section = pair_table(f, m->sections.count);
  f->mercury_section = pair_table(f, f->sass->module->sections.count);
  for (uint32_t i = 1; i < m->sections.count; i++)
    if (m->sections.items[i].owner != TL_NONE && m->sections.items[i].flags & SHF_EXECINSTR)
      pair_text(f, i);
  pair_lone_images(f);
  for (uint32_t i = 1; i < m->sections.count; i++) {
    const tl_section *const section = &m->sections.items[i];
    const bool relocations = tl_section_type_is_relocations(section->type);
    if (f->sass_section[i] == TL_NONE && !relocations && section->about == TL_NONE)
      pair_named(f, i);
  }
  for (uint32_t i = 1; i < m->sections.count; i++) {
    const tl_section *const section = &m->sections.items[i];
    if (section->type == SHT_RELA && f->sass_section[section->about] != TL_NONE)
      pair_two(f, i, final_sass(f, f->sass_section[section->about])->relocations[1]);
    if (section->type == SHT_CUDA_RESOLVEDRELA && section->about != TL_NONE && /* not what met (L890) */
        f->sass_section[section->about] != TL_NONE)
      pair_two(f, i, final_sass(f, f->sass_section[section->about])->resolved);
  }
}
