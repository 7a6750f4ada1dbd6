/* The sections of a capsule link's output, in their order (M11): those of the Mercury view with SASS contents, the
 * kernels' parameter banks, the capsules, the other mirrored sections, .nv.merc.symtab. */
#include "finalize/barriers.h"
#include "finalize/leaf.h"
#include "finalize/parts.h"

#include "base/bytes.h"
#include "base/text.h"
#include "cubin/elf.h"

#include <string.h>

static const char *sections_name(const finalizer *f, uint32_t section) {
  return tl_module_text(f->mercury->module, final_mercury(f, section)->name);
}

/* What the Mercury side of a section is (M7). */
typedef enum mirror_kind {
  MIRROR_NONE,
  MIRROR_TEXT,
  MIRROR_INFO,
  MIRROR_RELA,
  MIRROR_RECORD, /* of applied entries */
  MIRROR_DATA
} mirror_kind;

/* Unified tables, their data and the index file, which Mercury has copies of (L660). */
static bool sections_is_unified(uint32_t type) {
  return type == SHT_CUDA_UFT_ENTRY || type == SHT_CUDA_UDT_ENTRY || type == SHT_CUDA_UDT || type == SHT_CUDA_UIDX;
}

static mirror_kind mirror_kind_of(const finalizer *f, uint32_t section) {
  const tl_section *const m = final_mercury(f, section);
  if (m->flags & SHF_EXECINSTR && m->owner != TL_NONE)
    return MIRROR_TEXT;
  if (m->type == SHT_CUDA_INFO)
    return MIRROR_INFO;
  if (tl_section_type_is_relocations(m->type))
    return MIRROR_RELA;
  if (m->type == SHT_CUDA_RESOLVEDRELA)
    return MIRROR_RECORD;
  if (section == f->mercury->module->shstrtab || section == f->mercury->module->strtab)
    return MIRROR_NONE;
  const bool data = sections_is_unified(m->type) || m->type == SHT_CUDA_GLOBAL_INIT ||
                    m->type == SHT_CUDA_RESERVED_SHARED || m->type == SHT_CUDA_IMAGE_HEADERS ||
                    tl_section_type_is_constant(m->type) || m->type == SHT_PROGBITS;
  return data ? MIRROR_DATA : MIRROR_NONE;
}

/* Shared memory of an executable gets the reserved bytes here (M17). */
static uint64_t sections_shared_size(const finalizer *f, const tl_section *section, uint64_t size) {
  return f->mercury->module->mode->final && section->type == SHT_CUDA_SHARED ? size + TL_RESERVED_SHARED : size;
}

static bool sections_is_line_table(const finalizer *f, uint32_t section) {
  const char *const name = sections_name(f, section);
  return final_mercury(f, section)->type == SHT_PROGBITS &&
         (strcmp(name, ".debug_line") == 0 || strcmp(name, ".nv_debug_line_sass") == 0);
}

/* Entries of debug data, of compiler constants, or of variables and other constants, that stay (L1548: but by default those of a
 * relocatable output, where more stay), or records of those that were applied. */
static bool sections_is_about_data(const finalizer *f, uint32_t section) {
  const tl_module *const module = f->mercury->module;
  const tl_section *const m = final_mercury(f, section);
  if ((m->type != SHT_RELA && m->type != SHT_CUDA_RESOLVEDRELA) || m->about == TL_NONE)
    return false;
  const uint32_t type = final_mercury(f, m->about)->type;
  const bool data = type == SHT_CUDA_GLOBAL_INIT || type == SHT_CUDA_CONSTANT0 + 3 || type == SHT_CUDA_CONSTANT0 + 4;
  const bool alike = module->mode->final || module->options->bug_compatible;
  return final_is_debug(f, m->about) || type == SHT_CUDA_CONSTANT0 + 2 || (data && alike && m->type == SHT_RELA);
}

