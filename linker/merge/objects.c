/* The object pass of one file (W3.2, W3.6-W3.12, V8-V10, E21-E24, E28, C84): variables, constants, shared objects,
 * compiler constants, textures, in symbol order; and the section pass for what no symbol placed (W3.3, W8.8). */
#include "base/bytes.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/trace.h"
#include "cubin/elf.h"
#include "merge/merging.h"

#include <string.h>

static bool objects_starts_with(const tl_merging *m, uint32_t name, const char *prefix) {
  return strncmp(tl_merging_text(m, name), prefix, strlen(prefix)) == 0;
}

static bool objects_is_texture(const tl_cubin_symbol *s) {
  return tl_type_is_texture(tl_symbol_type(s));
}

static const char *objects_mention_path(const tl_merging *m, const tl_symbol *symbol) {
  return symbol->mention == TL_NONE ? "<input>" : m->module->files[symbol->mention].path;
}

static void objects_report(tl_merging *m, tl_message_id id, const tl_cubin_symbol *s, const tl_symbol *known) {
  tl_merge_report(m, tl_message_row_of(id), s->name, objects_mention_path(m, known));
}

/* One of nvlink's internal errors about a symbol. */
static void objects_fail(const tl_merging *m, const tl_cubin_symbol *s, tl_message_id id) {
  const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, s->name), TL_NO_OFFSET};
  tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(id), site, NULL);
}

/* The output text that a section of one function is about; the winner's when that function's body lost. */
static uint32_t objects_owner_text(const tl_merging *m, const tl_cubin_section *input) {
  const uint32_t own = tl_merging_section(m, input->info);
  if (own != TL_NONE || input->info >= m->cubin->section_count || !(m->section_state[input->info] & TL_SECTION_LOST))
    return own;
  return tl_merging_winner_text(m, input->info);
}

/* Whether the section belongs to the body of a strong function, by the symbol that stands: of two of one name in a text the
 * weak one may lead (L1696). */
static bool objects_is_of_strong_body(const tl_merging *m, const tl_cubin_section *input) {
  const uint32_t primary = tl_cubin_primary(m->cubin, input->info);
  const uint32_t standing = tl_module_owner(m->module, objects_owner_text(m, input));
  return tl_symbol_binding(tl_cubin_symbol_at(m->cubin, primary)) == STB_GLOBAL ||
         (standing != TL_NONE && tl_binding_of(&m->module->symbols.items[standing]) == STB_GLOBAL);
}

static bool objects_is_of_weak_body(const tl_merging *m, const tl_cubin_section *input) {
  const uint32_t primary = tl_cubin_primary(m->cubin, input->info);
  return tl_symbol_binding(tl_cubin_symbol_at(m->cubin, primary)) == STB_WEAK;
}

/* L115: the parameter bank of a weak kernel that loses to a strong one is put behind that one's, not so in capsules. */
static uint32_t objects_bank_of_strong(const tl_merging *m, uint32_t index) {
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const uint32_t text = input->type == SHT_CUDA_CONSTANT0 ? objects_owner_text(m, input) : TL_NONE;
  const uint32_t owner = tl_module_owner(m->module, text);
  if (m->module->capsule || owner == TL_NONE || tl_binding_of(&m->module->symbols.items[owner]) != STB_GLOBAL)
    return TL_NONE;
  return m->module->sections.items[text].constant0;
}

/* L1063, D145: with -r nvlink appends banks that the next link then appends once more. By default there is one. */
static bool objects_has_one_bank(const tl_merging *m, const tl_cubin_section *input) {
  if (m->module->mode->final || tl_defect_matched(m->module->options, TL_DEFECT_D145))
    return false;
  tl_defect_note(m->module->diagnostics, TL_DEFECT_D145, tl_merging_text(m, input->name));
  return true;
}

/* A kernel's image is the first section of its name, also an emptied one that a losing body brought (L157, D85). */
static void objects_take_constants(tl_module *module, uint32_t text, uint32_t section) {
  const tl_symbol *const owner = &module->symbols.items[module->sections.items[text].owner];
  if (!(owner->other & STO_ENTRY) && module->mode->final) { /* of a relocatable output, without symbols (L79) */
    module->sections.items[text].stray = section;
    return;
  }
  uint32_t *const image = &module->sections.items[text].constant2;
  if (*image != TL_NONE && tl_defect_matched(module->options, TL_DEFECT_D85))
    return;
  if (*image != TL_NONE) {
    tl_defect_note(module->diagnostics, TL_DEFECT_D85, tl_module_text(module, module->sections.items[*image].name));
    tl_module_forget_section(module, *image, section); /* the name stays where it was */
  }
  *image = section;
}

/* L713: a kernel's second section of compiler constants in one file lies over the first. */
static void objects_check_image(const tl_merging *m, uint32_t index, uint32_t text) {
  const uint32_t image = m->module->sections.items[text].constant2;
  const tl_section *const first = image == TL_NONE ? NULL : &m->module->sections.items[image];
  if (first && first->pieces.count && first->pieces.items[0].file == m->file)
    tl_merge_check_overlap(m, &first->pieces, index);
}

/* Shared memory is called after the text's function, whatever the file calls it (L1129), a capsule's parameters too (L1719),
 * compiler constants where an object lies in them or that is an alias that leads (L874, L1225). */
static uint32_t objects_owned_name(const tl_merging *m, const tl_cubin_section *input, uint32_t text) {
  tl_module *const module = m->module;
  const uint32_t function = module->symbols.items[module->sections.items[text].owner].name;
  if (input->type == SHT_CUDA_SHARED)
    return tl_module_name(module, ".nv.shared.", function);
  if (input->type == SHT_CUDA_CONSTANT0 && module->capsule)
    return tl_module_name(module, ".nv.constant0.", function);
  const bool after = input->type == SHT_CUDA_CONSTANT0 + 2 && (!m->objects_done || module->sections.items[text].led);
  return after ? tl_module_name(module, tl_module_compiler_constants(module), function) : input->name;
}

/* W2.4, W10.5: the relocation section of a bindless table, its name around the table's own; L749, L808: that of a table of
 * images is for the link's slots, the inputs' entries have one of their own. */
static void objects_add_table_relocations(tl_module *module, uint32_t table) {
  const uint32_t name = module->sections.items[table].name;
  const bool rela = module->sections.items[table].type == SHT_CUDA_IMAGE_HEADERS;
  const uint32_t added =
      rela ? tl_module_add_section(module, tl_module_name(module, ".rela", name), SHT_RELA, SHF_INFO_LINK, 8,
                                   ELF_RELA_SIZE)
           : tl_module_add_section(module, tl_module_name(module, ".rel", name), SHT_REL, 0, 8, ELF_REL_SIZE);
  module->sections.items[added].about = table;
  module->sections.items[table].relocations[rela] = added;
  *tl_vector_push(module->arena, &module->strings) = (tl_string_event){name, TL_NONE};
}

/* L1366: a variable lies among the records of a function. nvlink looks for the section by its name, and those records do not
 * look for one that it makes (L1603). */
static uint32_t objects_info_section(tl_merging *m, const tl_cubin_section *input, uint32_t text) {
  tl_module *const module = m->module;
  uint32_t out = tl_module_find_section(module, input->name);
  if (out == TL_NONE) {
    out = tl_module_add_section(module, input->name, SHT_CUDA_INFO, SHF_INFO_LINK, 4, 0);
    module->sections.items[out].about = text;
  }
  tl_module_add_fixed_symbol(module, out);
  return out;
}

/* L1843: nvlink makes these sections itself; shared memory that an object of another space brings is the input's. */
static bool objects_is_made_anew(const tl_merging *m, const tl_cubin_section *input) {
  return input->type == SHT_CUDA_CONSTANT0 + 2 || (input->type == SHT_CUDA_SHARED && !m->foreign);
}

/* A section of one function: never shared by two functions of one name (W3.10). */
static uint32_t objects_owned_section(tl_merging *m, uint32_t index, uint32_t text) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const uint32_t name = input->type == SHT_CUDA_SHARED ? objects_owned_name(m, input, text) : input->name;
  const uint64_t key = (uint64_t)name << 32 | text;
  uint32_t out = tl_map_get(&module->owned_sections, key);
  if (input->type == SHT_CUDA_CONSTANT0 + 2)
    objects_check_image(m, index, text);
  if (out != TL_NONE)
    return out;
  if (input->type == SHT_CUDA_INFO)
    return objects_info_section(m, input, text);
  const bool parameters = input->type == SHT_CUDA_CONSTANT0, images = input->type == SHT_CUDA_IMAGE_HEADERS;
  const bool table = (parameters || images) && module->mode->final;                                      /* L749 */
  const uint64_t flags = input->type == SHT_CUDA_SHARED          ? SHF_WRITE | SHF_ALLOC | SHF_INFO_LINK /* L592 */
                         : input->type == SHT_CUDA_CONSTANT0 + 2 ? SHF_ALLOC | SHF_INFO_LINK             /* L1612 */
                                                                 : input->flags;
  const uint64_t entry_size = objects_is_made_anew(m, input) ? 0 : input->entry_size; /* L952 */
  out = table ? tl_module_add_section_unlisted(module, objects_owned_name(m, input, text), input->type, flags,
                                               input->align, entry_size)
              : tl_module_add_section(module, objects_owned_name(m, input, text), input->type, flags, input->align,
                                      entry_size);
  if (table)
    objects_add_table_relocations(module, out);
  if (parameters || images) {
    module->sections.items[text].constant0 = out;
  } else if (input->type == SHT_CUDA_SHARED) {
    module->sections.items[text].shared = out;
  } else if (input->type == SHT_CUDA_CONSTANT0 + 2) {
    objects_take_constants(module, text, out);
  }
  tl_module_add_section_symbol(module, out);
  module->sections.items[out].about = text;
  tl_map_set(&module->owned_sections, key, out);
  return out;
}

/* L1253: nvlink finds banks by their names, so one that is called as nothing before becomes a second one of the kernel. */
static void objects_add_losing_bank(tl_merging *m, uint32_t index, uint32_t text) {
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const uint32_t first = m->module->sections.items[text].constant0;
  tl_merge_check_shape(m, index);
  const uint32_t out = objects_owned_section(m, index, text);
  if (first != TL_NONE) /* else it is the kernel's own (L1253) */
    m->module->sections.items[text].constant0 = first;
  m->module->sections.items[out].link = input->link;
  tl_module_append(m->module, out, input->data, input->size, input->align, m->file, index);
}

static bool objects_is_new_bank(const tl_merging *m, const tl_cubin_section *input, uint32_t text) {
  return text != TL_NONE && m->module->sections.items[text].owner != TL_NONE && !m->module->capsule &&
         !input->unnamed && tl_module_find_section(m->module, input->name) == TL_NONE;
}

bool tl_merge_is_first_table(const tl_module *module, uint32_t section) {
  return section == module->shstrtab || section == module->strtab || section == module->symtab ||
         section == module->info;
}

/* L1606: of two weak kernels' the first one's bytes stay. */
static uint32_t objects_join_table(tl_merging *m, uint32_t index, uint32_t table) {
  const tl_cubin_section *const input = &m->cubin->sections[index];
  if (!objects_is_of_weak_body(m, input) || !m->module->sections.items[table].blocks)
    m->section_offset[index] =
        tl_module_append(m->module, table, input->data, input->size, input->align, m->file, index);
  tl_module_add_fixed_symbol(m->module, table);
  m->section_map[index] = table;
  return table;
}

static void objects_append_parameters(tl_merging *m, uint32_t index) {
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const uint32_t text = objects_owner_text(m, input);
  const uint32_t bank = objects_bank_of_strong(m, index);
  const uint32_t same = tl_module_find_section(m->module, input->name);
  if (same != TL_NONE && tl_merge_is_first_table(m->module, same) && !m->module->capsule) {
    objects_join_table(m, index, same);
    return;
  }
  if (objects_is_new_bank(m, input, text)) {
    objects_add_losing_bank(m, index, text);
    return;
  }
  if (bank != TL_NONE || input->unnamed) /* nvlink compares the names of banks (L604) */
    tl_merge_check_shape(m, index);
  if (bank == TL_NONE || objects_has_one_bank(m, input))
    return;
  m->section_offset[index] = /* of its entries (L1579) */
      tl_module_append(m->module, bank, input->data, input->size, input->align, m->file, index);
}

