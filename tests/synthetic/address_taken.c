/* Programs in which a FUNC_DESC relocation, not a call graph record, takes a function's address (L20, R15).
 *
 * ptxas never writes these types; what nvlink does with them was found with these programs. k2 calls indirectly with
 * prototype #ii, so that its registers and stack show whether nvlink counts the function among the callees. */
#include "address_taken.h"

enum { FUNC_DESC_32 = 34, FUNC_DESC_64 = 35 };

typedef struct caller {
  tb_cubin *file;
  tb_symbol k, k2, f;
} caller;

/* k, k2 with its indirect call, f with 30 registers and 64 bytes of stack. */
static caller start(built_program *program, unsigned sm) {
  tb_cubin *file = program->files[program->file_count++] = tb_new(sm);
  const caller made = {file, tb_kernel(file, "k", NULL, 0, 8), tb_kernel(file, "k2", NULL, 0, 8),
                       tb_function(file, "f", TB_GLOBAL, NULL, 0, 30)};
  tb_set_frame_size(file, made.f, 64);
  tb_indirect_call(file, made.k2, "#ii");
  return made;
}

static tb_cubin *second_file(built_program *program, unsigned sm) {
  return program->files[program->file_count++] = tb_new(sm);
}

static void take(tb_cubin *file, tb_symbol in, tb_symbol function) {
  tb_rela(file, tb_section_of(file, in), 0x10, FUNC_DESC_64, function, 0);
}

static void without_prototype(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  take(c.file, c.k, c.f);
}

static void with_prototype(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  tb_call(c.file, c.f, tb_function(c.file, "g", TB_GLOBAL, NULL, 0, 50));
  take(c.file, c.k, c.f);
}

static void called_too(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  tb_call(c.file, c.k, c.f);
  take(c.file, c.k, c.f);
}

static void record_too(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  tb_address_taken(c.file, c.f, "#ii");
  take(c.file, c.k, c.f);
}

static void in_a_dead_function(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  take(c.file, tb_function(c.file, "d", TB_GLOBAL, NULL, 0, 40), c.f);
}

static void in_data(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  const tb_symbol table = tb_global(c.file, "table", TB_GLOBAL, 8, 8, &(uint64_t){0});
  tb_rela(c.file, tb_section_of(c.file, table), 0, FUNC_DESC_64, c.f, 0);
}

static void prototype_in_the_other_file(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_cubin *other = second_file(program, sm);
  take(c.file, c.k, tb_undefined_function(c.file, "x"));
  tb_prototype(other, tb_function(other, "x", TB_GLOBAL, NULL, 0, 60), "#ii");
}

static void order_of_records(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  const tb_symbol d = tb_function(c.file, "d", TB_GLOBAL, NULL, 0, 40),
                  e = tb_function(c.file, "e", TB_GLOBAL, NULL, 0, 50);
  tb_prototype(c.file, c.f, "#ii");
  take(c.file, c.k, e);
  tb_rela(c.file, tb_section_of(c.file, c.k), 0x20, FUNC_DESC_32, c.f, 0);
  tb_address_taken(c.file, d, "#i");
}

static void of_a_kernel(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  take(c.file, c.k, c.k2);
}

static void in_a_replaced_body(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_cubin *other = second_file(program, sm);
  const tb_symbol w = tb_function(c.file, "w", TB_WEAK, NULL, 0, 20);
  tb_prototype(c.file, c.f, "#ii");
  tb_call(c.file, c.k, w);
  take(c.file, w, c.f);
  (void)tb_function(other, "w", TB_WEAK, NULL, 0, 10);
}

static void in_a_losing_body(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_cubin *other = second_file(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  tb_call(c.file, c.k, tb_function(c.file, "w", TB_WEAK, NULL, 0, 10));
  take(other, tb_function(other, "w", TB_WEAK, NULL, 0, 20), tb_undefined_function(other, "f"));
}

static void through_an_alias(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  take(c.file, c.k, tb_alias(c.file, "f_alias", c.f, 0));
}

static void through_an_alias_of_a_live_function(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  tb_prototype(c.file, c.f, "#ii");
  tb_call(c.file, c.k, c.f);
  take(c.file, c.k, tb_alias(c.file, "f_alias", c.f, 0));
}

static void undefined(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  take(c.file, c.k, tb_undefined_function(c.file, "nowhere"));
}

static void undefined_weak(built_program *program, unsigned sm) {
  const caller c = start(program, sm);
  const tb_symbol nowhere = tb_undefined_function(c.file, "nowhere");
  tb_symbol_edit(c.file, nowhere)->binding = TB_WEAK;
  take(c.file, c.k, nowhere);
}

const program_row address_taken_rows[] = {
    {"without prototype", without_prototype, "f", ""},
    {"with prototype", with_prototype, "f", ""},
    {"called too", called_too, "f", ""},
    {"record too", record_too, "f", ""},
    {"in a dead function", in_a_dead_function, "f", ""},
    {"in data", in_data, "f", ""},
    {"prototype in the other file", prototype_in_the_other_file, "x", ""},
    {"order of records", order_of_records, "f", ""},
    {"of a kernel", of_a_kernel, "k2", ""},
    {"in a replaced body", in_a_replaced_body, "f", ""},
    {"in a losing body", in_a_losing_body, "w", ""},
    {"through an alias", through_an_alias, "", ""},
    {"through an alias of a live function", through_an_alias_of_a_live_function, "f", ""},
    {"undefined", undefined, "", ""},
    {"undefined weak", undefined_weak, "nowhere", ""},
};
const size_t address_taken_count = sizeof address_taken_rows / sizeof *address_taken_rows;
