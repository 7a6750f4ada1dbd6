/* The cubins of the matrix: kernels full of entries against one symbol. A target is made once for both kernels, but for those
 * of which each kernel has its own. */
#include "relocation_matrix.h"

#include <stdio.h>

enum { CODE_BYTES = MATRIX_TYPES * MATRIX_SLOT_BYTES + 128, RELA_BYTES = 24, REL_BYTES = 16, SYMBOL_AT = 12 };
static const uint32_t far_symbol = 0xfffff0; /* behind any table */

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

/* Gives the entry that was added last a symbol that is not in the table. */
static void matrix_point_far(tb_cubin *cubin, const char *kernel, size_t entry, bool rela) {
  char name[64];
  (void)snprintf(name, sizeof name, ".%s.text.%s", rela ? "rela" : "rel", kernel);
  tb_override(cubin, TB_PLACE_SECTION, tb_section_find(cubin, name),
              entry * (rela ? RELA_BYTES : REL_BYTES) + SYMBOL_AT, 4, far_symbol);
}

static void matrix_entries(tb_cubin *cubin, const matrix_request *request, tb_symbol kernel, tb_symbol target,
                           bool rela) {
  const tb_section text = tb_section_of(cubin, kernel);
  for (size_t i = 0; i < request->type_count; i++) {
    const int64_t addend = matrix_addend(request->types[i]);
    if (rela)
      tb_rela(cubin, text, i * MATRIX_SLOT_BYTES, request->types[i], target,
              request->inverted && i + 1 == request->type_count ? ~addend : addend);
    else
      tb_rel(cubin, text, i * MATRIX_SLOT_BYTES, request->types[i], target);
    if (request->kind == MATRIX_OUT_OF_RANGE)
      matrix_point_far(cubin, tb_symbol_edit(cubin, kernel)->name, i, rela);
  }
}

static tb_symbol matrix_kernel(tb_cubin *cubin, const matrix_request *request, const char *name, uint32_t seed) {
  uint8_t code[CODE_BYTES];
  const size_t size = (request->type_count * MATRIX_SLOT_BYTES + 127) / 128 * 128;
  matrix_fill(code, sizeof code, seed);
  for (size_t i = 0, last = (request->type_count - 1) * MATRIX_SLOT_BYTES; request->inverted && i < MATRIX_SLOT_BYTES;
       i++)
    code[last + i] = (uint8_t)~code[i];
  return tb_kernel(cubin, name, code, size, 32);
}

uint8_t *matrix_build(const matrix_request *request, size_t *size) {
  const matrix_class_row *const row = &matrix_classes[request->kind];
  tb_cubin *cubin = tb_new(request->sm);
  tb_symbol target = 0;
  for (int rel = 0; rel < 2; rel++) {
    if (rel ? !request->rel : !request->rela)
      continue;
    const tb_symbol kernel = matrix_kernel(cubin, request, rel ? "k_rel" : "k_rela", 1u + (unsigned)rel);
    if (!target || row->own)
      target = row->form ? row->form(cubin, &row->with) : row->make(cubin, kernel, rel ? "shared_rel" : "shared_rela");
    if (row->called)
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
  (void)tb_constant(cubin, "base_constant", TB_GLOBAL, 12, 4, matrix_words);
  (void)tb_global(cubin, "base_global", TB_GLOBAL, 28, 4, NULL);
  (void)tb_global(cubin, "base_init", TB_GLOBAL, 20, 4, matrix_words);
  uint8_t *bytes = tb_finish(cubin, size);
  tb_free(cubin);
  return bytes;
}