static uint32_t objects_named_section(tl_merging *m, uint32_t index) {
  static const char debug_shared[] = ".nv_debug.shared", constants[] = ".nv.constant2";
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const bool shared = input->type == SHT_CUDA_SHARED; /* what is no function's is all in one (L190) */
  const bool nobody = input->type == SHT_CUDA_CONSTANT0 + 2 && !module->mode->final && !module->capsule; /* L592 */
  const uint32_t name = shared   ? tl_names_intern(module->names, debug_shared, sizeof debug_shared - 1)
                        : nobody ? tl_names_intern(module->names, constants, sizeof constants - 1)
                                 : input->name;
  uint32_t out = tl_module_find_section(module, name);
  const bool other = shared && out != TL_NONE && module->sections.items[out].type != SHT_CUDA_SHARED;
  const bool foreign = out == module->foreign_shared && !m->foreign;
  if (out != TL_NONE && (out == module->bare_shared || foreign || other)) /* L746, L1141, L1054 */
    out = module->debug_shared;
  if (out != TL_NONE)
    return out;
  const uint64_t align = shared && !m->foreign ? 1 : input->align; /* L253 */
  const bool pool = shared && !m->foreign;
  const uint64_t flags = pool ? SHF_WRITE | SHF_ALLOC : nobody ? SHF_ALLOC : input->flags;            /* L592 */
  out = tl_module_add_section(module, name, input->type, flags, align, pool ? 0 : input->entry_size); /* L1842 */
  tl_module_add_section_symbol(module, out);
  if (shared && m->foreign)
    module->foreign_shared = out;
  else if (shared)
    module->debug_shared = out; /* not what is only called so (L1054) */
  return out;
}

/* Names of tables that the linker makes itself: nvlink joins a section of another type to its own table (L197). Constants
 * of the type of shared memory keep their name there (L542). */
static bool objects_is_table(const tl_merging *m, uint32_t type, uint32_t name) {
  static const char *const tables[] = {"callgraph", "prototype", "info"};
  const char *const text = tl_merging_text(m, name), *const nv = tl_text_behind(text, ".nv.");
  if (nv)
    return TL_AMONG_TEXTS(tables, nv) || (type == SHT_CUDA_SHARED && tl_text_behind(nv, "constant"));
  const char *const entries = tl_text_behind(text, ".rel");
  return entries && (tl_text_behind(entries, ".") || tl_text_behind(entries, "a."));
}

/* A kernel's parameters have a section of their own beside such a table, which is made later (L1606). */
static bool objects_is_bank(const tl_cubin_section *input) {
  return input->type == SHT_CUDA_CONSTANT0 && input->info;
}

/* With -v nvlink takes a parameter bank with code's flag for the text of a function, and crashes (L702). */
static bool objects_is_false_text(const tl_merging *m, const tl_cubin_section *input) {
  return input->type == SHT_CUDA_CONSTANT0 && input->flags & SHF_EXECINSTR && m->module->options->verbose &&
         m->module->mode->final;
}

void tl_merge_check_shape(const tl_merging *m, uint32_t index) {
  static const uint64_t largest_alignment = (uint64_t)1 << 32, largest_size = (uint64_t)1 << 48;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const char *what = NULL;
  if (input->unnamed)
    what = "sh_name lies outside the name table";
  else if (input->size > largest_size)
    what = "sh_size is too large";
  else if ((input->type != SHT_CUDA_SHARED || m->foreign) && input->align == 0) /* L1141: nvlink divides by it */
    what = "sh_addralign is 0";
  else if (input->type != SHT_CUDA_SHARED && input->align > largest_alignment)
    what = "sh_addralign is too large";
  else if (input->info >= m->cubin->section_count && !(input->type == SHT_PROGBITS && input->flags & SHF_EXECINSTR))
    what = "sh_info names no section"; /* nvlink takes what lies behind its table (L176) */
  else if (objects_is_false_text(m, input))
    what = "sh_flags of a kernel's parameters are those of code (L702)";
  else if (objects_is_table(m, input->type, input->name) &&
           !objects_is_bank(input)) /* read by nobody, so that E60 may follow */
    tl_cubin_suspect(m->cubin, m->module->names, m->module->diagnostics, index, TL_NO_OFFSET,
                     "sh_type is not that of a table of its name");
  if (what)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, index, TL_NO_OFFSET, what);
}

static const char mistyped[] = "sh_type is not that of the same section in an earlier file";

/* L197: sections that are one function's too are found by their names alone, and joined. The refusal waits for the errors
 * of the file (L197). */
static uint32_t objects_refuse_type(tl_merging *m, uint32_t index, uint32_t same) {
  tl_cubin_suspect(m->cubin, m->module->names, m->module->diagnostics, index, TL_NO_OFFSET, mistyped);
  m->mistyped = true;
  m->section_map[index] = same;
  return same;
}

/* L982: of a section without objects the name tells. */
static bool objects_is_unified_data(const tl_merging *m, const tl_cubin_section *input) {
  const bool held = !m->objects_done || strcmp(tl_merging_text(m, input->name), ".nv.udt") == 0;
  return held && input->type == SHT_CUDA_UDT && !(input->flags & SHF_CUDA_MERCURY);
}

/* L1098, L1148: a kernel's bank is the section of its name that an earlier file's kernel of another name has. */
static bool objects_shares_bank(const tl_merging *m, const tl_cubin_section *input, uint32_t text, uint32_t same) {
  const bool another = same != TL_NONE && m->module->sections.items[same].about != text; /* nobody's, too (L1611) */
  return input->type == SHT_CUDA_CONSTANT0 && another && !m->module->capsule;
}

/* L1366: what a variable without a space lies in comes into the output's section of that name, also where the output makes
 * that itself; a note comes once more with the notes. */
static uint64_t objects_append(tl_merging *m, uint32_t out, uint32_t index, const uint8_t *data, uint64_t size,
                               uint64_t align) {
  tl_module *const module = m->module;
  if (out == module->tool_note || out == module->cuda_note) {
    tl_merge_add_note(m, index, out == module->tool_note);
    return m->section_offset[index];
  }
  if (out == module->shstrtab || out == module->strtab || out == module->compat_section)
    tl_module_add_fixed_symbol(module, out);
  return tl_module_append(module, out, data, size, align, m->file, index);
}

static uint32_t objects_take_section(tl_merging *m, uint32_t index, uint32_t out) {
  tl_section *const section = &m->module->sections.items[out];
  m->section_map[index] = out;
  if (section->pieces.count)
    section->pieces.items[section->pieces.count - 1].named = !m->objects_done;
  if (!m->objects_done)
    m->section_state[index] |= TL_SECTION_NAMED;
  return out;
}

/* L1580: of what becomes a section of its own nvlink reads the header that sh_info names. In code of no function that is a
 * function's number with a count of registers above it, far behind the table. */
static void objects_check_code(tl_merging *m, uint32_t index) {
  enum { COUNT_SHIFT = 24 };
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const bool code = input->type == SHT_PROGBITS && input->flags & SHF_EXECINSTR;
  const tl_site site = {m->cubin->path, tl_merging_text(m, input->name), NULL, TL_NO_OFFSET};
  if (code && input->info >> COUNT_SHIFT && tl_module_find_section(m->module, input->name) == TL_NONE &&
      !tl_merging_holds_function(m, index))
    tl_diagnostics_add(m->module->diagnostics, tl_message_row_of(TL_MESSAGE_NOT_MAPPED), site, NULL);
}

/* L1685: the text of a kernel whose parameters name a section that is no text: the name says whose they are. */
static uint32_t objects_text_of_bank(const tl_merging *m, const tl_cubin_section *input) {
  static const char prefix[] = ".nv.constant0.";
  tl_module *const module = m->module;
  if (input->type != SHT_CUDA_CONSTANT0 || !module->mode->final || module->capsule ||
      !objects_starts_with(m, input->name, prefix))
    return TL_NONE;
  const char *const function = tl_merging_text(m, input->name) + sizeof prefix - 1;
  const uint32_t name = tl_names_find(module->names, function, strlen(function));
  const uint32_t known = name == TL_NONE ? TL_NONE : module->symbol_of_name[name];
  const bool entry = known != TL_NONE && tl_symbol_is_entry(&module->symbols.items[known]);
  const uint32_t text = entry ? module->symbols.items[known].section : TL_NONE;
  const bool owned = text != TL_NONE && module->sections.items[text].owner != TL_NONE; /* else an object has the name */
  return owned ? text : TL_NONE;
}

/* L1684: parameters that name the compiler constants of a function that is no kernel, which go where they were copied. */
static bool objects_bank_names_copied(const tl_merging *m, const tl_cubin_section *input) {
  const bool bank = input->type == SHT_CUDA_CONSTANT0 && m->module->mode->final && !m->module->capsule;
  return bank && input->info < m->cubin->section_count && m->section_map[input->info] == TL_NONE &&
         m->cubin->sections[input->info].type == SHT_CUDA_CONSTANT0 + 2 &&
         (m->section_state[input->info] & (TL_SECTION_DONE | TL_SECTION_DEAD | TL_SECTION_LOST)) == TL_SECTION_DONE;
}

/* What sh_info names, where it counts (L190, L1302). */
static uint32_t objects_named_text(const tl_merging *m, const tl_cubin_section *input) {
  const bool strange = input->type == SHT_CUDA_SHARED && !objects_starts_with(m, input->name, ".nv.shared.");
  const bool leads = input->flags & SHF_INFO_LINK || input->type == SHT_CUDA_CONSTANT0 ||
                     input->type == SHT_CUDA_SHARED || input->type == SHT_CUDA_CONSTANT0 + 2;
  return input->info && leads && !strange ? objects_owner_text(m, input) : TL_NONE;
}

/* The header of a section that has just been made. */
static void objects_settle_new(const tl_merging *m, uint32_t index, uint32_t out, bool owned) {
  const tl_cubin_section *const input = &m->cubin->sections[index];
  tl_section *const section = &m->module->sections.items[out];
  const bool anew = out == m->module->debug_shared || (owned && objects_is_made_anew(m, input)); /* L592, L1172 */
  section->link = anew ? 0 : input->link;                                                        /* L189 */
  if (input->type == SHT_CUDA_LOCAL && !owned)                                                   /* L951 */
    section->about = objects_owner_text(m, input);
  else if (!owned && input->info && (input->type != SHT_CUDA_SHARED || out == m->module->foreign_shared)) /* L1582 */
    section->leads = objects_owner_text(m, input);
}

/* L1638: constants of another bank of a body that lost, in a relocatable output that has a kernel's parameters of their name. */
static bool objects_joins_bank(const tl_merging *m, uint32_t index, uint32_t same) {
  const tl_module *const module = m->module;
  const uint32_t type = m->cubin->sections[index].type;
  return same != TL_NONE && !module->capsule && !module->mode->final && m->section_state[index] & TL_SECTION_LOST &&
         tl_section_type_is_constant(type) && type != SHT_CUDA_CONSTANT0 && type != SHT_CUDA_CONSTANT0 + 2 &&
         module->sections.items[same].type == SHT_CUDA_CONSTANT0;
}

static uint32_t objects_join_bank(tl_merging *m, uint32_t index, uint32_t bank) {
  const tl_cubin_section *const input = &m->cubin->sections[index];
  m->section_offset[index] = tl_module_append(m->module, bank, input->data, input->size, input->align, m->file, index);
  return m->section_map[index] = bank;
}

