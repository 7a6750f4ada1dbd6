/* Programs whose compiler constants do not fit into 64 KB as one block a function (K3, L150), or whose user constants do
 * not fit as they were merged (K1a, L88).
 *
 * Real ones need 64 KB of constants. Here nine functions have a jump table of 16 bytes each in a section that is
 * aligned to 8 KB, so the first layout needs 72 KB, and the second, which shares the equal tables, 100 bytes. The
 * alignment is written over the finished header: in the file the sections are not aligned, which nvlink does not mind. */
#include "constants.h"

enum { HOPPER = 90, R_CONST_OLD = 64, R_CONST_NEW = 66, ALIGN_OFFSET = 48, CROWD = 9, CROWD_ALIGN = 0x2000 };

static const uint32_t table[4] = {0xa0, 0xb0, 0xc0, 0xd0};
static const uint32_t odd_table[7] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77};
static const double one_third = 1.0 / 3, zero = 0;

static tb_cubin *add_file(built_program *program, unsigned sm) {
  return program->files[program->file_count++] = tb_new(sm);
}

/* A constant of a function and the instruction at `offset` that reads it. */
static tb_section read_constant(tb_cubin *file, unsigned sm, tb_symbol function, uint64_t offset, const void *bytes,
                                uint64_t size) {
  const uint32_t type = sm < HOPPER ? R_CONST_OLD : R_CONST_NEW;
  const tb_symbol constant = tb_function_constant(file, function, bytes, size, 4);
  tb_rela(file, tb_section_of(file, function), offset, type, constant, 0);
  return tb_section_of(file, constant);
}

static void set_align(tb_cubin *file, tb_section section, uint64_t align) {
  tb_override(file, TB_PLACE_SECTION_HEADER, section, ALIGN_OFFSET, 8, align);
}

static void call_crowd(tb_cubin *file, unsigned sm, tb_symbol kernel, const void *bytes, uint64_t size) {
  char name[2] = "A";
  for (int i = 0; i < CROWD; i++, name[0]++) {
    const tb_symbol function = tb_function(file, name, TB_GLOBAL, NULL, 0, 8);
    set_align(file, read_constant(file, sm, function, 0x10, bytes, size), CROWD_ALIGN);
    tb_call(file, kernel, function);
  }
}

/* Shared tables, a table that is not shared and so stands twice, words of zeros, constants of the kernels themselves. */
static void crowded(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), k2 = tb_kernel(a, "k2", NULL, 0, 8);
  read_constant(a, sm, k, 0x10, &one_third, sizeof one_third);
  call_crowd(a, sm, k, table, sizeof table);
  const tb_symbol odd = tb_function(b, "odd", TB_GLOBAL, NULL, 0, 8),
                  words = tb_function(b, "words", TB_GLOBAL, NULL, 0, 8);
  set_align(b, read_constant(b, sm, odd, 0x10, odd_table, sizeof odd_table), 4);
  read_constant(b, sm, words, 0x10, &zero, sizeof zero);
  read_constant(b, sm, words, 0x20, &one_third, sizeof one_third);
  read_constant(b, sm, words, 0x30, &zero, sizeof zero);
  for (int i = 0; i < 2; i++) {
    tb_call(a, i ? k2 : k, tb_undefined_function(a, "odd"));
    tb_call(a, i ? k2 : k, tb_undefined_function(a, "words"));
  }
}

/* A losing body's constants are one unit that moves symbol 0; the section of a kernel that only a losing body brought is
 * left as the first layout made it. */
static void crowded_with_losers(built_program *program, unsigned sm) {
  static const double pair[2] = {0.1, 0.7};
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), k2 = tb_kernel(a, "k2", NULL, 0, 8);
  tb_symbol_edit(a, k2)->binding = TB_WEAK;
  call_crowd(a, sm, k, table, sizeof table);
  const tb_symbol w = tb_function(a, "w", TB_WEAK, NULL, 0, 8);
  read_constant(a, sm, w, 0x10, odd_table, sizeof odd_table);
  tb_call(a, k, w);
  tb_call(a, k2, w);
  const tb_symbol loser = tb_function(b, "w", TB_WEAK, NULL, 0, 20), losing_kernel = tb_kernel(b, "k2", NULL, 0, 20);
  tb_symbol_edit(b, losing_kernel)->binding = TB_WEAK;
  read_constant(b, sm, loser, 0x10, pair, sizeof pair);
  read_constant(b, sm, losing_kernel, 0x10, &one_third, sizeof one_third);
}

