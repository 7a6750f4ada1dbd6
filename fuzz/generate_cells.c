/* Entries of any type against any class of symbol in any kind of section, for the cells of cells.h: a symbol of each of some
 * classes is made, called where it must live, and named by entries of sections drawn by their kind. No call here has two
 * draws among its arguments, whose order is the compiler's. */
#include "fuzz/generate_cells.h"

#include <stdio.h>
#include <string.h>

enum { IN_LOCAL_MEMORY = 0x60, LOCAL_SECTION = 0x70000009, UNIFIED_SECTION = 0x70000011, TYPES = 117, STEP = 8 };
static const uint8_t cells_bytes[64] = {0x18, 0x79, 0, 0, 1, 2, 3, 4};
static const uint8_t cells_no_symbols[sizeof cells_bytes]; /* where words are numbers of symbols */

static uint32_t cells_below(const built_file *file, uint32_t bound) {
  return built_choose(file->choices, bound);
}

static tb_symbol cells_owner(const built_file *file) {
  return file->functions[cells_below(file, (uint32_t)file->defined_count)];
}

static tb_symbol cells_function(const built_file *file, const char *name, unsigned binding, unsigned other) {
  const tb_symbol function = tb_function(file->cubin, name, binding, NULL, 0, 24);
  tb_symbol_edit(file->cubin, function)->other |= (uint8_t)other;
  tb_call(file->cubin, file->functions[0], function);
  return function;
}

static tb_symbol cells_mention(const built_file *file, const char *name, unsigned binding, unsigned type) {
  return tb_symbol_add(file->cubin,
                       &(tb_symbol_data){.name = name, .binding = (uint8_t)binding, .type = (uint8_t)type});
}

/* ---- a symbol of a class ---- */

static tb_symbol make_kernel(const built_file *file) {
  return tb_kernel(file->cubin, file->number ? "cell_kernel1" : "cell_kernel0", NULL, 0, 8);
}

static tb_symbol make_local_function(const built_file *file) {
  return cells_function(file, "cell_local", TB_LOCAL, 0);
}

static tb_symbol make_weak_function(const built_file *file) {
  return cells_function(file, "cell_weak", TB_WEAK, 0);
}

static tb_symbol make_global_function(const built_file *file) {
  return cells_function(file, file->number ? "cell_global1" : "cell_global0", TB_GLOBAL, 0);
}

static tb_symbol make_marked_function(const built_file *file) {
  const unsigned binding = cells_below(file, 4) ? TB_WEAK : TB_LOCAL;
  return cells_function(file, "cell_marked", binding, 1 + cells_below(file, 3));
}

static tb_symbol make_dead_function(const built_file *file) {
  return tb_function(file->cubin, "cell_dead", TB_LOCAL, NULL, 0, 24);
}

static tb_symbol make_undefined_function(const built_file *file) {
  return cells_mention(file, "cell_nowhere", TB_WEAK, TB_FUNCTION);
}

static tb_symbol make_texture(const built_file *file) {
  static const char *const names[] = {"cell_texture", "cell_sampler", "cell_surface"};
  const uint32_t which = cells_below(file, 3);
  return cells_mention(file, names[which], TB_GLOBAL, TB_TEXTURE + which);
}

static tb_symbol make_compiler_constant(const built_file *file) {
  return tb_function_constant(file->cubin, cells_owner(file), cells_bytes, 16, 4);
}

static tb_symbol make_constant(const built_file *file) {
  return tb_constant(file->cubin, "cell_constant", cells_below(file, 2) ? TB_WEAK : TB_LOCAL, 16, 4, cells_bytes);
}

static tb_symbol make_shared(const built_file *file) {
  return tb_shared(file->cubin, file->kernel_count ? file->functions[0] : 0, "cell_shared", 12, 4);
}

/* Of a function that nobody calls: its section does not come along (L1175). */
static tb_symbol make_forgotten_shared(const built_file *file) {
  const tb_symbol dead = tb_function(file->cubin, "cell_forgetful", TB_LOCAL, NULL, 0, 24);
  return tb_shared(file->cubin, dead, "cell_forgotten", 12, 4);
}

static tb_symbol make_external_shared(const built_file *file) {
  return tb_extern_shared(file->cubin, "cell_dynamic");
}

static tb_symbol make_common(const built_file *file) {
  return tb_common(file->cubin, "cell_common", 16, 8);
}

static tb_symbol make_global(const built_file *file) {
  return tb_global(file->cubin, "cell_data", cells_below(file, 2) ? TB_WEAK : TB_LOCAL, 32, 8, cells_bytes);
}

static tb_symbol make_zeros(const built_file *file) {
  return tb_global(file->cubin, "cell_zeros", cells_below(file, 2) ? TB_WEAK : TB_LOCAL, 32, 8, NULL);
}

