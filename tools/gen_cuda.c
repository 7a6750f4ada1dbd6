/* Prints one file of the model as CUDA C++.
 *
 * The same state as in the PTX printer in C++ words (p, x, acc). Weak functions are inline functions or template
 * instances, strong ones over weak are explicit specialisations: what people write. Names agree with the PTX files
 * because the model holds each symbol in its mangled spelling. */
#include "gen_headers.h"
#include "gen_print.h"

#include <string.h>

typedef struct gen_cuda {
  const gen_program *program;
  const gen_file *file;
  int file_index;
  FILE *to;
  gen_mentions mentions;
} gen_cuda;

/* --- types and declarations --- */

static const char *gen_cuda_type(char letter) {
  switch (letter) {
  case 'p':
    return "int *";
  case 'i':
    return "int ";
  case 'l':
    return "long long ";
  case 'd':
    return "double ";
  case 'r':
    return "rec24 ";
  default:
    return "void ";
  }
}

/* The parameter that carries x, and others, get names by their place. */
static void gen_cuda_parameters(FILE *to, const char *letters, const char *name, uint32_t large) {
  fprintf(to, "(");
  for (int i = 0; letters[i]; i++) {
    fprintf(to, "%s", i ? ", " : "");
    if (letters[i] == 'R')
      fprintf(to, "blob<%u> %s%d", large, name, i);
    else if (*name)
      fprintf(to, "%s%s%d", gen_cuda_type(letters[i]), name, i);
    else
      fprintf(to, "%s", gen_cuda_type(letters[i]));
  }
  fprintf(to, ")");
}

static void gen_cuda_types(FILE *to) {
  fprintf(to, "struct rec24 { int a[6]; };\ntemplate <int N> struct alignas(8) blob { int a[N / 4]; };\n");
  for (int i = 0; i < GEN_SIGNATURE_COUNT; i++) {
    fprintf(to, "typedef %s(*sig%d)", gen_cuda_type(gen_signatures[i].result), i);
    gen_cuda_parameters(to, gen_signatures[i].arguments, "", 0);
    fprintf(to, ";\n");
  }
}

static const char *gen_cuda_element(const gen_variable *variable, char *buffer, size_t size) {
  static const char *const words[] = {"unsigned char", "unsigned short", "int", "double", "void *"};
  if (variable->element == GEN_CODE)
    snprintf(buffer, size, "sig%d", variable->signature);
  else
    snprintf(buffer, size, "%s", words[variable->element]);
  return buffer;
}

static const char *gen_cuda_space(gen_space space) {
  static const char *const words[GEN_SPACE_COUNT] = {"__device__", "__constant__", "__shared__", "__shared__",
                                                     "__managed__"};
  return words[space];
}

static void gen_cuda_extern(gen_cuda *printer, int index) {
  const gen_variable *variable = &printer->program->variables[index];
  char type[32];
  if (variable->space >= GEN_TEXTURE)
    return;
  fprintf(printer->to, "extern %s %s %s[", gen_cuda_space(variable->space),
          gen_cuda_element(variable, type, sizeof type), variable->name);
  uint32_t wrong = gen_program_errs(printer->program, GEN_MISTAKE_SIZE, printer->file_index, index) ? 3 : 0;
  if (variable->count && !gen_variable_unsized(printer->program, index, printer->file_index))
    fprintf(printer->to, "%u", variable->count + wrong);
  fprintf(printer->to, "];\n");
}

static const char *gen_cuda_function_name(const gen_function *function, char *name, size_t size) {
  snprintf(name, size, "%s%s%s", function->spelling == GEN_SPELL_NAMESPACE ? "lib::" : "", function->name,
           function->spelling == GEN_SPELL_TEMPLATE ? "<3>" : "");
  return name;
}

static void gen_cuda_entry(gen_cuda *printer, const gen_variable *variable, const gen_entry *entry) {
  const gen_program *program = printer->program;
  FILE *to = printer->to;
  if (entry->kind == GEN_ENTRY_FUNCTION && program->functions[entry->target].live) {
    const gen_function *function = &program->functions[entry->target];
    char name[GEN_NAME_SIZE + 8];
    fprintf(to, "%s", gen_cuda_function_name(function, name, sizeof name));
  } else if (entry->kind == GEN_ENTRY_VARIABLE && program->variables[entry->target].live &&
             program->variables[entry->target].space != GEN_MANAGED) {
    const gen_variable *target = &program->variables[entry->target];
    fprintf(to, "(void *)&%s[%u]", target->name, (unsigned)(entry->value / gen_element_size(target->element)));
  } else if (entry->kind != GEN_ENTRY_VALUE || variable->element >= GEN_POINTER) {
    fprintf(to, "0");
  } else if (variable->element == GEN_F64) {
    fprintf(to, "%llu.375", (unsigned long long)(entry->value & 0xffffff));
  } else {
    uint64_t mask = variable->element == GEN_U32 ? 0x7fffffff : (1ull << (8 * gen_element_size(variable->element))) - 1;
    fprintf(to, "%llu", (unsigned long long)(entry->value & mask));
  }
}

