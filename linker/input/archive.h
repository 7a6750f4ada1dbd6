/* The members of an archive (ar(5)), one after the other, as far as nvlink goes (L1962): nothing is copied and nothing is trusted. */
#ifndef TL_INPUT_ARCHIVE_H
#define TL_INPUT_ARCHIVE_H

#include "catalog/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_ARCHIVE_MAGIC_SIZE = 8, TL_ARCHIVE_HEADER_SIZE = 60 };

typedef enum tl_archive_fault {
  TL_ARCHIVE_SOUND,
  TL_ARCHIVE_NAME,      /* a member's name has no end */
  TL_ARCHIVE_NO_NAMES,  /* a long name, and no table of names before it */
  TL_ARCHIVE_LONG_NAME, /* one that does not end in the file */
} tl_archive_fault;

typedef struct tl_archive {
  const uint8_t *bytes;
  size_t size;
  uint64_t at;     /* of the next header */
  uint64_t names;  /* of what the latest table of names holds; 0: none yet */
  uint64_t looked; /* bytes of names that were looked at */
  uint64_t steps;
  tl_archive_fault fault;
} tl_archive;

typedef struct tl_archive_member {
  const uint8_t *bytes;
  size_t size; /* up to the file's end, whatever the header says */
} tl_archive_member;

/* `bytes` begin with the mark of an archive, and stay the caller's. */
tl_archive tl_archive_begin(const uint8_t *bytes, size_t size);
/* The next member that is no table; false at the end, or where something is wrong (`fault`). */
bool tl_archive_next(tl_archive *archive, tl_archive_member *member);
/* What is wrong with any member that nvlink comes to. */
tl_archive_fault tl_archive_find_fault(const uint8_t *bytes, size_t size);
/* The first of the two messages about a fault; the second is ELFLINK_INTERNAL. */
tl_message_id tl_archive_message(tl_archive_fault fault);

#endif
