/* No toolkit is needed: the capsule is stored, and a class of symbol is one of its symbols, or one that is made of another by
 * changing its fields in both tables of symbols. The Mercury entry becomes the type that is asked about; the SASS entry becomes
 * the one that ptxas would have written beside it (R63), or goes where it would have written none. */
#include "capsule.h"

#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum {
  HEADER_BYTES = 64,
  SYMBOL_BYTES = 24,
  SECTION_TYPE = 4,
  SECTION_OFFSET = 24,
  SECTION_SIZE = 32,
  SYMBOL_INFO = 4,
  SYMBOL_OTHER = 5,
  SYMBOL_SECTION = 6,
  SYMBOL_VALUE = 8,
  ENTRY_BYTES = 24,
  ENTRY_TYPE = 8,
  ENTRY_SYMBOL = 12,
  ENTRY_ADDEND = 16,
  ADDEND_BYTES = 8,
  REL_BYTES = 16,
  SECTION_ENTRY = 56,
  FLAGS = 48,
  SASS_KIND = 4,
  SLOT = 8, /* where the variable with the entry stands */
  MERCURY = 0x10000,
  NO_ENTRY = -1,
  SHT_REL = 9,
  SAME = -1 /* the section that the symbol is in stays */
};

static harness_bytes capsule;
static const uint64_t addend = 0x123456789abcdef0;
static const uint32_t far_symbol = 0xfffff0;

/* `symbol` NULL: the null symbol. `info`: 0 when no field is changed. */
typedef struct capsule_class {
  matrix_class kind;
  const char *symbol;
  uint8_t info, other;
  int section;
  uint64_t value;
} capsule_class;

static const capsule_class classes[] = {
    {MATRIX_CONSTANT, "constant_before", 0, 0, SAME, 0},
    {MATRIX_GLOBAL, "global", 0, 0, SAME, 0},
    {MATRIX_GLOBAL_INIT, "target", 0, 0, SAME, 0},
    {MATRIX_SHARED, "$__shared__30", 0, 0, SAME, 0},
    {MATRIX_FUNCTION, "function", 0, 0, SAME, 0},
    {MATRIX_DEAD_FUNCTION, "dead_function", 0, 0, SAME, 0},
    {MATRIX_EXTERN_SHARED, "target", 0x1d, 0x40, TB_UNDEFINED, 0},
    {MATRIX_COMMON, "target", 0x1d, 0x20, TB_COMMON_SECTION, 8},
    {MATRIX_HIDDEN_FUNCTION, "function", 0x12, 2, SAME, 0},
    {MATRIX_UNDEFINED_FUNCTION, "target", 0x12, 0, TB_UNDEFINED, 0},
    {MATRIX_WEAK_UNDEFINED_GLOBAL, "target", 0x2d, 0x20, TB_UNDEFINED, 0},
    {MATRIX_WEAK_UNDEFINED_CONSTANT, "target", 0x2d, 0x80, TB_UNDEFINED, 0},
    {MATRIX_NOTYPE, "target", 0x10, 0, TB_UNDEFINED, 0},
    {MATRIX_CONSTANT_SECTION, ".nv.constant3", 0, 0, SAME, 0},
    {MATRIX_GLOBAL_SECTION, ".nv.global.init", 0, 0, SAME, 0},
    {MATRIX_TEXT_SECTION, ".text.function", 0, 0, SAME, 0},
    {MATRIX_TEXTURE, "target", 0x1a, 0, TB_UNDEFINED, 0},
    {MATRIX_SAMPLER, "target", 0x1b, 0, TB_UNDEFINED, 0},
    {MATRIX_SURFACE, "target", 0x1c, 0, TB_UNDEFINED, 0},
    {MATRIX_OWN_KERNEL, "k", 0, 0, SAME, 0},
    {MATRIX_INTERNAL_FUNCTION, "function", 0x12, 1, SAME, 0},
    {MATRIX_WEAK_UNDEFINED_FUNCTION, "target", 0x22, 0, TB_UNDEFINED, 0},
    {MATRIX_WEAK_GLOBAL, "weak_global", 0, 0, SAME, 0},
    {MATRIX_HIDDEN_GLOBAL, "target", 0x1d, 0x22, SAME, 0x18},
    {MATRIX_INTERNAL_GLOBAL, "target", 0x1d, 0x21, SAME, 0x18},
    {MATRIX_PLAIN_OBJECT, "target", 0x11, 0, SAME, 0x18},
    {MATRIX_UNDEFINED_GLOBAL, "target", 0x1d, 0x20, TB_UNDEFINED, 0},
    {MATRIX_WEAK_UNDEFINED_OBJECT, "target", 0x21, 0, TB_UNDEFINED, 0},
    {MATRIX_UNDEFINED_CONSTANT, "target", 0x1d, 0x80, TB_UNDEFINED, 0},
    {MATRIX_SHARED_SECTION, ".nv.shared.k", 0, 0, SAME, 0},
    {MATRIX_DEBUG_SECTION, ".debug_frame", 0, 0, SAME, 0},
    {MATRIX_ABSOLUTE, "target", 0x11, 0, TB_ABSOLUTE, 0},
    {MATRIX_UNALLOCATED, "target", 0x1d, 0x20, SAME, UINT64_MAX},
    {MATRIX_TLS, "target", 0x16, 0, SAME, 0x18},
    {MATRIX_NULL, NULL, 0, 0, SAME, 0},
    {MATRIX_OUT_OF_RANGE, NULL, 0, 0, SAME, 0},
    {MATRIX_RESERVED_SHARED, ".nv.reservedSmem.cap", 0, 0, SAME, 0},
    {MATRIX_TABLE_OFFSET, "__UFT_OFFSET", 0, 0, SAME, 0},
    {MATRIX_TABLE, "__UFT", 0, 0, SAME, 0},
};

