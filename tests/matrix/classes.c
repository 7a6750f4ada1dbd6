/* The classes of symbol: one row a class, and a maker where the row does not say all. The first twenty keep their order and their bytes, since the
 * jobs of corpus/synthetic are made of them. */
#include "relocation_matrix.h"

#include <stdio.h>

const uint32_t matrix_words[8] = {0x11111111, 0x22222222, 0x33333333, 0x44444444,
                                  0x55555555, 0x66666666, 0x77777777, 0x88888888};

enum { TLS = 6, INTERNAL = 1, HIDDEN = 2, PROTECTED = 3, IN_LOCAL_MEMORY = 0x60, LOCAL_SECTION = 0x70000009 };

/* The maker of a class; what it does not need is unnamed. */
#define MAKE(class) static tb_symbol make_##class(tb_cubin * cubin, tb_symbol kernel, const char *shared_name)
#define UNUSED ((void)kernel, (void)shared_name)

static tb_symbol undefined_symbol(tb_cubin *cubin, const char *name, unsigned binding, unsigned type) {
  const tb_symbol_data symbol = {.name = name, .binding = (uint8_t)binding, .type = (uint8_t)type};
  return tb_symbol_add(cubin, &symbol);
}

/* ---- functions ---- */

static tb_symbol function_of(tb_cubin *cubin, unsigned binding, uint8_t other) {
  const tb_symbol function = tb_function(cubin, "function", binding, NULL, 0, 24);
  tb_symbol_edit(cubin, function)->other |= other;
  return function;
}

MAKE(address_taken) {
  UNUSED;
  const tb_symbol function = function_of(cubin, TB_GLOBAL, 0);
  tb_prototype(cubin, function, "#ii");
  tb_address_taken(cubin, function, "#ii");
  return function;
}

MAKE(kernel) {
  UNUSED;
  return tb_kernel(cubin, "other_kernel", NULL, 0, 8);
}

MAKE(own_kernel) {
  (void)cubin;
  (void)shared_name;
  return kernel;
}

MAKE(undefined_function) {
  UNUSED;
  return tb_undefined_function(cubin, "nowhere");
}

MAKE(alias) {
  UNUSED;
  return tb_alias(cubin, "alias", function_of(cubin, TB_GLOBAL, 0), 0);
}

MAKE(weak_alias) {
  UNUSED;
  const tb_symbol alias = tb_alias(cubin, "alias", function_of(cubin, TB_GLOBAL, 0), 0);
  tb_symbol_edit(cubin, alias)->binding = TB_WEAK;
  return alias;
}

MAKE(shifted_alias) {
  UNUSED;
  const tb_symbol alias = tb_alias(cubin, "alias", function_of(cubin, TB_GLOBAL, 0), 16);
  tb_symbol_edit(cubin, alias)->other |= TB_ENTRY;
  return alias;
}

MAKE(label) {
  (void)shared_name;
  const tb_symbol_data symbol = {.name = ".L_x_0", .section = tb_section_of(cubin, kernel), .value = 16};
  return tb_symbol_add(cubin, &symbol);
}

/* ---- global memory ---- */

static tb_symbol global_of(tb_cubin *cubin, const void *init, unsigned binding, uint8_t other) {
  (void)tb_global(cubin, "global_before", TB_LOCAL, 24, 8, init);
  const tb_symbol global = tb_global(cubin, "global", binding, 16, 4, init);
  tb_symbol_edit(cubin, global)->other |= other;
  return global;
}

MAKE(global_section) {
  UNUSED;
  return tb_symbol_of_section(cubin, tb_section_of(cubin, global_of(cubin, matrix_words, TB_GLOBAL, 0)));
}

MAKE(plain_object) {
  UNUSED;
  const tb_symbol object = global_of(cubin, matrix_words, TB_GLOBAL, 0);
  tb_symbol_edit(cubin, object)->type = TB_OBJECT;
  tb_symbol_edit(cubin, object)->other = 0;
  return object;
}

MAKE(unallocated) {
  UNUSED;
  const tb_symbol global = global_of(cubin, matrix_words, TB_GLOBAL, 0);
  tb_symbol_edit(cubin, global)->value = UINT64_MAX;
  return global;
}

