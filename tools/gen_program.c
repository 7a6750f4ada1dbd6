/* The program model's tables, its pruning, and the questions that the printers ask.
 *
 * Pruning runs to a fixed point: a body goes with its file or function, a function with its last body, a statement with
 * what it mentions. What a dropped entity was mentioned by in an initialiser becomes 0 in the printer, so that sizes stay. */
#include "gen_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY ((1u << GEN_PTX) | (1u << GEN_CUDA))
#define PTX (1u << GEN_PTX)
#define CUDA (1u << GEN_CUDA)
#define IN(space) (1u << (space))

const gen_operation_row gen_operations[GEN_OP_COUNT] = {
    [GEN_OP_CALL] = {"call", GEN_TARGET_FUNCTION, 0, ANY, 0, 100, 30},
    [GEN_OP_CALL_POINTER] = {"call through an address", GEN_TARGET_FUNCTION, 0, ANY, 0, 40, 8},
    [GEN_OP_CALL_TABLE] = {"call through a table", GEN_TARGET_VARIABLE, IN(GEN_GLOBAL) | IN(GEN_CONSTANT), ANY, 0, 100,
                           6},
    [GEN_OP_CALL_ALIAS] = {"call of an alias", GEN_TARGET_FUNCTION, 0, ANY, 0, 100, 4},
    [GEN_OP_READ] = {"read", GEN_TARGET_VARIABLE,
                     IN(GEN_GLOBAL) | IN(GEN_CONSTANT) | IN(GEN_SHARED) | IN(GEN_SHARED_DYNAMIC) | IN(GEN_MANAGED), ANY,
                     0, 100, 18},
    [GEN_OP_WRITE] = {"write", GEN_TARGET_VARIABLE,
                      IN(GEN_GLOBAL) | IN(GEN_SHARED) | IN(GEN_SHARED_DYNAMIC) | IN(GEN_MANAGED), ANY, 0, 100, 12},
    [GEN_OP_ATOMIC] = {"atomic", GEN_TARGET_VARIABLE, IN(GEN_GLOBAL) | IN(GEN_SHARED) | IN(GEN_MANAGED), ANY, 0, 40, 5},
    [GEN_OP_ADDRESS] = {"address of a variable", GEN_TARGET_VARIABLE,
                        IN(GEN_GLOBAL) | IN(GEN_CONSTANT) | IN(GEN_SHARED) | IN(GEN_MANAGED), ANY, 0, 45, 5},
    [GEN_OP_READ_POINTER] = {"read through a pointer table", GEN_TARGET_VARIABLE, IN(GEN_GLOBAL) | IN(GEN_CONSTANT),
                             ANY, 0, 100, 5},
    [GEN_OP_TEXTURE] = {"texture", GEN_TARGET_VARIABLE, IN(GEN_TEXTURE), PTX, 0, 100, 5},
    [GEN_OP_SAMPLER] = {"sampler", GEN_TARGET_VARIABLE, IN(GEN_SAMPLER), PTX, 0, 100, 6},
    [GEN_OP_SURFACE] = {"surface", GEN_TARGET_VARIABLE, IN(GEN_SURFACE), PTX, 0, 100, 5},
    [GEN_OP_TEXTURE_QUERY] = {"texture query", GEN_TARGET_VARIABLE, IN(GEN_TEXTURE) | IN(GEN_SURFACE), PTX, 0, 50, 2},
    [GEN_OP_SHARED_LOCAL] = {"shared array of a function", GEN_TARGET_NONE, 0, ANY, 0, 45, 7},
    [GEN_OP_STACK] = {"stack array", GEN_TARGET_NONE, 0, ANY, 0, 40, 6},
    [GEN_OP_SWITCH] = {"switch table", GEN_TARGET_NONE, 0, ANY, 0, 35, 6},
    [GEN_OP_DOUBLE] = {"double constants", GEN_TARGET_NONE, 0, ANY, 0, 40, 6},
    [GEN_OP_DIVIDE_DOUBLE] = {"division of doubles", GEN_TARGET_NONE, 0, ANY, 0, 25, 4},
    [GEN_OP_ROOT_DOUBLE] = {"square root of a double", GEN_TARGET_NONE, 0, ANY, 0, 18, 4},
    [GEN_OP_DIVIDE_LONG] = {"division of 64-bit integers", GEN_TARGET_NONE, 0, ANY, 0, 18, 4},
    [GEN_OP_DIVIDE_FLOAT] = {"division of floats", GEN_TARGET_NONE, 0, ANY, 0, 15, 4},
    [GEN_OP_MATH] = {"math function", GEN_TARGET_NONE, 0, CUDA, 0, 65, 9},
    [GEN_OP_PRINTF] = {"printf", GEN_TARGET_NONE, 0, ANY, 0, 22, 4},
    [GEN_OP_ASSERT] = {"assert", GEN_TARGET_NONE, 0, ANY, 0, 18, 4},
    [GEN_OP_MALLOC] = {"malloc and free", GEN_TARGET_NONE, 0, ANY, 0, 18, 4},
    [GEN_OP_BARRIER] = {"barrier 0", GEN_TARGET_NONE, 0, ANY, 0, 40, 5},
    [GEN_OP_BARRIER_NAMED] = {"named barrier", GEN_TARGET_NONE, 0, ANY, 0, 30, 5},
    [GEN_OP_BARRIER_ANY] = {"barrier in a register", GEN_TARGET_NONE, 0, ANY, 0, 12, 3},
    [GEN_OP_BARRIER_CLUSTER] = {"cluster barrier", GEN_TARGET_NONE, 0, ANY, 90, 35, 7},
    [GEN_OP_WARP] = {"warp vote and shuffle", GEN_TARGET_NONE, 0, ANY, 0, 25, 4},
    [GEN_OP_PRESSURE] = {"many registers", GEN_TARGET_NONE, 0, ANY, 0, 50, 7},
    [GEN_OP_LOOP] = {"loop", GEN_TARGET_NONE, 0, ANY, 0, 30, 4},
    [GEN_OP_VIRTUAL] = {"virtual call", GEN_TARGET_CLASS, 0, CUDA, 0, 100, 8},
    [GEN_OP_LAMBDA] = {"lambda", GEN_TARGET_NONE, 0, CUDA, 0, 40, 4},
    [GEN_OP_ADDRESS_CODE] = {"address of a function", GEN_TARGET_FUNCTION, 0, ANY, 0, 35, 4},
    [GEN_OP_SPECIAL] = {"special instruction", GEN_TARGET_NONE, 0, PTX, 0, 50, 9},
    [GEN_OP_TEXTURE_ARGUMENT] = {"texture that is an argument", GEN_TARGET_NONE, 0, PTX, 0, 8, 8},
    [GEN_OP_STATIC_LOCAL] = {"static variable of a function", GEN_TARGET_NONE, 0, CUDA, 0, 30, 4},
    [GEN_OP_CALL_SHARED] = {"call through a table in shared memory", GEN_TARGET_FUNCTION, 0, ANY, 0, 18, 5},
    [GEN_OP_OBJECT] = {"virtual call of a global object", GEN_TARGET_CLASS, 0, CUDA, 0, 50, 5},
    [GEN_OP_CONSTRUCTED] = {"global object with a constructor", GEN_TARGET_NONE, 0, CUDA, 0, 50, 4},
    [GEN_OP_ADDRESS_KERNEL] = {"address of a kernel", GEN_TARGET_FUNCTION, 0, ANY, 0, 16, 5},
    [GEN_OP_HEADER] = {"the toolkit's headers", GEN_TARGET_NONE, 0, CUDA, 0, 100, 60},
};

