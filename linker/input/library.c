/* input/library.c: nvcc passes the host's -l and -L on, so most names are not found, silently (D36). Only libNAME.a
 * counts; the machine of the first member that is no table decides whether it fits (C44, RF272). */
#include "input/library.h"

#include "base/bytes.h"
#include "input/archive.h"

enum {
  MACHINE_AT = 18,
  MEMBER_LOOK = 20,    /* bytes of a member that are looked at */
  MACHINE_UNKNOWN = 62 /* -cpu-arch=unknown, the default, is x86-64 (RF272) */
};

static const struct {
  const char *cpu;
  uint16_t machine;
} machines[] = {{"X86", 3}, {"ARMv7", 40}, {"PPC64LE", 21}, {"X86_64", 62}, {"AARCH64", 183}};

void tl_library_candidates(tl_texts *paths, tl_arena *arena, const char *name, const tl_texts *directories,
                           const char *library_path) {
  for (size_t i = 0; i < directories->count; i++)
    *tl_vector_push(arena, paths) = tl_arena_format(arena, "%s/lib%s.a", directories->items[i], name);
  for (const char *at = library_path; at && *at;) {
    const size_t length = strcspn(at, ":");
    if (length)
      *tl_vector_push(arena, paths) = tl_arena_format(arena, "%s/lib%s.a", tl_arena_text(arena, at, length), name);
    at += length + (at[length] == ':');
  }
}

/* Whether the first member that is no table is an ELF file for that processor. The file's end counts, not the member's
 * (RF272), and behind it nvlink reads zeros. */
static bool library_is_for(const uint8_t *bytes, size_t size, uint16_t machine) {
  tl_archive archive = tl_archive_begin(bytes, size);
  tl_archive_member member;
  uint8_t begin[MEMBER_LOOK] = {0};
  if (!tl_archive_next(&archive, &member))
    return false;
  memcpy(begin, member.bytes, tl_smaller(member.size, sizeof begin));
  return memcmp(begin, "\177ELF", 4) == 0 && tl_get16(begin + MACHINE_AT) == machine;
}

static uint16_t library_machine(const char *cpu) {
  for (size_t i = 0; cpu && i < sizeof machines / sizeof *machines; i++)
    if (strcmp(machines[i].cpu, cpu) == 0)
      return machines[i].machine;
  return MACHINE_UNKNOWN;
}

tl_archive_fault tl_library_find_fault(const uint8_t *bytes, size_t size) {
  const bool archive = size > TL_ARCHIVE_MAGIC_SIZE && memcmp(bytes, "!<arch>\n", TL_ARCHIVE_MAGIC_SIZE) == 0;
  return archive ? tl_archive_find_fault(bytes, size) : TL_ARCHIVE_SOUND;
}

tl_library_use tl_library_use_of(const uint8_t *bytes, size_t size, const char *cpu) {
  if (size <= TL_ARCHIVE_MAGIC_SIZE)
    return TL_LIBRARY_SKIPPED;
  if (memcmp(bytes, "!<thin>\n", TL_ARCHIVE_MAGIC_SIZE) == 0)
    return TL_LIBRARY_TAKEN; /* whatever its members are for, which lie elsewhere */
  if (memcmp(bytes, "!<arch>\n", TL_ARCHIVE_MAGIC_SIZE) != 0)
    return TL_LIBRARY_BROKEN;
  return library_is_for(bytes, size, library_machine(cpu)) ? TL_LIBRARY_TAKEN : TL_LIBRARY_SKIPPED;
}