/* M43: -g, or a file that asks for them somewhere in the link. */
static void sections_find_shown_errors(finalizer *f) {
  const tl_module *const s = f->sass->module;
  f->shows_errors = tl_barriers_asked(s->options);
  f->file_shows_errors = tl_arena_new(f->arena, bool, s->file_count);
  for (uint32_t i = 0; i < s->file_count; i++) {
    f->file_shows_errors[i] = tl_barriers_file_asks(&s->files[i]);
    f->shows_errors |= f->file_shows_errors[i];
  }
}

/* Whether a SASS text comes from a file that asks for them, which then has them. */
static bool sections_shows_errors(const finalizer *f, uint32_t section) {
  const tl_section *const text = final_sass(f, section);
  return text->pieces.count && f->file_shows_errors[text->pieces.items[0].file];
}

/* L723: with -r, of an -ewp object. */
static bool sections_is_opened(const finalizer *f, uint32_t section, const final_section *out) {
  const tl_section *const text = final_sass(f, f->sass_section[section]);
  const final_function whole = {section, 0};
  return text->pieces.count && f->sass->module->files[text->pieces.items[0].file].type == ET_EWP &&
         tl_leaf_is_opened(out->bytes, out->size, final_has_inner(f, &whole), f->arena);
}

/* L1290: what kind of kernel it is, and its numbers, are those of the input's code; places are written into it afterwards,
 * whatever these make of an opcode. */
static tl_remake sections_remake_leaf(finalizer *f, uint32_t section, uint8_t *text, uint64_t size) {
  const tl_section *const sass = final_sass(f, f->sass_section[section]);
  if (sass->pieces.count != 1 || !sass->pieces.items[0].data || sass->pieces.items[0].size != size)
    return tl_leaf_remake(text, size, f->arena);
  const uint8_t *const input = sass->pieces.items[0].data;
  uint8_t *const made = final_new(f, size);
  memcpy(made, input, size);
  const tl_remake what = tl_leaf_remake(made, size, f->arena);
  for (uint64_t i = 0; i < size; i++)
    if (text[i] == input[i])
      text[i] = made[i];
  return what;
}

/* M42: the text of a kernel as nvlink makes it; where that is not known the input's stays and is noted. */
static const uint8_t *sections_remake(finalizer *f, uint32_t section, const final_section *out) {
  const uint32_t owner = final_mercury(f, section)->owner;
  if (final_mercury(f, section)->type == SHT_CUDA_UFT_REL)
    return final_stub_text(f, out->bytes, out->size);
  if (!(f->mercury->module->symbols.items[owner].other & STO_ENTRY)) {
    if (tl_barriers_asked(f->sass->module->options) && tl_barriers_lack(out->bytes, out->size)) /* L725 */
      *tl_vector_push(f->arena, &f->result->remade) = (tl_remade){owner, TL_REMAKE_DEBUG};
    return out->bytes;
  }
  uint8_t *const text = final_new(f, out->size), *const plain = final_new(f, out->size);
  memcpy(plain, out->bytes, out->size);
  final_move_laid_loads(f, section, plain, out->size);
  memcpy(text, plain, out->size);
  const bool final = f->sass->module->mode->final; /* M41 */
  const bool asked =
      tl_barriers_asked(f->sass->module->options); /* with -g leaves stay, whatever their file asks for */
  tl_remake what = final && !asked ? sections_remake_leaf(f, section, text, out->size) : TL_REMAKE_NONE;
  const final_function inner = {section, 0};
  const bool opens = final_has_inner(f, &inner) && (asked || !f->shows_errors); /* L1641 */
  if (final && !asked && opens && what == TL_REMAKE_NONE && tl_leaf_close(text, out->size, f->arena))
    what = TL_REMAKE_SURE;
  if (f->shows_errors && !sections_shows_errors(f, f->sass_section[section])) {
    const bool kept = !final || asked; /* L143; else leaves are made anew (L764) */
    const bool alike = kept || what == TL_REMAKE_NONE || what == TL_REMAKE_SURE;
    const bool stand = alike && tl_barriers_stand(out->bytes, out->size);
    what = stand ? TL_REMAKE_SHOWN : TL_REMAKE_DEBUG; /* M43, L134 */
    if (kept || !stand)
      memcpy(text, plain, out->size);
  }
  if ((!final || asked) && sections_is_opened(f, section, out)) {
    const bool done = opens && tl_leaf_open(text, out->size, f->arena); /* L1641, RF1317 */
    what = done ? TL_REMAKE_SURE : TL_REMAKE_OPENED;
  }
  if (what != TL_REMAKE_NONE)
    *tl_vector_push(f->arena, &f->result->remade) = (tl_remade){owner, what};
  return text;
}

