/* Unified functions and data, and the index file that says where each lies (U5 to U12).
 *
 * Functions and objects with one strong or weak definition in a PTX file of sm_90 and later get an identity of two words.
 * The index is made from what is left after pruning. It has no gaps between objects: what nvlink writes there is not
 * initialised (D77). One program in six has an index with one thing wrong. */
#include "gen_output.h"
#include "gen_program.h"

#include <stdio.h>
#include <string.h>

enum { STUB_SIZE = 128, INDEX_FIRST_VERSION_WITH_TAIL = 2, INDEX_TAIL = 16, INDEX_WORD = 8 };

static uint32_t gen_draw(gen_program *program, uint32_t bound) {
  return gen_random_below(&program->random, bound);
}

static bool gen_chance(gen_program *program, uint32_t percent) {
  return gen_random_percent(&program->random, percent);
}

/* --- building --- */

static bool gen_unified_file(const gen_program *program, int file) {
  const gen_file *row = &program->files[file];
  return row->language == GEN_PTX && row->virtual_sm >= 90 && !row->ewp;
}

/* The one file that defines a function, if it may be unified; else GEN_NONE. */
static bool gen_unified_function(const gen_program *program, int function) {
  const gen_function *row = &program->functions[function];
  int bodies = 0;
  bool fits = !row->kernel && row->linkage != GEN_LOCAL && row->alias_of == GEN_NONE;
  for (int i = 0; i < program->body_count; i++)
    if (program->bodies[i].function == function) {
      bodies++;
      fits &= gen_unified_file(program, program->bodies[i].file);
    }
  for (int i = 0; i < program->function_count; i++)
    fits &= program->functions[i].alias_of != function;
  return fits && bodies == 1;
}

/* Sizes are multiples of alignments, so that objects in the order of their alignments leave no gap. */
static bool gen_unified_variable(const gen_program *program, int variable) {
  const gen_variable *row = &program->variables[variable];
  int objects = 0;
  bool fits = row->space == GEN_GLOBAL && row->linkage == GEN_STRONG && row->count != 0;
  for (int i = 0; i < program->object_count; i++)
    if (program->objects[i].variable == variable) {
      const gen_object *object = &program->objects[i];
      objects++;
      fits &= gen_unified_file(program, object->file) && object->linkage == GEN_STRONG &&
              object->count * gen_element_size(row->element) % object->align == 0;
    }
  return fits && objects == 1;
}

static void gen_unified_name(gen_program *program, gen_identity *identity, int *id) {
  *id = gen_build_id(program);
  identity->set = true;
  identity->words[0] = 1 + gen_draw(program, 1u << 20);
  identity->words[1] = ((uint64_t)*id << 20) + gen_draw(program, 1u << 20);
}

void gen_build_unified(gen_program *program) {
  if (!program->traits[GEN_TRAIT_UNIFIED] || program->sm < 90 || program->kind == GEN_GROUPING)
    return;
  for (int i = 0; i < program->function_count; i++)
    if (gen_unified_function(program, i) && gen_chance(program, 45))
      gen_unified_name(program, &program->functions[i].unified, &program->functions[i].unified_id);
  for (int i = 0; i < program->variable_count; i++)
    if (gen_unified_variable(program, i) && gen_chance(program, 45))
      gen_unified_name(program, &program->variables[i].unified, &program->variables[i].unified_id);
  program->index_version = gen_draw(program, 3);
  program->index_first = gen_draw(program, 8);
  const gen_index_flaw flaw = (gen_index_flaw)(1 + gen_draw(program, GEN_INDEX_FLAW_COUNT - 1));
  if (!gen_chance(program, 16))
    return;
  program->index_flaw = flaw;
  program->index_flaw_id = gen_build_id(program);
}

bool gen_program_unified(const gen_program *program) {
  bool any = false;
  for (int i = 0; i < program->function_count; i++)
    any |= program->functions[i].live && program->functions[i].unified.set;
  for (int i = 0; i < program->variable_count; i++)
    any |= program->variables[i].live && program->variables[i].unified.set;
  return any;
}

