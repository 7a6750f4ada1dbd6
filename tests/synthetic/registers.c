/* Kernels that reach functions of 300 different register counts, each larger than those before it. A compiler's count has
 * eight bits; here a kernel is told of more of them than the linker keeps, beside one that is told of few. */
#include "registers.h"

#include <stdio.h>

enum { REGISTERS_ARCHITECTURE = 90, FUNCTIONS = 300, FEW = 5, STEP = 7 };

static void many_counts(built_program *program, unsigned sm) {
  tb_cubin *const file = program->files[program->file_count++] = tb_new(sm);
  const tb_symbol all = tb_kernel(file, "all", NULL, 0, 8), few = tb_kernel(file, "few", NULL, 0, 8);
  for (unsigned i = 0; i < FUNCTIONS; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "f%u", i);
    /* Every STEPth has a count that others before it have already. */
    const tb_symbol f = tb_function(file, name, TB_GLOBAL, NULL, 0, i % STEP ? 8 + i : 8 + i / 2);
    tb_call(file, all, f);
    if (i < FEW)
      tb_call(file, few, f);
  }
}

const program_row registers_rows[] = {{"many counts", many_counts, "", ""}};

size_t registers_count(unsigned sm) {
  return sm == REGISTERS_ARCHITECTURE ? sizeof registers_rows / sizeof *registers_rows : 0;
}
