/* The bounded reader of cubin/cubin.h. Only this file and input/ take pointers into a file's bytes from numbers that
 * stand in the file. That the section table and the bytes of every section lie in it input/ has seen
 * (tl_content_elf_fault); all else is looked at here. Rules: F1-F11, F20-F46, F50-F60, X2, R31,
 * L1840. */
#include "cubin/cubin.h"

#include "base/bytes.h"
#include "base/text.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/system_call.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "cubin/view.h"

#include <string.h>

/* Bound on every size, so that sums of a few sizes cannot wrap. */
static const uint64_t largest_size = (uint64_t)1 << 48;

bool tl_section_type_is_own_constant(uint32_t type) {
  return type == SHT_CUDA_CONSTANT0 + 1 || (type >= SHT_CUDA_CONSTANT0 + 3 && type <= SHT_CUDA_CONSTANT0 + 6);
}

uint32_t tl_cubin_find_section(const tl_cubin *cubin, uint32_t type) {
  for (uint32_t i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].type == type)
      return i;
  return 0;
}

tl_cubin_about tl_cubin_find_about(const tl_cubin *cubin, tl_arena *arena) {
  uint32_t *const last = tl_arena_new(arena, uint32_t, cubin->section_count);
  uint32_t *const previous = tl_arena_new(arena, uint32_t, cubin->section_count);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const uint32_t type = cubin->sections[i].type, about = cubin->sections[i].info;
    if ((type != SHT_CUDA_MERCURY_RELA && type != SHT_CUDA_MERCURY_INFO && type != SHT_CUDA_OPTIMIZER_CONSTANT) ||
        about >= cubin->section_count)
      continue;
    previous[i] = last[about];
    last[about] = i;
  }
  return (tl_cubin_about){last, previous};
}

uint64_t tl_cubin_room(const tl_cubin *cubin, const tl_cubin_section *section) {
  const bool in_file = section->file_offset <= cubin->size && section->data == cubin->bytes + section->file_offset;
  return in_file ? cubin->size - section->file_offset : section->size;
}

bool tl_section_name_is_about_code(const char *name) {
  static const char *const names[] = {"line", "frame"};
  const char *const debug = tl_text_behind(name, ".debug_");
  return debug ? TL_AMONG_TEXTS(names, debug) : strcmp(name, ".nv_debug_line_sass") == 0;
}

static tl_site cubin_site(const tl_cubin *cubin, const tl_names *names, uint32_t section, uint64_t offset) {
  const char *const name = section < cubin->section_count ? tl_names_text(names, cubin->sections[section].name) : NULL;
  return (tl_site){cubin->path, name, NULL, offset};
}

void tl_cubin_suspect(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics, uint32_t section,
                      uint64_t offset, const char *what) {
  tl_diagnostics_hold(diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), cubin_site(cubin, names, section, offset),
                      NULL, cubin->path, what);
}

void tl_cubin_damaged(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics, uint32_t section,
                      uint64_t offset, const char *what) {
  const tl_site site = cubin_site(cubin, names, section, offset);
  tl_diagnostics_end(diagnostics, tl_message_row_of(TL_MESSAGE_DAMAGED), site, NULL, cubin->path, what);
}

/* A table of strings: what of the file a text of it may take. */
typedef struct string_table {
  const char *first;
  uint64_t room;
} string_table;

/* The two tables that names are read from. */
typedef enum name_table { NAMES_OF_SECTIONS, NAMES_OF_SYMBOLS, NAME_TABLES } name_table;

typedef struct reader {
  tl_cubin *cubin;
  tl_names *names;
  tl_arena *arena;
  tl_diagnostics *diagnostics;
  string_table strings[NAME_TABLES];
  uint64_t name_table_size; /* of .shstrtab */
  const uint8_t *symbols;   /* the bytes of .symtab */
  tl_map long_names;        /* which table and where in it, to the name's number */
} reader;

static void reader_fail(const reader *r, uint32_t section, uint64_t offset, const char *what) {
  tl_cubin_damaged(r->cubin, r->names, r->diagnostics, section, offset, what);
}

/* The texts of a table end inside it; inside the file where the cubin reads on, as nvlink does (L170). A table without bytes in
 * the file (SHT_NOBITS) may say any place and size. */