uint32_t tl_merge_place_section(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const uint32_t placed = m->section_map[index];
  const bool beside = placed != TL_NONE && placed == module->foreign_shared && !m->foreign && !m->objects_done;
  if (beside) /* L1588: the pool is another section */
    return objects_named_section(m, index);
  if (placed != TL_NONE)
    return placed;
  objects_check_code(m, index);
  tl_merge_check_shape(m, index);
  const uint32_t named = objects_named_text(m, input);
  const bool own = named != TL_NONE && module->sections.items[named].owner != TL_NONE; /* L176 */
  const uint32_t other = named == TL_NONE || own ? TL_NONE : objects_text_of_bank(m, input);
  const uint32_t text = other == TL_NONE ? named : other;
  const bool owned = own || other != TL_NONE;
  module->deleted_section |= objects_bank_names_copied(m, input);
  const uint32_t known = (uint32_t)module->sections.count, same = tl_module_find_section(module, input->name);
  const bool joins = owned && objects_is_bank(input) && same != TL_NONE && tl_merge_is_first_table(module, same);
  if (joins)
    return objects_join_table(m, index, same);
  if (objects_joins_bank(m, index, same))
    return objects_join_bank(m, index, same);
  if (owned && same != TL_NONE && module->sections.items[same].type != input->type)
    return objects_refuse_type(m, index, same);
  if (owned && objects_shares_bank(m, input, text, same)) {
    module->sections.items[text].constant0 = same;
    if (!objects_is_of_weak_body(m, input)) /* L1148 */
      m->section_offset[index] = tl_module_append(module, same, input->data, input->size, input->align, m->file, index);
    return m->section_map[index] = same;
  }
  const uint32_t out = owned ? objects_owned_section(m, index, text) : objects_named_section(m, index);
  tl_section *const section = &module->sections.items[out];
  if (out >= known)
    objects_settle_new(m, index, out, owned);
  if (out >= known && other != TL_NONE)
    section->leads = named;
  if (section->type != input->type && !objects_is_table(m, input->type, input->name)) /* that is said already */
    return objects_refuse_type(m, index, out);
  const bool bank = owned && input->type == SHT_CUDA_CONSTANT0, again = bank && section->blocks;
  if (again && !module->capsule && !objects_is_of_strong_body(m, input)) { /* as it is (L1165) */
    m->section_offset[index] = 0;
    return objects_take_section(m, index, out);
  }
  if (bank && (module->capsule || (again && objects_has_one_bank(m, input)))) { /* reused (W8.2) */
    section->pieces.count = 0;
    section->size = 0;
  }
  const uint8_t *const data = tl_section_type_is_empty(input->type) ? NULL : input->data;
  const uint64_t align = input->type == SHT_CUDA_SHARED && !m->foreign ? 1 : input->align;
  const bool constants = owned && input->type == SHT_CUDA_CONSTANT0 + 2;
  const uint64_t size = constants ? tl_merge_covered_of_bank(m, index) : input->size;
  const uint64_t offset = objects_append(m, out, index, data, size, align);
  m->section_offset[index] = input->type == SHT_CUDA_SHARED && !m->foreign ? 0 : offset; /* L1661 */
  objects_take_section(m, index, out);
  module->unified_functions |= input->type == SHT_CUDA_UFT_ENTRY;
  if (objects_is_unified_data(m, input))
    module->unified_data = out;
  return out;
}

/* Sizes are compared but for two commons, and a common and an initialised definition, where E28 decides (L156). A mention
 * of an array of unknown length fits every size (L71); a definition or common symbol of no size does not (L165). */
static bool objects_sizes_clash(const tl_merging *m, const tl_cubin_symbol *s, const tl_symbol *known) {
  const bool placed = known->external_shared && s->section == TL_SECTION_COMMON; /* L752 */
  const bool unknown =
      (!s->size && s->section == SHN_UNDEF) || (!known->size && known->section == TL_NONE && !known->common && !placed);
  if (unknown || s->size == known->size)
    return false;
  if (s->section == TL_SECTION_COMMON)
    return (!known->common || known->zeros_too) &&
           (known->section == TL_NONE || m->module->sections.items[known->section].type != SHT_CUDA_GLOBAL_INIT);
  return !known->common || s->section == SHN_UNDEF || m->cubin->sections[s->section].type != SHT_CUDA_GLOBAL_INIT;
}

/* E22-E24 and the E21 that goes with them; true when something was reported. */
static bool objects_check_known(tl_merging *m, const tl_cubin_symbol *s, const tl_symbol *known) {
  const unsigned type = tl_type_of(known), incoming = tl_symbol_type(s);
  const unsigned errors = m->module->diagnostics->errors;
  if (tl_type_is_texture(type)) { /* B11 */
    const bool object = incoming == STT_OBJECT || incoming == STT_CUDA_OBJECT;
    const bool placed = known->section != TL_NONE, hidden = tl_symbol_binding(s) == STB_LOCAL; /* L159, L1714 */
    const bool weak = tl_symbol_binding(s) == STB_WEAK;                                        /* L632 */
    if (object && s->other & STO_SPACE_MASK)
      objects_report(m, TL_MESSAGE_SPACE_MISMATCH, s, &(tl_symbol){.mention = TL_NONE});
    else if (!object && (incoming != type || weak || hidden != placed))
      objects_report(m, TL_MESSAGE_MULTIPLE_DEFINITION, s, &(tl_symbol){.mention = TL_NONE});
    return m->module->diagnostics->errors > errors;
  }
  if (incoming != STT_OBJECT && incoming != STT_CUDA_OBJECT) {
    objects_report(m, TL_MESSAGE_MULTIPLE_DEFINITION, s, known); /* a texture where an object was (B11) */
    return true;
  }
  if ((s->other ^ known->other) & STO_SPACE_MASK)
    objects_report(m, TL_MESSAGE_SPACE_MISMATCH, s, known);
  if ((s->other ^ known->other) & STO_MANAGED)
    objects_report(m, TL_MESSAGE_MANAGED_MISMATCH, s, known);
  const bool common = s->section == TL_SECTION_COMMON;
  if (objects_sizes_clash(m, s, known))
    objects_report(m, TL_MESSAGE_SIZE_MISMATCH, s, known);
  const bool reported = m->module->diagnostics->errors > errors;
  const bool both_strong = tl_binding_of(known) == STB_GLOBAL && tl_symbol_binding(s) == STB_GLOBAL;
  const bool beside_bss =
      common && (known->zeros_too ||
                 (known->section != TL_NONE && m->module->sections.items[known->section].type != SHT_CUDA_GLOBAL_INIT));
  const bool defined = known->section != TL_NONE || known->zeros_too || known->external_shared; /* L752 */
  if (s->section && defined && both_strong && (reported || beside_bss || known->reported))
    objects_report(m, TL_MESSAGE_MULTIPLE_DEFINITION, s, known);
  return m->module->diagnostics->errors > errors;
}

/* L1713: a definition that is reported is the variable's all the same, for what the file says of it later. */
static void objects_take_reported(const tl_cubin_symbol *s, tl_symbol *known) {
  const unsigned incoming = tl_symbol_type(s);
  const bool object = incoming == STT_OBJECT || incoming == STT_CUDA_OBJECT;
  const bool defined = known->section != TL_NONE || known->zeros_too || known->external_shared;
  const bool wins = !defined || (tl_binding_of(known) == STB_WEAK && tl_symbol_binding(s) == STB_GLOBAL);
  if (!object || tl_type_is_texture(tl_type_of(known)) || s->section == SHN_UNDEF || s->section == TL_SECTION_COMMON ||
      !wins)
    return;
  const uint8_t kept = (s->other ^ known->other) & STO_SPACE_MASK ? 0 : STO_MANAGED; /* L1699 */
  known->reported = true;
  known->size = s->size;
  known->other = (uint8_t)((s->other & ~kept) | (known->other & kept));
  known->info = (uint8_t)((s->info & 0xf0) | (known->info & 0x0f));
  known->zeros_too = true; /* it counts as defined */
}

static uint32_t objects_new_symbol(tl_merging *m, const tl_cubin_symbol *s, uint8_t info) {
  const bool sizeless = objects_is_texture(s); /* L587, L1840 */
  const tl_symbol symbol = {.name = s->name,
                            .info = info,
                            .other = s->other,
                            .section = TL_NONE,
                            .value = s->value,
                            .size = sizeless ? 0 : s->size,
                            .function = TL_NONE,
                            .block = TL_NONE,
                            .mention = m->file,
                            .unlisted = tl_merging_is_unlisted(m, s)};
  const uint32_t out = tl_module_new_symbol(m->module, &symbol);
  m->module->has_surface |= tl_symbol_type(s) == STT_CUDA_SURFACE;
  if (info >> 4 != STB_LOCAL)
    m->module->symbol_of_name[s->name] = out;
  else if (objects_is_texture(s))
    tl_map_set(&m->module->local_textures, s->name, out);
  return out;
}

/* W3.7, V10. The binding is that of the first mention or definition of the name (L1400). */
static void objects_pass_common(tl_merging *m, uint32_t index, uint32_t known) {
  static const uint64_t nowhere = UINT64_MAX - 1; /* until it is laid out (L1894) */
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  if (objects_is_texture(s))
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE, "st_shndx of a texture is COMMON (L193)");
  if ((s->other & STO_SPACE_MASK) == STO_RESERVED_SHARED)
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE,
                     "st_other of a common symbol is that of reserved memory (L468)");
  if (known == TL_NONE) {
    const uint32_t out = objects_new_symbol(m, s, s->info);
    module->symbols.items[out].common = true;
    module->symbols.items[out].align = s->value;
    module->symbols.items[out].value = nowhere;
    tl_u32_push(module->arena, &module->commons, out);
    tl_module_list_symbol(module, out, true);
    m->symbol_map[index] = out;
    return;
  }
  tl_symbol *const symbol = &module->symbols.items[known];
  m->symbol_map[index] = known;
  const bool weak_zeros = symbol->section != TL_NONE && tl_binding_of(symbol) == STB_WEAK &&
                          module->sections.items[symbol->section].type == SHT_CUDA_GLOBAL;
  if (symbol->common) {
    if (s->size > symbol->size) {
      tl_trace(module->diagnostics, TL_TRACE_LARGER_COMMON, tl_merging_text(m, s->name));
      symbol->size = s->size;
      symbol->mention = m->file; /* what messages name first (L156) */
    }
    if (!tl_defect_matched(module->options, TL_DEFECT_D9) && s->value > symbol->align && (uint32_t)symbol->align) {
      symbol->align = s->value;
      tl_defect_note(module->diagnostics, TL_DEFECT_D9, tl_merging_text(m, s->name));
    }
  } else if (symbol->section == TL_NONE || weak_zeros) { /* the weak one's bytes stay (V10), and its value (L1934) */
    symbol->value = symbol->section == TL_NONE ? nowhere : symbol->value;
    symbol->common = true;
    symbol->section = TL_NONE;
    tl_u32_push(module->arena, &module->commons, known);
    symbol->align = s->value;
    symbol->size = s->size;
    symbol->mention = m->file;
  } else if (s->size > symbol->size) {
    const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, s->name), TL_NO_OFFSET};
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_COMMON_LARGER), site, NULL,
                       tl_merging_text(m, s->name), m->cubin->path);
  }
}

/* A shared object's st_value is its alignment, of which the low 32 bits count (L467). */
static uint64_t objects_shared_align(const tl_cubin_symbol *s) {
  return (uint32_t)s->value;
}

static bool objects_is_bare_pool(const tl_merging *m, uint32_t index) {
  const tl_cubin_section *const input = tl_cubin_section_at(m->cubin, index);
  return m->cubin->type == ET_EWP && input->type == SHT_CUDA_SHARED &&
         strcmp(tl_merging_text(m, input->name), ".nv_debug.shared") == 0;
}

/* L1669: what is called as a kernel's shared memory and is about no text, or about one of no function. */
static bool objects_is_about_no_function(const tl_merging *m, const tl_cubin_section *section) {
  const uint32_t text = section->info ? objects_owner_text(m, section) : TL_NONE;
  const uint8_t state = section->info < m->cubin->section_count ? m->section_state[section->info] : 0;
  return text == TL_NONE ? !(state & (TL_SECTION_DEAD | TL_SECTION_LOST))
                         : m->module->sections.items[text].owner == TL_NONE;
}

/* Whose objects have their places in it, and no alignment (L746), whatever it is called (L1930). */
static bool objects_is_bare(const tl_merging *m, uint32_t index) {
  const tl_cubin_section *const input = tl_cubin_section_at(m->cubin, index);
  return objects_is_bare_pool(m, index) ||
         (m->cubin->type == ET_EWP && input->type == SHT_CUDA_SHARED &&
          (!objects_starts_with(m, input->name, ".nv.shared.") || objects_is_about_no_function(m, input)));
}

/* Those in the kernels of such an object, too (L1011). */
static bool objects_is_laid(const tl_merging *m, uint32_t index) {
  const tl_cubin_section *const input = tl_cubin_section_at(m->cubin, index);
  return m->cubin->type == ET_EWP && input->type == SHT_CUDA_SHARED && input->info &&
         objects_starts_with(m, input->name, ".nv.shared.");
}

/* W3.2: an undefined extern shared symbol creates .nv_debug.shared. */
static uint32_t objects_need_debug_shared(tl_merging *m) {
  tl_module *const module = m->module;
  if (module->debug_shared != TL_NONE)
    return module->debug_shared;
  tl_names *const names = module->names;
  module->debug_shared = tl_module_add_section(module, tl_names_intern(names, ".nv_debug.shared", 16), SHT_CUDA_SHARED,
                                               SHF_WRITE | SHF_ALLOC, 16, 0);
  tl_module_add_section_symbol(module, module->debug_shared);
  return module->debug_shared;
}

/* L469: shared memory of dead code whose symbol an executable would have. */
static void objects_check_hidden(const tl_merging *m, const tl_cubin_symbol *s) {
  tl_module *const module = m->module;
  const bool shared = (s->other & STO_SPACE_MASK) == STO_SHARED && !module->keeps_shared;
  if (!shared || !tl_module_lists_shared(module, s->other))
    return;
  if (tl_defect_matched(module->options, TL_DEFECT_D112))
    module->deleted_section = true;
  else
    tl_defect_note(module->diagnostics, TL_DEFECT_D112, tl_merging_text(m, s->name));
}

