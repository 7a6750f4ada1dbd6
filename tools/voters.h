/* Three voters on the same inputs: linker, reference and nvlink, byte for byte; and who stands alone.
 *
 * A case is one link: a directory with inputs, and words. Each voter links it in a directory and a process of its own,
 * under limits, so that a voter that crashes, hangs or floods the disk costs one answer. The linker of this build and the
 * reference are functions in that process; nvlink, another linker and the older build of --baseline are programs.
 * Used by `twin diff`. Formats of the output: docs/voters.md. */
#ifndef TWIN_VOTERS_H
#define TWIN_VOTERS_H

#include "conformance.h"
#include "files.h"
#include "process.h"

#include <stdio.h>

typedef enum voter { VOTER_LINKER, VOTER_REFERENCE, VOTER_NVLINK, VOTER_BASELINE, VOTER_COUNT } voter;

/* As --voters spells them. */
extern const char *const voter_words[VOTER_COUNT];

typedef enum voters_mode { VOTERS_COMPATIBLE, VOTERS_DEFAULT, VOTERS_MODES } voters_mode;

extern const char *const voters_mode_words[VOTERS_MODES];

typedef struct voters_settings {
  bool voting[VOTER_COUNT]; /* who was asked; nvlink also where only its stored answers are */
  bool modes[VOTERS_MODES];
  char programs[VOTER_COUNT][CONFORMANCE_PATH]; /* "" for the linker and the reference: the functions in this program;
                                                   "" for nvlink: stored answers only */
  char own_linker[CONFORMANCE_PATH];            /* the program of this build, for words that only it knows; or "" */
  bool stored;                                  /* stored answers rather than nvlink's */
  bool show_all;                                /* explain differences with a reason too */
  double seconds;                               /* of one link */
  uint64_t memory, file_size;                   /* 0: none */
  unsigned jobs;                                /* children side by side */
  size_t limit;                                 /* differences explained in a case; 0: all */
  double required;                              /* percent that have to be alike, abstained or known; 100: all */
  const char *keep;                             /* programs of seeds stay here; or NULL */
  conformance_settings compilers;               /* for seeds */
} voters_settings;

typedef enum voters_source { VOTERS_JOB, VOTERS_SEED, VOTERS_WORDS } voters_source;

/* How the votes of one case in one mode fell. */
typedef enum voters_outcome {
  VOTERS_ALIKE,     /* all that voted agree */
  VOTERS_ABSTAINED, /* nvlink abstains by a named row, or ended by a signal; the others agree */
  VOTERS_ALONE,     /* one or more stand against a majority */
  VOTERS_APART,     /* there is no majority */
  VOTERS_KNOWN,     /* a voter stands alone as a list says */
  VOTERS_NO_CASE,   /* a compiler refused, or fewer than two votes */
  VOTERS_OUTCOMES
} voters_outcome;

extern const char *const voters_outcome_words[VOTERS_OUTCOMES];

typedef struct voters_verdict {
  bool judged;
  voters_outcome outcome;
  unsigned voted;       /* a bit a voter */
  unsigned alone;       /* those that stand against the majority; with VOTERS_APART all that disagree */
  unsigned like_nvlink; /* those that have nvlink's answer although it abstains */
  char rows[64];        /* "D58 D9": why nvlink abstains; "signal", "time limit" */
  char what[24];        /* the first kind of difference: "output", "messages", "exit code", "crash", ... */
  bool nvlink_against;  /* nvlink voted, and linker or reference has another answer */
  bool common;          /* ... and both have the same wrong bytes */
  bool own_words;       /* nvlink abstains, both refuse, and only the words differ */
  char *text;           /* the explanation, or NULL */
  double seconds[VOTER_COUNT];
} voters_verdict;

typedef struct voters_case {
  voters_source source;
  char *name;             /* "cuda/calls/sm_90/plain", "seed-1-sm_90-plain" */
  char *directory;        /* where the inputs are; of a seed: set when it is compiled */
  char *stored;           /* where expect.* is, or NULL */
  string_list arguments;  /* without a linker's name */
  char output[256];       /* the output's name in the arguments */
  const char *job_marker; /* entries of `directory` that hold a file of this name are jobs, not inputs; or NULL */
  conformance_case seed;
  bool ready;        /* arguments and directory are there */
  char trouble[256]; /* why there is no case */
  voters_verdict verdicts[VOTERS_MODES];
} voters_case;

typedef struct voters_cases {
  voters_case *items;
  size_t count, room;
} voters_cases;

/* --- cases (voters_cases.c) --- */

