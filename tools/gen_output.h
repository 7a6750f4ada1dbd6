/* A generated program on disk: its sources, the commands that compile and link it, the manifest. */
#ifndef TWIN_GEN_OUTPUT_H
#define TWIN_GEN_OUTPUT_H

#include "files.h"
#include "gen_program.h"

typedef struct gen_tools {
  char nvcc[1024], ptxas[1024];
} gen_tools;

/* False, with a line on stderr, if a compiler is missing. */
bool gen_tools_find(gen_tools *tools);
/* Relative to the program's directory: uN.ptx or uN.cu to uN.cubin. */
void gen_compile_command(const gen_program *program, int file, const gen_tools *tools, string_list *command);
/* What follows the linker's name: architecture, options, the inputs in their order, -o out.cubin. */
void gen_link_arguments(const gen_program *program, string_list *arguments);
/* Writes sources, program.json and compile.sh into a directory that exists. */
/* A hash of a file's text and of the command that compiles it; and one of a whole program. Equal means equal cubins. */
uint64_t gen_file_fingerprint(const gen_program *program, int file);
uint64_t gen_program_fingerprint(const gen_program *program);
bool gen_output_write(const gen_program *program, const char *directory);

#endif