static void gen_cuda_object(gen_cuda *printer, const gen_object *object) {
  static const char *const words[] = {"", "inline ", "static ", ""};
  const gen_variable *variable = &printer->program->variables[object->variable];
  char type[32];
  fprintf(printer->to, "%s%s ", words[object->linkage], gen_cuda_space(variable->space));
  if (object->linkage == GEN_WEAK)
    fprintf(printer->to, "__attribute__((used)) ");
  if (variable->align > gen_element_size(variable->element))
    fprintf(printer->to, "__align__(%u) ", variable->align);
  fprintf(printer->to, "%s %s[%u]", gen_cuda_element(variable, type, sizeof type), variable->name, object->count);
  for (int i = 0; i < object->entry_count; i++) {
    fprintf(printer->to, "%s", i ? ", " : " = {");
    gen_cuda_entry(printer, variable, &printer->program->entries[object->first_entry + i]);
  }
  fprintf(printer->to, "%s;\n", object->entry_count ? "}" : "");
}

static void gen_cuda_variables(gen_cuda *printer) {
  const gen_program *program = printer->program;
  for (int i = 0; i < program->variable_count; i++)
    if (printer->mentions.variables[i] && !gen_variable_in_file(program, i, printer->file_index))
      gen_cuda_extern(printer, i);
  for (int tables = 0; tables < 2; tables++)
    for (int i = 0; i < program->object_count; i++) {
      const gen_object *object = &program->objects[i];
      bool table = program->variables[object->variable].element >= GEN_POINTER;
      if (object->live && object->file == printer->file_index && table == (tables == 1))
        gen_cuda_object(printer, object);
    }
}

static bool gen_cuda_wrapped(const gen_function *function) {
  return gen_function_anonymous(function) || function->spelling == GEN_SPELL_NAMESPACE;
}

static void gen_cuda_head(gen_cuda *printer, const gen_function *function, const gen_body *body, const char *names) {
  const gen_signature_row *signature = &gen_signatures[function->signature];
  bool plain = function->spelling == GEN_SPELL_C && function->linkage != GEN_LOCAL;
  bool inlined = body && body->linkage == GEN_WEAK && function->spelling != GEN_SPELL_TEMPLATE;
  FILE *to = printer->to;
  fprintf(to, "%s%s%s", plain ? "extern \"C\" " : "",
          gen_function_anonymous(function)            ? "namespace { "
          : function->spelling == GEN_SPELL_NAMESPACE ? "namespace lib { "
          : function->linkage == GEN_LOCAL            ? "static "
                                                      : "",
          inlined ? "inline " : "");
  fprintf(to, "%s ", function->kernel ? "__global__" : "__device__");
  if (inlined)
    fprintf(to, "__attribute__((used)) ");
  if (!function->kernel && (function->id % 3 != 0))
    fprintf(to, "__noinline__ ");
  fprintf(to, "%s", gen_cuda_type(signature->result));
  if (body && body->max_threads && body->minimum_blocks)
    fprintf(to, "__launch_bounds__(%u, %u) ", body->max_threads, body->minimum_blocks);
  else if (body && body->max_threads)
    fprintf(to, "__launch_bounds__(%u) ", body->max_threads);
  else if (body && body->max_registers)
    fprintf(to, "__maxnreg__(%u) ", body->max_registers);
  if (body && body->cluster && printer->file->virtual_sm >= 90)
    fprintf(to, "__cluster_dims__(%u, 1, 1) ", body->cluster);
  fprintf(to, "%s", function->name);
  if (function->spelling == GEN_SPELL_TEMPLATE && (!body || body->linkage != GEN_WEAK || !*names))
    fprintf(to, "<3>");
  gen_cuda_parameters(to, signature->arguments, names, function->large_bytes);
}

