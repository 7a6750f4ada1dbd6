/* Thirty lines or fewer a program: what real programs of that kind have, and nothing else. */
#include "programs.h"

#include <string.h>

enum {
  HOPPER = 90,
  R_32 = 1,
  R_64 = 2,
  R_LO_32 = 56,
  R_HI_32 = 57,
  R_CALL_OLD = 58,
  R_CALL_NEW = 75,
  R_CONST_OLD = 64
};
enum { R_CONST_NEW = 66, R_SHARED_OLD = 74, R_SHARED_NEW = 55, R_CLEAR = 73, R_UNIFIED = 102 };

static tb_cubin *add_file(built_program *program, unsigned sm) {
  return program->files[program->file_count++] = tb_new(sm);
}

/* A relocation as that architecture has it: without addend REL before sm_90, else RELA. */
static void relocate(tb_cubin *cubin, unsigned sm, tb_symbol in, uint64_t offset, uint32_t type, tb_symbol symbol) {
  if (sm < HOPPER)
    tb_rel(cubin, tb_section_of(cubin, in), offset, type, symbol);
  else
    tb_rela(cubin, tb_section_of(cubin, in), offset, type, symbol, 0);
}

static void call(tb_cubin *cubin, unsigned sm, tb_symbol caller, uint64_t offset, tb_symbol callee) {
  relocate(cubin, sm, caller, offset, sm < HOPPER ? R_CALL_OLD : R_CALL_NEW, callee);
  tb_call(cubin, caller, callee);
}

static void load_address(tb_cubin *cubin, unsigned sm, tb_symbol in, uint64_t offset, tb_symbol symbol) {
  relocate(cubin, sm, in, offset, R_LO_32, symbol);
  relocate(cubin, sm, in, offset + 16, R_HI_32, symbol);
}

static void one_kernel(built_program *program, unsigned sm) {
  (void)tb_kernel(add_file(program, sm), "k", NULL, 0, 4);
}

static void kernel_with_parameters(built_program *program, unsigned sm) {
  static const uint16_t sizes[] = {8, 4, 8, 1, 16};
  tb_cubin *file = add_file(program, sm);
  const tb_symbol k = tb_kernel(file, "k", NULL, 0, 8);
  tb_parameters(file, k, sizes, sizeof sizes / sizeof *sizes);
}

static void call_across_files(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), f = tb_undefined_function(a, "f");
  call(a, sm, k, 0x20, f);
  tb_prototype(a, f, "#ii");
  const tb_symbol body = tb_function(b, "f", TB_GLOBAL, NULL, 0, 24);
  tb_prototype(b, body, "#ii");
}

static void globals_across_files(built_program *program, unsigned sm) {
  static const uint32_t values[] = {1, 2, 3};
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8);
  load_address(a, sm, k, 0x10, tb_undefined_data(a, "there", TB_GLOBAL, TB_IN_GLOBAL, 12));
  load_address(a, sm, k, 0x30, tb_global(a, "here", TB_GLOBAL, 40, 8, NULL));
  (void)tb_global(b, "there", TB_GLOBAL, sizeof values, 4, values);
  (void)tb_global(b, "local", TB_LOCAL, 8, 8, values);
}

static void constants(built_program *program, unsigned sm) {
  static const uint32_t values[] = {7, 8, 9, 10};
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8);
  const uint32_t type = sm < HOPPER ? R_CONST_OLD : R_CONST_NEW;
  relocate(a, sm, k, 0x10, type, tb_constant(a, "here", TB_GLOBAL, sizeof values, 4, values));
  relocate(a, sm, k, 0x20, type, tb_undefined_data(a, "there", TB_GLOBAL, TB_IN_CONSTANT, sizeof values));
  (void)tb_constant(b, "first", TB_LOCAL, 8, 8, NULL);
  (void)tb_constant(b, "there", TB_GLOBAL, sizeof values, 16, values);
}