/* Every job at or below `path`: a directory with a file `args`. False, after a line on stderr, when there is none. */
bool voters_cases_add_jobs(voters_cases *cases, const char *path);
/* Words of a command line, without a linker's name; the inputs are where this process is. */
bool voters_cases_add_words(voters_cases *cases, int count, char **words);
bool voters_cases_add_seeds(voters_cases *cases, const conformance_choice *choice, const char *scratch);
void voters_cases_free(voters_cases *cases);
/* Finds the output's name in the arguments, or adds one. */
void voters_case_find_output(voters_case *one);
/* Symbolic links in `directory` to the case's inputs. */
bool voters_case_place(const voters_case *one, const char *directory);

/* --- one vote (voters_link.c) --- */

typedef struct voters_answer {
  bool voted, stored, timed_out;
  int exit_code, signal;
  uint8_t *output; /* NULL: none was made */
  size_t output_size;
  char *messages, *printed; /* stderr, stdout; `printed` is NULL when it is not known */
  size_t message_size, printed_size;
  char *rows; /* the reference's: ids of its messages, a line each; the linker's under its own name: its map; or NULL */
  double seconds;
} voters_answer;

void voters_answer_free(voters_answer *answer);

/* What a child does: the words with which it starts, and the job it is for. */
typedef struct voters_vote {
  const voters_settings *settings;
  voter who;
  voters_mode mode;
  bool own_identity; /* the linker only: says under its own name which rows it met */
  const voters_case *one;
  char directory[CONFORMANCE_PATH];
  string_list words;
} voters_vote;

/* Starts the vote in its directory, which is made; voters_vote_take reads the answer and removes it. False when it cannot. */
bool voters_vote_start(voters_vote *vote, process_child *child);
void voters_vote_take(voters_vote *vote, const process_child *child, voters_answer *answer);
/* nvlink's stored answer; false when there is none. */
bool voters_answer_read_stored(const voters_case *one, voters_answer *answer);

/* --- judging (voters_judge.c) --- */

/* All that is known of a case in one mode. */
typedef struct voters_ballot {
  const voters_case *one;
  voters_mode mode;
  voters_answer answers[VOTER_COUNT];
  char *rows_text;          /* what the linker says under its own identity, or NULL */
  char *map;                /* and its link map */
  voters_answer compatible; /* the linker's with --bug-compatible, in default mode */
} voters_ballot;

/* "" when the answers are equal, else the first kind of difference. */
const char *voters_answer_difference(const voters_answer *a, const voters_answer *b);
/* Whether it would help to know which rows the linker names. */
bool voters_ballot_needs_rows(const voters_ballot *ballot);
void voters_ballot_judge(const voters_settings *settings, const voters_ballot *ballot, voters_verdict *verdict);
void voters_ballot_free(voters_ballot *ballot);

/* --- explaining (voters_explain.c) --- */

/* "linker, nvlink" */
void voters_add_names(text_buffer *text, unsigned voters);
/* What the answers differ in, by name: section, symbol, relocation, instruction. Up to `limit` differences (0: all). */
void voters_explain(const voters_ballot *ballot, const voters_verdict *verdict, size_t limit, text_buffer *text);

/* --- all cases (voters_run.c) --- */

/* Lets everybody vote on every case. False when it was interrupted. */
bool voters_run(const voters_settings *settings, voters_cases *cases, const char *scratch, bool progress);

/* --- lists of known differences (voters_known.c) --- */

/* Lines "JOB ROW KIND reason" of a file: jobs on which `who` stands alone for a reason that has a name. */
typedef struct voters_known_row {
  voter who;
  char *job, *row, *reason;
  bool seen;  /* its job was a case */
  bool stood; /* ... and the voter stood alone */
} voters_known_row;

typedef struct voters_known {
  voters_known_row *items;
  size_t count, room;
} voters_known;

/* "reference:FILE". */
bool voters_known_read(voters_known *known, const char *word);
/* Turns verdicts that the list excuses into VOTERS_KNOWN. */
void voters_known_apply(voters_known *known, voters_cases *cases);
void voters_known_free(voters_known *known);

/* --- reports (voters_report.c, voters_json.c) --- */

typedef struct voters_report {
  const voters_settings *settings;
  const voters_cases *cases;
  const voters_known *known;
  double seconds;
} voters_report;

typedef struct voters_sums {
  size_t outcomes[VOTERS_OUTCOMES], votes, own_words, without_nvlink, against_nvlink, common;
  size_t alone[VOTER_COUNT];
  size_t stale; /* known rows whose voter does not stand alone any more */
} voters_sums;

voters_sums voters_sum(const voters_report *report);
/* `quiet`: the sums only. */
void voters_print(const voters_report *report, bool quiet, FILE *to);
bool voters_write_json(const voters_report *report, const char *path);
bool voters_write_junit(const voters_report *report, const char *path);
/* Whether somebody stands alone without a reason that has a name. */
bool voters_found(const voters_report *report);

#endif