/* A template is declared first; a file without a weak body of it declares the specialisation that lives elsewhere. */
static void gen_cuda_prototype(gen_cuda *printer, const gen_function *function, const gen_body *body) {
  const gen_signature_row *signature = &gen_signatures[function->signature];
  FILE *to = printer->to;
  if (function->spelling != GEN_SPELL_TEMPLATE) {
    gen_body bare = {.linkage = body ? body->linkage : GEN_STRONG};
    gen_cuda_head(printer, function, &bare, "a");
    fprintf(to, "%s\n", gen_cuda_wrapped(function) ? "; }" : ";");
    return;
  }
  fprintf(to, "template <int N> %s %s%s", function->kernel ? "__global__" : "__device__",
          gen_cuda_type(signature->result), function->name);
  gen_cuda_parameters(to, signature->arguments, "a", 0);
  fprintf(to, ";\n");
  if (body && body->linkage == GEN_WEAK)
    return;
  gen_body strong = {.linkage = GEN_STRONG};
  fprintf(to, "template <> ");
  gen_cuda_head(printer, function, &strong, "a");
  fprintf(to, ";\n");
}

static void gen_cuda_prototypes(gen_cuda *printer) {
  const gen_program *program = printer->program;
  for (int i = 0; i < program->function_count; i++) {
    const gen_function *function = &program->functions[i];
    const gen_body *body = gen_function_body(program, i, printer->file_index);
    if (function->live && (body || printer->mentions.functions[i]))
      gen_cuda_prototype(printer, function, body);
  }
}

/* --- calls --- */

static void gen_cuda_call_arguments(FILE *to, const char *letters) {
  fprintf(to, "(");
  for (int i = 0; letters[i]; i++) {
    const char *text = letters[i] == 'p'   ? "p"
                       : letters[i] == 'i' ? "acc"
                       : letters[i] == 'r' ? "rec24{{acc, x, acc, x, acc, x}}"
                       : letters[i] == 'd' ? "(double)acc"
                                           : "(long long)acc";
    fprintf(to, "%s%s", i ? ", " : "", text);
  }
  fprintf(to, ")");
}

static void gen_cuda_call(gen_cuda *printer, const char *target, int signature_index) {
  const gen_signature_row *signature = &gen_signatures[signature_index];
  FILE *to = printer->to;
  fprintf(to, "    %s%s", signature->result == 'v' ? "" : "acc += (int)", target);
  gen_cuda_call_arguments(to, signature->arguments);
  fprintf(to, ";\n");
}

/* --- statements --- */

typedef void gen_cuda_statement(gen_cuda *printer, const gen_operation *operation);

static void gen_cuda_do_call(gen_cuda *printer, const gen_operation *operation) {
  const gen_function *function = &printer->program->functions[operation->target];
  char name[GEN_NAME_SIZE + 8];
  gen_cuda_function_name(function, name, sizeof name);
  gen_cuda_call(printer, name, function->signature);
}

static void gen_cuda_do_pointer(gen_cuda *printer, const gen_operation *operation) {
  const gen_function *function = &printer->program->functions[operation->target];
  char name[GEN_NAME_SIZE + 8];
  gen_cuda_function_name(function, name, sizeof name);
  fprintf(printer->to, "    sig%d fp = %s;\n    if (x == %u)\n      fp = *(sig%d *)p;\n", function->signature, name,
          operation->a, function->signature);
  gen_cuda_call(printer, "fp", function->signature);
}

static void gen_cuda_index(const gen_operation *operation, uint32_t count, char *text, size_t size) {
  if (operation->a & 1)
    snprintf(text, size, "%u", operation->b % count);
  else
    snprintf(text, size, "(unsigned)acc %% %u", count);
}

static void gen_cuda_do_table(gen_cuda *printer, const gen_operation *operation) {
  const gen_variable *table = &printer->program->variables[operation->target];
  char index[32], target[GEN_NAME_SIZE + 40];
  gen_cuda_index(operation, table->count, index, sizeof index);
  snprintf(target, sizeof target, "%s[%s]", table->name, index);
  gen_cuda_call(printer, target, table->signature);
}

static void gen_cuda_do_shared_table(gen_cuda *printer, const gen_operation *operation) {
  const gen_function *function = &printer->program->functions[operation->target];
  char name[GEN_NAME_SIZE + 8], target[64];
  uint32_t count = 2 + operation->b % 4;
  gen_cuda_function_name(function, name, sizeof name);
  fprintf(printer->to, "    __shared__ sig%d ts%d[%u];\n    ts%d[(unsigned)x %% %u] = %s;\n    __syncthreads();\n",
          function->signature, operation->id, count, operation->id, count, name);
  snprintf(target, sizeof target, "ts%d[(unsigned)acc %% %u]", operation->id, count);
  gen_cuda_call(printer, target, function->signature);
}

static void gen_cuda_do_read(gen_cuda *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char index[32];
  gen_cuda_index(operation, variable->count ? variable->count : 8, index, sizeof index);
  fprintf(printer->to, "    acc += (int)%s[%s];\n", variable->name, index);
}

