/* Inputs that are no cubins: host objects, archives and the libraries that are looked for. Their device code is not linked; what nvlink
 * says of them, and which of them it ignores, is. C20, C43 to C45, F88, RF271, RF272. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

enum {
  MAGIC = 8,
  MEMBER = 60, /* header */
  MEMBER_SIZE_AT = 48,
  MEMBER_SIZE_DIGITS = 10,
  OBJECT_BYTES = 20, /* up to e_machine */
  HEADER = 64,
  SECTION = 64,
  SMALLEST_OBJECT = 56,
  TYPE_RELOCATABLE = 1,
  MACHINE_CUDA = 190,
  ELF_64_BIT = 2,
  ELF_LITTLE = 1
};

typedef struct ref_member {
  const uint8_t *data;
  uint64_t size, next; /* next: where the one behind it begins */
  bool is_table;       /* of symbols, or of long names */
} ref_member;

typedef struct ref_processor {
  const char *name;
  uint16_t machine;
} ref_processor;

static const char archive_magic[] = "!<arch>\n", thin_magic[] = "!<thin>\n";

static bool ref_foreign_begins(const ref_input *input, const char *magic) {
  return input->size >= MAGIC && memcmp(input->bytes, magic, MAGIC) == 0;
}

bool ref_foreign_is_archive(const ref_input *input) {
  return ref_foreign_begins(input, archive_magic) || ref_foreign_begins(input, thin_magic);
}

static void ref_foreign_refuse_format(ref_link *link) {
  ref_message_add(link, REF_FATAL, "E53", "unexpected archive format");
  ref_message_fatal(link, "E53", "elfLink internal error");
}

static void ref_foreign_refuse_code(ref_link *link, const char *name) {
  ref_message_fatal(link, "X3", "Input file '%s': the reference links cubins only", name);
}

/* False at the end. */
static bool ref_foreign_next_member(ref_link *link, const ref_input *archive, uint64_t at, ref_member *member) {
  const uint8_t *header = (const uint8_t *)archive->bytes + at;
  char digits[MEMBER_SIZE_DIGITS + 1] = "", *end;
  const uint64_t rest = archive->size - ref_smaller(at, archive->size);
  if (rest < MEMBER) {
    return false;
  }
  memcpy(digits, header + MEMBER_SIZE_AT, MEMBER_SIZE_DIGITS);
  const long long size = strtoll(digits, &end, 10);
  if (end == digits || size < 0) {
    ref_foreign_refuse_format(link);
  }
  *member = (ref_member){.data = header + MEMBER, .size = ref_smaller((uint64_t)size, rest - MEMBER)};
  member->next = at + MEMBER + ref_align_up(member->size, 2);
  member->is_table = header[0] == '/' && (header[1] == ' ' || header[1] == '/' || header[1] == 'S');
  return true;
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

static void ref_foreign_check_archive(ref_link *link, const ref_input *archive) {
  ref_member member;
  for (uint64_t at = MAGIC; ref_foreign_next_member(link, archive, at, &member); at = member.next) {
    if (ref_foreign_has_code(member.data, member.size)) {
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

/* C20, RF271: what the columns of host objects say. True: nothing more has to be done with the file. */
bool ref_foreign_take(ref_link *link, const ref_input *input, const char *extension) {
  static const char *const others[] = {"cubin", "ptx", "fatbin", "bc", "nvvm", "ltoir", "so", ""};
  const uint8_t *bytes = input->bytes;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (strcmp(extension, others[i]) == 0) {
      return false;
    }
  }
  const bool cubin =
      input->size >= SMALLEST_OBJECT && memcmp(bytes, "\177ELF", 4) == 0 && ref_u16(bytes + 18) == MACHINE_CUDA;
  if (input->size == 0 || (cubin && REF_IS(extension, "o"))) {
    return false;
  }
  if (ref_foreign_begins(input, thin_magic) && input->size > MAGIC) {
    ref_foreign_refuse_code(link, input->name);
  }
  if (ref_foreign_is_archive(input)) {
    if (input->size > MAGIC && input->size < MAGIC + MEMBER) {
      ref_foreign_refuse_format(link);
    }
    ref_foreign_check_archive(link, input);
  } else if (input->size >= SMALLEST_OBJECT && ref_u16(bytes + 16) == TYPE_RELOCATABLE) {
    ref_foreign_check_object(link, input);
  }
  return true;
}

/* RF272: of the first member that is no table e_machine alone counts; where no processor is named, it is x86-64. */
static bool ref_foreign_fits(ref_link *link, const ref_input *archive) {
  static const ref_processor processors[] = {{"unknown", 62}, {"X86_64", 62},  {"X86", 3},
                                             {"ARMv7", 40},   {"PPC64LE", 21}, {"AARCH64", 183}};
  const char *named = link->job->options.values[REF_OPTION_CPU_ARCH];
  uint16_t machine = processors[0].machine;
  ref_member member = {.next = MAGIC};
  for (size_t i = 0; i < sizeof processors / sizeof *processors && named != NULL; i++) {
    machine = strcmp(named, processors[i].name) == 0 ? processors[i].machine : machine;
  }
  do {
    if (!ref_foreign_next_member(link, archive, member.next, &member)) {
      return false;
    }
  } while (member.is_table);
  return member.size >= OBJECT_BYTES && memcmp(member.data, "\177ELF", 4) == 0 && ref_u16(member.data + 18) == machine;
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
      ref_foreign_refuse_format(link);
    }
    if (ref_foreign_fits(link, file)) {
      ref_foreign_check_archive(link, file);
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
