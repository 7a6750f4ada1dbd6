/* A cubin with a label for every section and symbol, so that everything can be said by name.
 *
 * A label is a name that occurs once in its file: the second section or symbol of a name gets `#2` (local functions of
 * equal names have sections of their own, W3.5). Two cubins are matched by label, never by index: an index that differs
 * although it leads to the same label is a consequence of another order, not a difference of its own. */
#ifndef REF_VIEW_H
#define REF_VIEW_H

#include "ref_cubin.h"
#include "ref_text.h"

typedef struct ref_view {
  const ref_cubin *cubin;
  const char *file; /* as the user named it; "" when unknown */
  char **sections, **symbols;
  uint32_t *placed; /* symbols that lie in sections, ordered by section and value */
  size_t placed_count;
  uint32_t *by_label; /* section indices ordered by label */
} ref_view;

enum { REF_NO_INDEX = 0xffffffff };

void ref_view_make(ref_view *view, const ref_cubin *cubin, const char *file);
void ref_view_free(ref_view *view);

/* The section of that label, REF_NO_INDEX when there is none. */
uint32_t ref_view_find_section(const ref_view *view, const char *label);
void ref_add_section_label(ref_text *text, const ref_view *view, uint32_t section);
void ref_add_symbol_label(ref_text *text, const ref_view *view, uint32_t symbol);
/* st_shndx in words: a section, undefined, absolute, common. */
void ref_add_symbol_section(ref_text *text, const ref_view *view, const ref_symbol *symbol);
/* A byte of a section: function or variable plus offset where a symbol covers it, otherwise section plus offset. */
void ref_add_place(ref_text *text, const ref_view *view, uint32_t section, uint64_t offset);
/* sh_link and sh_info by what they mean for that section (W1.6). */
void ref_add_section_link(ref_text *text, const ref_view *view, uint32_t section);
void ref_add_section_info(ref_text *text, const ref_view *view, uint32_t section);
/* The part of ".text.k", ".nv.info.k", ".rela.text.k" that names the function; "" for sections of the module. */
const char *ref_section_owner(const char *name);
/* A string of the symbol string table, in quotes. */
void ref_add_prototype(ref_text *text, const ref_view *view, uint32_t offset);
/* An attribute's payload in words, every byte of it. */
void ref_add_attribute_value(ref_text *text, const ref_view *view, const ref_attribute *attribute);
/* Appends "#2", "#3", ... to labels that occur again. */
void ref_number_duplicates(char **labels, size_t count);

#endif
