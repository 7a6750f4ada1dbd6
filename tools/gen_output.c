/* Writes a generated program. The same functions give the commands to the manifest, to the scripts and to the
 * conformance runner, so that what a person repeats by hand is what was run. */
#include "gen_output.h"

#include "gen_features.h"
#include "gen_print.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool gen_tools_find(gen_tools *tools) {
  if (file_find_tool("ptxas", tools->ptxas, sizeof tools->ptxas) &&
      file_find_tool("nvcc", tools->nvcc, sizeof tools->nvcc))
    return true;
  fprintf(stderr, "twin: ptxas and nvcc of the CUDA toolkit are needed, on PATH or in $CUDA_HOME/bin\n");
  return false;
}

/* The SM's name; "%.*s" takes its suffix, of which there is one letter or none. */
#define GEN_SM "sm_%u%.*s"
#define GEN_SM_OF(file) (file)->target_sm, (file)->target_suffix ? 1 : 0, &(file)->target_suffix

static void gen_compile_ptx(const gen_file *file, string_list *command) {
  string_list_add(command, file->ewp ? "-ewp" : "-c");
  string_list_add(command, "-arch=" GEN_SM, GEN_SM_OF(file));
  if (file->debug)
    string_list_add(command, "-g");
  else if (file->lineinfo)
    string_list_add(command, "-lineinfo");
  if (file->optimise >= 0 && !file->debug)
    string_list_add(command, "-O%d", file->optimise);
  if (file->registers)
    string_list_add(command, "-maxrregcount=%u", file->registers);
  if (file->extra)
    string_list_add(command, "%s", file->extra);
  string_list_add(command, "%s.ptx", file->name);
}

static void gen_compile_cuda(const gen_file *file, string_list *command) {
  string_list_add(command, "-std=c++17");
  string_list_add(command, "-w");
  string_list_add(command, "--extended-lambda");
  string_list_add(command, "-rdc=true");
  string_list_add(command, "-cubin");
  if (file->virtual_sm == file->target_sm)
    string_list_add(command, "-arch=" GEN_SM, GEN_SM_OF(file));
  else
    string_list_add(command, "-gencode=arch=compute_%u,code=" GEN_SM, file->virtual_sm, GEN_SM_OF(file));
  if (file->debug)
    string_list_add(command, "-G");
  else if (file->lineinfo)
    string_list_add(command, "-lineinfo");
  if (file->optimise >= 0 && !file->debug)
    string_list_add(command, "-Xptxas=-O%d", file->optimise);
  if (file->registers)
    string_list_add(command, "-maxrregcount=%u", file->registers);
  if (file->extra)
    string_list_add(command, "-Xptxas=%s", file->extra);
  string_list_add(command, "%s.cu", file->name);
}

void gen_compile_command(const gen_program *program, int file, const gen_tools *tools, string_list *command) {
  const gen_file *row = &program->files[file];
  string_list_add(command, "%s", row->language == GEN_PTX ? tools->ptxas : tools->nvcc);
  if (row->language == GEN_PTX)
    gen_compile_ptx(row, command);
  else
    gen_compile_cuda(row, command);
  string_list_add(command, "-o");
  string_list_add(command, "%s.cubin", row->name);
}

static bool gen_output_has_index(const gen_program *program) {
  return gen_program_unified(program) && program->index_flaw != GEN_INDEX_ABSENT;
}

static void gen_link_file(const gen_program *program, int file, string_list *arguments) {
  const char *name = program->files[file].name;
  if (program->files[file].live && !gen_program_errs(program, GEN_MISTAKE_LEFT_OUT, file, GEN_NONE))
    string_list_add(arguments, "%s.cubin", name);
  if (program->files[file].live && gen_program_errs(program, GEN_MISTAKE_TWICE, file, GEN_NONE))
    string_list_add(arguments, "%s.cubin", name);
  if (gen_program_errs(program, GEN_MISTAKE_ABSENT, file, GEN_NONE))
    string_list_add(arguments, "no_%s.cubin", name);
}