const char *const gen_kind_names[GEN_KIND_COUNT] = {"plain",       "options",   "mistakes", "headers", "rich",
                                                    "relocatable", "preserved", "grouping", "unified"};

bool gen_kind_has_steps(gen_kind kind) {
  return kind >= GEN_RELOCATABLE;
}

bool gen_kind_is_rich(gen_kind kind) {
  return kind >= GEN_RICH;
}

bool gen_kind_find(const char *name, gen_kind *kind) {
  for (int i = 0; i < GEN_KIND_COUNT; i++)
    if (strcmp(gen_kind_names[i], name) == 0) {
      *kind = (gen_kind)i;
      return true;
    }
  return false;
}

const gen_signature_row gen_signatures[GEN_SIGNATURE_COUNT + 2] = {
    {'i', "pi", "Pii"}, {'i', "ii", "ii"},          {'v', "pi", "Pii"}, {'d', "di", "di"},  {'i', "ri", "5rec24i"},
    {'l', "pl", "Pix"}, {'i', "piiiii", "Piiiiii"}, {'i', "p", "Pi"},   {'v', "pi", "Pii"}, {'v', "piR", "Pii?"},
};

uint32_t gen_element_size(gen_element element) {
  static const uint32_t sizes[GEN_ELEMENT_COUNT] = {1, 2, 4, 8, 8, 8};
  return sizes[element];
}

