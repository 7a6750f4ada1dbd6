/* The fields (F1-F11, F20-F79) and the values: nothing, one, all bits, the sign, one more and one less, twice and half, a
 * bit, and the numbers of sections, symbols and bytes. */
#include "damage_format.h"

static const damage_row header_rows[] = {
    {"ei_mag", 0, 4},        {"ei_class", 4, 1},   {"ei_data", 5, 1},      {"ei_version", 6, 1}, {"ei_osabi", 7, 1},
    {"ei_abiversion", 8, 1}, {"ei_pad", 9, 1},     {"ei_pad", 10, 2},      {"ei_pad", 12, 4},    {"e_type", 16, 2},
    {"e_machine", 18, 2},    {"e_version", 20, 4}, {"e_entry", 24, 8},     {"e_phoff", 32, 8},   {"e_shoff", 40, 8},
    {"e_flags", 48, 4},      {"e_ehsize", 52, 2},  {"e_phentsize", 54, 2}, {"e_phnum", 56, 2},   {"e_shentsize", 58, 2},
    {"e_shnum", 60, 2},      {"e_shstrndx", 62, 2}};
static const damage_row section_rows[] = {
    {"sh_name", 0, 4},  {"sh_type", 4, 4},  {"sh_flags", 8, 8}, {"sh_addr", 16, 8},      {"sh_offset", 24, 8},
    {"sh_size", 32, 8}, {"sh_link", 40, 4}, {"sh_info", 44, 4}, {"sh_addralign", 48, 8}, {"sh_entsize", 56, 8}};
static const damage_row symbol_rows[] = {{"st_name", 0, 4},  {"st_info", 4, 1},  {"st_other", 5, 1},
                                         {"st_shndx", 6, 2}, {"st_value", 8, 8}, {"st_size", 16, 8}};
static const damage_row relocation_rows[] = {
    {"r_offset", 0, 8}, {"r_type", 8, 4}, {"r_sym", 12, 4}, {"r_addend", 16, 8}}; /* the last one in RELA only */
static const damage_row note_rows[] = {{"n_namesz", 0, 4}, {"n_descsz", 4, 4}, {"n_type", 8, 4}};

#define ROWS(table, left_out) {(table), sizeof(table) / sizeof *(table) - (left_out)}

const damage_row *damage_rows(damage_structure structure, size_t *count) {
  static const struct {
    const damage_row *rows;
    size_t count;
  } tables[] = {[DAMAGE_OF_HEADER] = ROWS(header_rows, 0),  [DAMAGE_OF_SECTION] = ROWS(section_rows, 0),
                [DAMAGE_OF_SYMBOL] = ROWS(symbol_rows, 0),  [DAMAGE_OF_RELA] = ROWS(relocation_rows, 0),
                [DAMAGE_OF_REL] = ROWS(relocation_rows, 1), [DAMAGE_OF_NOTE] = ROWS(note_rows, 0)};
  *count = tables[structure].count;
  return tables[structure].rows;
}

bool damage_value(const damage_scale *scale, gen_random *random, uint64_t *value) {
  const unsigned bits = scale->width ? 8 * scale->width : 8; /* every field has a width */
  const uint64_t old = scale->old, near = gen_random_below(random, 5);
  const uint64_t high = UINT64_C(1) << (bits - 1);
  const uint32_t which = gen_random_below(random, 18);
  switch (which) {
  case 7:
    *value = old ^ UINT64_C(1) << gen_random_below(random, bits);
    return true;
  case 10:
    *value = gen_random_below(random, 64);
    return true;
  case 11:
    *value = gen_random_next(random);
    return true;
  default:
    break;
  }
  const uint64_t values[] = {0,
                             1,
                             UINT64_MAX,
                             high,
                             high - 1,
                             old + 1,
                             old - 1,
                             0,
                             old * 2,
                             old / 2,
                             0,
                             0,
                             scale->sections + near - 2,
                             scale->symbols / 6 + near - 2,
                             scale->size + near - 2,
                             old + 4 * near - 8};
  if (which >= sizeof values / sizeof *values)
    return false;
  *value = values[which];
  return true;
}
