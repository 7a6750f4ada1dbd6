/* Which features a program has, read off its live statements, definitions and files. */
#include "gen_features.h"

#include <string.h>

const char *const gen_feature_names[GEN_FEATURE_COUNT] = {
    [GEN_FEATURE_ACROSS_FILES] = "device functions across files",
    [GEN_FEATURE_FILE_CYCLE] = "files that call each other in a cycle",
    [GEN_FEATURE_GLOBAL] = "globals without initialiser",
    [GEN_FEATURE_GLOBAL_INITIALISED] = "globals with initialiser",
    [GEN_FEATURE_CONSTANT] = "constants without initialiser",
    [GEN_FEATURE_CONSTANT_INITIALISED] = "constants with initialiser",
    [GEN_FEATURE_SHARED_KERNEL] = "static shared in kernels",
    [GEN_FEATURE_SHARED_DEVICE] = "static shared in device functions",
    [GEN_FEATURE_SHARED_FILE] = "shared at file scope",
    [GEN_FEATURE_SHARED_DYNAMIC] = "extern shared",
    [GEN_FEATURE_SHARED_DYNAMIC_DEVICE] = "extern shared in device functions",
    [GEN_FEATURE_STACK] = "stack",
    [GEN_FEATURE_FUNCTION_POINTER] = "function pointers, indirect calls",
    [GEN_FEATURE_TABLE_GLOBAL] = "function tables in globals",
    [GEN_FEATURE_TABLE_CONSTANT] = "function tables in constants",
    [GEN_FEATURE_VIRTUAL] = "virtual functions",
    [GEN_FEATURE_RECURSION_DIRECT] = "direct recursion",
    [GEN_FEATURE_RECURSION_MUTUAL] = "mutual recursion",
    [GEN_FEATURE_WEAK_SEVERAL] = "weak functions in several files",
    [GEN_FEATURE_WEAK_ARCHITECTURES] = "weak functions, different virtual SM",
    [GEN_FEATURE_STRONG_OVER_WEAK] = "strong over weak",
    [GEN_FEATURE_LOCAL_CLASH] = "file-local names that clash",
    [GEN_FEATURE_SWITCH] = "switch tables",
    [GEN_FEATURE_DOUBLE] = "doubles with compiler constants",
    [GEN_FEATURE_INTERNAL_MATH] = "internal math subroutines",
    [GEN_FEATURE_MATH] = "math library functions",
    [GEN_FEATURE_MANAGED] = "managed variables",
    [GEN_FEATURE_PRINTF] = "printf",
    [GEN_FEATURE_ASSERT] = "assert",
    [GEN_FEATURE_MALLOC] = "malloc",
    [GEN_FEATURE_LAUNCH_BOUNDS] = "launch bounds",
    [GEN_FEATURE_BARRIER] = "barriers",
    [GEN_FEATURE_BARRIER_DEVICE] = "barriers in device functions",
    [GEN_FEATURE_BARRIER_CLUSTER] = "cluster barriers (sm_90 and later)",
    [GEN_FEATURE_LINEINFO] = "-lineinfo",
    [GEN_FEATURE_DEBUG_CUDA] = "nvcc -G",
    [GEN_FEATURE_DEBUG_PTX] = "ptxas -g",
    [GEN_FEATURE_EMPTY_FILE] = "empty files",
    [GEN_FEATURE_DEAD_FILE] = "dead-only files",
    [GEN_FEATURE_COMMON] = "common symbols",
    [GEN_FEATURE_ALIAS] = "function aliases",
    [GEN_FEATURE_TEXTURE] = "textures",
    [GEN_FEATURE_SAMPLER] = "samplers",
    [GEN_FEATURE_SURFACE] = "surfaces",
    [GEN_FEATURE_WEAK_VARIABLE] = "weak variables",
    [GEN_FEATURE_POINTER] = "pointers in initialisers",
    [GEN_FEATURE_ATOMIC] = "atomics",
    [GEN_FEATURE_LARGE_ARGUMENTS] = "large kernel arguments",
    [GEN_FEATURE_OPTIMISE] = "different -O levels",
    [GEN_FEATURE_REGISTERS] = "-maxrregcount",
    [GEN_FEATURE_ARCHITECTURES] = "different virtual SM",
    [GEN_FEATURE_SHUFFLED] = "files in random order",
    [GEN_FEATURE_LAMBDA] = "lambdas, static locals",
    [GEN_FEATURE_SPECIAL] = "special instructions (mma, cp.async, exit, ...)",
    [GEN_FEATURE_SAME_BODY] = "the same function in several files",
    [GEN_FEATURE_TABLE_SHARED] = "function tables in shared memory",
    [GEN_FEATURE_RECURSION_POINTER] = "recursion through pointers",
    [GEN_FEATURE_BARRIER_WARP] = "warp barriers, votes, shuffles",
    [GEN_FEATURE_BARRIER_NAMED] = "named barriers",
    [GEN_FEATURE_LARGE_SWITCH] = "large switches",
    [GEN_FEATURE_GLOBAL_OBJECT] = "global objects of virtual classes",
    [GEN_FEATURE_CONSTRUCTOR] = "global constructors",
    [GEN_FEATURE_ANONYMOUS] = "anonymous namespaces",
    [GEN_FEATURE_MAXNREG] = "__maxnreg__, .maxnreg",
    [GEN_FEATURE_CLUSTER_DIMS] = "__cluster_dims__ and the like (sm_90 and later)",
    [GEN_FEATURE_NO_KERNEL] = "files without kernels",
    [GEN_FEATURE_EXTRA] = "further compiler options",
    [GEN_FEATURE_HOST] = "host code, constructors of host objects",
    [GEN_FEATURE_HEADER] = "the toolkit's headers",
    [GEN_FEATURE_KERNEL_ADDRESS] = "addresses of kernels",
    [GEN_FEATURE_EWP] = "-ewp",
    [GEN_FEATURE_HIDDEN] = "hidden, internal and protected symbols",
    [GEN_FEATURE_BINDLESS_FILES] = "one texture, sampler or surface in several files",
    [GEN_FEATURE_TEXTURE_MODES] = "both texture modes",
    [GEN_FEATURE_SHARED_DYNAMIC_FILES] = "one extern shared array in several files",
    [GEN_FEATURE_ADDRESS_BANK] = "the bank of addresses (-pic)",
    [GEN_FEATURE_CONSTANTS_FULL] = "user constants that nearly fill their bank",
    [GEN_FEATURE_RELOCATABLE] = "links with -r",
    [GEN_FEATURE_CHAIN] = "outputs of -r in links with -r",
    [GEN_FEATURE_MIXTURE] = "outputs of -r beside plain cubins",
    [GEN_FEATURE_ONE_INPUT] = "links with -r of one input",
    [GEN_FEATURE_PRESERVED] = "-preserve-relocs for an executable",
    [GEN_FEATURE_PRESERVED_STEP] = "-preserve-relocs with -r",
    [GEN_FEATURE_PRESERVED_INPUT] = "inputs with preserved relocations",
    [GEN_FEATURE_UNIFIED_FUNCTION] = "unified functions",
    [GEN_FEATURE_UNIFIED_DATA] = "unified data",
    [GEN_FEATURE_UNIFIED_STEP] = "unified functions or data in links with -r",
    [GEN_FEATURE_INDEX_FLAW] = "index files with something wrong",
};

