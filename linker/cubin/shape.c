/* nvlink's finalizer finds the sections of a capsule by their names, and reads them as what the name says, whatever the
 * header says besides: it crashes, or says something about its own insides, over a table of another type, over flags of the
 * other view, and over names that do not end in their table (L506 to L510). Here a header that contradicts its name is
 * refused before anything is linked. */
#include "cubin/shape.h"

#include "base/bytes.h"
#include "base/text.h"
#include "cubin/elf.h"

#include <string.h>

typedef struct shape_row {
  const char *name; /* the whole one, or with a dot at its end how it begins */
  uint32_t type;
} shape_row;

static const shape_row shape_rows[] = {
    {".strtab", SHT_STRTAB},
    {".symtab", SHT_SYMTAB},
    {".nv.info", SHT_CUDA_INFO},
    {".nv.info.", SHT_CUDA_INFO},
    {".nv.compat", SHT_CUDA_COMPAT},
    {".note.", SHT_NOTE},
    {".rela.", SHT_RELA},
    {".text.", SHT_PROGBITS},
    {".nv.constant0.", SHT_CUDA_CONSTANT0},
    {".nv.global.init", SHT_CUDA_GLOBAL_INIT},
};

/* Behind `.nv.merc`. */
static const shape_row shape_mercury_rows[] = {
    {".nv.global.init", SHT_CUDA_GLOBAL_INIT}, {".symtab", SHT_CUDA_MERCURY_SYMTAB},
    {".nv.info", SHT_CUDA_MERCURY_INFO},       {".nv.info.", SHT_CUDA_MERCURY_INFO},
    {".rela.", SHT_CUDA_MERCURY_RELA},         {".nv.constant.optimizer.", SHT_CUDA_OPTIMIZER_CONSTANT},
};

static bool shape_is_named(const char *name, const char *row) {
  const char *const behind = tl_text_behind(name, row);
  return behind && (!*behind || behind[-1] == '.');
}

static const shape_row *shape_find(const shape_row *rows, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (shape_is_named(name, rows[i].name))
      return &rows[i];
  return NULL;
}
#define SHAPE_FIND(rows, name) shape_find((rows), sizeof(rows) / sizeof *(rows), (name))

static bool shape_has_type(const char *name, uint32_t type) {
  const char *const mercury = tl_text_behind(name, ".nv.merc");
  const shape_row *const row = mercury ? SHAPE_FIND(shape_mercury_rows, mercury) : SHAPE_FIND(shape_rows, name);
  if (row)
    return row->type == type;
  return (type != SHT_SYMTAB_SHNDX || strcmp(name, ".symtab_shndx") == 0) && type != SHT_CUDA_OPTIMIZER_CONSTANT &&
         (type != SHT_CUDA_RESOLVEDRELA || shape_is_named(name, ".nv.resolvedrela."));
}

/* Each view has attributes of its own; Mercury's other sections hold no code, but for the capsules (L507). */
static const char *shape_wrong_flags(const tl_cubin_section *section) {
  const bool mercury = (section->flags & SHF_CUDA_MERCURY) != 0;
  if ((section->type == SHT_CUDA_INFO && mercury) || (section->type == SHT_CUDA_MERCURY_INFO && !mercury))
    return "sh_flags of attributes are of the other view (L507)";
  if (mercury && section->flags & SHF_EXECINSTR)
    return "sh_flags of one of Mercury's sections are those of code (L507)";
  return NULL;
}

/* The low 24 bits of a SASS text's sh_info name the function that begins it (L510). */
static bool shape_names_function(const tl_cubin *cubin, const tl_cubin_section *symbols, uint32_t text) {
  const uint64_t function = tl_cubin_primary(cubin, text);
  if (function >= symbols->size / ELF_SYMBOL_SIZE)
    return false;
  const uint8_t *const symbol = symbols->data + function * ELF_SYMBOL_SIZE;
  return (symbol[4] & 15) == STT_FUNC && tl_get16(symbol + 6) == text;
}

static const char *shape_wrong_info(const tl_cubin *cubin, const tl_cubin_section *symbols, uint32_t index,
                                    const char *name) {
  const tl_cubin_section *const section = &cubin->sections[index];
  if (tl_text_behind(name, ".text.") && symbols && !shape_names_function(cubin, symbols, index))
    return "sh_info of a SASS text names no function of it (L510)";
  const bool file = section->type == SHT_CUDA_CONSTANT0 + 3 || section->type == SHT_CUDA_USER_CONSTANT ||
                    section->type == SHT_CUDA_GLOBAL_INIT;
  return file && section->info ? "sh_info of what is no function's names a section (L510)" : NULL;
}

/* Mercury's symbols of data are objects; its null symbol is none of a binding that there is not (L509). */
static const char *shape_wrong_symbol(const tl_cubin *cubin, const uint8_t *symbol, bool null) {
  enum { TLS = 6 };
  const unsigned type = symbol[4] & 15, binding = symbol[4] >> 4;
  const bool object = type == STT_OBJECT || (type >= STT_CUDA_TEXTURE && type <= STT_CUDA_OBJECT);
  if (null)
    return object && binding > STB_WEAK ? "st_info of Mercury's null symbol is an object's (L509)" : NULL;
  const tl_cubin_section *const home = tl_cubin_section_at(cubin, tl_get16(symbol + 6));
  const bool data = home->flags & SHF_WRITE && home->type == SHT_CUDA_GLOBAL_INIT;
  const bool known = object || type == STT_SECTION || type == TLS; /* nvlink links some of type TLS */
  return data && !known ? "a symbol of initialised variables is no object (L509)" : NULL;
}

