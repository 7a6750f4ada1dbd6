/* The builder's upper level: kernels, functions, variables and calls, written the way ptxas 13.0.88 writes them.
 *
 * What differs between architectures stands in tables (records of a function's .nv.info, default compat records). Call
 * graph, prototypes and notes stay lists until tb_prepare_contents; the three module records of a function are written at
 * once, in front of those of the functions before it, and patched when a value is set.
 * Facts: F45, F46, F56-F79, W9.11, attributes.md section 4. */
#include "cubin_builder_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  TURING = 75,
  AMPERE = 80,
  HOPPER = 90,
  ALL = 255,
  MODULE_RECORDS_BYTES = 36,
  TOOL_NOTE = 2000,
  CUDA_NOTE = 1000
};

/* Where a default record of .nv.info.F gets its value from. */
typedef enum tb_source {
  SOURCE_VALUE,       /* the row's value */
  SOURCE_PARAM_CBANK, /* kernels with parameters */
  SOURCE_PARAM_SIZE,
  SOURCE_PARAMS,
  SOURCE_EXIT
} tb_source;

typedef struct tb_record_row {
  uint8_t first_sm, last_sm, code, format;
  bool kernels_only;
  uint16_t value;
  tb_source source;
} tb_record_row;

/* In the order in which ptxas writes them, per range of architectures. */
static const tb_record_row record_rows[] = {
    {TURING, TURING, 0x36, 4, false, 1, SOURCE_VALUE},  {87, 87, 0x36, 4, false, 2, SOURCE_VALUE},
    {TURING, ALL, 0x37, 4, false, 0x82, SOURCE_VALUE},  {AMPERE, 89, 0x35, 1, false, 0, SOURCE_VALUE},
    {TURING, 89, 0x0a, 4, true, 0, SOURCE_PARAM_CBANK}, {TURING, 89, 0x19, 3, true, 0, SOURCE_PARAM_SIZE},
    {TURING, ALL, 0x17, 4, true, 0, SOURCE_PARAMS},     {HOPPER, ALL, 0x50, 3, false, 0, SOURCE_VALUE},
    {TURING, ALL, 0x1b, 3, true, 0xff, SOURCE_VALUE},   {TURING, 89, 0x5f, 3, false, 0, SOURCE_VALUE},
    {HOPPER, ALL, 0x5f, 3, false, 0x101, SOURCE_VALUE}, {TURING, ALL, 0x1c, 4, true, 0, SOURCE_EXIT},
    {HOPPER, ALL, 0x19, 3, true, 0, SOURCE_PARAM_SIZE}, {HOPPER, ALL, 0x0a, 4, true, 0, SOURCE_PARAM_CBANK},
    {HOPPER, ALL, 0x36, 4, false, 8, SOURCE_VALUE},
};