static string_table string_table_of(const tl_cubin *cubin, uint64_t table, uint64_t size) {
  const uint64_t left = table < cubin->size ? cubin->size - table : 0;
  return (string_table){(const char *)cubin->bytes + (left ? table : 0),
                        cubin->reads_on ? left : tl_smaller(left, size)};
}

/* The text at `offset` of a string table, or NULL when it does not end in its room. */
static const char *string_at(const string_table *table, uint64_t offset, size_t *length) {
  if (offset >= table->room)
    return NULL;
  const char *const start = table->first + offset, *const stop = memchr(start, 0, table->room - offset);
  if (!stop)
    return NULL;
  *length = (size_t)(stop - start);
  return start;
}

/* The number of the name at `offset` of a string table; TL_NONE when there is none. A long name that many symbols share is
 * read through once. */
static inline uint32_t reader_find_name(reader *r, name_table which, uint32_t offset) {
  enum { LONG_NAME = 256 };
  size_t length = 0;
  const uint32_t known = tl_map_get(&r->long_names, tl_pair_key(which, offset));
  if (known != TL_NONE)
    return known;
  const char *const name = string_at(&r->strings[which], offset, &length);
  if (!name)
    return TL_NONE;
  const uint32_t number = length ? tl_names_intern(r->names, name, length) : r->cubin->sections[0].name;
  if (length >= LONG_NAME)
    tl_map_set(&r->long_names, tl_pair_key(which, offset), number);
  return number;
}

typedef struct named_kind {
  uint32_t general;
  const char *prefix;
  uint32_t type;
} named_kind;

/* L690: what a section of a general type is says its name; a prefix that another one begins with stands behind it. */
static const named_kind named_kinds[] = {
    {SHT_NOBITS, ".nv.global", SHT_CUDA_GLOBAL},
    {SHT_NOBITS, ".nv.shared.reserved.", SHT_CUDA_RESERVED_SHARED},
    {SHT_NOBITS, ".nv.shared.", SHT_CUDA_SHARED},
    {SHT_NOBITS, ".nv.local.", SHT_CUDA_LOCAL},
    {SHT_PROGBITS, ".nv.global.init", SHT_CUDA_GLOBAL_INIT},
    {SHT_PROGBITS, ".nv.constant", SHT_CUDA_CONSTANT0},
};

/* The number of a bank that the digits are, 0 without any; what is no bank when there are too many. */
static uint32_t reader_bank(const char *digits) {
  uint32_t bank = 0;
  for (; *digits >= '0' && *digits <= '9' && bank <= UINT8_MAX; digits++)
    bank = bank * 10 + (uint32_t)(*digits - '0');
  return bank;
}

/* L528: a section of the general type of constants is one of them whatever its name is. The bank stands as many letters
 * behind the name's beginning as `.nv.constant` has, be they the name's or not. */
static uint32_t reader_constants(const reader *r, uint64_t name) {
  const uint64_t at = name + strlen(".nv.constant");
  size_t length;
  const char *const digits = at < r->name_table_size ? string_at(&r->strings[NAMES_OF_SECTIONS], at, &length) : NULL;
  const uint32_t bank = SHT_CUDA_CONSTANT0 + reader_bank(digits ? digits : "");
  return tl_section_type_is_constant(bank) ? bank : SHT_CUDA_CONSTANT;
}

static uint32_t reader_kind(const char *name, uint32_t type) {
  if (type != SHT_NOBITS && type != SHT_PROGBITS)
    return type;
  const char *const mercury = type == SHT_NOBITS ? tl_text_behind(name, ".nv.merc") : NULL;
  for (size_t i = 0; i < sizeof named_kinds / sizeof *named_kinds; i++) {
    const named_kind *const kind = &named_kinds[i];
    const char *const behind = type == kind->general ? tl_text_behind(mercury ? mercury : name, kind->prefix) : NULL;
    if (!behind)
      continue;
    if (kind->type != SHT_CUDA_CONSTANT0)
      return kind->type;
    const uint32_t bank = SHT_CUDA_CONSTANT0 + reader_bank(behind);
    return tl_section_type_is_constant(bank) ? bank : type;
  }
  return type;
}

