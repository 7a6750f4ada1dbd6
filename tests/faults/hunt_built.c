/* Small programs out of the cubin builder (tests/support/built_program.h) as inputs of the hunt: always the same ones. */
#include "tests/faults/hunt.h"

#include "tests/support/built_program.h"

#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION = 16 };

/* Compiler constants of several functions that together go beyond the 64 KB of their bank, so that they are laid out again. */
static void built_add_large_constants(built_file *f, gen_random *random) {
  enum { LARGEST = 40000, SMALLEST = 8, BANK = 0x10000 };
  static const uint8_t contents[BANK + 4] = {9, 8, 7, 6};
  static const uint32_t borders[] = {BANK, BANK + 1, BANK - 4, BANK + 4, BANK / 2, BANK / 2, BANK / 2 + 4};
  for (size_t i = 0; i < f->function_count && i < BUILT_SYMBOLS / 4; i++)
    if (gen_random_percent(random, 60)) { /* a draw a line: the order of arguments is the compiler's */
      const tb_symbol of = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
      const uint32_t border = borders[gen_random_below(random, sizeof borders / sizeof *borders)];
      const uint32_t usual = SMALLEST + gen_random_below(random, LARGEST - SMALLEST);
      const uint32_t size = gen_random_percent(random, 25) ? border : usual;
      tb_function_constant(f->cubin, of, contents, size, 1u << gen_random_below(random, 9));
    }
}

/* Variables of the shared pool with other bindings and alignments than in the other files: a weak definition that a strong
 * one replaces has two places. Code names them. */
static void built_bind_shared(built_file *f, gen_random *random) {
  static const uint32_t types[] = {2, 56, 57, 114};
  const tb_section pool = tb_section_find(f->cubin, ".nv_debug.shared");
  for (size_t i = 0; pool && i < f->data_count; i++) {
    tb_symbol_data *const symbol = tb_symbol_edit(f->cubin, f->data[i]);
    if (symbol->section != pool)
      continue;
    symbol->binding = gen_random_percent(random, f->number ? 40 : 90) ? TB_WEAK : TB_GLOBAL;
    symbol->value = 1u << gen_random_below(random, 9);
    for (size_t j = 0; j < f->kernel_count; j++)
      if (gen_random_percent(random, 80)) {
        const uint32_t type = types[gen_random_below(random, sizeof types / sizeof *types)];
        tb_rela(f->cubin, tb_section_of(f->cubin, f->functions[j]), INSTRUCTION * (uint64_t)i, type, f->data[i], 0);
      }
  }
}

/* Symbols that are the compiler's own, local and internal, without a section: the size of the constants, or a name that
 * says nothing. */
static void built_add_internal(built_file *f, gen_random *random) {
  static const char *const names[] = {".nv.ptx.const0.size", ".nv.ptx.const0.size", ".nv.ptx.const0.siz", "internal"};
  static const uint32_t types[] = {2, 56, 57};
  const char *const name = names[gen_random_below(random, sizeof names / sizeof *names)];
  const tb_symbol_data data = {.name = name, .binding = TB_LOCAL, .type = TB_OBJECT, .other = 1, .size = 4};
  const tb_symbol symbol = tb_symbol_add(f->cubin, &data);
  if (gen_random_percent(random, 10))
    tb_symbol_edit(f->cubin, symbol)->size = gen_random_below(random, 16);
  const tb_symbol user = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
  const uint32_t type = types[gen_random_below(random, sizeof types / sizeof *types)];
  tb_rela(f->cubin, tb_section_of(f->cubin, user), 0, type, symbol, 0);
}

/* The toolkit that the file's note tells of, on both sides of each border, beside records that not all of them write. */
static void built_change_toolkit(built_file *f, gen_random *random) {
  enum { LARGE_PARAMETER = 0x45, TOOLKIT_AT = 28, BYTES = 12 };
  static const uint16_t toolkits[] = {99, 100, 101, 119, 120, 121, 121, 122, 129, 130, 131};
  static const uint32_t words[BYTES / 4] = {0, 0x10000, 0x11f000};
  const uint16_t toolkit = toolkits[gen_random_below(random, sizeof toolkits / sizeof *toolkits)];
  const tb_section note = tb_section_find(f->cubin, ".note.nv.cuinfo");
  tb_override(f->cubin, TB_PLACE_SECTION, note, TOOLKIT_AT, 2, toolkit);
  if (gen_random_percent(random, 60))
    tb_attribute(f->cubin, f->functions[0], 4, LARGE_PARAMETER, words, BYTES);
}

