/* Finds the files of -l (C45) and tells whether one fits the host (C44). */
#ifndef TL_INPUT_LIBRARY_H
#define TL_INPUT_LIBRARY_H

#include "input/archive.h"
#include "input/words.h"

/* The candidates DIR/libNAME.a in search order: the directories of -L, then those of LIBRARY_PATH (may be NULL). Texts in
 * the arena; whether they exist is for the caller to see. */
void tl_library_candidates(tl_texts *paths, tl_arena *arena, const char *name, const tl_texts *directories,
                           const char *library_path);
typedef enum tl_library_use {
  TL_LIBRARY_TAKEN,
  TL_LIBRARY_SKIPPED, /* E46: the search goes on */
  TL_LIBRARY_BROKEN   /* no archive at all */
} tl_library_use;

/* Skipped are files of up to eight bytes, and archives whose first member is no ELF file for `cpu`, the value of -cpu-arch
 * (NULL and "unknown": x86-64). */
tl_library_use tl_library_use_of(const uint8_t *bytes, size_t size, const char *cpu);
/* L1962: what is wrong with a member that nvlink comes to, before it asks whether the library fits. */
tl_archive_fault tl_library_find_fault(const uint8_t *bytes, size_t size);

#endif