/* --- the index file --- */

typedef struct index_entry {
  const gen_identity *identity;
  uint64_t size, align, offset;
} index_entry;

typedef struct index_table {
  index_entry rows[GEN_MAX_FUNCTIONS > GEN_MAX_VARIABLES ? GEN_MAX_FUNCTIONS : GEN_MAX_VARIABLES];
  size_t count;
  uint64_t end;
} index_table;

static void index_place(index_table *table) {
  for (uint64_t align = 256; align != 0; align /= 2)
    for (size_t i = 0; i < table->count; i++)
      if (table->rows[i].align == align) {
        table->rows[i].offset = table->end;
        table->end += table->rows[i].size;
      }
}

static void index_functions(const gen_program *program, index_table *table) {
  for (int i = 0; i < program->function_count; i++)
    if (program->functions[i].live && program->functions[i].unified.set)
      table->rows[table->count++] =
          (index_entry){.identity = &program->functions[i].unified, .size = STUB_SIZE, .align = STUB_SIZE};
  index_place(table);
}

static void index_data(const gen_program *program, index_table *table) {
  for (int i = 0; i < program->object_count; i++) {
    const gen_object *object = &program->objects[i];
    const gen_variable *variable = &program->variables[object->variable];
    if (object->live && variable->unified.set)
      table->rows[table->count++] = (index_entry){.identity = &variable->unified,
                                                  .size = (uint64_t)object->count * gen_element_size(variable->element),
                                                  .align = object->align};
  }
  index_place(table);
}

static void index_word(text_buffer *file, uint64_t word) {
  unsigned char bytes[INDEX_WORD];
  for (int i = 0; i < INDEX_WORD; i++)
    bytes[i] = (unsigned char)(word >> 8 * i);
  text_add_bytes(file, bytes, sizeof bytes);
}

/* The entries begin anywhere in the order of creation: an index has no order. */
static void index_rows(const gen_program *program, const index_table *table, text_buffer *file) {
  const bool missing = program->index_flaw == GEN_INDEX_MISSING, twice = program->index_flaw == GEN_INDEX_TWICE;
  for (size_t i = missing; i < table->count + (twice && table->count != 0); i++) {
    const index_entry *row = &table->rows[(i + program->index_first) % table->count];
    index_word(file, row->identity->words[0]);
    index_word(file, row->identity->words[1]);
    index_word(file, row->offset);
  }
  if (program->index_flaw == GEN_INDEX_UNKNOWN) {
    index_word(file, 0xbad);
    index_word(file, program->seed);
    index_word(file, 0);
  }
}

static uint64_t index_count(const gen_program *program, const index_table *table) {
  const gen_index_flaw flaw = program->index_flaw;
  return table->count + (flaw == GEN_INDEX_UNKNOWN) + (flaw == GEN_INDEX_TWICE && table->count != 0) -
         (flaw == GEN_INDEX_MISSING && table->count != 0);
}

void gen_index_make(const gen_program *program, text_buffer *file) {
  const gen_index_flaw flaw = program->index_flaw;
  index_table functions = {.count = 0}, data = {.count = 0};
  index_functions(program, &functions);
  index_data(program, &data);
  index_word(file, flaw == GEN_INDEX_MAGIC ? 1 : 0x58444e495446557f);
  index_word(file, program->index_version);
  index_word(file, functions.end + (flaw == GEN_INDEX_FUNCTION_WINDOW ? STUB_SIZE : 0));
  index_word(file, index_count(program, &functions));
  index_word(file, data.end + (flaw == GEN_INDEX_DATA_WINDOW ? INDEX_WORD : 0));
  index_word(file, index_count(program, &data));
  index_rows(program, &functions, file);
  index_rows(program, &data, file);
  const uint64_t tail = INDEX_TAIL / INDEX_WORD * index_count(program, &functions);
  for (uint64_t i = 0; program->index_version >= INDEX_FIRST_VERSION_WITH_TAIL && i < tail; i++)
    index_word(file, i);
  if (flaw == GEN_INDEX_LONG)
    index_word(file, 0);
}
