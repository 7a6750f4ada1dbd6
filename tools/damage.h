/* Damaged cubins through both linkers: what `twin damage` is made of.
 *
 * A case is a job of the corpus in which one input is changed at a few places. It is a line of text that says all of
 * this, so that a case can be stored, replayed and talked about without the seed that made it. The linkers are programs
 * that are started; nothing of them is linked in here. */
#ifndef TWIN_DAMAGE_H
#define TWIN_DAMAGE_H

#include "corpus.h"

#include <stdio.h>

enum { DAMAGE_NAME = 72, DAMAGE_CHANGES = 3, DAMAGE_PATH = 4096, DAMAGE_KEY = 200 };

/* What a field belongs to; the mutator takes a group first, so that the few bytes of a note count like the many of code. */
typedef enum damage_group {
  DAMAGE_HEADER,
  DAMAGE_SECTION,
  DAMAGE_SYMBOL,
  DAMAGE_RELOCATION,
  DAMAGE_ATTRIBUTE, /* .nv.info and .nv.compat */
  DAMAGE_NOTE,
  DAMAGE_CALLGRAPH, /* and .nv.prototype */
  DAMAGE_DEBUG,
  DAMAGE_STRING,
  DAMAGE_CONTENTS, /* everything else, in words */
  DAMAGE_GROUPS
} damage_group;

/* A number of the format. `name` says what it is, never where: "symbol FUNC st_value", "section .text sh_type". */
typedef struct damage_field {
  uint64_t offset;
  unsigned width; /* bytes */
  damage_group group;
  char name[DAMAGE_NAME];
} damage_field;

typedef struct damage_map {
  damage_field *fields; /* by group, then as found */
  size_t count, room;
  size_t first[DAMAGE_GROUPS + 1];
} damage_map;

/* All fields of a well-formed cubin. False when it cannot be read. */
bool damage_map_make(damage_map *map, const uint8_t *bytes, size_t size);
void damage_map_free(damage_map *map);
/* The field that holds the byte, or NULL (padding). */
const damage_field *damage_map_find(const damage_map *map, uint64_t offset);

/* A job of the corpus that links. */
typedef struct damage_base {
  char *job;       /* "cuda/calls/sm_90/plain" */
  char *directory; /* where its files are */
  string_list arguments;
  string_list files; /* the inputs, as the command line has them */
} damage_base;

typedef struct damage_bases {
  damage_base *items;
  size_t count, room;
} damage_bases;

/* Finds every job under cuda/, synthetic/ and vendor-defects/ that links, whose inputs are small enough and whose command
 * line has the word (NULL: any). */
bool damage_bases_load(damage_bases *bases, const char *corpus, const char *word);
void damage_bases_free(damage_bases *bases);

/* `width` 0: the file is cut at `offset`. */
typedef struct damage_change {
  uint64_t offset, value;
  unsigned width;
} damage_change;

typedef struct damage_case {
  const damage_base *base;
  size_t file;    /* the damaged one */
  bool alone;     /* without the job's other files */
  uint8_t *bytes; /* of that file, not damaged */
  size_t size;
  damage_map map;
  damage_change changes[DAMAGE_CHANGES];
  size_t change_count;
} damage_case;

/* The case of a number: the same for ever as long as the corpus and the mutator are the same. */
void damage_case_make(damage_case *one, const damage_bases *bases, uint64_t seed);
/* "JOB FILE alone|beside OFFSET:WIDTH=VALUE[,...]", numbers in hexadecimal, "cut=OFFSET". */
void damage_case_print(const damage_case *one, text_buffer *text);
/* Reads such a line up to its end or to " |". False if the corpus has no such job or file, or the line is none. */
bool damage_case_parse(damage_case *one, const damage_bases *bases, const char *line);
void damage_case_free(damage_case *one);
/* The damaged bytes; the caller frees them. */
uint8_t *damage_case_bytes(const damage_case *one, size_t *size);
/* The names of the changed fields, joined with " + ". */
void damage_case_fields(const damage_case *one, char *name, size_t size);

typedef enum damage_fate { DAMAGE_LINKS, DAMAGE_REFUSES, DAMAGE_CRASHES, DAMAGE_HANGS, DAMAGE_FATES } damage_fate;

typedef struct damage_answer {
  damage_fate fate;
  int exit_code;
  uint8_t *output; /* NULL: none */
  size_t output_size;
  char *text; /* standard error */
  size_t text_size;
  uint64_t memory; /* largest resident size, bytes */
  double seconds;
} damage_answer;

void damage_answer_free(damage_answer *answer);
/* The last line of the messages that is an error, or else the last, without what stands in quotes. */
void damage_line(const damage_answer *answer, char *line, size_t size);

/* What all links of a campaign share. */
typedef struct damage_settings {
  char linker[DAMAGE_PATH], reference[DAMAGE_PATH]; /* reference "": not installed */
  const char *word;                                 /* one more for every link, or NULL */
  double seconds;
  bool unlimited; /* no bound on memory: a sanitizer's program */
  bool ours_only; /* without nvlink, and with the linker that this program has in it, in this process */
} damage_settings;