static void gen_cuda_do_write(gen_cuda *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char index[32], type[32];
  gen_cuda_index(operation, variable->count ? variable->count : 8, index, sizeof index);
  fprintf(printer->to, "    %s[%s] = (%s)acc;\n", variable->name, index, gen_cuda_element(variable, type, sizeof type));
}

static void gen_cuda_do_atomic(gen_cuda *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char index[32];
  gen_cuda_index(operation, variable->count, index, sizeof index);
  fprintf(printer->to, "    acc += %s((int *)&%s[%s], acc);\n", operation->b & 1 ? "atomicAdd" : "atomicExch",
          variable->name, index);
}

static void gen_cuda_do_address(gen_cuda *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  fprintf(printer->to, "    ((const void **)p)[2] = (const void *)&%s[%u];\n", variable->name,
          operation->b % variable->count);
}

static void gen_cuda_do_read_pointer(gen_cuda *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char index[32];
  gen_cuda_index(operation, variable->count, index, sizeof index);
  fprintf(printer->to, "    acc += *(int *)%s[%s];\n", variable->name, index);
}

static void gen_cuda_do_shared(gen_cuda *printer, const gen_operation *operation) {
  uint32_t words = 4 + operation->a % 60;
  int id = operation->id; /* in a weak function the name is weak too: another size in another file would be refused */
  fprintf(printer->to, "    __shared__ int ls%d[%u];\n    ls%d[(unsigned)acc %% %u] = x;\n    acc += ls%d[%u];\n", id,
          words, id, words, id, operation->b % words);
}

static void gen_cuda_do_stack(gen_cuda *printer, const gen_operation *operation) {
  uint32_t words = 2 + operation->a % 70;
  fprintf(printer->to, "    volatile int lb[%u];\n    lb[(unsigned)acc %% %u] = x;\n    acc += lb[%u];\n", words, words,
          operation->b % words);
}

static void gen_cuda_do_switch(gen_cuda *printer, const gen_operation *operation) {
  static const char *const work[] = {"acc += p[%u];", "acc *= %u;", "acc ^= p[%u] * x;", "p[%u] = acc;"};
  uint32_t count = gen_switch_count(printer->program, operation);
  fprintf(printer->to, "    switch ((unsigned)acc %% %u) {\n", count);
  for (uint32_t i = 0; i < count; i++) {
    fprintf(printer->to, "    case %u: ", i);
    fprintf(printer->to, "%.*s%u%s break;\n",
            (int)(strchr(work[(i + operation->b) % 4], '%') - work[(i + operation->b) % 4]),
            work[(i + operation->b) % 4], 7 + 3 * i, strchr(work[(i + operation->b) % 4], '%') + 2);
  }
  fprintf(printer->to, "    }\n");
}

static void gen_cuda_do_double(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    double v = acc;\n");
  for (uint32_t i = 0; i <= operation->a % 6; i++)
    fprintf(printer->to, "    v = v * 1.%05u1 + %u.%u7;\n", operation->b, i, operation->a);
  fprintf(printer->to, "    acc += (int)v;\n");
}

static void gen_cuda_do_divide_double(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    double v = %s / (double)acc;\n    acc += (int)v;\n",
          operation->a % 3 ? "(double)x" : "1.0");
}

static void gen_cuda_do_root(gen_cuda *printer, const gen_operation *operation) {
  (void)operation;
  fprintf(printer->to, "    acc += (int)sqrt((double)acc);\n");
}

static void gen_cuda_do_divide_long(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    acc += (int)(((%s *)p)[3] %c acc);\n",
          operation->a & 1 ? "long long" : "unsigned long long", operation->a & 2 ? '/' : '%');
}

static void gen_cuda_do_divide_float(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    acc += (int)%s;\n", operation->a & 1 ? "((float)x / (float)acc)" : "sqrtf((float)x)");
}

static void gen_cuda_do_math(gen_cuda *printer, const gen_operation *operation) {
  static const char *const calls[] = {
      "sin(v)",         "pow(v, 2.25)",         "exp(v)",      "log(v)", "tan(v)", "cbrt(v)", "lgamma(v)",
      "sinf((float)v)", "powf((float)v, 1.5f)", "fmod(v, 3.5)"};
  fprintf(printer->to, "    double v = acc;\n    acc += (int)%s;\n", calls[operation->a % 10]);
}

static void gen_cuda_do_printf(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    acc += printf(\"%%d %%d %u\\n\", acc, x);\n", operation->a % 3);
}

static void gen_cuda_do_assert(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    assert(acc != %u);\n", operation->a);
}

static void gen_cuda_do_malloc(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    int *m = (int *)malloc(%u);\n    m[1] = acc;\n    acc += m[2];\n    free(%s);\n",
          16 + operation->a % 100, operation->b & 1 ? "m" : "p");
}