/* Where a feature from GEN_FEATURE_EWP on can be: in a mask of kinds, from an SM on. */
#define RICH_KINDS                                                                                                     \
  (1u << GEN_RICH | 1u << GEN_RELOCATABLE | 1u << GEN_PRESERVED | 1u << GEN_GROUPING | 1u << GEN_UNIFIED)
#define STEP_KINDS (1u << GEN_RELOCATABLE | 1u << GEN_PRESERVED | 1u << GEN_GROUPING | 1u << GEN_UNIFIED)

static const struct {
  unsigned kinds, sm;
} gen_feature_places[GEN_FEATURE_COUNT] = {
    [GEN_FEATURE_EWP] = {RICH_KINDS, 75},
    [GEN_FEATURE_HIDDEN] = {RICH_KINDS, 75},
    [GEN_FEATURE_BINDLESS_FILES] = {RICH_KINDS, 75},
    [GEN_FEATURE_TEXTURE_MODES] = {RICH_KINDS, 75},
    [GEN_FEATURE_SHARED_DYNAMIC_FILES] = {RICH_KINDS, 75},
    [GEN_FEATURE_ADDRESS_BANK] = {RICH_KINDS, 75},
    [GEN_FEATURE_CONSTANTS_FULL] = {RICH_KINDS, 75},
    [GEN_FEATURE_RELOCATABLE] = {STEP_KINDS, 75},
    [GEN_FEATURE_CHAIN] = {STEP_KINDS, 75},
    [GEN_FEATURE_MIXTURE] = {STEP_KINDS, 75},
    [GEN_FEATURE_ONE_INPUT] = {STEP_KINDS, 75},
    [GEN_FEATURE_PRESERVED] = {1u << GEN_PRESERVED, 75},
    [GEN_FEATURE_PRESERVED_STEP] = {1u << GEN_PRESERVED, 75},
    [GEN_FEATURE_PRESERVED_INPUT] = {1u << GEN_PRESERVED, 75},
    [GEN_FEATURE_UNIFIED_FUNCTION] = {1u << GEN_UNIFIED, 90},
    [GEN_FEATURE_UNIFIED_DATA] = {1u << GEN_UNIFIED, 90},
    [GEN_FEATURE_UNIFIED_STEP] = {1u << GEN_UNIFIED, 90},
    [GEN_FEATURE_INDEX_FLAW] = {1u << GEN_UNIFIED, 90},
};

