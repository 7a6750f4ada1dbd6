/* Prints one file of the model as PTX.
 *
 * Every function keeps its state in a few registers (%p a pointer, %x an argument, %acc the value that every statement
 * changes and that is returned in the end, so that none is dead code); a statement is a block with registers of its own.
 * The code is never run: it has to compile to a rich cubin, not to compute. One row of gen_ptx_rows a statement kind. */
#include "gen_print.h"

#include <string.h>

typedef struct gen_ptx {
  const gen_program *program;
  const gen_file *file;
  int file_index;
  FILE *to;
  gen_mentions mentions;
} gen_ptx;

/* --- names and declarations --- */

static const char *gen_ptx_result_type(char letter) {
  return letter == 'i' ? ".param .b32" : ".param .b64";
}

static void gen_ptx_argument_type(FILE *to, char letter, const char *name, int index, uint32_t large) {
  char suffix[16] = "";
  if (strcmp(name, "_") != 0)
    snprintf(suffix, sizeof suffix, "%d", index);
  if (letter == 'i')
    fprintf(to, ".param .b32 %s%s", name, suffix);
  else if (letter == 'r')
    fprintf(to, ".param .align 4 .b8 %s%s[24]", name, suffix);
  else if (letter == 'R')
    fprintf(to, ".param .align 8 .b8 %s%s[%u]", name, suffix, large);
  else
    fprintf(to, ".param .b64 %s%s", name, suffix);
}

static void gen_ptx_arguments(FILE *to, const char *letters, const char *name, uint32_t large, bool texture) {
  fprintf(to, texture ? "(.param .texref texarg, " : "(");
  for (int i = 0; letters[i]; i++) {
    fprintf(to, "%s", i ? ", " : "");
    gen_ptx_argument_type(to, letters[i], name, i, large);
  }
  fprintf(to, ")");
}

/* Other files need not know that a function or an object is unified; one with -ewp may not. */
static void gen_ptx_identity(FILE *to, const gen_identity *identity) {
  if (identity->set)
    fprintf(to, ".attribute(.unified(%llu, %llu)) ", (unsigned long long)identity->words[0],
            (unsigned long long)identity->words[1]);
}

static void gen_ptx_head(gen_ptx *printer, const gen_function *function, const char *linkage, bool texture) {
  const gen_signature_row *signature = &gen_signatures[function->signature];
  fprintf(printer->to, "%s%s ", linkage, function->kernel ? ".entry" : ".func");
  if (gen_function_in_file(printer->program, (int)(function - printer->program->functions), printer->file_index))
    gen_ptx_identity(printer->to, &function->unified);
  if (signature->result != 'v')
    fprintf(printer->to, "(%s ret) ", gen_ptx_result_type(signature->result));
  fprintf(printer->to, "%s ", function->symbol);
  gen_ptx_arguments(printer->to, signature->arguments, "arg", function->large_bytes, texture);
}

static const char *gen_ptx_linkage(gen_linkage linkage) {
  static const char *const words[] = {".visible ", ".weak ", "", ".common "};
  return words[linkage];
}

static const char *gen_ptx_space(gen_space space) {
  static const char *const words[GEN_SPACE_COUNT] = {".global", ".const", ".shared", ".shared",
                                                     ".global .attribute(.managed)"};
  return words[space];
}

static const char *gen_ptx_access(gen_space space) {
  static const char *const words[GEN_SPACE_COUNT] = {"global", "const", "shared", "shared", "global"};
  return words[space];
}

static const char *gen_ptx_element(gen_element element) {
  static const char *const words[GEN_ELEMENT_COUNT] = {".u8", ".u16", ".u32", ".f64", ".u64", ".u64"};
  return words[element];
}

static void gen_ptx_entry(gen_ptx *printer, const gen_variable *variable, const gen_entry *entry) {
  const gen_program *program = printer->program;
  FILE *to = printer->to;
  if (entry->kind == GEN_ENTRY_FUNCTION && program->functions[entry->target].live)
    fprintf(to, "%s", program->functions[entry->target].symbol);
  else if (entry->kind == GEN_ENTRY_VARIABLE && program->variables[entry->target].live)
    fprintf(to, "generic(%s)+%llu", program->variables[entry->target].name, (unsigned long long)entry->value);
  else if (entry->kind == GEN_ENTRY_BYTE && program->variables[entry->target].live)
    fprintf(to, "0x%llX(%s)", 0xffull << (8 * entry->value), program->variables[entry->target].name);
  else if (entry->kind == GEN_ENTRY_BYTE_FUNCTION && program->functions[entry->target].live)
    fprintf(to, "0x%llX(%s)", 0xffull << (8 * entry->value), program->functions[entry->target].symbol);
  else if (entry->kind != GEN_ENTRY_VALUE)
    fprintf(to, "0");
  else if (variable->element == GEN_F64)
    fprintf(to, "0d%016llX", (unsigned long long)entry->value);
  else if (variable->element >= GEN_POINTER)
    fprintf(to, "%llu", (unsigned long long)entry->value);
  else
    fprintf(to, "%llu", (unsigned long long)(entry->value & ((1ull << (8 * gen_element_size(variable->element))) - 1)));
}

static void gen_ptx_object(gen_ptx *printer, const gen_object *object) {
  const gen_variable *variable = &printer->program->variables[object->variable];
  fprintf(printer->to, "%s%s ", gen_ptx_linkage(object->linkage), gen_ptx_space(variable->space));
  gen_ptx_identity(printer->to, &variable->unified);
  fprintf(printer->to, ".align %u %s %s[%u]", object->align, gen_ptx_element(variable->element), variable->name,
          object->count);
  for (int i = 0; i < object->entry_count; i++) {
    fprintf(printer->to, "%s", i ? ", " : " = {");
    gen_ptx_entry(printer, variable, &printer->program->entries[object->first_entry + i]);
  }
  fprintf(printer->to, "%s;\n", object->entry_count ? "}" : "");
}

static void gen_ptx_extern(gen_ptx *printer, int index) {
  const gen_variable *variable = &printer->program->variables[index];
  static const char *const opaque[GEN_SPACE_COUNT] = {
      [GEN_TEXTURE] = ".texref", [GEN_SAMPLER] = ".samplerref", [GEN_SURFACE] = ".surfref"};
  uint32_t wrong = gen_program_errs(printer->program, GEN_MISTAKE_SIZE, printer->file_index, index) ? 3 : 0;
  bool state = variable->space == GEN_SAMPLER && variable->id % 3 == 0;
  if (variable->space >= GEN_TEXTURE)
    fprintf(printer->to, ".visible .global %s %s%s;\n", opaque[variable->space], variable->name,
            state ? " = {addr_mode_0 = wrap, force_unnormalized_coords = 1}" : "");
  else if (variable->space == GEN_SHARED_DYNAMIC)
    fprintf(printer->to, ".extern .shared .align %u %s %s[];\n", variable->align, gen_ptx_element(variable->element),
            variable->name);
  else if (gen_variable_unsized(printer->program, index, printer->file_index))
    fprintf(printer->to, ".extern %s .align %u %s %s[];\n", gen_ptx_space(variable->space), variable->align,
            gen_ptx_element(variable->element), variable->name);
  else
    fprintf(printer->to, ".extern %s .align %u %s %s[%u];\n", gen_ptx_space(variable->space), variable->align,
            gen_ptx_element(variable->element), variable->name, variable->count + wrong);
}