/* The types in pairs as ptxas writes them: from a Mercury number on, as many of the SASS side. */
static const struct {
  unsigned first, last;
  int sass; /* of `first` */
} pairs[] = {{0, 0, 0},     {1, 1, 4},     {2, 2, 2},     {3, 3, 1},    {7, 10, NO_ENTRY}, {11, 11, 6},
             {12, 12, 101}, {13, 13, 52},  {14, 14, 73},  {15, 15, 35}, {16, 39, 76},      {42, 49, NO_ENTRY},
             {50, 50, 102}, {51, 51, 103}, {52, 59, 104}, {60, 60, 1},  {61, 61, 2},       {62, 63, 112}};

/* What ptxas writes in code; each stands in an instruction of its own, the number of whose entry is behind it: in the Mercury
 * table and in the SASS table. */
static const struct {
  unsigned type;
  int sass;
  unsigned mercury_entry, sass_entry;
  bool own_addend; /* which is a place in the code */
} code_pairs[] = {{2, 75, 0, 0, false}, {3, 55, 5, 4, false}, {5, 56, 2, 2, false},
                  {6, 57, 1, 1, false}, {40, 56, 2, 2, true}, {41, 57, 1, 1, true}};

enum { CODE_PAIRS = sizeof code_pairs / sizeof *code_pairs };

static int capsule_sass_type(unsigned type) {
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (type >= pairs[i].first && type <= pairs[i].last)
      return pairs[i].sass == NO_ENTRY ? NO_ENTRY : pairs[i].sass + (int)(type - pairs[i].first);
  return (int)(MERCURY + type);
}

static const capsule_class *capsule_find_class(matrix_class kind) {
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (classes[i].kind == kind)
      return &classes[i];
  return NULL;
}

bool matrix_capsule_has(matrix_class kind) {
  return capsule_find_class(kind) != NULL;
}

void matrix_capsule_load(const char *path) {
  if (!harness_read_file(path, &capsule))
    harness_stop("cannot read %s", path);
}

/* ---- the file, which is known to be sound ---- */

static uint64_t capsule_get(const uint8_t *at, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t)at[i] << 8 * i;
  return value;
}

static void capsule_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static uint8_t *capsule_header(uint8_t *file, const char *name) {
  uint8_t *const headers = file + capsule_get(file + 40, 8);
  const uint8_t *const names = headers + capsule_get(file + 62, 2) * HEADER_BYTES;
  for (uint64_t i = 0; i < capsule_get(file + 60, 2); i++) {
    const uint64_t at = capsule_get(names + SECTION_OFFSET, 8) + capsule_get(headers + i * HEADER_BYTES, 4);
    if (strcmp((const char *)file + at, name) == 0)
      return headers + i * HEADER_BYTES;
  }
  harness_stop("the capsule has no %s", name);
}

static uint8_t *capsule_contents(uint8_t *file, const char *name) {
  return file + capsule_get(capsule_header(file, name) + SECTION_OFFSET, 8);
}

static uint32_t capsule_symbol(uint8_t *file, const char *name) {
  const uint8_t *const table = capsule_contents(file, ".symtab");
  const char *const strings = (const char *)capsule_contents(file, ".strtab");
  const uint64_t count = capsule_get(capsule_header(file, ".symtab") + SECTION_SIZE, 8) / SYMBOL_BYTES;
  for (uint32_t i = 1; i < count; i++)
    if (strcmp(strings + capsule_get(table + i * SYMBOL_BYTES, 4), name) == 0)
      return i;
  harness_stop("the capsule has no symbol %s", name);
}

