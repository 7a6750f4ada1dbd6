/* A row a limit, or a clash of two files, that the linkers have a message for and that chance does not come to: more textures than a kernel
 * has slots, banks above 64 KB (in a small file, by alignments), parameters of an old toolkit, kernels that ptxas laid out, constants
 * that lie over one another. */
#include "fuzz/generate_rare.h"

#include <stdio.h>
#include <string.h>

enum {
  RARE_ONE_IN = 16,
  ALIGN_OVER_LIMIT = 0x20000,
  SLOTS = 33,
  TOOLKIT_AT = 0x1c, /* in `.note.nv.cuinfo` */
  OLD_TOOLKIT = 120,
  LARGE_PARAMETER = 0x45,
  TYPE_AT = 16, /* in the file's header */
  TYPE_EXTENDED = 0xff00,
  IN_FIELD = 5, /* R_CUDA_ABS32_26, which takes a slot */
  ADDRESS = 2,
  SM_WITHOUT_SIZES = 90
};
static const uint8_t rare_bytes[64] = {1, 2, 3, 4, 5, 6, 7};

static tb_symbol rare_kernel(const built_file *file) {
  return file->functions[0]; /* kernels are the first functions, if there are any */
}

static void rare_name_in_code(const built_file *file, uint32_t type, tb_symbol symbol) {
  tb_rela(file->cubin, tb_section_of(file->cubin, rare_kernel(file)), 0, type, symbol, 0);
}

static tb_symbol rare_mention(const built_file *file, const char *name, uint8_t type) {
  return tb_symbol_add(file->cubin, &(tb_symbol_data){.name = name, .binding = TB_GLOBAL, .type = type});
}

static void rare_align(const built_file *file, tb_symbol symbol) {
  tb_section_edit(file->cubin, tb_section_of(file->cubin, symbol))->align = ALIGN_OVER_LIMIT;
}

static void rare_many_slots(built_file *file) {
  const uint8_t type = built_choose(file->choices, 2) ? TB_SURFACE : TB_SAMPLER;
  tb_symbol last = 0;
  for (unsigned i = 0; i < SLOTS; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "rare_slot%u", i);
    last = rare_mention(file, name, type);
  }
  rare_name_in_code(file, IN_FIELD, last);
}

/* The table of textures stands behind the largest bank. */
static void rare_wide_parameters(built_file *file) {
  char name[128];
  (void)snprintf(name, sizeof name, ".nv.constant0.%s", tb_symbol_edit(file->cubin, rare_kernel(file))->name);
  const tb_section bank = tb_section_find(file->cubin, name);
  if (bank)
    tb_section_edit(file->cubin, bank)->align = ALIGN_OVER_LIMIT;
  rare_name_in_code(file, IN_FIELD, rare_mention(file, "rare_texture", TB_TEXTURE));
}

static void rare_wide_constants(built_file *file) {
  static const uint64_t sizes[] = {16, 0, ALIGN_OVER_LIMIT, UINT32_MAX};
  const uint32_t size = built_choose(file->choices, sizeof sizes / sizeof *sizes);
  const tb_symbol constant =
      tb_constant(file->cubin, file->number ? "rare_constant1" : "rare_constant0", TB_GLOBAL, 16, 4, rare_bytes);
  tb_symbol_edit(file->cubin, constant)->size = sizes[size];
  rare_align(file, constant);
}

static void rare_wide_compiler_constants(built_file *file) {
  const tb_symbol function =
      tb_function(file->cubin, file->number ? "rare_function1" : "rare_function0", TB_GLOBAL, NULL, 0, 24);
  tb_call(file->cubin, rare_kernel(file), function);
  rare_align(file, tb_function_constant(file->cubin, function, rare_bytes, 40, 4));
  rare_align(file, tb_function_constant(file->cubin, rare_kernel(file), rare_bytes + 8, 40, 4));
}

static void rare_old_parameters(built_file *file) {
  const tb_section note = tb_section_find(file->cubin, ".note.nv.cuinfo");
  const tb_symbol kernel = rare_kernel(file);
  if (!note || file->sm >= SM_WITHOUT_SIZES)
    return;
  tb_override(file->cubin, TB_PLACE_SECTION, note, TOOLKIT_AT, 2, OLD_TOOLKIT);
  tb_attribute_symbols(file->cubin, kernel, LARGE_PARAMETER, &kernel, 1, rare_bytes, 8);
}

/* Shared memory of all files, beside kernels whose own has its places already. */
static void rare_laid_out(built_file *file) {
  const tb_symbol shared = tb_shared(file->cubin, 0, file->number ? "rare_shared1" : "rare_shared0", 12, 4);
  rare_name_in_code(file, ADDRESS, shared);
  tb_override(file->cubin, TB_PLACE_FILE, 0, TYPE_AT, 2, TYPE_EXTENDED);
}

/* The same function in every file, with other constants. */
static void rare_twice(built_file *file) {
  const unsigned binding = built_choose(file->choices, 4) ? TB_GLOBAL : TB_WEAK;
  const tb_symbol function = tb_function(file->cubin, "rare_twice", binding, NULL, 0, 24);
  tb_call(file->cubin, rare_kernel(file), function);
  (void)tb_function_constant(file->cubin, function, rare_bytes + file->number, 16, 4);
}

/* Two constants of a kernel, neither inside the other. */
static void rare_overlapping(built_file *file) {
  enum { SIZE = 24, SHIFT = 8 };
  const tb_symbol first = tb_function_constant(file->cubin, rare_kernel(file), rare_bytes, SIZE, 4);
  tb_symbol_data *const symbol = tb_symbol_edit(file->cubin, first);
  tb_symbol_data second = *symbol;
  symbol->value += SHIFT;
  symbol->size = SIZE - SHIFT;
  second.name = "rare_overlapping";
  second.size = SIZE - SHIFT - 4;
  (void)tb_symbol_add(file->cubin, &second);
}

static void (*const rare_rows[])(built_file *) = {
    rare_many_slots,     rare_wide_parameters, rare_wide_constants, rare_wide_compiler_constants,
    rare_old_parameters, rare_laid_out,        rare_twice,          rare_overlapping,
};
enum { RARE_ROWS = sizeof rare_rows / sizeof *rare_rows };

uint32_t fuzz_rare_choose(const built_choices *choices) {
  return built_choose(choices, RARE_ONE_IN) == RARE_ONE_IN - 1 ? built_choose(choices, RARE_ROWS) : RARE_ROWS;
}

void fuzz_rare_add(uint32_t rare, built_file *file) {
  if (rare < RARE_ROWS)
    rare_rows[rare](file);
}