bool gen_feature_is_of(gen_feature feature, gen_kind kind, unsigned sm) {
  if (feature == GEN_FEATURE_BARRIER_CLUSTER || feature == GEN_FEATURE_CLUSTER_DIMS)
    return sm >= 90;
  if (feature == GEN_FEATURE_HEADER)
    return kind == GEN_HEADERS;
  return !gen_feature_places[feature].kinds ||
         ((gen_feature_places[feature].kinds >> kind & 1) && sm >= gen_feature_places[feature].sm);
}

/* Statements whose mere presence is a feature. */
static const signed char gen_feature_of_operation[GEN_OP_COUNT] = {
    [GEN_OP_CALL_POINTER] = GEN_FEATURE_FUNCTION_POINTER,
    [GEN_OP_CALL_TABLE] = GEN_FEATURE_FUNCTION_POINTER,
    [GEN_OP_CALL_ALIAS] = GEN_FEATURE_ALIAS,
    [GEN_OP_ATOMIC] = GEN_FEATURE_ATOMIC,
    [GEN_OP_TEXTURE] = GEN_FEATURE_TEXTURE,
    [GEN_OP_SAMPLER] = GEN_FEATURE_SAMPLER,
    [GEN_OP_SURFACE] = GEN_FEATURE_SURFACE,
    [GEN_OP_STACK] = GEN_FEATURE_STACK,
    [GEN_OP_SWITCH] = GEN_FEATURE_SWITCH,
    [GEN_OP_DOUBLE] = GEN_FEATURE_DOUBLE,
    [GEN_OP_DIVIDE_DOUBLE] = GEN_FEATURE_INTERNAL_MATH,
    [GEN_OP_ROOT_DOUBLE] = GEN_FEATURE_INTERNAL_MATH,
    [GEN_OP_DIVIDE_LONG] = GEN_FEATURE_INTERNAL_MATH,
    [GEN_OP_MATH] = GEN_FEATURE_MATH,
    [GEN_OP_PRINTF] = GEN_FEATURE_PRINTF,
    [GEN_OP_ASSERT] = GEN_FEATURE_ASSERT,
    [GEN_OP_MALLOC] = GEN_FEATURE_MALLOC,
    [GEN_OP_BARRIER] = GEN_FEATURE_BARRIER,
    [GEN_OP_BARRIER_NAMED] = GEN_FEATURE_BARRIER,
    [GEN_OP_BARRIER_ANY] = GEN_FEATURE_BARRIER,
    [GEN_OP_BARRIER_CLUSTER] = GEN_FEATURE_BARRIER_CLUSTER,
    [GEN_OP_SPECIAL] = GEN_FEATURE_SPECIAL,
    [GEN_OP_TEXTURE_ARGUMENT] = GEN_FEATURE_TEXTURE,
    [GEN_OP_ADDRESS_CODE] = GEN_FEATURE_FUNCTION_POINTER,
    [GEN_OP_VIRTUAL] = GEN_FEATURE_VIRTUAL,
    [GEN_OP_LAMBDA] = GEN_FEATURE_LAMBDA,
    [GEN_OP_STATIC_LOCAL] = GEN_FEATURE_LAMBDA,
    [GEN_OP_CALL_SHARED] = GEN_FEATURE_TABLE_SHARED,
    [GEN_OP_WARP] = GEN_FEATURE_BARRIER_WARP,
    [GEN_OP_OBJECT] = GEN_FEATURE_GLOBAL_OBJECT,
    [GEN_OP_CONSTRUCTED] = GEN_FEATURE_CONSTRUCTOR,
    [GEN_OP_HEADER] = GEN_FEATURE_HEADER,
    [GEN_OP_ADDRESS_KERNEL] = GEN_FEATURE_KERNEL_ADDRESS,
};

