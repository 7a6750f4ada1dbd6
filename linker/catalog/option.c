/* catalog/option.c: the rows of catalog/option_rows.h, found by spelling. */
#include "catalog/option.h"

#include "catalog/architecture.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const tl_option_row rows[TL_OPT_COUNT] = {
#define TL_OPTION(id, long_name, short_name, kind, choices, note, field, help)                                         \
  [TL_OPT_##id] = {long_name, short_name, TL_OPTION_##kind, TL_CHOICES_##choices, TL_NOTE_##note, field, help},
#include "catalog/option_rows.h"
#undef TL_OPTION
};

/* Each set ends with NULL; the sets that tl_option_takes decides itself are not here. */
static const char *const choices[][8] = {
    [TL_CHOICES_CPU] = {"AARCH64", "ARMv7", "PPC64LE", "X86", "X86_64", "unknown"},
    [TL_CHOICES_SCRIPT] = {"lcs-abs", "lcs-aug"},
    [TL_CHOICES_IDENTITY] = {"twinlink", "nvlink"},
};

const tl_option_row *tl_option_row_of(tl_option_id id) {
  return &rows[id];
}

static bool option_is_spelled(const char *name, const char *word, size_t length) {
  return name && length && *name == *word && strlen(name) == length && memcmp(name, word, length) == 0;
}

tl_option_id tl_option_find(const char *word, size_t length) {
  const bool is_long = length > 1 && word[1] == '-';
  const size_t dashes = is_long ? 2 : 1;
  for (size_t i = 0; i < TL_OPT_COUNT; i++)
    if (option_is_spelled(is_long ? rows[i].long_name : rows[i].short_name, word + dashes, length - dashes))
      return (tl_option_id)i;
  return TL_OPT_COUNT;
}

bool tl_option_takes(const tl_option_row *row, const char *value) {
  switch (row->choices) {
  case TL_CHOICES_ANY:
  case TL_CHOICES_FAST_COMPILE: /* nvlink looks at this value only once it optimises */
    return true;
  case TL_CHOICES_ARCH:
    return tl_architecture_find(value) != NULL;
  case TL_CHOICES_MACHINE:
    return strtol(value, NULL, 0) == 64;
  case TL_CHOICES_NOT_NEGATIVE:
    return strtol(value, NULL, 0) >= 0;
  default:
    for (const char *const *choice = choices[row->choices]; *choice; choice++)
      if (strcmp(*choice, value) == 0)
        return true;
    return false;
  }
}