/* `step`: GEN_NONE for the direct link of all files, which has the last step's options. */
static void gen_link_options(const gen_program *program, int step, string_list *arguments) {
  const int last = program->step_count - 1;
  const gen_step *row = &program->steps[step == GEN_NONE ? last : step];
  string_list_add(arguments, "-arch=%s", program->architecture);
  if (row->relocatable)
    string_list_add(arguments, "-r");
  if (row->preserves)
    string_list_add(arguments, "-preserve-relocs");
  if (gen_output_has_index(program) && !row->relocatable) {
    string_list_add(arguments, "-uidx");
    string_list_add(arguments, "index.uidx");
  }
  for (int i = 0; i < program->option_count; i++)
    for (int word = 0; program->options[i].live && word < program->options[i].word_count; word++)
      if (!row->relocatable || !program->options[i].final_only)
        string_list_add(arguments, "%s", program->options[i].words[word]);
}

void gen_link_arguments(const gen_program *program, string_list *arguments) {
  gen_link_options(program, GEN_NONE, arguments);
  for (int i = 0; i < program->file_count; i++)
    gen_link_file(program, program->order[i], arguments);
  string_list_add(arguments, "-o");
  string_list_add(arguments, "out.cubin");
}

void gen_step_output(const gen_program *program, int step, char *name, size_t size) {
  if (step == program->step_count - 1)
    snprintf(name, size, "out.cubin");
  else
    snprintf(name, size, "r%d.cubin", step);
}

typedef struct gen_step_words {
  const gen_program *program;
  string_list *arguments;
} gen_step_words;

static void gen_step_add_input(void *context, int input) {
  const gen_step_words *words = context;
  char name[32];
  if (input < GEN_STEP_INPUT) {
    gen_link_file(words->program, input, words->arguments);
    return;
  }
  gen_step_output(words->program, input - GEN_STEP_INPUT, name, sizeof name);
  string_list_add(words->arguments, "%s", name);
}

void gen_step_arguments(const gen_program *program, int step, string_list *arguments) {
  gen_link_options(program, step, arguments);
  gen_step_words words = {program, arguments};
  gen_step_inputs(program, step, gen_step_add_input, &words);
  char name[32];
  gen_step_output(program, step, name, sizeof name);
  string_list_add(arguments, "-o");
  string_list_add(arguments, "%s", name);
}

static void gen_output_print(const gen_program *program, int file, FILE *to) {
  if (program->files[file].language == GEN_PTX)
    gen_print_ptx(program, file, to);
  else
    gen_print_cuda(program, file, to);
}

static uint64_t gen_hash(uint64_t hash, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  return hash;
}

uint64_t gen_file_fingerprint(const gen_program *program, int file) {
  static const gen_tools plain = {.nvcc = "nvcc", .ptxas = "ptxas"};
  uint64_t hash = 0xcbf29ce484222325u;
  string_list command = {0};
  gen_compile_command(program, file, &plain, &command);
  for (size_t word = 0; word < command.count; word++)
    hash = gen_hash(hash, command.items[word], strlen(command.items[word]) + 1);
  string_list_free(&command);
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (!to)
    return 0;
  gen_output_print(program, file, to);
  fclose(to);
  hash = gen_hash(hash, text, size);
  free(text);
  return hash;
}

uint64_t gen_program_fingerprint(const gen_program *program) {
  uint64_t hash = 0;
  for (int i = 0; i < program->file_count; i++)
    if (program->files[i].live)
      hash = (hash ^ gen_file_fingerprint(program, i)) * 0x100000001b3u;
  return hash;
}

static bool gen_output_source(const gen_program *program, int file, const char *directory) {
  char path[4096];
  bool ptx = program->files[file].language == GEN_PTX;
  snprintf(path, sizeof path, "%s/%s.%s", directory, program->files[file].name, ptx ? "ptx" : "cu");
  FILE *to = fopen(path, "we");
  if (!to)
    return false;
  gen_output_print(program, file, to);
  bool written = !ferror(to);
  return fclose(to) == 0 && written;
}

static cJSON *gen_json_words(const string_list *words) {
  return cJSON_CreateStringArray((const char *const *)words->items, (int)words->count);
}

static cJSON *gen_manifest_files(const gen_program *program, const gen_tools *tools) {
  cJSON *files = cJSON_CreateArray();
  for (int i = 0; i < program->file_count; i++) {
    const gen_file *file = &program->files[i];
    if (!file->live)
      continue;
    string_list command = {0};
    gen_compile_command(program, i, tools, &command);
    cJSON *row = cJSON_CreateObject();
    char name[64];
    snprintf(name, sizeof name, "%s.%s", file->name, file->language == GEN_PTX ? "ptx" : "cu");
    cJSON_AddStringToObject(row, "source", name);
    cJSON_AddItemToObject(row, "compile", gen_json_words(&command));
    cJSON_AddItemToArray(files, row);
    string_list_free(&command);
  }
  return files;
}

