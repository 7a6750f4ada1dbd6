/* One generated program through both linkers, and the figures over many.
 *
 * Used by `twin conformance` (many programs, a report) and `twin reduce` (one program, over and over). The linkers are
 * programs that are started; nothing of them is linked in here. */
#ifndef TWIN_CONFORMANCE_H
#define TWIN_CONFORMANCE_H

#include "gen_features.h"
#include "gen_output.h"
#include "gen_program.h"

#include <stdio.h>

enum { CONFORMANCE_PATH = 4096, CONFORMANCE_CLASS = 96, CONFORMANCE_MAX_ARCHITECTURES = 16 };

typedef struct conformance_settings {
  gen_tools tools;
  char linker[CONFORMANCE_PATH];    /* absolute: it is started in the program's directory */
  char reference[CONFORMANCE_PATH]; /* nvlink */
  char model[CONFORMANCE_PATH];     /* the Python model's file; "" to leave it out */
  const char *cache;                /* cubins by fingerprint, so that a reducer compiles only what changed; or NULL */
  bool figures;                     /* neither compile nor link */
  bool default_mode;                /* link without --bug-compatible */
  bool unset_anywhere; /* of tables of registers a place that is 0 here has no answer: see conformance_unstable.c */
  uint64_t memory;     /* limit of a linker; 0 for sanitizers */
  const char *link;    /* more options for both linkers, words between spaces ("-r -g"); NULL: none */
  double link_seconds, compile_seconds;
} conformance_settings;

/* What kind of objects the cubins of sm_100 and later are: ptxas makes capsules; one byte makes SASS kind of one (M1). */
typedef enum conformance_objects {
  CONFORMANCE_CAPSULE,
  CONFORMANCE_MIXED, /* some of each, by the seed */
  CONFORMANCE_SASS
} conformance_objects;

/* As --objects spells them. */
extern const char *const conformance_objects_words[3];

typedef enum conformance_outcome {
  CONFORMANCE_IDENTICAL,
  CONFORMANCE_DIFFERENT,
  CONFORMANCE_REFUSED,      /* nvlink made no output, and twinlink said the same with the same exit code */
  CONFORMANCE_NOT_COMPILED, /* a compiler refused or crashed */
  CONFORMANCE_GENERATED,    /* only the generator's figures were asked for */
  CONFORMANCE_SIGNAL,       /* nvlink was ended by a signal, twinlink refuses: there is no answer to compare with */
  CONFORMANCE_ABSTAINED, /* kind grouping: our links are the same program; nvlink's are not, by rows of its defects */
  CONFORMANCE_UNSTABLE,  /* all bytes but those that nvlink itself writes differently each time (RF79) */
  CONFORMANCE_OUTCOMES
} conformance_outcome;

/* What the compilers wrote: relocation types of the R_CUDA table and attribute codes. */
typedef struct conformance_coverage {
  bool relocations[256], attributes[256];
} conformance_coverage;

/* Of a capsule link that nvlink made. Which share a link counts in is decided by its inputs alone: whether the program has
 * debug code, and what the linker's map says of the inputs' kernels. One that we did not make counts as certain. */
typedef struct conformance_capsules {
  bool judged;
  bool debug;                 /* -G or -g somewhere */
  size_t kernels, sure, kept; /* kept: the text may differ from nvlink's (M43, M44, M45i) */
  bool rest_identical;        /* everything of M46 */
} conformance_capsules;

typedef struct conformance_verdict {
  conformance_outcome outcome;
  char class[CONFORMANCE_CLASS]; /* of a difference: a section's name, "text", "exit code", "crash", "time limit",
                                    "refusal" when nvlink refused in other words */
  char details[256];             /* for a person: where, or what a compiler said */
  char output[32];               /* of the link that was compared last: the program's, or that of a step (rN.cubin) */
  size_t links;                  /* that were compared */
  bool unstable;                 /* one of them was CONFORMANCE_UNSTABLE */
  conformance_capsules capsules;
  bool model_ran, model_identical;
  double compile_seconds, reference_seconds, linker_seconds;
  int files, ptx_files, feature_count;
  bool features[GEN_FEATURE_COUNT];
  conformance_coverage coverage; /* of all its cubins */
} conformance_verdict;

