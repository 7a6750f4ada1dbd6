/* A file's views (M1, M3, M7). The sections of code for sm_100 and later describe one program twice: as SASS and, under
 * flag 0x10000000 and names of their own, as Mercury. Reading a file in one view hides what only the other has and gives
 * the rest plain names and types, so that every later stage runs over either without asking which. */
#include "cubin/view.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/relocation.h"
#include "catalog/sass_type.h"
#include "catalog/trace.h"
#include "cubin/attribute.h"
#include "cubin/capsule.h"
#include "cubin/code.h"
#include "cubin/derive.h"
#include "cubin/elf.h"
#include "cubin/mercury.h"
#include "cubin/order.h"
#include "cubin/recorded.h"
#include "cubin/shape.h"
#include "cubin/stub.h"

#include <string.h>

/* What a SASS link does not look at (M2b). The other Mercury sections of a SASS-kind file are merged under their own
 * names; a capsule that takes part in a mixed link leaves them all (L101). */
static bool view_sass_ignores(const tl_cubin *cubin, const tl_cubin_section *section) {
  if (tl_view_is_capsule(cubin) && section->flags & SHF_CUDA_MERCURY)
    return true;
  switch (section->type) {
  case SHT_CUDA_CAPSULE:
  case SHT_CUDA_MERCURY_RELA:
  case SHT_CUDA_MERCURY_INFO:
  case SHT_CUDA_MERCURY_SYMTAB:
    return true;
  case SHT_CUDA_OPTIMIZER_CONSTANT: /* without the flag they are constants as others (RF302) */
  case SHT_CUDA_RESERVED_SHARED:
    return (section->flags & SHF_CUDA_MERCURY) != 0;
  default:
    return false;
  }
}

/* Sections that serve both views (M7). */
static bool view_is_common(const tl_cubin_section *section) {
  static const uint32_t types[] = {SHT_STRTAB,         SHT_NOTE,         SHT_CUDA_CALLGRAPH, SHT_CUDA_PROTOTYPE,
                                   SHT_CUDA_GLOBAL,    SHT_CUDA_LOCAL,   SHT_CUDA_SHARED,    SHT_CUDA_COMPAT,
                                   SHT_SYMTAB_SHNDX,   SHT_NOBITS,       SHT_CUDA_UDT,       SHT_CUDA_UFT_ENTRY,
                                   SHT_CUDA_UDT_ENTRY, SHT_CUDA_UFT_REL, SHT_CUDA_METADATA};
  return TL_AMONG32(types, section->type);
}

/* What a type of the Mercury view is in the plain one. */
static uint32_t view_plain_type(uint32_t type) {
  static const uint32_t rows[][2] = {{SHT_CUDA_CAPSULE, SHT_PROGBITS},
                                     {SHT_CUDA_MERCURY_RELA, SHT_RELA},
                                     {SHT_CUDA_MERCURY_INFO, SHT_CUDA_INFO},
                                     {SHT_CUDA_OPTIMIZER_CONSTANT, SHT_CUDA_CONSTANT0 + 2},
                                     {SHT_CUDA_USER_CONSTANT, SHT_CUDA_CONSTANT0 + 3},
                                     {SHT_CUDA_PIC_CONSTANT, SHT_CUDA_CONSTANT0 + 4},
                                     {SHT_CUDA_MERCURY_RESOLVEDRELA, SHT_CUDA_RESOLVEDRELA},
                                     {SHT_CUDA_MERCURY_SYMTAB, SHT_SYMTAB}};
  return TL_PAIRED32(rows, type, type);
}

static void view_hide(tl_cubin_section *section) {
  section->type = SHT_NULL;
  section->flags = 0;
  section->info = 0;
  section->size = 0;
}

/* The unified tables, which a file can have a copy of for Mercury. */
static const uint32_t view_tables[] = {SHT_CUDA_UFT_ENTRY, SHT_CUDA_UDT_ENTRY, SHT_CUDA_UDT};
enum { VIEW_TABLES = sizeof view_tables / sizeof *view_tables };

