/* input/library.c: nvcc passes the host's -l and -L on, so most names are not found, silently (D36). Only libNAME.a
 * counts; the first member that is neither symbol table nor name table decides whether it fits. */
#include "input/library.h"

#include "base/bytes.h"
#include "input/content.h"

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

/* The first member with content of its own; NULL when there is none. */
static const uint8_t *library_first_member(const uint8_t *bytes, size_t size, size_t *member_size) {
  uint64_t length;
  for (uint64_t at = TL_AR_MAGIC_SIZE; tl_content_holds(size, at, TL_AR_HEADER_SIZE); at += length + (length & 1)) {
    const uint8_t *const header = bytes + at;
    (void)tl_content_archive_member_size(header, &length);
    at += TL_AR_HEADER_SIZE;
    if (!tl_content_holds(size, at, length))
      return NULL;
    const bool table = header[0] == '/' && (header[1] == ' ' || header[1] == '/');
    if (!table) {
      *member_size = (size_t)length;
      return bytes + at;
    }
  }
  return NULL;
}

tl_library_use tl_library_use_of(const uint8_t *bytes, size_t size, const char *cpu) {
  const tl_content content = tl_content_of(bytes, size);
  if (content == TL_CONTENT_EMPTY || content == TL_CONTENT_SHORT)
    return TL_LIBRARY_SKIPPED;
  if (content == TL_CONTENT_THIN_ARCHIVE)
    return TL_LIBRARY_IGNORED;
  if (content != TL_CONTENT_ARCHIVE)
    return TL_LIBRARY_BROKEN;
  size_t member_size = 0;
  const uint8_t *const member = library_first_member(bytes, size, &member_size);
  if (!member || tl_content_of(member, member_size) != TL_CONTENT_HOST_ELF)
    return TL_LIBRARY_SKIPPED;
  for (size_t i = 0; cpu && i < sizeof machines / sizeof *machines; i++)
    if (strcmp(machines[i].cpu, cpu) == 0 && machines[i].machine != tl_get16(member + 18))
      return TL_LIBRARY_SKIPPED;
  return TL_LIBRARY_TAKEN;
}