typedef struct gen_reach {
  bool functions[GEN_MAX_FUNCTIONS][GEN_MAX_FUNCTIONS];
  bool files[GEN_MAX_FILES][GEN_MAX_FILES];
} gen_reach;

static void gen_feature_operation(const gen_program *program, const gen_body *body, const gen_operation *operation,
                                  gen_reach *reach, bool *features) {
  bool kernel = program->functions[body->function].kernel;
  gen_operation_kind kind = operation->kind;
  if (gen_feature_of_operation[kind])
    features[gen_feature_of_operation[kind]] = true;
  features[GEN_FEATURE_BARRIER_NAMED] |= kind == GEN_OP_BARRIER_NAMED;
  features[GEN_FEATURE_LARGE_SWITCH] |= kind == GEN_OP_SWITCH && gen_switch_count(program, operation) >= 60;
  if (kind == GEN_OP_SHARED_LOCAL)
    features[kernel ? GEN_FEATURE_SHARED_KERNEL : GEN_FEATURE_SHARED_DEVICE] = true;
  if (!kernel && (kind == GEN_OP_BARRIER || kind == GEN_OP_BARRIER_NAMED || kind == GEN_OP_BARRIER_ANY))
    features[GEN_FEATURE_BARRIER_DEVICE] = true;
  if (gen_operations[kind].target == GEN_TARGET_VARIABLE) {
    gen_space space = program->variables[operation->target].space;
    if (space == GEN_SHARED_DYNAMIC)
      features[kernel ? GEN_FEATURE_SHARED_DYNAMIC : GEN_FEATURE_SHARED_DYNAMIC_DEVICE] = true;
  }
  if (gen_operations[kind].target != GEN_TARGET_FUNCTION)
    return;
  const gen_function *target = &program->functions[operation->target];
  int callee = target->alias_of == GEN_NONE ? operation->target : target->alias_of;
  features[GEN_FEATURE_ALIAS] |= target->alias_of != GEN_NONE;
  reach->functions[body->function][callee] = true;
  features[GEN_FEATURE_RECURSION_POINTER] |= kind == GEN_OP_CALL_POINTER && callee == body->function;
  if (!gen_function_in_file(program, operation->target, body->file))
    reach->files[body->file][target->home] = features[GEN_FEATURE_ACROSS_FILES] = true;
}

