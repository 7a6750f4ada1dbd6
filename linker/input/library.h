/* Finds the files of -l (C45) and tells whether one fits the host (C44). */
#ifndef TL_INPUT_LIBRARY_H
#define TL_INPUT_LIBRARY_H

#include "input/words.h"

/* The candidates DIR/libNAME.a in search order: the directories of -L, then those of LIBRARY_PATH (may be NULL). Texts in
 * the arena; whether they exist is for the caller to see. */
void tl_library_candidates(tl_texts *paths, tl_arena *arena, const char *name, const tl_texts *directories,
                           const char *library_path);
/* False for what nvlink skips with E46: no archive, an empty one, one whose first member is no host ELF file, or one for
 * another machine than `cpu` (the value of -cpu-arch; NULL or "unknown" fits every machine). A whole cubin fits too:
 * that is an error for the linker to report. */
bool tl_library_fits(const uint8_t *bytes, size_t size, const char *cpu);

#endif