static void gen_cuda_do_barrier(gen_cuda *printer, const gen_operation *operation) {
  if (operation->a % 3)
    fprintf(printer->to, "    __syncthreads();\n");
  else
    fprintf(printer->to, "    acc += __syncthreads_count(acc > 3);\n");
}

static void gen_cuda_do_barrier_named(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    asm volatile(\"bar.sync %u, 64;\");\n", 1 + operation->b % 15);
}

static void gen_cuda_do_barrier_any(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    asm volatile(\"bar.sync %%0, 64;\" ::\"r\"(acc & %u));\n", operation->a & 1 ? 15u : 7u);
}

static void gen_cuda_do_cluster(gen_cuda *printer, const gen_operation *operation) {
  if (printer->file->virtual_sm < 90) { /* a mistake of the program took the file to another architecture */
    gen_cuda_do_barrier(printer, operation);
    return;
  }
  fprintf(printer->to, "    asm volatile(\"barrier.cluster.arrive;\\n barrier.cluster.wait;\" ::: \"memory\");\n");
}

static void gen_cuda_do_warp(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    acc += %s;\n",
          operation->a & 1   ? "__shfl_down_sync(~0u, acc, 1)"
          : operation->b & 1 ? "(int)__ballot_sync(~0u, acc > 7)"
                             : "(__syncwarp(), (int)__activemask())");
}

static void gen_cuda_do_pressure(gen_cuda *printer, const gen_operation *operation) {
  uint32_t count = 8 + operation->a % 48;
  fprintf(printer->to,
          "    int m[%u];\n#pragma unroll\n    for (int i = 0; i < %u; i++)\n      m[i] = ((volatile int *)p)[i];\n"
          "#pragma unroll\n    for (int i = 0; i < %u; i++)\n      acc += m[i] * m[%u - i];\n",
          count, count, count, count - 1);
}

static void gen_cuda_do_loop(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    for (int i = 0; i < x; i += %u)\n      acc ^= p[i];\n", 1 + operation->a % 3);
}

static void gen_cuda_do_virtual(gen_cuda *printer, const gen_operation *operation) {
  const gen_class *row = &printer->program->classes[operation->target];
  if (!row->pure)
    fprintf(printer->to, "    %s o0;\n", row->name);
  for (int i = 1; i <= row->derived; i++)
    fprintf(printer->to, "    %sd%d o%d;\n", row->name, i, i);
  fprintf(printer->to, "    %s *o[%d] = {&o%d", row->name, 1 + row->derived, row->pure ? 1 : 0);
  for (int i = 1; i <= row->derived; i++)
    fprintf(printer->to, ", &o%d", i);
  fprintf(printer->to, "};\n    acc += o[(unsigned)acc %% %d]->", 1 + row->derived);
  if (row->pure && operation->a % 3 == 0)
    fprintf(printer->to, "rest(acc);\n");
  else
    fprintf(printer->to, "%s(p, acc);\n", operation->a & 1 ? "run" : "step");
  if (row->second && operation->b & 1)
    fprintf(printer->to, "    %sb *s = x ? &o1 : (%sb *)p;\n    acc += s->other(acc);\n", row->name, row->name);
}

/* The object is made where the other variables are. */
static void gen_cuda_do_object(gen_cuda *printer, const gen_operation *operation) {
  const gen_class *row = &printer->program->classes[operation->target];
  if (row->destructor) { /* such an object cannot be in global memory */
    gen_cuda_do_virtual(printer, operation);
    return;
  }
  fprintf(printer->to, "    %s *o = x == %u ? (%s *)p : &go%d;\n    acc += o->run(p, acc);\n", row->name, operation->a,
          row->name, operation->id);
}

static void gen_cuda_do_constructed(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    acc += gc%d.b + gc%d.a;\n", operation->id, operation->id);
}

static void gen_cuda_do_header(gen_cuda *printer, const gen_operation *operation) {
  const gen_header_row *row = gen_header_of(operation, printer->file->virtual_sm);
  fprintf(printer->to, "    %s\n", row->statement);
}

/* A generic function that calls what it is given: with a closure of its own type in each place. */
static void gen_cuda_do_closure(gen_cuda *printer, const gen_operation *operation) {
  if (operation->b & 1)
    fprintf(printer->to, "    acc += apply([=](auto y) { return (int)(y * x + %u); }, acc);\n", operation->a);
  else
    fprintf(printer->to, "    int z = %u;\n    acc += apply([&z, p](int y) { z += y; return p[z & 7]; }, x) + z;\n",
            operation->a);
}