/* The .nv.shared.K of a kernel that is dropped leaves its name in both string tables (W2.1). */
static void objects_name_dead_shared(tl_merging *m, uint32_t section) {
  const tl_cubin_section *const input = &m->cubin->sections[section];
  if (input->type != SHT_CUDA_SHARED || m->section_state[section] & TL_SECTION_DONE)
    return;
  m->section_state[section] |= TL_SECTION_DONE;
  tl_module_add_section_name(m->module, input->name);
  *tl_vector_push(m->module->arena, &m->module->strings) = (tl_string_event){input->name, TL_NONE};
}

/* W3.2; L950: what lies in a section, without a size, is extern shared memory, too, and that section's. The section has its
 * alignment; of what has none nvlink makes 16, or ends (L1083). That of a dead kernel leaves its name alone (L1164). */
static uint32_t objects_place_external(tl_merging *m, uint32_t section, uint64_t align) {
  m->module->has_external_shared = true;
  if (m->section_state[section] & TL_SECTION_DEAD) { /* L1164 */
    objects_name_dead_shared(m, section);
    return 0;
  }
  const bool stands = section != SHN_UNDEF && !(m->section_state[section] & TL_SECTION_LOST);
  const bool foreign = stands && m->cubin->sections[section].type != SHT_CUDA_SHARED; /* L1653 */
  const bool none = m->module->debug_shared == TL_NONE;
  const bool lies = stands && !foreign && !objects_is_bare(m, section);
  const uint32_t out = lies ? tl_merge_place_section(m, section) : objects_need_debug_shared(m);
  if (foreign && m->section_map[section] == TL_NONE)
    m->section_map[section] = out;
  const bool own = out != m->module->debug_shared;
  m->module->external_pool |= none && !own; /* L1703 */
  m->module->sections.items[out].external_lies |= own;
  m->module->sections.items[out].external_alone |= own && !align;
  return out;
}

/* An undefined extern object's st_value counts in D of W9.8, at the first mention of its name alone (L441, L1086), but an
 * `externsharedinstance` says where it begins (D59). */
static void objects_count_external(tl_merging *m, const tl_cubin_symbol *s, uint64_t align) {
  const bool instance = (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
  if (s->section == SHN_UNDEF && (!instance || tl_defect_matched(m->module->options, TL_DEFECT_D59)))
    m->module->debug_shared_align = tl_larger(align, m->module->debug_shared_align);
}

/* L26, L183, L840: nobody knows where an undefined object lies. One that the driver provides lies at 0, but for what says
 * how much of shared memory is reserved from sm_90 on, and from sm_100 on where its first part begins; on Mercury's side all
 * lie at 0 (L1277). */
static void objects_place_undefined(const tl_module *module, uint32_t out, bool provided) {
  enum { FIRST = 0x40, RESERVED = 0x400 };
  tl_symbol *const symbol = &module->symbols.items[out];
  const char *const text = tl_module_text(module, symbol->name);
  const bool cap = module->arch >= 90 && strcmp(text, ".nv.reservedSmem.cap") == 0,
             offset = module->arch >= 100 && strcmp(text, ".nv.reservedSmem.offset0") == 0;
  if (!provided)
    symbol->value = UINT64_MAX;
  else if (module->view == TL_VIEW_MERCURY)
    symbol->value = 0;
  else
    symbol->value = cap ? RESERVED : offset ? FIRST : 0;
}

/* First mention of a symbol without definition in this file; an extern shared one has size 0 (W3.11). */
static void objects_pass_undefined(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const bool lies = tl_merging_lies(s) && tl_symbol_type(s) == STT_OBJECT; /* L1653 */
  const bool object = tl_symbol_type(s) == STT_CUDA_OBJECT || lies;
  const bool nowhere = object && tl_symbol_binding(s) == STB_LOCAL && s->section == SHN_UNDEF && s->size; /* L965 */
  const bool space = object && (s->other & STO_SPACE_MASK) == STO_SHARED;                                 /* L840 */
  const bool shared = space && !nowhere;
  const bool weak = tl_symbol_binding(s) == STB_WEAK;
  if (!object && module->symbol_of_name[s->name] != TL_NONE) /* only a local one comes here (L160) */
    objects_fail(m, s, TL_MESSAGE_SAME_NAME);
  const uint32_t out = objects_new_symbol(m, s,
                                          lies     ? (uint8_t)((s->info & 0xf0) | STT_CUDA_OBJECT)
                                          : object ? s->info
                                                   : (uint8_t)(STB_GLOBAL << 4 | tl_symbol_type(s))); /* L160 */
  if (!object) {
    module->symbol_of_name[s->name] = out;
    if (objects_is_texture(s)) /* L536: always visible */
      module->symbols.items[out].unlisted = false;
    if (objects_is_texture(s) || (s->other & STO_VISIBILITY_MASK) == STV_HIDDEN) /* L1140 */
      module->symbols.items[out].other &= (uint8_t)~STO_VISIBILITY_MASK;
  }
  const bool keeps =
      space && nowhere && !module->mode->final && !tl_defect_matched(module->options, TL_DEFECT_D1); /* D57 */
  if (!shared && !keeps)
    objects_place_undefined(module, out, !object);
  m->symbol_map[index] = out;
  module->symbols.items[out].weak_mention = weak;
  if (shared) {
    const bool external = s->size == 0;
    const uint64_t align = objects_shared_align(s);
    tl_symbol *const symbol = &module->symbols.items[out];
    symbol->shared = true;
    symbol->external_shared = external;
    symbol->bare_shared = external && objects_is_bare(m, s->section);
    const bool laid = external && s->section != SHN_UNDEF && objects_is_laid(m, s->section); /* L1379 */
    symbol->laid_shared = laid;
    symbol->value = align; /* L1621 */
    if (laid || (symbol->bare_shared && !module->mode->final))
      symbol->value = module->mode->final ? s->value : 1;
    symbol->shared_places = 1;
    symbol->input_value = s->value;
    symbol->align = external && s->section == SHN_UNDEF ? tl_larger(align, 16) : align; /* RF248 */
    if (symbol->bare_shared || laid)                                                    /* L1062 */
      symbol->align = 1;
    symbol->first_align = align;
    symbol->shared_place = (uint32_t)module->shared_objects.count;
    tl_u32_push(module->arena, &module->shared_objects, out);
    if (external) {
      objects_count_external(m, s, align);
      const uint32_t section = objects_place_external(m, s->section, align);
      module->symbols.items[out].extern_section = section;
    }
  }
  const bool stays = weak && s->size; /* where nothing defines it (L631) */
  const bool dead = m->section_state[s->section] & TL_SECTION_DEAD;
  if (dead)
    objects_check_hidden(m, s);
  tl_module_list_symbol(module, out, !shared || stays || (!dead && tl_module_lists_shared(module, s->other)));
}

/* A relocatable output has its extern shared memory in .nv_debug.shared, and nvlink takes that for a definition where an
 * earlier file has the name (D87). */
static void objects_pass_mention(tl_merging *m, uint32_t index, uint32_t known) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  tl_symbol *const symbol = &m->module->symbols.items[known];
  m->symbol_map[index] = known;
  symbol->weak_mention &= tl_symbol_binding(s) == STB_WEAK || tl_binding_of(symbol) == STB_WEAK; /* L631 */
  if (s->section == SHN_UNDEF || tl_symbol_binding(s) != STB_GLOBAL || tl_binding_of(symbol) != STB_GLOBAL)
    return;
  if (tl_defect_matched(m->module->options, TL_DEFECT_D87))
    objects_report(m, TL_MESSAGE_MULTIPLE_DEFINITION, s, symbol);
  else
    tl_defect_note(m->module->diagnostics, TL_DEFECT_D87, tl_merging_text(m, s->name));
}

/* W17.7: beside a record of applied relocations the symbols of a kernel that it names stay. */
static void objects_list_internal(tl_merging *m, uint32_t symbol) {
  if (!m->module->mode->records_applied)
    return;
  m->module->symbols.items[symbol].unlisted = false;
  tl_module_list_symbol(m->module, symbol, true);
}

/* L1460: of an object of compiler constants no bit but its space and its visibility comes into the output. */
static uint8_t objects_other(const tl_merging *m, const tl_cubin_symbol *s) {
  const bool internal = (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
  const bool constant = (s->other & STO_SPACE_MASK) == STO_CONSTANT;
  const bool bank = m->cubin->sections[s->section].type == SHT_CUDA_CONSTANT0 + 2;
  return internal && constant && bank ? STO_CONSTANT | STV_INTERNAL : s->other;
}

/* Compiler constants and parameters (STV_INTERNAL, F58): a kernel's own section is placed, a device function's becomes a
 * block that layout copies into the kernels (W10.2). Symbols of this kind never reach an executable. */
static void objects_pass_internal(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  if (input->type == SHT_CUDA_CONSTANT0) {
    const uint32_t section = tl_merge_place_section(m, s->section);
    const uint32_t parameter = objects_new_symbol(m, s, s->info);
    m->module->symbols.items[parameter].unlisted = true;
    m->module->symbols.items[parameter].section = section;
    m->module->symbols.items[parameter].value = s->value + m->section_offset[s->section];
    objects_list_internal(m, parameter);
    m->symbol_map[index] = parameter; /* an entry that is kept against it is E69 (L163) */
    return;
  }
  const uint32_t by = tl_module_owner(module, tl_merging_section(m, input->info));
  if (by == TL_NONE)
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, s->section, TL_NO_OFFSET,
                     "sh_info names no function's text");
  tl_merge_check_shape(m, s->section);
  if (s->value > UINT32_MAX)
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE, "st_value of a compiler constant is too large");
  const bool kernel = module->symbols.items[by].other & STO_ENTRY;
  const uint32_t function = module->symbols.items[by].function;
  if (!(m->section_state[s->section] & TL_SECTION_DONE)) {
    m->section_state[s->section] |= TL_SECTION_DONE;
    if (kernel)
      tl_merge_place_section(m, s->section);
    else
      tl_merge_define_constants(m, s->section, function);
  }
  tl_merge_note_constant(m, index);
  const uint32_t out = objects_new_symbol(m, s, s->info);
  tl_symbol *const symbol = &module->symbols.items[out];
  symbol->unlisted = true;
  symbol->other = objects_other(m, s); /* L1841 */
  symbol->align = tl_merge_constant_align(m->cubin, s);
  if (kernel) {
    symbol->section = m->section_map[s->section];
    objects_list_internal(m, out);
  } else {
    symbol->block = module->block_of_function[function];
  }
  m->symbol_map[index] = out;
  tl_merge_remember_constant(m, index);
}

/* A losing duplicate: its block is not placed by this symbol (W3.8), entries inside a weak loser vanish (W8.5). */
static void objects_pass_loser(tl_merging *m, uint32_t index, uint32_t known) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const tl_symbol *const symbol = &m->module->symbols.items[known];
  m->symbol_map[index] = known;
  m->symbol_lost[index] = true;
  if (tl_symbol_binding(s) == STB_WEAK)
    tl_trace(m->module->diagnostics, TL_TRACE_WEAK_PROCESSED, tl_merging_text(m, s->name));
  if (tl_binding_of(symbol) == STB_GLOBAL && tl_symbol_binding(s) == STB_GLOBAL)
    objects_report(m, TL_MESSAGE_MULTIPLE_DEFINITION, s, symbol);
  const bool address = (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL; /* L252 */
  if (tl_binding_of(symbol) == STB_WEAK && tl_symbol_binding(s) == STB_WEAK && s->size && !address)
    *tl_vector_push(m->module->arena, &m->lost_ranges) = (tl_lost_range){s->section, s->value, s->value + s->size};
}

/* L1591. The place of the object there. */
static uint64_t objects_hold(tl_module *module, uint32_t section, uint64_t size, uint64_t align) {
  static const uint64_t largest = (uint64_t)1 << 48;
  tl_section *const shared = &module->sections.items[section];
  const uint64_t place = tl_align(shared->held, tl_larger(align, 1));
  shared->held = place < largest && size < largest ? place + size : largest;
  return place;
}

/* W3.11, W9.12: the definition counts for alignment and for the place in the pool. An object that an earlier file
 * mentioned without a size is never laid out by nvlink, whatever defines it later (D82). One that a strong definition takes from a weak one keeps its
 * first place and gets a second, which counts (L87). */
