/* The hunt for planted faults: every faulty program against the other linker's answers, input by input.
 *
 * The faulty programs are functions of this process (fault_mains, made by tests/faults/faults.sh), each run in a child of
 * its own: a crash, a loop or an endless file ends that child. What a program leaves is one answer: exit code, messages,
 * standard output and every file it made. */
#ifndef TWINLINK_TESTS_FAULTS_HUNT_H
#define TWINLINK_TESTS_FAULTS_HUNT_H

#include "oracle/cubin/ref_cubin.h"
#include "tests/harness/harness.h"

#include "tools/gen_random.h"

#include <stdio.h>

/* A program with a fault; the list ends with a NULL. */
enum {
  HUNT_OWN = -1,
  HUNT_VOTER = -2,
  HUNT_TRACED = -3
}; /* numbers: without a fault, the other linker, hunt_reach.c */
typedef struct hunt_program {
  int number;
  int (*main)(int argc, char **argv);
} hunt_program;
extern const hunt_program hunt_programs[];

/* Under nvlink's identity, but for HUNT_NAMED, where each voter says more of its own. HUNT_VERBOSE is default mode with every
 * option that only makes a linker say more. */
typedef enum hunt_mode { HUNT_COMPATIBLE, HUNT_DEFAULT, HUNT_VERBOSE, HUNT_NAMED, HUNT_MODES } hunt_mode;

