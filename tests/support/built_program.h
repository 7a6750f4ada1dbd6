/* Small programs out of the cubin builder, decided by a stream of choices: everything that a cubin can hold in combinations
 * that compilers rarely write. Where the choices come from is the caller's business: random numbers (the hunt for planted
 * faults), or a byte string (the fuzzers' generator). */
#ifndef TEST_SUPPORT_BUILT_PROGRAM_H
#define TEST_SUPPORT_BUILT_PROGRAM_H

#include "tests/support/cubin_builder.h"
#include "tools/gen_random.h"

typedef struct built_choices {
  uint32_t (*below)(void *context, uint32_t bound); /* 0 .. bound - 1; 0 for bound 0 */
  uint64_t (*next)(void *context);
  void *context;
} built_choices;

/* Choices out of random numbers, which must outlive them. */
built_choices built_choices_random(gen_random *random);

static inline uint32_t built_choose(const built_choices *choices, uint32_t bound) {
  return choices->below(choices->context, bound);
}

enum { BUILT_FILES = 7, BUILT_SYMBOLS = 24, BUILT_NAMES = 17, BUILT_THEMES = 2 };

/* What a name is in every file of a program that has it. */
typedef enum built_what { BUILT_KERNEL, BUILT_FUNCTION, BUILT_GLOBAL, BUILT_CONSTANT, BUILT_SHARED } built_what;

typedef struct built_name {
  const char *text, *prototype;
  built_what what;
  uint32_t home;    /* the file that defines it; BUILT_FILES: no file has it */
  unsigned binding; /* weak ones are defined in more than one file */
  uint64_t size, align;
  uint64_t parameters; /* of a kernel: where their sizes come from */
} built_name;

typedef struct built_program {
  const built_choices *choices;
  unsigned sm;
  uint32_t file_count;
  built_name names[BUILT_NAMES];
  uint8_t themes[BUILT_THEMES]; /* codes of records that the program has often */
} built_program;

/* One file while it is made. */
typedef struct built_file {
  const built_choices *choices;
  tb_cubin *cubin;
  unsigned sm;
  uint32_t number;
  const built_name *names; /* of the program */
  uint8_t themes[BUILT_THEMES];
  tb_symbol functions[BUILT_SYMBOLS], data[BUILT_SYMBOLS];        /* functions: defined ones first */
  const char *prototypes[BUILT_SYMBOLS];                          /* of the functions */
  size_t function_count, defined_count, kernel_count, data_count; /* kernels are the first functions */
} built_file;

/* Adds to a file what its caller wants besides, before it is finished. */
typedef void built_extend(built_file *file, void *context);

/* Types whose entries must name functions; otherwise the link ends before anything is merged. */
bool built_type_describes_function(uint32_t type);

/* Which machine and how many files; then what every name is. */
void built_program_start(built_program *program, const built_choices *choices);
void built_program_plan(built_program *program);
/* The bytes of one of its files, for an "a" machine or not; the caller frees them. `extend` may be NULL. */
uint8_t *built_program_file(const built_program *program, uint32_t number, bool accelerated, built_extend *extend,
                            void *context, size_t *size);

#endif
