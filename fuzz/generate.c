/* The generator: programs of tests/support/built_program.h, with what compilers write even more rarely put beside it
 * (textures, hidden and absolute symbols, entries against sections, tables of unified functions and data, local and debug
 * sections, records at their limits), options, and at the end damage on purpose with the mutator's own changes. */
#include "fuzz/generate.h"

#include "fuzz/generate_capsule.h"
#include "fuzz/generate_cells.h"
#include "fuzz/generate_names.h"
#include "fuzz/generate_rare.h"
#include "fuzz/generate_stock.h"
#include "fuzz/generate_unified.h"
#include "fuzz/mutate.h"
#include "fuzz/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t dna_byte(fuzz_dna *dna) {
  return dna->at < dna->size ? dna->bytes[dna->at++] : 0;
}

/* As many bytes as the bound needs, so that neighbouring choices do not share one. */
static uint32_t dna_below(void *context, uint32_t bound) {
  uint32_t value = 0;
  for (uint32_t range = bound > 1 ? bound - 1 : 0; range; range >>= 8)
    value = value << 8 | dna_byte(context);
  return bound ? value % bound : 0;
}

static uint64_t dna_next(void *context) {
  uint64_t value = 0;
  for (int i = 0; i < 4; i++)
    value = value << 8 | dna_byte(context);
  return value * 0x9e3779b97f4a7c15u;
}

built_choices fuzz_dna_choices(fuzz_dna *dna) {
  return (built_choices){dna_below, dna_next, dna};
}

#define CHOOSE(file, table) (table)[built_choose((file)->choices, (uint32_t)(sizeof(table) / sizeof *(table)))]

static bool more_percent(const built_file *file, uint32_t percent) {
  return built_choose(file->choices, 100) < percent;
}

static tb_symbol more_defined(const built_file *file) {
  return file->functions[built_choose(file->choices, (uint32_t)file->defined_count)];
}

/* Textures, samplers, surfaces and labels: an instruction or a slot refers to each. */
static void more_add_references(built_file *file) {
  static const struct {
    const char *name;
    uint8_t type;
  } rows[] = {{"t0", TB_TEXTURE}, {"t1", TB_TEXTURE}, {"p0", TB_SAMPLER}, {"u0", TB_SURFACE}, {"label", TB_NOTYPE}};
  static const uint32_t types[] = {2, 4, 5, 6, 7, 8, 9, 12, 17, 19, 20, 21, 22, 23, 24, 25, 29, 30, 42, 50, 51};
  const uint32_t count = built_choose(file->choices, 3);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t row = built_choose(file->choices, sizeof rows / sizeof *rows);
    const bool weak = rows[row].type == TB_NOTYPE || more_percent(file, 5);
    const bool absolute = built_choose(file->choices, 500) == 0;
    const tb_symbol_data symbol = {.name = rows[row].name,
                                   .binding = weak ? TB_WEAK : TB_GLOBAL,
                                   .type = rows[row].type,
                                   .raw_section = absolute ? TB_ABSOLUTE : TB_UNDEFINED};
    const tb_symbol target = tb_symbol_add(file->cubin, &symbol);
    const tb_section text = tb_section_of(file->cubin, more_defined(file));
    const uint64_t size = tb_section_edit(file->cubin, text)->size;
    const uint64_t offset = (uint64_t)16 * built_choose(file->choices, (uint32_t)(size / 16));
    const uint32_t type = CHOOSE(file, types);
    tb_rela(file->cubin, text, offset, type, target, more_percent(file, 30) ? 8 : 0);
  }
}

/* Sections that only some programs have; their contents count for nothing, or for much. */
static void more_add_sections(built_file *file) {
  enum { UNIFIED = 4, UNIFIED_ROWS = 4 }; /* the rows of unified functions and data */
  static const struct {
    tb_kind kind;
    const char *name;
    uint32_t type; /* 0: the kind's own */
  } rows[] = {{TB_KIND_DEBUG, ".debug_str", 0},
              {TB_KIND_DEBUG, ".debug_frame", 0},
              {TB_KIND_DEBUG, ".nv_debug_ptx_txt", 0},
              {TB_KIND_DEBUG, ".nv.rel.action", 0x7000000b},
              {TB_KIND_DEBUG, ".nv.uft.entry", 0x70000011},
              {TB_KIND_DEBUG, ".nv.udt.entry", 0x70000012},
              {TB_KIND_GLOBAL_INIT, ".nv.udt", 0},
              {TB_KIND_DEBUG, ".nv.uft", 0},
              {TB_KIND_DEBUG, ".nv.metadata", 0},
              {TB_KIND_CONSTANT, ".nv.constant4", 0x70000068},
              {TB_KIND_CONSTANT, ".nv.constant1", 0x70000065},
              {TB_KIND_SHARED, ".nv.shared.reserved.0", 0},
              {TB_KIND_GLOBAL, ".nv.local.k0", 0x70000009},
              {TB_KIND_DEBUG, ".nv.merc.symtab", 0}};
  static const uint8_t contents[64] = {1, 0, 0, 0, 2, 0, 0, 0, 0x4d, 0x79};
  if (!more_percent(file, 15))
    return;
  uint32_t row = built_choose(file->choices, sizeof rows / sizeof *rows);
  if (row >= UNIFIED && row < UNIFIED + UNIFIED_ROWS && built_choose(file->choices, 4)) /* they ask for an index */
    row = built_choose(file->choices, UNIFIED);
  const tb_section section = tb_section_add_with_symbol(file->cubin, rows[row].kind, rows[row].name, contents,
                                                        built_choose(file->choices, sizeof contents + 1));
  if (rows[row].type)
    tb_section_edit(file->cubin, section)->type = rows[row].type;
  if (more_percent(file, 40))
    tb_rela(file->cubin, tb_section_of(file->cubin, more_defined(file)), 0, 2,
            tb_symbol_of_section(file->cubin, section), 0);
}