static void objects_define_shared(tl_module *module, uint32_t known, uint64_t align, bool was_defined) {
  tl_symbol *const symbol = &module->symbols.items[known];
  const bool final = module->mode->final;
  const bool lost = final && symbol->external_shared && tl_defect_matched(module->options, TL_DEFECT_D82);
  if (final && symbol->external_shared && !lost)
    tl_defect_note(module->diagnostics, TL_DEFECT_D82, tl_module_text(module, symbol->name));
  symbol->unsized |= !final && symbol->external_shared;
  if (!symbol->unsized)
    symbol->first_align = was_defined ? symbol->align : 0; /* L264 */
  symbol->align = align;
  symbol->external_shared = false;
  symbol->shared_places += was_defined || lost;
  if (symbol->misplaced) /* by a definition before, so that it is extern no longer */
    return;
  symbol->misplaced = lost;
  symbol->shared = !lost;
  if (!was_defined && !lost) /* else it is sorted with the others at both places (L748) */
    module->shared_objects.items[symbol->shared_place] = TL_NONE; /* tl_merge_finish closes the gap */
  tl_u32_push(module->arena, &module->shared_objects, known);
}

/* The definition of a symbol that an earlier file mentioned, declared common or defined weakly. */
static void objects_define_known(tl_merging *m, uint32_t index, uint32_t known, uint32_t section) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  tl_symbol *const symbol = &module->symbols.items[known];
  const bool init = module->sections.items[section].type != SHT_CUDA_GLOBAL;
  m->symbol_map[index] = known;
  if (symbol->common && init && s->size < symbol->size) {
    const tl_site site = {m->cubin->path, NULL, tl_merging_text(m, s->name), TL_NO_OFFSET};
    tl_diagnostics_add(module->diagnostics, tl_message_row_of(TL_MESSAGE_COMMON_LARGER), site, NULL,
                       tl_merging_text(m, s->name), objects_mention_path(m, symbol));
  }
  if (symbol->common && !init && !symbol->weak_initialised) { /* W3.12: stays common, the block stays as dead bytes */
    symbol->zeros_too = true;
    symbol->info = s->info; /* where a weak one was common too (L438) */
    symbol->plain = s->plain;
    return;
  }
  if (symbol->common && init) {
    tl_trace(module->diagnostics, TL_TRACE_INIT_OVER_COMMON, tl_merging_text(m, s->name));
    symbol->mention = m->file; /* L156 */
  }
  const bool was_defined = symbol->section != TL_NONE;
  const bool constant =
      was_defined && tl_section_type_is_constant(module->sections.items[symbol->section].type); /* L149 */
  if (was_defined && !constant)
    symbol->constant_cutoff = (uint32_t)module->relocations.count;
  symbol->common = false;
  symbol->section = section;
  symbol->value = s->value + m->section_offset[s->section];
  symbol->size = s->size;
  symbol->info = s->info; /* also the weak binding over an earlier mention's (L61) */
  symbol->plain = s->plain;
  if (!symbol->shared && !symbol->misplaced)
    return;
  symbol->other = s->other;                  /* L1880: else the first mention's stays (W4.6) */
  objects_hold(module, section, s->size, 1); /* L1660 */
  objects_define_shared(module, known, objects_shared_align(s), was_defined);
}

/* L913: a local symbol in its kernel's text (L112), whose own value nobody reads. */
/* L1715: a texture that lies in a text, or in a section about one, is a local symbol of the text; any other is only mentioned. */
static uint32_t objects_text_of_texture(const tl_merging *m, const tl_cubin_symbol *s) {
  const uint32_t out = objects_is_texture(s) && tl_merging_lies(s) ? m->section_map[s->section] : TL_NONE;
  if (out == TL_NONE || m->cubin->sections[s->section].flags & SHF_EXECINSTR)
    return out;
  return m->module->sections.items[out].about;
}

static const char whole_prefix[] = "$__shared$";

/* L832, L1031, L1060: what in a relocatable output stands for all that ptxas laid out in a kernel. */
static bool objects_is_whole(const tl_merging *m, uint32_t index) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  if (!m->bodies[index].laid || input->type != SHT_CUDA_SHARED || !input->info ||
      !objects_starts_with(m, s->name, whole_prefix))
    return false;
  const uint32_t primary = tl_cubin_primary(m->cubin, input->info);
  return primary < m->cubin->symbol_count && strcmp(tl_merging_text(m, s->name) + sizeof whole_prefix - 1,
                                                    tl_merging_text(m, m->cubin->symbols[primary].name)) == 0;
}

/* In an executable it is no symbol: what the -ewp objects themselves would give the kernel is laid out. */
static void objects_add_whole(const tl_merging *m, uint32_t index, uint32_t section) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const uint32_t laid = m->bodies[index].laid_place;
  *tl_vector_push(module->arena, &module->partial_objects) =
      (tl_partial_object){.text = module->sections.items[section].about,
                          .symbols = (uint32_t)module->symbols.count,
                          .laid = laid,
                          .size = s->size,
                          .align = objects_shared_align(s),
                          .counts = !laid || !module->extern_by_name};
}

/* L1061: extern shared memory of -ewp objects, as a relocatable output says that its kernels have it. */
static void objects_take_alone(tl_merging *m, uint32_t index, uint32_t align) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  if (!align || input->type != SHT_CUDA_SHARED || !input->info || m->section_state[index] & TL_SECTION_DEAD)
    return;
  const uint32_t text = objects_owner_text(m, input), owner = tl_module_owner(module, text);
  if (owner == TL_NONE)
    return;
  if (module->sections.items[text].shared == TL_NONE)
    objects_owned_section(m, index, text);
  if (module->sections.items[text].shared == TL_NONE)
    return;
  module->sections.items[module->sections.items[text].shared].external_alone = true;
  *tl_vector_push(module->arena, &module->partial_objects) =
      (tl_partial_object){.text = text, .symbols = (uint32_t)module->symbols.count, .align = align, .counts = true};
}

static void objects_take_alone_kernels(tl_merging *m) {
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const section = &m->cubin->sections[s];
    const uint32_t primary =
        section->type == SHT_CUDA_SHARED && section->info ? tl_cubin_primary(m->cubin, section->info) : UINT32_MAX;
    if (primary < m->cubin->symbol_count && m->bodies[primary].alone_align)
      objects_take_alone(m, s, m->bodies[primary].alone_align);
  }
}

/* L1698: compiler constants of a function's text are so without the flag, too. */
static bool objects_names_function(const tl_merging *m, const tl_cubin_section *input) {
  return input->type == SHT_CUDA_CONSTANT0 + 2 && input->info &&
         tl_module_owner(m->module, tl_merging_section(m, input->info)) != TL_NONE;
}

/* What lies among the constants of a kernel or a function and is internal. */
static bool objects_is_internal_constant(const tl_merging *m, const tl_cubin_symbol *s) {
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  return (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL && tl_section_type_is_constant(input->type) &&
         (input->flags & SHF_INFO_LINK || input->type == SHT_CUDA_CONSTANT0 || objects_names_function(m, input));
}

static void objects_define_new(tl_merging *m, uint32_t index, uint32_t section) {
  tl_module *const module = m->module;
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const tl_body *const body = &m->bodies[index];
  const bool whole = module->sections.items[section].about != TL_NONE && objects_is_whole(m, index);
  if (whole && module->mode->final) {
    objects_add_whole(m, index, section);
    objects_take_alone(m, s->section, body->alone_align);
    return;
  }
  const unsigned type = tl_symbol_type(s) == STT_OBJECT ? STT_CUDA_OBJECT : tl_symbol_type(s); /* L1366 */
  const uint32_t text = objects_text_of_texture(m, s);
  const bool constant = m->cubin->sections[s->section].type != SHT_CUDA_CONSTANT0; /* a parameter stays as it is */
  const bool local = text != TL_NONE || (constant && objects_is_internal_constant(m, s)); /* L1655 */
  const unsigned binding = local ? STB_LOCAL : s->info & 0xf0u;
  const uint32_t out = objects_new_symbol(m, s, (uint8_t)(binding | type));
  tl_symbol *const symbol = &module->symbols.items[out];
  m->symbol_map[index] = out;
  symbol->section = text != TL_NONE ? text : section;
  symbol->other = objects_other(m, s);
  symbol->value = text != TL_NONE ? 0 : s->value + m->section_offset[s->section];
  const bool shared = (s->other & STO_SPACE_MASK) == STO_SHARED;
  if ((s->other & STO_SPACE_MASK) == STO_RESERVED_SHARED)
    symbol->align = objects_shared_align(s);
  else
    symbol->align = tl_merge_constant_align(m->cubin, s);
  tl_merge_remember_constant(m, index);
  if (shared) {
    symbol->shared = true;
    symbol->shared_places = 1;
    symbol->bare_shared = objects_is_bare(m, s->section);
    symbol->laid_shared = objects_is_laid(m, s->section) || (body->laid && !whole);
    symbol->value = symbol->laid_shared ? (body->laid ? body->laid_place : s->value) : symbol->value;
    symbol->whole_shared = whole;
    symbol->whole_laid = whole ? body->laid_place : 0;
    symbol->input_value = objects_shared_align(s);
    symbol->align = symbol->laid_shared || symbol->bare_shared ? 1 : symbol->input_value; /* L1300 */
    tl_u32_push(module->arena, &module->shared_objects, out);
    objects_hold(module, section, s->size, 1); /* L1660 */
  }
  if (!symbol->unlisted)
    tl_module_list_symbol(module, out, !shared || tl_module_lists_shared(module, s->other));
  objects_take_alone(m, s->section, body->alone_align);
}

/* Sections hold the variables of one space only (L233). What lies in shared memory's is left to L162, and what kinds of
 * sections there may be for no space at all is not known. */
static bool objects_lies_in_its_space(const tl_merging *m, const tl_cubin_symbol *s) {
  const tl_cubin_section *const section = &m->cubin->sections[s->section];
  const bool constant = tl_section_type_is_constant(section->type);
  const bool code = section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR;
  const unsigned space = s->other & STO_SPACE_MASK;
  if (objects_is_texture(s) || section->type == SHT_CUDA_SHARED)
    return true;
  if (section->brought)
    return space != STO_SHARED && space != STO_RESERVED_SHARED;
  switch (space) {
  case STO_SHARED:
    return false;
  case STO_GLOBAL:
    return section->type == SHT_NOBITS || section->type == SHT_CUDA_GLOBAL || section->type == SHT_CUDA_GLOBAL_INIT ||
           (section->type >= SHT_CUDA_UFT_REL && section->type <= SHT_CUDA_UDT_ENTRY);
  case STO_CONSTANT:
    return constant || section->type == SHT_CUDA_OPTIMIZER_CONSTANT; /* RF302 */
  case STO_RESERVED_SHARED:
    return section->type == SHT_CUDA_RESERVED_SHARED;
  default:
    return !constant && !code;
  }
}

static void objects_check_space(const tl_merging *m, uint32_t index) {
  if (!objects_lies_in_its_space(m, &m->cubin->symbols[index]))
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE, "st_shndx of a variable is no section of its memory space");
}

/* L436: the name is common no longer, and nvlink crashes later on where nothing strong defines it behind this (D19). */
static void objects_pass_weak_behind_common(tl_merging *m, uint32_t index, uint32_t known) {
  m->symbol_map[index] = known;
  m->symbol_lost[index] = true;
  m->module->symbols.items[known].weak_initialised = true; /* it stays common for what comes behind it (L1894) */
  m->module->symbols.items[known].mention = m->file;       /* what E21 names */
  if (m->module->weak_behind_common.file == TL_NONE)
    m->module->weak_behind_common = (tl_place_of_symbol){m->file, index};
}

/* A section of dead code has a place where it is a text in which a function lies (L1950), or where an object before the symbol
 * lies in it (L1185). */
static bool objects_dead_section_has_place(tl_merging *m, const tl_cubin_symbol *s) {
  const bool holds = m->section_state[s->section] & TL_SECTION_OF_DEAD;
  return (holds && m->cubin->sections[s->section].flags & SHF_EXECINSTR) ||
         tl_merge_turn(m, s->section) < (uint64_t)(s - m->cubin->symbols);
}

/* A texture's section is one that something before it has placed (L193), of dead code too (L1185); of a body that lost only
 * its text counts, where a kernel's parameters lie (L482). nvlink looks for it before it compares names (L1073). */
static void objects_check_texture_place(tl_merging *m, const tl_cubin_symbol *s) {
  if (!objects_is_texture(s) || s->section == SHN_UNDEF || s->section == TL_SECTION_COMMON)
    return;
  if (m->section_state[s->section] & TL_SECTION_DEAD) {
    if (!objects_dead_section_has_place(m, s))
      objects_fail(m, s, TL_MESSAGE_NOT_MAPPED);
    return;
  }
  const bool lost = m->section_state[s->section] & TL_SECTION_LOST;
  const bool placed =
      m->section_map[s->section] != TL_NONE || m->section_state[s->section] & TL_SECTION_DONE; /* L1678 */
  if (lost ? !(m->cubin->sections[s->section].flags & SHF_EXECINSTR) : !placed)
    objects_fail(m, s, TL_MESSAGE_NOT_MAPPED);
}