static tb_symbol make_local_memory(const built_file *file) {
  char name[64];
  const tb_symbol owner = cells_owner(file);
  (void)snprintf(name, sizeof name, ".nv.local.%.40s", tb_symbol_edit(file->cubin, owner)->name);
  const tb_section section = tb_section_add_with_symbol(file->cubin, TB_KIND_SHARED, name, NULL, 32);
  tb_section_data *const data = tb_section_edit(file->cubin, section);
  data->type = LOCAL_SECTION;
  data->info_section = tb_section_of(file->cubin, owner);
  data->align = 8;
  return tb_symbol_add(file->cubin, &(tb_symbol_data){.name = "cell_local_memory",
                                                      .type = TB_CUDA_OBJECT,
                                                      .other = IN_LOCAL_MEMORY,
                                                      .section = section,
                                                      .value = 8,
                                                      .size = 8});
}

static tb_symbol make_label(const built_file *file) {
  return tb_symbol_add(
      file->cubin,
      &(tb_symbol_data){.name = ".L_x_0", .section = tb_section_of(file->cubin, cells_owner(file)), .value = 16});
}

static tb_symbol make_undefined_object(const built_file *file) {
  const unsigned binding = cells_below(file, 4) ? TB_WEAK : TB_GLOBAL;
  return tb_undefined_data(file->cubin, "cell_other", binding, cells_below(file, 2) ? TB_IN_GLOBAL : TB_IN_CONSTANT, 4);
}

static tb_symbol make_undefined_label(const built_file *file) {
  return cells_mention(file, "cell_label", cells_below(file, 4) ? TB_WEAK : TB_GLOBAL, TB_NOTYPE);
}

static tb_symbol make_nothing(const built_file *file) {
  (void)file;
  return 0;
}

/* A section of that name, which is made where there is none. */
static tb_section cells_named(const built_file *file, tb_kind kind, const char *name, uint32_t type) {
  const tb_section known = tb_section_find(file->cubin, name);
  if (known)
    return known;
  const uint8_t *const bytes = type == UNIFIED_SECTION ? cells_no_symbols : cells_bytes;
  const tb_section made = tb_section_add_with_symbol(file->cubin, kind, name, bytes, sizeof cells_bytes);
  if (type)
    tb_section_edit(file->cubin, made)->type = type;
  return made;
}

/* The symbol of a section of some kind. */
static tb_symbol make_section(const built_file *file) {
  static const struct {
    const char *name;
    tb_kind kind;
    uint32_t type; /* 0: the kind's own */
  } rows[] = {{".nv.global.init", TB_KIND_GLOBAL_INIT, 0},
              {".nv.global", TB_KIND_GLOBAL, 0},
              {".nv.constant3", TB_KIND_CONSTANT, 0x70000067},
              {".debug_str", TB_KIND_DEBUG, 0},
              {".nv.other", TB_KIND_DEBUG, 0x70000020}};
  enum { ROWS = sizeof rows / sizeof *rows, CODE = 2 };
  const uint32_t row = cells_below(file, ROWS + CODE);
  const tb_section section = row < ROWS ? cells_named(file, rows[row].kind, rows[row].name, rows[row].type)
                                        : tb_section_of(file->cubin, cells_owner(file));
  return tb_symbol_of_section(file->cubin, section);
}

typedef tb_symbol cells_make(const built_file *file);
static cells_make *const cells_makers[] = {make_kernel,
                                           make_local_function,
                                           make_weak_function,
                                           make_global_function,
                                           make_marked_function,
                                           make_dead_function,
                                           make_undefined_function,
                                           make_texture,
                                           make_compiler_constant,
                                           make_constant,
                                           make_shared,
                                           make_forgotten_shared,
                                           make_external_shared,
                                           make_common,
                                           make_global,
                                           make_zeros,
                                           make_local_memory,
                                           make_label,
                                           make_undefined_object,
                                           make_undefined_label,
                                           make_nothing,
                                           make_section};
enum { MAKERS = sizeof cells_makers / sizeof *cells_makers, MOST_SYMBOLS = 3, MOST_TYPES = 48 };

typedef struct cells_symbol {
  tb_symbol symbol;
  bool dead;
} cells_symbol;

/* ---- a section of a kind ---- */

typedef enum cells_kind {
  CELLS_KERNEL,
  CELLS_FUNCTION,
  CELLS_DATA,
  CELLS_CONSTANTS,
  CELLS_DEBUG,
  CELLS_OTHER,
  CELLS_KINDS
} cells_kind;

/* Sections in which few links come to relocation: without an index file, or with entries in it, the link ends. */
static tb_section cells_section_that_ends(const built_file *file) {
  static const struct {
    const char *name;
    tb_kind kind;
    uint32_t type;
  } rows[] = {{".nv.udt", TB_KIND_GLOBAL_INIT, 0x70000012},
              {".nv.uft.entry", TB_KIND_DEBUG, UNIFIED_SECTION},
              {".nv.other", TB_KIND_DEBUG, 0x70000020}};
  const uint32_t chosen = cells_below(file, sizeof rows / sizeof *rows);
  return cells_named(file, rows[chosen].kind, rows[chosen].name, rows[chosen].type);
}