/* Symbols that are other than their kind is: hidden, managed, of another size, in the middle of their section. */
static void more_bend_symbols(const built_file *file) {
  static const uint8_t others[] = {1, 2, 3, TB_MANAGED, TB_ENTRY, 0x40, 0x80};
  if (file->data_count && more_percent(file, 5)) {
    tb_symbol_data *const symbol =
        tb_symbol_edit(file->cubin, file->data[built_choose(file->choices, (uint32_t)file->data_count)]);
    symbol->other |= CHOOSE(file, others);
  }
  if (more_percent(file, 3)) {
    const uint8_t other = CHOOSE(file, others);
    tb_symbol_edit(file->cubin, more_defined(file))->other |= other;
  }
  if (more_percent(file, 2)) {
    const uint64_t value = (uint64_t)16 * built_choose(file->choices, 9);
    tb_symbol_edit(file->cubin, more_defined(file))->value = value;
  }
}

/* Entries whose symbol is a section's, and entries at the last place that a section has. */
static void more_add_entries(const built_file *file) {
  static const uint32_t types[] = {1, 2, 3, 4, 6, 7, 8, 9, 44, 56, 57, 64, 66, 67, 71, 102, 112};
  const uint32_t count = built_choose(file->choices, 3);
  for (uint32_t i = 0; i < count; i++) {
    const tb_section text = tb_section_of(file->cubin, more_defined(file));
    const tb_section target =
        tb_section_of(file->cubin, file->data_count && more_percent(file, 60)
                                       ? file->data[built_choose(file->choices, (uint32_t)file->data_count)]
                                       : more_defined(file));
    const uint64_t last = tb_section_edit(file->cubin, text)->size - 16;
    if (!target)
      continue;
    const uint64_t offset = last + (more_percent(file, 10) ? 8 : 0);
    const uint32_t type = CHOOSE(file, types);
    tb_rela(file->cubin, text, offset, type, tb_symbol_of_section(file->cubin, target),
            (int64_t)built_choose(file->choices, 256) - 128);
  }
}

/* A ring of calls, or a chain that comes back to where it began. */
static void more_add_ring(const built_file *file) {
  if (!more_percent(file, 20))
    return;
  const uint32_t first = built_choose(file->choices, (uint32_t)file->function_count);
  const uint32_t length = 1 + built_choose(file->choices, (uint32_t)file->function_count);
  for (uint32_t i = 0; i < length; i++)
    tb_call(file->cubin, file->functions[(first + i) % file->function_count],
            file->functions[i + 1 < length ? (first + i + 1) % file->function_count : first]);
}

static void more_extend(built_file *file, void *context) {
  more_add_references(file);
  more_add_sections(file);
  more_bend_symbols(file);
  more_add_entries(file);
  more_add_ring(file);
  if (more_percent(file, 40))
    fuzz_generate_cells(file);
  fuzz_rare_add(*(const uint32_t *)context, file);
}

static void generate_words(const built_choices *choices, unsigned sm, fuzz_envelope *envelope) {
  char word[FUZZ_WORD], target[FUZZ_TARGET];
  const uint32_t of = built_choose(choices, 100);
  if (of < 98)
    (void)snprintf(target, sizeof target, "sm_%u", sm);
  else
    (of == 98 ? fuzz_target_choose : fuzz_target_of_any_kind)(choices, target);
  (void)snprintf(word, sizeof word, "-arch=%s", target);
  (void)fuzz_envelope_add_word(envelope, word);
  if (built_choose(choices, 2))
    (void)fuzz_envelope_add_word(envelope, "--bug-compatible");
  const uint32_t mode = built_choose(choices, 8);
  if (mode > 3)
    (void)fuzz_envelope_add_word(envelope, mode < 6 ? "-r" : "-preserve-relocs");
  for (int i = 0; i < 3 && built_choose(choices, 3) == 2; i++)
    (void)fuzz_envelope_add_word(envelope, fuzz_word_choose(choices, word));
}

