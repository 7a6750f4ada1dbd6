/* An envelope's files as the doubters see them (oracle/check): only files that keep by themselves every invariant that one
 * file can keep are a program; a capsule's views have the same symbols besides. */
#ifndef FUZZ_SOUND_H
#define FUZZ_SOUND_H

#include "fuzz/envelope.h"

#include "ref_check.h"

typedef struct fuzz_sound {
  ref_cubin cubins[FUZZ_FILES];
  ref_check_file files[FUZZ_FILES];
  size_t count;
} fuzz_sound;

/* False when some file is no cubin, or not sound; to be freed in either case. The envelope must outlive it. */
bool fuzz_sound_take(fuzz_sound *sound, const fuzz_envelope *envelope);
/* No two entries write one field. Every link turns the order of entries (nvlink's too), and with it the one that stands last: what
 * such files come to hangs on the number of links. */
bool fuzz_sound_apart(const fuzz_sound *sound);
void fuzz_sound_free(fuzz_sound *sound);

#endif