static void static_shared(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 8);
  const uint32_t type = sm < HOPPER ? R_SHARED_OLD : R_SHARED_NEW;
  relocate(a, sm, k, 0x10, type, tb_shared(a, k, "k_s", 20, 4));
  relocate(a, sm, k, 0x20, type, tb_shared(a, k, "k_d", 24, 8));
  relocate(a, sm, f, 0x10, type, tb_shared(a, 0, "f_s", 100, 16));
  call(a, sm, k, 0x30, f);
}

static void extern_shared(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), dynamic = tb_extern_shared(a, "dynamic");
  const uint32_t type = sm < HOPPER ? R_SHARED_OLD : R_SHARED_NEW;
  relocate(a, sm, k, 0x10, type, tb_shared(a, k, "k_s", 20, 4));
  tb_rela(a, tb_section_of(a, k), 0x20, type, dynamic, 16);
}

static void weak_functions(built_program *program, unsigned sm) {
  for (unsigned registers = 40; registers >= 20; registers -= 20) {
    tb_cubin *file = add_file(program, sm);
    const tb_symbol k = tb_kernel(file, registers == 40 ? "k" : "k2", NULL, 0, 8);
    call(file, sm, k, 0x10, tb_function(file, "w", TB_WEAK, NULL, 0, registers));
  }
}

static void strong_over_weak(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8);
  call(a, sm, k, 0x10, tb_function(a, "w", TB_WEAK, NULL, 0, 10));
  (void)tb_function(b, "w", TB_GLOBAL, NULL, 0, 30);
}

static void indirect_calls(built_program *program, unsigned sm) {
  static const uint64_t empty[2] = {0, 0};
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8);
  const tb_symbol f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 26), g = tb_function(a, "g", TB_LOCAL, NULL, 0, 22);
  const tb_symbol table = tb_global(a, "table", TB_GLOBAL, sizeof empty, 8, empty);
  const tb_section data = tb_section_of(a, table);
  tb_rela(a, data, 0, sm < HOPPER ? R_64 : R_UNIFIED, f, 0);
  tb_rela(a, data, 8, sm < HOPPER ? R_64 : R_UNIFIED, g, 0);
  load_address(a, sm, k, 0x10, table);
  tb_address_taken(a, f, "#ii");
  tb_address_taken(a, g, "#ii");
  tb_indirect_call(a, k, "#ii");
  tb_function_reference(a, k, f);
  tb_function_reference(a, k, g);
}

static void recursion(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 26);
  call(a, sm, k, 0x10, f);
  call(a, sm, f, 0x10, f);
}

static void stack_frames(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 26);
  const tb_symbol g = tb_undefined_function(a, "g");
  call(a, sm, k, 0x10, f);
  call(a, sm, f, 0x10, g);
  tb_set_frame_size(a, k, 16);
  tb_set_frame_size(a, f, 64);
  tb_set_frame_size(b, tb_function(b, "g", TB_GLOBAL, NULL, 0, 30), 128);
}

static void common_symbols(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8);
  load_address(a, sm, k, 0x10, tb_common(a, "shared_by_name", 8, 8));
  (void)tb_common(b, "shared_by_name", 32, 8);
}

static void aliases(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 26);
  call(a, sm, k, 0x10, tb_alias(a, "f_alias", f, 0));
}

static void function_constants(built_program *program, unsigned sm) {
  static const double values[] = {1.5, 2.5};
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 26);
  const uint32_t type = sm < HOPPER ? R_CONST_OLD : R_CONST_NEW;
  relocate(a, sm, f, 0x10, type, tb_function_constant(a, f, values, sizeof values, 8));
  relocate(a, sm, k, 0x20, type, tb_function_constant(a, k, values, 8, 8));
  call(a, sm, k, 0x10, f);
}

static void attributes(built_program *program, unsigned sm) {
  static const uint32_t threads[] = {128, 2, 1};
  tb_cubin *a = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), f = tb_function(a, "f", TB_GLOBAL, NULL, 0, 26);
  const tb_symbol printing = tb_undefined_function(a, "vprintf");
  tb_attribute(a, k, 4, 0x05, threads, sizeof threads);
  tb_attribute_value(a, f, 2, 0x4c, 3);
  tb_attribute_symbols(a, f, 0x0f, &printing, 1, NULL, 0);
  call(a, sm, k, 0x10, f);
  call(a, sm, f, 0x10, printing);
  tb_prototype(a, printing, "#ill");
}