/* An initialiser can only name what stands before it: numbers, then bytes of their addresses, then tables of pointers. */
static int gen_ptx_object_rank(const gen_program *program, const gen_object *object) {
  if (program->variables[object->variable].element >= GEN_POINTER)
    return 2;
  for (int i = 0; i < object->entry_count; i++)
    if (program->entries[object->first_entry + i].kind == GEN_ENTRY_BYTE ||
        program->entries[object->first_entry + i].kind == GEN_ENTRY_BYTE_FUNCTION)
      return 1;
  return 0;
}

static void gen_ptx_variables(gen_ptx *printer) {
  const gen_program *program = printer->program;
  for (int i = 0; i < program->variable_count; i++)
    if (printer->mentions.variables[i] && !gen_variable_in_file(program, i, printer->file_index))
      gen_ptx_extern(printer, i);
  for (int rank = 0; rank < 3; rank++)
    for (int i = 0; i < program->object_count; i++) {
      const gen_object *object = &program->objects[i];
      if (object->live && object->file == printer->file_index && gen_ptx_object_rank(program, object) == rank)
        gen_ptx_object(printer, object);
    }
}

static void gen_ptx_prototypes(gen_ptx *printer) {
  const gen_program *program = printer->program;
  for (int i = 0; i < program->function_count; i++) {
    const gen_function *function = &program->functions[i];
    if (!printer->mentions.functions[i] || !function->live)
      continue;
    const gen_body *body = gen_function_body(program, i, printer->file_index);
    bool here = gen_function_in_file(program, i, printer->file_index);
    gen_ptx_head(printer, function, body ? gen_ptx_linkage(body->linkage) : here ? ".visible " : ".extern ", false);
    fprintf(printer->to, ";\n");
  }
}

static void gen_ptx_library(gen_ptx *printer) {
  const bool *used = printer->mentions.operations;
  FILE *to = printer->to;
  if (used[GEN_OP_PRINTF])
    fprintf(to, ".extern .func (.param .b32 ret) vprintf (.param .b64 a, .param .b64 b);\n"
                ".global .align 1 .b8 $str_print[8] = {37, 100, 32, 37, 100, 10, 0};\n");
  if (used[GEN_OP_ASSERT])
    fprintf(to,
            ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
            ".global .align 1 .b8 $str_assert[4] = {97, 61, 98, 0};\n");
  if (used[GEN_OP_MALLOC])
    fprintf(to, ".extern .func (.param .b64 ret) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n");
  if (used[GEN_OP_SAMPLER])
    fprintf(to, ".visible .global .texref t_sampled;\n");
}

/* --- calls --- */

static void gen_ptx_call_arguments(FILE *to, const char *letters) {
  for (int i = 0; letters[i]; i++) {
    fprintf(to, "    ");
    gen_ptx_argument_type(to, letters[i], "call", i, 0);
    fprintf(to, ";\n");
    if (letters[i] == 'p')
      fprintf(to, "    st.param.b64 [call%d], %%p;\n", i);
    else if (letters[i] == 'i')
      fprintf(to, "    st.param.b32 [call%d], %%acc;\n", i);
    else if (letters[i] == 'l')
      fprintf(to, "    cvt.s64.s32 %%cl, %%acc;\n    st.param.b64 [call%d], %%cl;\n", i);
    else if (letters[i] == 'd')
      fprintf(to, "    cvt.rn.f64.s32 %%cd, %%acc;\n    st.param.f64 [call%d], %%cd;\n", i);
    for (int word = 0; letters[i] == 'r' && word < 6; word++)
      fprintf(to, "    st.param.b32 [call%d+%d], %s;\n", i, 4 * word, word & 1 ? "%acc" : "%x");
  }
}

/* Calls `target`, a function's symbol or a register that holds an address (then a prototype label is given too). */
static void gen_ptx_call(gen_ptx *printer, int signature_index, const char *target, const char *prototype) {
  const gen_signature_row *signature = &gen_signatures[signature_index];
  FILE *to = printer->to;
  fprintf(to, "    .reg .b64 %%cl; .reg .f64 %%cd; .reg .b32 %%cv;\n");
  gen_ptx_call_arguments(to, signature->arguments);
  if (signature->result != 'v')
    fprintf(to, "    %s got;\n    call (got), %s, (", gen_ptx_result_type(signature->result), target);
  else
    fprintf(to, "    call %s, (", target);
  for (int i = 0; signature->arguments[i]; i++)
    fprintf(to, "%scall%d", i ? ", " : "", i);
  fprintf(to, ")%s%s;\n", prototype ? ", " : "", prototype ? prototype : "");
  if (signature->result == 'i')
    fprintf(to, "    ld.param.b32 %%cv, [got];\n    add.s32 %%acc, %%acc, %%cv;\n");
  if (signature->result == 'l')
    fprintf(to, "    ld.param.b64 %%cl, [got];\n    cvt.u32.u64 %%cv, %%cl;\n    xor.b32 %%acc, %%acc, %%cv;\n");
  if (signature->result == 'd')
    fprintf(to, "    ld.param.f64 %%cd, [got];\n    cvt.rzi.s32.f64 %%cv, %%cd;\n    add.s32 %%acc, %%acc, %%cv;\n");
}

/* Through %fp. */
static void gen_ptx_indirect(gen_ptx *printer, const gen_operation *operation, int signature_index) {
  const gen_signature_row *signature = &gen_signatures[signature_index];
  char label[24];
  snprintf(label, sizeof label, "$proto%d", operation->id);
  fprintf(printer->to, "    %s: .callprototype ", label);
  if (signature->result != 'v')
    fprintf(printer->to, "(%s _) ", gen_ptx_result_type(signature->result));
  fprintf(printer->to, "_ ");
  gen_ptx_arguments(printer->to, signature->arguments, "_", 0, false);
  fprintf(printer->to, ";\n");
  gen_ptx_call(printer, signature_index, "%fp", label);
}

/* --- statements --- */

typedef void gen_ptx_statement(gen_ptx *printer, const gen_operation *operation);

static void gen_ptx_do_call(gen_ptx *printer, const gen_operation *operation) {
  const gen_function *function = &printer->program->functions[operation->target];
  gen_ptx_call(printer, function->signature, function->symbol, NULL);
}

