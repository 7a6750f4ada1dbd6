/* Builds what a random program does: initialisers of tables, classes, the statements of each body, the link's options.
 *
 * Calls go to functions with a lower index unless recursion is drawn, so that most programs have a stack size; every
 * statement's target is one that its file can see. */
#include "gen_program.h"

#include <stdio.h>
#include <string.h>

static uint32_t gen_draw(gen_program *program, uint32_t bound) {
  return gen_random_below(&program->random, bound);
}

static bool gen_chance(gen_program *program, uint32_t percent) {
  return gen_random_percent(&program->random, percent);
}

/* --- initialisers --- */

/* May `file` mention the function? `before`: only functions of a lower index, GEN_MAX_FUNCTIONS for any. */
static bool gen_function_callable(const gen_program *program, int function, int file, int before) {
  const gen_function *row = &program->functions[function];
  bool visible = row->linkage != GEN_LOCAL || row->home == file;
  bool dead_file = program->files[file].role == GEN_ROLE_DEAD;
  return visible && !row->kernel && function < before && (!row->dead || dead_file);
}

/* A function that `file` may mention, of the signature if that is not GEN_NONE. */
static int gen_build_pick_function(gen_program *program, int file, int before, int signature) {
  int found[GEN_MAX_FUNCTIONS], count = 0;
  for (int i = 0; i < program->function_count; i++)
    if (gen_function_callable(program, i, file, before))
      if (signature == GEN_NONE || program->functions[i].signature == signature)
        found[count++] = i;
  return count ? found[gen_draw(program, (uint32_t)count)] : GEN_NONE;
}

static int gen_build_pick_kernel(gen_program *program) {
  int found[GEN_MAX_FUNCTIONS], count = 0;
  for (int i = 0; i < program->function_count; i++)
    if (program->functions[i].kernel && program->functions[i].signature == GEN_SIGNATURE_KERNEL)
      found[count++] = i;
  return count ? found[gen_draw(program, (uint32_t)count)] : GEN_NONE;
}

/* While the program is being built nothing is live yet, so gen_variable_in_file cannot be asked. */
static bool gen_variable_defined(const gen_program *program, int variable, int file) {
  for (int i = 0; i < program->object_count; i++)
    if (program->objects[i].variable == variable && program->objects[i].file == file)
      return true;
  return false;
}

static bool gen_variable_visible(const gen_program *program, int variable, int file) {
  const gen_variable *row = &program->variables[variable];
  if (row->varied)
    return gen_variable_defined(program, variable, file);
  return row->linkage != GEN_LOCAL || row->home == file;
}

static int gen_build_pick_variable(gen_program *program, int file, unsigned spaces, unsigned elements, int before) {
  int found[GEN_MAX_VARIABLES], count = 0;
  for (int i = 0; i < program->variable_count && i < before; i++) {
    const gen_variable *row = &program->variables[i];
    if (gen_variable_visible(program, i, file) && (spaces >> row->space & 1) && (elements >> row->element & 1))
      found[count++] = i;
  }
  return count ? found[gen_draw(program, (uint32_t)count)] : GEN_NONE;
}

#define GEN_NUMBERS (1u << GEN_U8 | 1u << GEN_U16 | 1u << GEN_U32 | 1u << GEN_F64)

static gen_entry gen_build_pointer_entry(gen_program *program, const gen_object *object) {
  unsigned spaces = 1u << GEN_GLOBAL | 1u << GEN_MANAGED | 1u << GEN_CONSTANT;
  int target = gen_build_pick_variable(program, object->file, spaces, GEN_NUMBERS, GEN_MAX_VARIABLES);
  if (target == GEN_NONE || gen_chance(program, 15))
    return (gen_entry){.kind = GEN_ENTRY_VALUE, .target = GEN_NONE};
  uint64_t offset = 0;
  if (gen_chance(program, 50))
    offset = gen_draw(program, program->variables[target].count) * gen_element_size(program->variables[target].element);
  return (gen_entry){.kind = GEN_ENTRY_VARIABLE, .target = target, .value = offset};
}

/* One address, a byte after the other, from any byte on. */
static void gen_build_byte_entries(gen_program *program, const gen_object *object, gen_entry *entries, uint32_t count) {
  gen_entry_kind kind = GEN_ENTRY_BYTE;
  int target = gen_build_pick_variable(program, object->file, 1u << GEN_GLOBAL, GEN_NUMBERS, object->variable);
  if (target == GEN_NONE || gen_chance(program, 40)) {
    kind = GEN_ENTRY_BYTE_FUNCTION;
    target = gen_build_pick_function(program, object->file, GEN_MAX_FUNCTIONS, GEN_NONE);
  }
  uint32_t first = gen_draw(program, 8);
  for (uint32_t i = 0; i < count; i++)
    entries[i] =
        (gen_entry){.kind = target == GEN_NONE ? GEN_ENTRY_VALUE : kind, .target = target, .value = (first + i) % 8};
}