static void gen_close(bool *matrix, int count, int width) {
  for (int middle = 0; middle < count; middle++)
    for (int from = 0; from < count; from++)
      for (int to = 0; to < count && matrix[from * width + middle]; to++)
        matrix[from * width + to] |= matrix[middle * width + to];
}

static void gen_feature_cycles(const gen_program *program, gen_reach *reach, bool *features) {
  for (int i = 0; i < program->function_count; i++)
    features[GEN_FEATURE_RECURSION_DIRECT] |= reach->functions[i][i];
  gen_close(&reach->functions[0][0], program->function_count, GEN_MAX_FUNCTIONS);
  gen_close(&reach->files[0][0], program->file_count, GEN_MAX_FILES);
  for (int i = 0; i < program->function_count; i++)
    for (int k = 0; k < i; k++)
      features[GEN_FEATURE_RECURSION_MUTUAL] |= reach->functions[i][k] && reach->functions[k][i];
  for (int i = 0; i < program->file_count; i++)
    features[GEN_FEATURE_FILE_CYCLE] |= reach->files[i][i];
}

static void gen_feature_object(const gen_program *program, const gen_object *object, bool *features) {
  const gen_variable *variable = &program->variables[object->variable];
  bool set = object->entry_count > 0;
  if (object->linkage == GEN_COMMON)
    features[GEN_FEATURE_COMMON] = true;
  else if (variable->space == GEN_GLOBAL)
    features[set ? GEN_FEATURE_GLOBAL_INITIALISED : GEN_FEATURE_GLOBAL] = true;
  else if (variable->space == GEN_CONSTANT)
    features[set ? GEN_FEATURE_CONSTANT_INITIALISED : GEN_FEATURE_CONSTANT] = true;
  features[GEN_FEATURE_SHARED_FILE] |= variable->space == GEN_SHARED;
  features[GEN_FEATURE_MANAGED] |= variable->space == GEN_MANAGED;
  features[GEN_FEATURE_WEAK_VARIABLE] |= object->linkage == GEN_WEAK;
  if (variable->element == GEN_CODE)
    features[variable->space == GEN_CONSTANT ? GEN_FEATURE_TABLE_CONSTANT : GEN_FEATURE_TABLE_GLOBAL] = true;
  for (int i = 0; i < object->entry_count; i++) {
    const gen_entry *entry = &program->entries[object->first_entry + i];
    bool pointer = entry->kind == GEN_ENTRY_VARIABLE || entry->kind == GEN_ENTRY_BYTE;
    features[GEN_FEATURE_POINTER] |= pointer && program->variables[entry->target].live;
  }
}

static void gen_feature_pair(const gen_program *program, const gen_body *a, const gen_body *b, bool *features) {
  const gen_function *one = &program->functions[a->function], *other = &program->functions[b->function];
  if (a->function == b->function) {
    bool weak = a->linkage == GEN_WEAK && b->linkage == GEN_WEAK;
    unsigned sm_a = program->files[a->file].virtual_sm, sm_b = program->files[b->file].virtual_sm;
    features[GEN_FEATURE_WEAK_SEVERAL] |= weak;
    features[GEN_FEATURE_WEAK_ARCHITECTURES] |= weak && sm_a != sm_b;
    features[GEN_FEATURE_STRONG_OVER_WEAK] |= !weak;
  } else if (one->linkage == GEN_LOCAL && other->linkage == GEN_LOCAL && strcmp(one->name, other->name) == 0) {
    features[GEN_FEATURE_LOCAL_CLASH] = true;
  }
}

