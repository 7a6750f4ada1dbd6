/* Diagnostics as records. Stages add records in the order in which nvlink finds the same things (C76-C78, C84); they
 * never print. A fatal record ends the link: adding one jumps to tl_link's single exit (C71). */
#ifndef TL_BASE_DIAGNOSTICS_H
#define TL_BASE_DIAGNOSTICS_H

#include "base/vector.h"

/* One row of catalog/message: the text has %s, %u and %x (tl_arena_format). */
typedef struct tl_message_row {
  const char *code;
  tl_severity severity;
  const char *text;
} tl_message_row;

/* Where the thing said lies; NULL and TL_NO_OFFSET where that does not apply. */
typedef struct tl_site {
  const char *file, *section, *symbol;
  uint64_t offset;
} tl_site;
#define TL_NO_OFFSET UINT64_MAX

typedef struct tl_diagnostics {
  tl_arena *arena;
  const tl_options *options;
  TL_VECTOR(tl_message) messages;
  uint64_t said[2]; /* bits for what is said once in a link */
  unsigned errors;  /* counted: errors and, with -Werror, warnings (C50b) */
  bool holds;       /* a refusal waits for what nvlink has to say */
  tl_message held;  /* it */
  jmp_buf *on_fatal;
} tl_diagnostics;

/* `options` is NULL as long as the command line is read. */
void tl_diagnostics_init(tl_diagnostics *diagnostics, tl_arena *arena, const tl_options *options, jmp_buf *on_fatal);
/* Adds a record with the row's text, filled from the arguments after `detail` (tl_arena_format: %u and %x take uint64_t);
 * does not return when the row is fatal. `detail` (may be NULL) is a line of our own, kept as it is. */
void tl_diagnostics_add(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, const char *detail, ...);
/* The same of a row that is fatal: it never returns. */
_Noreturn void tl_diagnostics_end(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site,
                                  const char *detail, ...);
/* Adds a record without ending the link even when the row is fatal: the first of two fatal lines (C20 G, C43). */
void tl_diagnostics_add_before(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, ...);
/* L560: a fatal record that counts only where the link comes to its end without another. nvlink goes on over what is
 * wrong there, so that it may refuse the input for another reason. The first one held stays. */
void tl_diagnostics_hold(tl_diagnostics *diagnostics, const tl_message_row *row, tl_site site, const char *detail, ...);
/* Adds what is held, which ends the link. */
void tl_diagnostics_release(tl_diagnostics *diagnostics);
/* A line that is printed as it is, without program name and severity (the call-graph dump, C57); `text` must live as long
 * as the arena, and the record's code is empty. */
void tl_diagnostics_add_plain(tl_diagnostics *diagnostics, const char *text);

#endif
