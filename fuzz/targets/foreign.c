/* Files of the host's linker among the cubins (C20, F88, F92, L1962), which nvcc puts there: without device code they change nothing
 * of a link, with some the link is refused, and so it is where their headers cannot be read. And a library that is looked for
 * is taken when its first member is for the host asked for (C44). What the file is was decided when it was made
 * (fuzz/foreign.h), so nothing is read twice. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/foreign.h"
#include "fuzz/generate.h"
#include "fuzz/linker_call.h"

#include "input/library.h"

#include <stdlib.h>
#include <string.h>

enum { AR_MAGIC = 8, SHORTEST = 56 };

typedef enum foreign_verdict { NOTHING, REFUSED, UNSURE } foreign_verdict;

static bool foreign_ends(const char *name, const char *ending) {
  const size_t length = strlen(name), end = strlen(ending);
  return length >= end && strcmp(name + length - end, ending) == 0;
}

/* The rows of C20 for what the linker of the host makes. */
static foreign_verdict foreign_expect(const foreign_file *file, const char *name) {
  if (file->flipped)
    return UNSURE;
  if (file->kind == FOREIGN_THIN && file->size < SHORTEST)
    return REFUSED;
  if (!strchr(name, '.'))
    return NOTHING;
  if (file->kind == FOREIGN_ARCHIVE && strstr(name, "cudadevrt"))
    return !file->whole ? REFUSED
           : file->code ? UNSURE /* its functions are not read (T4), which ends a link that misses one */
                        : NOTHING;
  if (foreign_ends(name, ".so") && file->kind == FOREIGN_OBJECT)
    return NOTHING;
  return file->kind != FOREIGN_THIN && file->whole && !file->code ? NOTHING : REFUSED;
}

/* The limits that T2 tells grow with every byte of the input, so the file changes them. */
static bool foreign_same_message(const tl_message *a, const tl_message *b) {
  return strcmp(a->code, b->code) == 0 && strcmp(a->file, b->file) == 0 &&
         (strcmp(a->code, "T2") == 0 || strcmp(a->text, b->text) == 0);
}

static bool foreign_same(const tl_result *a, const tl_result *b) {
  if (a->exit_code != b->exit_code || !a->image != !b->image || a->image_size != b->image_size ||
      a->message_count != b->message_count || (a->image && memcmp(a->image, b->image, a->image_size) != 0))
    return false;
  for (size_t i = 0; i < a->message_count; i++)
    if (!foreign_same_message(&a->messages[i], &b->messages[i]))
      return false;
  return true;
}

/* The file stands at any place among the others. */
static void foreign_insert(fuzz_envelope *envelope, const foreign_file *file, const char *name, size_t place) {
  if (!fuzz_envelope_add_file(envelope, name, file->bytes, file->size))
    return;
  const fuzz_file added = envelope->files[envelope->file_count - 1];
  memmove(&envelope->files[place + 1], &envelope->files[place],
          (envelope->file_count - 1 - place) * sizeof *envelope->files);
  envelope->files[place] = added;
}

/* The link of the same words without the file: the command line, which the output keeps, stays. */
static void foreign_leave_out(fuzz_linker_call *call, const uint8_t *bytes) {
  size_t kept = 0;
  for (size_t i = 0; i < call->job.input_count; i++)
    if (call->inputs[i].data != bytes)
      call->inputs[kept++] = call->inputs[i];
  call->job.input_count = kept;
}

static const char *foreign_compare(foreign_verdict expected, const tl_result *plain, const tl_result *with) {
  const bool refused = with->exit_code && !with->image, same = foreign_same(plain, with);
  if (expected == NOTHING)
    return same ? NULL : "a file without device code changes the link";
  if (expected == REFUSED)
    return refused ? NULL : "a file with device code, or with damage, is passed over";
  return refused || same ? NULL : "a file of the host changes the link";
}

static const char *foreign_check_link(fuzz_envelope *envelope, const foreign_file *file, foreign_choices *choices) {
  static const char *const names[] = {"host.o", "libhost.a", "host.so", "host", "libcudadevrt.a", "host.lib"};
  const char *const name = names[foreign_choose(choices, sizeof names / sizeof *names)];
  const size_t place = foreign_choose(choices, 256) % (envelope->file_count + 1);
  const char *wrong = NULL;
  if (!envelope->file_count || envelope->file_count == FUZZ_FILES)
    return NULL;
  foreign_insert(envelope, file, name, place);
  fuzz_linker_call *const plain = fuzz_linker_call_new(envelope, NULL), *const with =
                                                                            fuzz_linker_call_new(envelope, NULL);
  foreign_leave_out(plain, envelope->files[place].bytes);
  if (!plain->refused && plain->job.input_count) {
    (void)tl_link(&plain->job, &plain->result);
    (void)tl_link(&with->job, &with->result);
    plain->linked = with->linked = true;
    wrong = foreign_compare(foreign_expect(file, name), &plain->result, &with->result);
  }
  fuzz_linker_call_free(plain);
  fuzz_linker_call_free(with);
  return wrong;
}

static const char *foreign_check_library(const foreign_file *file, foreign_choices *choices) {
  static const struct {
    const char *name;
    unsigned machine;
  } hosts[] = {{NULL, 62}, {"unknown", 62}, {"X86_64", 62}, {"AARCH64", 183},
               {"X86", 3}, {"ARMv7", 40},   {"PPC64LE", 21}};
  const size_t host = foreign_choose(choices, sizeof hosts / sizeof *hosts);
  uint8_t *const bytes = fuzz_memory(file->size); /* exactly as large as the file */
  memcpy(bytes, file->bytes, file->size);
  const tl_library_use use = tl_library_use_of(bytes, file->size, hosts[host].name);
  const bool sound = tl_library_find_fault(bytes, file->size) == TL_ARCHIVE_SOUND;
  free(bytes);
  if (!file->flipped && file->kind == FOREIGN_ARCHIVE && sound != file->whole)
    return "what is wrong with a library's members is not seen";
  if (file->flipped || (file->kind == FOREIGN_ARCHIVE && !file->whole))
    return NULL;
  const tl_library_use archive = file->machine == hosts[host].machine ? TL_LIBRARY_TAKEN : TL_LIBRARY_SKIPPED;
  const tl_library_use thin = file->size > AR_MAGIC ? TL_LIBRARY_TAKEN : TL_LIBRARY_SKIPPED;
  const tl_library_use rows[FOREIGN_KINDS] = {TL_LIBRARY_BROKEN, archive, thin};
  return use == rows[file->kind] ? NULL : "a library is taken for another";
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  enum { OWN = 64 };
  foreign_choices choices = {bytes, size < OWN ? size : OWN, 0};
  foreign_file file;
  fuzz_envelope envelope;
  foreign_make(&file, &choices);
  const char *wrong = foreign_check_library(&file, &choices);
  fuzz_envelope_of_input(&envelope, bytes + choices.size, size - choices.size);
  if (!wrong)
    wrong = foreign_check_link(&envelope, &file, &choices);
  fuzz_envelope_free(&envelope);
  if (wrong)
    fuzz_found("foreign", wrong, bytes, size);
  return 0;
}