static void gen_ptx_do_shared_table(gen_ptx *printer, const gen_operation *operation) {
  const gen_function *function = &printer->program->functions[operation->target];
  uint32_t count = 2 + operation->b % 4;
  int id = operation->id;
  fprintf(printer->to,
          "    .reg .b64 %%fp;\n    .shared .align 8 .u64 ts%d[%u];\n    mov.u64 %%fp, %s;\n"
          "    st.shared.u64 [ts%d+%u], %%fp;\n    bar.sync 0;\n    ld.shared.u64 %%fp, [ts%d+%u];\n",
          id, count, function->symbol, id, 8 * (operation->a % count), id, 8 * (operation->b % count));
  gen_ptx_indirect(printer, operation, function->signature);
}

static void gen_ptx_do_pointer(gen_ptx *printer, const gen_operation *operation) {
  const gen_function *function = &printer->program->functions[operation->target];
  fprintf(printer->to, "    .reg .b64 %%fp, %%fq; .reg .pred %%fs;\n    mov.u64 %%fp, %s;\n", function->symbol);
  if (operation->a % 4)
    fprintf(printer->to, "    ld.global.u64 %%fq, [%%p+8];\n    setp.ne.s32 %%fs, %%x, 3;\n"
                         "    selp.b64 %%fp, %%fp, %%fq, %%fs;\n");
  gen_ptx_indirect(printer, operation, function->signature);
}

static void gen_ptx_do_table(gen_ptx *printer, const gen_operation *operation) {
  const gen_variable *table = &printer->program->variables[operation->target];
  const char *space = gen_ptx_access(table->space);
  fprintf(printer->to, "    .reg .b64 %%fp, %%ta; .reg .b32 %%ti;\n");
  if (operation->a & 1)
    fprintf(printer->to, "    ld.%s.u64 %%fp, [%s+%u];\n", space, table->name, 8 * (operation->b % table->count));
  else
    fprintf(printer->to,
            "    and.b32 %%ti, %%acc, 3;\n    mul.wide.u32 %%ta, %%ti, 8;\n    mov.u64 %%fp, %s;\n"
            "    add.u64 %%ta, %%fp, %%ta;\n    ld.%s.u64 %%fp, [%%ta];\n",
            table->name, space);
  gen_ptx_indirect(printer, operation, table->signature);
}

/* Prints how [..] names one element: with an offset, or through a register with an index of the run. */
static void gen_ptx_element_address(gen_ptx *printer, const gen_operation *operation, char *address, size_t size) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  uint32_t bytes = gen_element_size(variable->element), count = variable->count ? variable->count : 8;
  if (operation->a & 1) {
    uint32_t offset = bytes * (operation->b % count);
    snprintf(address, size, "%s+%u", variable->name, offset);
    return;
  }
  fprintf(printer->to,
          "    .reg .b64 %%ea, %%eb; .reg .b32 %%ei;\n    rem.u32 %%ei, %%acc, %u;\n"
          "    mul.wide.u32 %%ea, %%ei, %u;\n    mov.u64 %%eb, %s;\n    add.u64 %%ea, %%ea, %%eb;\n",
          count, bytes, variable->name);
  snprintf(address, size, "%%ea");
}

static void gen_ptx_do_read(gen_ptx *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char address[GEN_NAME_SIZE + 16];
  gen_ptx_element_address(printer, operation, address, sizeof address);
  fprintf(printer->to, "    .reg .b32 %%v; .reg .f64 %%vd; .reg .b16 %%vh;\n");
  const char *space = gen_ptx_access(variable->space);
  if (variable->element == GEN_F64)
    fprintf(printer->to, "    ld.%s.f64 %%vd, [%s];\n    cvt.rzi.s32.f64 %%v, %%vd;\n", space, address);
  else
    fprintf(printer->to, "    ld.%s%s %%v, [%s];\n", space, gen_ptx_element(variable->element), address);
  fprintf(printer->to, "    add.s32 %%acc, %%acc, %%v;\n");
}

static void gen_ptx_do_write(gen_ptx *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char address[GEN_NAME_SIZE + 16];
  gen_ptx_element_address(printer, operation, address, sizeof address);
  const char *space = gen_ptx_access(variable->space);
  if (variable->element == GEN_F64)
    fprintf(printer->to, "    .reg .f64 %%vd;\n    cvt.rn.f64.s32 %%vd, %%acc;\n    st.%s.f64 [%s], %%vd;\n", space,
            address);
  else
    fprintf(printer->to, "    st.%s%s [%s], %%acc;\n", space, gen_ptx_element(variable->element), address);
}

static void gen_ptx_do_atomic(gen_ptx *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char address[GEN_NAME_SIZE + 16];
  gen_ptx_element_address(printer, operation, address, sizeof address);
  const char *space = gen_ptx_access(variable->space);
  fprintf(printer->to, "    .reg .b32 %%v;\n");
  static const char *const more[] = {"inc.u32", "exch.b32", "min.s32", "xor.b32"};
  if (operation->b % 4 == 3)
    fprintf(printer->to, "    atom.%s.%s %%v, [%s], %%acc;\n    add.s32 %%acc, %%acc, %%v;\n", space,
            more[operation->a / 2 % 4], address);
  else if (operation->b % 3 == 0)
    fprintf(printer->to, "    red.%s.max.s32 [%s], %%acc;\n", space, address);
  else if (operation->b % 3 == 1)
    fprintf(printer->to, "    atom.%s.cas.b32 %%v, [%s], %%x, %%acc;\n    add.s32 %%acc, %%acc, %%v;\n", space,
            address);
  else
    fprintf(printer->to, "    atom.%s.add.u32 %%v, [%s], %%acc;\n    add.s32 %%acc, %%acc, %%v;\n", space, address);
}

static void gen_ptx_do_address(gen_ptx *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  uint32_t offset = operation->a % 3 ? 0 : gen_element_size(variable->element) * (operation->b % variable->count);
  fprintf(printer->to, "    .reg .b64 %%va;\n    mov.u64 %%va, %s+%u;\n", variable->name, offset);
  if (operation->b & 1)
    fprintf(printer->to, "    cvta.%s.u64 %%va, %%va;\n", gen_ptx_access(variable->space));
  fprintf(printer->to, "    st.global.u64 [%%p+16], %%va;\n");
}

static void gen_ptx_do_read_pointer(gen_ptx *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  char address[GEN_NAME_SIZE + 16];
  gen_ptx_element_address(printer, operation, address, sizeof address);
  fprintf(printer->to,
          "    .reg .b64 %%vp; .reg .b32 %%v;\n    ld.%s.u64 %%vp, [%s];\n    ld.u32 %%v, [%%vp];\n"
          "    add.s32 %%acc, %%acc, %%v;\n",
          gen_ptx_access(variable->space), address);
}

