/* The two views of a capsule (M1), each as a cubin by itself.
 *
 * nvlink links the Mercury view under plain names and then mirrors it beside the SASS view (M3, M7). Here the mirroring is
 * undone: what holds for the sections of an ordinary cubin can then be asked of each view. Section numbers stay what they
 * are in the file; a section of the other view is an empty one without name and type. */
#ifndef REF_CAPSULE_H
#define REF_CAPSULE_H

#include "ref_cubin.h"

/* Neither view owns bytes or names: both live as long as the capsule they were made of. */
typedef struct ref_capsule {
  ref_cubin sass, mercury;
} ref_capsule;

/* True when the file says that it has both views (F11). */
bool ref_capsule_is(const ref_cubin *cubin);
/* False when there is no memory; then nothing is to be freed. */
bool ref_capsule_split(ref_capsule *capsule, const ref_cubin *cubin);
void ref_capsule_free(ref_capsule *capsule);

#endif
