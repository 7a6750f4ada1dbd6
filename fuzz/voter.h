/* The two linkers as functions from an envelope to an answer, in this process, with nothing read or written. One file a
 * linker, so that no file sees the headers of both. */
#ifndef FUZZ_VOTER_H
#define FUZZ_VOTER_H

#include "fuzz/envelope.h"

enum { FUZZ_CODES = 64 };

typedef struct fuzz_answer {
  bool none; /* the words are refused by the option grammar, which only the linker has */
  int code;
  const uint8_t *image; /* NULL: none */
  size_t size;
  char *text; /* the messages as they are printed; NULL: none */
  size_t text_size;
  const char *map;        /* the link map, where the words ask for one */
  char codes[FUZZ_CODES]; /* of the errors, "E20 E63": as the linker and the reference call them */
  void *memory;
  void (*release)(void *memory);
} fuzz_answer;

void fuzz_link_linker(const fuzz_envelope *envelope, fuzz_answer *answer);
void fuzz_link_reference(const fuzz_envelope *envelope, fuzz_answer *answer);
void fuzz_answer_free(fuzz_answer *answer);

/* For the linker's voter: one thread more or less changes nothing (targets/metamorphic.c); memory that ends at the n-th
 * block (targets/allocation.c). 0: as usual. */
typedef struct fuzz_conditions {
  unsigned threads;
  uint64_t
      entropy;   /* what the hashes of names are seeded with: always this, so that an input's way is always the same */
  bool filled;   /* what the allocator gives holds no zeros */
  size_t blocks; /* how many the allocator gives; 0: as many as there are */
  size_t taken;  /* out: how many were asked for */
  size_t held;   /* out: how many were not given back; looked at after fuzz_answer_free */
} fuzz_conditions;
/* The conditions must outlive the answer; NULL: none. */
void fuzz_link_linker_under(const fuzz_envelope *envelope, fuzz_conditions *conditions, fuzz_answer *answer);

/* Adds a code to a list of codes, once. */
void fuzz_codes_add(char codes[FUZZ_CODES], const char *code);

#endif
