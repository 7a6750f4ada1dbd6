/* One row an option: its spellings, what follows it, and where it goes (C48, C61). The order of the rows is the order in
 * which the tool note records options (C61). */
#ifndef TL_CATALOG_OPTION_H
#define TL_CATALOG_OPTION_H

#include "twinlink.h"

#include <stddef.h>

typedef enum tl_option_kind {
  TL_OPTION_FLAG,
  TL_OPTION_VALUE,
  TL_OPTION_LIST,         /* values at commas, repeated options add to it */
  TL_OPTION_TRUTH,        /* true or false */
  TL_OPTION_NUMBER,       /* 32 bits with a sign, decimal, octal or 0x */
  TL_OPTION_CHOICE,       /* one of `choices` */
  TL_OPTION_OPTIONAL,     /* the same; a following word with a dash is not its value */
  TL_OPTION_OPTIONS_FILES /* a list of files with more options (C49) */
} tl_option_kind;

typedef enum tl_option_note {
  TL_NOTE_NEVER,
  TL_NOTE_ALWAYS,
  TL_NOTE_FULL /* only with -g or -verbose-tkinfo=true (C61, C80) */
} tl_option_note;

/* Sets of values. */
typedef enum tl_option_choices {
  TL_CHOICES_ANY,
  TL_CHOICES_ARCH,
  TL_CHOICES_CPU,
  TL_CHOICES_MACHINE,
  TL_CHOICES_SCRIPT,
  TL_CHOICES_FAST_COMPILE,
  TL_CHOICES_IDENTITY,
  TL_CHOICES_NOT_NEGATIVE
} tl_option_choices;

typedef enum tl_option_id {
#define TL_OPTION(id, long_name, short_name, kind, choices, note, field, help) TL_OPT_##id,
#include "catalog/option_rows.h"
#undef TL_OPTION
  TL_OPT_COUNT
} tl_option_id;

#define TL_NO_FIELD SIZE_MAX

typedef struct tl_option_row {
  const char *long_name;  /* behind "--" */
  const char *short_name; /* behind "-"; NULL when there is none */
  tl_option_kind kind;
  tl_option_choices choices;
  tl_option_note note;
  size_t field;     /* offset in tl_options of the bool, text or tl_list that takes the value, or TL_NO_FIELD */
  const char *help; /* "" for options that only nvcc passes */
} tl_option_row;

const tl_option_row *tl_option_row_of(tl_option_id id);
/* The option that the first `length` bytes of `word` spell, dashes included; TL_OPT_COUNT for none. */
tl_option_id tl_option_find(const char *word, size_t length);
bool tl_option_takes(const tl_option_row *row, const char *value);

#endif