/* Both symbol tables: names end in their table, whose end nvlink looks at (L508), unlike elsewhere (L170). */
static void shape_check_symbols(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics,
                                uint32_t index) {
  const tl_cubin_section *const table = &cubin->sections[index];
  const uint64_t room = table->link < cubin->section_count ? cubin->sections[table->link].size : UINT64_MAX;
  for (uint64_t at = 0; at + ELF_SYMBOL_SIZE <= table->size; at += ELF_SYMBOL_SIZE) {
    const uint8_t *const symbol = table->data + at;
    const bool plain = at == 0 || (symbol[4] & 15) == STT_SECTION; /* L171 */
    const char *what = NULL;
    if (!plain && tl_get32(symbol) >= room)
      what = "a symbol's name lies outside .strtab (L508)";
    else if (table->type == SHT_CUDA_MERCURY_SYMTAB)
      what = shape_wrong_symbol(cubin, symbol, at == 0);
    if (what)
      tl_cubin_damaged(cubin, names, diagnostics, index, at, what);
  }
}

/* The null section is read as any other: its name lies in the table, and it is no Mercury section (L507). */
static void shape_check_null(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics) {
  enum { SECTION_TABLE = 40, NAME_TABLE = 62, FLAGS = 8 };
  const uint64_t table = tl_get64(cubin->bytes + SECTION_TABLE);
  const uint8_t *const header = cubin->bytes + table; /* the reader has seen that the table lies in the file */
  const uint32_t name_table = tl_get16(cubin->bytes + NAME_TABLE);
  const tl_cubin_section *const names_table = tl_cubin_section_at(cubin, name_table);
  const bool inside = tl_get32(header) < names_table->size;
  if (name_table < cubin->section_count && !inside)
    tl_cubin_damaged(cubin, names, diagnostics, TL_NONE, table, "sh_name of the null section lies outside the table");
  if (inside && names_table->data && names_table->data[tl_get32(header)])
    tl_cubin_damaged(cubin, names, diagnostics, TL_NONE, table, "sh_name of the null section is a name (L706)");
  const uint32_t type = tl_get32(header + 4);
  if (type == SHT_CUDA_OPTIMIZER_CONSTANT || type == SHT_CUDA_CAPSULE || type == SHT_CUDA_MERCURY_SYMTAB)
    tl_cubin_damaged(cubin, names, diagnostics, TL_NONE, table + 4, "sh_type of the null section is not 0 (L238)");
  if (tl_get64(header + FLAGS) & SHF_CUDA_MERCURY)
    tl_cubin_damaged(cubin, names, diagnostics, TL_NONE, table + FLAGS,
                     "sh_flags of the null section are Mercury's (L507)");
}

/* Code lies behind the ELF header and in whole instructions, and frames have an alignment that there is (L514). */
static const char *shape_wrong_place(const tl_cubin *cubin, const tl_cubin_section *section, const char *name) {
  enum { INSTRUCTION = 16 };
  const bool text = tl_text_behind(name, ".text.") != NULL;
  if (text && (section->file_offset < ELF_HEADER_SIZE || section->file_offset % INSTRUCTION))
    return "sh_offset of a text is not that of code (L514)";
  const bool reserved = section->type == SHT_CUDA_RESERVED_SHARED && section->flags & SHF_CUDA_MERCURY;
  if (reserved && (section->file_offset > cubin->size || section->size > cubin->size - section->file_offset))
    return "sh_size of reserved shared memory reaches outside the file (L710)";
  if (section->align & (section->align - 1) && strcmp(name, ".debug_frame") == 0)
    return "sh_addralign is no power of 2 (L514)";
  return section->align > 1 && tl_section_name_is_about_code(name)
             ? "sh_addralign of what the finalizer reads is not 1 (L707)"
             : NULL;
}

/* nvlink's finalizer takes a function whose name begins with its text's for the text's own, and crashes (L712). */
static void shape_check_function(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics,
                                 const tl_cubin_section *symbols, uint32_t text) {
  const char *const own = tl_text_behind(tl_names_text(names, cubin->sections[text].name), ".text.");
  if (!own || symbols->link >= cubin->section_count || !shape_names_function(cubin, symbols, text))
    return;
  const uint64_t at = (uint64_t)tl_cubin_primary(cubin, text) * ELF_SYMBOL_SIZE;
  const uint64_t name = cubin->sections[symbols->link].file_offset + tl_get32(symbols->data + at);
  const size_t length = strlen(own);
  if (name < cubin->size && cubin->size - name > length && memcmp(cubin->bytes + name, own, length) == 0 &&
      cubin->bytes[name + length])
    tl_cubin_damaged(cubin, names, diagnostics, cubin->symbol_table, at,
                     "a function's name begins with its text's (L712)");
}

void tl_shape_check(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics) {
  if (cubin->section_count)
    shape_check_null(cubin, names, diagnostics);
  const uint32_t table = tl_cubin_find_section(cubin, SHT_SYMTAB);
  const tl_cubin_section *const symbols = table ? &cubin->sections[table] : NULL;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    const char *const name = tl_names_text(names, section->name);
    if (symbols)
      shape_check_function(cubin, names, diagnostics, symbols, i);
    const char *what = shape_has_type(name, section->type) ? shape_wrong_flags(section)
                                                           : "sh_type is not that of a section of its name (L506)";
    if (!what)
      what = shape_wrong_info(cubin, symbols, i, name);
    if (!what)
      what = shape_wrong_place(cubin, section, name);
    if (what)
      tl_cubin_damaged(cubin, names, diagnostics, i, TL_NO_OFFSET, what);
    if (section->type == SHT_SYMTAB || section->type == SHT_CUDA_MERCURY_SYMTAB)
      shape_check_symbols(cubin, names, diagnostics, i);
  }
}