/* L1678: a texture among a function's compiler constants is a local symbol of the function's text. nvlink finds it by the
 * number that sh_info is, which is another section's where a file stands before. */
static void objects_pass_texture_of_constants(tl_merging *m, uint32_t index) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const uint32_t text = m->file ? TL_NONE : tl_merging_section(m, m->cubin->sections[s->section].info);
  if (text == TL_NONE)
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE, "a texture lies among compiler constants (L482)");
  const uint32_t out = objects_new_symbol(m, s, (uint8_t)(STB_LOCAL << 4 | tl_symbol_type(s)));
  tl_symbol *const symbol = &m->module->symbols.items[out];
  m->symbol_map[index] = out;
  symbol->section = text;
  symbol->other = objects_other(m, s);
  symbol->value = 0;
  symbol->unlisted = false;
  tl_module_list_symbol(m->module, out, true);
}

/* One record for the objects of a kernel in a file, those with a symbol and the one without (L556, L1011). */
static void objects_add_partial(const tl_merging *m, uint32_t text, const tl_cubin_section *input, uint64_t laid,
                                bool counts) {
  tl_module *const module = m->module;
  *tl_vector_push(module->arena, &module->partial_objects) =
      (tl_partial_object){.text = text,
                          .symbols = (uint32_t)module->symbols.count,
                          .laid = laid,
                          .size = input->size,
                          .align = input->align,
                          .counts = counts};
}

/* L1370: reserved shared memory lies in its own section, though the input has it among what is shared; the digit that ends the name
 * of the input's is the number of the output's (L1964). */
static uint32_t objects_reserved_section(const tl_merging *m, const tl_cubin_symbol *s) {
  static const uint64_t largest_object = (uint64_t)1 << 48;
  tl_module *const module = m->module;
  const char *const from = tl_merging_text(m, m->cubin->sections[s->section].name);
  const char last = *from ? from[strlen(from) - 1] : '0';
  const uint64_t number = last >= '0' && last <= '9' ? (uint64_t)(last - '0') : 0;
  const char *const text = tl_arena_format(module->arena, ".nv.shared.reserved.%u", number);
  const uint32_t name = tl_names_intern(module->names, text, strlen(text));
  uint32_t out = tl_module_find_section(module, name);
  if (out == TL_NONE) {
    out = tl_module_add_section(module, name, SHT_CUDA_RESERVED_SHARED, SHF_WRITE | SHF_ALLOC, 1, 0);
    tl_module_add_section_symbol(module, out);
  }
  tl_section *const section = &module->sections.items[out];
  if (s->size > largest_object || section->size > largest_object)
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, m->cubin->symbol_table, TL_NO_OFFSET,
                     "reserved shared memory is too large");
  section->size += s->size;
  section->align = tl_larger(objects_shared_align(s), section->align);
  return out;
}

/* L746: where there is one, it is an object of the pool without a symbol: symbol 0 stands for it. */
static void objects_count_pool(tl_module *module, const tl_noted_pool *pool, bool foreign) {
  *tl_vector_push(module->arena, &module->bare_pools) =
      (tl_bare_pool){.symbols = (uint32_t)module->symbols.count, .size = pool->size, .align = pool->align};
  if (module->extern_by_name && !foreign)
    return;
  module->null_is_shared = true;
  module->debug_shared_align = tl_larger(module->debug_shared_align, pool->align);
}

/* L1369: a function's shared memory in which an object of another space lies is one object without a symbol more; and so is
 * what joins the pool (L1591, L1648). */
static void objects_count_foreign(tl_merging *m, uint32_t index, uint32_t section) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const uint32_t text = module->sections.items[section].about;
  m->section_offset[index] = objects_hold(module, section, input->size, input->align);
  m->section_state[index] |= TL_SECTION_FOREIGN;
  if (text != TL_NONE && module->sections.items[text].shared == section) {
    objects_add_partial(m, text, input, 0, true);
    module->partial_objects.items[module->partial_objects.count - 1].foreign = true;
  } else if (section == module->debug_shared)
    objects_count_pool(module, &(tl_noted_pool){.size = input->size, .align = input->align}, true);
}

static void objects_pass_defined(tl_merging *m, uint32_t index, uint32_t known) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  if (objects_is_texture(s) && input->type == SHT_CUDA_CONSTANT0 + 2 && m->module->mode->final) {
    objects_pass_texture_of_constants(m, index);
    return;
  }
  if (tl_symbol_binding(s) == STB_LOCAL && tl_map_get(&m->module->local_function_names, s->name) == TL_NONE)
    tl_map_set(&m->module->local_function_names, s->name, 0); /* L1607 */
  const bool internal = objects_is_internal_constant(m, s);
  if (internal && m->module->mode->final) {
    objects_pass_internal(m, index);
    return;
  }
  if (internal && input->type == SHT_CUDA_CONSTANT0 + 2)
    tl_merge_note_constant(m, index); /* L970 */
  if (!internal && input->type == SHT_CUDA_CONSTANT0 + 2 && input->flags & SHF_INFO_LINK && !objects_is_texture(s))
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE, "st_other of a compiler constant is not that of one (F58)");
  const tl_symbol *const symbol = known == TL_NONE ? NULL : &m->module->symbols.items[known];
  const bool strong_over_weak = symbol && tl_binding_of(symbol) == STB_WEAK && tl_symbol_binding(s) == STB_GLOBAL;
  const bool weak_zeros = tl_symbol_binding(s) == STB_WEAK && input->type == SHT_CUDA_GLOBAL;
  if (symbol && (symbol->common ? weak_zeros || symbol->zeros_too : symbol->section != TL_NONE && !strong_over_weak)) {
    objects_pass_loser(m, index, known);
    return;
  }
  objects_check_space(m, index);
  if (symbol && symbol->common && s->size >= symbol->size && tl_symbol_binding(s) == STB_WEAK &&
      input->type == SHT_CUDA_GLOBAL_INIT) { /* a smaller one is E28 */
    objects_pass_weak_behind_common(m, index, known);
    return;
  }
  const bool reserved = (s->other & STO_SPACE_MASK) == STO_RESERVED_SHARED && input->type == SHT_CUDA_SHARED;
  m->foreign = input->type == SHT_CUDA_SHARED && !reserved && (s->other & STO_SPACE_MASK) != STO_SHARED;
  const bool placed = m->section_map[s->section] != TL_NONE;
  const uint32_t section = reserved ? objects_reserved_section(m, s) : tl_merge_place_section(m, s->section);
  if (m->foreign && !placed)
    objects_count_foreign(m, s->section, section);
  m->foreign = false;
  const bool shared = (s->other & STO_SPACE_MASK) == STO_SHARED || (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
  m->module->foreign_in_pool |= m->module->mode->final && section == m->module->debug_shared && !shared &&
                                !m->module->external_pool; /* the pool has objects of its own (L162, L1703) */
  if (known == TL_NONE)
    objects_define_new(m, index, section);
  else
    objects_define_known(m, index, known, section);
}

/* What has a texture's name already, whatever its binding and kind: the first symbol, or for a section without one the
 * null symbol (L159). Textures that are parameters are local, and all of one name are one symbol (B1, L80). */
static void objects_name_symbols(tl_module *module) {
  for (; module->named_symbols < module->symbols.count; module->named_symbols++) {
    const tl_symbol *const next = &module->symbols.items[module->named_symbols];
    if (module->named_symbols && tl_name_table_get(&module->symbol_of_any_name, next->name) == TL_NONE)
      tl_name_table_set(&module->symbol_of_any_name, module->names, next->name, module->named_symbols);
  }
}

uint32_t tl_merge_namesake(tl_module *module, uint32_t name) {
  objects_name_symbols(module);
  const uint32_t known = module->symbol_of_name[name];
  const uint32_t first = known == TL_NONE ? tl_name_table_get(&module->symbol_of_any_name, name) : known;
  return first == TL_NONE || tl_type_of(&module->symbols.items[first]) == STT_SECTION ? TL_NONE : first;
}

uint32_t tl_merge_symbol_named(const tl_merging *m, uint32_t name) {
  tl_module *const module = m->module;
  objects_name_symbols(module);
  const uint32_t known = tl_name_table_get(&module->symbol_of_any_name, name);
  return known != TL_NONE || tl_module_find_section(module, name) == TL_NONE ? known : 0;
}

/* The symbol that a name stands for so far. */
static uint32_t objects_find_known(const tl_merging *m, const tl_cubin_symbol *s) {
  if (objects_is_texture(s) &&
      m->module->symbol_of_name[s->name] != TL_NONE) /* a local one of the name comes behind (L1714) */
    return m->module->symbol_of_name[s->name];
  if (objects_is_texture(s))
    return tl_merge_symbol_named(m, s->name);
  if (tl_symbol_binding(s) == STB_LOCAL)
    return TL_NONE;
  const uint32_t known = m->module->symbol_of_name[s->name];
  return known != TL_NONE ? known : tl_map_get(&m->module->local_textures, s->name);
}

/* ".nv.ptx.const0.size" (ZM9, L251): one symbol for all files, that no output shows. */
static bool objects_pass_constants_size(tl_merging *m, uint32_t index) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  if (s->section != SHN_UNDEF || tl_symbol_binding(s) != STB_LOCAL || objects_is_texture(s) ||
      strcmp(tl_merging_text(m, s->name), ".nv.ptx.const0.size") != 0)
    return false;
  const uint32_t known = m->module->constants_size;
  m->symbol_map[index] = known;
  if (known != TL_NONE) {
    if (m->module->symbols.items[known].size != s->size)
      objects_report(m, TL_MESSAGE_SIZE_MISMATCH, s, &m->module->symbols.items[known]);
    return true;
  }
  const uint32_t out = objects_new_symbol(m, s, s->info);
  m->module->symbols.items[out].unlisted = !m->module->mode->keeps_internal;
  m->module->symbols.items[out].constants_size = true;
  m->module->symbols.items[out].value = UINT64_MAX; /* nothing defines it (L26) */
  if (m->module->mode->keeps_internal)
    tl_module_list_symbol(m->module, out, true);
  m->module->constants_size = out;
  m->symbol_map[index] = out;
  return true;
}

bool tl_merge_section_is_missed(const tl_merging *m, const tl_cubin_symbol *s) {
  const unsigned space = s->other & STO_SPACE_MASK;
  const uint32_t type = m->cubin->sections[s->section].type;
  const bool code = tl_section_type_is_constant(type) || type == SHT_PROGBITS;
  const bool internal = (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
  if (space == STO_SHARED || space == STO_RESERVED_SHARED || objects_is_texture(s))
    return false;
  if (internal && (code || type == SHT_CUDA_SHARED))
    return false;
  const bool constant = space == STO_CONSTANT && type != SHT_CUDA_CONSTANT0;
  return !code || (tl_symbol_binding(s) == STB_LOCAL && !constant);
}

/* A kernel's own shared objects are local (L161): what the section is called decides. */
static void objects_check_entry_data(const tl_merging *m, const tl_cubin_symbol *s) {
  if (tl_symbol_binding(s) != STB_GLOBAL || (s->other & STO_SPACE_MASK) != STO_SHARED)
    return;
  const tl_cubin_section *const input = &m->cubin->sections[s->section]; /* the null section has no name */
  if (input->info && objects_starts_with(m, input->name, ".nv.shared."))
    objects_fail(m, s, TL_MESSAGE_ENTRY_DATA);
}

/* The value is an alignment, and nvlink divides by it. */
static void objects_check_reserved(const tl_merging *m, uint32_t index) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  if (s->section != SHN_UNDEF && (s->other & STO_SPACE_MASK) == STO_RESERVED_SHARED && s->value == 0 &&
      m->cubin->sections[s->section].type != SHT_CUDA_SHARED) /* L1370 */
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE, "st_value of reserved shared memory is 0");
}

