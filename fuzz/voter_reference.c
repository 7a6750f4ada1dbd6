/* The reference's answer, through the functions that its program is made of. */
#include "fuzz/voter.h"
#include "fuzz/words.h"

#include "arguments.h"
#include "memory_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REF_HAS_SHADOW
#define POOL 1
#endif

void *__wrap_ref_memory_block_take(size_t size);
void __wrap_ref_memory_block_give(void *block, size_t size);
void *__real_ref_memory_block_take(size_t size);
void __real_ref_memory_block_give(void *block, size_t size);

#ifdef POOL
/* As in voter_linker.c: under the address sanitizer the blocks go round from one link to the next, poisoned while no link has them. */
enum { POOL_BLOCKS = 8 };
static void *pool[POOL_BLOCKS];
static size_t pool_count;

void *__wrap_ref_memory_block_take(size_t size) {
  if (size != REF_BLOCK_BYTES || !pool_count)
    return __real_ref_memory_block_take(size);
  void *const block = pool[--pool_count];
  ASAN_UNPOISON_MEMORY_REGION(block, REF_BLOCK_HEAD);
  return block;
}

void __wrap_ref_memory_block_give(void *block, size_t size) {
  if (size != REF_BLOCK_BYTES || pool_count == POOL_BLOCKS) {
    __real_ref_memory_block_give(block, size);
    return;
  }
  ASAN_POISON_MEMORY_REGION(block, REF_BLOCK_HEAD); /* the rest is */
  pool[pool_count++] = block;
}
#else
void *__wrap_ref_memory_block_take(size_t size) {
  return __real_ref_memory_block_take(size);
}

void __wrap_ref_memory_block_give(void *block, size_t size) {
  __real_ref_memory_block_give(block, size);
}
#endif

typedef struct reference_call {
  ref_arguments arguments;
  ref_input inputs[FUZZ_FILES];
  ref_result result;
} reference_call;

static reference_call *reference_call_kept; /* one for the next call: nobody may touch it until then */

static reference_call *reference_call_new(void) {
  reference_call *const call = reference_call_kept ? reference_call_kept : fuzz_memory(sizeof *call);
  reference_call_kept = NULL;
  ASAN_UNPOISON_MEMORY_REGION(call, sizeof *call);
  memset(call, 0, sizeof *call);
  return call;
}

static void reference_call_free(void *memory) {
  reference_call *const call = memory;
  ref_result_free(&call->result);
  ref_arguments_free(&call->arguments);
  if (reference_call_kept) {
    free(call);
    return;
  }
  ASAN_POISON_MEMORY_REGION(call, sizeof *call);
  reference_call_kept = call;
}

/* The messages as the reference prints them, through one stream for all links: a new one costs more than what is printed. */
static void reference_take_messages(const ref_job *job, const ref_result *result, fuzz_answer *answer) {
  static FILE *stream;
  static char *printed;
  static size_t size;
  if (result->message_count == 0)
    return;
  if (!stream)
    stream = open_memstream(&printed, &size);
  if (!stream || fseeko(stream, 0, SEEK_SET) != 0)
    abort();
  ref_result_print(job, result, stream);
  if (fflush(stream) != 0)
    abort();
  answer->text = fuzz_memory(size + 1);
  memcpy(answer->text, printed, size);
  answer->text[size] = '\0';
  answer->text_size = size;
  for (size_t i = 0; i < result->message_count; i++)
    if (result->messages[i].severity == REF_ERROR || result->messages[i].severity == REF_FATAL)
      fuzz_codes_add(answer->codes, result->messages[i].id);
}

void fuzz_link_reference(const fuzz_envelope *envelope, fuzz_answer *answer) {
  const char *argv[FUZZ_ARGUMENTS];
  const int argc = fuzz_arguments(envelope, argv);
  reference_call *const call = reference_call_new();
  *answer = (fuzz_answer){.memory = call, .release = reference_call_free};
  /* the options alone: what follows them are names of files that are in the envelope */
  if (!ref_arguments_read(&call->arguments, argc, (char *const *)(uintptr_t)argv, NULL)) {
    answer->none = true;
    return;
  }
  ref_job job = ref_arguments_job(&call->arguments);
  const size_t index = fuzz_index_of(envelope);
  for (size_t i = 0; i < envelope->file_count; i++) {
    const fuzz_file *const file = &envelope->files[i];
    *(i == index ? &job.index : &call->inputs[i - (i > index)]) = (ref_input){file->name, file->bytes, file->size};
  }
  job.inputs = call->inputs;
  job.library_count = 0; /* an envelope has none */
  job.input_count = envelope->file_count - (index < envelope->file_count);
  call->result = ref_reference_link(&job);
  answer->code = call->result.exit_code;
  answer->image = call->result.bytes;
  answer->size = call->result.size;
  reference_take_messages(&job, &call->result, answer);
}
