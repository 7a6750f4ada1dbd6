/* The shapes, made with the cubin builder. Most are spread over files of SHAPE_UNITS things each, since the builder, which
 * is plain, is slow with very large cubins. */
#include "tests/harness/harness.h"
#include "tests/shapes/shapes.h"
#include "tests/support/cubin_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SHAPE_UNITS = 250, SHAPE_SM = 90, EIATTR_EXTERNS = 0x0f, R_ABS32_32 = 55, NAME_ROOM = 64, CODE_ROOM = 128 };

static const char *shape_name(char text[NAME_ROOM], const char *format, unsigned number) {
  (void)snprintf(text, NAME_ROOM, "%s%u", format, number);
  return text;
}

static void shape_add(shape_inputs *inputs, tb_cubin *cubin) {
  char path[NAME_ROOM];
  size_t size = 0;
  uint8_t *const bytes = tb_finish(cubin, &size);
  tb_free(cubin);
  inputs->items = harness_grow(inputs->items, (inputs->count + 1) * sizeof *inputs->items);
  (void)snprintf(path, sizeof path, "shape%zu.cubin", inputs->count);
  inputs->items[inputs->count++] = (tl_input){.path = strdup(path), .data = bytes, .size = size};
  inputs->bytes += size;
}

void shape_free(shape_inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++) {
    free((char *)inputs->items[i].path);
    free((void *)inputs->items[i].data);
  }
  free(inputs->items);
  *inputs = (shape_inputs){0};
}

static unsigned shape_root(unsigned count) {
  unsigned root = 1;
  while ((root + 1) * (root + 1) <= count)
    root++;
  return root;
}

/* A kernel calls f0, and each function the next. */
static void shape_chain(shape_inputs *inputs, unsigned count) {
  char name[NAME_ROOM];
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    tb_symbol caller = start ? 0 : tb_kernel(cubin, "k", NULL, 0, 8);
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++) {
      const tb_symbol f = tb_function(cubin, shape_name(name, "f", i), TB_GLOBAL, NULL, 0, 8);
      if (caller)
        tb_call(cubin, caller, f);
      caller = f;
    }
    if (start + SHAPE_UNITS < count)
      tb_call(cubin, caller, tb_undefined_function(cubin, shape_name(name, "f", start + SHAPE_UNITS)));
    shape_add(inputs, cubin);
  }
}

/* Local functions of one name, all called. */
static void shape_names(shape_inputs *inputs, unsigned count) {
  char name[NAME_ROOM];
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    const tb_symbol kernel = tb_kernel(cubin, shape_name(name, "k", start), NULL, 0, 8);
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++)
      tb_call(cubin, kernel, tb_function(cubin, "same", TB_LOCAL, NULL, 0, 8));
    shape_add(inputs, cubin);
  }
}

/* Variables whose names have the same low bits under the hash that the linker uses, without its seed. */
static void shape_collisions(shape_inputs *inputs, unsigned count) {
  static const uint8_t value[4] = {1};
  char name[NAME_ROOM];
  unsigned number = 0;
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++) {
      do
        (void)shape_name(name, "v", number++);
      while (XXH3_64bits(name, strlen(name)) & 0xfff);
      (void)tb_global(cubin, name, TB_GLOBAL, sizeof value, 4, value);
    }
    shape_add(inputs, cubin);
  }
}

/* Kernels that all call one function, which calls all leaves; each leaf needs vprintf. */
static void shape_star(shape_inputs *inputs, unsigned count) {
  char name[NAME_ROOM];
  const unsigned half = count / 2;
  for (unsigned start = 0; start < half; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    const unsigned end = start + SHAPE_UNITS < half ? start + SHAPE_UNITS : half;
    const tb_symbol hub =
        start ? tb_undefined_function(cubin, "hub") : tb_function(cubin, "hub", TB_GLOBAL, NULL, 0, 8);
    for (unsigned i = start; i < end; i++)
      tb_call(cubin, tb_kernel(cubin, shape_name(name, "k", i), NULL, 0, 8), hub);
    for (unsigned i = 0; !start && i < half; i += SHAPE_UNITS)
      tb_call(cubin, hub, tb_undefined_function(cubin, shape_name(name, "spread", i)));
    shape_add(inputs, cubin);
  }
  for (unsigned start = 0; start < half; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    const unsigned end = start + SHAPE_UNITS < half ? start + SHAPE_UNITS : half;
    const tb_symbol spread = tb_function(cubin, shape_name(name, "spread", start), TB_GLOBAL, NULL, 0, 8);
    const tb_symbol print = tb_undefined_function(cubin, "vprintf");
    for (unsigned i = start; i < end; i++) {
      const tb_symbol leaf = tb_function(cubin, shape_name(name, "leaf", i), TB_GLOBAL, NULL, 0, 8);
      tb_call(cubin, spread, leaf);
      tb_call(cubin, leaf, print);
      tb_attribute_symbols(cubin, leaf, EIATTR_EXTERNS, &print, 1, NULL, 0);
    }
    shape_add(inputs, cubin);
  }
}