typedef struct conformance_case {
  uint64_t seed;
  const char *architecture;
  gen_kind kind;
  conformance_objects objects;
  const bool *dropped; /* of GEN_MAX_IDS ids, or NULL */
  conformance_verdict verdict;
} conformance_case;

/* Which programs a command was asked for. */
typedef struct conformance_choice {
  const char *seeds; /* A..B, A, fresh, fresh:COUNT */
  char *architectures[CONFORMANCE_MAX_ARCHITECTURES];
  char architecture_text[256];
  size_t architecture_count;
  gen_kind kind; /* GEN_KIND_COUNT: drawn for each program */
  conformance_objects objects;
  bool dropped[GEN_MAX_IDS];
} conformance_choice;

/* 100 fresh seeds of each kind for sm_80 and sm_90. The choice must stay where it is: it points into itself. */
void conformance_choice_init(conformance_choice *choice);
/* --seeds, --arch, --kind, --objects, --drop; false for another word or a value that means nothing. */
bool conformance_choice_parse(conformance_choice *choice, const char *word, const char *value);
/* The programs in the order of the report, to be freed; NULL, after a line on stderr, when there are none. `scratch`: a
 * directory for short-lived files. */
conformance_case *conformance_choice_cases(const conformance_choice *choice, const char *scratch, size_t *count);
/* Its name among others, which is its directory's. */
void conformance_case_name(const conformance_case *one, char *name, size_t size);

/* The first half of conformance_run: the program with its cubins in `directory`, to be freed; NULL when a compiler refused
 * (one->verdict.details says what it said). */
gen_program *conformance_prepare(const conformance_settings *settings, conformance_case *one, const char *directory);

/* Generates, compiles (unless `directory` already holds the cubins of this very program), links twice and compares.
 * Leaves in `directory`: sources, cubins, nvlink.* and twinlink.* (cubin, stdout, stderr), link.sh. */
void conformance_run(const conformance_settings *settings, conformance_case *one, const char *directory);

/* Whether a program is nvlink, by its name: it knows no option of twinlink's own. */
bool conformance_is_nvlink(const char *linker);
/* realpath, into CONFORMANCE_PATH characters. */
bool conformance_absolute(const char *name, char *path);
/* A program by its path, or as a shell finds it; its last name is kept. CONFORMANCE_PATH characters. */
bool conformance_find_linker(const char *name, char *path);
/* The twinlink of this build. */
bool conformance_find_own(char *path);
/* Finds both linkers and the compilers; NULL stands for the usual place. False after a line on stderr. */
bool conformance_find(conformance_settings *settings, const char *linker, const char *reference);

/* Which part of nvlink's output holds the first byte in which the two differ. The ELF header is looked at last, because
 * it differs whenever anything has another size. False if they are equal. */
bool conformance_first_difference(const uint8_t *reference, size_t reference_size, const uint8_t *ours, size_t our_size,
                                  char *class, size_t class_size, char *details, size_t details_size);

typedef struct conformance_report {
  const conformance_case *cases;
  size_t count;
  double seconds;
  const char *command; /* how this program was called, for the lines that say how to see a difference */
} conformance_report;

void conformance_print(const conformance_report *report, FILE *to);
bool conformance_write_json(const conformance_report *report, const char *path);
double conformance_percent(const conformance_report *report);

/* What our link map says of a capsule link, and whether the files are equal apart from that. */
void conformance_judge_capsule(const uint8_t *reference, size_t reference_size, const uint8_t *ours, size_t our_size,
                               const char *map, conformance_capsules *capsules);
/* The shares over all capsule links; nothing when there are none. */
void conformance_print_capsules(const conformance_report *report, FILE *to);

/* Adds what the cubin at `path` holds; nothing if it is none. */
void conformance_cover(const char *path, conformance_coverage *coverage);
/* Two lines, and how many types and attributes are missing. */
size_t conformance_print_coverage(const conformance_report *report, FILE *to);

#endif
