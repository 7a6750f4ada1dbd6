/* input/archive.c: which members of an archive nvlink comes to, and what it asks of their headers (L1962).
 *
 * It asks for the end of each name and goes by the size, however that is written; the header's own end does not matter. The
 * first member that is neither a table nor an ELF file is the last one that it looks at. */
#include "input/archive.h"

#include "base/bytes.h"

#include <string.h>

enum { SIZE_AT = 48, SIZE_SIZE = 10 };

typedef enum archive_kind { ARCHIVE_MEMBER, ARCHIVE_LONG_MEMBER, ARCHIVE_NAMES, ARCHIVE_SYMBOLS } archive_kind;

static bool archive_is_digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

static archive_kind archive_kind_of(const uint8_t *name, size_t size) {
  const uint8_t second = size > 1 ? name[1] : 0;
  if (name[0] != '/')
    return ARCHIVE_MEMBER;
  if (archive_is_digit(second))
    return ARCHIVE_LONG_MEMBER;
  return second == '/' ? ARCHIVE_NAMES : ARCHIVE_SYMBOLS;
}

/* Whether a '/' comes before a NUL and before the end; `length` is where it was looked for. */
static bool archive_name_ends(const uint8_t *bytes, size_t size, size_t *length) {
  for (*length = 0; *length < size && bytes[*length]; ++*length)
    if (bytes[*length] == '/')
      return true;
  return false;
}

/* A name ends somewhere in the file. Names that many members share and that go over the whole file would take a time that grows
 * with the square of its size: all names together are looked at for FILES times the file's size. */
static bool archive_check_name(tl_archive *a, uint64_t at) {
  enum { FILES = 64 };
  size_t length = 0;
  const bool ends = at < a->size && archive_name_ends(a->bytes + at, a->size - (size_t)at, &length);
  a->looked += length;
  return ends && a->looked / FILES <= a->size;
}

/* The number that stands there, as atoi reads it: as long as there are digits, up to the largest of 64 bits, of which 32 count. */
static int32_t archive_read_place(const tl_archive *a, uint64_t at) {
  int64_t place = 0;
  for (; at < a->size && archive_is_digit(a->bytes[at]); at++) {
    const int64_t digit = a->bytes[at] - '0';
    place = place > (INT64_MAX - digit) / 10 ? INT64_MAX : place * 10 + digit;
  }
  return (int32_t)(uint32_t)place;
}

static tl_archive_fault archive_check_long_name(tl_archive *a) {
  if (!a->names)
    return TL_ARCHIVE_NO_NAMES;
  const int64_t at = (int64_t)a->names + archive_read_place(a, a->at + 1);
  return at >= 0 && archive_check_name(a, (uint64_t)at) ? TL_ARCHIVE_SOUND : TL_ARCHIVE_LONG_NAME;
}

/* The size that the header says, as atol reads it. */
static int64_t archive_read_size(const tl_archive *a) {
  static const char blanks[] = " \t\n\v\f\r";
  const uint64_t begin = a->at + SIZE_AT, end = tl_smaller(begin + SIZE_SIZE, a->size);
  uint64_t at = begin;
  int64_t size = 0;
  while (at < end && a->bytes[at] && strchr(blanks, a->bytes[at]))
    at++;
  const bool negative = at < end && a->bytes[at] == '-';
  at += negative || (at < end && a->bytes[at] == '+');
  for (; at < end && archive_is_digit(a->bytes[at]); at++)
    size = size * 10 + (a->bytes[at] - '0');
  return negative ? -size : size;
}

tl_archive tl_archive_begin(const uint8_t *bytes, size_t size) {
  return (tl_archive){.bytes = bytes, .size = size, .at = TL_ARCHIVE_MAGIC_SIZE};
}

static bool archive_refuse(tl_archive *a, tl_archive_fault fault) {
  a->at = a->size;
  a->fault = fault;
  return false;
}

/* Where the next header stands: sizes below nothing lead back, and so may lead round, which only a bound on steps tells. */
static bool archive_go_on(tl_archive *a, int64_t size) {
  const int64_t odd = size % 2 == 0 ? 0 : size > 0 ? 1 : 3;
  const int64_t next = (int64_t)a->at + TL_ARCHIVE_HEADER_SIZE + size + odd;
  if (next < 0 || a->steps++ > a->size)
    return archive_refuse(a, TL_ARCHIVE_NAME);
  a->at = tl_smaller((uint64_t)next, a->size);
  return true;
}

/* What stands at `at`; the walk goes on behind it, or ends. */
static bool archive_read_member(tl_archive *a, archive_kind kind, tl_archive_member *member) {
  static const char magic[] = "\177ELF";
  const uint64_t begin = tl_smaller(a->at + TL_ARCHIVE_HEADER_SIZE, a->size);
  const size_t rest = a->size - (size_t)begin;
  const bool table = kind >= ARCHIVE_NAMES;
  const bool elf = rest >= sizeof magic - 1 && memcmp(a->bytes + begin, magic, sizeof magic - 1) == 0;
  if (kind == ARCHIVE_NAMES)
    a->names = begin;
  *member = (tl_archive_member){a->bytes + begin, rest};
  if (table || elf)
    return archive_go_on(a, archive_read_size(a));
  a->at = a->size;
  return true;
}

bool tl_archive_next(tl_archive *a, tl_archive_member *member) {
  while (a->at < a->size) {
    const archive_kind kind = archive_kind_of(a->bytes + a->at, a->size - (size_t)a->at);
    if (kind == ARCHIVE_MEMBER && !archive_check_name(a, a->at))
      return archive_refuse(a, TL_ARCHIVE_NAME);
    if (kind == ARCHIVE_LONG_MEMBER) {
      const tl_archive_fault fault = archive_check_long_name(a);
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
