/* Small programs out of the cubin builder: everything that a cubin can hold in combinations that compilers rarely write.
 * What a name is is decided for the whole program, so that most of them link; weak, strong, common and missing definitions
 * meet, sizes and alignments are those at which tables change, and relocations are of every type. One of twenty files is
 * damaged at a place besides. */
#include "tests/support/built_program.h"

#include <stdlib.h>
#include <string.h>

enum {
  BUILT_TEXT = 128,
  BUILT_INSTRUCTION = 16,
  BUILT_TYPES = 118,
  BUILT_PARAMETERS = 0x0a, /* records whose first word is a symbol */
  BUILT_PARAMETER = 0x17,
  BUILT_SYNC_STACK = 0x0d /* a record that holds words */
};

static const unsigned built_machines[] = {75, 80, 86, 87, 88, 89, 90, 90};
static const uint64_t built_sizes[] = {0,  1,  2,  3,  4,  4,  8,   8,   12,   16,   16,    20,   24,
                                       32, 36, 40, 48, 64, 96, 128, 256, 1000, 4096, 16384, 49152};
static const uint64_t built_alignments[] = {1, 2, 4, 4, 8, 8, 8, 16, 16, 32, 64, 128, 256, 512};
static const uint32_t built_values[] = {0,      1,       2,         4,          7,          8,         15,
                                        16,     64,      100,       255,        256,        1024,      0x8000,
                                        0xffff, 0x10000, 0x1000000, 0x7fffffff, 0x80000000, 0xffffffff};
static const uint8_t built_codes[] = {0x04, 0x1b, 0x19, 0x2c, 0x21, 0x38, 0x41, 0x4a, 0x4c, 0x50,
                                      0x51, 0x52, 0x53, 0x54, 0x5f, 0x36, 0x0d, 0x51, 0x52};
static const char *const built_prototypes[] = {"#v", "#i", "#ii", "#iii", "#vi", "#f", "#p"};
/* What the driver defines, and names like those. */
static const char *const built_system_calls[] = {"cudaGraphSetConditional",
                                                 "cudaGraphKernelNodeSetParam",
                                                 "cudaGraphKernelNodeSetEnabled",
                                                 "cudaGraphKernelNodeSetGridDim",
                                                 "cudaGraphKernelNodeUpdatesApply",
                                                 "vprintf",
                                                 "vfprintf",
                                                 "malloc",
                                                 "free",
                                                 "__assertfail",
                                                 "__profile",
                                                 "cudaGraphLaunch",
                                                 "cnpLaunchDevice",
                                                 "cnpLaunchDeviceV2",
                                                 "cnpGetParameterBuffer",
                                                 "cnpGetParameterBufferV2",
                                                 "cnpDeviceGetAttribute",
                                                 "cnpDeviceGetName",
                                                 "cnpGetDevice",
                                                 "cnpGetDeviceCount",
                                                 "cnpGetLastError",
                                                 "cnpCtxSynchronize",
                                                 "cnpStreamCreate",
                                                 "cnpStreamDestroy",
                                                 "cnpStreamWaitEvent",
                                                 "cnpEventCreate",
                                                 "cnpEventRecord",
                                                 "cnpEventDestroy",
                                                 "__cuda_syscall_32f3056bbb",
                                                 "__cuda_syscal",
                                                 "__UDT_1",
                                                 "__UD",
                                                 "__UFT_1",
                                                 "__UF",
                                                 ".nv.reservedSmem.begin",
                                                 ".nv.reservedSme",
                                                 "printf",
                                                 "cnp",
                                                 "vprintf2"};
/* What compilers write most; any other type comes as well. */
static const uint32_t built_types[] = {1,  2,  2,  3,  4,  5,  6,  7,  8,   9,   10,  11,  12,  13,  31,
                                       32, 44, 45, 49, 54, 55, 56, 57, 58,  62,  64,  65,  66,  67,  71,
                                       73, 74, 75, 76, 77, 78, 79, 80, 102, 103, 104, 112, 113, 114, 115};

#define CHOOSE(file, table) (table)[built_choose((file)->choices, (uint32_t)(sizeof(table) / sizeof *(table)))]

static uint32_t built_below(const built_file *f, uint32_t bound) {
  return built_choose(f->choices, bound);
}

static bool built_percent(const built_file *f, uint32_t percent) {
  return built_choose(f->choices, 100) < percent;
}

