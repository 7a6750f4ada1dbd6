/* What a link tells besides its output: the archive of --reproduce is what told.h says, the sections that messages name are
 * there, and the output is the same bytes when it is given in parts. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/change.h"
#include "fuzz/generate.h"
#include "fuzz/linker_call.h"
#include "fuzz/told.h"
#include "fuzz/words.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRANGE = 40, PARTS = 7 };

static const char *tells_reproduction(const fuzz_envelope *envelope, fuzz_linker_call *call, const char *messages) {
  const char *argv[FUZZ_ARGUMENTS];
  const int argc = fuzz_arguments(envelope, argv) + (int)call->job.input_count;
  char strange[STRANGE + 1] = "";
  tl_arena arena;
  jmp_buf out;
  const char *volatile wrong = NULL;
  if (envelope->file_count)
    memcpy(strange, envelope->files[0].bytes, envelope->files[0].size < STRANGE ? envelope->files[0].size : STRANGE);
  tl_arena_init(&arena, &tl_system_memory, UINT64_MAX / 2, &out);
  if (!setjmp(out)) {
    tl_reproduction reproduction = {.job = &call->job, .result = &call->result, .input_count = call->job.input_count};
    reproduction.arguments = tl_command_words(&call->command, &arena);
    for (int i = 0; i < argc; i++)
      *tl_vector_push(&arena, &reproduction.typed) = argv[i];
    *tl_vector_push(&arena, &reproduction.typed) = strange; /* as somebody may have typed it */
    *tl_vector_push(&arena, &reproduction.typed) = "it's \"one\" word, $HOME\\";
    size_t size = 0;
    const uint8_t *const archive = tl_reproduce_archive(&reproduction, &arena, &size);
    wrong = archive ? fuzz_told_archive(call, &reproduction, messages, archive, size) : "there is no archive";
  }
  tl_arena_release(&arena);
  return wrong;
}

typedef struct tells_parts {
  const tl_result *whole;
  size_t size;
  bool other;
} tells_parts;

static bool tells_take_part(void *context, const void *bytes, size_t size) {
  tells_parts *const parts = context;
  parts->other = parts->other || size > parts->whole->image_size - parts->size ||
                 memcmp(bytes, parts->whole->image + parts->size, size) != 0;
  parts->size += parts->other ? 0 : size;
  return !parts->other;
}

static const char *tells_parts_of(const fuzz_linker_call *call) {
  tl_job job = call->job;
  tl_result result;
  job.streamed = true;
  job.limits.part = call->result.image_size / PARTS;
  (void)tl_link(&job, &result);
  tells_parts parts = {.whole = &call->result};
  const bool same = result.exit_code == call->result.exit_code && result.image_size == call->result.image_size;
  const bool given = same && (!call->result.image || tl_result_write(&result, tells_take_part, &parts));
  const bool all = given && (!call->result.image || parts.size == call->result.image_size);
  tl_result_free(&result);
  return all && !parts.other ? NULL : "the output in parts is another";
}

/* The section that a message names as its place is one of the inputs', whose bytes have the name, or one that linkers name. */
static bool tells_has(const tl_input *input, const char *text) {
  const size_t length = strlen(text) + 1;
  const char *const bytes = input->data;
  for (size_t i = 0; i + length <= input->size; i++)
    if (bytes[i] == *text && memcmp(bytes + i, text, length) == 0)
      return true;
  return false;
}

static const char *tells_places(const fuzz_linker_call *call) {
  for (size_t i = 0; i < call->result.message_count; i++) {
    const char *const section = call->result.messages[i].section;
    bool there = !*section || fuzz_name_is_known(section);
    for (size_t j = 0; !there && j < call->job.input_count; j++)
      there = tells_has(&call->job.inputs[j], section);
    if (!there)
      return "a message names a section that is not there";
  }
  return NULL;
}

static const char *tells_check(const fuzz_envelope *envelope, fuzz_linker_call *call) {
  size_t size = 0, at = 0;
  (void)tl_link(&call->job, &call->result);
  call->linked = true;
  const tl_result *const result = &call->result;
  for (size_t i = 0; i < result->message_count; i++)
    size += tl_message_format(&result->messages[i], &call->job.options, NULL, 0) + 1;
  char *const messages = fuzz_memory(size + 1);
  messages[0] = '\0';
  for (size_t i = 0; i < result->message_count; i++) {
    at += tl_message_format(&result->messages[i], &call->job.options, messages + at, size + 1 - at);
    messages[at++] = '\n';
    messages[at] = '\0';
  }
  const char *wrong = tells_reproduction(envelope, call, messages);
  wrong = wrong ? wrong : tells_places(call);
  wrong = wrong ? wrong : tells_parts_of(call);
  free(messages);
  return wrong;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  fuzz_envelope_of_input(&envelope, bytes, size);
  fuzz_linker_call *const call = fuzz_linker_call_new(&envelope, NULL);
  const char *const wrong = call->refused ? NULL : tells_check(&envelope, call);
  fuzz_linker_call_free(call);
  if (wrong)
    fuzz_found("tells", wrong, bytes, size);
  fuzz_envelope_free(&envelope);
  return 0;
}