/* Every function calls every other: `count` edges. */
static void shape_complete(shape_inputs *inputs, unsigned count) {
  char name[NAME_ROOM];
  const unsigned nodes = shape_root(count);
  tb_symbol *const functions = harness_grow(NULL, (nodes + 1) * sizeof *functions);
  tb_cubin *const cubin = tb_new(SHAPE_SM);
  functions[nodes] = tb_kernel(cubin, "k", NULL, 0, 8);
  for (unsigned i = 0; i < nodes; i++)
    functions[i] = tb_function(cubin, shape_name(name, "f", i), TB_GLOBAL, NULL, 0, 8);
  tb_call(cubin, functions[nodes], functions[0]);
  for (unsigned i = 0; i < nodes; i++)
    for (unsigned j = 0; j < nodes; j++)
      if (i != j)
        tb_call(cubin, functions[i], functions[j]);
  free(functions);
  shape_add(inputs, cubin);
}

/* As many kernels as shared objects, and each kernel refers to each object: `count` relocations. */
static void shape_shared(shape_inputs *inputs, unsigned count) {
  static const uint8_t zeros[1 << 14];
  char name[NAME_ROOM];
  const unsigned side = shape_root(count) < 1000 ? shape_root(count) : 1000;
  tb_symbol *const objects = harness_grow(NULL, side * sizeof *objects);
  tb_cubin *const cubin = tb_new(SHAPE_SM);
  for (unsigned i = 0; i < side; i++)
    objects[i] = tb_shared(cubin, 0, shape_name(name, "s", i), 4, 4);
  for (unsigned k = 0; k < side; k++) {
    const tb_symbol kernel = tb_kernel(cubin, shape_name(name, "k", k), zeros, 16 * (side + 1), 8);
    const tb_section text = tb_section_of(cubin, kernel);
    for (unsigned i = 0; i < side; i++)
      tb_rela(cubin, text, 16 * (uint64_t)i, R_ABS32_32, objects[i], 0);
  }
  free(objects);
  shape_add(inputs, cubin);
}

/* Relocations that all fall on one word. */
static void shape_word(shape_inputs *inputs, unsigned count) {
  static const uint8_t zeros[CODE_ROOM];
  tb_cubin *const cubin = tb_new(SHAPE_SM);
  const tb_symbol kernel = tb_kernel(cubin, "k", zeros, sizeof zeros, 8);
  const tb_symbol object = tb_shared(cubin, kernel, "s", 64, 16);
  for (unsigned i = 0; i < count; i++)
    tb_rela(cubin, tb_section_of(cubin, kernel), 0, R_ABS32_32, object, (int64_t)(i % 64));
  shape_add(inputs, cubin);
}

/* Aliases of one function in each file, called one from another. */
static void shape_aliases(shape_inputs *inputs, unsigned count) {
  char name[NAME_ROOM];
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    tb_symbol caller = tb_kernel(cubin, shape_name(name, "k", start), NULL, 0, 8);
    const tb_symbol f = tb_function(cubin, shape_name(name, "f", start), TB_GLOBAL, NULL, 0, 8);
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++) {
      const tb_symbol alias = tb_alias(cubin, shape_name(name, "a", i), f, 0);
      tb_call(cubin, caller, alias);
      caller = alias;
    }
    shape_add(inputs, cubin);
  }
}