static void gen_ptx_do_query(gen_ptx *printer, const gen_operation *operation) {
  const gen_variable *variable = &printer->program->variables[operation->target];
  const char *field = operation->a & 1 ? "width" : "height";
  fprintf(printer->to, "    .reg .b32 %%v;\n    %s.%s.b32 %%v, [%s];\n    add.s32 %%acc, %%acc, %%v;\n",
          variable->space == GEN_SURFACE ? "suq" : "txq", field, variable->name);
}

static void gen_ptx_fetch(gen_ptx *printer, const gen_operation *operation, const char *name) {
  fprintf(printer->to, "    .reg .f32 %%t0, %%t1, %%t2, %%t3; .reg .b32 %%v;\n");
  if (operation->a & 1)
    fprintf(printer->to, "    tex.1d.v4.f32.s32 {%%t0, %%t1, %%t2, %%t3}, [%s, {%%acc}];\n", name);
  else
    fprintf(printer->to, "    tex.2d.v4.f32.s32 {%%t0, %%t1, %%t2, %%t3}, [%s, {%%acc, %%x}];\n", name);
  fprintf(printer->to, "    add.f32 %%t0, %%t0, %%t2;\n    mov.b32 %%v, %%t0;\n    xor.b32 %%acc, %%acc, %%v;\n");
}

static void gen_ptx_do_texture_argument(gen_ptx *printer, const gen_operation *operation) {
  gen_ptx_fetch(printer, operation, "texarg");
}

static void gen_ptx_do_texture(gen_ptx *printer, const gen_operation *operation) {
  if (printer->file->independent) { /* there a fetch needs a sampler too */
    gen_ptx_do_query(printer, operation);
    return;
  }
  gen_ptx_fetch(printer, operation, printer->program->variables[operation->target].name);
}

static void gen_ptx_do_sampler(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to,
          "    .reg .f32 %%t0, %%t1, %%t2, %%t3; .reg .b32 %%v;\n    cvt.rn.f32.s32 %%t0, %%acc;\n"
          "    tex.2d.v4.f32.f32 {%%t0, %%t1, %%t2, %%t3}, [t_sampled, %s, {%%t0, %%t0}];\n    mov.b32 %%v, %%t1;\n"
          "    add.s32 %%acc, %%acc, %%v;\n",
          printer->program->variables[operation->target].name);
}

static void gen_ptx_do_surface(gen_ptx *printer, const gen_operation *operation) {
  const char *name = printer->program->variables[operation->target].name;
  if (operation->a & 1)
    fprintf(printer->to,
            "    .reg .b32 %%v;\n    suld.b.1d.b32.trap {%%v}, [%s, {%%x}];\n    add.s32 %%acc, %%acc, %%v;\n", name);
  else
    fprintf(printer->to, "    sust.b.1d.b32.trap [%s, {%%x}], {%%acc};\n", name);
}

static void gen_ptx_do_shared(gen_ptx *printer, const gen_operation *operation) {
  uint32_t words = 4 + operation->a % 60, align = 4u << operation->b % 4;
  fprintf(printer->to,
          "    .reg .b64 %%sa, %%sb; .reg .b32 %%v;\n    .shared .align %u .b8 ls%d[%u];\n    rem.u32 %%v, %%acc, %u;\n"
          "    mul.wide.u32 %%sa, %%v, 4;\n    mov.u64 %%sb, ls%d;\n    add.u64 %%sa, %%sa, %%sb;\n"
          "    st.shared.u32 [%%sa], %%x;\n    ld.shared.u32 %%v, [ls%d+%u];\n    add.s32 %%acc, %%acc, %%v;\n",
          align, operation->id, 4 * words, words, operation->id, operation->id, 4 * (operation->b % words));
}

static void gen_ptx_do_stack(gen_ptx *printer, const gen_operation *operation) {
  uint32_t words = 2 + operation->a % 70, align = 4u << operation->b % 3;
  fprintf(printer->to,
          "    .reg .b64 %%sa, %%sb; .reg .b32 %%v;\n    .local .align %u .b8 lb%d[%u];\n    rem.u32 %%v, %%acc, %u;\n"
          "    mul.wide.u32 %%sa, %%v, 4;\n    mov.u64 %%sb, lb%d;\n    add.u64 %%sa, %%sa, %%sb;\n"
          "    st.local.u32 [%%sa], %%x;\n    ld.local.u32 %%v, [lb%d+%u];\n    add.s32 %%acc, %%acc, %%v;\n",
          align, operation->id, 4 * words, words, operation->id, operation->id, 4 * (operation->b % words));
}

static void gen_ptx_do_switch(gen_ptx *printer, const gen_operation *operation) {
  static const char *const work[] = {"add.s32 %acc, %acc, ", "mul.lo.s32 %acc, %acc, ", "xor.b32 %acc, %acc, ",
                                     "sub.s32 %acc, %x, "};
  uint32_t count = gen_switch_count(printer->program, operation);
  int id = operation->id;
  FILE *to = printer->to;
  fprintf(to, "    .reg .b32 %%si;\n    rem.u32 %%si, %%acc, %u;\n    $ts%d: .branchtargets ", count, id);
  for (uint32_t i = 0; i < count; i++)
    fprintf(to, "%s$T%d_%u", i ? ", " : "", id, (operation->b >> (i % 8) & 1) && i ? i - 1 : i);
  fprintf(to, ";\n    brx.idx %%si, $ts%d;\n", id);
  for (uint32_t i = 0; i < count; i++)
    fprintf(to, "$T%d_%u:\n    %s%u;\n    bra.uni $TE%d;\n", id, i, work[(i + operation->b) % 4], 77 + 13 * i, id);
  fprintf(to, "$TE%d:\n", id);
}

static void gen_ptx_do_double(gen_ptx *printer, const gen_operation *operation) {
  uint32_t count = 1 + operation->a % 6;
  fprintf(printer->to, "    .reg .f64 %%da; .reg .b32 %%v;\n    cvt.rn.f64.s32 %%da, %%acc;\n");
  for (uint32_t i = 0; i < count; i++)
    fprintf(printer->to, "    fma.rn.f64 %%da, %%da, 0d3FF%02X%04X%04X123, 0d400%04X%02X8899AAB;\n", (i * 37) & 255,
            operation->b, operation->a, operation->b, (i * 11) & 255);
  fprintf(printer->to, "    cvt.rzi.s32.f64 %%v, %%da;\n    add.s32 %%acc, %%acc, %%v;\n");
}

static void gen_ptx_do_divide_double(gen_ptx *printer, const gen_operation *operation) {
  const char *instruction = operation->a % 3 ? "div.rn.f64 %da, %db, %da" : "rcp.rn.f64 %da, %da";
  fprintf(printer->to,
          "    .reg .f64 %%da, %%db; .reg .b32 %%v;\n    cvt.rn.f64.s32 %%da, %%acc;\n"
          "    cvt.rn.f64.s32 %%db, %%x;\n    %s;\n    cvt.rzi.s32.f64 %%v, %%da;\n"
          "    add.s32 %%acc, %%acc, %%v;\n",
          instruction);
}

