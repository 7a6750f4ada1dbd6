/* The writer of capsule links (M3): joins the Mercury view, linked by the ordinary rules, with the SASS view, linked by the
 * same rules from the same files, into one output. */
#ifndef TL_FINALIZE_FINALIZE_H
#define TL_FINALIZE_FINALIZE_H

#include "plan/plan.h"

/* One view after all stages. `image` is the view's own output file, from which its sections' bytes are taken. */
typedef struct tl_linked_view {
  const tl_module *module;
  const tl_emitted *emitted;
  const tl_plan *plan;
  const uint8_t *image;
} tl_linked_view;

/* A kernel whose SASS text nvlink makes anew (M42-M45), and what was done about it. */
typedef enum tl_remake {
  TL_REMAKE_NONE,
  TL_REMAKE_SURE,   /* M45: made here in the same way */
  TL_REMAKE_UNSURE, /* M45, L908: its ways are not known, the input's text stays */
  TL_REMAKE_FENCE,  /* M44: the input's text stays */
  TL_REMAKE_DEBUG,  /* M43: the input's text stays */
  TL_REMAKE_OPENED, /* L723: the input's text stays */
  TL_REMAKE_SHOWN   /* M43, L134: error barriers were put in in the same way */
} tl_remake;

/* Why, in a few words. */
const char *tl_remake_text(tl_remake what);

typedef struct tl_remade {
  uint32_t symbol; /* of the Mercury module */
  tl_remake what;
} tl_remade;

/* A section of the output, for the map. */
typedef struct tl_final_place {
  const char *name;
  uint64_t offset, size;
} tl_final_place;

typedef struct tl_finalized {
  tl_plan plan;
  TL_VECTOR(tl_final_place) places; /* in output order, without the null section */
  TL_VECTOR(tl_remade) remade;      /* in output order, without TL_REMAKE_NONE */
} tl_finalized;

/* Fatal E91 of what the link wrote over the beginning of an instruction of Mercury's code (L1308). */
void tl_finalize_check_code(const tl_relocated *mercury, const tl_module *module);
/* Turns what is written into Mercury text, whose offsets count decoded instructions, into writes to the capsules' records
 * (M22) and to the SASS instructions (L1507), of which loads of textures read from the place `table`. Before the views' images
 * are made. */
void tl_finalize_capsules(tl_relocated *mercury, const tl_module *module, tl_relocated *sass,
                          const tl_module *sass_module, uint64_t table, tl_arena *arena);
/* Joins the views. An output of more than `limit` bytes is fatal (T2); so are views that describe different programs. */
void tl_finalize(tl_finalized *finalized, const tl_linked_view *mercury, const tl_linked_view *sass, tl_arena *arena,
                 uint64_t limit);

#endif
