/* Names and words (change.h). What a linker does for names that it knows (system calls, tables, sections of one kind) meets
 * functions, variables and sections of all kinds; a name goes behind those that its table has. */
#include "fuzz/change.h"

#include "fuzz/envelope.h"

#include <stdio.h>
#include <string.h>

enum {
  NAME_ROOM = 256,
  SYMBOL_BYTES = 24,
  TYPE_SYMBOLS = 2,
  TYPE_STRINGS = 3,
  KINDS = 64,
  WORD = 4,
  SYMBOL_SECTION = 3,
  TRIES = 8
};

#define CHOOSE(choices, table) (table)[built_choose(choices, (uint32_t)(sizeof(table) / sizeof *(table)))]

static const char *const symbol_names[] = {"vprintf",
                                           "vfprintf",
                                           "malloc",
                                           "free",
                                           "__assertfail",
                                           "__profile",
                                           "cnpGetParameterBuffer",
                                           "cnpLaunchDevice",
                                           "cnpGetDevice",
                                           "cudaGraphLaunch",
                                           "cudaGraphSetConditional",
                                           "cudaGraphKernelNodeSetParam",
                                           "__cuda_syscall_32",
                                           "__UFT_OFFSET",
                                           "__UFT_CANONICAL",
                                           "__UFT_END",
                                           "__UFT",
                                           "__UDT",
                                           "__UDT_OFFSET",
                                           "__UDT_END",
                                           "__cuda_uf_stub_k0",
                                           ".nv.reservedSmem.offset0",
                                           ".nv.reservedSmem.offset1",
                                           ".nv.reservedSmem.cap",
                                           ".nv.reservedSmem.begin",
                                           ".nv.reservedSmem.end",
                                           ".nv.unified.texrefDescSize",
                                           ".nv.independent.texrefDescSize",
                                           ".nv.independent.samplerrefDescSize",
                                           ".nv.surfrefDescSize",
                                           ".nv.ptx.const0.size",
                                           "$NVLINKBINDLESSOFF_t0",
                                           "$__shared$",
                                           "cudadevrt",
                                           "k0",
                                           "f0",
                                           "d0"};
static const char *const section_names[] = {".nv.shared.",
                                            ".nv.local.",
                                            ".nv.constant0.",
                                            ".nv.constant2.",
                                            ".nv.constant3",
                                            ".nv.constant4",
                                            ".nv.constant.user",
                                            ".nv.constant.optimizer.",
                                            ".nv.constant.pic",
                                            ".nv.global",
                                            ".nv.global.init",
                                            ".nv.info.",
                                            ".nv.info",
                                            ".nv.compat",
                                            ".nv.callgraph",
                                            ".nv.prototype",
                                            ".nv.metadata",
                                            ".nv.rel.action",
                                            ".nv.uft",
                                            ".nv.udt",
                                            ".nv.uft.entry",
                                            ".nv.udt.entry",
                                            ".nv.uft.rel.",
                                            ".nv.shared.reserved.0",
                                            ".nv_debug.shared",
                                            ".nv_debug_ptx_txt",
                                            ".debug_line",
                                            ".debug_frame",
                                            ".debug_info",
                                            ".nv_debug_line_sass",
                                            ".nv_debug_info_reg_sass",
                                            ".nv_debug_info_reg_type",
                                            ".nv.resolvedrela",
                                            ".note.nv.cuinfo",
                                            ".note.nv.tkinfo",
                                            ".text.",
                                            ".rela.",
                                            ".rel.",
                                            ".symtab_shndx",
                                            ".nv.merc.debug_frame"};

bool fuzz_name_is_known(const char *name) {
  for (size_t i = 0; i < sizeof section_names / sizeof *section_names; i++)
    if (strncmp(name, section_names[i], strlen(section_names[i])) == 0)
      return true;
  return strncmp(name, ".nv.merc.", 9) == 0 || strncmp(name, ".nv.capmerc.", 12) == 0;
}

/* The place of a name behind the others of a table of strings. */
static uint32_t names_append(edit_section *table, const char *name) {
  const size_t old = table->size, length = strlen(name) + 1;
  uint8_t *const bytes = fuzz_memory(old + length);
  if (old)
    memcpy(bytes, table->bytes, old);
  memcpy(bytes + old, name, length);
  edit_section_set(table, bytes, old + length);
  return (uint32_t)old;
}

void fuzz_change_section_name(edit_cubin *cubin, edit_section *section, const char *name) {
  enum { HEADER_NAMES = 62 };
  const size_t table = (size_t)edit_get(cubin->head + HEADER_NAMES, 2);
  if (table && table < cubin->count && !cubin->sections[table].empty)
    edit_put(section->head, 4, names_append(&cubin->sections[table], name));
}

/* A name that ends with a dot gets the rest of the old one, behind its last dot, or a function's. */
static void names_make(const built_choices *choices, const char *known, const char *old, char name[NAME_ROOM]) {
  static const char *const owners[] = {"k0", "k1", "f0", "f1"};
  const char *const dot = strrchr(old, '.');
  const size_t length = strlen(known);
  const bool own = built_choose(choices, 4) && dot && dot[1];
  (void)snprintf(name, NAME_ROOM, "%s%s", known,
                 length && known[length - 1] == '.' ? (own ? dot + 1 : CHOOSE(choices, owners)) : "");
}