static void gen_ptx_do_root(gen_ptx *printer, const gen_operation *operation) {
  (void)operation;
  fprintf(printer->to,
          "    .reg .f64 %%da; .reg .b32 %%v;\n    cvt.rn.f64.s32 %%da, %%acc;\n    sqrt.rn.f64 %%da, %%da;\n"
          "    cvt.rzi.s32.f64 %%v, %%da;\n    add.s32 %%acc, %%acc, %%v;\n");
}

static void gen_ptx_do_divide_long(gen_ptx *printer, const gen_operation *operation) {
  static const char *const instructions[] = {"div.s64", "div.u64", "rem.s64", "rem.u64"};
  fprintf(printer->to,
          "    .reg .b64 %%la, %%lb; .reg .b32 %%v;\n    ld.global.u64 %%la, [%%p+24];\n"
          "    cvt.s64.s32 %%lb, %%acc;\n    %s %%la, %%la, %%lb;\n    cvt.u32.u64 %%v, %%la;\n"
          "    add.s32 %%acc, %%acc, %%v;\n",
          instructions[operation->a % 4]);
}

static void gen_ptx_do_divide_float(gen_ptx *printer, const gen_operation *operation) {
  const char *instruction = operation->a & 1 ? "div.rn.f32 %sa, %sb, %sa" : "sqrt.rn.f32 %sa, %sb";
  fprintf(printer->to,
          "    .reg .f32 %%sa, %%sb; .reg .b32 %%v;\n    cvt.rn.f32.s32 %%sa, %%acc;\n"
          "    cvt.rn.f32.s32 %%sb, %%x;\n    %s;\n    cvt.rzi.s32.f32 %%v, %%sa;\n"
          "    add.s32 %%acc, %%acc, %%v;\n",
          instruction);
}

static void gen_ptx_do_printf(gen_ptx *printer, const gen_operation *operation) {
  fprintf(
      printer->to,
      "    .reg .b64 %%fa, %%fb; .reg .b32 %%v;\n    .local .align 8 .b8 pb%d[8];\n    st.local.u32 [pb%d], %%acc;\n"
      "    st.local.u32 [pb%d+4], %%x;\n    mov.u64 %%fb, pb%d;\n    cvta.local.u64 %%fb, %%fb;\n"
      "    mov.u64 %%fa, $str_print;\n    cvta.global.u64 %%fa, %%fa;\n    .param .b64 call0;\n    .param .b64 call1;\n"
      "    .param .b32 got;\n    st.param.b64 [call0], %%fa;\n    st.param.b64 [call1], %%fb;\n"
      "    call.uni (got), vprintf, (call0, call1);\n    ld.param.b32 %%v, [got];\n    add.s32 %%acc, %%acc, %%v;\n",
      operation->id, operation->id, operation->id, operation->id);
}

static void gen_ptx_do_assert(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to,
          "    .reg .b64 %%fa; .reg .pred %%fq;\n    setp.ne.s32 %%fq, %%acc, %u;\n    @%%fq bra $A%d;\n"
          "    mov.u64 %%fa, $str_assert;\n    cvta.global.u64 %%fa, %%fa;\n    .param .b64 call0;\n    .param .b64 "
          "call1;\n"
          "    .param .b32 call2;\n    .param .b64 call3;\n    .param .b64 call4;\n    st.param.b64 [call0], %%fa;\n"
          "    st.param.b64 [call1], %%fa;\n    st.param.b32 [call2], %u;\n    st.param.b64 [call3], %%fa;\n"
          "    st.param.b64 [call4], 1;\n    call.uni __assertfail, (call0, call1, call2, call3, call4);\n$A%d:\n",
          operation->a, operation->id, operation->b, operation->id);
}

static void gen_ptx_do_malloc(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to,
          "    .reg .b64 %%fa; .reg .b32 %%v;\n    { .param .b64 call0;\n    .param .b64 got;\n    st.param.b64 "
          "[call0], %u;\n"
          "    call.uni (got), malloc, (call0);\n    ld.param.b64 %%fa, [got]; }\n    st.u32 [%%fa+4], %%acc;\n"
          "    ld.u32 %%v, [%%fa+8];\n    add.s32 %%acc, %%acc, %%v;\n",
          16 + operation->a % 100);
  if (operation->b & 1)
    fprintf(printer->to, "    { .param .b64 call0;\n    st.param.b64 [call0], %%fa;\n    call.uni free, (call0); }\n");
  else
    fprintf(printer->to, "    { .param .b64 call0;\n    st.param.b64 [call0], %%p;\n    call.uni free, (call0); }\n");
}

static void gen_ptx_do_barrier(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to, "    %s;\n", operation->a & 1 ? "bar.sync 0" : "barrier.sync.aligned 0");
}

static void gen_ptx_do_barrier_named(gen_ptx *printer, const gen_operation *operation) {
  static const char *const instructions[] = {"bar.sync", "bar.arrive", "barrier.sync", "barrier.arrive",
                                             "barrier.sync.aligned"};
  fprintf(printer->to, "    %s %u, 64;\n", instructions[operation->a % 5], 1 + operation->b % 15);
}

static void gen_ptx_do_barrier_any(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to, "    .reg .b32 %%bi;\n    and.b32 %%bi, %%acc, %u;\n    bar.sync %%bi, 64;\n",
          operation->a & 1 ? 15u : 7u);
}

static void gen_ptx_do_cluster(gen_ptx *printer, const gen_operation *operation) {
  if (printer->file->virtual_sm < 90) { /* a mistake of the program took the file to another architecture */
    gen_ptx_do_barrier(printer, operation);
    return;
  }
  const char *aligned = operation->a & 1 ? ".aligned" : "";
  fprintf(printer->to, "    barrier.cluster.arrive%s%s;\n    barrier.cluster.wait%s;\n",
          operation->a & 2 ? ".relaxed" : "", aligned, aligned);
}

static void gen_ptx_do_warp(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to, "    .reg .b32 %%v; .reg .pred %%wq;\n");
  if (operation->a % 3 == 0)
    fprintf(printer->to, "    shfl.sync.down.b32 %%v, %%acc, 1, 31, -1;\n");
  else if (operation->a % 3 == 1 && printer->file->virtual_sm >= 80)
    fprintf(printer->to, "    redux.sync.add.s32 %%v, %%acc, -1;\n");
  else if (operation->b % 3 == 0)
    fprintf(printer->to, "    bar.warp.sync -1;\n    mov.u32 %%v, %%laneid;\n");
  else
    fprintf(printer->to, "    setp.gt.s32 %%wq, %%acc, 7;\n    vote.sync.ballot.b32 %%v, %%wq, -1;\n");
  fprintf(printer->to, "    add.s32 %%acc, %%acc, %%v;\n");
}