/* F56, F65-F70, in wire order; code 11 has eight bytes. */
static const uint8_t default_compat[] = {2, 9, 0, 0, 2, 2, 1, 0,  2, 5, 5, 0, 3, 7, 1, 1, 2, 3,
                                         0, 0, 2, 6, 1, 0, 4, 11, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* F57, F58: the weak undefined objects of every sm_90 object, in ptxas's order. */
static const char *const weak_objects[] = {"__UDT_OFFSET",    "__UFT_OFFSET", "__UFT_CANONICAL",
                                           "__UDT_CANONICAL", "__UFT",        "__UDT",
                                           "__UFT_END",       "__UDT_END",    ".nv.reservedSmem.offset0"};

/* Instructions as ptxas writes them; low word first. */
static const uint64_t exit_code[2] = {0x000000000000794d, 0x000fea0003800000};
static const uint64_t return_code[2] = {0x0000000014007950, 0x000fee0003e00000};
static const uint64_t padding_code[2] = {0x0000000000007918, 0x000fc00000000000};
enum { INSTRUCTION_BYTES = 16, DEFAULT_TEXT_BYTES = 128 };

/* ---- the cubin ---- */

tb_cubin *tb_new(unsigned sm) {
  tb_cubin *cubin = calloc(1, sizeof *cubin);
  if (!cubin)
    abort();
  cubin->sm = cubin->virtual_architecture = sm;
  cubin->sections = tb_grow(NULL, 0, &cubin->section_room, sizeof *cubin->sections);
  cubin->symbols = tb_grow(NULL, 0, &cubin->symbol_room, sizeof *cubin->symbols);
  cubin->sections[0].name = tb_copy_string("");
  cubin->symbols[0].name = tb_copy_string("");
  cubin->section_count = cubin->symbol_count = 1;
  cubin->names = tb_section_add(cubin, TB_KIND_NAMES, ".shstrtab", NULL, 0);
  cubin->strings = tb_section_add(cubin, TB_KIND_STRINGS, ".strtab", NULL, 0);
  cubin->symtab = tb_section_add(cubin, TB_KIND_SYMBOLS, ".symtab", NULL, 0);
  cubin->sections[cubin->symtab].link = cubin->strings;
  cubin->tool_note = tb_section_add_with_symbol(cubin, TB_KIND_TOOL_NOTE, ".note.nv.tkinfo", NULL, 0);
  cubin->cuda_note = tb_section_add_with_symbol(cubin, TB_KIND_CUDA_NOTE, ".note.nv.cuinfo", NULL, 0);
  cubin->sections[cubin->cuda_note].link = cubin->tool_note;
  cubin->info = tb_section_add(cubin, TB_KIND_INFO, ".nv.info", NULL, 0);
  if (sm >= HOPPER) {
    cubin->compat = tb_section_add(cubin, TB_KIND_COMPAT, ".nv.compat", default_compat, sizeof default_compat);
    cubin->sections[cubin->cuda_note].info_section = cubin->compat;
    cubin->sections[cubin->cuda_note].flags |= 0x40;
  }
  cubin->callgraph = tb_section_add_with_symbol(cubin, TB_KIND_CALLGRAPH, ".nv.callgraph", NULL, 0);
  char options[64];
  (void)snprintf(options, sizeof options, "-arch sm_%u -c  ", sm);
  tb_set_tool_note(cubin, "", "ptxas", "Cuda compilation tools, release 13.0, V13.0.88",
                   "Build cuda_13.0.r13.0/compiler.36424714_0", options);
  return cubin;
}

void tb_set_virtual_architecture(tb_cubin *cubin, unsigned number) {
  cubin->virtual_architecture = number;
}

void tb_set_accelerated(tb_cubin *cubin, bool accelerated) {
  cubin->accelerated = accelerated;
  tb_compat(cubin, 9, accelerated);
}

void tb_set_tool_note(tb_cubin *cubin, const char *object, const char *tool, const char *version, const char *build,
                      const char *options) {
  const char *const strings[TB_TOOL_STRINGS] = {object, tool, version, build, options};
  for (size_t i = 0; i < TB_TOOL_STRINGS; i++)
    if (strings[i]) {
      free(cubin->tool_strings[i]);
      cubin->tool_strings[i] = tb_copy_string(strings[i]);
    }
}

/* ---- functions ---- */

tb_function_data *tb_function_find(tb_cubin *cubin, tb_symbol symbol) {
  for (size_t i = 0; i < cubin->function_count; i++)
    if (cubin->functions[i].symbol == symbol)
      return &cubin->functions[i];
  return NULL;
}

/* ptxas has the last function's records first in .nv.info: they go in front of what is there. */
static void tb_module_records_add(tb_cubin *cubin, tb_symbol symbol, uint32_t registers) {
  static const uint8_t codes[] = {0x2f, 0x23, 0x11};
  tb_section_data *info = &cubin->sections[cubin->info];
  const uint64_t before = info->size;
  (void)tb_section_append(cubin, cubin->info, NULL, MODULE_RECORDS_BYTES, 1);
  memmove(info->bytes + MODULE_RECORDS_BYTES, info->bytes, (size_t)before);
  memset(info->bytes, 0, MODULE_RECORDS_BYTES);
  for (size_t i = 0; i < cubin->fixup_count; i++)
    if (cubin->fixups[i].section == cubin->info)
      cubin->fixups[i].at += MODULE_RECORDS_BYTES;
  for (size_t i = 0; i < sizeof codes; i++) {
    uint8_t *at = info->bytes + 12 * i;
    at[0] = 4;
    at[1] = codes[i];
    tb_put(at + 2, 2, 8);
    tb_put(at + 8, 4, codes[i] == 0x2f ? registers : 0);
    tb_section_symbol_at(cubin, cubin->info, 12 * i + 4, symbol);
  }
}

/* The value of one of the three records of a function. */
static void tb_module_record_set(tb_cubin *cubin, tb_symbol function, size_t record, uint32_t value) {
  for (size_t i = 0; i < cubin->function_count; i++)
    if (cubin->functions[i].symbol == function)
      tb_put(cubin->sections[cubin->info].bytes + (cubin->function_count - 1 - i) * MODULE_RECORDS_BYTES + 12 * record +
                 8,
             4, value);
}

void tb_set_registers(tb_cubin *cubin, tb_symbol function, uint32_t registers) {
  const tb_function_data *data = tb_function_find(cubin, function);
  tb_module_record_set(cubin, function, 0, registers);
  if (data && cubin->sm < HOPPER)
    cubin->sections[data->text].info_high = registers;
}

void tb_set_max_stack(tb_cubin *cubin, tb_symbol function, uint32_t bytes) {
  tb_module_record_set(cubin, function, 1, bytes);
}

void tb_set_frame_size(tb_cubin *cubin, tb_symbol function, uint32_t bytes) {
  tb_module_record_set(cubin, function, 2, bytes);
}

static uint64_t tb_parameter_base(const tb_cubin *cubin) {
  return cubin->sm >= HOPPER ? 0x210 : 0x160;
}

/* KPARAM_INFO, last parameter first (F64). */
static void tb_parameter_records(tb_cubin *cubin, const tb_function_data *function, const uint16_t *sizes,
                                 size_t count) {
  for (size_t i = count; i > 0; i--) {
    uint8_t record[12] = {0};
    uint32_t offset = 0;
    for (size_t before = 0; before < i; before++) {
      const uint32_t align = sizes[before] >= 8 ? 8 : sizes[before] ? sizes[before] : 1;
      offset = (offset + align - 1) / align * align + (before + 1 < i ? sizes[before] : 0);
    }
    tb_put(record + 4, 2, i - 1);
    tb_put(record + 6, 2, offset);
    tb_put(record + 8, 4, 0x1f000 | (uint32_t)sizes[i - 1] << 18);
    tb_attribute(cubin, function->symbol, 4, 0x17, record, sizeof record);
  }
}

static uint32_t tb_parameter_bytes(const uint16_t *sizes, size_t count) {
  uint32_t end = 0;
  for (size_t i = 0; i < count; i++) {
    const uint32_t align = sizes[i] >= 8 ? 8 : sizes[i] ? sizes[i] : 1;
    end = (end + align - 1) / align * align + sizes[i];
  }
  return end;
}

static uint32_t tb_exit_offset(const tb_cubin *cubin, const tb_function_data *function) {
  const tb_section_data *text = &cubin->sections[function->text];
  for (uint64_t at = 0; at + INSTRUCTION_BYTES <= text->size; at += INSTRUCTION_BYTES)
    if (text->bytes[at] == 0x4d && text->bytes[at + 1] == 0x79)
      return (uint32_t)at;
  return 0;
}

static void tb_record_add(tb_cubin *cubin, const tb_function_data *function, const tb_record_row *row,
                          const uint16_t *sizes, size_t count) {
  uint8_t word[4];
  const uint32_t parameter_bytes = tb_parameter_bytes(sizes, count);
  switch (row->source) {
  case SOURCE_VALUE:
  case SOURCE_EXIT:
    tb_put(word, 4, row->source == SOURCE_EXIT ? tb_exit_offset(cubin, function) : row->value);
    if (row->format == 4)
      tb_attribute(cubin, function->symbol, 4, row->code, word, sizeof word);
    else
      tb_attribute_value(cubin, function->symbol, row->format, row->code, row->value);
    break;
  case SOURCE_PARAM_CBANK:
    if (count) {
      const tb_symbol bank = tb_symbol_of_section(cubin, function->constant0);
      tb_put(word, 2, tb_parameter_base(cubin));
      tb_put(word + 2, 2, parameter_bytes);
      tb_attribute_symbols(cubin, function->symbol, row->code, &bank, 1, word, sizeof word);
    }
    break;
  case SOURCE_PARAM_SIZE:
    if (count)
      tb_attribute_value(cubin, function->symbol, row->format, row->code, (uint16_t)parameter_bytes);
    break;
  case SOURCE_PARAMS:
    tb_parameter_records(cubin, function, sizes, count);
    break;
  }
}

static void tb_default_records(tb_cubin *cubin, const tb_function_data *function, const uint16_t *sizes, size_t count) {
  for (const tb_record_row *row = record_rows; row < record_rows + sizeof record_rows / sizeof *record_rows; row++)
    if (cubin->sm >= row->first_sm && cubin->sm <= row->last_sm && (function->kernel || !row->kernels_only))
      tb_record_add(cubin, function, row, sizes, count);
}

void tb_parameters(tb_cubin *cubin, tb_symbol kernel, const uint16_t *sizes, size_t count) {
  const tb_function_data *function = tb_function_find(cubin, kernel);
  const uint32_t bytes = tb_parameter_bytes(sizes, count);
  tb_section_clear(cubin, function->info);
  (void)tb_section_append(cubin, function->constant0, NULL, bytes, 1);
  if (cubin->sm < HOPPER && count) {
    const tb_symbol_data symbol = {.name = "_param",
                                   .type = TB_CUDA_OBJECT,
                                   .other = TB_IN_CONSTANT | 1,
                                   .section = function->constant0,
                                   .value = tb_parameter_base(cubin),
                                   .size = bytes};
    (void)tb_symbol_add(cubin, &symbol);
  }
  tb_default_records(cubin, function, sizes, count);
}

static tb_section tb_function_section(tb_cubin *cubin, const tb_function_data *function, tb_kind kind,
                                      const char *prefix, uint64_t size, bool with_symbol) {
  char *name = tb_join(prefix, cubin->symbols[function->symbol].name);
  const tb_section section =
      with_symbol ? tb_section_add_with_symbol(cubin, kind, name, NULL, 0) : tb_section_add(cubin, kind, name, NULL, 0);
  (void)tb_section_append(cubin, section, NULL, size, 1);
  cubin->sections[section].info_section = function->text;
  cubin->sections[section].flags |= 0x40;
  free(name);
  return section;
}

static void tb_default_code(tb_cubin *cubin, tb_section text, bool kernel) {
  (void)tb_section_append(cubin, text, kernel ? exit_code : return_code, INSTRUCTION_BYTES, 1);
  while (cubin->sections[text].size < DEFAULT_TEXT_BYTES)
    (void)tb_section_append(cubin, text, padding_code, INSTRUCTION_BYTES, 1);
}

static void tb_weak_symbols(tb_cubin *cubin) {
  if (cubin->sm < HOPPER || cubin->weak_symbols_made)
    return;
  cubin->weak_symbols_made = true;
  for (size_t i = 0; i < sizeof weak_objects / sizeof *weak_objects; i++) {
    const tb_symbol_data symbol = {
        .name = weak_objects[i], .binding = TB_WEAK, .type = TB_OBJECT, .size = weak_objects[i][0] == '.' ? 4 : 8};
    (void)tb_symbol_add(cubin, &symbol);
  }
}

static tb_symbol tb_function_add(tb_cubin *cubin, const char *name, unsigned binding, bool kernel, const void *code,
                                 size_t size, unsigned registers) {
  char *section_name = tb_join(".text.", name);
  const tb_section text = tb_section_add_with_symbol(cubin, TB_KIND_TEXT, section_name, code, code ? size : 0);
  free(section_name);
  if (!code)
    tb_default_code(cubin, text, kernel);
  tb_weak_symbols(cubin);
  const tb_symbol_data symbol = {.name = name,
                                 .binding = (uint8_t)binding,
                                 .type = TB_FUNCTION,
                                 .other = kernel ? TB_ENTRY : 0,
                                 .section = text,
                                 .size = cubin->sections[text].size};
  tb_function_data function = {.symbol = tb_symbol_add(cubin, &symbol), .text = text, .kernel = kernel};
  cubin->sections[text].info_symbol = function.symbol;
  cubin->sections[text].info_high = cubin->sm < HOPPER ? registers : 0;
  function.info = tb_function_section(cubin, &function, TB_KIND_FUNCTION_INFO, ".nv.info.", 0, false);
  if (kernel) {
    function.constant0 =
        tb_function_section(cubin, &function, TB_KIND_CONSTANT, ".nv.constant0.", tb_parameter_base(cubin), true);
    cubin->sections[function.constant0].type = 0x70000064;
  }
  cubin->functions = tb_grow(cubin->functions, cubin->function_count, &cubin->function_room, sizeof *cubin->functions);
  cubin->functions[cubin->function_count++] = function;
  tb_module_records_add(cubin, function.symbol, registers);
  tb_default_records(cubin, &function, NULL, 0);
  return function.symbol;
}

tb_symbol tb_kernel(tb_cubin *cubin, const char *name, const void *code, size_t size, unsigned registers) {
  return tb_function_add(cubin, name, TB_GLOBAL, true, code, size, registers);
}

tb_symbol tb_function(tb_cubin *cubin, const char *name, unsigned binding, const void *code, size_t size,
                      unsigned registers) {
  return tb_function_add(cubin, name, binding, false, code, size, registers);
}

tb_symbol tb_undefined_function(tb_cubin *cubin, const char *name) {
  const tb_symbol_data symbol = {.name = name, .binding = TB_GLOBAL, .type = TB_FUNCTION};
  return tb_symbol_add(cubin, &symbol);
}

tb_symbol tb_alias(tb_cubin *cubin, const char *name, tb_symbol of, uint64_t value) {
  tb_symbol_data symbol = cubin->symbols[of];
  symbol.name = name;
  symbol.value = value;
  symbol.size = 0;
  const tb_symbol alias = tb_symbol_add(cubin, &symbol);
  tb_call(cubin, alias, of);
  return alias;
}

/* ---- variables ---- */

static tb_section tb_module_section(tb_cubin *cubin, tb_section *known, tb_kind kind, const char *name) {
  if (!*known)
    *known = tb_section_add_with_symbol(cubin, kind, name, NULL, 0);
  return *known;
}

static tb_symbol tb_variable_add(tb_cubin *cubin, tb_section section, const char *name, unsigned binding,
                                 unsigned other, uint64_t value, uint64_t size) {
  const tb_symbol_data symbol = {.name = name,
                                 .binding = (uint8_t)binding,
                                 .type = TB_CUDA_OBJECT,
                                 .other = (uint8_t)other,
                                 .section = section,
                                 .value = value,
                                 .size = size};
  return tb_symbol_add(cubin, &symbol);
}

tb_symbol tb_global(tb_cubin *cubin, const char *name, unsigned binding, uint64_t size, uint64_t align,
                    const void *init) {
  const tb_section section = init
                                 ? tb_module_section(cubin, &cubin->global_init, TB_KIND_GLOBAL_INIT, ".nv.global.init")
                                 : tb_module_section(cubin, &cubin->global, TB_KIND_GLOBAL, ".nv.global");
  const uint64_t at = tb_section_append(cubin, section, init, size, align);
  return tb_variable_add(cubin, section, name, binding, TB_IN_GLOBAL, at, size);
}

tb_symbol tb_constant(tb_cubin *cubin, const char *name, unsigned binding, uint64_t size, uint64_t align,
                      const void *init) {
  const tb_section section = tb_module_section(cubin, &cubin->constant3, TB_KIND_CONSTANT, ".nv.constant3");
  const uint64_t at = tb_section_append(cubin, section, init, size, align);
  return tb_variable_add(cubin, section, name, binding, TB_IN_CONSTANT, at, size);
}

tb_symbol tb_function_constant(tb_cubin *cubin, tb_symbol symbol, const void *bytes, uint64_t size, uint64_t align) {
  tb_function_data *function = tb_function_find(cubin, symbol);
  if (!function->constant2) {
    function->constant2 = tb_function_section(cubin, function, TB_KIND_CONSTANT, ".nv.constant2.", 0, true);
    cubin->sections[function->constant2].type = 0x70000066;
    cubin->sections[function->constant2].align = 8;
  }
  const uint64_t at = tb_section_append(cubin, function->constant2, bytes, size, align);
  char range[64];
  (void)snprintf(range, sizeof range, ".const_opt.%" PRIu64 ".%" PRIu64, at, at + size);
  char *name = tb_join(cubin->symbols[symbol].name, range);
  const tb_symbol constant = tb_variable_add(cubin, function->constant2, name, TB_LOCAL, TB_IN_CONSTANT | 1, at, size);
  free(name);
  return constant;
}

/* The size of a shared section: the plain sum of its objects' sizes, plus the alignment while that is not smaller
 * (W9.11). The sum is found from the symbols. */
static void tb_shared_resize(tb_cubin *cubin, tb_section section) {
  uint64_t raw = 0;
  for (size_t i = 1; i < cubin->symbol_count; i++)
    if (cubin->symbols[i].section == section && cubin->symbols[i].type == TB_CUDA_OBJECT)
      raw += cubin->symbols[i].size;
  tb_section_data *data = &cubin->sections[section];
  data->size = raw > data->align ? raw : raw + data->align;
}

tb_symbol tb_shared(tb_cubin *cubin, tb_symbol kernel, const char *name, uint64_t size, uint64_t align) {
  tb_function_data *function = kernel ? tb_function_find(cubin, kernel) : NULL;
  if (function && !function->shared)
    function->shared = tb_function_section(cubin, function, TB_KIND_SHARED, ".nv.shared.", 0, true);
  const tb_section section =
      function ? function->shared : tb_module_section(cubin, &cubin->shared_pool, TB_KIND_SHARED, ".nv_debug.shared");
  if (cubin->sections[section].align < align)
    cubin->sections[section].align = align;
  const tb_symbol symbol = tb_variable_add(cubin, section, name, TB_LOCAL, TB_IN_SHARED, align, size);
  tb_shared_resize(cubin, section);
  return symbol;
}

tb_symbol tb_undefined_data(tb_cubin *cubin, const char *name, unsigned binding, unsigned space, uint64_t size) {
  return tb_variable_add(cubin, 0, name, binding, space, 0, size);
}

tb_symbol tb_extern_shared(tb_cubin *cubin, const char *name) {
  return tb_undefined_data(cubin, name, TB_GLOBAL, TB_IN_SHARED, 0);
}

tb_symbol tb_common(tb_cubin *cubin, const char *name, uint64_t size, uint64_t align) {
  const tb_symbol symbol = tb_variable_add(cubin, 0, name, TB_GLOBAL, TB_IN_GLOBAL, align, size);
  cubin->symbols[symbol].raw_section = TB_COMMON_SECTION;
  return symbol;
}

/* ---- call graph ---- */

static void tb_pair_add(tb_cubin *cubin, unsigned part, tb_symbol first, tb_symbol second, const char *prototype) {
  cubin->pairs = tb_grow(cubin->pairs, cubin->pair_count, &cubin->pair_room, sizeof *cubin->pairs);
  cubin->pairs[cubin->pair_count++] = (tb_pair){part, first, second, prototype ? tb_copy_string(prototype) : NULL};
}

void tb_call(tb_cubin *cubin, tb_symbol caller, tb_symbol callee) {
  tb_pair_add(cubin, 0, caller, callee, NULL);
}

void tb_address_taken(tb_cubin *cubin, tb_symbol function, const char *prototype) {
  tb_pair_add(cubin, 1, function, 0, prototype);
}

void tb_indirect_call(tb_cubin *cubin, tb_symbol caller, const char *prototype) {
  tb_pair_add(cubin, 2, caller, 0, prototype);
}

void tb_function_reference(tb_cubin *cubin, tb_symbol from, tb_symbol to) {
  tb_pair_add(cubin, 3, from, to, NULL);
}

void tb_prototype(tb_cubin *cubin, tb_symbol function, const char *prototype) {
  if (!cubin->prototype)
    cubin->prototype = tb_section_add_with_symbol(cubin, TB_KIND_PROTOTYPE, ".nv.prototype", NULL, 0);
  tb_pair_add(cubin, TB_CALLGRAPH_PARTS, function, 0, prototype);
}

/* ---- contents that are made at the end ---- */

static void tb_pairs_write(tb_cubin *cubin, tb_section section, unsigned part) {
  for (size_t i = 0; i < cubin->pair_count; i++) {
    const tb_pair *pair = &cubin->pairs[i];
    if (pair->part != part)
      continue;
    const uint64_t at = tb_section_append(cubin, section, NULL, 8, 1);
    tb_section_symbol_at(cubin, section, at, pair->first);
    if (pair->prototype)
      tb_section_string_at(cubin, section, at + 4, pair->prototype);
    else
      tb_section_symbol_at(cubin, section, at + 4, pair->second);
  }
}

static void tb_callgraph_write(tb_cubin *cubin) {
  tb_section_clear(cubin, cubin->callgraph);
  for (unsigned part = 0; part < TB_CALLGRAPH_PARTS; part++) {
    uint8_t head[8] = {0};
    tb_put(head + 4, 4, UINT32_MAX - part);
    (void)tb_section_append(cubin, cubin->callgraph, head, sizeof head, 1);
    tb_pairs_write(cubin, cubin->callgraph, part);
  }
  if (cubin->prototype) {
    tb_section_clear(cubin, cubin->prototype);
    tb_pairs_write(cubin, cubin->prototype, TB_CALLGRAPH_PARTS);
  }
}

/* One note: owner "NVIDIA Corp" and a descriptor (F78, F79). */
static void tb_note_write(tb_cubin *cubin, tb_section section, uint32_t type, const void *descriptor, size_t size) {
  uint8_t head[24] = {0};
  tb_section_clear(cubin, section);
  tb_put(head, 4, 12);
  tb_put(head + 4, 4, size);
  tb_put(head + 8, 4, type);
  memcpy(head + 12, "NVIDIA Corp", 12);
  (void)tb_section_append(cubin, section, head, sizeof head, 1);
  (void)tb_section_append(cubin, section, descriptor, size, 1);
}

static void tb_notes_write(tb_cubin *cubin) {
  uint8_t cuda[8] = {2, 0};
  tb_put(cuda + 2, 2, cubin->virtual_architecture);
  tb_put(cuda + 4, 4, 0x82);
  tb_note_write(cubin, cubin->cuda_note, CUDA_NOTE, cuda, sizeof cuda);
  size_t size = 4 + 4 * TB_TOOL_STRINGS;
  for (size_t i = 0; i < TB_TOOL_STRINGS; i++)
    size += strlen(cubin->tool_strings[i]) + 1;
  size = (size + 3) / 4 * 4;
  uint8_t *tool = calloc(size, 1);
  if (!tool)
    abort();
  size_t at = 0;
  tb_put(tool, 4, 2);
  for (size_t i = 0; i < TB_TOOL_STRINGS; i++) {
    const size_t length = strlen(cubin->tool_strings[i]) + 1;
    tb_put(tool + 4 + 4 * i, 4, at);
    memcpy(tool + 4 + 4 * TB_TOOL_STRINGS + at, cubin->tool_strings[i], length);
    at += length;
  }
  tb_note_write(cubin, cubin->tool_note, TOOL_NOTE, tool, size);
  free(tool);
}

void tb_prepare_contents(tb_cubin *cubin) {
  tb_callgraph_write(cubin);
  tb_notes_write(cubin);
}
