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
/* The same for one step of a program that is linked in steps: its options, its inputs, its output. */
void gen_step_arguments(const gen_program *program, int step, string_list *arguments);
/* rN.cubin, out.cubin for the last step. `size`: at least 16. */
void gen_step_output(const gen_program *program, int step, char *name, size_t size);
/* The bytes of the index file of the program's unified functions and data (index.uidx). */
void gen_index_make(const gen_program *program, text_buffer *file);
/* A hash of a file's text and of the command that compiles it; and one of a whole program. Equal means equal cubins. */
uint64_t gen_file_fingerprint(const gen_program *program, int file);
uint64_t gen_program_fingerprint(const gen_program *program);
/* Writes sources, index file, program.json and compile.sh into a directory that exists. */
bool gen_output_write(const gen_program *program, const char *directory);
/* Writes the index file alone, if the program has one. */
bool gen_output_write_index(const gen_program *program, const char *directory);

#endif
