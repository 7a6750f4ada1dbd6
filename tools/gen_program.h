/* The generator's model of a multi-file CUDA program: who defines what, who refers to what.
 *
 * A program is built from a seed as a model first and printed afterwards, PTX or CUDA by the file. Because every printer
 * asks the model who lives where, declarations, definitions and uses agree, and most programs link. Everything that can
 * be left out (a file, a function, one body of it, a variable, one statement, an option) is an entity with an id in
 * order of creation; the reducer names ids to drop, and pruning takes away what refers to them, so that a reduced program
 * is as consistent as a whole one. Names derive from ids' order too and do not change when others are dropped. */
#ifndef TWIN_GEN_PROGRAM_H
#define TWIN_GEN_PROGRAM_H

#include "gen_random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  GEN_MAX_FILES = 10,
  GEN_MAX_FUNCTIONS = 96,
  GEN_MAX_BODIES = 192,
  GEN_MAX_VARIABLES = 96,
  GEN_MAX_OBJECTS = 160,
  GEN_MAX_ENTRIES = 320,
  GEN_MAX_OPERATIONS = 1600,
  GEN_MAX_CLASSES = 4,
  GEN_MAX_OPTIONS = 16,
  GEN_MAX_MISTAKES = 4,
  GEN_MAX_STEPS = 8,
  GEN_MAX_IDS = 4096,
  GEN_NAME_SIZE = 48,
  GEN_NONE = -1
};

typedef enum gen_language { GEN_PTX, GEN_CUDA } gen_language;
/* What a program is for: to be linked; with options of the link; to be refused; with the toolkit's own headers, whose
 * text is not ours, so that such a program is built and compared but never kept in the repository. From GEN_RICH on the
 * programs have much of what is rare in the others: bindless objects, commons, aliases, hidden symbols, -ewp; those of
 * GEN_RELOCATABLE, GEN_PRESERVED and GEN_GROUPING are linked in steps (gen_plan.c), those of GEN_UNIFIED have unified
 * functions and data with an index file (gen_unified.c). */
typedef enum gen_kind {
  GEN_PLAIN,
  GEN_OPTIONS,
  GEN_MISTAKES,
  GEN_HEADERS,
  GEN_RICH,
  GEN_RELOCATABLE,
  GEN_PRESERVED,
  GEN_GROUPING,
  GEN_UNIFIED,
  GEN_KIND_COUNT
} gen_kind;
extern const char *const gen_kind_names[GEN_KIND_COUNT];
typedef enum gen_linkage { GEN_STRONG, GEN_WEAK, GEN_LOCAL, GEN_COMMON } gen_linkage;

/* How a function's symbol is spelled: as in C, as a C++ function, as the instance <3> of a template, inside a namespace. */
typedef enum gen_spelling { GEN_SPELL_C, GEN_SPELL_CXX, GEN_SPELL_TEMPLATE, GEN_SPELL_NAMESPACE } gen_spelling;

typedef enum gen_space {
  GEN_GLOBAL,
  GEN_CONSTANT,
  GEN_SHARED,         /* at file scope */
  GEN_SHARED_DYNAMIC, /* extern, without a size */
  GEN_MANAGED,
  GEN_TEXTURE,
  GEN_SAMPLER,
  GEN_SURFACE,
  GEN_SPACE_COUNT
} gen_space;

typedef enum gen_element { GEN_U8, GEN_U16, GEN_U32, GEN_F64, GEN_POINTER, GEN_CODE, GEN_ELEMENT_COUNT } gen_element;