static uint32_t random_below(void *context, uint32_t bound) {
  return gen_random_below(context, bound);
}

static uint64_t random_next(void *context) {
  return gen_random_next(context);
}

built_choices built_choices_random(gen_random *random) {
  return (built_choices){random_below, random_next, random};
}

/* Decides for all files what a name is; one time in 25 a file does not keep to it. */
static void built_plan(const built_choices *choices, uint32_t files, built_name names[BUILT_NAMES]) {
  static const struct {
    const char *text;
    built_what what;
  } rows[BUILT_NAMES] = {
      {"k0", BUILT_KERNEL},   {"k1", BUILT_KERNEL},   {"_Z2k2PfS_", BUILT_KERNEL}, {"f0", BUILT_FUNCTION},
      {"f1", BUILT_FUNCTION}, {"f2", BUILT_FUNCTION}, {"_Z1gi", BUILT_FUNCTION},   {"_ZN1A1fEPi", BUILT_FUNCTION},
      {"d0", BUILT_GLOBAL},   {"d1", BUILT_GLOBAL},   {"d2", BUILT_GLOBAL},        {"_ZN1A1dE", BUILT_GLOBAL},
      {"c0", BUILT_CONSTANT}, {"c1", BUILT_CONSTANT}, {"s0", BUILT_SHARED},        {"s1", BUILT_SHARED},
      {"s2", BUILT_SHARED},
  };
  const built_file f = {.choices = choices};
  for (size_t i = 0; i < BUILT_NAMES; i++) {
    built_name *const name = &names[i];
    *name = (built_name){.text = rows[i].text, .what = rows[i].what};
    name->prototype = CHOOSE(&f, built_prototypes);
    name->home = built_below(&f, files);
    name->binding = built_percent(&f, 60) ? TB_GLOBAL : TB_WEAK;
    name->size = CHOOSE(&f, built_sizes);
    name->align = CHOOSE(&f, built_alignments);
    name->parameters = choices->next(choices->context);
  }
  for (size_t i = 0; i < BUILT_NAMES; i++)
    if (built_percent(&f, names[i].what <= BUILT_FUNCTION ? 15 : 45))
      names[i].home = BUILT_FILES;
}

/* Does this file define the name, only mention it, or not have it? */
static bool built_defines(const built_file *f, const built_name *name) {
  const bool again = name->home < BUILT_FILES && name->binding == TB_WEAK && built_percent(f, 50);
  return f->number == name->home || again || built_percent(f, 1);
}

static bool built_mentions(const built_file *f, const built_name *name) {
  return built_percent(f, name->home < BUILT_FILES ? 45 : 1);
}

static unsigned built_binding(const built_file *f, const built_name *name) {
  return built_percent(f, 4) ? TB_LOCAL : built_percent(f, 4) ? TB_GLOBAL : name->binding;
}

static uint32_t built_registers(const built_file *f) {
  static const uint32_t registers[] = {1, 4, 8, 8, 8, 16, 24, 24, 32, 40, 64, 128, 200, 254, 255};
  return built_percent(f, 1) ? 0 : CHOOSE(f, registers);
}

static tb_symbol built_any(const built_file *f) {
  const size_t all = f->function_count + f->data_count;
  if (all == 0)
    return 0;
  const size_t number = built_below(f, (uint32_t)all);
  return number < f->function_count ? f->functions[number] : f->data[number - f->function_count];
}

static tb_symbol built_defined(const built_file *f) {
  return f->functions[built_below(f, (uint32_t)f->defined_count)];
}

/* --- symbols --- */

static void built_add_function(built_file *f, const built_name *name) {
  if (name->what == BUILT_FUNCTION) {
    const unsigned binding = built_binding(f, name);
    f->functions[f->function_count++] = tb_function(f->cubin, name->text, binding, NULL, 0, built_registers(f));
    return;
  }
  const tb_symbol kernel = tb_kernel(f->cubin, name->text, NULL, 0, built_registers(f));
  f->functions[f->function_count++] = kernel;
  if (name->binding == TB_WEAK)
    tb_symbol_edit(f->cubin, kernel)->binding = TB_WEAK;
  uint16_t sizes[6];
  gen_random planned = {.state = name->parameters};
  const built_choices of_name = built_choices_random(&planned);
  const built_choices *const choices = built_percent(f, 97) ? &of_name : f->choices;
  const uint32_t count = built_choose(choices, 6);
  for (uint32_t j = 0; j < count; j++)
    sizes[j] = (uint16_t)(1u << built_choose(choices, 5));
  if (count)
    tb_parameters(f->cubin, kernel, sizes, count);
}

