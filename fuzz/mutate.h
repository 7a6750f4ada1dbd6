/* The mutator: one change to an envelope, made so that the rest of it still says what it said, or one thing broken on
 * purpose. It knows files, words, sections, symbols, relocations, attribute records and the call graph: each can be
 * changed, added, dropped, doubled, moved and taken from elsewhere. libFuzzer and AFL++ call it through engine_*.c. */
#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include "fuzz/envelope.h"
#include "tests/support/built_program.h"

/* One change; what is taken from another input comes from `other` (NULL: from this one). Returns the kind's number. */
size_t fuzz_mutate(const built_choices *choices, fuzz_envelope *envelope, const fuzz_envelope *other);

/* The kinds, for statistics: a name each, and whether they break something. */
size_t fuzz_kind_count(void);
const char *fuzz_kind_name(size_t kind);
bool fuzz_kind_breaks(size_t kind);
/* How often the kind is drawn, compared with the others; the kind of a name, or fuzz_kind_count(). */
uint32_t fuzz_kind_weight(size_t kind);
size_t fuzz_kind_find(const char *name);
/* False when the kind finds nothing to do in the file that it took. */
bool fuzz_mutate_as(size_t kind, const built_choices *choices, fuzz_envelope *envelope, const fuzz_envelope *other);

/* Files of another input in an envelope's place, or beside its own. */
void fuzz_mutate_cross(gen_random *random, fuzz_envelope *envelope, const fuzz_envelope *other);

/* The same over bytes, as engines have them: 1 to 4 changes; anything that is no envelope becomes one. The result, which
 * the caller frees, has at most `most` bytes, or is NULL. */
uint8_t *fuzz_mutate_bytes(const uint8_t *bytes, size_t size, const uint8_t *other, size_t other_size, uint64_t seed,
                           size_t most, size_t *new_size);

/* Part `step` of what a trim can leave out: words, files, sections, entries. The smaller envelope, which the caller frees;
 * NULL with *done when there are no more steps, NULL without it when this one changes nothing. */
uint8_t *fuzz_trim(const uint8_t *bytes, size_t size, size_t step, size_t *new_size, bool *done);

#endif