/* A weak function that every file of the program has, of other registers and another virtual architecture each, and with
 * calls and addresses of its own: which body stands, and whose records of the call graph do. */
static void built_add_contested(built_file *f, gen_random *random) {
  static const unsigned registers[] = {8, 16, 16, 24}, architectures[] = {75, 80, 86, 90};
  static const char *const prototypes[] = {"#v", "#i", "#p"};
  const tb_symbol body = tb_function(f->cubin, "contested", TB_WEAK, NULL, 0, registers[gen_random_below(random, 4)]);
  const unsigned architecture = architectures[gen_random_below(random, 4)];
  if (architecture <= f->sm)
    tb_set_virtual_architecture(f->cubin, architecture);
  if (gen_random_percent(random, 80))
    tb_call(f->cubin, f->functions[gen_random_below(random, (uint32_t)f->defined_count)], body);
  for (uint32_t i = gen_random_below(random, 3); i-- > 0;)
    tb_call(f->cubin, body, f->functions[gen_random_below(random, (uint32_t)f->function_count)]);
  if (gen_random_percent(random, 30))
    tb_indirect_call(f->cubin, body, prototypes[gen_random_below(random, 3)]);
  if (gen_random_percent(random, 30))
    tb_function_reference(f->cubin, body, f->functions[gen_random_below(random, (uint32_t)f->function_count)]);
  if (gen_random_percent(random, 15))
    tb_address_taken(f->cubin, body, prototypes[0]);
  if (gen_random_percent(random, 30))
    tb_function_constant(f->cubin, body, prototypes, 8 + gen_random_below(random, 16),
                         1u << gen_random_below(random, 5));
}

/* Records of words that functions bring to their kernels, some of them words that these have. */
static void built_add_words(built_file *f, gen_random *random) {
  enum { FRAGMENTS = 0x4f, WORDS = 3, VALUES = 4 };
  for (size_t i = 0; i < f->defined_count; i++)
    if (gen_random_percent(random, 70)) {
      uint32_t words[WORDS];
      for (size_t j = 0; j < WORDS; j++)
        words[j] = gen_random_below(random, VALUES);
      const uint16_t size = (uint16_t)(4 * gen_random_below(random, WORDS + 1));
      tb_attribute(f->cubin, f->functions[i], 4, FRAGMENTS, words, size);
    }
}

/* User constants that together go beyond the 64 KB of their bank, of every binding, some of which code names. */
static void built_add_large_data(built_file *f, gen_random *random) {
  enum { LARGEST = 40000, SMALLEST = 8, NAME = 32 };
  static const uint8_t contents[LARGEST] = {1, 2, 3, 4};
  static const uint32_t types[] = {56, 57, 58, 65, 2};
  char name[NAME];
  for (uint32_t i = 1 + gen_random_below(random, 4); i-- > 0;) {
    const unsigned binding = gen_random_percent(random, 80) ? TB_GLOBAL : gen_random_below(random, 3);
    const uint32_t size = SMALLEST + gen_random_below(random, LARGEST - SMALLEST);
    const uint64_t align = 1u << gen_random_below(random, 9);
    snprintf(name, sizeof name, "large%u_%u", i, binding == TB_WEAK ? 0 : f->number);
    const tb_symbol constant = tb_constant(f->cubin, name, binding, size, align, contents);
    if (gen_random_percent(random, 60)) {
      const tb_symbol user = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
      const uint32_t type = types[gen_random_below(random, sizeof types / sizeof *types)];
      tb_rela(f->cubin, tb_section_of(f->cubin, user), INSTRUCTION * (uint64_t)i, type, constant, 0);
    }
  }
}

/* Shared memory beyond what fields of 16 bits and of banks can name. */
static void built_add_large_shared(built_file *f, gen_random *random) {
  enum { BEGIN = 0xfff0, ROOM = 0x8000, NAME = 32 };
  static const uint32_t types[] = {17, 18, 46, 59, 59, 65, 56, 2};
  const uint64_t size = BEGIN + gen_random_below(random, ROOM);
  const tb_symbol user = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
  for (uint32_t i = 0; i < 2; i++) {
    char name[NAME];
    const uint32_t type = types[gen_random_below(random, sizeof types / sizeof *types)];
    snprintf(name, sizeof name, "wide%u_%u", f->number, i);
    const tb_symbol object = tb_shared(f->cubin, 0, name, i ? 64 : size, 16);
    tb_rela(f->cubin, tb_section_of(f->cubin, user), INSTRUCTION * (uint64_t)i, type, object, 0);
  }
}