static void reader_read_section(reader *r, const uint8_t *header, uint32_t index) {
  tl_cubin_section *const section = &r->cubin->sections[index];
  *section = (tl_cubin_section){.type = tl_get32(header + 4),
                                .flags = tl_get64(header + 8),
                                .file_offset = tl_get64(header + 24),
                                .size = tl_get64(header + 32),
                                .link = tl_get32(header + 40),
                                .info = tl_get32(header + 44),
                                .align = tl_get64(header + 48),
                                .entry_size = tl_get64(header + 56)};
  const uint32_t name = tl_get32(header);
  const uint32_t found = name < r->name_table_size ? reader_find_name(r, NAMES_OF_SECTIONS, name) : TL_NONE;
  section->unnamed = found == TL_NONE;
  section->name = section->unnamed ? r->cubin->sections[0].name : found;
  section->type = section->type == SHT_CUDA_CONSTANT
                      ? reader_constants(r, name)
                      : reader_kind(tl_names_text(r->names, section->name), section->type);
  if (!tl_section_type_is_empty(section->type))
    section->data = r->cubin->bytes + section->file_offset;
}

uint64_t tl_cubin_estimate_names(const tl_input *input) {
  const uint8_t *const table = input->data + tl_get64(input->data + 40);
  uint64_t names = 0; /* of symbols: a section's symbol has its name */
  for (uint64_t i = 0; i < tl_get16(input->data + 60); i++) {
    const uint8_t *const section = table + i * ELF_SECTION_SIZE;
    if (tl_get32(section + 4) == SHT_SYMTAB)
      names = tl_larger(names, tl_get64(section + 32) / ELF_SYMBOL_SIZE);
  }
  return names;
}

/* nvlink reads the null section as any other: it divides by its sh_addralign or sh_entsize, or takes it for relocations
 * (L238). */
static void reader_check_null(const reader *r, uint32_t type) {
  static const uint32_t divided[] = {SHT_PROGBITS,         SHT_SYMTAB,         SHT_NOTE,
                                     SHT_CUDA_CALLGRAPH,   SHT_CUDA_PROTOTYPE, SHT_CUDA_METADATA + 2,
                                     SHT_CUDA_GLOBAL_INIT, SHT_CUDA_UFT_REL,   SHT_CUDA_UFT_ENTRY - 1,
                                     SHT_CUDA_UFT_ENTRY,   SHT_CUDA_UDT,       SHT_CUDA_UDT_ENTRY};
  const bool constants = type >= SHT_CUDA_CONSTANT0 && type <= SHT_CUDA_MERCURY_CONSTANT_LAST;
  if (constants || TL_AMONG32(divided, type))
    reader_fail(r, TL_NONE, tl_get64(r->cubin->bytes + 40) + 4, "sh_type of the null section is not 0 (L238)");
  if (type == SHT_REL || type == SHT_RELA)
    tl_diagnostics_add(r->diagnostics, tl_message_row_of(TL_MESSAGE_BAD_RELOC_SECTION),
                       (tl_site){r->cubin->path, NULL, NULL, TL_NO_OFFSET}, NULL);
}

static void reader_read_sections(reader *r) {
  tl_cubin *const cubin = r->cubin;
  const uint8_t *const header = cubin->bytes, *const first = header + tl_get64(header + 40);
  cubin->type = tl_get16(header + 16);
  cubin->flags = tl_get32(header + 48);
  const uint64_t short_count = tl_get16(header + 60);
  const uint64_t count = short_count ? short_count : tl_get64(first + 32); /* X1 */
  if (count < 2)
    return; /* there is no .symtab */
  const uint16_t short_index = tl_get16(header + 62);
  const uint32_t name_index = short_index == SHN_XINDEX ? tl_get32(first + 40) : short_index;
  if (name_index == 0 || name_index >= count)
    reader_fail(r, TL_NONE, 62, "e_shstrndx names no section");
  const uint8_t *const names = first + (uint64_t)name_index * ELF_SECTION_SIZE;
  r->name_table_size = tl_get32(names + 4) == SHT_STRTAB ? tl_get64(names + 32) : 0; /* no name at all (L170) */
  const uint64_t names_at = tl_get64(names + 24);
  if (names_at > cubin->size)
    reader_fail(r, TL_NONE, TL_NO_OFFSET, "the section name table lies outside the file");
  r->strings[NAMES_OF_SECTIONS] = string_table_of(cubin, names_at, r->name_table_size);
  cubin->sections = tl_arena_new_bare(r->arena, tl_cubin_section, count);
  cubin->sections[0] = (tl_cubin_section){.name = tl_names_intern(r->names, "", 0)};
  cubin->section_count = (uint32_t)count;
  reader_check_null(r, tl_get32(first + 4));
  for (uint32_t i = 1; i < count; i++)
    reader_read_section(r, first + (uint64_t)i * ELF_SECTION_SIZE, i);
}

