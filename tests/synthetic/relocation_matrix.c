/* How the target of each class is made. A target is made once for both kernels, but for shared objects, of which each
 * kernel has its own. */
#include "relocation_matrix.h"

#include "tests/support/cubin_builder.h"

#include <stdio.h>

enum { SLOT_BYTES = 32, CODE_BYTES = MATRIX_TYPES * SLOT_BYTES + 128 };

const char *const matrix_class_names[MATRIX_CLASSES] = {"constant",
                                                        "global",
                                                        "global_init",
                                                        "shared",
                                                        "function",
                                                        "dead_function",
                                                        "extern_shared",
                                                        "common",
                                                        "alias",
                                                        "hidden_function",
                                                        "undefined_function",
                                                        "weak_undefined_global",
                                                        "weak_undefined_constant",
                                                        "notype",
                                                        "constant_section",
                                                        "global_section",
                                                        "text_section",
                                                        "texture",
                                                        "sampler",
                                                        "surface"};

static const uint32_t words[8] = {0x11111111, 0x22222222, 0x33333333, 0x44444444,
                                  0x55555555, 0x66666666, 0x77777777, 0x88888888};

/* Bytes that look random and depend on nothing but `seed`. */
static void matrix_fill(uint8_t *code, size_t size, uint32_t seed) {
  uint32_t state = seed * 2654435761u + 12345u;
  for (size_t i = 0; i < size; i++) {
    state = state * 1664525u + 1013904223u;
    code[i] = (uint8_t)(state >> 24);
  }
}

static int64_t matrix_addend(unsigned type) {
  return (int64_t)((uint64_t)(type + 1) * 0x0123456789abcdefu);
}

static tb_symbol matrix_undefined(tb_cubin *cubin, const char *name, unsigned binding, unsigned type) {
  const tb_symbol_data symbol = {.name = name, .binding = (uint8_t)binding, .type = (uint8_t)type};
  return tb_symbol_add(cubin, &symbol);
}

static tb_symbol matrix_shared(tb_cubin *cubin, tb_symbol kernel, const char *shared_name) {
  /* In the layout by alignment the first object stands in front of the second one. */
  char name[32];
  (void)snprintf(name, sizeof name, "before_%s", shared_name);
  (void)tb_shared(cubin, kernel, name, 48, 16);
  return tb_shared(cubin, kernel, shared_name, 12, 4);
}

static tb_symbol matrix_constant(tb_cubin *cubin) {
  (void)tb_constant(cubin, "constant_before", TB_LOCAL, 20, 4, words);
  return tb_constant(cubin, "constant", TB_GLOBAL, 16, 4, words);
}

static tb_symbol matrix_global(tb_cubin *cubin, const void *init) {
  (void)tb_global(cubin, "global_before", TB_LOCAL, 24, 8, init);
  return tb_global(cubin, "global", TB_GLOBAL, 16, 4, init);
}

static tb_symbol matrix_function(tb_cubin *cubin, uint8_t other) {
  const tb_symbol function = tb_function(cubin, "function", TB_GLOBAL, NULL, 0, 24);
  tb_symbol_edit(cubin, function)->other |= other;
  return function;
}

