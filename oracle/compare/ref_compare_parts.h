/* What the files of oracle/compare/ share: the context of one comparison and one function a kind of content. */
#ifndef REF_COMPARE_PARTS_H
#define REF_COMPARE_PARTS_H

#include "ref_compare.h"
#include "ref_pair.h"
#include "ref_text.h"
#include "ref_view.h"

typedef struct ref_context {
  ref_comparison *result;
  const ref_view *a, *b;
  const ref_view *inputs;
  size_t input_count;
} ref_context;

/* Adds a difference; takes over `a` and `b` (NULL: nothing on that side), copies the rest. */
void ref_report(ref_comparison *result, const char *key, const char *where, const char *what, char *a, char *b);
/* The same for a difference that only follows from another one. */
void ref_report_follows(ref_comparison *result, const char *key, const char *where, const char *what, char *a, char *b);
/* Reports when the two texts differ, takes over both. Returns whether they did. */
bool ref_report_texts(ref_comparison *result, const char *key, const char *where, const char *what, ref_text *a,
                      ref_text *b);
/* Reports when the two numbers differ, in hexadecimal. */
void ref_report_numbers(ref_comparison *result, const char *key, const char *where, const char *what, uint64_t a,
                        uint64_t b);
/* Two lists of labelled entries whose partners were found: what is missing, what is extra, whether the order differs.
 * `prefix`.missing, `prefix`.extra and `prefix`.order are the keys. */
void ref_report_pairing(ref_comparison *result, const char *prefix, const char *where, const char *what,
                        ref_pairing *pairing, char *const *a, char *const *b);
/* The order alone; counts it first. */
void ref_report_order(ref_comparison *result, const char *prefix, const char *where, const char *what,
                      ref_pairing *pairing, char *const *a, char *const *b);
/* What is left of two sections behind their last whole record. */
void ref_report_rest(ref_comparison *result, const char *key, const char *where, const ref_section *a, uint64_t a_from,
                     const ref_section *b, uint64_t b_from);
char *ref_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ref_free_labels(char **labels, size_t count);

/* The header's plain fields; with `references` also those that lead to sections and tables, as numbers. */
void ref_compare_header(ref_comparison *result, const uint8_t *a, const uint8_t *b, bool references);
/* Those fields by what they lead to. */
void ref_compare_header_references(const ref_context *context);
/* `pairing` matches the sections of a and b. */
void ref_compare_section_headers(const ref_context *context, const ref_pairing *pairing);
void ref_compare_padding(const ref_context *context, const ref_pairing *pairing);
void ref_compare_segments(const ref_context *context);
void ref_compare_strings(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_symbols(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_relocations(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_attributes(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_compat(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_callgraph(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_prototypes(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_notes(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_text(const ref_context *context, uint32_t a, uint32_t b);
void ref_compare_data(const ref_context *context, uint32_t a, uint32_t b);

/* What lies at a file offset, from the map of one file: `key` (to be freed) and words. Returns the number of bytes from
 * there on that belong to the same thing, at least 1. */
uint64_t ref_locate(const ref_view *view, uint64_t offset, char **key, ref_text *words);

/* The strings of one note record, shared with the dump. */
typedef struct ref_note {
  uint32_t type, name_size, descriptor_size;
  const uint8_t *owner, *descriptor; /* NULL when they do not fit in the section */
} ref_note;

enum { REF_TOOL_STRINGS = 5 };
extern const char *const ref_tool_string_names[REF_TOOL_STRINGS];

/* Steps through a note section; false at the end or when the rest is no record. */
bool ref_next_note(const ref_section *section, uint64_t *position, ref_note *note);
/* String `which` (0..4) of a tool note; false when its offset lies outside the descriptor. */
bool ref_tool_string(const ref_note *note, size_t which, ref_text *text);

/* The four parts of .nv.callgraph (F75). */
enum { REF_CALLGRAPH_PARTS = 4 };
typedef struct ref_callgraph_part {
  const char *key, *words;
} ref_callgraph_part;
extern const ref_callgraph_part ref_callgraph_parts[REF_CALLGRAPH_PARTS];
/* A pair in words; moves *part on when the pair is a part's header (REF_CALLGRAPH_PARTS before the first one). */
void ref_add_callgraph_pair(ref_text *text, const ref_view *view, const uint8_t *at, size_t *part);
void ref_add_relocation(ref_text *text, const ref_view *view, uint32_t section, const ref_relocation *relocation);
bool ref_section_is_relocation(const ref_section *section);
bool ref_section_has_name(const ref_section *section, const char *prefix);

#endif
