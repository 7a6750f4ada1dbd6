/* The steps in which a program is linked, and symbols that are hidden.
 *
 * A plan starts with the files in the order of the link line; a step takes some neighbours of that line, files or outputs
 * of earlier steps, through `-r`, and its output stands in their place. So a plan is a tree over the line, and the direct
 * link of the same files has the same order. The last step makes the executable. A program of another kind has this step
 * alone. */
#include "gen_program.h"

#include <string.h>

static uint32_t gen_draw(gen_program *program, uint32_t bound) {
  return gen_random_below(&program->random, bound);
}

static bool gen_chance(gen_program *program, uint32_t percent) {
  return gen_random_percent(&program->random, percent);
}

/* --- building --- */

/* The line of a link while its plan is made. */
typedef struct gen_line {
  int items[GEN_MAX_FILES], count;
} gen_line;

static void gen_plan_preserve(gen_program *program, gen_step *step, uint32_t percent) {
  if (!gen_chance(program, percent))
    return;
  step->preserves = true;
  step->preserves_id = gen_build_id(program);
}

/* Takes `count` items from `first` on into a step of their own. */
static void gen_plan_take(gen_program *program, gen_line *line, int first, int count) {
  gen_step *step = &program->steps[program->step_count];
  *step = (gen_step){.id = gen_build_id(program), .relocatable = true, .input_count = count};
  memcpy(step->inputs, &line->items[first], (size_t)count * sizeof line->items[0]);
  line->items[first] = GEN_STEP_INPUT + program->step_count++;
  memmove(&line->items[first + 1], &line->items[first + count],
          (size_t)(line->count - first - count) * sizeof line->items[0]);
  line->count -= count - 1;
}

static void gen_plan_group(gen_program *program, gen_line *line, uint32_t preserve_percent) {
  static const uint32_t groups[] = {35, 30, 20, 15, 0};
  const int wanted = 1 + gen_build_choose(program, groups);
  for (int i = 0; i < wanted && program->step_count + 1 < GEN_MAX_STEPS; i++) {
    const int first = (int)gen_draw(program, (uint32_t)line->count);
    const int most = line->count - first;
    /* one file alone, and all that is left, are groups too, and rarer */
    int count = 1 + (int)gen_draw(program, (uint32_t)most);
    if (count == 1 && most > 1 && !gen_chance(program, 30))
      count = 2;
    gen_plan_take(program, line, first, count);
    gen_plan_preserve(program, &program->steps[program->step_count - 1], preserve_percent);
  }
}

/* Which share of each kind's programs is linked in steps, and of its links keep their relocations. */
static const struct {
  unsigned char grouped, preserve_step, preserve_last;
} gen_plan_percents[GEN_KIND_COUNT] = {
    [GEN_RELOCATABLE] = {100, 0, 0},
    [GEN_PRESERVED] = {60, 50, 75},
    [GEN_GROUPING] = {100, 0, 0},
    [GEN_UNIFIED] = {35, 0, 8},
};

void gen_build_plan(gen_program *program) {
  gen_line line = {.count = program->file_count};
  for (int i = 0; i < line.count; i++)
    line.items[i] = i;
  const gen_kind kind = program->kind;
  if (gen_plan_percents[kind].grouped && gen_chance(program, gen_plan_percents[kind].grouped))
    gen_plan_group(program, &line, gen_plan_percents[kind].preserve_step);
  gen_step *last = &program->steps[program->step_count++];
  *last = (gen_step){.live = true, .input_count = line.count};
  memcpy(last->inputs, line.items, (size_t)line.count * sizeof line.items[0]);
  if (gen_plan_percents[kind].preserve_last)
    gen_plan_preserve(program, last, gen_plan_percents[kind].preserve_last);
}

/* --- questions --- */

/* An input is one that is linked: a live file, or a live step with an input. Steps name earlier steps only, so a stack of
 * as many places as there are steps holds the way to any. */
void gen_step_inputs(const gen_program *program, int step, gen_step_visit *visit, void *context) {
  struct {
    const gen_step *step;
    int next;
  } stack[GEN_MAX_STEPS] = {{&program->steps[step], 0}};
  for (int depth = 0; depth >= 0;) {
    if (stack[depth].next == stack[depth].step->input_count) {
      depth--;
      continue;
    }
    const int input = stack[depth].step->inputs[stack[depth].next++];
    if (input < GEN_STEP_INPUT) {
      if (program->files[program->order[input]].live)
        visit(context, program->order[input]);
      continue;
    }
    if (!program->steps[input - GEN_STEP_INPUT].live) {
      depth++;
      stack[depth].step = &program->steps[input - GEN_STEP_INPUT];
      stack[depth].next = 0;
    } else if (gen_step_has_input(program, input - GEN_STEP_INPUT)) {
      visit(context, input);
    }
  }
}

static void gen_step_mark(const gen_program *program, int step, bool has[GEN_MAX_STEPS]) {
  const gen_step *row = &program->steps[step];
  for (int i = 0; i < row->input_count; i++) {
    const int input = row->inputs[i];
    has[step] |= input < GEN_STEP_INPUT ? program->files[program->order[input]].live : has[input - GEN_STEP_INPUT];
  }
}

bool gen_step_has_input(const gen_program *program, int step) {
  bool has[GEN_MAX_STEPS] = {false};
  for (int i = 0; i <= step; i++)
    gen_step_mark(program, i, has);
  return has[step];
}

/* --- hidden symbols --- */

static gen_visibility gen_draw_visibility(gen_program *program) {
  static const uint32_t shares[] = {20, 65, 15, 0};
  return (gen_visibility)(GEN_INTERNAL + gen_build_choose(program, shares));
}

/* One to three functions or variables that are not local. */
void gen_build_hidden(gen_program *program) {
  if (!program->traits[GEN_TRAIT_HIDDEN])
    return;
  for (uint32_t wanted = 1 + gen_draw(program, 3); wanted > 0; wanted--) {
    const gen_visibility visibility = gen_draw_visibility(program);
    const bool function = program->function_count && gen_chance(program, 50);
    if (function) {
      gen_function *row = &program->functions[gen_draw(program, (uint32_t)program->function_count)];
      if (row->linkage == GEN_LOCAL || row->alias_of != GEN_NONE)
        continue;
      row->visibility_id = gen_build_id(program);
      row->visibility = visibility;
    } else if (program->variable_count) {
      gen_variable *row = &program->variables[gen_draw(program, (uint32_t)program->variable_count)];
      if (row->linkage == GEN_LOCAL)
        continue;
      row->visibility_id = gen_build_id(program);
      row->visibility = visibility;
    }
  }
}
