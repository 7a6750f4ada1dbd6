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

/* The content of the first member that is no table, as far as its processor is told, or NULL. The file's end counts, not
 * the member's (RF272). */
static const uint8_t *library_first_member(const uint8_t *bytes, size_t size) {
  tl_archive archive = tl_archive_begin(bytes, size);
  tl_archive_member member;
  return tl_archive_next(&archive, &member) && member.rest >= MEMBER_LOOK ? member.bytes : NULL;
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
    return TL_LIBRARY_IGNORED;
  if (memcmp(bytes, "!<arch>\n", TL_ARCHIVE_MAGIC_SIZE) != 0)
    return TL_LIBRARY_BROKEN;
  const uint8_t *const member = library_first_member(bytes, size);
  const bool fits =
      member && memcmp(member, "\177ELF", 4) == 0 && tl_get16(member + MACHINE_AT) == library_machine(cpu);
  return fits ? TL_LIBRARY_TAKEN : TL_LIBRARY_SKIPPED;
}