/* What statements do. The table gen_operations says what each needs; each printer has a row for each it can print. */
typedef enum gen_operation_kind {
  GEN_OP_CALL,
  GEN_OP_CALL_POINTER,
  GEN_OP_CALL_TABLE,
  GEN_OP_CALL_ALIAS,
  GEN_OP_READ,
  GEN_OP_WRITE,
  GEN_OP_ATOMIC,
  GEN_OP_ADDRESS,
  GEN_OP_READ_POINTER,
  GEN_OP_TEXTURE,
  GEN_OP_SAMPLER,
  GEN_OP_SURFACE,
  GEN_OP_TEXTURE_QUERY,
  GEN_OP_SHARED_LOCAL,
  GEN_OP_STACK,
  GEN_OP_SWITCH,
  GEN_OP_DOUBLE,
  GEN_OP_DIVIDE_DOUBLE,
  GEN_OP_ROOT_DOUBLE,
  GEN_OP_DIVIDE_LONG,
  GEN_OP_DIVIDE_FLOAT,
  GEN_OP_MATH,
  GEN_OP_PRINTF,
  GEN_OP_ASSERT,
  GEN_OP_MALLOC,
  GEN_OP_BARRIER,
  GEN_OP_BARRIER_NAMED,
  GEN_OP_BARRIER_ANY,
  GEN_OP_BARRIER_CLUSTER,
  GEN_OP_WARP,
  GEN_OP_PRESSURE,
  GEN_OP_LOOP,
  GEN_OP_VIRTUAL,
  GEN_OP_LAMBDA,
  GEN_OP_STATIC_LOCAL,
  GEN_OP_ADDRESS_CODE,
  GEN_OP_SPECIAL,
  GEN_OP_TEXTURE_ARGUMENT,
  GEN_OP_CALL_SHARED,
  GEN_OP_OBJECT,
  GEN_OP_CONSTRUCTED,
  GEN_OP_HEADER,
  GEN_OP_ADDRESS_KERNEL,
  GEN_OP_COUNT
} gen_operation_kind;

typedef enum gen_target { GEN_TARGET_NONE, GEN_TARGET_FUNCTION, GEN_TARGET_VARIABLE, GEN_TARGET_CLASS } gen_target;

typedef struct gen_operation_row {
  const char *name;
  gen_target target;
  unsigned spaces;          /* mask of gen_space, for variables */
  unsigned languages;       /* mask of 1 << gen_language */
  unsigned minimum_sm;      /* of the file's virtual architecture */
  unsigned program_percent; /* how many programs may use it at all: each program has its own selection */
  unsigned weight;          /* among those that the program may use */
} gen_operation_row;

extern const gen_operation_row gen_operations[GEN_OP_COUNT];

/* What a function takes and gives: letters of gen_signature_row.arguments: p int*, i int, l long long, d double, r struct
 * of 24 bytes; result also v. */
typedef struct gen_signature_row {
  char result;
  const char *arguments;
  const char *mangled;
} gen_signature_row;

enum {
  GEN_SIGNATURE_COUNT = 8,
  GEN_SIGNATURE_LIKE_KERNEL = 2,
  GEN_SIGNATURE_KERNEL = 8,
  GEN_SIGNATURE_KERNEL_LARGE = 9
};
extern const gen_signature_row gen_signatures[GEN_SIGNATURE_COUNT + 2];

/* Properties that a program has or not, each drawn once: programs that differ in kind find more than programs that all
 * have a little of everything. */
typedef enum gen_trait {
  GEN_TRAIT_CONSTANTS,
  GEN_TRAIT_SHARED,
  GEN_TRAIT_DYNAMIC,
  GEN_TRAIT_MANAGED,
  GEN_TRAIT_TEXTURES,
  GEN_TRAIT_SAMPLERS,
  GEN_TRAIT_SURFACES,
  GEN_TRAIT_WEAK_VARIABLES,
  GEN_TRAIT_COMMONS,
  GEN_TRAIT_LOCAL_VARIABLES,
  GEN_TRAIT_POINTERS,
  GEN_TRAIT_TABLES,
  GEN_TRAIT_WEAK_FUNCTIONS,
  GEN_TRAIT_STRONG_OVER_WEAK,
  GEN_TRAIT_WEAK_KERNELS,
  GEN_TRAIT_LOCAL_FUNCTIONS,
  GEN_TRAIT_ALIASES,
  GEN_TRAIT_RECURSION,
  GEN_TRAIT_MUTUAL_RECURSION,
  GEN_TRAIT_UNSIZED,
  GEN_TRAIT_LARGE_SWITCH,
  GEN_TRAIT_LARGE_CONSTANT,
  GEN_TRAIT_LAUNCH_BOUNDS,
  GEN_TRAIT_LARGE_ARGUMENTS,
  GEN_TRAIT_LINEINFO,
  GEN_TRAIT_DEBUG,
  GEN_TRAIT_OPTIMISE,
  GEN_TRAIT_REGISTERS,
  GEN_TRAIT_ARCHITECTURES,
  GEN_TRAIT_MIXED,
  GEN_TRAIT_EMPTY_FILE,
  GEN_TRAIT_DEAD_FILE,
  GEN_TRAIT_SHUFFLE,
  GEN_TRAIT_SAME_BODIES, /* a weak function does the same in every file, as one from a header */
  GEN_TRAIT_EXTRA,       /* further options of the compiler */
  GEN_TRAIT_KERNEL_ADDRESSES,
  GEN_TRAIT_HOST, /* CUDA files have host code too: constructors of global objects, launches */
  GEN_TRAIT_EWP,  /* from here on only of programs from GEN_RICH on: a file is compiled with -ewp */
  GEN_TRAIT_HIDDEN,
  GEN_TRAIT_UNIFIED,
  GEN_TRAIT_COUNT
} gen_trait;