/* Weak functions with constants of their own in eight files each, every body better than the one before. */
static void shape_weak(shape_inputs *inputs, unsigned count) {
  enum { BODIES = 8, NAMES = 50 };
  static const uint8_t constant[16] = {1, 2, 3};
  char name[NAME_ROOM];
  for (unsigned start = 0; start < count / BODIES; start += NAMES)
    for (unsigned body = 0; body < BODIES; body++) {
      tb_cubin *const cubin = tb_new(SHAPE_SM);
      const tb_symbol kernel = body ? 0 : tb_kernel(cubin, shape_name(name, "k", start), NULL, 0, 8);
      for (unsigned i = start; i < count / BODIES && i < start + NAMES; i++) {
        const tb_symbol f = tb_function(cubin, shape_name(name, "w", i), TB_WEAK, NULL, 0, 40 - 2 * body);
        (void)tb_function_constant(cubin, f, constant, sizeof constant, 8);
        if (kernel)
          tb_call(cubin, kernel, f);
      }
      shape_add(inputs, cubin);
    }
}

/* Local functions of one name, each with constants of its own: blocks whose sections have one name (L73). */
static void shape_blocks(shape_inputs *inputs, unsigned count) {
  uint8_t constant[16] = {0};
  char name[NAME_ROOM];
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    const tb_symbol kernel = tb_kernel(cubin, shape_name(name, "k", start), NULL, 0, 8);
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++) {
      const tb_symbol f = tb_function(cubin, "same", TB_LOCAL, NULL, 0, 8);
      memcpy(constant, &i, sizeof i);
      (void)tb_function_constant(cubin, f, constant, sizeof constant, 8);
      tb_call(cubin, kernel, f);
    }
    shape_add(inputs, cubin);
  }
}

/* Functions whose names have a thousand letters. */
static void shape_strings(shape_inputs *inputs, unsigned count) {
  enum { LETTERS = 1000 };
  char name[NAME_ROOM], text[LETTERS + NAME_ROOM];
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    const tb_symbol kernel = tb_kernel(cubin, shape_name(name, "k", start), NULL, 0, 8);
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++) {
      memset(text, 'a' + (int)(i % 3), LETTERS);
      (void)snprintf(text + LETTERS, NAME_ROOM, "%u", i);
      tb_call(cubin, kernel, tb_function(cubin, text, TB_GLOBAL, NULL, 0, 8));
    }
    shape_add(inputs, cubin);
  }
}

/* Sections of one byte. From 65,280 on their numbers do not fit (X1, L400): the output then shows D21 and D30. */
static void shape_tiny(shape_inputs *inputs, unsigned count) {
  char name[NAME_ROOM];
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++)
      (void)tb_section_add_with_symbol(cubin, TB_KIND_DEBUG, shape_name(name, ".debug_x", i), "x", 1);
    shape_add(inputs, cubin);
  }
}

/* Shared objects that two kernels both refer to, so that no two can lie on one place. */
static void shape_pool(shape_inputs *inputs, unsigned count) {
  char name[NAME_ROOM];
  uint8_t *const zeros = memset(harness_grow(NULL, 16 * ((size_t)count + 1)), 0, 16 * ((size_t)count + 1));
  tb_cubin *const cubin = tb_new(SHAPE_SM);
  const tb_symbol kernels[] = {tb_kernel(cubin, "k0", zeros, 16 * ((size_t)count + 1), 8),
                               tb_kernel(cubin, "k1", zeros, 16 * ((size_t)count + 1), 8)};
  for (unsigned i = 0; i < count; i++) {
    const tb_symbol object = tb_shared(cubin, 0, shape_name(name, "s", i), 1, 1);
    for (unsigned k = 0; k < 2; k++)
      tb_rela(cubin, tb_section_of(cubin, kernels[k]), 16 * (uint64_t)i, R_ABS32_32, object, 0);
  }
  free(zeros);
  shape_add(inputs, cubin);
}

/* Records of mbarriers in one function, which all count, and records in the kernels that call it. */
static void shape_records(shape_inputs *inputs, unsigned count) {
  enum { NUM_MBARRIERS = 0x38, OTHER = 0x36, HALF_WORD = 3 };
  tb_cubin *const cubin = tb_new(SHAPE_SM);
  const tb_symbol f = tb_function(cubin, "f", TB_GLOBAL, NULL, 0, 8);
  const tb_symbol kernels[] = {tb_kernel(cubin, "k0", NULL, 0, 8), tb_kernel(cubin, "k1", NULL, 0, 8)};
  for (unsigned k = 0; k < 2; k++)
    tb_call(cubin, kernels[k], f);
  for (unsigned i = 0; i < count / 2; i++) {
    tb_attribute_value(cubin, kernels[i % 2], HALF_WORD, OTHER, 8);
    tb_attribute_value(cubin, f, HALF_WORD, NUM_MBARRIERS, 1);
  }
  shape_add(inputs, cubin);
}