/* nvlink writes a table of its own under the name of a function's attributes; with another section of that name it stops
 * with `Negative size encountered`, or writes both (L197). */
static void reader_check_attributes(const reader *r) {
  for (uint32_t i = 1; i < r->cubin->section_count; i++) {
    const tl_cubin_section *const section = &r->cubin->sections[i];
    const char *const name = tl_names_text(r->names, section->name);
    if (section->type != SHT_CUDA_INFO && tl_text_behind(name, ".nv.info."))
      reader_fail(r, i, TL_NO_OFFSET, "sh_type is not that of attributes, as its name says");
  }
}

/* nvlink looks neither at the name nor at the section of the null symbol, nor at those of section symbols (L171). */
static bool reader_symbol_is_plain(uint32_t symbol, uint8_t info) {
  return symbol == 0 || (info & 15) == STT_SECTION;
}

/* ... and not at the sections of names of source files (L579). */
static bool reader_symbol_has_section(uint32_t symbol, uint8_t info) {
  return !reader_symbol_is_plain(symbol, info) && (info & 15) != STT_FILE;
}

/* nvlink keeps STT_OBJECT for names of its own; every other object is of CUDA's type, which ptxas gives it (L181). Those
 * names have STT_OBJECT where they are undefined, as in relocatable capsules, which say CUDA's type (M15, L140). */
static uint8_t reader_symbol_info(const uint8_t *at, const char *name) {
  const uint8_t info = at[4], type = info & 15;
  if (type == STT_CUDA_OBJECT && tl_get16(at + 6) == SHN_UNDEF && tl_reserved_name_is(name))
    return (uint8_t)((info & 0xf0) | STT_OBJECT);
  return type == STT_OBJECT && !tl_reserved_name_is(name) ? (uint8_t)((info & 0xf0) | STT_CUDA_OBJECT) : info;
}

static uint32_t reader_symbol_section(const reader *r, uint32_t symbol, const uint8_t *at,
                                      const tl_cubin_section *wide) {
  uint32_t raw = tl_get16(at + 6);
  if (raw == SHN_XINDEX && symbol < wide->size / 4)
    raw = tl_get32(wide->data + (uint64_t)symbol * 4);
  else if (raw == SHN_COMMON && !reader_symbol_is_plain(symbol, at[4]))
    return TL_SECTION_COMMON;
  if (raw < r->cubin->section_count)
    return raw;
  const bool capsule = tl_view_is_capsule(r->cubin) && symbol != 0 && raw != SHN_XINDEX; /* L171 */
  if (reader_symbol_has_section(symbol, at[4]) || capsule)
    reader_fail(r, r->cubin->symbol_table, (uint64_t)symbol * ELF_SYMBOL_SIZE, "a symbol's section does not exist");
  return SHN_UNDEF;
}

/* nvlink takes the section of a section symbol from what lies behind its table (L171). */
static bool reader_symbol_is_homeless(const reader *r, uint32_t symbol, const uint8_t *at) {
  const uint32_t raw = tl_get16(at + 6);
  return symbol != 0 && (at[4] & 15) == STT_SECTION && raw >= r->cubin->section_count && raw != SHN_XINDEX;
}

/* L1629: in a function's compiler constants. */
static void reader_make_constant_local(tl_cubin_symbol *symbol, const tl_cubin_section *bank) {
  const bool object = (symbol->info & 15) == STT_OBJECT || (symbol->info & 15) == STT_CUDA_OBJECT;
  if (!object || bank->type != SHT_CUDA_CONSTANT0 + 2 || !(bank->flags & SHF_INFO_LINK) ||
      (symbol->other & STO_SPACE_MASK) != STO_CONSTANT)
    return;
  symbol->info = STB_LOCAL << 4 | STT_CUDA_OBJECT;
  symbol->other = STO_CONSTANT | STV_INTERNAL;
}