/* The bits of st_other that no compiler sets; they are set in the cubins after compiling. */
typedef enum gen_visibility { GEN_DEFAULT, GEN_INTERNAL, GEN_HIDDEN, GEN_PROTECTED } gen_visibility;

/* The two words by which an index file knows a unified function or object. */
typedef struct gen_identity {
  bool set;
  uint64_t words[2];
} gen_identity;

typedef struct gen_operation {
  int id;
  gen_operation_kind kind;
  int target; /* index of a function, variable or class */
  uint32_t a, b;
  bool conditional;
  bool live;
} gen_operation;

typedef struct gen_function {
  int id;
  char name[GEN_NAME_SIZE];       /* as in C */
  char symbol[GEN_NAME_SIZE * 2]; /* as in the cubin */
  gen_linkage linkage;            /* GEN_LOCAL: belongs to home; GEN_WEAK: at least one body is weak */
  gen_spelling spelling;
  int signature;
  int home; /* file of the first body */
  bool kernel;
  bool dead;            /* nobody calls it */
  int alias_of;         /* the function that it is another name of, or GEN_NONE */
  uint32_t large_bytes; /* of a kernel's last argument */
  gen_identity unified;
  gen_visibility visibility;
  int visibility_id, unified_id;
  bool live;
} gen_function;

typedef struct gen_body {
  int id;
  int function, file;
  gen_linkage linkage;
  int first_operation, operation_count;
  int bounds_id; /* launch bounds as an entity of their own */
  uint32_t max_threads, max_registers, minimum_blocks, cluster;
  bool shared; /* its statements are those of an earlier body */
  bool live;
} gen_body;

typedef struct gen_variable {
  int id;
  char name[GEN_NAME_SIZE];
  gen_space space;
  gen_element element;
  uint32_t count, align; /* count 0: a texture and the like, or dynamic */
  gen_linkage linkage;
  int home;
  int signature; /* of the functions in a table */
  bool varied; /* a common one that is not equally large everywhere: a reference without a size of its own is refused */
  gen_identity unified;
  gen_visibility visibility;
  int visibility_id, unified_id;
  bool live;
} gen_variable;

typedef enum gen_entry_kind {
  GEN_ENTRY_VALUE,
  GEN_ENTRY_FUNCTION,
  GEN_ENTRY_VARIABLE,
  GEN_ENTRY_BYTE, /* of a variable's address */
  GEN_ENTRY_BYTE_FUNCTION
} gen_entry_kind;

typedef struct gen_entry {
  gen_entry_kind kind;
  int target;
  uint64_t value; /* or the offset; or which byte of the address */
} gen_entry;

typedef struct gen_object { /* one definition of a variable, in one file */
  int id;
  int variable, file;
  gen_linkage linkage;
  uint32_t count, align; /* of a common one they may differ from file to file */
  bool initialised;
  int first_entry, entry_count;
  bool live;
} gen_object;