static void gen_cuda_do_lambda(gen_cuda *printer, const gen_operation *operation) {
  if (operation->b % 3 == 0) {
    gen_cuda_do_closure(printer, operation);
    return;
  }
  fprintf(printer->to, "    int (*l)(int) = [](int y) { return y * %u; };\n", operation->a);
  if (operation->b & 1)
    fprintf(printer->to, "    if (x == %u)\n      l = [](int y) { return y ^ %u; };\n", operation->b, operation->a + 1);
  fprintf(printer->to, "    acc += l(acc);\n");
}

static void gen_cuda_do_static(gen_cuda *printer, const gen_operation *operation) {
  fprintf(printer->to, "    static __device__ int sl%s;\n    acc += sl++;\n", operation->a & 1 ? " = 4" : "");
}

static void gen_cuda_do_address_code(gen_cuda *printer, const gen_operation *operation) {
  char name[GEN_NAME_SIZE + 8];
  gen_cuda_function_name(&printer->program->functions[operation->target], name, sizeof name);
  fprintf(printer->to, "    ((void **)p)[4] = (void *)%s;\n", name);
}

static gen_cuda_statement *const gen_cuda_rows[GEN_OP_COUNT] = {
    [GEN_OP_CALL] = gen_cuda_do_call,
    [GEN_OP_CALL_POINTER] = gen_cuda_do_pointer,
    [GEN_OP_CALL_TABLE] = gen_cuda_do_table,
    [GEN_OP_CALL_ALIAS] = gen_cuda_do_call,
    [GEN_OP_READ] = gen_cuda_do_read,
    [GEN_OP_WRITE] = gen_cuda_do_write,
    [GEN_OP_ATOMIC] = gen_cuda_do_atomic,
    [GEN_OP_ADDRESS] = gen_cuda_do_address,
    [GEN_OP_READ_POINTER] = gen_cuda_do_read_pointer,
    [GEN_OP_SHARED_LOCAL] = gen_cuda_do_shared,
    [GEN_OP_STACK] = gen_cuda_do_stack,
    [GEN_OP_SWITCH] = gen_cuda_do_switch,
    [GEN_OP_DOUBLE] = gen_cuda_do_double,
    [GEN_OP_DIVIDE_DOUBLE] = gen_cuda_do_divide_double,
    [GEN_OP_ROOT_DOUBLE] = gen_cuda_do_root,
    [GEN_OP_DIVIDE_LONG] = gen_cuda_do_divide_long,
    [GEN_OP_DIVIDE_FLOAT] = gen_cuda_do_divide_float,
    [GEN_OP_MATH] = gen_cuda_do_math,
    [GEN_OP_PRINTF] = gen_cuda_do_printf,
    [GEN_OP_ASSERT] = gen_cuda_do_assert,
    [GEN_OP_MALLOC] = gen_cuda_do_malloc,
    [GEN_OP_BARRIER] = gen_cuda_do_barrier,
    [GEN_OP_BARRIER_NAMED] = gen_cuda_do_barrier_named,
    [GEN_OP_BARRIER_ANY] = gen_cuda_do_barrier_any,
    [GEN_OP_BARRIER_CLUSTER] = gen_cuda_do_cluster,
    [GEN_OP_WARP] = gen_cuda_do_warp,
    [GEN_OP_PRESSURE] = gen_cuda_do_pressure,
    [GEN_OP_LOOP] = gen_cuda_do_loop,
    [GEN_OP_ADDRESS_CODE] = gen_cuda_do_address_code,
    [GEN_OP_VIRTUAL] = gen_cuda_do_virtual,
    [GEN_OP_LAMBDA] = gen_cuda_do_lambda,
    [GEN_OP_STATIC_LOCAL] = gen_cuda_do_static,
    [GEN_OP_CALL_SHARED] = gen_cuda_do_shared_table,
    [GEN_OP_ADDRESS_KERNEL] = gen_cuda_do_address_code,
    [GEN_OP_OBJECT] = gen_cuda_do_object,
    [GEN_OP_CONSTRUCTED] = gen_cuda_do_constructed,
    [GEN_OP_HEADER] = gen_cuda_do_header,
};

/* --- classes and bodies --- */

static void gen_cuda_method(gen_cuda *printer, const gen_class *row, int number) {
  int function = row->calls[number];
  FILE *to = printer->to;
  fprintf(to, "  virtual __device__ int run(int *p, int acc) { int x = acc + v; ");
  if (function != GEN_NONE && printer->program->functions[function].live)
    gen_cuda_do_call(printer, &(gen_operation){.target = function});
  fprintf(to, "return acc * %d + p[%d] + x; }\n", 3 + number, number);
  if (row->pure && number > 0)
    fprintf(to, "  virtual __device__ int rest(int acc) { return acc + %d; }\n", 11 * number);
  else if (row->pure)
    fprintf(to, "  virtual __device__ int rest(int acc) = 0;\n");
  if (row->second && number > 0)
    fprintf(to, "  virtual __device__ int other(int acc) { return acc ^ v ^ w; }\n");
  if (number % 2 == 0)
    fprintf(to, "  virtual __device__ int step(int *p, int acc) { return p[v] ^ acc + %d; }\n", number);
  if (row->destructor && number == 0)
    fprintf(to, "  virtual __device__ ~%s() { v = 0; }\n", row->name);
}