/* The SASS side of debug data and what is about it, which is made of Mercury's alone (L1480); false for other sections. */
static bool sections_fill_debug(finalizer *f, uint32_t section, final_section *out) {
  const tl_section *const m = final_mercury(f, section);
  const char *const name = sections_name(f, section);
  if (sections_is_line_table(f, section))
    out->bytes = final_lines(f, section, &out->size);
  else if (tl_section_type_is_relocations(m->type) && m->about != TL_NONE && sections_is_line_table(f, m->about))
    return true; /* filled with its target */
  else if (m->type == SHT_RELA && strcmp(name, ".rela.debug_frame") == 0)
    out->bytes = final_frame_relocations(f, section, &out->size);
  else if (strcmp(name, ".debug_frame") == 0)
    out->bytes = final_frames(f, section, &out->size);
  else if (final_is_debug(f, section) && strcmp(name, ".nv_debug_info_reg_sass") == 0)
    out->bytes = final_registers(f, section, out->bytes, out->size);
  else if (final_is_debug(f, section) && strcmp(name, ".nv_debug_info_reg_type") == 0)
    out->bytes = final_register_types(f, out->bytes, &out->size);
  else if (final_is_debug(f, section))
    out->bytes = final_debug_data(f, section, out->bytes, out->size);
  else if (sections_is_about_data(f, section))
    out->bytes = final_data_relocations(f, section, &out->size);
  else
    return false;
  return true;
}

/* The SASS side of a section: what kind decides where its bytes come from. */
static void sections_fill(finalizer *f, uint32_t section, final_section *out) {
  const tl_section *const m = final_mercury(f, section);
  const uint32_t sass = f->sass_section[section];
  if (m->type == SHT_CUDA_INFO && section != f->mercury->module->info)
    out->bytes = final_info(f, section, &out->size);
  else if (section == f->mercury->module->info)
    out->bytes = final_text_stacks(f, final_slot_stacks(f, out->bytes, out->size), out->size);
  else if (m->type == SHT_RELA && final_mercury(f, m->about)->type == SHT_CUDA_IMAGE_HEADERS)
    out->bytes = final_table_relocations(f, section, &out->size);
  else if (section == f->mercury->module->bodies_section)
    return; /* symbols and places in the call graph have one number in both views (L890) */
  else if (tl_section_type_is_relocations(m->type) || m->type == SHT_CUDA_RESOLVEDRELA)
    out->bytes = final_relocations(f, section, &out->size);
  else if (section == f->mercury->module->compat_section)
    out->bytes = final_compat(f, &out->size);
  else if (m->type == SHT_CUDA_IMAGE_HEADERS && sass != TL_NONE) { /* parameters and table, zero (M20, M27) */
    out->size = final_is_laid(f, section) ? final_laid_base(f) + final_view_size(f->mercury, section)
                                          : f->sass->emitted->layout->section_size[sass];
    out->bytes = final_bank_places(f, section, out->size);
    out->align = f->sass->emitted->layout->section_align[sass];
    out->type = tl_emit_section_type(f->sass->module, final_sass(f, sass)->type);
  } else if (m->type == SHT_CUDA_RESERVED_SHARED && sass != TL_NONE)
    out->size = f->mercury->module->mode->final ? f->sass->emitted->layout->section_size[sass]
                                                : final_view_size(f->mercury, section); /* L1272 */
  else if (section == f->mercury->module->jump_slots && f->slots.count) {
    out->bytes = f->slots.sass;
    out->size = f->slots.sass_size;
  } else if (m->type == SHT_CUDA_UFT_ENTRY || m->type == SHT_CUDA_UDT_ENTRY)
    return; /* their symbols have one number in both views */
  else if (sass != TL_NONE &&
           (mirror_kind_of(f, section) == MIRROR_DATA || mirror_kind_of(f, section) == MIRROR_TEXT)) {
    out->bytes = final_view_bytes(f->sass, sass);
    out->size = final_view_size(f->sass, sass);
    if (mirror_kind_of(f, section) == MIRROR_TEXT)
      out->bytes = final_indexed_loads(f, section, out->bytes, out->size);
    out->bytes = mirror_kind_of(f, section) == MIRROR_TEXT ? sections_remake(f, section, out)
                                                           : final_jump_tables(f, section, out->bytes, out->size);
  }
}