static size_t view_table_of(uint32_t type) {
  size_t table = 0;
  while (table < VIEW_TABLES && view_tables[table] != type)
    table++;
  return table;
}

/* What a name says without its view: ".rela.text.F" for ".nv.merc.rela.text.F". */
static const char *view_plain_text(const char *name) {
  const char *const own = tl_text_behind(name, ".nv."), *const mercury = own ? tl_text_behind(own, "merc") : NULL;
  const char *const plain = mercury || !own ? mercury : tl_text_behind(own, "capmerc");
  return plain && *plain == '.' ? plain : name;
}

/* The same of each section. */
static const char *const *view_plain_texts(const tl_cubin *cubin, const tl_names *names, tl_arena *arena) {
  const char **const plain = tl_arena_new_bare(arena, const char *, cubin->section_count);
  for (uint32_t i = 0; i < cubin->section_count; i++)
    plain[i] = view_plain_text(tl_names_text(names, cubin->sections[i].name));
  return plain;
}

/* ".nv.merc.debug_frame" and ".nv.capmerc.text.F" become ".debug_frame" and ".text.F". */
static void view_make_plain(tl_cubin_section *section, bool slot, tl_names *names) {
  const char *const name = view_plain_text(tl_names_text(names, section->name));
  section->name = tl_names_intern(names, name, strlen(name));
  const bool code = section->type == SHT_CUDA_CAPSULE;
  section->type = slot ? SHT_CUDA_UFT_REL : view_plain_type(section->type);
  section->flags = (section->flags & ~(uint64_t)SHF_CUDA_MERCURY) | (code ? SHF_ALLOC | SHF_EXECINSTR : 0);
}

/* The SASS text that a capsule's first word names. nvlink crashes over one that is none, over one without instructions
 * and over another kind of capsule (L445). */
static uint32_t view_find_text(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics, uint32_t i) {
  tl_capsule capsule;
  if (!tl_capsule_read(&capsule, cubin->sections[i].data, cubin->sections[i].size) ||
      !(tl_cubin_section_at(cubin, capsule.sass)->flags & SHF_EXECINSTR))
    tl_cubin_damaged(cubin, names, diagnostics, i, 0, "a capsule names no SASS text of its own");
  if ((capsule.kind & TL_CAPSULE_KIND) != TL_CAPSULE_KIND || !capsule.count)
    tl_cubin_damaged(cubin, names, diagnostics, i, 4, "a capsule is of no known kind, or empty (L445)");
  return capsule.sass;
}

/* nvlink writes a capsule's second word and the rest of its mask anew (L445). */
static void view_write_capsule(tl_cubin_section *section, tl_arena *arena) {
  tl_capsule capsule;
  tl_capsule_read(&capsule, section->data, section->size);
  const uint64_t last = capsule.first - 4; /* the mask's last word */
  const uint32_t rest = capsule.count % 32 ? UINT32_MAX << capsule.count % 32 : 0;
  const uint32_t word = tl_get32(section->data + last) & ~rest;
  if (capsule.kind == (TL_CAPSULE_KIND | 1) && word == tl_get32(section->data + last))
    return;
  uint8_t *const bytes = tl_arena_copy(arena, section->data, section->size);
  tl_put32(bytes + 4, TL_CAPSULE_KIND | 1);
  tl_put32(bytes + last, word);
  section->data = bytes;
}

/* Pairs every capsule with its SASS text. */
static void view_pair_texts(tl_cubin *cubin, const tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics) {
  cubin->sass_text = tl_arena_new(arena, uint32_t, cubin->section_count);
  cubin->capsule_of = tl_arena_new(arena, uint32_t, cubin->section_count);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    if (cubin->sections[i].type != SHT_CUDA_CAPSULE)
      continue;
    const uint32_t text = view_find_text(cubin, names, diagnostics, i);
    if (cubin->capsule_of[text])
      tl_cubin_damaged(cubin, names, diagnostics, i, 0, "a capsule names no SASS text of its own");
    cubin->sass_text[i] = text;
    cubin->capsule_of[text] = i;
    view_write_capsule(&cubin->sections[i], arena);
  }
}

