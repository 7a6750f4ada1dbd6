/* Inputs that are no cubins: host objects, archives and the libraries that are looked for. Their device code is not linked; what nvlink
 * says of them, and which of them it ignores, is. C20, C43 to C45, F88, RF271, RF272, RF1403. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

enum {
  MAGIC = 8,
  MEMBER = 60, /* header */
  MEMBER_SIZE_AT = 48,
  MEMBER_SIZE_DIGITS = 10,
  LONG_NUMBER = 20,  /* digits: more than 64 bits have */
  OBJECT_BYTES = 20, /* up to e_machine */
  HEADER = 64,
  SECTION = 64,
  SMALLEST_OBJECT = 56,
  TYPE_RELOCATABLE = 1,
  MACHINE_CUDA = 190,
  ELF_64_BIT = 2,
  ELF_LITTLE = 1,
  MOST_FILES = 64
};

typedef struct ref_member {
  uint64_t at;   /* its contents, which nvlink reads as far as the file goes, whatever the size */
  bool is_table; /* of symbols, or of long names */
} ref_member;

/* Where a walk over the members of an archive is. */
typedef struct ref_walk {
  uint64_t at;     /* the next header */
  uint64_t names;  /* the contents of the latest table of long names; 0: there was none */
  uint64_t looked; /* bytes of names that were looked at */
} ref_walk;

typedef struct ref_processor {
  const char *name;
  uint16_t machine;
} ref_processor;

static const char archive_magic[] = "!<arch>\n", thin_magic[] = "!<thin>\n";
static const char wrong_format[] = "unexpected archive format";

static bool ref_foreign_begins(const ref_input *input, const char *magic) {
  return input->size >= MAGIC && memcmp(input->bytes, magic, MAGIC) == 0;
}

bool ref_foreign_is_archive(const ref_input *input) {
  return ref_foreign_begins(input, archive_magic) || ref_foreign_begins(input, thin_magic);
}

static void ref_foreign_refuse_archive(ref_link *link, const char *text) {
  ref_message_add(link, REF_FATAL, "E53", "%s", text);
  ref_message_fatal(link, "E53", "elfLink internal error");
}

static void ref_foreign_refuse_code(ref_link *link, const char *name) {
  ref_message_fatal(link, "X3", "Input file '%s': the reference links cubins only", name);
}

static uint64_t ref_foreign_rest(const ref_input *archive, uint64_t at) {
  return archive->size - ref_smaller(at, archive->size);
}

/* What is behind the file counts as NUL. */
static void ref_foreign_copy(const ref_input *archive, uint64_t at, char *to, size_t count) {
  const size_t there = (size_t)ref_smaller(count, ref_foreign_rest(archive, at));
  memset(to, 0, count);
  if (there != 0) {
    memcpy(to, (const char *)archive->bytes + at, there);
  }
}

/* RF1403: a name ends with a '/', wherever it stands, but not behind a NUL or the file. All names together may take so many times the
 * file's size, or a file whose members share a long one would take the square of it. */
static bool ref_foreign_has_slash(const ref_input *archive, ref_walk *walk, uint64_t at) {
  const uint64_t rest = ref_foreign_rest(archive, at);
  uint64_t length = 0;
  char last = '\0';
  while (length < rest && (last = ((const char *)archive->bytes + at)[length]) != '/' && last != '\0') {
    length++;
  }
  walk->looked += length;
  return length < rest && last == '/' && walk->looked / MOST_FILES <= archive->size;
}

