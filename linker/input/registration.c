/* input/registration.c: the names by which the host objects of a cubin link are registered. A cubin has no module id of
 * its own, so its path gives the name (N13b). */
#include "input/registration.h"

#include "base/text.h"

#include <string.h>

/* The path below `directory`, unless it is absolute, with everything but letters, digits and '_' made '_'. */
static const char *registration_name(const char *path, const char *directory, tl_arena *arena) {
  char *const name =
      path[0] == '/' ? tl_arena_format(arena, "%s", path) : tl_arena_format(arena, "%s/%s", directory, path);
  static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  for (char *at = name; *at; at++)
    if (!strchr(kept, *at))
      *at = '_';
  return name;
}

const char *tl_registration_text(const tl_job *job, const tl_admission *admission, const char *directory,
                                 const bool *taken, tl_arena *arena) {
  tl_texts lines = {0};
  for (size_t i = 0; i < admission->files.count; i++) {
    const tl_accepted *const file = &admission->files.items[i];
    if (taken && !taken[file->input])
      continue;
    const char *const name = registration_name(job->inputs[file->input].path, directory, arena);
    *tl_vector_push(arena, &lines) = tl_arena_format(arena, "DEFINE_REGISTER_FUNC(%s)\n", name);
  }
  return tl_arena_format(arena, "#define NUM_PRELINKED_OBJECTS %u\n%s", (uint64_t)lines.count,
                         tl_texts_join(arena, &lines, ""));
}