static void gen_ptx_do_pressure(gen_ptx *printer, const gen_operation *operation) {
  uint32_t count = 8 + operation->a % 48;
  fprintf(printer->to, "    .reg .b32 %%m<%u>;\n", count);
  for (uint32_t i = 0; i < count; i++)
    fprintf(printer->to, "    ld.volatile.global.u32 %%m%u, [%%p+%u];\n", i, 4 * i);
  for (uint32_t i = 0; i < count; i++)
    fprintf(printer->to, "    mad.lo.s32 %%acc, %%m%u, %%m%u, %%acc;\n", i, count - 1 - i);
}

static void gen_ptx_do_loop(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to,
          "    .reg .b32 %%li, %%v; .reg .pred %%lq; .reg .b64 %%la;\n    mov.u32 %%li, 0;\n$L%d:\n"
          "    mul.wide.u32 %%la, %%li, 4;\n    add.u64 %%la, %%la, %%p;\n    ld.global.u32 %%v, [%%la];\n"
          "    xor.b32 %%acc, %%acc, %%v;\n    add.u32 %%li, %%li, 1;\n    setp.lt.u32 %%lq, %%li, %%x;\n    @%%lq bra "
          "$L%d;\n",
          operation->id, operation->id);
}

static void gen_ptx_do_address_code(gen_ptx *printer, const gen_operation *operation) {
  fprintf(printer->to, "    .reg .b64 %%fa;\n    mov.u64 %%fa, %s;\n    st.global.u64 [%%p+32], %%fa;\n",
          printer->program->functions[operation->target].symbol);
}

/* Instructions that ptxas notes down in attributes of the function, each with the first SM and the first PTX
 * version that have it. */
static const struct {
  unsigned sm, version;
  const char *text;
} gen_ptx_specials[] = {
    {75, 80, ".reg .pred %q0; setp.eq.s32 %q0, %acc, 5; @%q0 exit;"},
    {75, 80,
     ".reg .b32 %v; mov.u32 %v, %ctaid.x; add.s32 %acc, %acc, %v; mov.u32 %v, %nctaid.y; add.s32 %acc, %acc, %v;"},
    {75, 80, ".reg .b32 %v; mov.u32 %v, %tid.y; add.s32 %acc, %acc, %v; mov.u32 %v, %clock; add.s32 %acc, %acc, %v;"},
    {75, 80,
     ".reg .b32 %a, %b; .reg .f32 %c<4>; mov.b32 %a, %acc; mov.b32 %b, %x; mov.f32 %c0, 0f00000000; mov.f32 %c1, %c0; "
     "mov.f32 %c2, %c0; mov.f32 %c3, %c0; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, "
     "{%a, %b}, {%b}, {%c0, %c1, %c2, %c3}; mov.b32 %a, %c1; add.s32 %acc, %acc, %a;"},
    {75, 80,
     ".reg .b32 %v; match.any.sync.b32 %v, %acc, -1; add.s32 %acc, %acc, %v; activemask.b32 %v; xor.b32 %acc, "
     "%acc, %v;"},
    {75, 80, "fence.sc.gpu; membar.sys;"},
    {75, 80, "nanosleep.u32 20;"},
    {75, 80, ".reg .b32 %v; mov.u32 %v, %ctaid.z; add.s32 %acc, %acc, %v;"},
    {75, 80,
     ".reg .b16 %h; .reg .b32 %v; cvt.u16.u32 %h, %acc; atom.global.cas.b16 %h, [%p+2], %h, %h; cvt.u32.u16 %v, "
     "%h; add.s32 %acc, %acc, %v;"},
    {75, 80,
     ".reg .b16 %h; .reg .b32 %v; cvt.u16.u32 %h, %acc; atom.global.add.noftz.f16 %h, [%p+2], %h; cvt.u32.u16 "
     "%v, %h; add.s32 %acc, %acc, %v;"},
    {75, 80,
     ".reg .b32 %a<8>; .reg .f32 %c<8>; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0, %a1, %a2, %a3, %a4, "
     "%a5, %a6, %a7}, [%p]; wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, "
     "%c7}, [%p]; wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, {%a0, "
     "%a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%c0, %c1, %c2, %c3, %c4, %c5, "
     "%c6, %c7}; wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%p], {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};"},
    {75, 80, ".reg .pred %q0; istypep.texref %q0, %p; @%q0 add.s32 %acc, %acc, 1;"},
    {75, 83, ".reg .b32 %v; .pragma \"used_bytes_mask 0x3\"; ld.global.u32 %v, [%p+8]; add.s32 %acc, %acc, %v;"},
    {75, 80,
     ".reg .b64 %s; cvt.u64.u32 %s, %acc; alloca.u64 %s, %s, 16; st.local.u32 [%s], %x; ld.local.u32 %x, [%s+4];"},
    {75, 80, ".reg .b32 %v; atom.global.add.u32 %v, [%p], 1; add.s32 %acc, %acc, %v; bar.warp.sync -1;"},
    {80, 80, ".reg .b32 %v; mov.b32 %v, %reserved_smem_offset_end; add.s32 %acc, %acc, %v;"},
    {80, 87,
     ".reg .b32 %a, %b; .reg .f32 %c<4>; mov.b32 %a, %acc; mov.b32 %b, %x; mov.f32 %c0, 0f00000000; mov.f32 %c1, "
     "%c0; mov.f32 %c2, %c0; mov.f32 %c3, %c0; mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16."
     "f32 {%c0, %c1, %c2, %c3}, {%a, %b}, {%a, %b}, {%c0, %c1, %c2, %c3}, %a, 0x0; mov.b32 %a, %c2; add.s32 "
     "%acc, %acc, %a;"},
    {80, 80,
     ".shared .align 8 .b64 mc; .reg .b64 %s; .reg .pred %q0; mbarrier.init.shared.b64 [mc], 4; "
     "mbarrier.arrive.shared.b64 %s, [mc]; mbarrier.test_wait.shared.b64 %q0, [mc], %s; @%q0 add.s32 %acc, %acc, 1;"
     " mbarrier.arrive_drop.shared.b64 %s, [mc]; mbarrier.inval.shared.b64 [mc];"},
    {80, 80,
     ".shared .align 8 .b64 md; .reg .b64 %s; mbarrier.init.shared.b64 [md], 4; "
     "mbarrier.arrive.noComplete.shared.b64 %s, [md], 2;"},
    {75, 80, ".reg .f64 %c; cvt.rn.f64.s32 %c, %acc; atom.global.add.f64 %c, [%p+64], %c;"},
    {75, 80, ".reg .pred %q0; setp.eq.s32 %q0, %acc, 5; @%q0 trap;"},
    {75, 80, ".reg .b32 %v; bar.red.popc.u32 %v, 1, 64, 1; add.s32 %acc, %acc, %v;"},
    {80, 80,
     ".shared .align 16 .b8 ca[64]; cp.async.ca.shared.global [ca], [%p], 4; cp.async.commit_group; "
     "cp.async.wait_group 0;"},
    {80, 80,
     ".shared .align 8 .b64 mb; .reg .b64 %s; mbarrier.init.shared.b64 [mb], 1; mbarrier.arrive.shared.b64 %s, [mb];"},
    {90, 80, "griddepcontrol.wait;"},
    {90, 80,
     ".shared .align 16 .b8 bb[64]; .shared .align 8 .b64 bm; cp.async.bulk.shared::cluster.global.mbarrier::"
     "complete_tx::bytes [bb], [%p], 16, [bm];"},
    {90, 83,
     ".shared .align 8 .b64 sm; .reg .b32 %v; mov.u32 %v, sm; mapa.shared::cluster.u32 %v, %v, %x; st.async.weak."
     "shared::cluster.mbarrier::complete_tx::bytes.b32 [%v], %acc, [%v];"},
    {90, 83, ".reg .b128 %q; mov.b128 %q, {%p, %p}; atom.global.exch.b128 %q, [%p], %q;"},
    {90, 80, ".reg .b32 %v; mov.u32 %v, %cluster_ctaid.x; add.s32 %acc, %acc, %v;"},
    {90, 80, ".reg .b32 %v; .reg .pred %q0; elect.sync %v|%q0, -1; add.s32 %acc, %acc, %v;"},
};

