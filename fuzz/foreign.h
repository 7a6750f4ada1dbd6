/* Files of other linkers, made from a fuzzer's bytes: host objects, and archives of them. What is made is known, so that nobody
 * has to read it to tell what a link with it must be. */
#ifndef FUZZ_FOREIGN_H
#define FUZZ_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOREIGN_ROOM = 8192 };

typedef enum foreign_kind { FOREIGN_OBJECT, FOREIGN_ARCHIVE, FOREIGN_THIN, FOREIGN_KINDS } foreign_kind;

/* The bytes that decide; all zeros behind the last. */
typedef struct foreign_choices {
  const uint8_t *bytes;
  size_t size, at;
} foreign_choices;

typedef struct foreign_file {
  uint8_t bytes[FOREIGN_ROOM];
  size_t size;
  foreign_kind kind;
  bool code; /* a host object, alone or a member that nvlink comes to, is whole and has both sections of device code */
  bool
      whole; /* every section of the object lies in the file; nothing is wrong with a member that nvlink comes to (L1962) */
  bool flipped;     /* a bit somewhere is another, or a member's size: nothing of the above is sure */
  unsigned machine; /* of the first member that is no table, where that is a host object; 0: it is none */
} foreign_file;

/* Below `below`, which is at most 256. */
unsigned foreign_choose(foreign_choices *choices, unsigned below);
void foreign_make(foreign_file *file, foreign_choices *choices);

#endif