static bool names_change_symbol(const built_choices *choices, edit_cubin *cubin) {
  static const char *const endings[] = {"x", "$", ".1", "_", ".x", "0"};
  const size_t number = edit_find_type(cubin, TYPE_SYMBOLS);
  const size_t count = number ? cubin->sections[number].size / SYMBOL_BYTES : 0;
  const size_t table = number ? (size_t)edit_get(cubin->sections[number].head + 40, 4) : 0;
  if (count < 2 || !table || table == number || table >= cubin->count || cubin->sections[table].empty)
    return false; /* a table that names itself as its names would move under its symbol */
  const edit_section *const names = &cubin->sections[table];
  uint8_t *symbol = NULL;
  for (int tries = 0; tries < TRIES && (!symbol || (symbol[4] & 15) == SYMBOL_SECTION); tries++)
    symbol = cubin->sections[number].bytes + SYMBOL_BYTES * (1 + (size_t)built_choose(choices, (uint32_t)count - 1));
  const size_t at = (size_t)edit_get(symbol, 4);
  const char *const old =
      at < names->size && memchr(names->bytes + at, 0, names->size - at) ? (const char *)names->bytes + at : "";
  char name[NAME_ROOM];
  if (built_choose(choices, 4))
    names_make(choices, CHOOSE(choices, symbol_names), old, name);
  else
    (void)snprintf(name, sizeof name, "%.200s%s", old, CHOOSE(choices, endings));
  edit_put(symbol, 4, names_append(&cubin->sections[table], name));
  return true;
}

static bool names_change_section(const built_choices *choices, edit_cubin *cubin) {
  if (cubin->count < 2)
    return false;
  edit_section *section = NULL;
  for (int tries = 0; tries < TRIES; tries++) {
    section = &cubin->sections[1 + built_choose(choices, (uint32_t)cubin->count - 1)];
    const uint64_t type = edit_get(section->head + 4, 4);
    if (type != TYPE_SYMBOLS && type != TYPE_STRINGS)
      break;
  }
  char name[NAME_ROOM];
  names_make(choices, CHOOSE(choices, section_names), edit_section_name(cubin, section), name);
  fuzz_change_section_name(cubin, section, name);
  return true;
}

bool fuzz_change_name(const built_choices *choices, edit_cubin *cubin) {
  return built_choose(choices, 100) < 60 ? names_change_symbol(choices, cubin) : names_change_section(choices, cubin);
}

/* ---- words ---- */

void fuzz_section_kind(const char *name, char kind[FUZZ_KIND_ROOM]) {
  static const char *const families[] = {".nv.merc", ".nv.capmerc", ".rela", ".rel", ".nv.merc.rela", ".nv.merc.rel"};
  size_t length = 1 + strcspn(*name ? name + 1 : "", ".");
  if (strncmp(name, ".nv.", 4) == 0)
    length = 4 + strcspn(name + 4, ".");
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    const size_t family = strlen(families[i]);
    if (strncmp(name, families[i], family) != 0 || name[family] != '.')
      continue;
    const size_t dots = strncmp(name + family, ".nv.", 4) == 0 ? 4 : 1;
    length = family + dots + strcspn(name + family + dots, ".");
  }
  (void)snprintf(kind, FUZZ_KIND_ROOM, "%.*s", (int)(length < FUZZ_KIND_ROOM ? length : FUZZ_KIND_ROOM - 1), name);
}

static bool word_may_change(const edit_section *section) {
  return section->size >= WORD && edit_get(section->head + 4, 4) != TYPE_STRINGS;
}

static edit_section *word_section(const built_choices *choices, const edit_cubin *cubin) {
  char kinds[KINDS][FUZZ_KIND_ROOM], kind[FUZZ_KIND_ROOM];
  uint32_t count = 0, of_kind = 0;
  edit_section *chosen = NULL;
  for (size_t i = 1; i < cubin->count && count < KINDS; i++) {
    if (!word_may_change(&cubin->sections[i]))
      continue;
    fuzz_section_kind(edit_section_name(cubin, &cubin->sections[i]), kinds[count]);
    uint32_t known = 0;
    while (strcmp(kinds[known], kinds[count]) != 0)
      known++;
    count += known == count;
  }
  if (!count)
    return NULL;
  const char *const wanted = kinds[built_choose(choices, count)];
  for (size_t i = 1; i < cubin->count; i++) {
    fuzz_section_kind(edit_section_name(cubin, &cubin->sections[i]), kind);
    if (word_may_change(&cubin->sections[i]) && strcmp(kind, wanted) == 0 && built_choose(choices, ++of_kind) == 0)
      chosen = &cubin->sections[i];
  }
  return chosen;
}

bool fuzz_change_word(const built_choices *choices, edit_cubin *cubin) {
  static const uint32_t values[] = {0, 1, 2, 4, 8, 16, 0x40, 0x7f, 0x80, 0xff, 0x100, 0x1000, 0xffff, 0x10000};
  edit_section *const section = word_section(choices, cubin);
  if (!section)
    return false;
  uint8_t *const word = section->bytes + (size_t)WORD * built_choose(choices, (uint32_t)(section->size / WORD));
  uint8_t *const other = section->bytes + (size_t)WORD * built_choose(choices, (uint32_t)(section->size / WORD));
  const uint64_t old = edit_get(word, WORD);
  switch (built_choose(choices, 6)) {
  case 0:
    edit_put(word, WORD, old + 1);
    return true;
  case 1:
    edit_put(word, WORD, old - 1);
    return true;
  case 2:
    memmove(word, other, WORD);
    return true;
  case 3:
    edit_put(word, WORD, CHOOSE(choices, values));
    return true;
  case 4:
    word[built_choose(choices, WORD)] ^= (uint8_t)(1u << built_choose(choices, 8));
    return true;
  default: /* small numbers and flags stand in the first byte */
    edit_put(word, WORD, (old & ~UINT64_C(0xff)) | built_choose(choices, 64));
    return true;
  }
}