static gen_entry gen_build_entry(gen_program *program, const gen_object *object) {
  const gen_variable *variable = &program->variables[object->variable];
  if (variable->element == GEN_CODE) {
    int target = gen_build_pick_function(program, object->file, GEN_MAX_FUNCTIONS, variable->signature);
    if (program->traits[GEN_TRAIT_KERNEL_ADDRESSES] && variable->signature == GEN_SIGNATURE_LIKE_KERNEL)
      target = gen_build_pick_kernel(program);
    if (target != GEN_NONE && !gen_chance(program, 10))
      return (gen_entry){.kind = GEN_ENTRY_FUNCTION, .target = target};
    return (gen_entry){.kind = GEN_ENTRY_VALUE, .target = GEN_NONE};
  }
  if (variable->element == GEN_POINTER)
    return gen_build_pointer_entry(program, object);
  uint64_t value = gen_random_next(&program->random) >> 8;
  return (gen_entry){.kind = GEN_ENTRY_VALUE, .target = GEN_NONE, .value = gen_chance(program, 30) ? 0 : value};
}

static void gen_build_object_entries(gen_program *program, gen_object *object) {
  const gen_variable *variable = &program->variables[object->variable];
  object->first_entry = program->entry_count;
  if (!object->initialised)
    return;
  uint32_t most = object->count < 12 ? object->count : 12;
  bool few = variable->element != GEN_POINTER && variable->element != GEN_CODE && gen_chance(program, 40);
  uint32_t wanted = few ? 1 + gen_draw(program, most) : most;
  bool bytes = variable->element == GEN_U8 && program->files[object->file].language == GEN_PTX &&
               program->traits[GEN_TRAIT_POINTERS] && variable->space == GEN_GLOBAL && gen_chance(program, 40);
  if (wanted > GEN_MAX_ENTRIES - (uint32_t)program->entry_count)
    wanted = GEN_MAX_ENTRIES - (uint32_t)program->entry_count;
  gen_entry *entries = &program->entries[program->entry_count];
  if (bytes)
    gen_build_byte_entries(program, object, entries, wanted);
  for (uint32_t i = 0; i < wanted && !bytes; i++)
    entries[i] = gen_build_entry(program, object);
  program->entry_count += (int)wanted;
  object->entry_count = (int)wanted;
}

/* Tables of functions are variables too, but can only be made when there are functions. */
static void gen_build_tables(gen_program *program) {
  static const uint32_t signatures[] = {60, 15, 10, 15, 0};
  uint32_t count = program->traits[GEN_TRAIT_TABLES] ? 1 + gen_draw(program, 3) : 0;
  for (; count > 0 && program->variable_count < GEN_MAX_VARIABLES && program->object_count < GEN_MAX_OBJECTS; count--) {
    int index = program->variable_count;
    int file = (int)gen_draw(program, (uint32_t)program->file_count);
    int signature = gen_build_choose(program, signatures);
    if (program->files[file].role != GEN_ROLE_NORMAL ||
        gen_build_pick_function(program, file, GEN_MAX_FUNCTIONS, signature) == GEN_NONE)
      continue;
    gen_variable *table = &program->variables[program->variable_count++];
    *table = (gen_variable){.id = gen_build_id(program), .element = GEN_CODE, .align = 8, .home = file};
    table->space = gen_chance(program, 60) ? GEN_GLOBAL : GEN_CONSTANT;
    table->count = 1 + gen_draw(program, 5);
    table->linkage = gen_chance(program, 20) ? GEN_LOCAL : GEN_STRONG;
    table->signature = signature;
    snprintf(table->name, sizeof table->name, "%s%d", table->linkage == GEN_LOCAL ? "st" : "ft", index);
    gen_object *object = &program->objects[program->object_count++];
    *object = (gen_object){.id = gen_build_id(program), .variable = index, .file = file, .linkage = table->linkage};
    object->count = table->count;
    object->align = 8;
    object->initialised = true;
  }
}

void gen_build_initialisers(gen_program *program) {
  gen_build_tables(program);
  for (int i = 0; i < program->object_count; i++)
    gen_build_object_entries(program, &program->objects[i]);
}