static void sections_add_plain(finalizer *f, uint32_t section) {
  const tl_section *const m = final_mercury(f, section);
  const uint32_t sass = f->sass_section[section];
  final_section out = {.name = f->mercury->emitted->section_name[m->name],
                       .type = tl_emit_section_type(f->mercury->module, m->type),
                       .flags = m->flags,
                       .align = f->mercury->emitted->layout->section_align[section],
                       .entry_size = m->entry_size};
  out.empty = tl_section_type_is_empty(out.type);
  out.size = sections_shared_size(f, m, final_view_size(f->mercury, section));
  out.bytes = out.empty ? NULL : final_view_bytes(f->mercury, section);
  if (m->flags & SHF_EXECINSTR && sass != TL_NONE)
    out.align = f->sass->emitted->layout->section_align[sass];
  if (f->suffix[section])
    out.name = final_add_name(f, (const char *)f->names + out.name, f->suffix[section]);
  *tl_vector_push(f->arena, &f->sections) = out;
}

/* L907, D100: an internal kernel has lost its attributes, so its parameters take nothing. */
static uint64_t sections_parameters_size(const finalizer *f, uint32_t owner, uint32_t bank) {
  enum { CAPSULE_PARAMETERS = 0x380 }; /* where they begin */
  const tl_module *const m = f->mercury->module;
  const bool lost = owner != TL_NONE && tl_layout_forgets_kernel(m, &m->symbols.items[owner]);
  return lost ? CAPSULE_PARAMETERS : f->sass->emitted->layout->section_size[bank];
}

/* M20: as large as the input's, all zero. */
static void sections_add_constants(finalizer *f) {
  const tl_emitted *const e = f->mercury->emitted;
  f->first_constant = (uint32_t)f->sections.count;
  f->constant_symbol = tl_arena_new(f->arena, uint32_t, f->sass->module->sections.count);
  for (uint32_t i = 0; i < e->section_count; i++) {
    const tl_section *const text = final_mercury(f, e->order[i]);
    if (!(text->flags & SHF_EXECINSTR) || f->sass_section[e->order[i]] == TL_NONE || text->constant0 != TL_NONE)
      continue;
    const uint32_t bank = final_sass(f, f->sass_section[e->order[i]])->constant0;
    if (bank == TL_NONE)
      continue;
    const tl_section *const s = final_sass(f, bank);
    const char *const suffix = f->suffix[e->order[i]] ? f->suffix[e->order[i]] : "";
    const char *const name = tl_arena_format(f->arena, "%s%s", tl_module_text(f->mercury->module, s->name), suffix);
    f->constant_symbol[bank] = (uint32_t)(f->mercury->emitted->symbols.count + 1 + f->constants.count);
    tl_u32_push(f->arena, &f->constants, bank);
    *tl_vector_push(f->arena, &f->sections) = (final_section){.name = final_add_name(f, "", name),
                                                              .type = tl_emit_section_type(f->sass->module, s->type),
                                                              .flags = s->flags,
                                                              .align = f->sass->emitted->layout->section_align[bank],
                                                              .size = sections_parameters_size(f, text->owner, bank),
                                                              .info = final_plain_index(f, e->order[i])};
  }
}