static tb_section cells_section(const built_file *file, cells_kind kind) {
  enum { SELDOM = 4 };
  static const struct {
    cells_kind of;
    const char *name;
    tb_kind kind;
    uint32_t type; /* 0: the kind's own */
  } rows[] = {
      {CELLS_DATA, ".nv.global.init", TB_KIND_GLOBAL_INIT, 0},
      {CELLS_CONSTANTS, ".nv.constant3", TB_KIND_CONSTANT, 0x70000067},
      {CELLS_CONSTANTS, ".nv.constant1", TB_KIND_CONSTANT, 0x70000065},
      {CELLS_DEBUG, ".debug_frame", TB_KIND_DEBUG, 0},
      {CELLS_DEBUG, ".debug_info", TB_KIND_DEBUG, 0},
      {CELLS_OTHER, ".nv.uft", TB_KIND_DEBUG, 0x7000000e},
      {CELLS_OTHER, ".nv.host", TB_KIND_DEBUG, 0x70000010}, /* more often: without an index a window ends the link */
      {CELLS_OTHER, ".nv.host", TB_KIND_DEBUG, 0x70000010},
      {CELLS_OTHER, ".nv.host", TB_KIND_DEBUG, 0x70000010}};
  size_t chosen = 0;
  uint32_t found = 0;
  if (kind == CELLS_OTHER && cells_below(file, SELDOM) == 0)
    return cells_section_that_ends(file);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].of == kind && cells_below(file, ++found) == 0)
      chosen = i;
  return cells_named(file, rows[chosen].kind, rows[chosen].name, rows[chosen].type);
}

/* Each kind of place as often as the others. */
static tb_section cells_place(const built_file *file) {
  const cells_kind kind = (cells_kind)cells_below(file, CELLS_KINDS);
  if (kind > CELLS_FUNCTION)
    return cells_section(file, kind);
  const uint32_t kernels = (uint32_t)file->kernel_count, functions = (uint32_t)file->defined_count - kernels;
  if (kind == CELLS_KERNEL && kernels)
    return tb_section_of(file->cubin, file->functions[cells_below(file, kernels)]);
  return tb_section_of(file->cubin,
                       functions ? file->functions[kernels + cells_below(file, functions)] : cells_owner(file));
}

bool fuzz_type_ends_link(uint32_t type, bool function) {
  enum { BRANCH = 40, OTHER_BRANCH = 41, NO_ROW = 116 };
  return type == BRANCH || type == OTHER_BRANCH || type == NO_ROW || (built_type_describes_function(type) && !function);
}

/* One type against one symbol. What is dead is named by what clears; anything else that names it ends the link. */
static void cells_add_entry(const built_file *file, tb_section place, uint64_t offset, cells_symbol symbol,
                            uint32_t type) {
  enum { CLEAR = 72, OTHER_CLEAR = 73, TIMES = 8 };
  if (symbol.dead && type != CLEAR && type != OTHER_CLEAR)
    return;
  const int64_t addend = type % TIMES ? 0 : TIMES;
  tb_rela(file->cubin, place, offset, type, symbol.symbol, addend);
}

static bool cells_names_function(const built_file *file, cells_symbol symbol) {
  return symbol.symbol && tb_symbol_edit(file->cubin, symbol.symbol)->type == TB_FUNCTION;
}

/* Some symbols of classes that the file did not have. */
static uint32_t cells_make_symbols(const built_file *file, cells_symbol symbols[MOST_SYMBOLS]) {
  bool made[MAKERS] = {false};
  uint32_t count = 0;
  const uint32_t wanted = 1 + cells_below(file, MOST_SYMBOLS);
  for (uint32_t i = 0; i < wanted; i++) {
    const uint32_t maker = cells_below(file, MAKERS);
    if (!made[maker])
      symbols[count++] = (cells_symbol){cells_makers[maker](file), cells_makers[maker] == make_dead_function};
    made[maker] = true;
  }
  return count;
}

/* A run of types against each symbol, in one section. Entries are worked off from the last one to the first, so a type that
 * ends the link stands in front, and there is one at most. */
void fuzz_generate_cells(built_file *file) {
  static const uint8_t ends[] = {40, 41, 116};
  cells_symbol symbols[MOST_SYMBOLS];
  const uint32_t count = cells_make_symbols(file, symbols);
  const tb_section place = cells_place(file);
  const tb_section_data *const target = tb_section_edit(file->cubin, place);
  const uint32_t steps = target->bytes ? (uint32_t)(target->size / STEP) : 0;
  const uint32_t first = cells_below(file, TYPES), run = 1 + cells_below(file, MOST_TYPES);
  if (steps < 2)
    return;
  if (cells_below(file, 4) == 0) {
    const cells_symbol symbol = symbols[cells_below(file, count)];
    cells_add_entry(file, place, 0, symbol, ends[cells_below(file, sizeof ends)]);
  }
  for (uint32_t i = 0; i < run; i++)
    for (uint32_t j = 0; j < count; j++) {
      const uint32_t type = (first + i) % TYPES;
      const uint64_t offset = (uint64_t)STEP * ((i * count + j) % (steps - 1));
      if (!fuzz_type_ends_link(type, cells_names_function(file, symbols[j])))
        cells_add_entry(file, place, offset, symbols[j], type);
    }
}