bool gen_variable_unsized(const gen_program *program, int variable, int file) {
  const gen_variable *row = &program->variables[variable];
  return program->traits[GEN_TRAIT_UNSIZED] && (row->id + program->files[file].id) % 3 == 0;
}

bool gen_function_anonymous(const gen_function *function) {
  return function->linkage == GEN_LOCAL && function->id % 2 == 0;
}

uint32_t gen_switch_count(const gen_program *program, const gen_operation *operation) {
  bool large = program->traits[GEN_TRAIT_LARGE_SWITCH] && operation->b % 2 == 0;
  return large ? 60 + operation->a % 300 : 4 + operation->a % 20;
}

bool gen_program_errs(const gen_program *program, gen_mistake_kind kind, int file, int variable) {
  for (int i = 0; i < program->mistake_count; i++) {
    const gen_mistake *mistake = &program->mistakes[i];
    if (mistake->live && mistake->kind == kind && (file == GEN_NONE || mistake->file == file) &&
        (variable == GEN_NONE || mistake->variable == variable))
      return true;
  }
  return false;
}

const gen_body *gen_function_body(const gen_program *program, int function, int file) {
  for (int i = 0; i < program->body_count; i++) {
    const gen_body *body = &program->bodies[i];
    if (body->live && body->function == function && body->file == file)
      return body;
  }
  return NULL;
}

bool gen_function_in_file(const gen_program *program, int function, int file) {
  const gen_function *row = &program->functions[function];
  if (row->alias_of != GEN_NONE)
    return row->live && row->home == file;
  return gen_function_body(program, function, file) != NULL;
}

bool gen_variable_in_file(const gen_program *program, int variable, int file) {
  for (int i = 0; i < program->object_count; i++) {
    const gen_object *object = &program->objects[i];
    if (object->live && object->variable == variable && object->file == file)
      return true;
  }
  return false;
}

static void gen_mention_statements(const gen_program *program, const gen_body *body, gen_mentions *mentions) {
  for (int i = 0; i < body->operation_count; i++) {
    const gen_operation *operation = &program->operations[body->first_operation + i];
    if (!operation->live)
      continue;
    mentions->operations[operation->kind] = true;
    switch (gen_operations[operation->kind].target) {
    case GEN_TARGET_FUNCTION:
      mentions->functions[operation->target] = true;
      break;
    case GEN_TARGET_VARIABLE:
      mentions->variables[operation->target] = true;
      break;
    case GEN_TARGET_CLASS:
      mentions->classes[operation->target] = true;
      break;
    case GEN_TARGET_NONE:
      break;
    }
  }
}

static void gen_mention_entries(const gen_program *program, const gen_object *object, gen_mentions *mentions) {
  for (int i = 0; i < object->entry_count; i++) {
    const gen_entry *entry = &program->entries[object->first_entry + i];
    if (entry->kind == GEN_ENTRY_FUNCTION || entry->kind == GEN_ENTRY_BYTE_FUNCTION)
      mentions->functions[entry->target] |= program->functions[entry->target].live;
    else if (entry->kind != GEN_ENTRY_VALUE)
      mentions->variables[entry->target] |= program->variables[entry->target].live;
  }
}

