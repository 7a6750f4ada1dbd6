/* input/archive.c: which members of an archive nvlink comes to, and what it asks of their headers (L1962).
 *
 * It asks for the end of each name and goes by the size, however that is written; the header's own end does not matter. The
 * first member that is neither a table nor an ELF file is the last one that it looks at. */
#include "input/archive.h"

#include "base/bytes.h"

#include <string.h>

enum { HEADER_SIZE = 60, NAME_SIZE = 16, SIZE_AT = 48, SIZE_SIZE = 10 };

typedef enum archive_kind { ARCHIVE_MEMBER, ARCHIVE_LONG_MEMBER, ARCHIVE_NAMES, ARCHIVE_SYMBOLS } archive_kind;

static bool archive_is_digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

static archive_kind archive_kind_of(const uint8_t name[NAME_SIZE]) {
  if (name[0] != '/')
    return ARCHIVE_MEMBER;
  if (archive_is_digit(name[1]))
    return ARCHIVE_LONG_MEMBER;
  return name[1] == '/' ? ARCHIVE_NAMES : ARCHIVE_SYMBOLS;
}

/* Whether a '/' comes before a NUL and before the end; `length` is where it was looked for. */
static bool archive_name_ends(const uint8_t *bytes, size_t size, size_t *length) {
  for (*length = 0; *length < size && bytes[*length]; ++*length)
    if (bytes[*length] == '/')
      return true;
  return false;
}

/* Names that many members share and that go over the whole file would take a time that grows with the square of its size: all
 * names together are looked at for FILES times the file's size. */
static tl_archive_fault archive_check_long_name(tl_archive *a, const uint8_t name[NAME_SIZE]) {
  enum { FILES = 64 };
  uint64_t place = 0;
  if (!a->names)
    return TL_ARCHIVE_NO_NAMES;
  for (unsigned i = 1; i < NAME_SIZE && archive_is_digit(name[i]); i++)
    place = place * 10 + (uint64_t)(name[i] - '0');
  const bool there = a->names <= a->size && place < a->size - a->names;
  const uint64_t at = there ? a->names + place : 0;
  size_t length = 0;
  const bool ends = there && archive_name_ends(a->bytes + at, a->size - (size_t)at, &length);
  a->looked += length;
  return ends && a->looked / FILES <= a->size ? TL_ARCHIVE_SOUND : TL_ARCHIVE_LONG_NAME;
}

/* The number that the header says, as atol reads it; false: less than nothing, from which nvlink would go back. */
static bool archive_read_size(const tl_archive *a, uint64_t *size) {
  static const char blanks[] = " \t\n\v\f\r";
  const uint64_t begin = a->at + SIZE_AT, end = tl_smaller(begin + SIZE_SIZE, a->size);
  uint64_t at = begin;
  *size = 0;
  while (at < end && a->bytes[at] && strchr(blanks, a->bytes[at]))
    at++;
  const bool negative = at < end && a->bytes[at] == '-';
  at += negative || (at < end && a->bytes[at] == '+');
  for (; at < end && archive_is_digit(a->bytes[at]); at++)
    *size = *size * 10 + (uint64_t)(a->bytes[at] - '0');
  return !negative || *size == 0;
}

tl_archive tl_archive_begin(const uint8_t *bytes, size_t size) {
  return (tl_archive){.bytes = bytes, .size = size, .at = TL_ARCHIVE_MAGIC_SIZE};
}

static bool archive_refuse(tl_archive *a, tl_archive_fault fault) {
  a->at = a->size;
  a->fault = fault;
  return false;
}

/* What stands at `at`; the walk goes on behind it, or ends. */
static bool archive_read_member(tl_archive *a, archive_kind kind, tl_archive_member *member) {
  static const char magic[] = "\177ELF";
  const uint64_t begin = tl_smaller(a->at + HEADER_SIZE, a->size);
  const size_t rest = a->size - (size_t)begin;
  const bool table = kind >= ARCHIVE_NAMES;
  const bool elf = rest >= sizeof magic - 1 && memcmp(a->bytes + begin, magic, sizeof magic - 1) == 0;
  uint64_t size;
  const bool forward = archive_read_size(a, &size);
  if (!forward && (table || elf))
    return archive_refuse(a, TL_ARCHIVE_NAME);
  if (kind == ARCHIVE_NAMES)
    a->names = begin;
  *member = (tl_archive_member){a->bytes + begin, forward ? (size_t)tl_smaller(size, rest) : 0, rest};
  a->at = (table || elf) && size < rest ? begin + size + (size & 1) : a->size;
  return true;
}

bool tl_archive_next(tl_archive *a, tl_archive_member *member) {
  while (a->at < a->size) {
    uint8_t name[NAME_SIZE] = {0};
    memcpy(name, a->bytes + a->at, (size_t)tl_smaller(NAME_SIZE, a->size - a->at));
    const archive_kind kind = archive_kind_of(name);
    size_t length;
    if (kind == ARCHIVE_MEMBER && !archive_name_ends(name, NAME_SIZE, &length))
      return archive_refuse(a, TL_ARCHIVE_NAME);
    if (kind == ARCHIVE_LONG_MEMBER) {
      const tl_archive_fault fault = archive_check_long_name(a, name);
      if (fault)
        return archive_refuse(a, fault);
    }
    if (!archive_read_member(a, kind, member))
      return false;
    if (kind < ARCHIVE_NAMES)
      return true;
  }
  return false;
}

tl_archive_fault tl_archive_find_fault(const uint8_t *bytes, size_t size) {
  tl_archive archive = tl_archive_begin(bytes, size);
  tl_archive_member member;
  while (tl_archive_next(&archive, &member))
    continue;
  return archive.fault;
}

tl_message_id tl_archive_message(tl_archive_fault fault) {
  static const tl_message_id rows[] = {
      [TL_ARCHIVE_SOUND] = TL_MESSAGE_ARCHIVE_FORMAT,
      [TL_ARCHIVE_NAME] = TL_MESSAGE_ARCHIVE_FORMAT,
      [TL_ARCHIVE_NO_NAMES] = TL_MESSAGE_ARCHIVE_NAMES,
      [TL_ARCHIVE_LONG_NAME] = TL_MESSAGE_OUT_OF_MEMORY,
  };
  return rows[fault];
}