/* L1557: what sh_info of a section names that is no function's is what the SASS side's header names there; debug data names
 * nothing. */
static uint32_t sections_info_plain(const finalizer *f, uint32_t section) {
  const tl_emitted *const e = f->mercury->emitted;
  const tl_section *const m = final_mercury(f, section);
  const uint32_t other = f->sass_section[section];
  if (final_is_debug(f, section))
    return 0;
  if (m->owner != TL_NONE) /* without the count of registers that a capsule's header may have (L1755) */
    return e->symbol_index[m->owner];
  if (m->type != SHT_CUDA_GLOBAL || m->owner != TL_NONE || other == TL_NONE)
    return tl_plan_section_info(e, section);
  const tl_section *const s = final_sass(f, other);
  const uint32_t named = s->about == TL_NONE ? s->leads : s->about;
  const uint32_t mercury = named == TL_NONE ? TL_NONE : f->mercury_section[named];
  return mercury == TL_NONE ? 0 : e->section_index[mercury];
}

/* Data whose sh_link is what the SASS side's input has (L1546, L1754, L1794). */
static bool sections_is_linked_data(uint32_t type) {
  static const uint32_t types[] = {SHT_CUDA_GLOBAL_INIT, SHT_CUDA_GLOBAL, SHT_CUDA_IMAGE_HEADERS};
  return TL_AMONG32(types, type) || tl_section_type_is_constant(type);
}

/* sh_link and sh_info of the SASS side (W1.6). */
static void sections_link_plain(finalizer *f) {
  const tl_emitted *const e = f->mercury->emitted;
  for (uint32_t i = 0; i < e->section_count; i++) {
    final_section *const out = &f->sections.items[i + 1];
    const tl_section *const m = final_mercury(f, e->order[i]);
    const bool debug = m->type == SHT_PROGBITS && !(m->flags & SHF_EXECINSTR); /* L1510 */
    const bool data = sections_is_linked_data(m->type);
    const uint32_t link = tl_plan_section_link(e, e->order[i]);
    out->link = (data || debug) && link > e->section_count ? 0 : link; /* L1754 */
    out->info = sections_info_plain(f, e->order[i]);
  }
}

enum { SECTION_TURNS = 3 };

/* When a section is filled: .debug_info asks for what becomes of line tables, and entries of frames, which may stand before them
 * (L1533), for what becomes of frames. */
static unsigned sections_turn(const finalizer *f, uint32_t section) {
  if (sections_is_line_table(f, section))
    return 0;
  return strcmp(sections_name(f, section), ".debug_frame") == 0 ? 1 : 2;
}

void final_add_sections(finalizer *f) {
  const tl_emitted *const e = f->mercury->emitted;
  *tl_vector_push(f->arena, &f->sections) = (final_section){.bytes = NULL};
  for (uint32_t i = 0; i < e->section_count; i++)
    sections_add_plain(f, e->order[i]);
  sections_link_plain(f);
  sections_add_constants(f);
  sections_find_shown_errors(f);
  for (unsigned turn = 0; turn < SECTION_TURNS; turn++)
    for (uint32_t i = 0; i < e->section_count; i++)
      if (sections_turn(f, e->order[i]) == turn && !sections_fill_debug(f, e->order[i], &f->sections.items[i + 1]))
        sections_fill(f, e->order[i], &f->sections.items[i + 1]);
}

/* --- the Mercury side (M7, M10) --- */

/* The section's own type in the Mercury view: what the reader made plain is undone (M7). */
static uint32_t mirror_type(const tl_section *section, mirror_kind kind) {
  if (kind == MIRROR_TEXT)
    return SHT_CUDA_CAPSULE;
  if (kind == MIRROR_INFO)
    return SHT_CUDA_MERCURY_INFO;
  if (kind == MIRROR_RELA)
    return SHT_CUDA_MERCURY_RELA;
  if (kind == MIRROR_RECORD)
    return SHT_CUDA_MERCURY_RESOLVEDRELA;
  if (section->type == SHT_CUDA_CONSTANT0 + 2)
    return SHT_CUDA_OPTIMIZER_CONSTANT;
  if (section->type == SHT_CUDA_CONSTANT0 + 4)
    return SHT_CUDA_PIC_CONSTANT;
  return section->type == SHT_CUDA_CONSTANT0 + 3 ? SHT_CUDA_USER_CONSTANT : section->type;
}