void gen_file_mentions(const gen_program *program, int file, gen_mentions *mentions) {
  memset(mentions, 0, sizeof *mentions);
  for (int i = 0; i < program->body_count; i++)
    if (program->bodies[i].live && program->bodies[i].file == file)
      gen_mention_statements(program, &program->bodies[i], mentions);
  for (int i = 0; i < program->object_count; i++)
    if (program->objects[i].live && program->objects[i].file == file)
      gen_mention_entries(program, &program->objects[i], mentions);
  for (int i = 0; i < program->class_count; i++)
    for (int call = 0; mentions->classes[i] && call <= program->classes[i].derived; call++) {
      int function = program->classes[i].calls[call];
      if (function != GEN_NONE && program->functions[function].live)
        mentions->functions[function] = true;
    }
  for (int i = 0; i < program->function_count; i++) /* an alias needs its function's declaration */
    if (program->functions[i].live && program->functions[i].alias_of != GEN_NONE && program->functions[i].home == file)
      mentions->functions[i] = mentions->functions[program->functions[i].alias_of] = true;
}

static bool gen_target_lives(const gen_program *program, const gen_operation *operation) {
  switch (gen_operations[operation->kind].target) {
  case GEN_TARGET_FUNCTION:
    return program->functions[operation->target].live;
  case GEN_TARGET_VARIABLE:
    return program->variables[operation->target].live;
  case GEN_TARGET_CLASS:
    return program->classes[operation->target].live;
  case GEN_TARGET_NONE:
    break;
  }
  return true;
}

static void gen_prune_roots(gen_program *program, const bool *dropped) {
  for (int i = 0; i < program->file_count; i++)
    program->files[i].live = !dropped[program->files[i].id];
  for (int i = 0; i < program->class_count; i++)
    program->classes[i].live = !dropped[program->classes[i].id];
  for (int i = 0; i < program->option_count; i++)
    program->options[i].live = !dropped[program->options[i].id];
  for (int i = 0; i < program->mistake_count; i++)
    program->mistakes[i].live = !dropped[program->mistakes[i].id];
  for (int i = 0; i < program->operation_count; i++)
    program->operations[i].live = false;
  for (int i = 0; i < program->function_count; i++)
    program->functions[i].live = false;
  for (int i = 0; i < program->variable_count; i++) {
    gen_variable *variable = &program->variables[i];
    bool without_object = variable->space == GEN_SHARED_DYNAMIC || variable->space >= GEN_TEXTURE;
    variable->live = without_object && !dropped[variable->id];
  }
}

static void gen_prune_definitions(gen_program *program, const bool *dropped) {
  for (int i = 0; i < program->body_count; i++) {
    gen_body *body = &program->bodies[i];
    gen_function *function = &program->functions[body->function];
    body->live = !dropped[body->id] && !dropped[function->id] && program->files[body->file].live;
    function->live |= body->live;
    if (dropped[body->bounds_id])
      body->max_threads = body->max_registers = body->minimum_blocks = body->cluster = 0;
  }
  for (int i = 0; i < program->function_count; i++) {
    gen_function *function = &program->functions[i];
    if (function->alias_of != GEN_NONE)
      function->live = !dropped[function->id] && gen_function_body(program, function->alias_of, function->home) != NULL;
  }
  for (int i = 0; i < program->object_count; i++) {
    gen_object *object = &program->objects[i];
    gen_variable *variable = &program->variables[object->variable];
    object->live = !dropped[object->id] && !dropped[variable->id] && program->files[object->file].live;
    variable->live |= object->live;
  }
}

static void gen_prune_file_options(const gen_program *program, gen_file *file, const bool *dropped) {
  if (dropped[file->target_id]) {
    file->virtual_sm = file->virtual_sm == file->target_sm ? program->sm : file->virtual_sm;
    file->target_sm = program->sm;
    file->target_suffix = program->suffix;
  }
  if (dropped[file->architecture_id])
    file->virtual_sm = file->target_sm;
  if (dropped[file->optimise_id])
    file->optimise = -1;
  if (dropped[file->registers_id])
    file->registers = 0;
  if (dropped[file->lineinfo_id])
    file->lineinfo = file->lines = false;
  if (dropped[file->debug_id])
    file->debug = false;
  if (dropped[file->extra_id])
    file->extra = NULL;
  if (file->ewp && dropped[file->ewp_id])
    file->ewp = false;
}