static void gen_feature_bodies(const gen_program *program, gen_reach *reach, bool *features) {
  for (int i = 0; i < program->body_count; i++) {
    const gen_body *body = &program->bodies[i];
    if (!body->live)
      continue;
    const gen_function *function = &program->functions[body->function];
    const gen_file *file = &program->files[body->file];
    features[GEN_FEATURE_LAUNCH_BOUNDS] |= body->max_threads || body->max_registers;
    features[GEN_FEATURE_MAXNREG] |= body->max_registers > 0;
    features[GEN_FEATURE_CLUSTER_DIMS] |= body->cluster && file->virtual_sm >= 90;
    features[GEN_FEATURE_SAME_BODY] |= body->shared;
    features[GEN_FEATURE_ANONYMOUS] |= file->language == GEN_CUDA && gen_function_anonymous(function);
    features[GEN_FEATURE_LARGE_ARGUMENTS] |= program->functions[body->function].large_bytes > 0;
    for (int k = 0; k < i; k++)
      if (program->bodies[k].live)
        gen_feature_pair(program, body, &program->bodies[k], features);
    for (int k = 0; k < body->operation_count; k++)
      if (program->operations[body->first_operation + k].live)
        gen_feature_operation(program, body, &program->operations[body->first_operation + k], reach, features);
  }
}

static bool gen_feature_without_kernel(const gen_program *program, int file) {
  bool any = false;
  for (int i = 0; i < program->body_count; i++) {
    const gen_body *body = &program->bodies[i];
    any |= body->live && body->file == file;
    if (body->live && body->file == file && program->functions[body->function].kernel)
      return false;
  }
  return any;
}

static void gen_feature_files(const gen_program *program, bool *features) {
  for (int i = 0; i < program->file_count; i++) {
    const gen_file *file = &program->files[i];
    if (!file->live)
      continue;
    features[GEN_FEATURE_NO_KERNEL] |= gen_feature_without_kernel(program, i);
    features[GEN_FEATURE_EXTRA] |= file->extra != NULL;
    features[GEN_FEATURE_HOST] |= file->language == GEN_CUDA && program->traits[GEN_TRAIT_HOST];
    features[GEN_FEATURE_LINEINFO] |= file->lineinfo && !file->debug;
    features[GEN_FEATURE_DEBUG_CUDA] |= file->debug && file->language == GEN_CUDA;
    features[GEN_FEATURE_DEBUG_PTX] |= file->debug && file->language == GEN_PTX;
    features[GEN_FEATURE_EMPTY_FILE] |= file->role == GEN_ROLE_EMPTY;
    features[GEN_FEATURE_DEAD_FILE] |= file->role == GEN_ROLE_DEAD;
    features[GEN_FEATURE_OPTIMISE] |= file->optimise >= 0;
    features[GEN_FEATURE_REGISTERS] |= file->registers > 0;
    features[GEN_FEATURE_ARCHITECTURES] |= file->virtual_sm != program->sm;
    features[GEN_FEATURE_SHUFFLED] |= program->order[i] != i;
  }
}

/* --- programs from GEN_RICH on --- */

typedef struct gen_feature_uses {
  int files[GEN_MAX_VARIABLES]; /* how many mention it */
  bool modes[2];                /* a file of either texture mode mentions a bindless object */
} gen_feature_uses;

static void gen_feature_use(const gen_program *program, gen_feature_uses *uses) {
  gen_mentions mentions;
  for (int file = 0; file < program->file_count; file++) {
    if (!program->files[file].live)
      continue;
    gen_file_mentions(program, file, &mentions);
    for (int i = 0; i < program->variable_count; i++) {
      const gen_space space = program->variables[i].space;
      uses->files[i] += mentions.variables[i];
      if (mentions.variables[i] && space >= GEN_TEXTURE)
        uses->modes[program->files[file].independent] = true;
    }
  }
}