/* RF1403: the number of a long name has 32 bits and may go on behind the name's field, even behind the header. */
static void ref_foreign_check_long_name(ref_link *link, const ref_input *archive, ref_walk *walk) {
  char digits[LONG_NUMBER + 1] = "";
  uint64_t at = walk->at + 1;
  if (walk->names == 0) {
    ref_foreign_refuse_archive(link, "longnames header not found");
  }
  do {
    ref_foreign_copy(archive, at++, digits, LONG_NUMBER);
  } while (digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9');
  const int64_t place = (int64_t)walk->names + (int32_t)strtoll(digits, NULL, 10);
  if (place < 0 || !ref_foreign_has_slash(archive, walk, (uint64_t)place)) {
    ref_foreign_refuse_archive(link, "Memory allocation failure");
  }
}

/* RF1403: true for a table, be it of symbols or of names. */
static bool ref_foreign_read_name(ref_link *link, const ref_input *archive, ref_walk *walk) {
  char name[2];
  ref_foreign_copy(archive, walk->at, name, sizeof name);
  const bool is_long = name[0] == '/' && name[1] >= '0' && name[1] <= '9';
  if (is_long) {
    ref_foreign_check_long_name(link, archive, walk);
  } else if (!ref_foreign_has_slash(archive, walk, walk->at)) {
    ref_foreign_refuse_archive(link, wrong_format);
  }
  if (name[0] == '/' && name[1] == '/') {
    walk->names = walk->at + MEMBER;
  }
  return name[0] == '/' && !is_long;
}

/* RF1403: the member at the walk's place, which goes on to the next one. False at the end, which is behind the first member that is neither
 * a table nor an ELF file as well. A size below 0 leads back. */
static bool ref_foreign_next_member(ref_link *link, const ref_input *archive, ref_walk *walk, ref_member *member) {
  char digits[MEMBER_SIZE_DIGITS + 1] = "", magic[4];
  const uint64_t at = walk->at;
  if (at >= archive->size) {
    return false;
  }
  const bool is_table = ref_foreign_read_name(link, archive, walk);
  ref_foreign_copy(archive, at + MEMBER_SIZE_AT, digits, MEMBER_SIZE_DIGITS);
  ref_foreign_copy(archive, at + MEMBER, magic, sizeof magic);
  const int64_t size = strtoll(digits, NULL, 10);
  const int64_t odd = size % 2; /* -1 below 0: three bytes are passed over */
  const int64_t next = (int64_t)at + MEMBER + size + (odd == 0 ? 0 : 2 - odd);
  const bool goes_on = is_table || memcmp(magic, "\177ELF", sizeof magic) == 0;
  if (goes_on && next < 0) {
    ref_foreign_refuse_archive(link, wrong_format);
  }
  *member = (ref_member){.at = at + MEMBER, .is_table = is_table};
  walk->at = goes_on ? (uint64_t)next : archive->size;
  return true;
}

/* RF1403: what is damaged in any member is said first. Where sizes below 0 lead round, nvlink does not end; places that are kept at ever
 * larger distances tell it. */
static void ref_foreign_check_members(ref_link *link, const ref_input *archive) {
  ref_walk walk = {.at = MAGIC}, kept = {.at = MAGIC};
  uint64_t steps = 0, limit = 2;
  ref_member member;
  while (ref_foreign_next_member(link, archive, &walk, &member)) {
    if (walk.at == kept.at && walk.names == kept.names) {
      ref_foreign_refuse_archive(link, wrong_format);
    }
    if (++steps == limit) {
      kept = walk;
      limit *= 2;
    }
  }
}

/* F88: a 64-bit object whose sections hold device code for this linker. Its section table was looked at. */
static bool ref_foreign_has_code(const uint8_t *bytes, uint64_t size) {
  static const char *const wanted[] = {"__nv_relfatbin", ".nvFatBinSegment"};
  unsigned found = 0;
  if (size < HEADER || memcmp(bytes, "\177ELF", 4) != 0 || bytes[4] != ELF_64_BIT) {
    return false;
  }
  const uint64_t headers = ref_u64(bytes + 40);
  const uint16_t count = ref_u16(bytes + 60), strings = ref_u16(bytes + 62);
  if (headers > size || (uint64_t)count * SECTION > size - headers || strings >= count) {
    return false;
  }
  const uint64_t names = ref_u64(bytes + headers + (size_t)strings * SECTION + 24);
  for (size_t i = 0; i < count; i++) {
    const uint64_t at = ref_u32(bytes + headers + i * SECTION);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
      const size_t length = strlen(wanted[k]) + 1;
      if (names <= size && at <= size - names && size - names - at >= length &&
          memcmp(bytes + names + at, wanted[k], length) == 0) {
        found |= 1u << k;
      }
    }
  }
  return found == 3;
}

static void ref_foreign_refuse_members(ref_link *link, const ref_input *archive) {
  ref_walk walk = {.at = MAGIC};
  ref_member member;
  uint64_t looked = 0; /* members may share what is behind them */
  while (ref_foreign_next_member(link, archive, &walk, &member)) {
    const uint64_t rest = ref_foreign_rest(archive, member.at);
    const uint8_t *bytes = (const uint8_t *)archive->bytes + archive->size - rest;
    if (member.is_table) {
      continue;
    }
    looked += rest < HEADER ? 0 : ref_smaller((uint64_t)ref_u16(bytes + 60) * SECTION, rest);
    if (looked / MOST_FILES > archive->size || ref_foreign_has_code(bytes, rest)) {
      ref_foreign_refuse_code(link, archive->name);
    }
  }
}

/* C43: of any class but 64 bits, in any order of bytes but this one, with a section outside the file, or without one (RF670): damaged. */
static bool ref_foreign_is_damaged(const ref_input *input) {
  const uint8_t *bytes = input->bytes;
  if (input->size < HEADER || memcmp(bytes, "\177ELF", 4) != 0 || bytes[4] != ELF_64_BIT || bytes[5] != ELF_LITTLE) {
    return true;
  }
  const uint64_t headers = ref_u64(bytes + 40);
  const uint16_t count = ref_u16(bytes + 60);
  return count == 0 || (ref_u16(bytes + 58) != SECTION || headers < HEADER || headers > input->size ||
                        (uint64_t)count * SECTION > input->size - headers ||
                        ref_input_has_outside_section(bytes, input->size, headers));
}