static void reader_read_symbol(reader *r, uint32_t index, const tl_cubin_section *wide) {
  tl_cubin *const cubin = r->cubin;
  const uint64_t offset = (uint64_t)index * ELF_SYMBOL_SIZE;
  const uint8_t *const at = r->symbols + offset;
  const uint32_t found = reader_find_name(r, NAMES_OF_SYMBOLS, tl_get32(at));
  const bool named = found != TL_NONE;
  const uint32_t name = named ? found : cubin->sections[0].name;
  if (!named && !reader_symbol_is_plain(index, at[4]))
    reader_fail(r, cubin->symbol_table, offset,
                "a symbol's name lies outside .strtab (D40: nvlink reads on behind it)");
  tl_cubin_symbol *const symbol = &cubin->symbols[index];
  const uint8_t info = reader_symbol_info(at, tl_names_text(r->names, name));
  *symbol = (tl_cubin_symbol){.name = name,
                              .unnamed = !named && index != 0,
                              .homeless = reader_symbol_is_homeless(r, index, at),
                              .info = info,
                              .plain = (at[4] & 15) == STT_OBJECT && (info & 15) == STT_CUDA_OBJECT,
                              .other = tl_type_is_texture(at[4] & 15) ? 0 : at[5], /* L1840 */
                              .section = reader_symbol_section(r, index, at, wide),
                              .value = tl_get64(at + 8),
                              .size = tl_get64(at + 16)};
  const tl_cubin_section *const bank = tl_cubin_section_at(cubin, symbol->section);
  if (!tl_view_is_capsule(cubin))
    reader_make_constant_local(symbol, bank);
  else if (cubin->role.finalized && bank->type == SHT_CUDA_CONSTANT0 && (at[4] & 15) == STT_SECTION)
    symbol->name = bank->name; /* L1569 */
  const bool laid_out = (symbol->other & STO_SPACE_MASK) == STO_SHARED || symbol->section == TL_SECTION_COMMON;
  if (laid_out && symbol->size > largest_size)
    reader_fail(r, cubin->symbol_table, offset, "a symbol's size is too large");
}

void tl_cubin_check_entries(const tl_cubin *cubin, const tl_names *names, tl_diagnostics *diagnostics,
                            uint32_t section) {
  static const struct {
    uint32_t type;
    unsigned size;
  } tables[] = {{SHT_SYMTAB, ELF_SYMBOL_SIZE},
                {SHT_RELA, ELF_RELA_SIZE},
                {SHT_REL, ELF_REL_SIZE},
                {SHT_CUDA_CALLGRAPH, 8},
                {SHT_CUDA_PROTOTYPE, 8}};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (cubin->sections[section].type == tables[i].type && cubin->sections[section].entry_size < tables[i].size)
      tl_cubin_damaged(cubin, names, diagnostics, section, TL_NO_OFFSET, "sh_entsize is less than an entry has");
}

/* nvlink's finalizer crashes on a function that does not begin its text (L239). */
static void reader_check_finalized(const reader *r, uint32_t index) {
  const tl_cubin_symbol *const symbol = &r->cubin->symbols[index];
  const uint32_t primary = tl_cubin_primary(r->cubin, symbol->section);
  const bool inside =
      primary != TL_NONE && primary != index; /* another function's text, or none: section 0 is no symbol's */
  if (tl_symbol_type(symbol) == STT_FUNC && symbol->value != 0 && !inside)
    reader_fail(r, r->cubin->symbol_table, (uint64_t)index * ELF_SYMBOL_SIZE, "st_value of a function is not 0 (L239)");
}

/* Nor does it take code of a newer Mercury than its own, which attribute 7 of .nv.compat numbers (L234; the last record was
 * looked at by L1080), nor alignments that it has no memory for (L244). */
static void reader_check_mercury(const reader *r) {
  enum { VERSION = 7, NEWEST = 0x0101 };
  const uint64_t most_align = 0x80000000;
  for (uint32_t i = 1; i < r->cubin->section_count; i++) {
    uint64_t position = 0;
    tl_record record;
    if (r->cubin->sections[i].type != SHT_NULL && /* L1801 */
        r->cubin->sections[i].align > most_align)
      tl_diagnostics_add(
          r->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER),
          (tl_site){r->cubin->path, tl_names_text(r->names, r->cubin->sections[i].name), NULL, TL_NO_OFFSET}, NULL,
          r->cubin->path);
    if (r->cubin->sections[i].type != SHT_CUDA_COMPAT)
      continue;
    while (tl_record_next_whole(&r->cubin->sections[i], &position, &record)) {
      const tl_site site = {r->cubin->path, ".nv.compat", NULL, record.offset};
      if (record.code == VERSION && record.format != TL_RECORD_WHOLE && tl_get16(record.data) > NEWEST)
        tl_diagnostics_add(r->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER), site, NULL, r->cubin->path);
    }
  }
}

