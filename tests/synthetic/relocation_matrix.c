#include "relocation_matrix.h"

#include "tests/support/cubin_builder.h"

#include <stdio.h>

enum { SLOT_BYTES = 32, CODE_BYTES = MATRIX_TYPES * SLOT_BYTES + 128 };

const char *const matrix_class_names[MATRIX_CLASSES] = {"constant", "global",   "global_init",
                                                        "shared",   "function", "dead_function"};

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

/* The symbol that the entries of one kernel are against. */
static tb_symbol matrix_target(tb_cubin *cubin, matrix_class kind, tb_symbol kernel, const char *shared_name) {
  switch (kind) {
  case MATRIX_CONSTANT:
    (void)tb_constant(cubin, "constant_before", TB_LOCAL, 20, 4, words);
    return tb_constant(cubin, "constant", TB_GLOBAL, 16, 4, words);
  case MATRIX_GLOBAL:
    (void)tb_global(cubin, "global_before", TB_LOCAL, 24, 8, NULL);
    return tb_global(cubin, "global", TB_GLOBAL, 16, 4, NULL);
  case MATRIX_GLOBAL_INIT:
    (void)tb_global(cubin, "global_before", TB_LOCAL, 24, 8, words);
    return tb_global(cubin, "global", TB_GLOBAL, 16, 4, words);
  case MATRIX_SHARED: {
    /* In the layout by alignment the first object stands in front of the second one. */
    char name[32];
    (void)snprintf(name, sizeof name, "before_%s", shared_name);
    (void)tb_shared(cubin, kernel, name, 48, 16);
    return tb_shared(cubin, kernel, shared_name, 12, 4);
  }
  default:
    return tb_function(cubin, "function", TB_GLOBAL, NULL, 0, 24);
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
    if (request->kind == MATRIX_FUNCTION)
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