/* The commands of a program that is linked in steps; nothing for others. */
static void gen_manifest_steps(const gen_program *program, cJSON *root) {
  cJSON *steps = program->step_count > 1 ? cJSON_AddArrayToObject(root, "steps") : NULL;
  for (int i = 0; steps && i < program->step_count; i++) {
    string_list words = {0};
    gen_step_arguments(program, i, &words);
    if (program->steps[i].live && gen_step_has_input(program, i))
      cJSON_AddItemToArray(steps, gen_json_words(&words));
    string_list_free(&words);
  }
}

/* What is changed in the cubins after compiling: the visibility of symbols. */
static void gen_manifest_visibility(const gen_program *program, cJSON *root) {
  static const char *const words[] = {"default", "internal", "hidden", "protected"};
  cJSON *names = cJSON_CreateObject();
  for (int i = 0; i < program->function_count; i++)
    if (program->functions[i].live && program->functions[i].visibility)
      cJSON_AddStringToObject(names, program->functions[i].symbol, words[program->functions[i].visibility]);
  for (int i = 0; i < program->variable_count; i++)
    if (program->variables[i].live && program->variables[i].visibility)
      cJSON_AddStringToObject(names, program->variables[i].name, words[program->variables[i].visibility]);
  if (names && names->child)
    cJSON_AddItemToObject(root, "visibility", names);
  else
    cJSON_Delete(names);
}

static char *gen_manifest(const gen_program *program) {
  static const gen_tools plain = {.nvcc = "nvcc", .ptxas = "ptxas"};
  bool features[GEN_FEATURE_COUNT];
  gen_program_features(program, features);
  string_list link = {0};
  gen_link_arguments(program, &link);
  cJSON *root = cJSON_CreateObject();
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)program->seed); /* JSON's numbers are doubles */
  cJSON_AddStringToObject(root, "seed", seed);
  cJSON_AddStringToObject(root, "arch", program->architecture);
  cJSON_AddStringToObject(root, "kind", gen_kind_names[program->kind]);
  cJSON_AddItemToObject(root, "files", gen_manifest_files(program, &plain));
  cJSON_AddItemToObject(root, "link", gen_json_words(&link));
  gen_manifest_steps(program, root);
  gen_manifest_visibility(program, root);
  cJSON *names = cJSON_AddArrayToObject(root, "features");
  for (int i = 0; i < GEN_FEATURE_COUNT; i++)
    if (features[i])
      cJSON_AddItemToArray(names, cJSON_CreateString(gen_feature_names[i]));
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  string_list_free(&link);
  return text;
}

static bool gen_output_text(const char *directory, const char *name, const char *text, size_t size) {
  char path[4096];
  bool changed;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return file_update(path, text, size, &changed);
}

bool gen_output_write_index(const gen_program *program, const char *directory) {
  if (!gen_output_has_index(program))
    return true;
  text_buffer index = {0};
  gen_index_make(program, &index);
  const bool good = gen_output_text(directory, "index.uidx", index.bytes, index.size);
  text_free(&index);
  return good;
}

bool gen_output_write(const gen_program *program, const char *directory) {
  static const gen_tools plain = {.nvcc = "nvcc", .ptxas = "ptxas"};
  text_buffer script = {0};
  text_add(&script, "#!/bin/sh\n# Compiles the program in this directory.\nset -e\ncd \"$(dirname \"$0\")\"\n");
  bool good = true;
  for (int i = 0; good && i < program->file_count; i++) {
    if (!program->files[i].live)
      continue;
    good = gen_output_source(program, i, directory);
    string_list command = {0};
    gen_compile_command(program, i, &plain, &command);
    for (size_t word = 0; word < command.count; word++)
      text_add(&script, "%s%s", word ? " " : "", command.items[word]);
    text_add(&script, "\n");
    string_list_free(&command);
  }
  char *manifest = gen_manifest(program);
  good = good && manifest && gen_output_write_index(program, directory) &&
         gen_output_text(directory, "program.json", manifest, strlen(manifest)) &&
         gen_output_text(directory, "compile.sh", script.bytes, script.size);
  char path[4096];
  snprintf(path, sizeof path, "%s/compile.sh", directory);
  good = good && chmod(path, 0755) == 0;
  free(manifest);
  text_free(&script);
  return good;
}