/* L475, L1377: nvlink knows a jump slot by its name, and by what its symbol is not: a kernel or a unified function. */
bool tl_symbol_is_called_slot(const tl_names *names, const tl_cubin_symbol *symbol) {
  return tl_text_behind(tl_names_text(names, symbol->name), "__cuda_uf_stub_") &&
         !(symbol->other & (STO_ENTRY | STO_MANAGED));
}

/* L1377: a section of jump slots whose first function is none is a text like others; a slot's behind it is told (L1683). */
static void reader_settle_slots(const reader *r) {
  enum { NEW, SLOTS, TEXT };
  tl_cubin *const cubin = r->cubin;
  uint8_t *const seen = tl_arena_new(r->arena, uint8_t, cubin->section_count);
  for (uint32_t i = 1; i < cubin->symbol_count; i++) {
    const tl_cubin_symbol *const symbol = &cubin->symbols[i];
    if (tl_symbol_type(symbol) != STT_FUNC || symbol->section >= cubin->section_count)
      continue;
    const bool called = tl_symbol_is_called_slot(r->names, symbol);
    cubin->slot_behind |= called && seen[symbol->section] == TEXT && tl_cubin_primary(cubin, symbol->section) == i;
    if (seen[symbol->section] != NEW)
      continue;
    tl_cubin_section *const section = &cubin->sections[symbol->section];
    seen[symbol->section] = SLOTS;
    if (section->type != SHT_CUDA_UFT_REL || called)
      continue;
    seen[symbol->section] = symbol->value || symbol->other & (STO_ENTRY | STO_MANAGED) ? SLOTS : TEXT;
    section->type = SHT_PROGBITS;
    section->entry_size = 0;
  }
}

/* L1697: whether sh_info names a function of this text and this name. */
static bool reader_names_namesake(const tl_cubin *cubin, const tl_cubin_section *text, const tl_cubin_symbol *symbol) {
  enum { PRIMARY = 0xffffff };
  const uint32_t named = text->info & PRIMARY;
  const tl_cubin_symbol *const other = named < cubin->symbol_count ? &cubin->symbols[named] : symbol;
  return other->section == symbol->section && other->name == symbol->name && tl_symbol_type(other) == STT_FUNC;
}

/* L1888: a kernel that lies in a text before any other function is the text's function, whatever sh_info names; but for one
 * of its own name (L1697). */
static void reader_lead_texts(const reader *r) {
  enum { PRIMARY = 0xffffff };
  tl_cubin *const cubin = r->cubin;
  bool *const seen = tl_arena_new(r->arena, bool, cubin->section_count);
  for (uint32_t i = 1; i < cubin->symbol_count; i++) {
    const tl_cubin_symbol *const symbol = &cubin->symbols[i];
    if (tl_symbol_type(symbol) != STT_FUNC || !symbol->section || symbol->section >= cubin->section_count)
      continue;
    tl_cubin_section *const text = &cubin->sections[symbol->section];
    if (!seen[symbol->section] && symbol->other & STO_ENTRY && text->type == SHT_PROGBITS &&
        text->flags & SHF_EXECINSTR && !reader_names_namesake(cubin, text, symbol))
      text->info = (text->info & ~(uint32_t)PRIMARY) | i;
    seen[symbol->section] = true;
  }
}

static void reader_read_symbols(reader *r) {
  tl_cubin *const cubin = r->cubin;
  const tl_cubin_section *const table = &cubin->sections[cubin->symbol_table];
  const tl_cubin_section *const strings = &cubin->sections[cubin->string_table];
  const tl_cubin_section *const wide = &cubin->sections[tl_cubin_find_section(cubin, SHT_SYMTAB_SHNDX)]; /* X2 */
  tl_cubin_check_entries(cubin, r->names, r->diagnostics, cubin->symbol_table);
  cubin->symbol_count = (uint32_t)(table->size / table->entry_size);
  cubin->symbols = tl_arena_new_bare(r->arena, tl_cubin_symbol, cubin->symbol_count);
  r->symbols = table->data;
  r->strings[NAMES_OF_SYMBOLS] = string_table_of(cubin, strings->file_offset, strings->size);
  for (uint32_t i = 0; i < cubin->symbol_count; i++)
    reader_read_symbol(r, i, wide);
  if (!tl_view_is_capsule(cubin)) {
    reader_settle_slots(r);
    reader_lead_texts(r);
    return;
  }
  for (uint32_t i = 1; i < cubin->symbol_count; i++)
    reader_check_finalized(r, i);
  reader_check_mercury(r);
}

