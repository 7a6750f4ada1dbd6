/* What `twin coverage` says: the table by room, the list of what is uncovered, floors and goals. */
#ifndef TWIN_COVERAGE_REPORT_H
#define TWIN_COVERAGE_REPORT_H

#include "coverage.h"

enum { COVERAGE_FLOORS = 16 };
#define COVERAGE_ANY "..." /* in a row's file, function or text: any text */

/* Why no input reaches a line: found by file, function and the line's text, so that it does not move with the lines. */
typedef struct coverage_reason {
  const char *file, *function, *text, *why;
  bool used;
} coverage_reason;

typedef struct coverage_floor {
  char room[128];
  coverage_what what;
  double least, goal; /* what is enforced, and what is aimed at; percent */
} coverage_floor;

typedef struct coverage_report {
  const char *root;        /* of the sources */
  coverage_set all, tests; /* by everything; by the tests that do not go through the corpus's jobs */
  coverage_reason *reasons;
  char *reason_text;
  size_t reason_count;
  coverage_floor floors[COVERAGE_FLOORS];
  size_t floor_count;
  FILE *list;               /* of uncovered places, or NULL */
  size_t places, explained; /* uncovered lines and lines with uncovered branches; those with a reason */
} coverage_report;

/* Lines FILE, FUNCTION, the line's text, REASON, with tabs between. False after a line on stderr when one is not so. */
bool coverage_report_read_reasons(coverage_report *report, const char *path);
/* Lines ROOM lines|branches|conditions FLOOR GOAL. */
bool coverage_report_read_floors(coverage_report *report, const char *path);
/* Finds what is uncovered, counts it, and writes the list. */
void coverage_report_list(coverage_report *report);
/* How many reasons stand for nothing uncovered, rules with COVERAGE_ANY aside; a line each on stdout. After coverage_report_list. */
size_t coverage_report_stale(const coverage_report *report);
/* How many floors are broken; a line each floor on stdout. */
size_t coverage_report_floors(const coverage_report *report);
void coverage_report_print(const coverage_report *report);
/* Directories with counted files, sorted, to be freed. */
string_list coverage_report_rooms(const coverage_report *report);
bool coverage_report_write(const coverage_report *report, const char *path);
void coverage_report_free(coverage_report *report);

#endif