MAKE(tls) {
  UNUSED;
  const tb_symbol global = global_of(cubin, matrix_words, TB_GLOBAL, 0);
  tb_symbol_edit(cubin, global)->type = TLS;
  return global;
}

MAKE(common) {
  UNUSED;
  return tb_common(cubin, "common", 16, 8);
}

/* ---- constants ---- */

static tb_symbol constant_of(tb_cubin *cubin, unsigned binding) {
  (void)tb_constant(cubin, "constant_before", TB_LOCAL, 20, 4, matrix_words);
  return tb_constant(cubin, "constant", binding, 16, 4, matrix_words);
}

MAKE(constant_section) {
  UNUSED;
  return tb_symbol_of_section(cubin, tb_section_of(cubin, constant_of(cubin, TB_GLOBAL)));
}

MAKE(compiler_constant) {
  (void)shared_name;
  (void)tb_function_constant(cubin, kernel, matrix_words, 8, 4);
  return tb_function_constant(cubin, kernel, matrix_words + 2, 16, 4);
}

static tb_section parameter_section(tb_cubin *cubin, tb_symbol kernel) {
  char name[64];
  (void)snprintf(name, sizeof name, ".nv.constant0.%s", tb_symbol_edit(cubin, kernel)->name);
  return tb_section_find(cubin, name);
}

MAKE(parameters) {
  (void)shared_name;
  const tb_section section = parameter_section(cubin, kernel);
  const tb_symbol_data symbol = {.name = "own_param",
                                 .type = TB_CUDA_OBJECT,
                                 .other = TB_IN_CONSTANT | INTERNAL,
                                 .section = section,
                                 .value = 0x20,
                                 .size = 16};
  return tb_symbol_add(cubin, &symbol);
}

MAKE(parameter_section) {
  (void)shared_name;
  return tb_symbol_of_section(cubin, parameter_section(cubin, kernel));
}

/* ---- shared and local memory ---- */

MAKE(shared) {
  /* In the layout by alignment the first object stands in front of the second one. */
  char name[32];
  (void)snprintf(name, sizeof name, "before_%s", shared_name);
  (void)tb_shared(cubin, kernel, name, 48, 16);
  return tb_shared(cubin, kernel, shared_name, 12, 4);
}

MAKE(shared_section) {
  return tb_symbol_of_section(cubin, tb_section_of(cubin, make_shared(cubin, kernel, shared_name)));
}

MAKE(extern_shared) {
  (void)make_shared(cubin, kernel, shared_name);
  return tb_extern_shared(cubin, "dynamic");
}

MAKE(weak_extern_shared) {
  (void)make_shared(cubin, kernel, shared_name);
  return tb_undefined_data(cubin, "dynamic", TB_WEAK, TB_IN_SHARED, 0);
}

MAKE(local_memory) {
  (void)shared_name;
  char name[64];
  (void)snprintf(name, sizeof name, ".nv.local.%s", tb_symbol_edit(cubin, kernel)->name);
  const tb_section section = tb_section_add_with_symbol(cubin, TB_KIND_SHARED, name, NULL, 32);
  tb_section_data *data = tb_section_edit(cubin, section);
  data->type = LOCAL_SECTION;
  data->info_section = tb_section_of(cubin, kernel);
  data->flags |= 0x40;
  data->align = 8;
  const tb_symbol_data symbol = {
      .name = "local", .type = TB_CUDA_OBJECT, .other = IN_LOCAL_MEMORY, .section = section, .value = 8, .size = 8};
  return tb_symbol_add(cubin, &symbol);
}

/* ---- other sections, and symbols that stand nowhere ---- */

MAKE(text_section) {
  UNUSED;
  return tb_symbol_of_section(cubin, tb_section_of(cubin, function_of(cubin, TB_GLOBAL, 0)));
}

MAKE(debug_section) {
  UNUSED;
  return tb_symbol_of_section(cubin, tb_section_add(cubin, TB_KIND_DEBUG, ".debug_str", matrix_words, 32));
}

MAKE(null) {
  UNUSED;
  (void)cubin;
  return 0;
}

/* ---- classes of which a row says all ---- */

static tb_symbol form_function(tb_cubin *cubin, const matrix_form *form) {
  return function_of(cubin, form->binding, form->other);
}