/* `count` kernels, and behind them a chain of as many functions; `kernels` makes a kernel that calls the first function,
 * `finish` sees each function. */
static void shape_add_chain(shape_inputs *inputs, unsigned count, void (*kernels)(tb_cubin *, tb_symbol, unsigned),
                            void (*finish)(tb_cubin *, tb_symbol, unsigned, unsigned)) {
  char name[NAME_ROOM];
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    const tb_symbol first = tb_undefined_function(cubin, "f0");
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++)
      kernels(cubin, first, i);
    shape_add(inputs, cubin);
  }
  for (unsigned start = 0; start < count; start += SHAPE_UNITS) {
    tb_cubin *const cubin = tb_new(SHAPE_SM);
    tb_symbol caller = 0;
    for (unsigned i = start; i < count && i < start + SHAPE_UNITS; i++) {
      const tb_symbol f = tb_function(cubin, shape_name(name, "f", i), TB_GLOBAL, NULL, 0, 8);
      if (caller)
        tb_call(cubin, caller, f);
      finish(cubin, f, i, count);
      caller = f;
    }
    if (start + SHAPE_UNITS < count)
      tb_call(cubin, caller, tb_undefined_function(cubin, shape_name(name, "f", start + SHAPE_UNITS)));
    shape_add(inputs, cubin);
  }
}

static tb_symbol shape_calling_kernel(tb_cubin *cubin, tb_symbol callee, unsigned number) {
  char name[NAME_ROOM];
  const tb_symbol kernel = tb_kernel(cubin, shape_name(name, "k", number), NULL, 0, 8);
  tb_call(cubin, kernel, callee);
  return kernel;
}

static void shape_kernel(tb_cubin *cubin, tb_symbol callee, unsigned number) {
  (void)shape_calling_kernel(cubin, callee, number);
}

/* As many kernels as functions in a chain, and a reference to shared memory at the far end. */
static void shape_far_function(tb_cubin *cubin, tb_symbol function, unsigned number, unsigned count) {
  if (number + 1 == count)
    tb_rela(cubin, tb_section_of(cubin, function), 0, R_ABS32_32, tb_shared(cubin, 0, "s", 4, 4), 0);
}

static void shape_far(shape_inputs *inputs, unsigned count) {
  shape_add_chain(inputs, count / 2, shape_kernel, shape_far_function);
}

/* Kernels with fewer registers than they may have, and functions with ever more: two steps a kernel (E34). */
static void shape_limited_kernel(tb_cubin *cubin, tb_symbol callee, unsigned number) {
  enum { MAXREG_COUNT = 0x1b, HALF_WORD = 3, MOST = 16 };
  tb_attribute_value(cubin, shape_calling_kernel(cubin, callee, number), HALF_WORD, MAXREG_COUNT, MOST);
}

static void shape_greedy_function(tb_cubin *cubin, tb_symbol function, unsigned number, unsigned count) {
  tb_set_registers(cubin, function, number < count / 2 ? 20 : 24 + number % 2);
}

static void shape_registers(shape_inputs *inputs, unsigned count) {
  shape_add_chain(inputs, count / 2, shape_limited_kernel, shape_greedy_function);
}

/* Functions that ask for caching, and one at the end that does not want any (L260). */
static void shape_ask(tb_cubin *cubin, tb_symbol function, bool on) {
  enum { LOAD_CACHE_REQUEST = 0x26 };
  const uint8_t word[4] = {on};
  tb_attribute_symbols(cubin, 0, LOAD_CACHE_REQUEST, &function, 1, word, sizeof word);
}

static void shape_asking_function(tb_cubin *cubin, tb_symbol function, unsigned number, unsigned count) {
  shape_ask(cubin, function, number + 1 != count);
}

/* Every other kernel has a request of its own. */
static void shape_asking_kernel(tb_cubin *cubin, tb_symbol callee, unsigned number) {
  const tb_symbol kernel = shape_calling_kernel(cubin, callee, number);
  if (number % 2)
    shape_ask(cubin, kernel, true);
}

static void shape_caching(shape_inputs *inputs, unsigned count) {
  shape_add_chain(inputs, count / 2, shape_asking_kernel, shape_asking_function);
}