typedef struct gen_class { /* one base and some derived classes; each method calls a function or computes */
  int id;
  char name[GEN_NAME_SIZE];
  int derived;
  bool destructor;
  bool second; /* the derived classes have a second base */
  bool pure;   /* the base has a method without a body */
  int calls[4];
  bool live;
} gen_class;

typedef enum gen_role { GEN_ROLE_NORMAL, GEN_ROLE_EMPTY, GEN_ROLE_DEAD } gen_role;

typedef struct gen_file {
  int id;
  char name[24]; /* without the ending */
  gen_language language;
  gen_role role;
  int target_id, architecture_id, optimise_id, registers_id, lineinfo_id, debug_id, extra_id;
  unsigned target_sm; /* what it is compiled for: the program's, or one whose cubins that links too */
  char target_suffix;
  unsigned virtual_sm; /* what the PTX says; at most the target's */
  int optimise;        /* -1: not given */
  unsigned registers;  /* -maxrregcount; 0: not given */
  const char *extra;   /* one more option of ptxas, or NULL */
  bool lineinfo, debug, independent;
  bool ewp; /* PTX: -ewp in place of -c */
  int ewp_id;
  bool lines; /* PTX: has .file and .loc */
  unsigned ptx_version;
  bool live;
} gen_file;

/* What a program of the kind "mistakes" does wrong, apart from what is defined twice. */
typedef enum gen_mistake_kind {
  GEN_MISTAKE_LEFT_OUT, /* a file is not linked */
  GEN_MISTAKE_TWICE,    /* a file is linked twice */
  GEN_MISTAKE_ABSENT,   /* a file that does not exist is linked */
  GEN_MISTAKE_SIZE,     /* a file declares a variable in another size */
  GEN_MISTAKE_SHARED,   /* too much shared memory */
  GEN_MISTAKE_CONSTANT, /* too many constants */
  GEN_MISTAKE_UNIFIED,  /* a PTX file has a unified function, for which nvlink wants an index file (sm_90 and later) */
  GEN_MISTAKE_ARCHITECTURE, /* a file is for another architecture */
  GEN_MISTAKE_KIND_COUNT
} gen_mistake_kind;

typedef struct gen_mistake {
  int id;
  gen_mistake_kind kind;
  int file, variable; /* GEN_NONE where the kind has none */
  bool live;
} gen_mistake;

/* One link of a program that is linked in steps. What an input is: a place in the order of the link line, or
 * GEN_STEP_INPUT + the step whose output it is. */
enum { GEN_STEP_INPUT = GEN_MAX_FILES };

typedef struct gen_step {
  int id; /* of a step that is dropped, the inputs are linked in its place */
  bool relocatable, preserves;
  int preserves_id;
  int inputs[GEN_MAX_FILES], input_count;
  bool live;
} gen_step;

/* What is wrong with the index file of unified functions and data. */
typedef enum gen_index_flaw {
  GEN_INDEX_GOOD,
  GEN_INDEX_ABSENT, /* no -uidx */
  GEN_INDEX_MAGIC,
  GEN_INDEX_LONG,
  GEN_INDEX_FUNCTION_WINDOW,
  GEN_INDEX_DATA_WINDOW,
  GEN_INDEX_UNKNOWN, /* an entry that no object has */
  GEN_INDEX_MISSING, /* an object that has no entry */
  GEN_INDEX_TWICE,
  GEN_INDEX_FLAW_COUNT
} gen_index_flaw;

typedef struct gen_option {
  int id;
  char words[2][GEN_NAME_SIZE * 2];
  int word_count;
  bool final_only; /* of a program that is linked in steps, only of the last one */
  bool live;
} gen_option;

