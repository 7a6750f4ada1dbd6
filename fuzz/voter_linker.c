/* The linker's answer: the words by its own grammar (linker/command), the job through the library (twinlink.h). */
#include "fuzz/linker_call.h"
#include "fuzz/words.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILL = 0xa5 };
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL 1
#endif
#endif
/* Under the sanitizer blocks are cleared as a whole, which costs less than to clear all that is taken of them one by one. */
#ifdef POOL
enum { CLEARED = 1 };
#else
enum { CLEARED = 0 };
#endif

/* Hashes are seeded by the system, and a fuzzer takes another way through a table for something new: in its programs
 * (--wrap) the caller's conditions give the seed. Threads only read it. */
static uint64_t linker_entropy;
int __wrap_getentropy(void *buffer, size_t size);

int __wrap_getentropy(void *buffer, size_t size) {
  memset(buffer, 0, size);
  memcpy(buffer, &linker_entropy, size < sizeof linker_entropy ? size : sizeof linker_entropy);
  return 0;
}

/* What threads run is counted as their race goes, so the counters are put back to what they were before. */
extern uint8_t counters_begin[] __asm__("__start___sancov_cntrs") __attribute__((weak));
extern uint8_t counters_end[] __asm__("__stop___sancov_cntrs") __attribute__((weak));

static uint8_t *counters_save(void) {
  const size_t size = (size_t)(counters_end - counters_begin);
  return size ? memcpy(fuzz_memory(size), counters_begin, size) : NULL;
}

static void counters_restore(uint8_t *saved) {
  if (saved)
    memcpy(counters_begin, saved, (size_t)(counters_end - counters_begin));
  free(saved);
}

/* ---- blocks ---- */

#ifdef POOL
#include <sanitizer/asan_interface.h>

/* The blocks of a link go round from one link to the next instead of through the sanitizer's quarantine, which makes every link's
 * memory cold. A block serves all sizes up to its own, a power of two: what lies behind the size that was asked for is poisoned,
 * and so is all of it while no link has it, so a use after the end is seen until the next link takes the block. Threads share
 * the blocks. */
enum {
  POOL_SMALLEST = 12,
  POOL_LARGEST = 20,
  POOL_ROWS = POOL_LARGEST - POOL_SMALLEST + 1,
  POOL_BLOCKS = 8,
  POOL_HEAD = 16
};

typedef struct pool_row {
  size_t count;
  uint8_t *blocks[POOL_BLOCKS];
} pool_row;

static pool_row pool_rows[POOL_ROWS];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;

/* The row of the blocks that a size fits into; POOL_ROWS: it is larger than all of them. */
static size_t pool_row_of(size_t size) {
  size_t row = 0;
  while (row < POOL_ROWS && size > (size_t)1 << (POOL_SMALLEST + row))
    row++;
  return row;
}

static void *pool_take(size_t size) {
  const size_t row = pool_row_of(size);
  uint8_t *block = NULL;
  (void)pthread_mutex_lock(&pool_lock);
  if (row < POOL_ROWS && pool_rows[row].count)
    block = pool_rows[row].blocks[--pool_rows[row].count];
  (void)pthread_mutex_unlock(&pool_lock);
  if (!block) {
    const size_t room = POOL_HEAD + (row < POOL_ROWS ? (size_t)1 << (POOL_SMALLEST + row) : size);
    block = malloc(room);
    if (!block)
      return NULL;
    ASAN_POISON_MEMORY_REGION(block, room);
  }
  ASAN_UNPOISON_MEMORY_REGION(block, POOL_HEAD + size);
  memcpy(block, &size, sizeof size);
  ASAN_POISON_MEMORY_REGION(block, POOL_HEAD);
  return block + POOL_HEAD;
}

