/* The hunt for planted faults: every faulty program against the other linker's answers, input by input.
 *
 * The faulty programs are functions of this process (fault_mains, made by tests/faults/faults.sh), each run in a child of
 * its own: a crash, a loop or an endless file ends that child. What a program leaves is one answer: exit code, messages,
 * standard output and every file it made. */
#ifndef TWINLINK_TESTS_FAULTS_HUNT_H
#define TWINLINK_TESTS_FAULTS_HUNT_H

#include "tests/harness/harness.h"

#include <stdio.h>

/* A program with a fault; number -1: the one without. The list ends with a NULL. */
typedef struct hunt_program {
  int number;
  int (*main)(int argc, char **argv);
} hunt_program;
extern const hunt_program hunt_programs[];

typedef struct hunt_input {
  char *name;      /* "cuda/calls/sm_90/plain", "program 17 sm_80" */
  char *directory; /* where the program runs, a copy of our own */
  char *origin;    /* what it is a copy of; NULL: the inputs lie elsewhere */
  harness_words arguments;
} hunt_input;

typedef struct hunt_inputs {
  hunt_input *items;
  size_t count;
} hunt_inputs;

/* What a program made of an input. Its parts are what can be compared where two answers are not equal as a whole: the exit
 * code, each line of messages and of standard output, each section of the output, each other file. */
typedef struct hunt_answer {
  uint64_t low, high; /* XXH3 of everything */
  int code;           /* exit code; 128 + the signal; HUNT_TIME */
  bool made;          /* out.cubin is there */
  uint64_t *parts;    /* hashes, ascending */
  size_t part_count;
} hunt_answer;

enum { HUNT_TIME = 1000, HUNT_SIGNAL = 128, HUNT_INPUT_TIME = 1 };

/* Both under nvlink's identity: what each voter says of itself is not the other's. HUNT_VERBOSE is
 * default mode with every option that only makes a linker say more. */
typedef enum hunt_mode { HUNT_COMPATIBLE, HUNT_DEFAULT, HUNT_VERBOSE, HUNT_MODES } hunt_mode;

extern const char *const hunt_mode_words[HUNT_MODES];

/* --- hunt_inputs.c --- */
/* The caller fills the arguments. */
hunt_input *hunt_inputs_add(hunt_inputs *inputs, const char *name, const char *directory, const char *origin);
/* Writes an input's file: read-only, and with a time that no file has that a program makes. */
void hunt_input_write(const char *path, const void *bytes, size_t size);
/* Copies the sets of `corpus` below `root` and lists their jobs whose names hold `only`. */
void hunt_inputs_add_corpus(hunt_inputs *inputs, const char *corpus, const char *root, const char *only);
/* The programs that `twin conformance --keep` left in `directory`, at most `limit`, in the order of their names. */
void hunt_inputs_add_programs(hunt_inputs *inputs, const char *directory, const char *root, size_t limit);
/* Copies an input's files again: a faulty program that answers otherwise may have written into them. */
void hunt_input_restore(const hunt_input *input);
/* An order that has nothing to do with names, so that neighbours are unlike: the same each time. */
void hunt_inputs_shuffle(hunt_inputs *inputs);
void hunt_inputs_free(hunt_inputs *inputs);

/* --- hunt_relinks.c --- */
typedef struct hunt_relinks hunt_relinks;
/* Inputs without end, made of the corpus below `root`: number N of a seed is always the same. Two of three link some of a
 * program's cubins, at times with another's, in another order and with other options; the third is a damaged cubin. */
hunt_relinks *hunt_relinks_open(const char *corpus, const char *root, uint64_t seed);
/* The stored cases of damage (corpus/damage/outcomes) as inputs; their answers are not read. */
void hunt_relinks_add_damage(hunt_relinks *relinks, hunt_inputs *inputs, const char *path);
/* The caller frees it with hunt_input_free. */
void hunt_relinks_make(hunt_relinks *relinks, size_t number, hunt_input *input);
void hunt_relinks_close(hunt_relinks *relinks);
void hunt_input_free(hunt_input *input);

/* --- hunt_run.c --- */
typedef struct hunt_runner {
  int (*main)(int argc, char **argv); /* in this process, or */
  const char *program;                /* a program's absolute path */
  unsigned seconds;                   /* of the processor, for one run */
  const char *keep;                   /* the directory for copies of what is made, or NULL */
  bool map;                           /* with --map=out.map */
} hunt_runner;

/* The caller frees the answer with hunt_answer_free. */
void hunt_run(const hunt_runner *runner, const hunt_input *input, hunt_mode mode, hunt_answer *answer);
bool hunt_same(const hunt_answer *a, const hunt_answer *b);
/* Keeps of an answer only the parts that the other one has too. */
void hunt_answer_intersect(hunt_answer *answer, const hunt_answer *other);
/* Does `answer` have all parts that `agreed` has kept? */
bool hunt_answer_holds(const hunt_answer *answer, const hunt_answer *agreed);
void hunt_answer_free(hunt_answer *answer);

/* --- hunt_parts.c --- */
/* Adds the parts of a text, a line each, and of a file: of a cubin, its sections. */
void hunt_parts_add_text(hunt_answer *answer, const char *what, const char *text, size_t size);
void hunt_parts_add_file(hunt_answer *answer, const char *name, const void *bytes, size_t size);
/* To be called when all have been added. */
void hunt_parts_finish(hunt_answer *answer);

#endif