static void debug_sections(built_program *program, unsigned sm) {
  static const uint8_t bytes[48] = {0x2c, 0, 0, 0};
  for (int n = 0; n < 2; n++) {
    tb_cubin *file = add_file(program, sm);
    const tb_symbol k = tb_kernel(file, n ? "k2" : "k", NULL, 0, 8);
    const tb_section debug = tb_section_add_with_symbol(file, TB_KIND_DEBUG, ".debug_info", bytes, sizeof bytes);
    tb_rela(file, debug, 8, R_64, k, 0);
    tb_rela(file, debug, 16, R_64, tb_symbol_of_section(file, debug), 4);
    tb_rela(file, debug, 24, R_CLEAR, k, 0);
  }
}

static void local_names_that_clash(built_program *program, unsigned sm) {
  for (int n = 0; n < 2; n++) {
    tb_cubin *file = add_file(program, sm);
    const tb_symbol k = tb_kernel(file, n ? "k2" : "k", NULL, 0, 8);
    call(file, sm, k, 0x10, tb_function(file, "same", TB_LOCAL, NULL, 0, 20));
    load_address(file, sm, k, 0x20, tb_global(file, "same_data", TB_LOCAL, 8, 8, &(uint64_t){5}));
  }
}

static void managed_and_weak_data(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8), managed = tb_global(a, "managed", TB_GLOBAL, 4, 4, NULL);
  tb_symbol_edit(a, managed)->other |= TB_MANAGED;
  load_address(a, sm, k, 0x10, managed);
  load_address(a, sm, k, 0x30, tb_global(a, "weak", TB_WEAK, 4, 4, &(uint32_t){1}));
  (void)tb_global(b, "weak", TB_WEAK, 4, 4, &(uint32_t){2});
}

static void virtual_architectures(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm), *b = add_file(program, sm);
  const tb_symbol k = tb_kernel(a, "k", NULL, 0, 8);
  tb_set_virtual_architecture(a, 75);
  call(a, sm, k, 0x10, tb_function(a, "w", TB_WEAK, NULL, 0, 20));
  (void)tb_function(b, "w", TB_WEAK, NULL, 0, 20);
  tb_set_tool_note(b, NULL, NULL, NULL, NULL, "-v -arch other ");
}

static void no_kernel(built_program *program, unsigned sm) {
  tb_cubin *a = add_file(program, sm);
  (void)tb_global(a, "alone", TB_GLOBAL, 4, 4, &(uint32_t){1});
}

const program_row program_rows[] = {
    {"one kernel", one_kernel, "k", ""},
    {"kernel with parameters", kernel_with_parameters, "k", ""},
    {"call across files", call_across_files, "f", ""},
    {"globals across files", globals_across_files, "there", ""},
    {"constants", constants, "there", ""},
    {"static shared", static_shared, "f", ""},
    {"extern shared", extern_shared, "k", ""},
    {"weak functions", weak_functions, "w", ""},
    {"strong over weak", strong_over_weak, "w", ""},
    {"indirect calls", indirect_calls, "table", ""},
    {"recursion", recursion, "f", "cannot be statically determined"},
    {"stack frames", stack_frames, "g", ""},
    {"common symbols", common_symbols, "shared_by_name", ""},
    {"aliases", aliases, "f", ""},
    {"function constants", function_constants, "f", ""},
    {"attributes", attributes, "vprintf", ""},
    {"debug sections", debug_sections, "k2", ""},
    {"local names that clash", local_names_that_clash, "same", ""},
    {"managed and weak data", managed_and_weak_data, "managed", ""},
    {"virtual architectures", virtual_architectures, "w", ""},
    {"no kernel", no_kernel, "alone", ""},
};
const size_t program_count = sizeof program_rows / sizeof *program_rows;