/* NULL, or what nvlink says of a file without a symbol table. */
static const tl_message_row *reader_find_symbol_table(const reader *r) {
  tl_cubin *const cubin = r->cubin;
  cubin->symbol_table = tl_cubin_find_section(cubin, SHT_SYMTAB);
  if (!cubin->symbol_table)
    return tl_message_row_of(TL_MESSAGE_NO_SYMTAB);
  const uint32_t strings = cubin->sections[cubin->symbol_table].link;
  if (strings >= cubin->section_count) /* nothing else is looked at (L172) */
    return tl_message_row_of(TL_MESSAGE_NO_STRTAB);
  cubin->string_table = strings;
  return NULL;
}

void tl_cubin_read(tl_cubin *cubin, const tl_input *input, uint32_t index, tl_role role, tl_names *names,
                   tl_arena *arena, tl_diagnostics *diagnostics) {
  reader r = {.cubin = cubin, .names = names, .arena = arena, .diagnostics = diagnostics};
  *cubin = (tl_cubin){.path = input->path,
                      .input = index,
                      .view = role.view,
                      .role = role,
                      .bytes = input->data,
                      .size = input->size,
                      .reads_on = tl_defect_matched(diagnostics->options, TL_DEFECT_D40)};
  tl_map_init(&r.long_names, arena);
  reader_read_sections(&r);
  reader_check_attributes(&r);
  tl_view_select(cubin, names, arena, diagnostics);
  cubin->unreadable = reader_find_symbol_table(&r);
  if (cubin->unreadable)
    cubin->section_count = 0;
  else
    reader_read_symbols(&r);
}

void tl_cubin_forget_mention(tl_cubin *cubin, uint32_t name) {
  for (uint32_t i = 1; i < cubin->symbol_count; i++)
    if (cubin->symbols[i].name == name && cubin->symbols[i].section == SHN_UNDEF)
      cubin->symbols[i].info = STT_NOTYPE;
}

static const char optimizer_prefix[] = ".nv.constant.optimizer.";

/* The function whose constants a section of either view has; NULL where the name does not say. */
static const char *constants_function(const tl_names *names, const tl_cubin_section *section) {
  const char *const name = tl_names_text(names, section->name);
  const char *const function = tl_text_behind(name, optimizer_prefix);
  return function ? function : tl_text_behind(name, ".nv.constant2.");
}

void tl_cubin_number_constants(tl_cubin *cubin, tl_names *names, tl_arena *arena) {
  uint32_t number = 0;
  for (uint32_t i = 1; i < cubin->symbol_count; i++) {
    tl_cubin_symbol *const symbol = &cubin->symbols[i];
    const tl_cubin_section *const section = tl_cubin_section_at(cubin, symbol->section);
    if (tl_symbol_type(symbol) == STT_SECTION || section->type != SHT_CUDA_CONSTANT0 + 2)
      continue;
    const char *const function = constants_function(names, section);
    if (!function)
      continue;
    const char *const name = tl_arena_format(arena, "%s%s.%u", optimizer_prefix, function, ++number);
    symbol->name = tl_names_intern(names, name, strlen(name));
  }
}

uint64_t tl_cubin_relocation_count(const tl_cubin_section *section) {
  return section->size / tl_larger(section->entry_size, tl_cubin_relocation_size(section));
}

bool tl_cubin_is_rela_of(const tl_cubin_section *section, uint32_t target) {
  return section->type == SHT_RELA && section->info == target;
}

const char *tl_cubin_text_in(const tl_cubin *cubin, uint32_t section, uint64_t offset) {
  if (section >= cubin->section_count)
    return NULL;
  size_t length;
  const string_table table =
      string_table_of(cubin, cubin->sections[section].file_offset, cubin->sections[section].size);
  return string_at(&table, offset, &length);
}

const char *tl_cubin_string(const tl_cubin *cubin, uint64_t offset) {
  return tl_cubin_text_in(cubin, cubin->string_table, offset);
}