/* Kinds that nvlink's finalizer finds by their whole names: of one text, or of the file (L451). */
typedef struct view_name_row {
  uint32_t type;
  const char *name; /* without its view */
  bool of_text;     /* the text's name follows */
} view_name_row;

static const view_name_row view_name_rows[] = {
    {SHT_CUDA_INFO, ".nv.info", true},
    {SHT_CUDA_MERCURY_INFO, ".nv.info", true},
    {SHT_CUDA_CONSTANT0, ".nv.constant0", true},
    {SHT_CUDA_CONSTANT0 + 2, ".nv.constant2", true},
    {SHT_CUDA_CONSTANT0 + 3, ".nv.constant3", false},
    {SHT_CUDA_USER_CONSTANT, ".nv.constant.user", false},
    {SHT_CUDA_GLOBAL_INIT, ".nv.global.init", false},
};

/* `plain` is the section's name without its view, `text` that of the text that it is about. */
static bool view_has_whole_name(const tl_cubin_section *section, const char *plain, const char *text) {
  for (size_t i = 0; i < sizeof view_name_rows / sizeof *view_name_rows; i++) {
    const view_name_row *const row = &view_name_rows[i];
    if (row->type != section->type || (row->of_text && !section->info && section->type != SHT_CUDA_CONSTANT0))
      continue;
    const char *const behind = tl_text_behind(plain, row->name), *const of = tl_text_behind(text, ".text");
    if (!behind)
      return false;
    if (row->of_text && section->type != SHT_CUDA_CONSTANT0 && tl_text_behind(text, ".nv.uft.rel."))
      return true; /* attributes of a unified function's stub */
    return row->of_text ? of && *of == '.' && strcmp(behind, of) == 0 : !*behind;
  }
  return true;
}

/* L864, L874: relocations of a text, and of a function's compiler constants, may be called after any of its function's names.
 * Where an alias leads, -r calls the text, its attributes and constants after the alias, and the relocations after the
 * function. */
static bool view_is_second_name(const tl_cubin *cubin, const tl_cubin_section *section, const char *plain) {
  static const char *const constants[] = {".rela.nv.constant2.", ".rela.nv.constant.optimizer."};
  const bool rela = section->type == SHT_RELA || section->type == SHT_CUDA_MERCURY_RELA;
  const char *function = tl_text_behind(plain, ".rela.text.");
  uint32_t text = section->info;
  for (size_t i = 0; !function && i < sizeof constants / sizeof *constants; i++) {
    function = tl_text_behind(plain, constants[i]);
    text = function ? tl_cubin_section_at(cubin, section->info)->info : text;
  }
  if (!rela || !function)
    return false;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const table = &cubin->sections[i];
    if (table->type != (section->type == SHT_RELA ? SHT_SYMTAB : SHT_CUDA_MERCURY_SYMTAB))
      continue;
    for (uint64_t at = 0; at + ELF_SYMBOL_SIZE <= table->size; at += ELF_SYMBOL_SIZE) {
      const uint8_t *const symbol = table->data + at;
      if (tl_get16(symbol + 6) != text || (symbol[4] & 15) != STT_FUNC)
        continue;
      const char *const name = tl_cubin_text_in(cubin, table->link, tl_get32(symbol));
      if (name && strcmp(name, function) == 0)
        return true;
    }
  }
  return false;
}

/* nvlink's finalizer looks for what is about a text by the text's name, for the file's attributes, and for Mercury's
 * sections by their first letters (L239). */