static void built_add_functions(built_file *f) {
  bool had[BUILT_NAMES] = {false};
  for (size_t i = 0; i < BUILT_NAMES && f->names[i].what <= BUILT_FUNCTION; i++) {
    had[i] = built_defines(f, &f->names[i]);
    f->prototypes[f->function_count] = f->names[i].prototype;
    if (had[i])
      built_add_function(f, &f->names[i]);
    f->kernel_count += had[i] && f->names[i].what == BUILT_KERNEL;
  }
  if (f->function_count == 0) {
    f->functions[f->function_count++] = tb_kernel(f->cubin, f->number ? "only1" : "only0", NULL, 0, 8);
    f->kernel_count = 1;
  }
  f->defined_count = f->function_count;
  for (size_t i = 0; i < BUILT_NAMES && f->names[i].what <= BUILT_FUNCTION; i++) {
    f->prototypes[f->function_count] = f->names[i].prototype;
    if (!had[i] && f->names[i].what == BUILT_FUNCTION && built_mentions(f, &f->names[i]))
      f->functions[f->function_count++] = tb_undefined_function(f->cubin, f->names[i].text);
  }
  f->prototypes[f->function_count] = "#v";
  if (built_percent(f, 12))
    f->functions[f->function_count++] = tb_undefined_function(f->cubin, CHOOSE(f, built_system_calls));
  f->prototypes[f->function_count] = "#v";
  if (built_percent(f, 5))
    f->functions[f->function_count++] = tb_alias(f->cubin, "alias", built_defined(f), 0);
}

/* A kernel, none, or now and then a device function, for whose shared memory nvlink stops. */
static tb_symbol built_shared_owner(const built_file *f) {
  if (built_percent(f, 3))
    return built_defined(f);
  return f->kernel_count && built_percent(f, 60) ? f->functions[built_below(f, (uint32_t)f->kernel_count)] : 0;
}

static tb_symbol built_add_variable(built_file *f, const built_name *name) {
  static const uint8_t contents[65536] = {1, 2, 3, 4, 5, 6, 7};
  const uint64_t size = built_percent(f, 98) ? name->size : CHOOSE(f, built_sizes);
  const uint64_t align = built_percent(f, 80) ? name->align : CHOOSE(f, built_alignments);
  const void *const bytes = built_percent(f, 60) ? contents : NULL;
  if (name->what == BUILT_SHARED)
    return built_percent(f, 15) ? tb_extern_shared(f->cubin, name->text)
                                : tb_shared(f->cubin, built_shared_owner(f), name->text, size, align);
  if (name->what == BUILT_CONSTANT)
    return built_percent(f, 90) ? tb_constant(f->cubin, name->text, built_binding(f, name), size, align, bytes)
                                : tb_function_constant(f->cubin, built_defined(f), contents, size < 64 ? size + 4 : 8,
                                                       align < 16 ? align : 8);
  return built_percent(f, 92) ? tb_global(f->cubin, name->text, built_binding(f, name), size, align, bytes)
                              : tb_common(f->cubin, name->text, size, align);
}

static tb_symbol built_mention_data(const built_file *f, const built_name *name, unsigned space) {
  const unsigned binding = built_percent(f, 40) ? TB_WEAK : TB_GLOBAL;
  return tb_undefined_data(f->cubin, name->text, binding, space | (built_percent(f, 3) ? TB_MANAGED : 0), name->size);
}

static void built_add_data(built_file *f) {
  static const unsigned spaces[] = {
      [BUILT_GLOBAL] = TB_IN_GLOBAL, [BUILT_CONSTANT] = TB_IN_CONSTANT, [BUILT_SHARED] = TB_IN_SHARED};
  for (size_t i = 0; i < BUILT_NAMES; i++) {
    const built_name *const name = &f->names[i];
    if (name->what <= BUILT_FUNCTION)
      continue;
    if (built_defines(f, name) || (name->what == BUILT_SHARED && built_percent(f, 20)))
      f->data[f->data_count++] = built_add_variable(f, name);
    else if (name->what != BUILT_SHARED && built_mentions(f, name))
      f->data[f->data_count++] = built_mention_data(f, name, spaces[name->what]);
  }
}

/* --- edges, records, relocations --- */