/* Entries of Mercury's types in code of SASS kind, some about what no other file sees. */
static void built_add_foreign(built_file *f, gen_random *random) {
  enum { FIRST = 0x10000, TYPES = 67, CLEAR = 0x1000e };
  const tb_symbol user = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
  const size_t all = f->function_count + f->data_count;
  for (uint32_t i = 0; i < 2; i++) {
    const size_t number = gen_random_below(random, (uint32_t)all);
    const tb_symbol symbol = number < f->function_count ? f->functions[number] : f->data[number - f->function_count];
    const uint32_t type = gen_random_percent(random, 30) ? CLEAR : FIRST + gen_random_below(random, TYPES);
    if (gen_random_percent(random, 20))
      tb_symbol_edit(f->cubin, symbol)->other |= (uint8_t)(1 + gen_random_below(random, 2));
    tb_rela(f->cubin, tb_section_of(f->cubin, user), INSTRUCTION * (uint64_t)i, type, symbol, 0);
  }
}

/* A second name inside a function, with a kernel's mark or without, that entries with and without an addend name. */
static void built_add_second_name(built_file *f, gen_random *random) {
  enum { NAME = 32 };
  static const uint32_t types[] = {2, 2, 56, 57, 55, 72, 102};
  char name[NAME];
  snprintf(name, sizeof name, "second%u", f->number);
  const tb_symbol of = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
  const tb_symbol second = tb_alias(f->cubin, name, of, INSTRUCTION * (uint64_t)gen_random_below(random, 4));
  const tb_symbol user = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
  const uint32_t type = types[gen_random_below(random, sizeof types / sizeof *types)];
  if (gen_random_percent(random, 50))
    tb_symbol_edit(f->cubin, second)->other |= TB_ENTRY;
  if (gen_random_percent(random, 60))
    tb_call(f->cubin, user, second);
  if (gen_random_percent(random, 50))
    tb_rel(f->cubin, tb_section_of(f->cubin, user), INSTRUCTION, type, second);
  else
    tb_rela(f->cubin, tb_section_of(f->cubin, user), INSTRUCTION, type, second, 16);
}

/* What nvlink or the driver provides, and names that differ from those in a letter: undefined data that code names. */
static void built_add_provided(built_file *f, gen_random *random) {
  static const char *const names[] = {"__UFT",
                                      "__UFT_OFFSET",
                                      "__UFT_CANONICAL",
                                      "__UFT_END",
                                      "__UDT",
                                      "__UDT_OFFSET",
                                      "__UDT_CANONICAL",
                                      "__UDT_END",
                                      ".nv.reservedSmem.begin",
                                      ".nv.reservedSmem.cap",
                                      ".nv.reservedSmem.end",
                                      ".nv.reservedSmem.offset0",
                                      ".nv.reservedSmem.offset1",
                                      ".nv.independent.texrefDescSize",
                                      ".nv.independent.samplerrefDescSize",
                                      ".nv.unified.texrefDescSize",
                                      ".nv.surfrefDescSize"};
  enum { NAME = 40 };
  static const unsigned spaces[] = {0, TB_IN_GLOBAL, TB_IN_SHARED, TB_IN_CONSTANT};
  static const uint32_t types[] = {2, 56, 57, 55, 72, 102};
  char name[NAME];
  snprintf(name, sizeof name, "%s", names[gen_random_below(random, sizeof names / sizeof *names)]);
  if (gen_random_percent(random, 15))
    name[gen_random_below(random, (uint32_t)strlen(name))]++;
  const unsigned space = spaces[gen_random_below(random, sizeof spaces / sizeof *spaces)];
  const tb_symbol symbol = tb_undefined_data(f->cubin, name, TB_GLOBAL, space, 4 * gen_random_below(random, 3));
  const tb_symbol user = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
  const uint32_t type = types[gen_random_below(random, sizeof types / sizeof *types)];
  tb_rela(f->cubin, tb_section_of(f->cubin, user), 0, type, symbol, 0);
}