void gen_build_classes(gen_program *program) {
  uint32_t count = gen_chance(program, 60) ? 1 + gen_draw(program, 2) : 0;
  for (uint32_t i = 0; i < count; i++) {
    gen_class *row = &program->classes[program->class_count];
    *row = (gen_class){.id = gen_build_id(program), .derived = 1 + (int)gen_draw(program, 3)};
    row->destructor = gen_chance(program, 40);
    row->second = gen_chance(program, 35);
    row->pure = gen_chance(program, 30);
    snprintf(row->name, sizeof row->name, "C%d", program->class_count);
    for (int call = 0; call < 4; call++) {
      int function = gen_build_pick_function(program, 0, program->function_count / 2, 0);
      bool calls =
          function != GEN_NONE && program->functions[function].linkage == GEN_STRONG && gen_chance(program, 50);
      row->calls[call] = calls ? function : GEN_NONE;
    }
    program->class_count++;
  }
}

/* --- statements --- */

static int gen_build_operation_target(gen_program *program, const gen_body *body, gen_operation_kind kind) {
  const gen_operation_row *row = &gen_operations[kind];
  if (kind == GEN_OP_CALL_ALIAS) {
    for (int i = 0; i < body->function; i++)
      if (program->functions[i].alias_of != GEN_NONE && program->functions[i].alias_of < body->function)
        return i;
    return GEN_NONE;
  }
  if (kind == GEN_OP_ADDRESS_KERNEL)
    return gen_build_pick_kernel(program);
  if (row->target == GEN_TARGET_FUNCTION)
    return gen_build_pick_function(program, body->file, body->function, GEN_NONE);
  if (row->target == GEN_TARGET_CLASS)
    return program->class_count ? (int)gen_draw(program, (uint32_t)program->class_count) : GEN_NONE;
  unsigned elements = GEN_NUMBERS;
  if (kind == GEN_OP_CALL_TABLE)
    elements = 1u << GEN_CODE;
  if (kind == GEN_OP_READ_POINTER)
    elements = 1u << GEN_POINTER;
  if (kind == GEN_OP_ATOMIC)
    elements = 1u << GEN_U32;
  if (kind == GEN_OP_ADDRESS)
    elements |= 1u << GEN_POINTER;
  return gen_build_pick_variable(program, body->file, row->spaces, elements, GEN_MAX_VARIABLES);
}

static bool gen_operation_possible(const gen_program *program, const gen_body *body, gen_operation_kind kind) {
  const gen_operation_row *row = &gen_operations[kind];
  const gen_file *file = &program->files[body->file];
  if (!program->enabled[kind] || !(row->languages >> file->language & 1) || file->virtual_sm < row->minimum_sm)
    return false;
  const gen_function *function = &program->functions[body->function];
  if (kind == GEN_OP_TEXTURE_ARGUMENT) /* of weak kernels the arguments must be the same everywhere */
    return function->kernel && function->linkage == GEN_STRONG && !file->independent;
  return kind != GEN_OP_SAMPLER || file->independent;
}

static gen_operation *gen_build_operation(gen_program *program, gen_body *body, gen_operation_kind kind, int target) {
  if (program->operation_count == GEN_MAX_OPERATIONS)
    return NULL;
  gen_operation *operation = &program->operations[program->operation_count++];
  *operation = (gen_operation){.id = gen_build_id(program), .kind = kind, .target = target};
  operation->a = (uint32_t)gen_random_next(&program->random) & 0xffff;
  operation->b = (uint32_t)gen_random_next(&program->random) & 0xffff;
  operation->conditional = gen_chance(program, 30);
  body->operation_count++;
  return operation;
}

static void gen_build_random_operation(gen_program *program, gen_body *body) {
  uint32_t weights[GEN_OP_COUNT], sum = 0;
  for (int kind = 0; kind < GEN_OP_COUNT; kind++) {
    bool possible = gen_operation_possible(program, body, (gen_operation_kind)kind);
    weights[kind] = possible ? gen_operations[kind].weight : 0;
    sum += weights[kind];
  }
  uint32_t at = gen_draw(program, sum);
  int kind = 0;
  while (at >= weights[kind])
    at -= weights[kind++];
  int target = gen_build_operation_target(program, body, (gen_operation_kind)kind);
  if (gen_operations[kind].target == GEN_TARGET_NONE || target != GEN_NONE)
    gen_build_operation(program, body, (gen_operation_kind)kind, target);
}

/* Two functions that call each other, or one that calls itself: the one that closes the circle gets the call. */
static void gen_build_recursion(gen_program *program, gen_body *body) {
  const gen_function *function = &program->functions[body->function];
  if (function->kernel || function->dead)
    return;
  if (program->traits[GEN_TRAIT_RECURSION] && gen_chance(program, 14))
    gen_build_operation(program, body, gen_chance(program, 55) ? GEN_OP_CALL_POINTER : GEN_OP_CALL, body->function);
  if (!program->traits[GEN_TRAIT_MUTUAL_RECURSION] || !gen_chance(program, 45))
    return;
  int target = gen_build_pick_function(program, body->file, program->function_count, GEN_NONE);
  if (target > body->function)
    gen_build_operation(program, body, GEN_OP_CALL, target);
}