static bool gen_ptx_special_fits(const gen_file *file, size_t index) {
  return gen_ptx_specials[index].sm <= file->virtual_sm && gen_ptx_specials[index].version <= file->ptx_version;
}

static void gen_ptx_do_special(gen_ptx *printer, const gen_operation *operation) {
  size_t count = sizeof gen_ptx_specials / sizeof gen_ptx_specials[0], fitting = 0, index = 0;
  for (size_t i = 0; i < count; i++)
    fitting += gen_ptx_special_fits(printer->file, i);
  for (size_t wanted = operation->a % fitting; wanted || !gen_ptx_special_fits(printer->file, index); index++)
    wanted -= gen_ptx_special_fits(printer->file, index);
  fprintf(printer->to, "    %s\n", gen_ptx_specials[index].text);
}

static gen_ptx_statement *const gen_ptx_rows[GEN_OP_COUNT] = {
    [GEN_OP_CALL] = gen_ptx_do_call,
    [GEN_OP_CALL_POINTER] = gen_ptx_do_pointer,
    [GEN_OP_CALL_TABLE] = gen_ptx_do_table,
    [GEN_OP_CALL_ALIAS] = gen_ptx_do_call,
    [GEN_OP_READ] = gen_ptx_do_read,
    [GEN_OP_WRITE] = gen_ptx_do_write,
    [GEN_OP_ATOMIC] = gen_ptx_do_atomic,
    [GEN_OP_ADDRESS] = gen_ptx_do_address,
    [GEN_OP_READ_POINTER] = gen_ptx_do_read_pointer,
    [GEN_OP_TEXTURE] = gen_ptx_do_texture,
    [GEN_OP_SAMPLER] = gen_ptx_do_sampler,
    [GEN_OP_SURFACE] = gen_ptx_do_surface,
    [GEN_OP_TEXTURE_QUERY] = gen_ptx_do_query,
    [GEN_OP_SHARED_LOCAL] = gen_ptx_do_shared,
    [GEN_OP_STACK] = gen_ptx_do_stack,
    [GEN_OP_SWITCH] = gen_ptx_do_switch,
    [GEN_OP_DOUBLE] = gen_ptx_do_double,
    [GEN_OP_DIVIDE_DOUBLE] = gen_ptx_do_divide_double,
    [GEN_OP_ROOT_DOUBLE] = gen_ptx_do_root,
    [GEN_OP_DIVIDE_LONG] = gen_ptx_do_divide_long,
    [GEN_OP_DIVIDE_FLOAT] = gen_ptx_do_divide_float,
    [GEN_OP_PRINTF] = gen_ptx_do_printf,
    [GEN_OP_ASSERT] = gen_ptx_do_assert,
    [GEN_OP_MALLOC] = gen_ptx_do_malloc,
    [GEN_OP_BARRIER] = gen_ptx_do_barrier,
    [GEN_OP_BARRIER_NAMED] = gen_ptx_do_barrier_named,
    [GEN_OP_BARRIER_ANY] = gen_ptx_do_barrier_any,
    [GEN_OP_BARRIER_CLUSTER] = gen_ptx_do_cluster,
    [GEN_OP_WARP] = gen_ptx_do_warp,
    [GEN_OP_PRESSURE] = gen_ptx_do_pressure,
    [GEN_OP_LOOP] = gen_ptx_do_loop,
    [GEN_OP_ADDRESS_CODE] = gen_ptx_do_address_code,
    [GEN_OP_SPECIAL] = gen_ptx_do_special,
    [GEN_OP_TEXTURE_ARGUMENT] = gen_ptx_do_texture_argument,
    [GEN_OP_CALL_SHARED] = gen_ptx_do_shared_table,
    [GEN_OP_ADDRESS_KERNEL] = gen_ptx_do_address_code,
};

/* --- bodies --- */

static void gen_ptx_load_arguments(gen_ptx *printer, const gen_function *function) {
  const char *letters = gen_signatures[function->signature].arguments;
  FILE *to = printer->to;
  bool integer = strchr(letters, 'i') || strchr(letters, 'l') || strchr(letters, 'd'), first = true;
  if (strchr(letters, 'p'))
    fprintf(to, "  ld.param.u64 %%p, [arg0];\n");
  if (!integer)
    fprintf(to, "  ld.global.u32 %%x, [%%p];\n");
  fprintf(to, "  mov.u32 %%acc, 1;\n");
  for (int i = 0; letters[i]; i++) {
    if (letters[i] == 'i' && first)
      fprintf(to, "  ld.param.u32 %%x, [arg%d];\n", i);
    else if (letters[i] == 'i')
      fprintf(to, "  ld.param.u32 %%y, [arg%d];\n  add.s32 %%acc, %%acc, %%y;\n", i);
    else if (letters[i] == 'l')
      fprintf(to, "  ld.param.u64 %%l, [arg%d];\n  cvt.u32.u64 %%x, %%l;\n", i);
    else if (letters[i] == 'd')
      fprintf(to, "  ld.param.f64 %%d, [arg%d];\n  cvt.rzi.s32.f64 %%y, %%d;\n  add.s32 %%acc, %%acc, %%y;\n", i);
    else if (letters[i] == 'r')
      fprintf(to, "  ld.param.u32 %%y, [arg%d+8];\n  add.s32 %%acc, %%acc, %%y;\n", i);
    else if (letters[i] == 'R')
      fprintf(to, "  ld.param.u32 %%y, [arg%d+%u];\n  add.s32 %%acc, %%acc, %%y;\n", i, function->large_bytes - 4);
    first &= letters[i] != 'i';
  }
  if (!strchr(letters, 'p'))
    fprintf(to, "  cvt.u64.u32 %%p, %%x;\n");
  fprintf(to, "  add.s32 %%acc, %%acc, %%x;\n");
}