static const char *view_wrong_name(const tl_cubin *cubin, const tl_names *names, const char *const *plain_texts,
                                   uint32_t index) {
  const tl_cubin_section *const section = &cubin->sections[index];
  const char *const name = tl_names_text(names, section->name), *const plain = plain_texts[index];
  const tl_cubin_section *const about = tl_cubin_section_at(cubin, section->info);
  const char *const text = section->info < cubin->section_count ? plain_texts[section->info] : "";
  const bool attributes = section->type == SHT_CUDA_INFO || section->type == SHT_CUDA_MERCURY_INFO;
  if (section->type == SHT_CUDA_MERCURY_SYMTAB || (attributes && !section->info))
    return NULL; /* found by their types */
  if (section->flags & SHF_CUDA_MERCURY && plain == name)
    return "sh_name is not one of Mercury's";
  if (!(section->flags & SHF_CUDA_MERCURY) && plain != name)
    return "sh_flags of one of Mercury's sections are not Mercury's (L451)";
  if (!view_has_whole_name(section, plain, text))
    return "sh_name is not the whole name of a section of its kind (L451)";
  if (section->type == SHT_CUDA_IMAGE_HEADERS && about->type != SHT_CUDA_CAPSULE && about->type != SHT_CUDA_CONSTANT0)
    return "sh_info is neither code nor a kernel's parameters (L1628)";
  const char *const of = tl_text_behind(text, ".text");
  if (!(section->flags & SHF_INFO_LINK) || !of || *of != '.')
    return NULL;
  const size_t length = strlen(plain), tail = strlen(of);
  const bool one_view = !((about->flags ^ section->flags) & SHF_CUDA_MERCURY);
  const bool ends = length >= tail && strcmp(plain + length - tail, of) == 0;
  return one_view && (ends || view_is_second_name(cubin, section, plain)) ? NULL
                                                                          : "sh_info is not the text of its name";
}

/* nvlink's finalizer looks sections up by their names, and crashes or says something else where a relocation section is
 * not called as its target (L168). */
static void view_check_names(const tl_cubin *cubin, const tl_names *names, tl_arena *arena,
                             tl_diagnostics *diagnostics) {
  const char *const *const plain = view_plain_texts(cubin, names, arena);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    const bool rela = section->type == SHT_RELA || section->type == SHT_CUDA_MERCURY_RELA;
    const char *const what = section->unnamed ? "sh_name lies outside the section name table (L452)"
                                              : view_wrong_name(cubin, names, plain, i);
    if (what)
      tl_cubin_damaged(cubin, names, diagnostics, i, TL_NO_OFFSET, what);
    if (!rela || section->info >= cubin->section_count)
      continue;
    const char *const of = tl_text_behind(plain[i], ".rela");
    const bool same = of && strcmp(of, plain[section->info]) == 0;
    if (!same && !view_is_second_name(cubin, section, plain[i]))
      tl_cubin_damaged(cubin, names, diagnostics, i, TL_NO_OFFSET, "sh_name is not that of its target's relocations");
  }
}

/* By section: the size of its decoded instructions, which Mercury's symbol of the function has. */
static const uint64_t *view_decoded_sizes(const tl_cubin *cubin, tl_arena *arena) {
  uint64_t *const sizes = tl_arena_new(arena, uint64_t, cubin->section_count);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const table = &cubin->sections[i];
    if (table->type != SHT_CUDA_MERCURY_SYMTAB)
      continue;
    for (uint64_t at = 0; at + ELF_SYMBOL_SIZE <= table->size; at += ELF_SYMBOL_SIZE) {
      const uint32_t section = tl_get16(table->data + at + 6);
      if (section < cubin->section_count)
        sizes[section] = tl_larger(sizes[section], tl_get64(table->data + at + 16));
    }
  }
  return sizes;
}

/* Why nvlink's finalizer crashes over an entry of Mercury's, NULL where it does not; what it makes of the others is linked as
 * the SASS side's own (L442, L1200). */