/* Ids 0: of programs before GEN_RICH, which have none of these. */
static void gen_prune_rich(gen_program *program, const bool *dropped) {
  for (int i = 0; i < program->function_count; i++) {
    gen_function *function = &program->functions[i];
    function->visibility = dropped[function->visibility_id] ? GEN_DEFAULT : function->visibility;
    function->unified.set &= !dropped[function->unified_id];
  }
  for (int i = 0; i < program->variable_count; i++) {
    gen_variable *variable = &program->variables[i];
    variable->visibility = dropped[variable->visibility_id] ? GEN_DEFAULT : variable->visibility;
    variable->unified.set &= !dropped[variable->unified_id];
  }
  for (int i = 0; i < program->step_count; i++) {
    gen_step *step = &program->steps[i];
    step->live = i + 1 == program->step_count || !dropped[step->id];
    step->preserves &= !dropped[step->preserves_id];
  }
  if (dropped[program->index_flaw_id])
    program->index_flaw = GEN_INDEX_GOOD;
}

void gen_program_prune(gen_program *program, const bool *dropped) {
  gen_prune_roots(program, dropped);
  gen_prune_definitions(program, dropped);
  if (gen_kind_is_rich(program->kind))
    gen_prune_rich(program, dropped);
  for (int i = 0; i < program->file_count; i++)
    gen_prune_file_options(program, &program->files[i], dropped);
  for (int i = 0; i < program->body_count; i++)
    for (int k = 0; k < program->bodies[i].operation_count; k++) {
      gen_operation *operation = &program->operations[program->bodies[i].first_operation + k];
      bool live = !dropped[operation->id] && program->bodies[i].live && gen_target_lives(program, operation);
      operation->live |= live; /* bodies may share their statements */
    }
  if (dropped[program->shuffle_id])
    for (int i = 0; i < program->file_count; i++)
      program->order[i] = i;
}

bool gen_parse_drops(const char *text, bool dropped[GEN_MAX_IDS]) {
  while (*text) {
    char *end;
    unsigned long first = strtoul(text, &end, 10), last = first;
    if (end == text)
      return false;
    if (*end == '-')
      last = strtoul(end + 1, &end, 10);
    if (last >= GEN_MAX_IDS || (*end && *end != ','))
      return false;
    for (unsigned long id = first; id <= last; id++)
      dropped[id] = true;
    text = *end ? end + 1 : end;
  }
  return true;
}

static bool gen_parse_architecture(gen_program *program, const char *architecture) {
  unsigned sm = 0;
  char suffix = 0, more = 0;
  int parts = sscanf(architecture, "sm_%u%c%c", &sm, &suffix, &more);
  if (parts < 1 || parts > 2 || sm < 75 || strlen(architecture) >= sizeof program->architecture)
    return false;
  if (parts == 2 && suffix != 'a' && suffix != 'f')
    return false;
  snprintf(program->architecture, sizeof program->architecture, "%s", architecture);
  program->sm = sm;
  program->suffix = parts == 2 ? suffix : 0;
  return true;
}

gen_program *gen_program_build(uint64_t seed, const char *architecture, gen_kind kind, const bool *dropped) {
  gen_program *program = calloc(1, sizeof *program);
  if (!program || !gen_parse_architecture(program, architecture)) {
    free(program);
    return NULL;
  }
  program->seed = seed;
  program->kind = kind;
  /* Neighbouring seeds must not give neighbouring streams: splitmix64's states of seeds N and N+1 are far apart only
   * after one round. */
  program->random.state = seed;
  program->random.state = gen_random_next(&program->random) ^ 0x7477696e6c696e6bu;
  gen_build_files(program);
  gen_build_variables(program);
  gen_build_functions(program);
  gen_build_initialisers(program);
  gen_build_classes(program);
  gen_build_statements(program);
  gen_build_options(program);
  gen_build_mistakes(program);
  gen_build_unified(program);
  gen_build_hidden(program);
  gen_build_plan(program);
  bool *none = dropped ? NULL : calloc(GEN_MAX_IDS, sizeof *none);
  if (dropped || none)
    gen_program_prune(program, dropped ? dropped : none);
  free(none);
  return program;
}