static void pool_give(void *memory) {
  if (!memory)
    return;
  uint8_t *const block = (uint8_t *)memory - POOL_HEAD;
  size_t size;
  ASAN_UNPOISON_MEMORY_REGION(block, POOL_HEAD);
  memcpy(&size, block, sizeof size);
  const size_t row = pool_row_of(size);
  (void)pthread_mutex_lock(&pool_lock);
  const bool kept = row < POOL_ROWS && pool_rows[row].count < POOL_BLOCKS;
  if (kept) {
    ASAN_POISON_MEMORY_REGION(block, POOL_HEAD + size);
    pool_rows[row].blocks[pool_rows[row].count++] = block;
  }
  (void)pthread_mutex_unlock(&pool_lock);
  if (!kept)
    free(block);
}
#else
static void *pool_take(size_t size) {
  return malloc(size);
}

static void pool_give(void *memory) {
  free(memory);
}
#endif

static void *linker_allocate(void *context, size_t size) {
  fuzz_conditions *const conditions = context;
  if (conditions->blocks && conditions->taken == conditions->blocks)
    return NULL;
  void *const block = pool_take(size);
  if (block && (conditions->filled || CLEARED))
    memset(block, conditions->filled ? FILL : 0, size);
  conditions->taken += block != NULL;
  conditions->held += block != NULL;
  return block;
}

static void linker_release(void *context, void *block) {
  fuzz_conditions *const conditions = context;
  conditions->held -= block != NULL;
  pool_give(block);
}

static void *words_allocate(void *context, size_t size) {
  (void)context;
  return pool_take(size);
}

static void words_release(void *context, void *block) {
  (void)context;
  pool_give(block);
}

static const tl_allocator words_memory = {words_allocate, words_release, NULL, false};

/* False when the grammar refuses the words, or warns of them. */
static bool linker_read_words(fuzz_linker_call *call, int argc, const char *const *argv) {
  char *const *const words = (char *const *)(uintptr_t)argv; /* read only, but main's argv is not const */
  if (setjmp(call->out) != 0)
    return false;
  tl_command_identify(&call->command, argc, words, NULL);
  tl_command_read(&call->command, &call->arena, &call->diagnostics, argc, words);
  if (call->diagnostics.messages.count)
    return false;
  call->diagnostics.options = &call->command.options;
  if (tl_command_check(&call->command, &call->diagnostics) != TL_ACTION_LINK || call->diagnostics.messages.count)
    return false;
  tl_command_note(&call->command, &call->arena);
  return true;
}

/* What the program says of a message under its own name beside the text: the site and the detail. Nothing under nvlink's. As
 * snprintf. */
static size_t linker_site(const tl_message *message, const tl_options *options, char *to, size_t size) {
  char offset[32] = "";
  if (options->identity_nvlink)
    return 0;
  if (message->has_offset)
    (void)snprintf(offset, sizeof offset, "0x%llx", (unsigned long long)message->offset);
  const int length = snprintf(to, size, "  file %s section %s symbol %s offset %s\n  %s\n", message->file,
                              message->section, message->symbol, offset, message->detail);
  return length > 0 ? (size_t)length : 0;
}

static void linker_take_messages(const fuzz_linker_call *call, fuzz_answer *answer) {
  const tl_result *const result = &call->result;
  const tl_options *const options = &call->command.options;
  for (size_t i = 0; i < result->message_count; i++)
    answer->text_size += tl_message_format(&result->messages[i], options, NULL, 0) + 1 +
                         linker_site(&result->messages[i], options, NULL, 0);
  if (!answer->text_size)
    return;
  answer->text = fuzz_memory(answer->text_size + 1);
  size_t at = 0;
  for (size_t i = 0; i < result->message_count; i++) {
    at += tl_message_format(&result->messages[i], options, answer->text + at, answer->text_size + 1 - at);
    answer->text[at++] = '\n';
    at += linker_site(&result->messages[i], options, answer->text + at, answer->text_size + 1 - at);
    if (result->messages[i].severity >= TL_ERROR)
      fuzz_codes_add(answer->codes, result->messages[i].code);
  }
  answer->text[at] = '\0';
}

