/* The invariants of one link, over its inputs and its output: what must be true of an output whoever made it.
 *
 * Each invariant is one row (ref_check_rows) and one function. `unconditional` ones hold for every output, whatever the
 * inputs were; `inherited` ones hold when the inputs hold them. A check needs neither the linker nor the reference: it
 * reads the files, puts every input relocation beside the bytes that the link made of it, and says what does not follow.
 * The list, with what each can and cannot see: docs/specification/check.md. */
#ifndef REF_CHECK_H
#define REF_CHECK_H

#include "ref_cubin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct ref_check_file {
  const char *name; /* as the user knows it */
  const ref_cubin *cubin;
} ref_check_file;

/* Without inputs only what the output alone shows is checked. */
typedef struct ref_check_link {
  ref_check_file output;
  const ref_check_file *inputs; /* in the order of the command line; all of them cubins that the link took */
  size_t input_count;
} ref_check_link;

typedef enum ref_check_class { REF_CHECK_UNCONDITIONAL, REF_CHECK_INHERITED } ref_check_class;

typedef struct ref_check_context ref_check_context;

typedef struct ref_check_row {
  const char *name;
  ref_check_class class;
  bool needs_inputs;
  void (*run)(ref_check_context *context);
  const char *sentence;
} ref_check_row;

extern const ref_check_row ref_check_rows[];
extern const size_t ref_check_row_count;

typedef struct ref_check_finding {
  const ref_check_row *row;
  uint32_t section; /* of the output; 0 when it is about none */
  uint64_t offset;  /* in that section, or in the file */
  bool in_input;    /* an inherited invariant that the input broke already, at the same place */
  char *text;
} ref_check_finding;

/* One field that the link wrote: how far its value is from the first one that does not fit. */
typedef struct ref_check_near {
  uint32_t section, type;
  uint64_t offset, value, slack;
} ref_check_near;

typedef struct ref_check_report {
  ref_check_finding *findings;
  size_t count, capacity;
  size_t broken, in_inputs; /* how many were found: broken by the link, or in its inputs already; all, listed or not */
  size_t remade;            /* of those broken: about frames and lines of a capsule that are made anew (M24, M25) */
  ref_check_near *near;     /* ascending slack */
  size_t near_count, near_capacity;
  size_t bytes_explained, fields_checked, entries_kept; /* how much was compared */
} ref_check_report;

enum { REF_CHECK_FINDINGS_MAX = 100 };

void ref_check(ref_check_report *report, const ref_check_link *link);
void ref_check_free(ref_check_report *report);

/* Compares the text of a link map with the link; one line for each contradiction goes to `to`. Returns how many (L340). */
size_t ref_check_map(const ref_check_link *link, const char *map, FILE *to);

/* One line a finding: "name (class): section+0xoffset: what is wrong". `near` of the closest fields follow. */
void ref_check_print(FILE *to, const ref_check_report *report, const ref_check_link *link, size_t near);

#endif