static void gen_feature_rich(const gen_program *program, bool *features) {
  gen_feature_uses uses = {0};
  gen_feature_use(program, &uses);
  features[GEN_FEATURE_TEXTURE_MODES] = uses.modes[0] && uses.modes[1];
  for (int i = 0; i < program->variable_count; i++) {
    const gen_variable *row = &program->variables[i];
    features[GEN_FEATURE_BINDLESS_FILES] |= row->space >= GEN_TEXTURE && uses.files[i] > 1;
    features[GEN_FEATURE_SHARED_DYNAMIC_FILES] |= row->space == GEN_SHARED_DYNAMIC && uses.files[i] > 1;
    features[GEN_FEATURE_CONSTANTS_FULL] |= row->live && row->space == GEN_CONSTANT && row->count > 60000;
    features[GEN_FEATURE_HIDDEN] |= row->live && row->visibility != GEN_DEFAULT;
    features[GEN_FEATURE_UNIFIED_DATA] |= row->live && row->unified.set;
  }
  for (int i = 0; i < program->function_count; i++) {
    const gen_function *row = &program->functions[i];
    features[GEN_FEATURE_HIDDEN] |= row->live && row->visibility != GEN_DEFAULT;
    features[GEN_FEATURE_UNIFIED_FUNCTION] |= row->live && row->unified.set;
  }
  for (int i = 0; i < program->file_count; i++) {
    const gen_file *file = &program->files[i];
    features[GEN_FEATURE_EWP] |= file->live && file->ewp;
    features[GEN_FEATURE_ADDRESS_BANK] |= file->live && file->extra && strcmp(file->extra, "-pic=true") == 0;
  }
  features[GEN_FEATURE_INDEX_FLAW] = gen_program_unified(program) && program->index_flaw != GEN_INDEX_GOOD;
}

typedef struct gen_feature_step_inputs {
  const gen_program *program;
  int files, outputs;
  bool preserved;
} gen_feature_step_inputs;

static void gen_feature_step_input(void *context, int input) {
  gen_feature_step_inputs *inputs = context;
  inputs->files += input < GEN_STEP_INPUT;
  inputs->outputs += input >= GEN_STEP_INPUT;
  inputs->preserved |= input >= GEN_STEP_INPUT && inputs->program->steps[input - GEN_STEP_INPUT].preserves;
}

static void gen_feature_steps(const gen_program *program, bool *features) {
  for (int i = 0; i < program->step_count; i++) {
    const gen_step *step = &program->steps[i];
    gen_feature_step_inputs inputs = {.program = program};
    if (!step->live)
      continue;
    gen_step_inputs(program, i, gen_feature_step_input, &inputs);
    if (inputs.files + inputs.outputs == 0)
      continue;
    features[GEN_FEATURE_RELOCATABLE] |= step->relocatable;
    features[GEN_FEATURE_CHAIN] |= step->relocatable && inputs.outputs > 0;
    features[GEN_FEATURE_MIXTURE] |= inputs.files > 0 && inputs.outputs > 0;
    features[GEN_FEATURE_ONE_INPUT] |= step->relocatable && inputs.files + inputs.outputs == 1;
    features[step->relocatable ? GEN_FEATURE_PRESERVED_STEP : GEN_FEATURE_PRESERVED] |= step->preserves;
    features[GEN_FEATURE_PRESERVED_INPUT] |= inputs.preserved;
  }
  features[GEN_FEATURE_UNIFIED_STEP] = features[GEN_FEATURE_RELOCATABLE] && gen_program_unified(program);
}

int gen_program_live_files(const gen_program *program) {
  int count = 0;
  for (int i = 0; i < program->file_count; i++)
    count += program->files[i].live;
  return count;
}

int gen_program_features(const gen_program *program, bool features[GEN_FEATURE_COUNT]) {
  gen_reach reach = {0};
  memset(features, 0, GEN_FEATURE_COUNT * sizeof features[0]);
  gen_feature_bodies(program, &reach, features);
  gen_feature_cycles(program, &reach, features);
  for (int i = 0; i < program->object_count; i++)
    if (program->objects[i].live)
      gen_feature_object(program, &program->objects[i], features);
  gen_feature_files(program, features);
  gen_feature_rich(program, features);
  gen_feature_steps(program, features);
  int count = 0;
  for (int i = 0; i < GEN_FEATURE_COUNT; i++)
    count += features[i];
  return count;
}