static void ref_foreign_check_object(ref_link *link, const ref_input *input) {
  if (ref_foreign_is_damaged(input)) {
    ref_message_add(link, REF_FATAL, "E53", "Could not find fatbin in '%s'", input->name);
    ref_message_fatal(link, "E53", "elfLink internal error");
  }
  if (ref_foreign_has_code(input->bytes, input->size)) {
    ref_foreign_refuse_code(link, input->name);
  }
}

/* C20, RF271: what the columns of host objects say; archives that are called `.so` are as others (RF1403). True: nothing more has to be done
 * with the file. */
bool ref_foreign_take(ref_link *link, const ref_input *input, const char *extension) {
  static const char *const others[] = {"cubin", "ptx", "fatbin", "bc", "nvvm", "ltoir", ""};
  const uint8_t *bytes = input->bytes;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (strcmp(extension, others[i]) == 0) {
      return false;
    }
  }
  const bool cubin =
      input->size >= SMALLEST_OBJECT && memcmp(bytes, "\177ELF", 4) == 0 && ref_u16(bytes + 18) == MACHINE_CUDA;
  const bool is_archive = ref_foreign_is_archive(input);
  if (input->size == 0 || (cubin && REF_IS(extension, "o")) || (REF_IS(extension, "so") && !is_archive)) {
    return false;
  }
  if (ref_foreign_begins(input, thin_magic) && input->size > MAGIC) {
    ref_foreign_refuse_code(link, input->name);
  }
  if (is_archive) {
    ref_foreign_check_members(link, input);
    ref_foreign_refuse_members(link, input);
  } else if (input->size >= SMALLEST_OBJECT && ref_u16(bytes + 16) == TYPE_RELOCATABLE) {
    ref_foreign_check_object(link, input);
  }
  return true;
}

/* RF272, RF1403: of the first member that is no table e_machine alone counts; where no processor is named, it is x86-64. */
static bool ref_foreign_fits(ref_link *link, const ref_input *archive) {
  static const ref_processor processors[] = {{"unknown", 62}, {"X86_64", 62},  {"X86", 3},
                                             {"ARMv7", 40},   {"PPC64LE", 21}, {"AARCH64", 183}};
  const char *named = link->job->options.values[REF_OPTION_CPU_ARCH];
  uint16_t machine = processors[0].machine;
  ref_walk walk = {.at = MAGIC};
  ref_member member;
  char object[OBJECT_BYTES];
  for (size_t i = 0; i < sizeof processors / sizeof *processors && named != NULL; i++) {
    machine = strcmp(named, processors[i].name) == 0 ? processors[i].machine : machine;
  }
  do {
    if (!ref_foreign_next_member(link, archive, &walk, &member)) {
      return false;
    }
  } while (member.is_table);
  ref_foreign_copy(archive, member.at, object, OBJECT_BYTES);
  return memcmp(object, "\177ELF", 4) == 0 && ref_u16((const uint8_t *)object + 18) == machine;
}

/* E46 of one file that has the library's name; true: the search ends. */
static bool ref_foreign_take_library(ref_link *link, const ref_library *library) {
  const ref_input *file = &library->file;
  if (link->error_count != 0) {
    ref_message_fatal(link, "E53", "elfLink internal error");
  }
  if (file->bytes == NULL) {
    ref_message_fatal(link, "E53", "%s", "Memory allocation failure"); /* a folder */
  }
  if (file->size > MAGIC) {
    if (ref_foreign_begins(file, thin_magic)) {
      ref_foreign_refuse_code(link, file->name);
    }
    if (!ref_foreign_is_archive(file)) {
      ref_foreign_refuse_archive(link, wrong_format);
    }
    ref_foreign_check_members(link, file);
    if (ref_foreign_fits(link, file)) {
      ref_foreign_refuse_members(link, file);
      return true;
    }
  }
  ref_message_warn(link, "E46", "Skipping incompatible '%s' when searching for -l%s", file->name, library->name);
  return false;
}

/* C45, RF272: -l and -L, in front of -time and -uidx. What is behind the one that is found is not looked at. */
void ref_foreign_find_libraries(ref_link *link) {
  const ref_job *job = link->job;
  size_t found = REF_NONE;
  for (size_t i = 0; i < job->library_count; i++) {
    const ref_library *library = &job->libraries[i];
    if (library->number != found && ref_foreign_take_library(link, library)) {
      found = library->number;
    }
  }
}