/* Kernels that call themselves, whose texts and records come before those of the functions. */
static tb_symbol shape_selfish_kernel(tb_cubin *cubin, tb_symbol callee, unsigned number) {
  enum { NUM_BARRIERS = 0x4c, BYTE = 2 };
  const tb_symbol kernel = shape_calling_kernel(cubin, callee, number);
  tb_call(cubin, kernel, kernel);
  tb_attribute_value(cubin, kernel, BYTE, NUM_BARRIERS, 9);
  return kernel;
}

static void shape_counted_kernel(tb_cubin *cubin, tb_symbol callee, unsigned number) {
  (void)shape_selfish_kernel(cubin, callee, number);
}

/* With a second frame size instead of a count of registers, which is an error (E60, L43). */
static void shape_uncounted_kernel(tb_cubin *cubin, tb_symbol callee, unsigned number) {
  enum { FRAME_SIZE = 0x11 };
  (void)shape_selfish_kernel(cubin, callee, number);
  tb_section_edit(cubin, tb_section_find(cubin, ".nv.info"))->bytes[1] = FRAME_SIZE;
}

static void shape_modest_function(tb_cubin *cubin, tb_symbol function, unsigned number, unsigned count) {
  enum { NUM_BARRIERS = 0x4c, BYTE = 2 };
  (void)count;
  tb_attribute_value(cubin, function, BYTE, NUM_BARRIERS, (uint16_t)(1 + number % 7));
}

static void shape_selfish(shape_inputs *inputs, unsigned count) {
  shape_add_chain(inputs, count / 2, shape_counted_kernel, shape_modest_function);
}

static void shape_uncounted(shape_inputs *inputs, unsigned count) {
  shape_add_chain(inputs, count / 2, shape_uncounted_kernel, shape_modest_function);
}

/* Local variables of one name, which has as many letters as there are variables. */
static void shape_one_string(shape_inputs *inputs, unsigned count) {
  char *const name = memset(harness_grow(NULL, (size_t)count + 1), 'a', count);
  name[count] = '\0';
  tb_cubin *const cubin = tb_new(SHAPE_SM);
  (void)tb_kernel(cubin, "k", NULL, 0, 8);
  for (unsigned i = 0; i < count; i++)
    (void)tb_global(cubin, name, TB_LOCAL, 4, 4, NULL);
  free(name);
  shape_add(inputs, cubin);
}

const shape shapes[] = {
    {"chain", "calls, one from another", shape_chain, 1000, 50000, false},
    {"names", "local functions of one name", shape_names, 1000, 50000, false},
    {"collisions", "names whose hashes have the same low bits", shape_collisions, 1000, 20000, false},
    {"star", "kernels and leaves on one hub", shape_star, 1000, 20000, false},
    {"complete", "calls of every function by every other", shape_complete, 1600, 40000, false},
    {"shared", "references of every kernel to every shared object", shape_shared, 900, 22500, false},
    {"word", "relocations of one word", shape_word, 10000, 100000, false},
    {"aliases", "aliases, called one from another", shape_aliases, 1000, 50000, false},
    {"weak", "weak bodies, each better than the one before", shape_weak, 1600, 40000, false},
    {"blocks", "local functions of one name with constants", shape_blocks, 1000, 40000, false},
    {"strings", "functions with names of 1,000 letters", shape_strings, 500, 5000, false},
    {"tiny", "sections of one byte", shape_tiny, 1000, 100000, false},
    {"sections", "sections, more than an ELF header can count", shape_tiny, 66000, 140000, false},
    {"pool", "shared objects of two kernels", shape_pool, 1000, 20000, false},
    {"records", "records of kernels and of a function that they call", shape_records, 1000, 100000, false},
    {"verbose", "kernels and leaves on one hub, with -v", shape_star, 1000, 20000, true},
    {"far", "kernels and shared memory at the two ends of a chain", shape_far, 1000, 60000, false},
    {"registers", "kernels and a chain of functions with more registers", shape_registers, 1000, 60000, false},
    {"caching", "kernels and a chain of functions that ask for caching", shape_caching, 1000, 60000, false},
    {"selfish", "kernels that call themselves and a chain", shape_selfish, 1000, 60000, false},
    {"uncounted", "the same without counts of registers", shape_uncounted, 1000, 60000, false},
    {"one_string", "symbols with one name of as many letters", shape_one_string, 2000, 40000, false},
};
const size_t shape_count = sizeof shapes / sizeof *shapes;