/* Nothing can be shared: E33 for both kernels that call, and not for the third, since the first layout stays (L1126). */
static void too_crowded(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), k2 = tb_kernel(a, "k2", NULL, 0, 8);
  const tb_symbol alone = tb_kernel(a, "alone", NULL, 0, 8), f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 8);
  read_constant(a, sm, k, 0x10, &one_third, sizeof one_third);
  read_constant(a, sm, alone, 0x10, &one_third, sizeof one_third);
  set_align(a, read_constant(a, sm, f, 0x10, odd_table, sizeof odd_table), 0x10000);
  tb_call(a, k, f);
  tb_call(a, k2, f);
}

/* Nine equal tables of a size that nvlink does not share (D75), where the nine of `crowded` are one. */
static void equal_tables(built_program *program, unsigned sm) {
  tb_cubin *const a = add_file(program, sm);
  call_crowd(a, sm, tb_kernel(a, "k", NULL, 0, 8), odd_table, sizeof odd_table);
}

/* User constants above 64 KB, which are laid out again (K1a, L88): the second file's block is aligned to 64 KB. */
static void user_constants(built_program *program, unsigned sm) {
  static const struct {
    const char *name;
    unsigned binding;
    uint8_t size;
  } variables[] = {{"g0", TB_GLOBAL, 5}, {"l0", TB_LOCAL, 8},  {"w0", TB_WEAK, 12},  {"l1", TB_LOCAL, 1},
                   {"g1", TB_GLOBAL, 7}, {"l2", TB_LOCAL, 5},  {"w1", TB_WEAK, 3},   {"g2", TB_GLOBAL, 16},
                   {"l3", TB_LOCAL, 8},  {"l4", TB_LOCAL, 20}, {"g3", TB_GLOBAL, 5}, {"w2", TB_WEAK, 3}};
  enum { COUNT = sizeof variables / sizeof *variables };
  static const char bytes[] = "0123456789abcdefghij";
  const uint32_t type = sm < HOPPER ? R_CONST_OLD : R_CONST_NEW;
  for (size_t f = 0; f < 2; f++) {
    tb_cubin *file = add_file(program, sm);
    const tb_symbol k = tb_kernel(file, f ? "k2" : "k", NULL, 0, 8);
    tb_symbol constant = 0;
    for (size_t i = f * COUNT / 2; i < (f + 1) * COUNT / 2; i++) {
      constant = tb_constant(file, variables[i].name, variables[i].binding, variables[i].size, 1, bytes + i % 2);
      tb_rela(file, tb_section_of(file, k), 0x10 * (i % 6), type, constant, 0);
    }
    if (f)
      set_align(file, tb_section_of(file, constant), 0x10000);
  }
}

const program_row constants_rows[] = {
    {"crowded", crowded, "k", ""},
    {"crowded with losers", crowded_with_losers, "k", ""},
    {"user constants", user_constants, "g0", ""},
    {"equal tables", equal_tables, "", "too much data for compiler-generated constants"},
    {"too crowded", too_crowded, "", "too much data for compiler-generated constants"},
};
const size_t constants_count = sizeof constants_rows / sizeof *constants_rows;

const constants_read constants_reads[] = {
    {0, "k", 0x10, &one_third, sizeof one_third}, {0, "A", 0x10, table, sizeof table},
    {0, "I", 0x10, table, sizeof table},          {0, "odd", 0x10, odd_table, sizeof odd_table},
    {0, "words", 0x10, &zero, sizeof zero},       {0, "words", 0x20, &one_third, sizeof one_third},
    {0, "words", 0x30, &zero, sizeof zero},       {1, "A", 0x10, table, sizeof table},
    {1, "w", 0x10, odd_table, sizeof odd_table},
};
const size_t constants_read_count = sizeof constants_reads / sizeof *constants_reads;