/* L163, L708: an entry about the parameters of a kernel's body that lost is one about those of the bank that stands for it. */
static bool objects_is_lost_parameter(const tl_merging *m, const tl_cubin_symbol *s) {
  return !m->module->capsule && m->cubin->sections[s->section].type == SHT_CUDA_CONSTANT0 &&
         (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
}

/* L1608: an object in the parameters of a body that lost whose bank's name is known lies in that bank. */
static bool objects_is_in_known_bank(const tl_merging *m, const tl_cubin_symbol *s) {
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  return m->section_state[s->section] & TL_SECTION_LOST && input->type == SHT_CUDA_CONSTANT0 && !m->module->capsule &&
         tl_module_find_section(m->module, input->name) != TL_NONE;
}

/* W8.3: a relocatable output lists the local objects of a body that lost, with the values that they had there, in the
 * first section of that name; not its compiler constants (W8.8). */
static void objects_list_of_loser(tl_merging *m, uint32_t index, uint32_t known, bool lists) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  const uint32_t section = tl_module_find_section(m->module, input->name);
  const bool new = tl_symbol_binding(s) == STB_LOCAL || (known == TL_NONE && objects_is_in_known_bank(m, s));
  if (!new || input->type == SHT_CUDA_CONSTANT0 + 2 || section == TL_NONE)
    return;
  const uint32_t out = objects_new_symbol(m, s, s->info);
  tl_symbol *const symbol = &m->module->symbols.items[out];
  symbol->section = section;
  const bool appended = objects_bank_of_strong(m, s->section) == section && !objects_has_one_bank(m, input);
  if (appended) /* where its bank will come to lie (L115) */
    symbol->value += tl_align(m->module->sections.items[section].size, input->align);
  if (objects_is_lost_parameter(m, s))
    m->symbol_map[index] = out;
  if (lists)
    tl_module_list_symbol(m->module, out, true);
  else
    symbol->unlisted = true;
}

/* L542: a relocatable output has an object of a body that lost with its section, unless that is one of compiler constants
 * (W8.8), or there is one of its name. */
static bool objects_stays_of_loser(const tl_merging *m, const tl_cubin_symbol *s) {
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  const bool bank = input->type == SHT_CUDA_CONSTANT0 && !m->module->capsule; /* L1665: in an executable, too */
  return m->section_state[s->section] & TL_SECTION_LOST && (bank || !m->module->mode->final) &&
         tl_section_type_is_constant(input->type) && input->type != SHT_CUDA_CONSTANT0 + 2 &&
         (input->type != SHT_CUDA_CONSTANT0 || m->section_map[s->section] != TL_NONE ||
          tl_module_find_section(m->module, input->name) == TL_NONE);
}

/* What lies with dead code, or with a body that lost, which is dropped in links that keep dead code too (L449). */
static void objects_pass_dropped(tl_merging *m, uint32_t index, uint32_t known) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  const tl_module *const module = m->module;
  const bool dead = m->section_state[s->section] & TL_SECTION_DEAD;
  const bool internal = (s->other & STO_VISIBILITY_MASK) == STV_INTERNAL;
  const bool texture = dead && known == TL_NONE && objects_is_texture(s); /* L112 */
  if (dead && internal && m->cubin->sections[s->section].type == SHT_CUDA_CONSTANT0 + 2)
    tl_merge_note_constant(m, index); /* L543 */
  const bool missed = (dead ? module->eliminates : module->mode->final) && !objects_is_in_known_bank(m, s) &&
                      (texture || tl_merge_section_is_missed(m, s));
  if (dead)
    objects_name_dead_shared(m, s->section);
  m->module->deleted_section |= missed;
  if (dead)
    objects_check_hidden(m, s);
  if (!missed && (dead || !internal || !module->mode->final))
    objects_check_space(m, index);
}

/* ... and what becomes of it all the same. */
static void objects_pass_gone(tl_merging *m, uint32_t index, uint32_t known) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  objects_pass_dropped(m, index, known);
  if (known != TL_NONE && tl_symbol_type(s) == STT_CUDA_OBJECT)
    m->module->symbols.items[known].went = true;
  tl_merge_remember_constant(m, index);
  const bool visible = (s->other & STO_VISIBILITY_MASK) != STV_INTERNAL && objects_is_in_known_bank(m, s); /* L1608 */
  const bool lists = !m->module->mode->final || m->module->mode->records_applied || visible;
  const bool lost = m->section_state[s->section] & TL_SECTION_LOST, texture = objects_is_texture(s);
  if (objects_stays_of_loser(m, s))
    objects_pass_defined(m, index, known);
  else if (lost && !texture && (lists || objects_is_lost_parameter(m, s)))
    objects_list_of_loser(m, index, known, lists);
  else if (texture) /* L1652 */
    m->symbol_map[index] = known;
  tl_merge_meet_constants(m, s->section);
}

/* nvlink numbers prototypes in the table of its symbols' names, and takes the number for that of a symbol (L198). */
static void objects_check_name(const tl_merging *m, uint32_t index) {
  const uint32_t name = m->cubin->symbols[index].name;
  if (tl_set_has(&m->module->prototype_seen, name) && *tl_merging_text(m, name))
    tl_cubin_damaged(m->cubin, m->module->names, m->module->diagnostics, m->cubin->symbol_table,
                     (uint64_t)index * ELF_SYMBOL_SIZE, "a variable has the name of a prototype (L198)");
}

static bool objects_went(const tl_merging *m, const tl_cubin_symbol *s) {
  return m->section_state[s->section] & (TL_SECTION_DEAD | TL_SECTION_LOST);
}

/* L1179, L1715. */
static bool objects_is_mentioned_texture(const tl_merging *m, const tl_cubin_symbol *s) {
  return objects_is_texture(s) && tl_merging_lies(s) && !objects_went(m, s) &&
         m->cubin->sections[s->section].type != SHT_CUDA_CONSTANT0 + 2 && objects_text_of_texture(m, s) == TL_NONE;
}

/* L1303: nvlink takes every section of variables for a dead function's whose sh_info is that one's text. */
static bool objects_lies_about_dead(const tl_merging *m, const tl_cubin_section *section) {
  const bool variables =
      section->type == SHT_CUDA_LOCAL || section->type == SHT_CUDA_GLOBAL || section->type == SHT_CUDA_GLOBAL_INIT;
  return variables && m->module->eliminates && section->info && section->info < m->cubin->section_count &&
         m->cubin->sections[section->info].flags & SHF_EXECINSTR && m->section_state[section->info] & TL_SECTION_DEAD;
}

/* L1603: what lies among the attributes of a dead function or of a body that lost is found where there are some of that name. */
static bool objects_finds_attributes(const tl_merging *m, const tl_cubin_symbol *s) {
  const tl_cubin_section *const input = &m->cubin->sections[s->section];
  return input->type == SHT_CUDA_INFO && tl_module_find_section(m->module, input->name) != TL_NONE;
}

static void objects_pass_one(tl_merging *m, uint32_t index) {
  const tl_cubin_symbol *const s = &m->cubin->symbols[index];
  objects_check_name(m, index);
  if ((s->other & STO_VISIBILITY_MASK) == STV_INTERNAL && s->section)
    tl_merge_report_bank(m, s->section);
  if (objects_pass_constants_size(m, index))
    return;
  objects_check_texture_place(m, s);
  const bool texture = objects_is_texture(s), local = tl_symbol_binding(s) == STB_LOCAL && !texture; /* L1714 */
  const uint32_t dead = local ? TL_NONE : tl_map_get(&m->module->dead_function_of_name, s->name);
  if (texture && dead != TL_NONE && objects_check_known(m, s, &m->module->dead_functions.items[dead]))
    return;
  const uint32_t known = objects_find_known(m, s);
  if (known != TL_NONE && objects_check_known(m, s, &m->module->symbols.items[known])) {
    objects_take_reported(s, &m->module->symbols.items[known]);
    m->symbol_map[index] = known;
    return;
  }
  if (!texture && dead != TL_NONE && objects_check_known(m, s, &m->module->dead_functions.items[dead]))
    return;
  if (s->section == TL_SECTION_COMMON) {
    objects_pass_common(m, index, known);
    return;
  }
  objects_check_entry_data(m, s);
  objects_check_reserved(m, index);
  const bool shared = (s->other & STO_SPACE_MASK) == STO_SHARED;
  if (known != TL_NONE && texture && tl_merging_lies(s) && !objects_went(m, s)) {
    m->symbol_map[index] = known; /* L1714 */
    return;
  }
  if (s->section == SHN_UNDEF || (shared && s->size == 0) || objects_is_mentioned_texture(m, s)) {
    if (s->section != SHN_UNDEF && !(shared && s->size == 0)) /* L1653 */
      objects_check_space(m, index);
    if (known == TL_NONE)
      objects_pass_undefined(m, index);
    else
      objects_pass_mention(m, index, known);
    return;
  }
  m->module->deleted_section |= objects_lies_about_dead(m, &m->cubin->sections[s->section]);
  if (m->section_state[s->section] & (TL_SECTION_DEAD | TL_SECTION_LOST) && !objects_finds_attributes(m, s))
    objects_pass_gone(m, index, known);
  else
    objects_pass_defined(m, index, known);
}

static bool objects_is_object(unsigned type) {
  return type == STT_OBJECT || (type >= STT_CUDA_TEXTURE && type <= STT_CUDA_OBJECT);
}

int tl_merge_compare_ranges(const void *a, const void *b) {
  const tl_lost_range *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->section, y->section}, {x->start, y->start}};
  return tl_compare_pairs(pairs, 2);
}

/* Sorted and without overlap, so that one binary search answers for a relocation. */
static void objects_join_lost_ranges(tl_merging *m) {
  tl_lost_range *const ranges = m->lost_ranges.items;
  tl_vector_sort(&m->lost_ranges, tl_merge_compare_ranges);
  size_t kept = 0;
  for (size_t i = 0; i < m->lost_ranges.count; i++) {
    tl_lost_range *const last = kept ? &ranges[kept - 1] : NULL;
    if (last && ranges[i].section == last->section && ranges[i].start <= last->end)
      last->end = tl_larger(ranges[i].end, last->end);
    else
      ranges[kept++] = ranges[i];
  }
  m->lost_ranges.count = kept;
}

/* A weak definition of something that an earlier file defines. */
static bool objects_is_defined(const tl_merging *m, const tl_cubin_symbol *s) {
  const uint32_t known = m->module->symbol_of_name[s->name];
  return known != TL_NONE && m->module->symbols.items[known].section != TL_NONE;
}

static bool objects_definition_loses(const tl_merging *m, const tl_cubin_symbol *s) {
  return tl_symbol_binding(s) == STB_WEAK && objects_is_defined(m, s);
}

/* The pool is made of the section of its name, and of shared memory's that are called neither so nor as a kernel's (L190). */
static bool objects_lies_in_pool(const tl_merging *m, const tl_cubin_symbol *s) {
  if (!tl_merging_lies(s) || objects_definition_loses(m, s))
    return false;
  const tl_cubin_section *const section = &m->cubin->sections[s->section];
  return strcmp(tl_merging_text(m, section->name), ".nv_debug.shared") == 0 ||
         (section->type == SHT_CUDA_SHARED &&
          (!objects_starts_with(m, section->name, ".nv.shared.") || objects_is_about_no_function(m, section)));
}

/* D of W9.8: over all inputs, dead objects included, losing ones not (L264); extern ones count elsewhere (L1086). */
static void objects_note_debug_shared(tl_merging *m) {
  for (uint32_t i = 1; i < m->cubin->symbol_count; i++) {
    const tl_cubin_symbol *const s = &m->cubin->symbols[i];
    if ((s->other & STO_SPACE_MASK) != STO_SHARED || tl_symbol_type(s) != STT_CUDA_OBJECT)
      continue;
    const uint64_t align = objects_shared_align(s);
    const bool mentioned = tl_symbol_binding(s) != STB_LOCAL && m->module->symbol_of_name[s->name] != TL_NONE &&
                           !objects_is_defined(m, s); /* L1300 */
    if ((objects_is_bare(m, s->section) && !mentioned) || !objects_lies_in_pool(m, s))
      continue;
    m->module->debug_shared_align = tl_larger(align, m->module->debug_shared_align);
    if (!align && s->size && !m->module->flat_shared) {
      m->module->flat_shared = m->cubin;
      m->module->flat_symbol = i;
    }
  }
}

/* L746, L766: the pool of an -ewp object holds extern shared memory alone. Where there is no pool yet, nvlink makes a section
 * of its own of it, to which those of later files are added, each at its alignment; with -g it forgets it. */
static void objects_keep_pool(tl_module *module, const tl_noted_pool *pool) {
  enum { NAME_LENGTH = 16 };
  if (module->extern_by_name)
    return;
  if (module->bare_shared == TL_NONE) {
    const uint32_t name = tl_names_intern(module->names, ".nv_debug.shared", NAME_LENGTH);
    module->bare_shared =
        tl_module_add_section(module, name, SHT_CUDA_SHARED, SHF_WRITE | SHF_ALLOC, pool->align, pool->entry_size);
    tl_module_add_section_symbol(module, module->bare_shared);
  }
  tl_section *const section = &module->sections.items[module->bare_shared];
  section->external_alone = true;
  section->align = tl_larger(section->align, pool->align);
  section->size = tl_align(section->size, pool->align) + pool->size;
}