static const char *view_unread_fault(const tl_cubin *cubin, const tl_cubin_section *symbols, const uint8_t *entry) {
  enum { DESCRIPTOR = TL_R_MERCURY + 0x0f, BEYOND = TL_R_MERCURY + 0x1800 };
  const uint32_t number = tl_get32(entry + 12);
  if (!number || number >= symbols->size / ELF_SYMBOL_SIZE)
    return "a relocation names a symbol outside the symbol table";
  if (!cubin->role.joined && tl_get32(entry + 8) > BEYOND) /* L1202; else relocate/ says it */
    return "a relocation has a type that there is not";
  const unsigned kind = symbols->data[(uint64_t)number * ELF_SYMBOL_SIZE + 4] & 15;
  const bool placed = kind == STT_FUNC || kind == STT_OBJECT || kind == STT_CUDA_OBJECT || kind == STT_SECTION ||
                      tl_type_is_texture(kind); /* L564 */
  if (tl_code_is_half_place(tl_get32(entry + 8)) && !placed)
    return "a relocation of code names no function (L442)";
  return tl_get32(entry + 8) == DESCRIPTOR && kind != STT_FUNC
             ? "a function descriptor relocation names no function (D15)"
             : NULL;
}

/* A type that has no number on the SASS side ends a mixed link where the finalizer's entry has to be written: of sections other
 * than those that cubin/derive.c makes entries of, where a section of no program's data is named. */
static bool view_is_unwritten(const tl_cubin *cubin, uint32_t target, const tl_cubin_section *symbols,
                              const uint8_t *entry) {
  const uint32_t type = tl_get32(entry + 8), data = cubin->sections[target].type;
  const bool derived = data == SHT_CUDA_CAPSULE || data == SHT_CUDA_GLOBAL_INIT || data == SHT_CUDA_USER_CONSTANT ||
                       data == SHT_CUDA_PIC_CONSTANT;
  const uint8_t *const symbol = symbols->data + (uint64_t)tl_get32(entry + 12) * ELF_SYMBOL_SIZE;
  const uint32_t about = tl_cubin_section_at(cubin, tl_get16(symbol + 6))->type;
  const bool kept = about == SHT_CUDA_GLOBAL || about == SHT_CUDA_GLOBAL_INIT;
  return !cubin->role.joined && !derived && (symbol[4] & 15) == STT_SECTION && !kept && type > TL_R_MERCURY &&
         tl_sass_type_in_data(type) == type && !tl_relocation_is_code_place(tl_relocation_in_view(type, true));
}

static void view_note_fault(tl_cubin *cubin, tl_site site) {
  if (cubin->fault)
    return;
  cubin->fault = tl_message_row_of(TL_MESSAGE_RELOC_NOT_FOUND);
  cubin->fault_site = site;
}

/* In a mixed link a capsule's Mercury entries are not linked, but the SASS side's are made of them (L442), and those of code
 * that lie behind the text are E63 (L239). */
static void view_check_unread_entries(tl_cubin *cubin, const tl_names *names, tl_arena *arena,
                                      tl_diagnostics *diagnostics) {
  const uint64_t *const sizes = view_decoded_sizes(cubin, arena);
  const tl_cubin_section *symbols = tl_cubin_section_at(cubin, 0); /* Mercury's, whatever sh_link says (L499) */
  for (uint32_t i = 1; i < cubin->section_count && !symbols->size; i++)
    if (cubin->sections[i].type == SHT_CUDA_MERCURY_SYMTAB)
      symbols = &cubin->sections[i];
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    if (section->type == SHT_CUDA_CAPSULE)
      view_find_text(cubin, names, diagnostics, i);
    if (section->type != SHT_CUDA_MERCURY_RELA || section->info >= cubin->section_count)
      continue;
    const bool code = cubin->sections[section->info].type == SHT_CUDA_CAPSULE;
    if (!code && cubin->role.joined) /* the Mercury view is linked, too, and says what is wrong (L588) */
      continue;
    for (uint64_t at = 0; at + ELF_RELA_SIZE <= section->size; at += ELF_RELA_SIZE) {
      const tl_site site = {cubin->path, tl_names_text(names, section->name), NULL, at};
      const char *const fault = view_unread_fault(cubin, symbols, section->data + at);
      if (fault)
        tl_cubin_damaged(cubin, names, diagnostics, i, at, fault);
      if (view_is_unwritten(cubin, section->info, symbols, section->data + at))
        tl_diagnostics_add(diagnostics, tl_message_row_of(TL_MESSAGE_NVRS), site, NULL);
      if (code && !cubin->role.joined &&
          tl_get64(section->data + at) >= sizes[section->info]) /* else the link says it */
        view_note_fault(cubin, site);
    }
  }
}