/* The symbol that the entries of one kernel are against. */
static tb_symbol matrix_target(tb_cubin *cubin, matrix_class kind, tb_symbol kernel, const char *shared_name) {
  switch (kind) {
  case MATRIX_CONSTANT:
    return matrix_constant(cubin);
  case MATRIX_CONSTANT_SECTION:
    return tb_symbol_of_section(cubin, tb_section_of(cubin, matrix_constant(cubin)));
  case MATRIX_GLOBAL:
    return matrix_global(cubin, NULL);
  case MATRIX_GLOBAL_INIT:
    return matrix_global(cubin, words);
  case MATRIX_GLOBAL_SECTION:
    return tb_symbol_of_section(cubin, tb_section_of(cubin, matrix_global(cubin, words)));
  case MATRIX_SHARED:
    return matrix_shared(cubin, kernel, shared_name);
  case MATRIX_EXTERN_SHARED:
    (void)matrix_shared(cubin, kernel, shared_name);
    return tb_extern_shared(cubin, "dynamic");
  case MATRIX_COMMON:
    return tb_common(cubin, "common", 16, 8);
  case MATRIX_ALIAS:
    return tb_alias(cubin, "alias", matrix_function(cubin, 0), 0);
  case MATRIX_HIDDEN_FUNCTION:
    return matrix_function(cubin, 2);
  case MATRIX_TEXT_SECTION:
    return tb_symbol_of_section(cubin, tb_section_of(cubin, matrix_function(cubin, 0)));
  case MATRIX_UNDEFINED_FUNCTION:
    return tb_undefined_function(cubin, "nowhere");
  case MATRIX_WEAK_UNDEFINED_GLOBAL:
    return tb_undefined_data(cubin, "nowhere", TB_WEAK, TB_IN_GLOBAL, 4);
  case MATRIX_WEAK_UNDEFINED_CONSTANT:
    return tb_undefined_data(cubin, "nowhere", TB_WEAK, TB_IN_CONSTANT, 4);
  case MATRIX_NOTYPE:
    return matrix_undefined(cubin, "label", TB_GLOBAL, TB_NOTYPE);
  case MATRIX_TEXTURE:
    return matrix_undefined(cubin, "texture", TB_GLOBAL, TB_TEXTURE);
  case MATRIX_SAMPLER:
    return matrix_undefined(cubin, "sampler", TB_GLOBAL, TB_SAMPLER);
  case MATRIX_SURFACE:
    return matrix_undefined(cubin, "surface", TB_GLOBAL, TB_SURFACE);
  default:
    return matrix_function(cubin, 0);
  }
}

static void matrix_entries(tb_cubin *cubin, const matrix_request *request, tb_symbol kernel, tb_symbol target,
                           bool rela) {
  const tb_section text = tb_section_of(cubin, kernel);
  for (size_t i = 0; i < request->type_count; i++) {
    if (rela)
      tb_rela(cubin, text, i * SLOT_BYTES, request->types[i], target, matrix_addend(request->types[i]));
    else
      tb_rel(cubin, text, i * SLOT_BYTES, request->types[i], target);
  }
}

static tb_symbol matrix_kernel(tb_cubin *cubin, const matrix_request *request, const char *name, uint32_t seed) {
  uint8_t code[CODE_BYTES];
  const size_t size = (request->type_count * SLOT_BYTES + 127) / 128 * 128;
  matrix_fill(code, sizeof code, seed);
  return tb_kernel(cubin, name, code, size, 32);
}

uint8_t *matrix_build(const matrix_request *request, size_t *size) {
  tb_cubin *cubin = tb_new(request->sm);
  tb_symbol target = 0;
  for (int rel = 0; rel < 2; rel++) {
    if (rel ? !request->rel : !request->rela)
      continue;
    const tb_symbol kernel = matrix_kernel(cubin, request, rel ? "k_rel" : "k_rela", 1u + (unsigned)rel);
    if (!target || request->kind == MATRIX_SHARED)
      target = matrix_target(cubin, request->kind, kernel, rel ? "shared_rel" : "shared_rela");
    if (request->kind == MATRIX_FUNCTION || request->kind == MATRIX_ALIAS || request->kind == MATRIX_HIDDEN_FUNCTION)
      tb_call(cubin, kernel, target);
    matrix_entries(cubin, request, kernel, target, !rel);
  }
  uint8_t *bytes = tb_finish(cubin, size);
  tb_free(cubin);
  return bytes;
}

uint8_t *matrix_build_base(unsigned sm, size_t *size) {
  tb_cubin *cubin = tb_new(sm);
  (void)tb_kernel(cubin, "k_base", NULL, 0, 8);
  (void)tb_constant(cubin, "base_constant", TB_GLOBAL, 12, 4, words);
  (void)tb_global(cubin, "base_global", TB_GLOBAL, 28, 4, NULL);
  (void)tb_global(cubin, "base_init", TB_GLOBAL, 20, 4, words);
  uint8_t *bytes = tb_finish(cubin, size);
  tb_free(cubin);
  return bytes;
}
