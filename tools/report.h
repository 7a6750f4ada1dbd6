/* The page that shows what was measured (`twin report`): records that commands kept are read, sections are built as JSON,
 * and the page is written from that JSON. No figure comes from anywhere else; what nobody measured is shown as not measured.
 *
 * A record is a file that `twin record` wrote: who made it (command, commit, date, exit code) and the command's own JSON. */
#ifndef TWIN_REPORT_H
#define TWIN_REPORT_H

#include "files.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { REPORT_AGE_UNKNOWN = -1 };

typedef struct report_record {
  char *file; /* its name */
  cJSON *root;
  const cJSON *data;
  const char *name, *command, *commit, *date;
  int exit_code;
  bool dirty;
  int age; /* commits since then; REPORT_AGE_UNKNOWN: not on this branch */
} report_record;

typedef struct report_input {
  report_record *records; /* newest first */
  size_t count;
  string_list log;    /* commits, newest first; may be empty */
  string_list broken; /* files that are no record */
  const char *root;   /* of the tree */
  const char *link;   /* from the page to the tree: "../" */
  const char *fuzz;   /* the file that campaigns append to */
} report_input;

/* --- reading --- */
/* All records of `directory` and of `kept` (NULL: none), one that lies in both once. */
bool report_load(report_input *input, const char *directory, const char *kept, const char *log);
void report_unload(report_input *input);
/* The newest record of that name; NULL when there is none. */
const report_record *report_newest(const report_input *input, const char *name);
/* How many commits ago; by the first characters of the commit's id. */
int report_age(const report_input *input, const char *commit);
/* A number or a word below data, 0 or "" when it is not there. */
double report_number(const cJSON *data, const char *name);
const char *report_word(const cJSON *data, const char *name);

/* --- keeping --- */
/* Of what was loaded, the newest record of every command that was made on an unchanged tree goes to `kept`, and what was kept
 * of the same command before goes away there. Commands that differ in their seeds alone are one. False: not written. */
bool report_keep(const report_input *input, const char *directory, const char *kept);

/* --- building: sections hold tables and plots --- */
cJSON *report_section(cJSON *report, const char *id, const char *title, const char *about);
/* Columns are separated by '|'; a column whose name begins with '#' holds numbers. */
cJSON *report_table(cJSON *section, const char *title, const char *columns);
cJSON *report_row(cJSON *table);
void report_cell(cJSON *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_cell_share(cJSON *row, double part, double whole);
void report_cell_link(cJSON *row, const char *text, const char *address);
/* Colours the last cell: "good", "bad" or "open". */
void report_mark(cJSON *row, const char *mark);
/* Command, commit, date and age as four cells (REPORT_SOURCE_COLUMNS). */
void report_cells_source(cJSON *row, const report_record *record);
#define REPORT_SOURCE_COLUMNS "command|commit|date|age"
/* Who made the whole table. */
void report_source(cJSON *table, const report_record *record);
void report_source_file(cJSON *table, const char *file, const char *command);
/* Says in the section that nothing was measured, and what would do it. */
void report_missing(cJSON *section, const char *what, const char *command);
/* Bars from 0 to `most`, of which `goal` (0: none) is marked. */
cJSON *report_plot(cJSON *section, const char *title, const char *unit, double most);
void report_bar(cJSON *plot, const char *label, double value, double goal);

/* --- sections --- */
void report_corpus(cJSON *report, const report_input *input);     /* identity, voters */
void report_invariants(cJSON *report, const report_input *input); /* tests with their counts */
void report_programs(cJSON *report, const report_input *input);   /* random programs, damaged inputs */
void report_faults(cJSON *report, const report_input *input);
void report_campaigns(cJSON *report, const report_input *input);
void report_coverage(cJSON *report, const report_input *input);
void report_speed(cJSON *report, const report_input *input);
void report_defects(cJSON *report, const report_input *input);
void report_release(cJSON *report, const report_input *input);

/* --- the page --- */
void report_write_page(const cJSON *report, text_buffer *page);
void report_write_plot(const cJSON *plot, text_buffer *page);
/* Text with what HTML and SVG reserve replaced. */
void report_write_text(text_buffer *page, const char *text);

#endif
