/* Builds the frame of a random program: its files with their options, the variables and the functions, and which file
 * defines what. What the statements do is drawn afterwards (gen_build_statements.c), when all of these can be mentioned. */
#include "gen_program.h"

#include <stdio.h>
#include <string.h>

static const unsigned char gen_trait_percent[GEN_TRAIT_COUNT] = {
    [GEN_TRAIT_CONSTANTS] = 65,
    [GEN_TRAIT_SHARED] = 40,
    [GEN_TRAIT_DYNAMIC] = 35,
    [GEN_TRAIT_MANAGED] = 18,
    [GEN_TRAIT_TEXTURES] = 18,
    [GEN_TRAIT_SAMPLERS] = 24,
    [GEN_TRAIT_SURFACES] = 16,
    [GEN_TRAIT_WEAK_VARIABLES] = 22,
    [GEN_TRAIT_COMMONS] = 18,
    [GEN_TRAIT_LOCAL_VARIABLES] = 45,
    [GEN_TRAIT_POINTERS] = 35,
    [GEN_TRAIT_TABLES] = 40,
    [GEN_TRAIT_WEAK_FUNCTIONS] = 55,
    [GEN_TRAIT_STRONG_OVER_WEAK] = 45,
    [GEN_TRAIT_WEAK_KERNELS] = 9,
    [GEN_TRAIT_LOCAL_FUNCTIONS] = 40,
    [GEN_TRAIT_ALIASES] = 14,
    [GEN_TRAIT_RECURSION] = 26,
    [GEN_TRAIT_MUTUAL_RECURSION] = 28,
    [GEN_TRAIT_LAUNCH_BOUNDS] = 40,
    [GEN_TRAIT_LARGE_ARGUMENTS] = 18,
    [GEN_TRAIT_LINEINFO] = 25,
    [GEN_TRAIT_DEBUG] = 24,
    [GEN_TRAIT_OPTIMISE] = 30,
    [GEN_TRAIT_REGISTERS] = 20,
    [GEN_TRAIT_ARCHITECTURES] = 40,
    [GEN_TRAIT_EMPTY_FILE] = 13,
    [GEN_TRAIT_DEAD_FILE] = 14,
    [GEN_TRAIT_SHUFFLE] = 60,
    [GEN_TRAIT_UNSIZED] = 15,
    [GEN_TRAIT_LARGE_SWITCH] = 40,
    [GEN_TRAIT_LARGE_CONSTANT] = 4,
    [GEN_TRAIT_MIXED] = 30,
    [GEN_TRAIT_SAME_BODIES] = 55,
    [GEN_TRAIT_EXTRA] = 25,
    [GEN_TRAIT_HOST] = 30,
    [GEN_TRAIT_KERNEL_ADDRESSES] = 12,
};

/* The same from GEN_RICH on, where it is another number. */
static const unsigned char gen_trait_rich_percent[GEN_TRAIT_COUNT] = {
    [GEN_TRAIT_CONSTANTS] = 75,      [GEN_TRAIT_SHARED] = 50,   [GEN_TRAIT_DYNAMIC] = 55,
    [GEN_TRAIT_TEXTURES] = 38,       [GEN_TRAIT_SAMPLERS] = 40, [GEN_TRAIT_SURFACES] = 34,
    [GEN_TRAIT_WEAK_VARIABLES] = 45, [GEN_TRAIT_COMMONS] = 45,  [GEN_TRAIT_ALIASES] = 34,
    [GEN_TRAIT_LARGE_CONSTANT] = 10, [GEN_TRAIT_EXTRA] = 50,    [GEN_TRAIT_EWP] = 12,
    [GEN_TRAIT_HIDDEN] = 16,         [GEN_TRAIT_UNIFIED] = 12,
};

/* Traits that only rich programs have are not even drawn for the others: seeds keep their programs. */
static void gen_build_traits(gen_program *program) {
  const bool rich = gen_kind_is_rich(program->kind);
  for (int i = 0; i < (rich ? GEN_TRAIT_COUNT : GEN_TRAIT_EWP); i++) {
    uint32_t percent = gen_trait_percent[i];
    if (rich && gen_trait_rich_percent[i])
      percent = gen_trait_rich_percent[i];
    if (i == GEN_TRAIT_DYNAMIC && gen_kind_has_steps(program->kind))
      percent = 22; /* nvlink defines it in each output of -r (D59), so that most chains with it are refused */
    program->traits[i] = gen_random_percent(&program->random, percent);
  }
  if (program->kind == GEN_UNIFIED)
    program->traits[GEN_TRAIT_UNIFIED] = true;
}