static bool mirror_keeps_places(const finalizer *f, uint32_t section) {
  const final_entry_list kept = final_entries_of(&f->mercury_entries, final_mercury(f, section)->relocations[1]);
  for (size_t i = 0; i < kept.count; i++)
    if (tl_relocation_is_code_place(tl_relocation_in_view(kept.items[i]->type, true)))
      return true;
  return false;
}

/* The SASS view's bytes are its own where places in the code were written into them, or stay in Mercury's view, whatever these are
 * (L585, L1036, L1548). */
static bool mirror_has_places(const finalizer *f, uint32_t section) {
  const tl_relocated *const relocated = f->sass->emitted->relocated;
  const uint32_t type = final_mercury(f, section)->type;
  for (size_t i = 0; i < relocated->patches.count; i++) {
    const tl_patch *const patch = &relocated->patches.items[i];
    if (f->sass->module->sections.items[patch->section].type == type && tl_relocation_is_code_place(patch->row))
      return true;
  }
  return mirror_keeps_places(f, section);
}

/* Sections whose bytes in the file serve both views (M10). */
static bool mirror_shares(const finalizer *f, uint32_t section, const final_section *plain, const final_section *own) {
  static const char *const always[] = {".nv.constant.user", ".nv.constant.pic"};
  static const char *const debug[] = {".debug_abbrev",   ".debug_loc",     ".debug_pubnames",
                                      ".debug_pubtypes", ".debug_str",     ".debug_macinfo",
                                      ".debug_ranges",   ".debug_aranges", ".debug_info"}; /* L781, L1647 */
  static const char *const when_equal[] = {".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_sass", /* L747 */
                                           ".nv_debug_info_reg_type"};
  static const char ptx[] = ".nv_debug_ptx_txt";
  const char *const name = sections_name(f, section);
  const uint32_t type = final_mercury(f, section)->type;
  const bool constants = type == SHT_CUDA_CONSTANT0 + 3 || type == SHT_CUDA_CONSTANT0 + 4; /* L1534 */
  if (own->size == 0)
    return plain->size == 0;
  if (TL_AMONG_TEXTS(always, name))
    return plain->size == own->size && !(constants && mirror_has_places(f, section));
  if (TL_AMONG_TEXTS(debug, name))
    return plain->size == own->size && !mirror_keeps_places(f, section);
  if (TL_AMONG_TEXTS(when_equal, name))
    return plain->size == own->size && memcmp(plain->bytes, own->bytes, own->size) == 0;
  if (strcmp(name, ".nv.global.init") == 0)
    return plain->size == own->size && !mirror_has_places(f, section);
  return strncmp(name, ptx, sizeof ptx - 1) == 0 && plain->size == own->size;
}