static void built_add_edge(built_file *f) {
  const size_t number = built_below(f, (uint32_t)f->function_count);
  const tb_symbol function = f->functions[number];
  const char *const prototype = built_percent(f, 97) ? f->prototypes[number] : CHOOSE(f, built_prototypes);
  switch (built_below(f, 6)) {
  case 0:
  case 1:
    return tb_call(f->cubin, built_defined(f), function);
  case 2:
    return tb_address_taken(f->cubin, function, prototype);
  case 3:
    return tb_indirect_call(f->cubin, built_defined(f), prototype);
  case 4:
    return tb_function_reference(f->cubin, built_defined(f), function);
  default:
    return tb_prototype(f->cubin, function, prototype);
  }
}

static void built_add_number_record(built_file *f) {
  const uint8_t code = built_percent(f, 70) ? CHOOSE(f, f->themes) : CHOOSE(f, built_codes);
  const uint32_t format = built_below(f, 10);
  const tb_symbol of = built_percent(f, 8) ? 0 : built_defined(f);
  const uint32_t word = CHOOSE(f, built_values);
  if (code == BUILT_SYNC_STACK && built_percent(f, 90)) /* or it ends the link */
    return tb_attribute(f->cubin, of, 4, code, &word, sizeof word);
  tb_attribute_value(f->cubin, of, (uint8_t)(format < 6 ? 3 : format < 9 ? 2 : 1), code, (uint16_t)word);
}

/* Records that the linker reads, with values around those that compilers write. */
static void built_add_record(built_file *f) {
  static const uint8_t of_symbols[] = {0x11, 0x12, 0x23, 0x26, 0x2f, 0x3b, 0x09};
  static const uint8_t words[] = {0x04, 0x1e, 0x4f, 0x17, 0x41, 0x54, 0x0a, 0x0d, 0x38, 0x4a, 0x53, 0x1b};
  const tb_symbol of = built_defined(f);
  uint32_t rest[4];
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
    rest[i] = CHOOSE(f, built_values);
  const tb_symbol symbols[1] = {built_percent(f, 80) ? of : built_any(f)};
  uint8_t byte;
  tb_symbol owner;
  switch (built_below(f, 11)) {
  case 0:
    return tb_set_frame_size(f->cubin, of, CHOOSE(f, built_values));
  case 1:
    return tb_set_max_stack(f->cubin, of, CHOOSE(f, built_values));
  case 2:
    return tb_set_registers(f->cubin, of, built_registers(f));
  case 3:
    byte = (uint8_t)built_below(f, 14);
    return tb_compat(f->cubin, byte, (uint16_t)CHOOSE(f, built_values));
  case 4:
    byte = CHOOSE(f, words);
    if ((byte == BUILT_PARAMETERS || byte == BUILT_PARAMETER) && built_percent(f, 90))
      return tb_attribute_symbols(f->cubin, of, byte, symbols, 1, rest, 4);
    return tb_attribute(f->cubin, of, 4, byte, rest, (uint16_t)(4 + 4 * built_below(f, 4)));
  case 5:
    owner = built_percent(f, 80) ? 0 : of;
    return tb_attribute_symbols(f->cubin, owner, CHOOSE(f, of_symbols), symbols, 1, rest, 4);
  case 6:
    return tb_attribute_symbols(f->cubin, of, 0x0f, symbols, 1, NULL, 0);
  case 7:
    return tb_attribute_symbols(f->cubin, 0, 0x26, symbols, 1, rest, 4);
  default:
    return built_add_number_record(f);
  }
}

/* The section that gets a relocation entry: code, or data with bytes. */
static tb_section built_patched(const built_file *f, bool *code) {
  const tb_symbol data = f->data_count ? f->data[built_below(f, (uint32_t)f->data_count)] : 0;
  *code = !data || built_percent(f, 75);
  return tb_section_of(f->cubin, *code ? built_defined(f) : data);
}

