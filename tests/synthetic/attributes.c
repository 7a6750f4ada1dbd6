/* What kernels inherit, where compilers hardly give an occasion: one kernel, a function that is live only because its
 * address is taken, and a dead one. */
#include "attributes.h"

/* In .nv.info.F of a device function the record SPARSE_MMA_MASK is the second, behind one of eight bytes. */
enum { SPARSE_VALUE = 10 };

static void set_sparse_mask(tb_cubin *file, const char *section, uint16_t mask) {
  tb_override(file, TB_PLACE_SECTION, tb_section_find(file, section), SPARSE_VALUE, 2, mask);
}

/* L97: k gets the bit of s although it does not reach it. */
static void sparse_mask_of_all(built_program *program, unsigned sm) {
  tb_cubin *file = program->files[program->file_count++] = tb_new(sm);
  (void)tb_kernel(file, "k", NULL, 0, 8);
  tb_address_taken(file, tb_function(file, "s", TB_GLOBAL, NULL, 0, 24), "#v");
  (void)tb_function(file, "dead", TB_GLOBAL, NULL, 0, 24);
  set_sparse_mask(file, ".nv.info.s", 0x10);
  set_sparse_mask(file, ".nv.info.dead", 0x40);
}

/* L525: what the dead function has in shared memory is no kernel's. */
static void shared_of_a_dead_function(built_program *program, unsigned sm) {
  tb_cubin *file = program->files[program->file_count++] = tb_new(sm);
  (void)tb_kernel(file, "k", NULL, 0, 8);
  (void)tb_shared(file, tb_function(file, "dead", TB_GLOBAL, NULL, 0, 8), "s", 16, 4);
}

const program_row attributes_rows[] = {
    {"sparse mask of all", sparse_mask_of_all, "s", ""},
    {"shared of a dead function", shared_of_a_dead_function, "", "reference to deleted section"},
};
const size_t attributes_count = sizeof attributes_rows / sizeof *attributes_rows;