/* Of the sections before any of them is changed; of what has a copy for Mercury the copy is that view's (L660). */
typedef struct view_roles {
  bool *slot;   /* the capsule of a jump slot */
  bool *copied; /* of the SASS side alone, although its type serves both */
} view_roles;

static view_roles view_find_roles(const tl_cubin *cubin, tl_arena *arena) {
  const view_roles roles = {tl_arena_new(arena, bool, cubin->section_count),
                            tl_arena_new(arena, bool, cubin->section_count)};
  bool copied[VIEW_TABLES + 1] = {false};
  for (uint32_t i = 1; i < cubin->section_count; i++)
    copied[view_table_of(cubin->sections[i].type)] |= (cubin->sections[i].flags & SHF_CUDA_MERCURY) != 0;
  copied[VIEW_TABLES] = false;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    roles.slot[i] = cubin->sass_text[i] && cubin->sections[cubin->sass_text[i]].type == SHT_CUDA_UFT_REL;
    roles.copied[i] = cubin->sections[i].type == SHT_CUDA_UFT_REL ? cubin->capsule_of[i] != 0
                                                                  : copied[view_table_of(cubin->sections[i].type)];
  }
  return roles;
}

/* L656, D113: nvlink finds a function's attributes and entries by their names, so functions of one name in one capsule, as an
 * output of -r has them, all have those of the first. Of several sections of entries about one text the first counts (L1312). Returns by section that has got another's contents what it
 * was; the others are of type 0 there. NULL where there is none. */
static const tl_cubin_section *view_take_first(tl_cubin *cubin, const tl_names *names, tl_arena *arena,
                                               tl_diagnostics *diagnostics) {
  tl_cubin_section *before = NULL;
  tl_map first;
  tl_map_init(&first, arena);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    const bool known = section->type == SHT_CUDA_MERCURY_INFO || section->type == SHT_CUDA_MERCURY_RELA;
    if (!known || tl_cubin_section_at(cubin, section->info)->type != SHT_CUDA_CAPSULE)
      continue;
    const uint32_t other = tl_map_get(&first, section->name);
    if (other == TL_NONE) {
      tl_map_set(&first, section->name, i);
      continue;
    }
    const tl_cubin_section *const taken = &cubin->sections[other];
    if (section->type == SHT_CUDA_MERCURY_RELA && taken->info == section->info) { /* L1312 */
      section->size = 0;
      continue;
    }
    if (taken->size == section->size && memcmp(taken->data, section->data, taken->size) == 0)
      continue;
    if (!tl_defect_matched(diagnostics->options, TL_DEFECT_D113)) {
      if (!cubin->marked) /* L895 */
        tl_defect_note(diagnostics, TL_DEFECT_D113, tl_names_text(names, section->name));
      continue;
    }
    before = before ? before : tl_arena_new(arena, tl_cubin_section, cubin->section_count);
    before[i] = *section;
    section->data = taken->data;
    section->file_offset = taken->file_offset;
    section->size = taken->size;
  }
  return before;
}