static void gen_ptx_return(gen_ptx *printer, const gen_function *function) {
  FILE *to = printer->to;
  char result = gen_signatures[function->signature].result;
  if (result == 'v')
    fprintf(to, "  st.global.u32 [%%p], %%acc;\n");
  if (result == 'i')
    fprintf(to, "  st.param.b32 [ret], %%acc;\n");
  if (result == 'l')
    fprintf(to, "  cvt.s64.s32 %%l, %%acc;\n  st.param.b64 [ret], %%l;\n");
  if (result == 'd')
    fprintf(to, "  cvt.rn.f64.s32 %%d, %%acc;\n  st.param.f64 [ret], %%d;\n");
  fprintf(to, "  ret;\n");
}

static void gen_ptx_cluster_bounds(gen_ptx *printer, const gen_body *body) {
  bool exact = body->bounds_id % 4 == 0; /* .reqntid, which .blocksareclusters needs */
  if (exact && printer->file->ptx_version >= 90)
    fprintf(printer->to, " .blocksareclusters .reqnctapercluster %u, 1, 1", body->cluster);
  else if (body->bounds_id % 3 == 0)
    fprintf(printer->to, " .maxclusterrank %u", body->cluster);
  else
    fprintf(printer->to, " .explicitcluster .reqnctapercluster %u, 1, 1", body->cluster);
}

static void gen_ptx_bounds(gen_ptx *printer, const gen_body *body) {
  if (body->max_threads)
    fprintf(printer->to, " .%sntid %u, 1, 1", body->bounds_id % 4 ? "max" : "req", body->max_threads);
  if (body->minimum_blocks)
    fprintf(printer->to, " .minnctapersm %u", body->minimum_blocks);
  if (body->max_registers)
    fprintf(printer->to, " .maxnreg %u", body->max_registers);
  if (body->cluster && printer->file->virtual_sm >= 90)
    gen_ptx_cluster_bounds(printer, body);
}

static void gen_ptx_operation(gen_ptx *printer, const gen_operation *operation) {
  FILE *to = printer->to;
  if (printer->file->lines)
    fprintf(to, "  .loc 1 %d 3\n", 1 + operation->id);
  fprintf(to, "  { // %s\n", gen_operations[operation->kind].name);
  if (operation->conditional)
    fprintf(to, "    .reg .pred %%cq;\n    setp.lt.s32 %%cq, %%acc, %u;\n    @%%cq bra $S%d;\n", operation->b,
            operation->id);
  gen_ptx_rows[operation->kind](printer, operation);
  if (operation->conditional)
    fprintf(to, "$S%d:\n", operation->id);
  fprintf(to, "  }\n");
}

static bool gen_ptx_takes_texture(const gen_ptx *printer, const gen_body *body) {
  for (int i = 0; i < body->operation_count; i++) {
    const gen_operation *operation = &printer->program->operations[body->first_operation + i];
    if (operation->live && operation->kind == GEN_OP_TEXTURE_ARGUMENT)
      return true;
  }
  return false;
}

static void gen_ptx_body(gen_ptx *printer, const gen_body *body) {
  const gen_function *function = &printer->program->functions[body->function];
  FILE *to = printer->to;
  fprintf(to, "\n");
  gen_ptx_head(printer, function, gen_ptx_linkage(body->linkage), gen_ptx_takes_texture(printer, body));
  gen_ptx_bounds(printer, body);
  fprintf(to, "\n{\n  .reg .b64 %%p, %%l; .reg .b32 %%x, %%y, %%acc; .reg .f64 %%d;\n");
  if (printer->file->lines)
    fprintf(to, "  .loc 1 %d 1\n", 1 + body->id);
  gen_ptx_load_arguments(printer, function);
  for (int i = 0; i < body->operation_count; i++) {
    const gen_operation *operation = &printer->program->operations[body->first_operation + i];
    if (operation->live)
      gen_ptx_operation(printer, operation);
  }
  if (printer->file->lines)
    fprintf(to, "  .loc 1 %d 1\n", 2 + body->id);
  gen_ptx_return(printer, function);
  fprintf(to, "}\n");
}

/* More than 4 KB of a kernel's arguments need PTX 8.1. */
static bool gen_ptx_large_arguments(const gen_ptx *printer) {
  for (int i = 0; i < printer->program->body_count; i++) {
    const gen_body *body = &printer->program->bodies[i];
    if (body->live && body->file == printer->file_index &&
        printer->program->functions[body->function].large_bytes > 4000)
      return true;
  }
  return false;
}

static void gen_ptx_target(gen_ptx *printer) {
  const gen_file *file = printer->file;
  unsigned version = file->ptx_version < 83 && gen_ptx_large_arguments(printer) ? 83 : file->ptx_version;
  fprintf(printer->to, ".version %u.%u\n.target sm_%u", version / 10, version % 10, file->virtual_sm);
  if (file->target_suffix && file->virtual_sm == file->target_sm)
    fprintf(printer->to, "%c", file->target_suffix);
  fprintf(printer->to, "%s\n.address_size 64\n", file->independent ? ", texmode_independent" : "");
  if (file->lines)
    fprintf(printer->to, ".file 1 \"%s.c\"\n", file->name);
}

void gen_print_ptx(const gen_program *program, int file, FILE *to) {
  gen_ptx printer = {.program = program, .file = &program->files[file], .file_index = file, .to = to};
  gen_file_mentions(program, file, &printer.mentions);
  gen_ptx_target(&printer);
  gen_ptx_library(&printer);
  gen_ptx_prototypes(&printer);
  gen_ptx_variables(&printer);
  if (gen_program_errs(program, GEN_MISTAKE_UNIFIED, file, GEN_NONE) && program->files[file].virtual_sm >= 90)
    fprintf(to, ".visible .func .attribute(.unified(%u, 13)) unified_%s() { ret; }\n", 40u + (unsigned)file,
            program->files[file].name);
  for (int i = 0; i < program->body_count; i++)
    if (program->bodies[i].live && program->bodies[i].file == file)
      gen_ptx_body(&printer, &program->bodies[i]);
  for (int i = 0; i < program->function_count; i++) {
    const gen_function *function = &program->functions[i];
    if (function->live && function->alias_of != GEN_NONE && function->home == file)
      fprintf(to, "\n.alias %s, %s;\n", function->symbol, program->functions[function->alias_of].symbol);
  }
}