static tb_symbol form_global(tb_cubin *cubin, const matrix_form *form) {
  return global_of(cubin, form->init, form->binding, form->other);
}

static tb_symbol form_constant(tb_cubin *cubin, const matrix_form *form) {
  return constant_of(cubin, form->binding);
}

/* A variable that another file may have. */
static tb_symbol form_mention(tb_cubin *cubin, const matrix_form *form) {
  return tb_undefined_data(cubin, form->name, form->binding, form->other, form->size);
}

static tb_symbol form_undefined(tb_cubin *cubin, const matrix_form *form) {
  return undefined_symbol(cubin, form->name, form->binding, form->type);
}

static tb_symbol form_absolute(tb_cubin *cubin, const matrix_form *form) {
  const tb_symbol symbol = form_undefined(cubin, form);
  tb_symbol_edit(cubin, symbol)->raw_section = TB_ABSOLUTE;
  return symbol;
}

/* A name that ptxas mentions in every file of sm_90, which is there already then. */
static tb_symbol form_reserved(tb_cubin *cubin, const matrix_form *form) {
  const tb_symbol found = tb_symbol_find(cubin, form->name);
  return found ? found : undefined_symbol(cubin, form->name, TB_WEAK, TB_OBJECT);
}

#define ROW(class, name, own, called) [MATRIX_##class] = {#name, make_##name, NULL, {0}, own, called}
#define FORM(class, name, called, form, ...) [MATRIX_##class] = {#name, NULL, form, {__VA_ARGS__}, false, called}