typedef struct gen_program {
  uint64_t seed;
  char architecture[16];
  unsigned sm;
  char suffix; /* 'a', 'f' or 0 */
  gen_kind kind;
  gen_random random;
  int next_id;
  int shuffle_id;
  bool enabled[GEN_OP_COUNT];
  bool traits[GEN_TRAIT_COUNT];
  unsigned register_limit; /* of all files that have one: a kernel may not call what needs more than its own limit */
  gen_file files[GEN_MAX_FILES];
  int file_count;
  int order[GEN_MAX_FILES]; /* of the link line */
  gen_function functions[GEN_MAX_FUNCTIONS];
  int function_count;
  gen_body bodies[GEN_MAX_BODIES];
  int body_count;
  gen_operation operations[GEN_MAX_OPERATIONS];
  int operation_count;
  gen_variable variables[GEN_MAX_VARIABLES];
  int variable_count;
  gen_object objects[GEN_MAX_OBJECTS];
  int object_count;
  gen_entry entries[GEN_MAX_ENTRIES];
  int entry_count;
  gen_class classes[GEN_MAX_CLASSES];
  int class_count;
  gen_option options[GEN_MAX_OPTIONS];
  int option_count;
  gen_mistake mistakes[GEN_MAX_MISTAKES];
  int mistake_count;
  gen_step steps[GEN_MAX_STEPS]; /* the last one makes the executable and is always there */
  int step_count;
  gen_index_flaw index_flaw;
  int index_flaw_id;
  unsigned index_version, index_first; /* where in its order the index begins */
} gen_program;

/* Builds the program of a seed; `dropped` has a flag for each of GEN_MAX_IDS ids, or is NULL. The caller frees it.
 * NULL: the architecture's name is not one. */
gen_program *gen_program_build(uint64_t seed, const char *architecture, gen_kind kind, const bool *dropped);
bool gen_kind_find(const char *name, gen_kind *kind);
/* Reads "3,17-20": ids to drop. */
bool gen_parse_drops(const char *text, bool dropped[GEN_MAX_IDS]);
void gen_program_prune(gen_program *program, const bool *dropped);

/* gen_build_*.c, in the order in which they are called. */
void gen_build_files(gen_program *program);
void gen_build_variables(gen_program *program);
void gen_build_functions(gen_program *program);
void gen_build_initialisers(gen_program *program);
void gen_build_classes(gen_program *program);
void gen_build_statements(gen_program *program);
void gen_build_options(gen_program *program);
void gen_build_mistakes(gen_program *program);
void gen_build_unified(gen_program *program);
void gen_build_hidden(gen_program *program);
void gen_build_plan(gen_program *program);
int gen_build_id(gen_program *program);
/* An index into `weights` (0 at the end), as often as its weight says. */
int gen_build_choose(gen_program *program, const uint32_t *weights);

/* What more than one printer asks. */
bool gen_function_in_file(const gen_program *program, int function, int file);
const gen_body *gen_function_body(const gen_program *program, int function, int file);
bool gen_variable_in_file(const gen_program *program, int variable, int file);
uint32_t gen_element_size(gen_element element);
/* Does the program make this mistake with that file (GEN_NONE: any) and variable? */
bool gen_program_errs(const gen_program *program, gen_mistake_kind kind, int file, int variable);
/* Of what is local, half is static and half in an unnamed namespace. */
bool gen_function_anonymous(const gen_function *function);
/* Some files mention arrays without their size, as C++ headers do. */
bool gen_variable_unsized(const gen_program *program, int variable, int file);
uint32_t gen_switch_count(const gen_program *program, const gen_operation *operation);
bool gen_kind_is_rich(gen_kind kind);
/* Are programs of the kind linked in steps, all or some of them? */
bool gen_kind_has_steps(gen_kind kind);
/* Has the program, after pruning, a live unified function or object? */
bool gen_program_unified(const gen_program *program);
/* Has a step an input? One without has no output. */
bool gen_step_has_input(const gen_program *program, int step);
/* Calls back for each input of a step, in order: a live file's index, or GEN_STEP_INPUT + a live step that has inputs.
 * Steps that were dropped are replaced by their own inputs. */
typedef void gen_step_visit(void *context, int input);
void gen_step_inputs(const gen_program *program, int step, gen_step_visit *visit, void *context);
/* Marks functions, variables and classes that the live statements and initialisers of a file mention. */
typedef struct gen_mentions {
  bool functions[GEN_MAX_FUNCTIONS], variables[GEN_MAX_VARIABLES], classes[GEN_MAX_CLASSES];
  bool operations[GEN_OP_COUNT];
} gen_mentions;
void gen_file_mentions(const gen_program *program, int file, gen_mentions *mentions);

#endif