int gen_build_id(gen_program *program) {
  return program->next_id < GEN_MAX_IDS - 1 ? program->next_id++ : GEN_MAX_IDS - 1;
}

int gen_build_choose(gen_program *program, const uint32_t *weights) {
  uint32_t sum = 0;
  for (int i = 0; weights[i]; i++)
    sum += weights[i];
  uint32_t at = gen_random_below(&program->random, sum);
  int index = 0;
  while (at >= weights[index])
    at -= weights[index++];
  return index;
}

static uint32_t gen_draw(gen_program *program, uint32_t bound) {
  return gen_random_below(&program->random, bound);
}

static bool gen_chance(gen_program *program, uint32_t percent) {
  return gen_random_percent(&program->random, percent);
}

/* --- files --- */

static unsigned gen_build_virtual_sm(gen_program *program) {
  static const unsigned known[] = {75, 80, 86, 87, 88, 89, 90, 100, 120};
  bool other = program->traits[GEN_TRAIT_ARCHITECTURES] && gen_chance(program, 45);
  unsigned sm = known[gen_draw(program, sizeof known / sizeof known[0])];
  return other && sm <= program->sm ? sm : program->sm;
}

/* Further options of ptxas that leave something in the cubin, most of them an attribute. */
static const char *gen_build_extra(gen_program *program, const gen_file *file) {
  static const char *const any[] = {"-sanitize=memcheck",
                                    "-sanitize=threadsteer",
                                    "-annotate",
                                    "-pic=true",
                                    "-pic=true",
                                    "-make-errors-visible-at-exit",
                                    "-device-stack-protector=true",
                                    "-fmad=false",
                                    "-dlcm=cg",
                                    "-legacy-bar-warp-wide-behavior"};
  bool one = gen_chance(program, 45);
  const char *extra = any[gen_draw(program, sizeof any / sizeof any[0])];
  return program->traits[GEN_TRAIT_EXTRA] && one && !file->debug ? extra : NULL;
}

/* Options of one file. Every draw is made whether it counts or not: the programs of two architectures stay alike. */
static void gen_build_file_options(gen_program *program, gen_file *file) {
  static const unsigned versions[] = {90, 88, 87, 83, 80};
  file->target_id = gen_build_id(program);
  file->target_sm = program->sm;
  file->target_suffix = program->suffix;
  bool mixed = program->traits[GEN_TRAIT_MIXED] && gen_chance(program, 40);
  if (mixed && (program->sm == 86 || program->sm == 89))
    file->target_sm = 80;
  if (mixed && program->sm == 90)
    file->target_suffix = 0;
  file->architecture_id = gen_build_id(program);
  file->virtual_sm = gen_build_virtual_sm(program);
  if (file->virtual_sm > file->target_sm)
    file->virtual_sm = file->target_sm;
  file->optimise_id = gen_build_id(program);
  int level = (int)gen_draw(program, 4);
  file->optimise = program->traits[GEN_TRAIT_OPTIMISE] && gen_chance(program, 40) ? level : -1;
  file->registers_id = gen_build_id(program);
  bool limited = program->register_limit <= 40 ? gen_chance(program, 96) : gen_chance(program, 45);
  file->registers = program->traits[GEN_TRAIT_REGISTERS] && limited ? program->register_limit : 0;
  file->lineinfo_id = gen_build_id(program);
  file->lineinfo = program->traits[GEN_TRAIT_LINEINFO] && gen_chance(program, 60);
  file->debug_id = gen_build_id(program);
  file->debug = program->traits[GEN_TRAIT_DEBUG] && gen_chance(program, 50);
  file->lines = file->lineinfo || file->debug || gen_chance(program, 4);
  file->extra_id = gen_build_id(program);
  file->extra = gen_build_extra(program, file);
  file->independent = program->traits[GEN_TRAIT_SAMPLERS] && gen_chance(program, 60);
  file->ptx_version = versions[gen_draw(program, 5)];
  if (program->sm == 88 || program->sm >= 100 || file->virtual_sm == 88)
    file->ptx_version = 90;
}