static void capsule_change_symbol(uint8_t *file, const capsule_class *row, uint32_t symbol) {
  static const char *const tables[] = {".symtab", ".nv.merc.symtab"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    uint8_t *const at = capsule_contents(file, tables[i]) + symbol * SYMBOL_BYTES;
    at[SYMBOL_INFO] = row->info;
    at[SYMBOL_OTHER] = row->other;
    if (row->section != SAME)
      capsule_put(at + SYMBOL_SECTION, 2, (uint64_t)row->section);
    capsule_put(at + SYMBOL_VALUE, 8, row->value);
  }
}

static void capsule_set_entry(uint8_t *file, const char *section, unsigned number, int type, uint32_t symbol) {
  uint8_t *const entry = capsule_contents(file, section) + number * ENTRY_BYTES;
  if (type == NO_ENTRY)
    capsule_put(capsule_header(file, section) + SECTION_SIZE, 8, 0);
  capsule_put(entry + ENTRY_TYPE, 4, (uint64_t)(type == NO_ENTRY ? 0 : type));
  capsule_put(entry + ENTRY_SYMBOL, 4, symbol);
  capsule_put(entry + ENTRY_ADDEND, 8, addend);
}

/* Makes a section's one entry an entry of REL: neither table nor name say more than that, and the field is the addend. */
static void capsule_make_rel(uint8_t *file, const char *section, const char *name) {
  uint8_t *const header = capsule_header(file, section);
  uint8_t *const names = capsule_contents(file, ".shstrtab");
  capsule_put(header + SECTION_TYPE, 4, SHT_REL);
  capsule_put(header + SECTION_SIZE, 8, REL_BYTES);
  capsule_put(header + SECTION_ENTRY, 8, REL_BYTES);
  memcpy(names + capsule_get(header, 4), name, strlen(name) + 1);
}

static void capsule_set_data_entry(uint8_t *file, unsigned type, uint32_t symbol, matrix_entry_form form) {
  static const char mercury[] = ".nv.merc.rela.nv.global.init", plain[] = ".rela.nv.global.init";
  const bool sass = form == MATRIX_REL_SASS;
  capsule_set_entry(file, mercury, 0, (int)(MERCURY + type), symbol);
  capsule_set_entry(file, plain, 0, sass ? NO_ENTRY : capsule_sass_type(type), symbol);
  if (form == MATRIX_RELA)
    return;
  capsule_put(capsule_contents(file, ".nv.global.init") + SLOT, ADDEND_BYTES, addend);
  capsule_make_rel(file, mercury, ".nv.merc.rel.nv.global.init");
  if (sass)
    file[FLAGS] = SASS_KIND;
  else if (capsule_sass_type(type) != NO_ENTRY)
    capsule_make_rel(file, plain, ".rel.nv.global.init");
}

static size_t capsule_find_pair(unsigned type) {
  size_t i = 0;
  while (i < CODE_PAIRS && code_pairs[i].type != type)
    i++;
  return i;
}

bool matrix_capsule_has_code(unsigned type) {
  return capsule_find_pair(type) < CODE_PAIRS;
}

static void capsule_set_code_entry(uint8_t *file, unsigned type, uint32_t symbol) {
  const size_t i = capsule_find_pair(type);
  uint8_t *const mercury = capsule_contents(file, ".nv.merc.rela.text.k") + code_pairs[i].mercury_entry * ENTRY_BYTES;
  uint8_t *const plain = capsule_contents(file, ".rela.text.k") + code_pairs[i].sass_entry * ENTRY_BYTES;
  const uint64_t places[2] = {capsule_get(mercury + ENTRY_ADDEND, 8), capsule_get(plain + ENTRY_ADDEND, 8)};
  capsule_set_entry(file, ".nv.merc.rela.text.k", code_pairs[i].mercury_entry, (int)(MERCURY + type), symbol);
  capsule_set_entry(file, ".rela.text.k", code_pairs[i].sass_entry, code_pairs[i].sass, symbol);
  if (!code_pairs[i].own_addend)
    return;
  capsule_put(mercury + ENTRY_ADDEND, 8, places[0]);
  capsule_put(plain + ENTRY_ADDEND, 8, places[1]);
}

uint8_t *matrix_capsule_build(matrix_class kind, unsigned type, matrix_entry_form form, size_t *size) {
  const capsule_class *const row = capsule_find_class(kind);
  uint8_t *const file = harness_grow(NULL, capsule.size);
  memcpy(file, capsule.data, capsule.size);
  uint32_t symbol = row->symbol ? capsule_symbol(file, row->symbol) : kind == MATRIX_NULL ? 0 : far_symbol;
  if (row->info)
    capsule_change_symbol(file, row, symbol);
  if (form == MATRIX_CODE)
    capsule_set_code_entry(file, type, symbol);
  else
    capsule_set_data_entry(file, type, symbol, form);
  *size = capsule.size;
  return file;
}
