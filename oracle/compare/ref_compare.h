/* Two linked cubins compared, every difference explained by name.
 *
 * Equality of bytes is the only "equal": when the bytes are the same nothing else is looked at, and when they are not
 * the result holds at least one difference. Both files are read (oracle/cubin), sections and symbols matched by label,
 * and every part compared in its own terms. What only follows from another difference (an offset behind a section that
 * grew) is kept and marked, so that the cause stands first. A file that cannot be read is compared byte by byte along
 * the map of the other one.
 *
 * A difference's key groups what has one cause: `section.size`, `symtab.value`, `nvinfo.EIATTR_REGCOUNT`, `text.field`,
 * `reloc.order`. The keys are listed in oracle/compare/README.md. */
#ifndef REF_COMPARE_H
#define REF_COMPARE_H

#include "ref_cubin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { REF_CODE_BYTES = 16, REF_NO_TYPE = 0xffffffff };

/* The two instructions of a difference in code; size 0 elsewhere. */
typedef struct ref_code_pair {
  uint8_t a[REF_CODE_BYTES], b[REF_CODE_BYTES];
  unsigned size;
  uint32_t flags;      /* of A's header: which architecture */
  uint32_t relocation; /* the type whose field differs, or REF_NO_TYPE */
} ref_code_pair;

typedef struct ref_difference {
  char *key;
  char *where; /* "symbol k1", "entry 3 of .rela.text.k1 at k1+0x40" */
  char *what;  /* "value", "st_other", "entry" */
  char *a, *b; /* the two sides in words; NULL where that side has nothing */
  bool follows;
  ref_code_pair code;
} ref_difference;

typedef struct ref_comparison {
  bool equal;
  ref_difference *differences;
  size_t count, capacity;
  size_t causes; /* differences that do not follow from others */
  uint64_t size_a, size_b;
  uint64_t equal_in_place, compared_in_place;       /* bytes at the same file offset; of the larger file */
  uint64_t equal_in_sections, compared_in_sections; /* bytes at the same offset of the same section */
} ref_comparison;

typedef struct ref_compared_file {
  const char *name;
  const void *bytes;
  size_t size;
} ref_compared_file;

/* `inputs`: the cubins that were linked, used to say which relocation's field a differing instruction bit lies in; those
 * that cannot be read are left out. Returns false, with the reasons in `error`, when one of a and b is no readable cubin
 * although the bytes differ; the result is filled as far as it can be. */
bool ref_compare_files(ref_comparison *result, const ref_compared_file *a, const ref_compared_file *b,
                       const ref_compared_file *inputs, size_t input_count, char *error, size_t error_size);
void ref_comparison_free(ref_comparison *result);

/* One difference as a line of text without its end; the files are called A and B. */
void ref_difference_print(FILE *to, const ref_difference *difference);
/* The same with other names for the files; to be freed. */
char *ref_difference_text(const ref_difference *difference, const char *a, const char *b);

/* The whole cubin in readable form. */
void ref_dump(FILE *to, const ref_cubin *cubin);

#endif