/* Those that a relocatable output says it has count here as those of its files would (L1066). */
static void objects_take_noted_pools(tl_merging *m) {
  tl_module *const module = m->module;
  const bool apart = module->bare_shared != TL_NONE, none = module->debug_shared == TL_NONE;
  for (size_t i = 0; i < module->resolution->noted_pools.count; i++) {
    tl_noted_pool pool = module->resolution->noted_pools.items[i];
    if (pool.file != m->file)
      continue;
    m->notes_pool |= pool.apart;
    pool.apart = apart || (pool.apart && none);
    *tl_vector_push(module->arena, &module->noted_pools) = pool;
    if (pool.apart)
      objects_keep_pool(module, &pool);
  }
}

void tl_merge_objects(tl_merging *m) {
  objects_take_noted_pools(m);
  objects_take_alone_kernels(m);
  objects_note_debug_shared(m);
  for (uint32_t i = 0; i < m->cubin->symbol_count; i++) /* the null symbol too */
    if (objects_is_object(tl_symbol_type(&m->cubin->symbols[i])))
      objects_pass_one(m, i);
  m->objects_done = true;
  tl_merge_check_constants(m);
  objects_join_lost_ranges(m);
}

/* Kinds that the section pass takes (L529). Tables of the format, an earlier link's record of applied relocations (L296),
 * NOBITS that no symbol placed (W3.8, L65, M28), and types that nvlink does not know are left out. */
static bool objects_type_is_taken(uint32_t type) {
  static const uint32_t ranges[][2] = {{SHT_PROGBITS, SHT_PROGBITS},
                                       {SHT_CUDA_CONSTANT, SHT_CUDA_CONSTANT},
                                       {SHT_CUDA_GLOBAL_INIT, SHT_CUDA_GLOBAL_INIT},
                                       {SHT_CUDA_UFT_REL, SHT_CUDA_UFT_REL},
                                       {SHT_CUDA_UIDX, SHT_CUDA_UDT},
                                       {SHT_CUDA_UDT_ENTRY, SHT_CUDA_UDT_ENTRY},
                                       {SHT_CUDA_CAPSULE, SHT_CUDA_CAPSULE},
                                       {SHT_CUDA_CONSTANT0, SHT_CUDA_MERCURY_CONSTANT_LAST},
                                       {SHT_CUDA_MERCURY_RELA, SHT_CUDA_MERCURY_SYMTAB}};
  return TL_TYPE_IS_WITHIN(type, ranges);
}

/* Code of no function is taken in texts, jump slots and constants alone (L198, L596, L1173, L1198). */
static bool objects_section_is_skipped(const tl_cubin_section *section) {
  const bool constants = tl_section_type_is_constant(section->type); /* L1173 */
  if (section->flags & SHF_EXECINSTR && section->type != SHT_PROGBITS && section->type != SHT_CUDA_UFT_REL &&
      !constants)
    return true;
  return !objects_type_is_taken(section->type);
}

static bool objects_pool_stays_apart(const tl_module *module) {
  return module->debug_shared == TL_NONE || module->bare_shared != TL_NONE;
}

/* L1930: nvlink looks for the shared memory that ptxas laid out by its name; a late kernel's is made later (W17.12). */
static uint32_t objects_laid_text(const tl_merging *m, const tl_cubin_section *input) {
  tl_module *const module = m->module;
  const uint32_t same = tl_module_find_section(module, input->name);
  const uint32_t about = same == TL_NONE ? TL_NONE : module->sections.items[same].about;
  if (about != TL_NONE && module->sections.items[about].shared == same)
    return about;
  const uint32_t text = objects_owner_text(m, input), owner = tl_module_owner(module, text);
  const bool called =
      owner != TL_NONE && tl_module_name(module, ".nv.shared.", module->symbols.items[owner].name) == input->name;
  return called ? text : TL_NONE;
}

/* L1930: and where there is none of its name, it is a section of its own. */
static void objects_keep_unknown(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const bool forgets = module->extern_by_name && tl_defect_matched(module->options, TL_DEFECT_D111); /* -g (L556) */
  if (m->cubin->type != ET_EWP || input->type != SHT_CUDA_SHARED || objects_is_bare_pool(m, index) || forgets ||
      m->section_state[index] & (TL_SECTION_DEAD | TL_SECTION_LOST | TL_SECTION_FOREIGN) ||
      objects_laid_text(m, input) != TL_NONE)
    return;
  tl_merge_check_shape(m, index);
  uint32_t out = tl_module_find_section(module, input->name);
  if (out == TL_NONE) {
    out = tl_module_add_section(module, input->name, SHT_CUDA_SHARED, input->flags, input->align, input->entry_size);
    tl_module_add_section_symbol(module, out);
    module->sections.items[out].link = input->link;
    module->sections.items[out].leads = input->info ? objects_owner_text(m, input) : TL_NONE;
  }
  tl_module_append(module, out, NULL, input->size, tl_larger(input->align, 1), m->file, index);
}

void tl_merge_note_pool(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  if (!objects_is_bare_pool(m, index)) {
    objects_keep_unknown(m, index);
    return;
  }
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const tl_noted_pool pool = {m->file, objects_pool_stays_apart(module), input->size, input->align, input->entry_size};
  *tl_vector_push(module->arena, &module->noted_pools) = pool;
  if (pool.apart)
    objects_keep_pool(module, &pool);
}

/* Of the pools of this file those that do not stay apart. */
static void objects_count_pools(const tl_merging *m) {
  tl_module *const module = m->module;
  for (size_t i = 0; i < module->noted_pools.count; i++)
    if (module->noted_pools.items[i].file == m->file && !module->noted_pools.items[i].apart)
      objects_count_pool(module, &module->noted_pools.items[i], false);
}

/* Its section in a relocatable output, which no symbol places. */
static bool objects_is_noted_pool(const tl_merging *m, uint32_t index) {
  const tl_cubin_section *const section = &m->cubin->sections[index];
  return m->notes_pool && section->type == SHT_CUDA_SHARED &&
         strcmp(tl_merging_text(m, section->name), ".nv_debug.shared") == 0;
}

/* Whether a section is what ptxas laid out in a function of an -ewp object, without a symbol. */
static bool objects_is_whole_section(const tl_merging *m, uint32_t index) {
  const tl_cubin_section *const input = &m->cubin->sections[index];
  return m->cubin->type == ET_EWP && input->type == SHT_CUDA_SHARED && input->info && input->size &&
         !(m->section_state[index] & TL_SECTION_DEAD) && m->section_map[index] == TL_NONE &&
         objects_starts_with(m, input->name, ".nv.shared.");
}

/* L1595: entries about its symbol are about the section that it lies in, at its place there. With -g nvlink forgets it (D111). */
static void objects_map_whole(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  const uint32_t text = objects_laid_text(m, input), owner = tl_module_owner(module, text);
  if (owner == TL_NONE || (module->extern_by_name && tl_defect_matched(module->options, TL_DEFECT_D111)))
    return;
  const uint32_t out = module->sections.items[text].shared;
  if (out == TL_NONE) /* a late kernel's is made later (W17.12) */
    return;
  m->section_map[index] = out;
  m->section_offset[index] = objects_hold(module, out, input->size, input->align);
  m->section_state[index] |= TL_SECTION_FOREIGN;
}

void tl_merge_remaining_sections(tl_merging *m) {
  for (uint32_t s = 1; s < m->cubin->section_count; s++) {
    const tl_cubin_section *const section = &m->cubin->sections[s];
    tl_merge_report_bank(m, s);
    const bool lost = m->section_state[s] & TL_SECTION_LOST;
    const bool placed = m->section_map[s] != TL_NONE; /* by what lies in it (L1665) */
    if (lost && !placed && section->type == SHT_CUDA_CONSTANT0)
      objects_append_parameters(m, s);
    else if (lost && section->type == SHT_CUDA_CONSTANT0 + 2)
      tl_merge_keep_losing_constants(m, s);
    else if (section->type == SHT_CUDA_CONSTANT0 + 2)
      tl_merge_keep_dead_losing_constants(m, s);
    const bool gone = m->section_state[s] & (TL_SECTION_DEAD | TL_SECTION_LOST | TL_SECTION_DONE);
    const bool bare = objects_is_bare_pool(m, s) || objects_is_noted_pool(m, s);
    if (!gone && !bare && !section->brought && !objects_section_is_skipped(section))
      tl_merge_place_section(m, s); /* where no symbol placed it */
    if (!bare && objects_is_whole_section(m, s))
      objects_map_whole(m, s);
  }
}

/* L832: in a relocatable output an object like those of other kernels, which every next link takes. */
static void objects_name_partial(tl_merging *m, uint32_t text, const tl_cubin_section *input, uint64_t laid) {
  tl_module *const module = m->module;
  const tl_section *const about = &module->sections.items[text];
  const uint64_t align = tl_larger(input->align, 1);
  const tl_symbol object = {.name = tl_module_name(module, whole_prefix, module->symbols.items[about->owner].name),
                            .info = STB_LOCAL << 4 | STT_CUDA_OBJECT,
                            .other = STO_SHARED,
                            .section = about->shared,
                            .size = input->size,
                            .shared = true,
                            .shared_places = 1,
                            .shared_place = (uint32_t)module->shared_objects.count,
                            .whole_shared = true,
                            .whole_laid = (uint32_t)laid,
                            .align = align,
                            .first_align = align,
                            .function = TL_NONE,
                            .block = TL_NONE,
                            .mention = TL_NONE};
  const uint32_t created = tl_module_new_symbol(module, &object);
  tl_u32_push(module->arena, &module->shared_objects, created);
  tl_module_list_symbol(module, created, true);
  tl_defect_note(module->diagnostics, TL_DEFECT_D141, tl_merging_text(m, input->name));
}

/* Whether the kernel of a section is one of an -ewp object, also behind a relocatable link (L832). */
static bool objects_is_partial(const tl_merging *m, const tl_cubin_section *shared) {
  const uint32_t primary = tl_cubin_primary(m->cubin, shared->info);
  return m->cubin->type == ET_EWP || (primary < m->cubin->symbol_count && m->bodies[primary].partial);
}

/* L556: also of a body that is replaced or loses, as long as the kernel lives. With -g nvlink forgets it (D111), but for
 * objects with a symbol, whose places are the file's (L1011). */
static void objects_take_partial(tl_merging *m, uint32_t index) {
  tl_module *const module = m->module;
  const tl_cubin_section *const input = &m->cubin->sections[index];
  if (input->type != SHT_CUDA_SHARED || !input->info || !objects_is_partial(m, input) ||
      !objects_starts_with(m, input->name, ".nv.shared."))
    return;
  if (m->section_state[index] & TL_SECTION_DEAD) {
    objects_name_dead_shared(m, index);
    return;
  }
  if (m->cubin->type != ET_EWP)
    return;
  const uint32_t text = objects_laid_text(m, input), own = objects_owner_text(m, input);
  const bool named = tl_merge_has_symbols(m, index), holds = named && tl_module_owner(module, own) != TL_NONE;
  if (holds && own != text) /* its objects lie in the other one (L1930) */
    objects_add_partial(m, own, input, tl_merge_laid_end(m, index), false);
  if (tl_module_owner(module, text) == TL_NONE)
    return;
  const uint64_t laid = own == text ? tl_merge_laid_end(m, index) : 0; /* L1067 */
  if (named && module->extern_by_name && (module->mode->final || tl_defect_matched(module->options, TL_DEFECT_D111))) {
    objects_add_partial(m, text, input, laid, false);
    return;
  }
  if (module->extern_by_name && tl_defect_matched(module->options, TL_DEFECT_D111))
    return;
  if (module->extern_by_name)
    tl_defect_note(module->diagnostics, TL_DEFECT_D111, tl_merging_text(m, input->name));
  if (module->sections.items[text].shared == TL_NONE) /* a late kernel (W17.12) has its section from now on */
    objects_owned_section(m, index, text);
  if (module->sections.items[text].shared == TL_NONE) /* its name is that of another section about the kernel */
    tl_cubin_damaged(m->cubin, module->names, module->diagnostics, index, TL_NO_OFFSET, mistyped);
  const bool unnamed = input->size && !module->mode->final && !tl_defect_matched(module->options, TL_DEFECT_D141);
  if (!input->size)
    module->sections.items[module->sections.items[text].shared].external_alone = true;
  if (named || !unnamed)
    objects_add_partial(m, text, input, laid, !unnamed);
  if (unnamed)
    objects_name_partial(m, text, input, laid);
}

void tl_merge_partial_objects(tl_merging *m) {
  objects_count_pools(m);
  for (uint32_t s = 1; s < m->cubin->section_count; s++)
    if (!objects_is_bare_pool(m, s))
      objects_take_partial(m, s);
}