static void gen_build_file_roles(gen_program *program) {
  int count = program->file_count;
  if (program->traits[GEN_TRAIT_EMPTY_FILE] && count > 1)
    program->files[gen_draw(program, (uint32_t)count)].role = GEN_ROLE_EMPTY;
  if (program->traits[GEN_TRAIT_DEAD_FILE] && count > 2) {
    gen_file *file = &program->files[gen_draw(program, (uint32_t)count)];
    if (file->role == GEN_ROLE_NORMAL)
      file->role = GEN_ROLE_DEAD;
  }
}

/* One file of PTX is compiled with -ewp. */
static void gen_build_ewp(gen_program *program) {
  if (!program->traits[GEN_TRAIT_EWP])
    return;
  gen_file *file = &program->files[gen_draw(program, (uint32_t)program->file_count)];
  file->ewp_id = gen_build_id(program);
  file->ewp = file->language == GEN_PTX && file->role == GEN_ROLE_NORMAL;
}

void gen_build_files(gen_program *program) {
  static const uint32_t counts[] = {2, 7, 22, 22, 19, 12, 8, 5, 3, 0};
  static const uint32_t cuda_percents[] = {0, 0, 20, 40, 55};
  static const unsigned registers[] = {32, 40, 96, 128, 160};
  gen_build_traits(program);
  for (int i = 0; i < GEN_OP_COUNT; i++)
    program->enabled[i] = gen_chance(program, gen_operations[i].program_percent);
  program->enabled[GEN_OP_HEADER] = program->kind == GEN_HEADERS;
  program->register_limit = registers[gen_draw(program, 5)];
  program->file_count = 1 + gen_build_choose(program, counts);
  uint32_t cuda_percent = cuda_percents[gen_draw(program, 5)];
  if (program->kind == GEN_HEADERS) { /* a compiler takes seconds for each such file */
    program->file_count = 2 + program->file_count % 2;
    cuda_percent = 75;
  }
  for (int i = 0; i < program->file_count; i++) {
    gen_file *file = &program->files[i];
    file->id = gen_build_id(program);
    file->language = gen_chance(program, cuda_percent) ? GEN_CUDA : GEN_PTX;
    snprintf(file->name, sizeof file->name, "u%d", i);
    gen_build_file_options(program, file);
    program->order[i] = i;
  }
  gen_build_file_roles(program);
  gen_build_ewp(program);
  program->shuffle_id = gen_build_id(program);
  for (int i = program->file_count - 1; i > 0; i--) {
    int other = (int)gen_draw(program, (uint32_t)i + 1);
    if (!program->traits[GEN_TRAIT_SHUFFLE])
      continue;
    int kept = program->order[i];
    program->order[i] = program->order[other];
    program->order[other] = kept;
  }
}

/* A file that is not empty; PTX only if asked. GEN_NONE after some tries. */
static int gen_build_pick_file(gen_program *program, bool only_ptx) {
  for (int tries = 0; tries < 20; tries++) {
    int index = (int)gen_draw(program, (uint32_t)program->file_count);
    const gen_file *file = &program->files[index];
    if (file->role != GEN_ROLE_EMPTY && (!only_ptx || file->language == GEN_PTX))
      return index;
  }
  return GEN_NONE;
}

/* --- variables --- */

static gen_object *gen_build_object(gen_program *program, int variable, int file, gen_linkage linkage) {
  if (program->object_count == GEN_MAX_OBJECTS)
    return NULL;
  for (int i = 0; i < program->object_count; i++)
    if (program->objects[i].variable == variable && program->objects[i].file == file)
      return NULL;
  gen_object *object = &program->objects[program->object_count++];
  const gen_variable *row = &program->variables[variable];
  *object = (gen_object){.variable = variable, .file = file, .linkage = linkage, .count = row->count};
  object->id = gen_build_id(program);
  object->align = row->align;
  object->initialised = row->space == GEN_CONSTANT ? gen_chance(program, 80) : gen_chance(program, 50);
  if (row->element == GEN_POINTER || row->element == GEN_CODE)
    object->initialised = true;
  if (linkage == GEN_COMMON || row->space == GEN_SHARED)
    object->initialised = false;
  return object;
}