bool built_type_describes_function(uint32_t type) {
  static const uint8_t ranges[][2] = {{31, 35}, {47, 49}, {61, 63}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (type >= ranges[i][0] && type <= ranges[i][1])
      return true;
  return false;
}

/* A function that code names is called by it more often than not: what nobody calls is dead, and to name it ends the link. */
static void built_call_named(const built_file *f, bool code, tb_section section, tb_symbol symbol) {
  if (!code || !symbol || tb_symbol_edit(f->cubin, symbol)->type != TB_FUNCTION || !built_percent(f, 80))
    return;
  for (size_t i = 0; i < f->defined_count; i++)
    if (tb_section_of(f->cubin, f->functions[i]) == section)
      return tb_call(f->cubin, f->functions[i], symbol);
}

static void built_add_relocation(built_file *f) {
  static const int64_t addends[] = {0, 0, 0, 0, 4, 8, 16, -8, 0x1000, 0x7fffffff, -0x7fffffff, 0x123456789};
  const tb_symbol symbol = built_any(f);
  bool code;
  const tb_section section = built_patched(f, &code);
  const tb_section_data *const to = tb_section_edit(f->cubin, section);
  if (!section || !to->bytes || (!code && f->sm < 90 && !strstr(to->name, ".init")))
    return;
  const uint32_t step = code ? BUILT_INSTRUCTION : 8, places = (uint32_t)(to->size / step);
  const uint64_t offset =
      built_percent(f, 98) ? (uint64_t)step * built_below(f, places) : built_below(f, BUILT_TEXT + 8);
  const uint32_t usual = code ? CHOOSE(f, built_types) : 2;
  uint32_t type = built_percent(f, 80) ? usual : built_below(f, BUILT_TYPES);
  const bool function = symbol && tb_symbol_edit(f->cubin, symbol)->type == TB_FUNCTION;
  if (built_type_describes_function(type) && !function && built_percent(f, 90))
    type = 2; /* or the link ends here */
  built_call_named(f, code, section, symbol);
  if (built_percent(f, f->sm < 90 ? 30 : 85))
    tb_rela(f->cubin, section, offset, type, symbol, CHOOSE(f, addends));
  else
    tb_rel(f->cubin, section, offset, type, symbol);
}

/* A byte somewhere in the finished file, for what no description reaches. */
static void built_damage(built_file *f) {
  size_t size = 0;
  uint8_t *const bytes = tb_finish(f->cubin, &size);
  free(bytes);
  static const unsigned widths[] = {1, 1, 2, 4};
  const unsigned width = CHOOSE(f, widths);
  static const uint64_t values[] = {0, 1, 2, 4, 0x10, 0x7f, 0x80, 0xff, 0xffff, 0xffffffff, 0x7fffffff};
  if (size <= 64)
    return;
  const uint32_t place = built_below(f, (uint32_t)size - 8);
  tb_override(f->cubin, TB_PLACE_FILE, 0, place, width, CHOOSE(f, values));
}

uint8_t *built_program_file(const built_program *program, uint32_t number, bool accelerated, built_extend *extend,
                            void *context, size_t *size) {
  built_file file = {
      .choices = program->choices, .sm = program->sm, .number = number, .names = program->names, .cubin = NULL};
  built_file *const f = &file;
  memcpy(file.themes, program->themes, sizeof file.themes);
  f->cubin = tb_new(f->sm);
  if (accelerated)
    tb_set_accelerated(f->cubin, true);
  if (built_percent(f, 8))
    tb_set_virtual_architecture(f->cubin, CHOOSE(f, built_machines));
  built_add_functions(f);
  built_add_data(f);
  const uint32_t edges = built_percent(f, 70) ? built_below(f, 8) : built_below(f, 20);
  const uint32_t records = built_percent(f, 60) ? built_below(f, 6) : built_percent(f, 40) ? built_below(f, 16) : 0;
  for (uint32_t i = 0; i < edges; i++)
    built_add_edge(f);
  for (uint32_t i = 0; i < records; i++)
    built_add_record(f);
  const uint32_t relocations = built_percent(f, 50) ? built_below(f, 8) : 0;
  for (uint32_t i = 0; i < relocations; i++)
    built_add_relocation(f);
  if (extend)
    extend(f, context);
  if (built_percent(f, 5))
    built_damage(f);
  uint8_t *const bytes = tb_finish(f->cubin, size);
  tb_free(f->cubin);
  return bytes;
}

void built_program_start(built_program *program, const built_choices *choices) {
  *program = (built_program){.choices = choices};
  program->sm = CHOOSE(program, built_machines);
  program->file_count = 1 + built_choose(choices, built_choose(choices, 100) < 90 ? 3 : BUILT_FILES - 1);
}

void built_program_plan(built_program *program) {
  built_plan(program->choices, program->file_count, program->names);
  for (size_t i = 0; i < BUILT_THEMES; i++)
    program->themes[i] = CHOOSE(program, built_codes);
}
