/* What a program of the kind "mistakes" does wrong: one to three things that a linker has to refuse or to complain about.
 *
 * Definitions that are there twice are ordinary bodies and objects of the model and need no mistake of their own. */
#include "gen_program.h"

static uint32_t gen_draw(gen_program *program, uint32_t bound) {
  return gen_random_below(&program->random, bound);
}

/* A variable that another file than `file` defines, with a size, whose space is in the mask; GEN_NONE if there is none. */
static int gen_mistake_variable(gen_program *program, int file, unsigned spaces) {
  int found[GEN_MAX_VARIABLES], count = 0;
  for (int i = 0; i < program->variable_count; i++) {
    const gen_variable *row = &program->variables[i];
    if (row->count && row->linkage == GEN_STRONG && row->home != file && (spaces >> row->space & 1) &&
        row->element < GEN_POINTER)
      found[count++] = i;
  }
  return count ? found[gen_draw(program, (uint32_t)count)] : GEN_NONE;
}

/* The variable becomes this large, in bytes, wherever it is declared. */
static void gen_mistake_enlarge(gen_program *program, int variable, uint32_t bytes) {
  if (variable == GEN_NONE)
    return;
  uint32_t count = bytes / gen_element_size(program->variables[variable].element);
  program->variables[variable].count = count;
  for (int i = 0; i < program->object_count; i++)
    if (program->objects[i].variable == variable)
      program->objects[i].count = count;
}

/* Two files' constants that fit alone and not together. */
static void gen_mistake_constants(gen_program *program, gen_mistake *mistake) {
  mistake->variable = gen_mistake_variable(program, GEN_NONE, 1u << GEN_CONSTANT);
  if (mistake->variable == GEN_NONE)
    return;
  int other = gen_mistake_variable(program, program->variables[mistake->variable].home, 1u << GEN_CONSTANT);
  gen_mistake_enlarge(program, mistake->variable, 33000 + 8 * gen_draw(program, 200));
  gen_mistake_enlarge(program, other, 31000 + 8 * gen_draw(program, 200));
}

static void gen_mistake_architecture(gen_program *program, gen_file *file) {
  file->target_sm = program->sm >= 90 ? 89 : 90;
  file->target_suffix = 0;
  if (file->virtual_sm > file->target_sm)
    file->virtual_sm = file->target_sm;
}

void gen_build_mistakes(gen_program *program) {
  static const uint32_t weights[GEN_MISTAKE_KIND_COUNT + 1] = {
      [GEN_MISTAKE_LEFT_OUT] = 7,     [GEN_MISTAKE_TWICE] = 3,  [GEN_MISTAKE_ABSENT] = 1,
      [GEN_MISTAKE_SIZE] = 7,         [GEN_MISTAKE_SHARED] = 5, [GEN_MISTAKE_CONSTANT] = 5,
      [GEN_MISTAKE_ARCHITECTURE] = 1, [GEN_MISTAKE_UNIFIED] = 2};
  uint32_t wanted = program->kind == GEN_MISTAKES ? gen_draw(program, 3) + 1 : 0;
  for (uint32_t i = 0; i < wanted; i++) {
    gen_mistake *mistake = &program->mistakes[program->mistake_count++];
    *mistake = (gen_mistake){.id = gen_build_id(program), .variable = GEN_NONE};
    mistake->kind = (gen_mistake_kind)gen_build_choose(program, weights);
    mistake->file = (int)gen_draw(program, (uint32_t)program->file_count);
    if (mistake->kind == GEN_MISTAKE_SIZE)
      mistake->variable = gen_mistake_variable(program, mistake->file, 1u << GEN_GLOBAL | 1u << GEN_CONSTANT);
    if (mistake->kind == GEN_MISTAKE_SHARED)
      mistake->variable = gen_mistake_variable(program, GEN_NONE, 1u << GEN_SHARED);
    if (mistake->kind == GEN_MISTAKE_CONSTANT)
      gen_mistake_constants(program, mistake);
    if (mistake->kind == GEN_MISTAKE_SHARED)
      gen_mistake_enlarge(program, mistake->variable, 49000 + 8 * gen_draw(program, 1000));
    if (mistake->kind == GEN_MISTAKE_ARCHITECTURE)
      gen_mistake_architecture(program, &program->files[mistake->file]);
  }
}
