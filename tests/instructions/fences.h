#ifndef TEST_INSTRUCTIONS_FENCES_H
#define TEST_INSTRUCTIONS_FENCES_H

/* Prints random kernels of fences: in branches and loops, behind guards, beside barriers, calls and indirect branches. */
void print_fences(unsigned long seed, unsigned long count);

#endif