static void mirror_add(finalizer *f, uint32_t section, mirror_kind kind) {
  enum { CAPSULE_ALIGN = 16 };
  const tl_section *const m = final_mercury(f, section);
  const bool text = kind == MIRROR_TEXT, slots = f->slots.count && section == f->mercury->module->jump_slots;
  final_section out = {.type = mirror_type(m, kind),
                       .flags = (text ? 0 : m->flags) | SHF_CUDA_MERCURY,
                       .align = f->mercury->emitted->layout->section_align[section],
                       .entry_size = m->entry_size,
                       .size = slots ? f->slots.capsule_size : final_view_size(f->mercury, section)};
  out.align = slots || text ? CAPSULE_ALIGN : out.align; /* L1273 */
  uint8_t *const bytes = final_new(f, out.size);
  const char *const suffix = f->suffix[section] ? f->suffix[section] : "";
  out.name = final_add_name(f, text ? ".nv.capmerc" : ".nv.merc",
                            tl_arena_format(f->arena, "%s%s", sections_name(f, section), suffix));
  out.bytes = bytes;
  if (m->type == SHT_CUDA_RESERVED_SHARED)
    final_reserved_bytes(f, section, bytes, out.size);
  else
    memcpy(bytes, slots ? f->slots.capsule : final_view_bytes(f->mercury, section), out.size);
  if (kind == MIRROR_RELA && f->slots.count && m->about == f->mercury->module->jump_slots)
    final_move_slot_entries(f, bytes, out.size);
  if (text && out.size >= 4)
    tl_put32(bytes, final_plain_index(f, section)); /* M23 */
  const uint32_t plain = final_plain_index(f, section);
  if (mirror_shares(f, section, &f->sections.items[plain], &out))
    out.shares = plain;
  f->mirror[section] = (uint32_t)f->sections.count;
  *tl_vector_push(f->arena, &f->sections) = out;
}

static uint32_t mirror_info(const finalizer *f, uint32_t section, mirror_kind kind) {
  const tl_section *const m = final_mercury(f, section);
  if (kind == MIRROR_TEXT)
    return f->mercury->emitted->symbol_index[m->owner];
  if (m->about == TL_NONE || final_is_debug(f, section)) /* L1557 */
    return 0;
  return f->mirror[m->about] ? f->mirror[m->about] : final_plain_index(f, m->about);
}

/* What sh_link of debug data, variables and constants names among Mercury's sections, by its number on the SASS side (L1754, L1794). */
static uint32_t mirror_link(const finalizer *f, uint32_t section) {
  const tl_emitted *const e = f->mercury->emitted;
  const tl_section *const m = final_mercury(f, section);
  const bool named = final_is_debug(f, section) || sections_is_linked_data(m->type);
  const uint32_t link = named ? tl_plan_section_link(e, section) : 0;
  if (!link || link > e->section_count)
    return link >= f->first_mirror && link < f->sections.count ? link : 0;
  const uint32_t other = e->order[link - 1];
  return other == f->mercury->module->symtab ? f->mercury_symtab : f->mirror[other];
}

void final_mirror_sections(finalizer *f) {
  const tl_emitted *const e = f->mercury->emitted;
  f->mirror = tl_arena_new(f->arena, uint32_t, f->mercury->module->sections.count);
  f->first_mirror = (uint32_t)f->sections.count;
  for (int pass = 0; pass < 2; pass++) /* the capsules come first */
    for (uint32_t i = 0; i < e->section_count; i++) {
      const mirror_kind kind = mirror_kind_of(f, e->order[i]);
      if (kind != MIRROR_NONE && (kind == MIRROR_TEXT) == (pass == 0))
        mirror_add(f, e->order[i], kind);
    }
  f->mercury_symtab = (uint32_t)f->sections.count;
  *tl_vector_push(f->arena, &f->sections) = (final_section){.name = final_add_name(f, "", ".nv.merc.symtab"),
                                                            .type = SHT_CUDA_MERCURY_SYMTAB,
                                                            .flags = SHF_CUDA_MERCURY,
                                                            .align = 8,
                                                            .entry_size = ELF_SYMBOL_SIZE,
                                                            .link = final_plain_index(f, f->mercury->module->strtab)};
  for (uint32_t i = 0; i < e->section_count; i++) {
    const mirror_kind kind = mirror_kind_of(f, e->order[i]);
    if (kind == MIRROR_NONE)
      continue;
    final_section *const out = &f->sections.items[f->mirror[e->order[i]]];
    const uint32_t plain = f->sections.items[final_plain_index(f, e->order[i])].link;
    const bool entries = sections_is_unified(out->type) && plain; /* W12.7 */
    out->link = kind == MIRROR_DATA && !entries ? mirror_link(f, e->order[i]) : f->mercury_symtab;
    out->info = mirror_info(f, e->order[i], kind);
  }
}