/* `pairs`: of a file that is finalized. */
static void view_select_mercury(tl_cubin *cubin, tl_names *names, const tl_derive_pairs *pairs, tl_arena *arena,
                                tl_diagnostics *diagnostics) {
  view_pair_texts(cubin, names, arena, diagnostics);
  tl_recorded_mend(cubin, arena);
  tl_mercury_check(cubin, names, arena, diagnostics);
  if (cubin->role.finalized)
    view_take_first(cubin, names, arena, diagnostics);
  const bool finalized = cubin->role.finalized;
  const tl_derive_version version = tl_derive_find_version(cubin, names);
  tl_derive_roles derived = {.lone = NULL};
  if (finalized)
    derived = tl_derive_find_roles(cubin, pairs, arena);
  if (finalized && tl_order_sections(cubin, derived.place, arena)) {
    const tl_derive_pairs moved = tl_derive_find_pairs(cubin, names, tl_derive_find_names(cubin, names, arena), arena);
    derived = tl_derive_find_roles(cubin, &moved, arena);
  }
  const view_roles roles = view_find_roles(cubin, arena);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    if (finalized && derived.lone[i]) {
      view_hide(section);
      continue;
    }
    if (finalized && derived.again[i]) {
      tl_derive_take_again(section, &cubin->sections[derived.again[i]]);
      continue;
    }
    if (finalized && derived.alone[i]) {
      tl_derive_add_version(section, version, arena);
      section->info = cubin->capsule_of[section->info]; /* 0 of the file */
      continue;
    }
    if (section->flags & SHF_CUDA_MERCURY) {
      view_make_plain(section, roles.slot[i], names);
      continue;
    }
    if (!view_is_common(section) || roles.copied[i]) {
      view_hide(section);
      continue;
    }
    if (section->info < cubin->section_count && cubin->capsule_of[section->info])
      section->info = cubin->capsule_of[section->info]; /* .nv.shared.K is about the capsule here */
  }
}

/* A name without the number that tells namesakes apart (L895). */
static uint32_t view_name_without_mark(uint32_t name, tl_names *names, tl_arena *arena) {
  const char *const text = tl_names_text(names, name), *const mark = strrchr(text, *TL_NAMESAKE_MARK);
  if (!mark || mark == text || !mark[1] || mark[1 + strspn(mark + 1, "0123456789")])
    return name;
  const size_t length = (size_t)(mark - text);
  char *const plain = tl_arena_new(arena, char, length + 1); /* ends with a NUL */
  memcpy(plain, text, length);
  return tl_names_intern(names, plain, length);
}

/* L895: what is about namesakes has one name for all that follows, and is told apart by its section. A long name, which may be
 * that of many sections, is looked at once. */
static void view_take_marks(tl_cubin *cubin, tl_names *names, tl_arena *arena) {
  enum { LONG_NAME = 256 };
  tl_map known;
  tl_map_init(&known, arena);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const uint32_t name = cubin->sections[i].name;
    uint32_t plain = tl_map_get(&known, name);
    if (plain == TL_NONE)
      plain = view_name_without_mark(name, names, arena);
    if (names->list.items[name].length >= LONG_NAME)
      tl_map_set(&known, name, plain);
    cubin->marked |= plain != name;
    cubin->sections[i].name = plain;
  }
}

/* L971: of a capsule behind the first file of SASS kind, which no finalizer reads, nvlink still takes the sections of Mercury's
 * section symbols, outside the table from what lies behind it. */
static void view_check_unread_symbols(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics) {
  const bool wide = tl_cubin_find_section(cubin, SHT_SYMTAB_SHNDX) != 0;
  for (uint32_t i = 1; i < cubin->section_count && !wide; i++) {
    const tl_cubin_section *const table = &cubin->sections[i];
    if (table->type != SHT_CUDA_MERCURY_SYMTAB)
      continue;
    for (uint64_t at = ELF_SYMBOL_SIZE; at + ELF_SYMBOL_SIZE <= table->size; at += ELF_SYMBOL_SIZE)
      if ((table->data[at + 4] & 15) == STT_SECTION && tl_get16(table->data + at + 6) >= cubin->section_count)
        tl_cubin_damaged(cubin, names, diagnostics, i, at, "a section symbol of Mercury's is of no section (L971)");
  }
}

/* L1538: Mercury's attributes of a text of which none says the version of its code get one that does, behind them. */
static void view_add_versions(tl_cubin *cubin, const tl_names *names, tl_arena *arena) {
  const tl_derive_version version = tl_derive_find_version(cubin, names);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    tl_cubin_section *const section = &cubin->sections[i];
    uint64_t position = 0;
    bool said =
        section->type != SHT_CUDA_MERCURY_INFO || tl_cubin_section_at(cubin, section->info)->type != SHT_CUDA_CAPSULE;
    tl_record record;
    while (!said && tl_record_next_whole(section, &position, &record))
      said = record.code == EIATTR_MERCURY_ISA_VERSION;
    if (!said)
      tl_derive_add_version(section, version, arena);
  }
}

