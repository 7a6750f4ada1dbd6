/* The printers of the program model, and what is made of a whole program on disk. */
#ifndef TWIN_GEN_PRINT_H
#define TWIN_GEN_PRINT_H

#include "gen_program.h"

#include <stdio.h>

void gen_print_ptx(const gen_program *program, int file, FILE *to);
void gen_print_cuda(const gen_program *program, int file, FILE *to);

#endif