typedef struct hunt_input {
  char *name;      /* "cuda/calls/sm_90/plain", "program 17 sm_80" */
  char *directory; /* where the program runs, a copy of our own */
  char *origin;    /* what it is a copy of; NULL: the inputs lie elsewhere */
  harness_words arguments;
  harness_words plain; /* those of the other voter; none: the same */
  unsigned modes;      /* those in which it is linked, a bit each */
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

extern const char *const hunt_mode_words[HUNT_MODES];

/* --- hunt_inputs.c --- */
__attribute__((format(printf, 2, 3))) void hunt_words_add(harness_words *words, const char *format, ...);
/* The caller fills the arguments. */
hunt_input *hunt_inputs_add(hunt_inputs *inputs, const char *name, const char *directory, const char *origin);
/* Writes an input's file: read-only, and with a time that no file has that a program makes. */
void hunt_input_write(const char *path, const void *bytes, size_t size);
/* Writes the cubin `from`, rewritten, into `to`: its bytes may grow or move, `cubin` describes them as they were. What is no
 * cubin is copied. */
typedef void hunt_rewrite(const ref_cubin *cubin, gen_random *random, harness_bytes *bytes);
void hunt_input_rewrite(gen_random *random, const char *from, const char *to, hunt_rewrite *rewrite);
/* Copies a directory's files, not what lies below it. */
void hunt_copy_files(const char *from, const char *to);
/* Reads a file whole (the caller frees its bytes) and calls `visit` with what they are, where they are a cubin; the process
 * ends where there is no such file. */
typedef void hunt_visit(const ref_cubin *cubin, harness_bytes bytes, void *context);
harness_bytes hunt_cubin_visit(const char *path, hunt_visit *visit, void *context);
/* Changes the bytes of a cubin, which `cubin` describes, in place. */
typedef void hunt_change(const ref_cubin *cubin, gen_random *random, uint8_t *bytes);
/* Writes `from` with a change to `to`; what is no cubin as it is. */
void hunt_input_change(gen_random *random, const char *from, const char *to, hunt_change *change);
/* A symbolic link, with that time. */
void hunt_input_link(const char *directory, const char *name, const char *target);
/* Copies the sets of `corpus` below `root` and lists their jobs whose names hold `only`. */
void hunt_inputs_add_corpus(hunt_inputs *inputs, const char *corpus, const char *root, const char *only);
/* The programs that `twin conformance --keep` left in `directory`, at most `limit`, in the order of their names. */
void hunt_inputs_add_programs(hunt_inputs *inputs, const char *directory, const char *root, size_t limit);
/* Copies an input's files again: a faulty program that answers otherwise may have written into them. */
void hunt_input_restore(const hunt_input *input);
/* An order that has nothing to do with names, so that neighbours are unlike: the same each time. */
void hunt_inputs_shuffle(hunt_inputs *inputs);
void hunt_inputs_free(hunt_inputs *inputs);

/* --- hunt_names.c, hunt_built.c --- */
/* `count` files that call functions with names of every form; always the same. */
void hunt_names_add(hunt_inputs *inputs, const char *root, size_t count);
/* `count` small programs of the cubin builder; always the same. */
void hunt_built_add(hunt_inputs *inputs, const char *root, size_t count);

/* --- hunt_cells.c --- */
/* `count` cells of the relocation matrix; always the same. */
void hunt_cells_add(hunt_inputs *inputs, const char *corpus, const char *root, size_t count);

/* --- hunt_code.c --- */
/* Writes the cubin `from` with some other instructions into `to`. */
void hunt_code_change(gen_random *random, const char *from, const char *to);
/* Takes the instructions of a cubin among those that others get: of each operation the first one that is met. */
void hunt_code_learn(const char *path);

/* --- hunt_records.c --- */
/* Writes the cubin `from` with some other words and entries of any of its sections into `to`. */
void hunt_records_change(gen_random *random, const char *from, const char *to);
/* A section with bytes, or NULL: first a kind is drawn, then one of it, so that what is rare comes as often. */
const ref_section *hunt_section_choose(const ref_cubin *cubin, gen_random *random);

/* --- hunt_headers.c --- */
/* Writes the cubin `from` with some other headers into `to`. */
void hunt_headers_change(gen_random *random, const char *from, const char *to);

/* --- hunt_boards.c --- */
/* Writes the cubin `from` with other scoreboards, waits and stalls in its code into `to`. */
void hunt_boards_change(gen_random *random, const char *from, const char *to);

/* --- hunt_lines.c --- */
/* Writes the cubin `from` with other steps in its line programs into `to`. */
void hunt_lines_change(gen_random *random, const char *from, const char *to);
/* Has it any? */
bool hunt_lines_has(const char *path);

/* --- hunt_words.c --- */
/* Writes the cubin `from` with other names of some symbols and sections into `to`. */
void hunt_words_change(gen_random *random, const char *from, const char *to);
/* Takes the names of a cubin's symbols and sections among those that others get. */
void hunt_words_learn(const char *path);
/* Moves the string table `table` to the end of a cubin's bytes, with `name` behind its strings. Returns the name's offset. */
uint32_t hunt_words_append(harness_bytes *bytes, const ref_cubin *cubin, uint32_t table, const char *name);

/* --- hunt_pairs.c --- */
/* Writes the capsule `from` with something changed alike in both views into `to`. */
void hunt_pairs_change(gen_random *random, const char *from, const char *to);

/* --- hunt_forms.c --- */
/* `count` links of inputs that are there, said in other words, fewer where a base has other files than cubins. */
void hunt_forms_add(hunt_inputs *inputs, const char *root, size_t count);

/* --- hunt_relinks.c --- */
/* Options of a link, at random: most links have none. */
void hunt_options_add(harness_words *words, gen_random *random);
typedef struct hunt_relinks hunt_relinks;
/* Inputs without end, made of corpus and programs below `root`: number N of a seed is always the same. Two of
 * eight link some of a program's cubins, at times with another's, in another order and with other options; the third has a
 * damaged cubin, the others one with other code, other records, other headers, two of them a capsule. */
hunt_relinks *hunt_relinks_open(const char *corpus, const char *root, uint64_t seed);
/* The first `count` of them, in one mode each. */
void hunt_relinks_add(hunt_relinks *relinks, hunt_inputs *inputs, size_t count);
/* `count` links of what few programs have, line programs in capsules, their scoreboards, index files; one cubin of each is changed
 * there. */
void hunt_relinks_add_rare(hunt_relinks *relinks, hunt_inputs *inputs, size_t count);
/* The stored cases of damage (corpus/damage/outcomes) as inputs; their answers are not read. */
void hunt_relinks_add_damage(hunt_relinks *relinks, hunt_inputs *inputs, const char *path);
void hunt_relinks_close(hunt_relinks *relinks);

/* --- hunt_run.c --- */
typedef struct hunt_runner {
  int (*main)(int argc, char **argv);
  unsigned seconds; /* of the processor, for one run */
  bool parts;       /* the answer's parts are wanted, too */
  const char *keep; /* the directory for copies of what is made, or NULL */
  const char *more; /* a further word, or NULL */
} hunt_runner;

/* A run in a process of its own. The caller frees the answer with hunt_answer_free. */
void hunt_run(const hunt_runner *runner, const hunt_input *input, hunt_mode mode, hunt_answer *answer);
/* Do runs in one process leave more and more memory taken? */
bool hunt_run_leaks(const hunt_runner *runner, const hunt_input *input, hunt_mode mode);
bool hunt_same(const hunt_answer *a, const hunt_answer *b);
/* Keeps of an answer only the parts that the other one has too. */
void hunt_answer_intersect(hunt_answer *answer, const hunt_answer *other);
/* Does `answer` have all parts that `agreed` has kept? */
bool hunt_answer_holds(const hunt_answer *answer, const hunt_answer *agreed);
void hunt_answer_free(hunt_answer *answer);

/* The steps of a run, for hunt_batch.c. Streams are those for stdout and stderr; _enter makes them the process's own, and
 * sets its limits. */
void hunt_run_open_streams(int streams[2]);
void hunt_run_enter(const int streams[2]);
int hunt_run_main(const hunt_runner *runner, const hunt_input *input, hunt_mode mode);
/* Reads what a run left, and takes its files away; the answer has its code already, and gets parts if they are wanted. */
void hunt_run_collect(const hunt_runner *runner, const hunt_input *input, const int streams[2], hunt_answer *answer);

/* --- hunt_steps.c --- */
/* Up to `count` links of inputs that are there, the first files of each by way of a relocatable output that `own` makes. */
void hunt_steps_add(hunt_inputs *inputs, const hunt_runner *own, const char *root, size_t count);

/* --- hunt_batch.c --- */
/* An input in a mode, and what the program without a fault answers. */
enum { HUNT_REACH_WORDS = 4 };
typedef struct hunt_task {
  const hunt_input *input;
  hunt_mode mode;
  uint64_t low, high;
  int code;
  bool made;
  uint64_t reached[HUNT_REACH_WORDS]; /* by hunt_reach.c: a bit for each fault whose line the task executes */
} hunt_task;

void hunt_task_answer(hunt_task *task, const hunt_answer *answer);
/* Runs the tasks from `from` on that reach the fault `number`. The number of the first one that is answered otherwise, and
 * that answer, which the caller frees; `count` when there is none. */
size_t hunt_batch_compare(const hunt_runner *runner, int number, hunt_task *tasks, size_t from, size_t count,
                          hunt_answer *answer);
/* Runs all tasks and writes the answers into them; their parts, where they are wanted, into `answers` (may be NULL), which
 * the caller frees. */
void hunt_batch_record(const hunt_runner *runner, hunt_task *tasks, size_t count, hunt_answer *answers);

/* --- hunt_near.c --- */
/* `count` links below `root`, each one of `bases` with some changes, in its mode; always the same for a seed. */
void hunt_near_add(hunt_inputs *inputs, const char *root, const hunt_task *const *bases, size_t base_count,
                   uint64_t seed, size_t count);

/* --- hunt_reach.c --- */
/* Reads the places of the faults: lines "NUMBER ADDRESS" as sites.sh writes them. */
void hunt_reach_read(const char *path);
/* What is executed from now on is written into `reached`; NULL: nowhere. */
void hunt_reach_begin(uint64_t *reached);
/* From now on every block that a traced run executes is noted; then their addresses, a line each. */
void hunt_reach_watch(void);
void hunt_reach_write(const char *path);
/* Does the task execute the fault's line, or for NUMBER + HUNT_FUNCTION anything of its function? True where nothing is known
 * of the fault. */
enum { HUNT_FUNCTION = 1000000 };
bool hunt_reaches(const hunt_task *task, int number);

/* --- hunt_checks.c --- */
/* What speaks without another voter: each asks for a further file of a link, and looks whether it is true. */
typedef struct hunt_check {
  const char *word, *name;
  size_t most; /* links that are tried */
  bool (*complains)(const char *program, const hunt_input *input, const char *directory);
  bool twin; /* the program is twin, otherwise twinlink */
} hunt_check;
enum { HUNT_CHECKS = 2 };
extern const hunt_check hunt_checks[HUNT_CHECKS];
/* `twin check` says that the link whose output is in `directory` is broken. */
bool hunt_check_link(const char *twin, const hunt_input *input, const char *directory);

/* --- hunt_says.c --- */
/* How many words a link has said, in the files that were kept of it, that neither the documentation has nor the inputs, and
 * how many codes of messages whose documented text it has not said. */
size_t hunt_says_wrong(const char *corpus, const hunt_input *input, const char *directory);

/* --- hunt_parts.c --- */
/* Adds the parts of a text, a line each, and of a file: of a cubin, its sections. */
void hunt_parts_add_text(hunt_answer *answer, const char *what, const char *text, size_t size);
void hunt_parts_add_file(hunt_answer *answer, const char *name, const void *bytes, size_t size);
/* To be called when all have been added. */
void hunt_parts_finish(hunt_answer *answer);

/* --- hunt_judge.c --- */
typedef struct hunt_settings {
  const char *corpus, *programs, *scratch, *check, *linker, *json, *title, *only, *sites;
  const char *kept;   /* where links stay on which a voter ends by a signal, NULL: nowhere */
  const char *blocks; /* instead of faults: where to write which basic blocks some input executes */
  size_t program_limit, others, seconds, required;
  size_t inputs; /* generated ones, in percent of the usual number */
  uint64_t seed;
  bool report; /* the record alone */
} hunt_settings;

typedef struct hunt_judge hunt_judge;
/* Collects all inputs and asks both voters. */
hunt_judge *hunt_judge_open(const hunt_settings *settings);
/* "found", "equivalent" or "missed", and by what. */
const char *hunt_judge_fault(hunt_judge *judge, int number, char by[HARNESS_PATH]);
void hunt_judge_close(hunt_judge *judge);
/* All inputs through the program that tells which basic blocks it executes; their addresses go to settings->blocks. */
void hunt_judge_trace(const hunt_settings *settings);
/* NULL: the binary has no such program. */
const hunt_program *hunt_program_find(int number);

#endif