static void gen_cuda_class(gen_cuda *printer, const gen_class *row) {
  FILE *to = printer->to;
  const char *name = row->name;
  if (row->second)
    fprintf(to, "\nstruct %sb {\n  int w = 2;\n  virtual __device__ int other(int acc) { return acc + w; }\n};\n",
            name);
  fprintf(to, "\nstruct %s {\n  int v = 1;\n  constexpr __host__ __device__ %s() {}\n", name, name);
  gen_cuda_method(printer, row, 0);
  fprintf(to, "};\n");
  for (int number = 1; number <= row->derived; number++) {
    fprintf(to, "struct %sd%d : %s%s%s%s {\n", name, number, name, row->second ? ", " : "", row->second ? name : "",
            row->second ? "b" : "");
    gen_cuda_method(printer, row, number);
    fprintf(to, "};\n");
  }
}

static void gen_cuda_classes(gen_cuda *printer) {
  for (int i = 0; i < printer->program->class_count; i++) {
    const gen_class *row = &printer->program->classes[i];
    if (!printer->mentions.classes[i] || !row->live)
      continue;
    gen_cuda_class(printer, row);
  }
}

/* Objects that statements of this file use, initialised by constructors at compile time. */
static void gen_cuda_objects(gen_cuda *printer) {
  const gen_program *program = printer->program;
  static const char *const spaces[] = {"static __device__", "static __constant__", "static __device__ const"};
  bool written[GEN_MAX_OPERATIONS] = {false};
  if (printer->mentions.operations[GEN_OP_CONSTRUCTED])
    fprintf(printer->to,
            "struct pair {\n  int a, b;\n  constexpr __host__ __device__ pair(int x) : a(x), b(2 * x) {}\n};\n");
  for (int i = 0; i < program->body_count; i++) {
    const gen_body *body = &program->bodies[i];
    for (int k = 0; body->live && body->file == printer->file_index && k < body->operation_count; k++) {
      int index = body->first_operation + k;
      const gen_operation *operation = &program->operations[index];
      if (!operation->live || written[index])
        continue;
      written[index] = true;
      if (operation->kind == GEN_OP_CONSTRUCTED)
        fprintf(printer->to, "%s pair gc%d(%u);\n", spaces[operation->a % 3], operation->id, operation->b);
      else if (operation->kind == GEN_OP_OBJECT && !program->classes[operation->target].destructor)
        fprintf(printer->to, "static __device__ %sd1 go%d;\n", program->classes[operation->target].name, operation->id);
    }
  }
}

static void gen_cuda_state(gen_cuda *printer, const gen_function *function) {
  const char *letters = gen_signatures[function->signature].arguments;
  FILE *to = printer->to;
  const char *integer = strpbrk(letters, "ild");
  if (!integer)
    fprintf(to, "  int x = a0[0];\n");
  else
    fprintf(to, "  int x = (int)a%d;\n", (int)(integer - letters));
  fprintf(to, "  int *p = %s;\n  int acc = x", strchr(letters, 'p') ? "a0" : "(int *)(size_t)x");
  for (int i = 0; letters[i]; i++)
    if (letters[i] == 'r' || letters[i] == 'R')
      fprintf(to, " + a%d.a[2]", i);
    else if (letters[i] == 'i' && letters + i != integer)
      fprintf(to, " + a%d", i);
  fprintf(to, ";\n");
}

static void gen_cuda_operation(gen_cuda *printer, const gen_operation *operation) {
  FILE *to = printer->to;
  if (operation->conditional)
    fprintf(to, "  if (acc >= %u) { // %s\n", operation->b, gen_operations[operation->kind].name);
  else
    fprintf(to, "  { // %s\n", gen_operations[operation->kind].name);
  gen_cuda_rows[operation->kind](printer, operation);
  fprintf(to, "  }\n");
}