const matrix_class_row matrix_classes[MATRIX_CLASSES] = {
    FORM(CONSTANT, constant, false, form_constant, .binding = TB_GLOBAL),
    FORM(GLOBAL, global, false, form_global, .binding = TB_GLOBAL),
    FORM(GLOBAL_INIT, global_init, false, form_global, .init = matrix_words, .binding = TB_GLOBAL),
    ROW(SHARED, shared, true, false),
    FORM(FUNCTION, function, true, form_function, .binding = TB_GLOBAL),
    FORM(DEAD_FUNCTION, dead_function, false, form_function, .binding = TB_GLOBAL),
    ROW(EXTERN_SHARED, extern_shared, false, false),
    ROW(COMMON, common, false, false),
    ROW(ALIAS, alias, false, true),
    FORM(HIDDEN_FUNCTION, hidden_function, true, form_function, .binding = TB_GLOBAL, .other = HIDDEN),
    ROW(UNDEFINED_FUNCTION, undefined_function, false, false),
    FORM(WEAK_UNDEFINED_GLOBAL, weak_undefined_global, false, form_mention, .name = "nowhere", .binding = TB_WEAK,
         .other = TB_IN_GLOBAL, .size = 4),
    FORM(WEAK_UNDEFINED_CONSTANT, weak_undefined_constant, false, form_mention, .name = "nowhere", .binding = TB_WEAK,
         .other = TB_IN_CONSTANT, .size = 4),
    FORM(NOTYPE, notype, false, form_undefined, .name = "label", .binding = TB_GLOBAL, .type = TB_NOTYPE),
    ROW(CONSTANT_SECTION, constant_section, false, false),
    ROW(GLOBAL_SECTION, global_section, false, false),
    ROW(TEXT_SECTION, text_section, false, false),
    FORM(TEXTURE, texture, false, form_undefined, .name = "texture", .binding = TB_GLOBAL, .type = TB_TEXTURE),
    FORM(SAMPLER, sampler, false, form_undefined, .name = "sampler", .binding = TB_GLOBAL, .type = TB_SAMPLER),
    FORM(SURFACE, surface, false, form_undefined, .name = "surface", .binding = TB_GLOBAL, .type = TB_SURFACE),
    ROW(KERNEL, kernel, false, false),
    ROW(OWN_KERNEL, own_kernel, true, false),
    FORM(LOCAL_FUNCTION, local_function, true, form_function, .binding = TB_LOCAL),
    FORM(WEAK_FUNCTION, weak_function, true, form_function, .binding = TB_WEAK),
    FORM(INTERNAL_FUNCTION, internal_function, true, form_function, .binding = TB_GLOBAL, .other = INTERNAL),
    FORM(PROTECTED_FUNCTION, protected_function, true, form_function, .binding = TB_GLOBAL, .other = PROTECTED),
    ROW(ADDRESS_TAKEN, address_taken, false, false),
    FORM(WEAK_UNDEFINED_FUNCTION, weak_undefined_function, false, form_undefined, .name = "nowhere", .binding = TB_WEAK,
         .type = TB_FUNCTION),
    ROW(WEAK_ALIAS, weak_alias, false, true),
    ROW(SHIFTED_ALIAS, shifted_alias, false, true),
    ROW(LABEL, label, true, false),
    FORM(LOCAL_GLOBAL, local_global, false, form_global, .init = matrix_words, .binding = TB_LOCAL),
    FORM(WEAK_GLOBAL, weak_global, false, form_global, .init = matrix_words, .binding = TB_WEAK),
    FORM(HIDDEN_GLOBAL, hidden_global, false, form_global, .init = matrix_words, .binding = TB_GLOBAL, .other = HIDDEN),
    FORM(INTERNAL_GLOBAL, internal_global, false, form_global, .init = matrix_words, .binding = TB_GLOBAL,
         .other = INTERNAL),
    ROW(PLAIN_OBJECT, plain_object, false, false),
    FORM(MANAGED, managed, false, form_global, .binding = TB_GLOBAL, .other = TB_MANAGED),
    FORM(UNDEFINED_GLOBAL, undefined_global, false, form_mention, .name = "nowhere", .binding = TB_GLOBAL,
         .other = TB_IN_GLOBAL, .size = 4),
    FORM(OTHER_FILES_GLOBAL, other_files_global, false, form_mention, .name = "base_init", .binding = TB_GLOBAL,
         .other = TB_IN_GLOBAL, .size = 20),
    FORM(WEAK_UNDEFINED_OBJECT, weak_undefined_object, false, form_undefined, .name = "nowhere", .binding = TB_WEAK,
         .type = TB_OBJECT),
    FORM(LOCAL_CONSTANT, local_constant, false, form_constant, .binding = TB_LOCAL),
    FORM(UNDEFINED_CONSTANT, undefined_constant, false, form_mention, .name = "nowhere", .binding = TB_GLOBAL,
         .other = TB_IN_CONSTANT, .size = 4),
    FORM(OTHER_FILES_CONSTANT, other_files_constant, false, form_mention, .name = "base_constant", .binding = TB_GLOBAL,
         .other = TB_IN_CONSTANT, .size = 12),
    ROW(COMPILER_CONSTANT, compiler_constant, true, false),
    ROW(PARAMETERS, parameters, true, false),
    ROW(PARAMETER_SECTION, parameter_section, true, false),
    ROW(SHARED_SECTION, shared_section, true, false),
    ROW(WEAK_EXTERN_SHARED, weak_extern_shared, false, false),
    ROW(LOCAL_MEMORY, local_memory, true, false),
    ROW(DEBUG_SECTION, debug_section, false, false),
    FORM(ABSOLUTE, absolute, false, form_absolute, .name = "absolute", .binding = TB_GLOBAL, .type = TB_OBJECT),
    ROW(UNALLOCATED, unallocated, false, false),
    FORM(FILE, file, false, form_absolute, .name = "file.cu", .binding = TB_LOCAL, .type = TB_FILE),
    ROW(TLS, tls, false, false),
    ROW(NULL, null, false, false),
    [MATRIX_OUT_OF_RANGE] = {.name = "out_of_range", .make = make_null},
    FORM(RESERVED_SHARED, reserved_shared, false, form_reserved, .name = ".nv.reservedSmem.offset0"),
    FORM(TABLE_OFFSET, table_offset, false, form_reserved, .name = "__UFT_OFFSET"),
    FORM(TABLE, table, false, form_reserved, .name = "__UFT"),
    FORM(UNIFIED_FUNCTION, unified_function, false, form_function, .binding = TB_GLOBAL, .other = TB_ENTRY),
    FORM(UNIFIED_DATA, unified_data, false, form_global, .init = matrix_words, .binding = TB_GLOBAL, .other = TB_ENTRY),
};