/* One of these in the files of a fifth of the programs that get more. */
static void built_add_rare(built_file *f, gen_random *random) {
  static void (*const kinds[])(built_file *, gen_random *) = {
      built_add_large_data, built_add_large_shared, built_add_foreign, built_add_second_name, built_add_provided};
  kinds[gen_random_below(random, sizeof kinds / sizeof *kinds)](f, random);
}

/* What compilers of other versions or other sources write, one of these in a program's files. */
static void built_add_kinds(built_file *f, gen_random *random) {
  if (gen_random_percent(random, 30))
    built_bind_shared(f, random);
  if (gen_random_percent(random, 5))
    built_add_internal(f, random);
  if (gen_random_percent(random, 10))
    built_change_toolkit(f, random);
  if (f->defined_count && gen_random_percent(random, 5))
    built_add_words(f, random);
}

typedef struct built_more {
  gen_random random;
  bool contested;
} built_more;

/* Every other file has code of random bits, so that what stands beside a field is not always zero, and records of any code
 * about a function. */
static void built_extend_more(built_file *f, void *context) {
  enum { CODES = 0x60, RECORDS = 3 };
  built_more *const more = context;
  gen_random *const random = &more->random;
  if (f->defined_count && more->contested)
    built_add_contested(f, random);
  if (f->defined_count && gen_random_percent(random, 4))
    built_add_large_constants(f, random);
  for (size_t i = 0; i < f->defined_count && gen_random_percent(random, 50); i++) {
    const tb_section_data *const text = tb_section_edit(f->cubin, tb_section_of(f->cubin, f->functions[i]));
    for (uint64_t j = 0; text->bytes && j < text->size; j++)
      text->bytes[j] = (uint8_t)gen_random_next(random);
  }
  for (uint32_t i = gen_random_below(random, RECORDS); i-- > 0;) {
    const tb_symbol of = f->functions[gen_random_below(random, (uint32_t)f->defined_count)];
    const uint8_t format = (uint8_t)(1 + gen_random_below(random, 3));
    const uint8_t code = (uint8_t)gen_random_below(random, CODES);
    tb_attribute_value(f->cubin, of, format, code, (uint16_t)gen_random_below(random, 300));
  }
  built_add_kinds(f, random);
  if (f->defined_count && gen_random_percent(random, 20))
    built_add_rare(f, random);
}

void hunt_built_add(hunt_inputs *inputs, const char *root, size_t count) {
  enum { CONTESTED = 12 };
  char directory[HARNESS_PATH], path[HARNESS_PATH], name[HARNESS_PATH];
  for (size_t i = 0; i < count; i++) {
    gen_random random = {.state = 0x6275696c74u + i};
    built_more further = {.random = {.state = 0x6d6f7265u + i}, .contested = i % CONTESTED == 1};
    const built_choices choices = built_choices_random(&random);
    built_program program;
    built_program_start(&program, &choices);
    harness_path(name, "built %zu", i);
    harness_path(directory, "%s/built/%zu", root, i); /* of its own: a run looks through all files beside it */
    harness_make_directories(directory);
    hunt_input *const input = hunt_inputs_add(inputs, name, directory, NULL);
    harness_words *const words = &input->arguments;
    input->modes = 1u << i % HUNT_MODES;
    const bool accelerated = program.sm == 90 && gen_random_percent(&random, 30);
    hunt_words_add(words, "-arch=sm_%u%s", program.sm, accelerated && gen_random_percent(&random, 90) ? "a" : "");
    hunt_options_add(words, &random);
    built_program_plan(&program);
    for (uint32_t j = 0; j < program.file_count; j++) {
      const bool more = accelerated && gen_random_percent(&random, 90);
      const bool library = gen_random_percent(&random, 4); /* taken when it is needed */
      if (library && gen_random_percent(&random, 30))
        hunt_words_add(words, "-register-link-binaries=registered");
      harness_path(path, "%s/%s-%u.cubin", directory, library ? "cudadevrt" : "built", j);
      size_t size = 0;
      uint8_t *const bytes = built_program_file(&program, j, more, i % 2 ? built_extend_more : NULL, &further, &size);
      hunt_input_write(path, bytes, size);
      free(bytes);
      hunt_words_add(words, "%s", strrchr(path, '/') + 1);
    }
    hunt_words_add(words, "-o");
    hunt_words_add(words, "out.cubin");
  }
}