/* L1947: by section: a variable of `.symtab`, which is not read yet, lies in it and brings it along, whatever its type. */
static const bool *view_find_objects(const tl_cubin *cubin, tl_arena *arena) {
  bool *const found = tl_arena_new(arena, bool, cubin->section_count);
  const tl_cubin_section *const table = tl_cubin_section_at(cubin, tl_cubin_find_section(cubin, SHT_SYMTAB));
  const uint64_t count = table->entry_size < ELF_SYMBOL_SIZE ? 0 : table->size / table->entry_size;
  for (uint64_t i = 1; i < count; i++) {
    const uint8_t *const symbol = table->data + i * ELF_SYMBOL_SIZE;
    const uint32_t type = symbol[4] & 0xf, section = tl_get16(symbol + 6);
    if ((type == STT_OBJECT || type == STT_CUDA_OBJECT) && section < cubin->section_count)
      found[section] = true;
  }
  return found;
}

void tl_view_select(tl_cubin *cubin, tl_names *names, tl_arena *arena, tl_diagnostics *diagnostics) {
  if (tl_view_is_capsule(cubin) && !tl_defect_matched(diagnostics->options, TL_DEFECT_D113))
    view_take_marks(cubin, names, arena);
  const bool passed = cubin->role.joined && cubin->view == TL_VIEW_SASS; /* Mercury's view of it, which is read first */
  tl_derive_pairs pairs = {NULL, NULL};
  if (cubin->role.finalized) { /* in mixed links too */
    const uint32_t *const sass_names = tl_derive_find_names(cubin, names, arena);
    tl_derive_take_types(cubin, sass_names, arena);
    tl_derive_take_targets(cubin, sass_names, arena);
    if (!passed) {
      view_check_names(cubin, names, arena, diagnostics);
      tl_shape_check(cubin, names, diagnostics);
    }
    view_add_versions(cubin, names, arena);
    pairs = tl_derive_find_pairs(cubin, names, sass_names, arena);
    tl_derive_take_headers(cubin, &pairs);
  }
  if (cubin->view == TL_VIEW_MERCURY) {
    view_select_mercury(cubin, names, &pairs, arena, diagnostics);
    return;
  }
  if (cubin->role.finalized) {
    view_check_unread_entries(cubin, names, arena, diagnostics);
    tl_recorded_mend(cubin, arena);
    tl_stub_schedule_all(cubin, diagnostics->options->debug && !diagnostics->options->suppress_debug_info, arena);
    (passed ? tl_mercury_check_words : tl_mercury_check)(cubin, names, arena, diagnostics);
    tl_derive_sass(cubin, names, &pairs, arena, view_take_first(cubin, names, arena, diagnostics));
  } else if (tl_view_is_capsule(cubin)) {
    view_check_unread_symbols(cubin, names, diagnostics);
  }
  const bool *has_object = NULL;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    if (!view_sass_ignores(cubin, &cubin->sections[i]))
      continue;
    has_object = has_object ? has_object : view_find_objects(cubin, arena);
    if (cubin->sections[i].flags & SHF_CUDA_MERCURY && cubin->sections[i].unnamed &&
        cubin->sections[i].type == SHT_PROGBITS)
      tl_cubin_damaged(cubin, names, diagnostics, i, TL_NO_OFFSET,
                       "sh_name lies outside the section name table (L703)");
    if (cubin->sections[i].flags & SHF_CUDA_MERCURY)
      tl_trace(diagnostics, TL_TRACE_SKIP_MERCURY, (uint64_t)i);
    if (has_object[i])
      cubin->sections[i].brought = true;
    else
      view_hide(&cubin->sections[i]);
  }
}
