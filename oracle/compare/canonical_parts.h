/* What the files of the canonical form share: one link with its fields taken out and its labels. */
#ifndef REF_CANONICAL_PARTS_H
#define REF_CANONICAL_PARTS_H

#include "canonical.h"
#include "check_parts.h"
#include "ref_view.h"

/* A field that the link applied: its bits are zero in `masked`, and this is said instead. */
typedef struct canonical_site {
  uint32_t section;
  uint64_t offset;
  char *text;      /* type and target; for a field into a debug section the type alone */
  uint32_t into;   /* that debug section of the output; else 0 */
  uint64_t target; /* the place in it */
  bool gone;       /* of frames: it is about a body that is not in the output, and nothing is said (L487) */
} canonical_site;

/* A piece of a debug section that other sections refer to as a whole. */
typedef struct canonical_unit {
  uint32_t section;
  uint64_t offset, size;
  uint64_t hash;     /* of its bytes without fields */
  bool left;         /* a frame, or its common part, of a body that was replaced (L963) */
  uint32_t function; /* of the first frame of a function with several bodies: its symbol (L1056), else 0 */
} canonical_unit;

/* A function's compiler constants, as its loads say where they stand (L992). */
typedef struct canonical_block {
  uint32_t input, source; /* whose section of an input */
  uint64_t offset, size;  /* in the images of the output */
} canonical_block;

typedef struct canonical_context {
  ref_canonical *form;
  const ref_cubin *capsule; /* in a view of one: the whole file */
  bool mercury;             /* the view */
  const char *prefix;       /* before every sentence */
  ref_check_context check;
  ref_view view;         /* with labels that do not depend on order */
  uint8_t **masked;      /* of every section with bytes: a copy without the applied fields */
  canonical_site *sites; /* ordered by section and offset */
  size_t site_count, site_capacity;
  canonical_unit *units; /* ordered by section and offset */
  size_t unit_count, unit_capacity;
  canonical_block *blocks; /* of the Mercury view */
  size_t block_count;
  bool *reads;  /* by section: code that reads compiler constants */
  bool *unread; /* by section: compiler constants that no code reads (L792) */
  bool *stray;  /* by section: those of no kernel */
} canonical_context;

void canonical_say(canonical_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
void canonical_say_size(canonical_context *context, const char *label, uint64_t size);
/* The bytes of a section from `from` on, 16 a sentence, and the fields in them, as places of `label`. */
void canonical_say_bytes(canonical_context *context, const char *label, uint32_t section, uint64_t from, uint64_t size);

/* canonical_sites.c: fills `masked` and `sites`. */
void canonical_sites_make(canonical_context *context);
void canonical_site_add(canonical_context *context, canonical_site site);
void canonical_sites_free(canonical_context *context);
/* The first site at or behind a place. */
size_t canonical_sites_from(const canonical_context *context, uint32_t section, uint64_t offset);
/* True for the place of a field in the frames of a body that lost (L487). */
bool canonical_site_is_gone(const canonical_context *context, uint32_t section, uint64_t offset);

/* canonical_records.c: the fields in the records of a text's piece, in the Mercury view. */
void canonical_records_make(canonical_context *context, const check_piece *piece);

/* canonical_blocks.c: whether a section is an image of compiler constants, or a function's own. */
bool canonical_block_is_of(const ref_section *section);
/* Whether a section of an input stands at that place of some image; the place is noted. */
bool canonical_block_add(canonical_context *context, uint32_t input, uint32_t source, uint64_t offset);
void canonical_say_blocks(canonical_context *context, uint32_t image);

/* canonical_remade.c: the input text that became the output's of `piece->section`; false where that is not known. */
bool canonical_remade_source(const canonical_context *context, const check_contest *contest, check_piece *piece);
/* The fields of a text that no input has in this size (L962). */
void canonical_remade_make(canonical_context *context, const check_contest *contest, const check_piece *text);

/* canonical_constants.c: which compiler constants nobody reads; after the sites, which fill `reads`. */
void canonical_constants_make(canonical_context *context);
void canonical_constants_free(canonical_context *context);

/* canonical_labels.c: gives what has one name several times a label by its contents. */
void canonical_labels_make(canonical_context *context);
/* What a section of entries about code is called: as the code, whatever number stands behind its name (L895); its label, or
 * its name. NULL where it is called otherwise; the caller frees it. */
char *canonical_section_name(const canonical_context *context, uint32_t index, bool label);
uint64_t canonical_hash(const canonical_context *context, uint32_t section, uint64_t from, uint64_t size);

/* canonical_debug.c: cuts the debug sections into units, and says them. */
void canonical_units_make(canonical_context *context);
void canonical_say_debug(canonical_context *context);
/* Where a field into a debug section leads: its unit by contents, and the place in it. The caller frees it. */
char *canonical_unit_place(const canonical_context *context, uint32_t section, uint64_t offset);
/* The size of the unit at a place, 0 where none fits there: four bytes of length, or as many of them set and eight more. */
uint64_t canonical_unit_size(const ref_section *section, uint64_t at);

/* canonical_frames.c: in a view of a capsule, takes the pointers of frames to their common parts out of a section, and says
 * them as places; before the others. */
void canonical_frames_point(canonical_context *context, uint32_t section);
/* Which of a section's units, the last ones from `from` on, a replaced body left, and which have its steps. */
void canonical_frames_mark(canonical_context *context, uint32_t section, size_t from);
void canonical_frame_say(canonical_context *context, const canonical_unit *unit);

#endif