typedef enum damage_who { DAMAGE_NVLINK, DAMAGE_COMPATIBLE, DAMAGE_DEFAULT } damage_who;

/* Links the case in `directory`, which is the caller's and holds nothing that must stay. False if nothing could be run. */
bool damage_link(const damage_settings *settings, const damage_case *one, damage_who who, const char *directory,
                 damage_answer *answer);
/* What is wrong with an answer of ours whatever nvlink says, or NULL: crash, hang, partial output, memory, output. */
const char *damage_check(const damage_settings *settings, const damage_case *one, const damage_answer *ours,
                         size_t nvlink_output);

/* The result of one case, as the record has it. */
typedef enum damage_same { DAMAGE_SAME, DAMAGE_OTHER, DAMAGE_REFUSED, DAMAGE_SAMES } damage_same;
#define DAMAGE_UNDAMAGED "undamaged too: "
typedef struct damage_verdict {
  damage_fate fate; /* of nvlink */
  damage_same ours; /* compatible mode: same bytes, other bytes, refused */
  bool same_text;
  bool unstable;              /* nvlink does not give the same answer twice */
  damage_same usual;          /* default mode: linked the same, linked otherwise, refused */
  char key[DAMAGE_KEY];       /* what differs: a message, a section of the output; "" when nothing does */
  char usual_key[DAMAGE_KEY]; /* why default mode refuses; behind DAMAGE_UNDAMAGED where it does so undamaged too */
  char failure[DAMAGE_KEY];   /* of ours, "" when there is none */
} damage_verdict;

bool damage_compare(const damage_settings *settings, const damage_case *one, const char *directory,
                    damage_verdict *verdict);

/* A row of the table of causes: differences that are known, each with its rule. Patterns are matched as a shell does. */
typedef struct damage_cause {
  const char *name, *fields, *key;
  int fate, ours; /* damage_fate and damage_same; -1: any */
} damage_cause;

/* Ends with a row whose name is NULL. */
extern const damage_cause damage_causes[];
/* The first row that fits, or NULL. */
const damage_cause *damage_cause_find(const char *fields, const damage_verdict *verdict);

/* A campaign's figures. */
typedef struct damage_count {
  char *name;
  size_t count;
} damage_count;
typedef struct damage_counts {
  damage_count *items;
  size_t count, room;
} damage_counts;

typedef struct damage_report {
  size_t table[DAMAGE_FATES][DAMAGE_SAMES], usual[DAMAGE_FATES][DAMAGE_SAMES];
  size_t cases, same_text, same_linked_text, unstable, refused_undamaged, failures, unnamed;
  damage_counts causes, unnamed_keys, refusals, refused_fields, failed;
} damage_report;

void damage_report_add(damage_report *report, const char *line, const char *fields, const damage_verdict *verdict);
/* True when nothing failed and every difference has a name. */
bool damage_report_print(damage_report *report, FILE *to);
/* The same of a campaign without nvlink: what was linked, what was refused and what failed. */
bool damage_report_print_ours(damage_report *report, FILE *to);
/* The figures as JSON; `nvlink`: whether it answered, else its numbers are left out. */
bool damage_report_write_json(const damage_report *report, bool nvlink, const char *path);
void damage_report_free(damage_report *report);

/* Makes the cases first .. first + count - 1 that are not `done` (by number), damages and links them with the linker in this
 * program, in both modes, many in one child process, and adds them to the record. A child that ends or hangs is the failure
 * of the case that it had begun. False when nothing could be run. */
bool damage_run_ours(const damage_settings *settings, const damage_bases *bases, const bool *done, uint64_t first,
                     uint64_t count, const char *record);

/* Runs nvlink on the case three times and writes a stored case; false when it did not answer the same each time. */
bool damage_store_case(const damage_settings *settings, const damage_case *one, const char *directory, FILE *to);
/* Reads the case of a stored line. False when this corpus has no such job, or other files in it than at that time. */
bool damage_stored_is_current(const damage_bases *bases, const char *line, damage_case *one);
/* Links a stored case with twinlink, in both modes, and adds what came of it to the report; `line` is changed. False when
 * the line is no stored case of this corpus. */
bool damage_replay_case(const damage_settings *settings, const damage_bases *bases, char *line, const char *directory,
                        damage_report *report);

/* Gives `count` more damaged inputs to nvlink alone and adds what it prints to the record `path`, which goes on where it
 * ended (`seed` when it is new). False when nvlink could not be run or the record not be read or written. */
bool damage_printed_run(const damage_settings *settings, const damage_bases *bases, const char *path, uint64_t seed,
                        uint64_t count, const char *directory);

/* A line of the record, and back. */
void damage_record_write(FILE *record, uint64_t seed, const char *line, const char *fields,
                         const damage_verdict *verdict);
bool damage_record_read(char *text, uint64_t *seed, const char **line, const char **fields, damage_verdict *verdict);

#endif