static void gen_cuda_body(gen_cuda *printer, const gen_body *body) {
  const gen_function *function = &printer->program->functions[body->function];
  char result = gen_signatures[function->signature].result;
  FILE *to = printer->to;
  fprintf(to, "\n");
  if (function->spelling == GEN_SPELL_TEMPLATE)
    fprintf(to, "%s", body->linkage == GEN_WEAK ? "template <int N> " : "template <> ");
  gen_cuda_head(printer, function, body, "a");
  fprintf(to, " {\n");
  gen_cuda_state(printer, function);
  for (int i = 0; i < body->operation_count; i++) {
    const gen_operation *operation = &printer->program->operations[body->first_operation + i];
    if (operation->live)
      gen_cuda_operation(printer, operation);
  }
  if (result == 'v')
    fprintf(to, "  p[0] = acc;\n}");
  else
    fprintf(to, "  return (%s)acc;\n}", gen_cuda_type(result));
  fprintf(to, "%s\n", gen_cuda_wrapped(function) ? " }" : "");
}

/* Weak template instances are asked for at the end, or nothing in this file might make them. */
static void gen_cuda_instances(gen_cuda *printer) {
  const gen_program *program = printer->program;
  for (int i = 0; i < program->body_count; i++) {
    const gen_body *body = &program->bodies[i];
    const gen_function *function = &program->functions[body->function];
    if (!body->live || body->file != printer->file_index || body->linkage != GEN_WEAK ||
        function->spelling != GEN_SPELL_TEMPLATE)
      continue;
    const gen_signature_row *signature = &gen_signatures[function->signature];
    fprintf(printer->to, "template %s %s%s<3>", function->kernel ? "__global__" : "__device__",
            gen_cuda_type(signature->result), function->name);
    gen_cuda_parameters(printer->to, signature->arguments, "", 0);
    fprintf(printer->to, ";\n");
  }
}

/* What the host side of such a file has: an object whose constructor runs before main, and a function that starts kernels,
 * one of them made from a closure. */
static void gen_cuda_host(gen_cuda *printer) {
  const gen_program *program = printer->program;
  FILE *to = printer->to;
  const char *name = printer->file->name;
  fprintf(
      to,
      "\nnamespace {\nstruct counted {\n  int n;\n  counted() : n(3) {}\n  ~counted() { n = 0; }\n} counted_%s;\n}\n"
      "template <class F> __global__ void started(F f, int *p) { p[1] = f(p[0]); }\nvoid host_%s(int *p) {\n",
      name, name);
  for (int i = 0; i < program->body_count; i++) {
    const gen_function *function = &program->functions[program->bodies[i].function];
    char called[GEN_NAME_SIZE + 8];
    if (program->bodies[i].live && program->bodies[i].file == printer->file_index && function->kernel &&
        !function->large_bytes)
      fprintf(to, "  %s<<<1, 32>>>(p, %d);\n", gen_cuda_function_name(function, called, sizeof called), i);
  }
  fprintf(to, "  int z = counted_%s.n;\n  started<<<1, 32>>>([=] __device__(int y) { return y * z; }, p);\n}\n", name);
}

/* Each header once, in the order of the statements. */
static void gen_cuda_headers(gen_cuda *printer) {
  const gen_program *program = printer->program;
  for (int i = 0; i < program->body_count; i++) {
    const gen_body *body = &program->bodies[i];
    for (int k = 0; body->live && body->file == printer->file_index && k < body->operation_count; k++) {
      const gen_operation *operation = &program->operations[body->first_operation + k];
      if (operation->live && operation->kind == GEN_OP_HEADER)
        fprintf(printer->to, "%s\n", gen_header_of(operation, printer->file->virtual_sm)->includes);
    }
  }
}

void gen_print_cuda(const gen_program *program, int file, FILE *to) {
  gen_cuda printer = {.program = program, .file = &program->files[file], .file_index = file, .to = to};
  gen_file_mentions(program, file, &printer.mentions);
  if (program->files[file].role == GEN_ROLE_EMPTY)
    return;
  const bool *used = printer.mentions.operations;
  if (used[GEN_OP_PRINTF] || used[GEN_OP_MALLOC])
    fprintf(to, "#include <cstdio>\n#include <cstdlib>\n");
  if (used[GEN_OP_ASSERT])
    fprintf(to, "#include <cassert>\n");
  gen_cuda_headers(&printer);
  gen_cuda_types(to);
  if (used[GEN_OP_LAMBDA])
    fprintf(to, "template <class F> __device__ int apply(F f, int x) { return f(x) + f(x + 1); }\n");
  gen_cuda_prototypes(&printer);
  gen_cuda_variables(&printer);
  gen_cuda_classes(&printer);
  gen_cuda_objects(&printer);
  for (int i = 0; i < program->body_count; i++)
    if (program->bodies[i].live && program->bodies[i].file == file)
      gen_cuda_body(&printer, &program->bodies[i]);
  gen_cuda_instances(&printer);
  if (program->traits[GEN_TRAIT_HOST])
    gen_cuda_host(&printer);
}