static gen_space gen_build_space(gen_program *program) {
  static const struct {
    gen_space space;
    gen_trait trait;
    uint32_t percent;
  } rows[] = {
      {GEN_CONSTANT, GEN_TRAIT_CONSTANTS, 28},     {GEN_SHARED, GEN_TRAIT_SHARED, 22},
      {GEN_SHARED_DYNAMIC, GEN_TRAIT_DYNAMIC, 14}, {GEN_MANAGED, GEN_TRAIT_MANAGED, 20},
      {GEN_TEXTURE, GEN_TRAIT_TEXTURES, 20},       {GEN_SAMPLER, GEN_TRAIT_SAMPLERS, 15},
      {GEN_SURFACE, GEN_TRAIT_SURFACES, 15},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (program->traits[rows[i].trait] && gen_chance(program, rows[i].percent))
      return rows[i].space;
  return GEN_GLOBAL;
}

static void gen_build_variable_shape(gen_program *program, gen_variable *variable) {
  static const uint32_t elements[] = {22, 8, 48, 12, 0};
  static const uint32_t aligns[] = {16, 32, 64, 128, 256};
  variable->element = (gen_element)gen_build_choose(program, elements);
  uint32_t shape = gen_draw(program, 100);
  variable->count = shape < 70   ? 1 + gen_draw(program, 16)
                    : shape < 95 ? 1 + gen_draw(program, 80)
                                 : 300 + gen_draw(program, 400);
  variable->align = gen_element_size(variable->element);
  uint32_t align = aligns[gen_draw(program, 5)];
  if (gen_chance(program, 15))
    variable->align = align;
  bool pointers = (variable->space == GEN_GLOBAL || variable->space == GEN_CONSTANT) && gen_chance(program, 22);
  if (pointers && program->traits[GEN_TRAIT_POINTERS]) {
    variable->element = GEN_POINTER;
    variable->align = 8;
    variable->count = 1 + gen_draw(program, 5);
  }
  if (variable->space == GEN_SHARED_DYNAMIC || variable->space >= GEN_TEXTURE)
    variable->count = 0;
}

static gen_linkage gen_build_variable_linkage(gen_program *program, const gen_variable *variable) {
  bool plain = variable->space == GEN_GLOBAL;
  bool pointers = variable->element == GEN_POINTER || variable->element == GEN_CODE;
  if (plain && !pointers && program->traits[GEN_TRAIT_COMMONS] && gen_chance(program, 25))
    return GEN_COMMON;
  if ((plain || variable->space == GEN_CONSTANT) && !pointers && program->traits[GEN_TRAIT_WEAK_VARIABLES] &&
      gen_chance(program, 25))
    return GEN_WEAK;
  if (variable->space == GEN_SHARED && program->traits[GEN_TRAIT_WEAK_VARIABLES] && gen_chance(program, 30))
    return GEN_WEAK;
  if ((plain || variable->space == GEN_CONSTANT || variable->space == GEN_SHARED) &&
      program->traits[GEN_TRAIT_LOCAL_VARIABLES] && gen_chance(program, 25))
    return GEN_LOCAL;
  return GEN_STRONG;
}

/* Local names come from a small pool so that they clash between files, but never within one. */
static void gen_build_local_name(gen_program *program, gen_variable *variable) {
  for (int number = (int)gen_draw(program, 4);; number++) {
    snprintf(variable->name, sizeof variable->name, "sv%d", number);
    bool taken = false;
    for (gen_variable *other = program->variables; other < variable; other++)
      taken |= other->home == variable->home && strcmp(other->name, variable->name) == 0;
    if (!taken)
      return;
  }
}

/* CUDA C++ has no way to write these definitions. */
static bool gen_variable_only_ptx(const gen_variable *variable) {
  return variable->linkage == GEN_COMMON || (variable->linkage == GEN_WEAK && variable->space == GEN_SHARED);
}

static void gen_build_objects(gen_program *program, int index) {
  gen_variable *variable = &program->variables[index];
  if (!variable->count)
    return;
  bool many = variable->linkage == GEN_WEAK || variable->linkage == GEN_COMMON;
  gen_build_object(program, index, variable->home, variable->linkage);
  for (uint32_t copies = many ? gen_draw(program, 3) : 0; copies > 0; copies--) {
    int file = gen_build_pick_file(program, gen_variable_only_ptx(variable));
    gen_object *object = file == GEN_NONE ? NULL : gen_build_object(program, index, file, variable->linkage);
    const bool varies = object && variable->linkage == GEN_COMMON && gen_chance(program, 40);
    if (varies && !gen_kind_has_steps(program->kind)) { /* after -r a common symbol has a size that must fit (D3) */
      object->count = 1 + gen_draw(program, variable->count);
      variable->varied |= object->count != variable->count;
      object->align = gen_element_size(variable->element) << gen_draw(program, 3);
    }
  }
  int file = gen_build_pick_file(program, false);
  if (many && file != GEN_NONE && gen_chance(program, 25)) {
    gen_object *object = gen_build_object(program, index, file, GEN_STRONG);
    if (object && variable->linkage == GEN_COMMON)
      object->initialised = true; /* a definition without initialiser beside a common one is refused in one order */
  }
}

/* One constant that nearly fills the bank: with the others' alignment it no longer fits, and is laid out again (K1a). */
static void gen_build_large_constant(gen_program *program) {
  uint32_t count = 64000 + gen_draw(program, 1400);
  for (int i = 0; i < program->variable_count && program->traits[GEN_TRAIT_LARGE_CONSTANT]; i++) {
    gen_variable *variable = &program->variables[i];
    const bool bytes = variable->element == GEN_U8 || gen_kind_is_rich(program->kind);
    if (variable->space != GEN_CONSTANT || variable->linkage != GEN_STRONG || !bytes)
      continue;
    variable->element = GEN_U8;
    variable->count = count;
    for (int k = 0; k < program->object_count; k++)
      if (program->objects[k].variable == i)
        program->objects[k].count = count;
    return;
  }
}

/* A strong variable that two files define. */
static void gen_build_second_object(gen_program *program) {
  int variable = (int)gen_draw(program, (uint32_t)program->variable_count);
  int file = gen_build_pick_file(program, false);
  bool wanted = gen_chance(program, 25) && program->variable_count && file != GEN_NONE;
  if (wanted && program->variables[variable].linkage == GEN_STRONG && program->variables[variable].count)
    gen_build_object(program, variable, file, GEN_STRONG);
}

void gen_build_variables(gen_program *program) {
  static const char letters[GEN_SPACE_COUNT] = {'g', 'c', 's', 'd', 'm', 't', 'p', 'w'};
  int count = 1 + program->file_count + (int)gen_draw(program, 3 * (uint32_t)program->file_count);
  for (int i = 0; i < count && program->variable_count < GEN_MAX_VARIABLES; i++) {
    gen_variable *variable = &program->variables[program->variable_count];
    *variable = (gen_variable){.id = gen_build_id(program), .space = gen_build_space(program)};
    gen_build_variable_shape(program, variable);
    variable->linkage = gen_build_variable_linkage(program, variable);
    variable->home = gen_build_pick_file(program, gen_variable_only_ptx(variable));
    if (variable->home == GEN_NONE)
      continue;
    program->variable_count++;
    snprintf(variable->name, sizeof variable->name, "%c%d", letters[variable->space], i);
    if (variable->linkage == GEN_LOCAL)
      gen_build_local_name(program, variable);
    gen_build_objects(program, program->variable_count - 1);
  }
  gen_build_large_constant(program);
  if (program->kind == GEN_MISTAKES)
    gen_build_second_object(program);
}

/* --- functions --- */

static void gen_build_symbol(gen_function *function) {
  const gen_signature_row *signature = &gen_signatures[function->signature];
  int length = (int)strlen(function->name);
  char result = signature->result == 'l' ? 'x' : signature->result;
  size_t size = sizeof function->symbol;
  if (function->spelling == GEN_SPELL_C)
    snprintf(function->symbol, size, "%s", function->name);
  else if (function->spelling == GEN_SPELL_CXX)
    snprintf(function->symbol, size, "_Z%d%s%s", length, function->name, signature->mangled);
  else if (function->spelling == GEN_SPELL_NAMESPACE)
    snprintf(function->symbol, size, "_ZN3lib%d%sE%s", length, function->name, signature->mangled);
  else
    snprintf(function->symbol, size, "_Z%d%sILi3EE%c%s", length, function->name, result, signature->mangled);
}

static void gen_build_bounds(gen_program *program, gen_body *body) {
  /* 65536 registers shared by all threads: a larger product would limit them to less than functions use. */
  static const uint32_t threads[] = {32, 64, 128, 160, 256, 512};
  body->bounds_id = gen_build_id(program);
  uint32_t kind = gen_draw(program, 5), max = threads[gen_draw(program, 6)],
           registers = 104 + 8 * gen_draw(program, 18);
  bool cluster = gen_chance(program, 35);
  if (!program->functions[body->function].kernel || !program->traits[GEN_TRAIT_LAUNCH_BOUNDS] ||
      !gen_chance(program, 55))
    return;
  if (kind < 3)
    body->max_threads = max;
  if (kind == 1)
    body->minimum_blocks = 1 + gen_draw(program, 512 / max);
  if (kind >= 3)
    body->max_registers = registers;
  body->cluster = cluster && kind < 3 ? 2 : 0;
}

static void gen_build_body(gen_program *program, int function, int file, gen_linkage linkage) {
  if (program->body_count == GEN_MAX_BODIES)
    return;
  for (int i = 0; i < program->body_count; i++)
    if (program->bodies[i].function == function && program->bodies[i].file == file)
      return;
  gen_body *body = &program->bodies[program->body_count++];
  *body = (gen_body){.id = gen_build_id(program), .function = function, .file = file, .linkage = linkage};
  gen_build_bounds(program, body);
}

static gen_function *gen_build_function_row(gen_program *program, char letter, gen_linkage linkage, int home) {
  if (program->function_count == GEN_MAX_FUNCTIONS || home == GEN_NONE)
    return NULL;
  gen_function *function = &program->functions[program->function_count];
  *function = (gen_function){.id = gen_build_id(program), .linkage = linkage, .home = home, .alias_of = GEN_NONE};
  snprintf(function->name, sizeof function->name, "%c%d", letter, program->function_count);
  program->function_count++;
  return function;
}

/* As with variables: clashes between files, never within one. */
static void gen_build_local_function_name(gen_program *program, gen_function *function) {
  for (int number = (int)gen_draw(program, 3);; number++) {
    snprintf(function->name, sizeof function->name, "sf%d", number);
    bool taken = false;
    for (gen_function *other = program->functions; other < function; other++)
      taken |= other->home == function->home && strcmp(other->name, function->name) == 0;
    if (!taken)
      return;
  }
}

static void gen_build_spelling(gen_program *program, gen_function *function) {
  static const uint32_t weak[] = {25, 12, 50, 13, 0}, strong[] = {42, 30, 10, 18, 0};
  function->spelling = (gen_spelling)gen_build_choose(program, function->linkage == GEN_WEAK ? weak : strong);
  if (function->linkage == GEN_LOCAL) {
    function->spelling = GEN_SPELL_C;
    gen_build_local_function_name(program, function);
  }
  gen_build_symbol(function);
}

static void gen_build_more_bodies(gen_program *program, int function) {
  int home = program->functions[function].home;
  gen_linkage linkage = program->functions[function].linkage;
  gen_build_body(program, function, home, linkage);
  if (linkage != GEN_WEAK)
    return;
  for (uint32_t copies = gen_draw(program, 4); copies > 0; copies--) {
    int file = gen_build_pick_file(program, false);
    if (file != GEN_NONE)
      gen_build_body(program, function, file, GEN_WEAK);
  }
  int file = gen_build_pick_file(program, false);
  if (file != GEN_NONE && program->traits[GEN_TRAIT_STRONG_OVER_WEAK] && gen_chance(program, 40))
    gen_build_body(program, function, file, GEN_STRONG);
}

static void gen_build_device_function(gen_program *program) {
  static const uint32_t signatures[] = {46, 10, 10, 8, 8, 6, 6, 6, 0};
  gen_linkage linkage = GEN_STRONG;
  if (program->traits[GEN_TRAIT_WEAK_FUNCTIONS] && gen_chance(program, 30))
    linkage = GEN_WEAK;
  else if (program->traits[GEN_TRAIT_LOCAL_FUNCTIONS] && gen_chance(program, 28))
    linkage = GEN_LOCAL;
  gen_function *function = gen_build_function_row(program, 'f', linkage, gen_build_pick_file(program, false));
  if (!function)
    return;
  function->signature = gen_build_choose(program, signatures);
  function->dead = program->files[function->home].role == GEN_ROLE_DEAD || gen_chance(program, 6);
  gen_build_spelling(program, function);
  gen_build_more_bodies(program, (int)(function - program->functions));
}

static void gen_build_alias(gen_program *program) {
  for (int i = 0; i < program->function_count; i++) {
    const gen_function *target = &program->functions[i];
    if (target->linkage == GEN_WEAK || target->dead || program->files[target->home].language != GEN_PTX)
      continue;
    gen_function *alias = gen_build_function_row(program, 'a', GEN_STRONG, target->home);
    if (!alias)
      return;
    alias->alias_of = i;
    alias->signature = target->signature;
    gen_build_symbol(alias);
    if (gen_chance(program, 70))
      return;
  }
}

static void gen_build_kernel(gen_program *program, int file) {
  bool weak = program->traits[GEN_TRAIT_WEAK_KERNELS] && gen_chance(program, 50);
  gen_function *kernel = gen_build_function_row(program, 'k', weak ? GEN_WEAK : GEN_STRONG, file);
  if (!kernel)
    return;
  kernel->kernel = true;
  kernel->signature = GEN_SIGNATURE_KERNEL;
  static const uint32_t spellings[] = {50, 40, 0};
  kernel->spelling = weak ? GEN_SPELL_TEMPLATE : (gen_spelling)gen_build_choose(program, spellings);
  if (kernel->spelling == GEN_SPELL_CXX && gen_chance(program, 25))
    kernel->spelling = GEN_SPELL_NAMESPACE;
  uint32_t bytes = 16 * (1 + gen_draw(program, gen_chance(program, 25) ? 900 : 40));
  if (!weak && program->traits[GEN_TRAIT_LARGE_ARGUMENTS] && gen_chance(program, 40)) {
    kernel->signature = GEN_SIGNATURE_KERNEL_LARGE;
    kernel->spelling = GEN_SPELL_C;
    kernel->large_bytes = bytes;
  }
  gen_build_symbol(kernel);
  int index = (int)(kernel - program->functions);
  gen_build_body(program, index, file, kernel->linkage);
  int other = gen_build_pick_file(program, false);
  if (weak && other != GEN_NONE && program->files[other].role == GEN_ROLE_NORMAL)
    gen_build_body(program, index, other, GEN_WEAK);
}

/* Strong functions and kernels that two files define. */
static void gen_build_second_bodies(gen_program *program) {
  for (int i = 0; i < program->function_count; i++) {
    int file = gen_build_pick_file(program, false);
    bool strong = program->functions[i].linkage == GEN_STRONG && program->functions[i].alias_of == GEN_NONE;
    if (strong && gen_chance(program, 6) && file != GEN_NONE)
      gen_build_body(program, i, file, GEN_STRONG);
  }
}

void gen_build_functions(gen_program *program) {
  int count = 2 + program->file_count + (int)gen_draw(program, 3 * (uint32_t)program->file_count);
  for (int i = 0; i < count; i++)
    gen_build_device_function(program);
  if (program->traits[GEN_TRAIT_ALIASES])
    gen_build_alias(program);
  int kernels = 0;
  for (int i = 0; i < program->file_count; i++) {
    uint32_t more = gen_chance(program, 65) ? 1 + gen_draw(program, 3) : 0;
    for (; more > 0 && program->files[i].role == GEN_ROLE_NORMAL; more--, kernels++)
      gen_build_kernel(program, i);
  }
  for (int i = 0; i < program->file_count && kernels == 0; i++)
    if (program->files[i].role == GEN_ROLE_NORMAL)
      gen_build_kernel(program, i), kernels++;
  if (program->kind == GEN_MISTAKES)
    gen_build_second_bodies(program);
}