/* Most programs are small, so that many are tried: few files, few names, and large objects now and then. */
static void generate_shrink(const built_choices *choices, built_program *program) {
  enum { FEW = 2, SMALL = 256, PARTS = 4 };
  const uint32_t missing = 1 + built_choose(choices, PARTS - 1);
  if (program->file_count > FEW && built_choose(choices, 4))
    program->file_count = FEW;
  for (size_t i = 0; i < BUILT_NAMES; i++) {
    built_name *const name = &program->names[i];
    if (name->size > SMALL && built_choose(choices, 8))
      name->size %= SMALL;
    if (name->home < BUILT_FILES)
      name->home %= program->file_count;
    if (built_choose(choices, PARTS) < missing)
      name->home = BUILT_FILES;
  }
}

/* Links of SASS kind, for machines without capsules. */
static void generate_program(const built_choices *choices, fuzz_envelope *envelope) {
  built_program program;
  built_program_start(&program, choices);
  generate_words(choices, program.sm, envelope);
  built_program_plan(&program);
  generate_shrink(choices, &program);
  uint32_t rare = fuzz_rare_choose(choices);
  if (built_choose(choices, 200) == 199)
    return; /* no input */
  for (uint32_t i = 0; i < program.file_count; i++) {
    char name[FUZZ_NAME];
    size_t size = 0;
    (void)snprintf(name, sizeof name, "%s-%u.cubin", built_choose(choices, 200) < 199 ? "built" : "cudadevrt", i);
    uint8_t *const bytes = built_program_file(&program, i, false, more_extend, &rare, &size);
    (void)fuzz_envelope_add_file(envelope, name, bytes, size);
    free(bytes);
  }
}

static const struct {
  uint32_t one_in; /* of those that no earlier row takes; the built ones are what is left */
  fuzz_source source;
} generate_rows[] = {
    {32, FUZZ_SOURCE_UNIFIED}, {32, FUZZ_SOURCE_NAMES}, {5, FUZZ_SOURCE_STOCK}, {6, FUZZ_SOURCE_CAPSULES}};
enum { GENERATE_ROWS = sizeof generate_rows / sizeof *generate_rows };

uint32_t fuzz_source_share(fuzz_source source) {
  enum { ALL = 1000 };
  uint32_t left = ALL;
  for (size_t i = 0; i < GENERATE_ROWS; i++) {
    const uint32_t taken = left / generate_rows[i].one_in;
    if (generate_rows[i].source == source)
      return taken;
    left -= taken;
  }
  return left;
}

void fuzz_generate_by(fuzz_source source, const built_choices *choices, fuzz_envelope *envelope) {
  enum { SAYS_MORE_ONE_IN = 5 };
  static void (*const made[FUZZ_SOURCES])(const built_choices *choices,
                                          fuzz_envelope *envelope) = {[FUZZ_SOURCE_BUILT] = generate_program,
                                                                      [FUZZ_SOURCE_STOCK] = fuzz_generate_stock,
                                                                      [FUZZ_SOURCE_CAPSULES] = fuzz_generate_capsules,
                                                                      [FUZZ_SOURCE_NAMES] = fuzz_generate_names,
                                                                      [FUZZ_SOURCE_UNIFIED] = fuzz_generate_unified};
  envelope->file_count = envelope->word_count = 0;
  made[source](choices, envelope);
  if (built_choose(choices, SAYS_MORE_ONE_IN) == SAYS_MORE_ONE_IN - 1)
    fuzz_words_say_more(envelope);
  for (uint32_t damage = built_choose(choices, 32); damage > 30; damage--)
    fuzz_mutate(choices, envelope, NULL);
  fuzz_envelope_tell_apart(envelope); /* a file that was there twice may have been changed once */
}

void fuzz_generate(const built_choices *choices, fuzz_envelope *envelope) {
  fuzz_source source = FUZZ_SOURCE_BUILT;
  for (size_t i = 0; i < GENERATE_ROWS && source == FUZZ_SOURCE_BUILT; i++)
    if (built_choose(choices, generate_rows[i].one_in) == generate_rows[i].one_in - 1)
      source = generate_rows[i].source;
  fuzz_generate_by(source, choices, envelope);
}

void fuzz_envelope_of_input(fuzz_envelope *envelope, const uint8_t *bytes, size_t size) {
  if (fuzz_envelope_read(envelope, bytes, size))
    return;
  fuzz_dna dna = {bytes, size, 0};
  const built_choices choices = fuzz_dna_choices(&dna);
  fuzz_generate(&choices, envelope);
}