static void gen_build_body_statements(gen_program *program, gen_body *body) {
  const gen_function *function = &program->functions[body->function];
  body->first_operation = program->operation_count;
  if (function->kernel) {
    for (uint32_t calls = 1 + gen_draw(program, 3); calls > 0; calls--) {
      int target = gen_build_pick_function(program, body->file, body->function, GEN_NONE);
      if (target != GEN_NONE)
        gen_build_operation(program, body, GEN_OP_CALL, target);
    }
    for (int i = 0; i < program->function_count; i++) /* V11a: a dead alias of a live function is refused */
      if (program->functions[i].alias_of != GEN_NONE)
        gen_build_operation(program, body, GEN_OP_CALL, i);
  }
  uint32_t count = function->kernel ? 2 + gen_draw(program, 6) : gen_draw(program, 6);
  for (; count > 0; count--)
    gen_build_random_operation(program, body);
  gen_build_recursion(program, body);
}

/* May a body in `file` do what the operation does? */
static bool gen_operation_fits(const gen_program *program, const gen_body *body, const gen_operation *operation) {
  if (!gen_operation_possible(program, body, operation->kind))
    return false;
  if (gen_operations[operation->kind].target == GEN_TARGET_VARIABLE)
    return gen_variable_visible(program, operation->target, body->file);
  if (gen_operations[operation->kind].target != GEN_TARGET_FUNCTION)
    return true;
  const gen_function *target = &program->functions[operation->target];
  return target->linkage != GEN_LOCAL || target->home == body->file;
}

/* What a header defines is the same in every file; only how it is compiled differs. */
static bool gen_build_same_statements(gen_program *program, gen_body *body) {
  for (const gen_body *first = program->bodies; first < body && program->traits[GEN_TRAIT_SAME_BODIES]; first++) {
    bool same = first->function == body->function && first->linkage == body->linkage &&
                program->files[first->file].language == program->files[body->file].language;
    for (int i = 0; same && i < first->operation_count; i++)
      same = gen_operation_fits(program, body, &program->operations[first->first_operation + i]);
    if (!same)
      continue;
    body->first_operation = first->first_operation;
    body->operation_count = first->operation_count;
    body->shared = true;
    return true;
  }
  return false;
}

void gen_build_statements(gen_program *program) {
  for (int i = 0; i < program->body_count; i++)
    if (!gen_build_same_statements(program, &program->bodies[i]))
      gen_build_body_statements(program, &program->bodies[i]);
}

/* --- options of the link --- */

static const char *gen_build_some_kernel(gen_program *program) {
  int found[GEN_MAX_FUNCTIONS], count = 0;
  for (int i = 0; i < program->function_count; i++)
    if (program->functions[i].kernel)
      found[count++] = i;
  return count ? program->functions[found[gen_draw(program, (uint32_t)count)]].symbol : "none";
}

void gen_build_options(gen_program *program) {
  static const struct {
    const char *name;
    uint32_t percent;
    bool takes_kernel, debug; /* debug: only beside -g */
  } rows[] = {
      {"-g", 30, false, false},
      {"-kernels-used", 30, true, false},
      {"-v", 35, false, false},
      {"-extrawarn", 25, false, false},
      {"-dump-callgraph", 12, false, false},
      {"-disable-infos", 8, false, false},
      {"-suppress-debug-info", 25, false, true},
      {"-suppress-stack-size-warning", 25, false, false},
  };
  bool debug = false;
  if (program->kind != GEN_OPTIONS && (!gen_kind_is_rich(program->kind) || program->kind == GEN_GROUPING))
    return;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const uint32_t percent = program->kind == GEN_OPTIONS ? rows[i].percent : rows[i].percent / 3;
    if (!gen_chance(program, percent) || (rows[i].debug && !debug))
      continue;
    debug |= strcmp(rows[i].name, "-g") == 0;
    gen_option *option = &program->options[program->option_count++];
    *option = (gen_option){.id = gen_build_id(program), .word_count = rows[i].takes_kernel ? 2 : 1};
    option->final_only = rows[i].takes_kernel;
    snprintf(option->words[0], sizeof option->words[0], "%s", rows[i].name);
    if (rows[i].takes_kernel)
      snprintf(option->words[1], sizeof option->words[1], "%s", gen_build_some_kernel(program));
  }
}