/* The output of every fourth input comes in parts, and of half of them all parts are small: no byte depends on it. */
static void linker_choose_parts(const fuzz_envelope *envelope, tl_job *job) {
  enum { PART_LEAST = 16, PART_DOUBLINGS = 12 };
  uint64_t mix = envelope->word_count + 1;
  for (size_t i = 0; i < envelope->file_count; i++)
    mix = (mix ^ envelope->files[i].size) * 0x9e3779b97f4a7c15u;
  job->streamed = (mix >> 60) % 4 == 0;
  job->limits.part = (mix >> 59) & 1 ? (uint64_t)PART_LEAST << (mix >> 40) % PART_DOUBLINGS : 0;
}

typedef struct linker_parts {
  uint8_t *to;
  size_t size, at;
} linker_parts;

static bool linker_take_part(void *context, const void *bytes, size_t size) {
  linker_parts *const parts = context;
  if (size > parts->size - parts->at)
    return false;
  memcpy(parts->to + parts->at, bytes, size);
  parts->at += size;
  return true;
}

/* What is given is the answer; one that is not whole ends the process. A link without an output gives nothing. */
static void linker_take_image(fuzz_linker_call *call, fuzz_answer *answer) {
  answer->image = call->result.image;
  answer->size = call->result.image_size;
  if (!call->job.streamed || !answer->size || call->result.exit_code)
    return;
  linker_parts parts = {pool_take(answer->size), answer->size, 0};
  call->given = parts.to;
  if (!parts.to || !tl_result_write(&call->result, linker_take_part, &parts) || parts.at != parts.size)
    abort();
  answer->image = call->given;
}

void fuzz_linker_call_free(void *memory) {
  fuzz_linker_call *const call = memory;
  pool_give(call->given);
  if (call->linked)
    tl_result_free(&call->result);
  tl_arena_release(&call->arena);
  pool_give(call);
}

fuzz_linker_call *fuzz_linker_call_new(const fuzz_envelope *envelope, fuzz_conditions *conditions) {
  const char *argv[FUZZ_ARGUMENTS];
  const size_t index = fuzz_index_of(envelope);
  const bool indexed = index < envelope->file_count;
  const size_t input_count = envelope->file_count - indexed;
  const int argc = fuzz_arguments(envelope, argv) + (int)input_count;
  fuzz_linker_call *const call = pool_take(sizeof *call);
  if (!call)
    abort();
  memset(call, 0, sizeof *call);
  if (!conditions)
    conditions = &call->own;
  tl_arena_init(&call->arena, &words_memory, UINT64_MAX / 2, &call->out);
  tl_diagnostics_init(&call->diagnostics, &call->arena, NULL, &call->out);
  call->refused = !linker_read_words(call, argc, argv);
  for (size_t i = 0; i < envelope->file_count; i++) {
    const fuzz_file *const file = &envelope->files[i];
    *(i == index ? &call->index : &call->inputs[i - (i > index)]) =
        (tl_input){.path = file->name, .data = file->bytes, .size = file->size};
  }
  call->allocator = (tl_allocator){linker_allocate, linker_release, conditions, CLEARED && !conditions->filled};
  call->command.options.threads = conditions->threads ? conditions->threads : 1;
  call->job = (tl_job){.options = call->command.options,
                       .inputs = call->inputs,
                       .input_count = input_count,
                       .index = indexed ? &call->index : NULL,
                       .allocator = &call->allocator};
  linker_entropy = conditions->entropy;
  return call;
}

void fuzz_link_linker_under(const fuzz_envelope *envelope, fuzz_conditions *conditions, fuzz_answer *answer) {
  fuzz_linker_call *const call = fuzz_linker_call_new(envelope, conditions);
  *answer = (fuzz_answer){.memory = call, .release = fuzz_linker_call_free, .none = call->refused};
  if (call->refused)
    return;
  linker_choose_parts(envelope, &call->job);
  uint8_t *const counters = call->job.options.threads > 1 ? counters_save() : NULL;
  answer->code = tl_link(&call->job, &call->result);
  counters_restore(counters);
  call->linked = true;
  linker_take_image(call, answer);
  answer->map = call->result.map;
  linker_take_messages(call, answer);
}

void fuzz_link_linker(const fuzz_envelope *envelope, fuzz_answer *answer) {
  fuzz_link_linker_under(envelope, NULL, answer);
}
