/* One input, by the linker with the change, by the one from before it where the change was reached, and by the reference where
 * those two differ. A linker may end or hang without ending the engine: both have memory of their own, which is forgotten, and
 * which holds no zeros. The files of an input end where nobody may read, so that who reads on ends. */
#define _DEFAULT_SOURCE
#include "fuzz/directed.h"

#include "fuzz/words.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { LINK_ALIGN = 16, LINK_SECONDS = 2, LINK_SIGNALS = 6 };

/* Behind the memory nobody may write: what fills it to the end is stopped there. */
static const size_t memory_size = (size_t)192 << 20, memory_behind = (size_t)1 << 30, memory_kept = (size_t)16 << 20;
static uint8_t *memory_start;
static size_t memory_used;
static sigjmp_buf link_out;
static volatile sig_atomic_t link_runs;

void *directed_malloc(size_t size) {
  const size_t room = (size + LINK_ALIGN - 1) / LINK_ALIGN * LINK_ALIGN;
  if (room < size || room > memory_size - memory_used)
    return NULL;
  void *const taken = memory_start + memory_used;
  memory_used += room;
  return taken;
}

void *directed_memory(size_t size) {
  void *const taken = directed_malloc(size);
  if (!taken)
    abort(); /* which ends this link alone */
  return taken;
}

void directed_free(void *memory) {
  (void)memory;
}

/* ---- the files of an input ---- */

enum { FILE_ROOM = 1 << 17, FILE_BEHIND = 1 << 12 };
static uint8_t *file_start; /* of each file its room, and a page that is nobody's */

static void file_make_room(void) {
  const size_t each = FILE_ROOM + FILE_BEHIND;
  file_start = mmap(NULL, each * FUZZ_FILES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (file_start == MAP_FAILED)
    abort();
  for (size_t i = 0; i < FUZZ_FILES; i++)
    if (mprotect(file_start + i * each + FILE_ROOM, FILE_BEHIND, PROT_NONE) != 0)
      abort();
}

/* The envelope with its files at the ends of their rooms; larger ones stay where they are. */
static void file_place(fuzz_envelope *placed, const fuzz_envelope *envelope) {
  *placed = *envelope;
  for (size_t i = 0; i < envelope->file_count; i++) {
    const fuzz_file *const file = &envelope->files[i];
    if (!file->size || file->size > FILE_ROOM)
      continue;
    placed->files[i].bytes = file_start + i * (FILE_ROOM + FILE_BEHIND) + FILE_ROOM - file->size;
    memcpy(placed->files[i].bytes, file->bytes, file->size);
  }
}

static void memory_forget(void) {
  (void)madvise(memory_start, memory_size, MADV_DONTNEED);
}

static void memory_reset(void) {
  if (memory_used > memory_kept)
    memory_forget();
  memory_used = 0;
}

static void link_catch(int number) {
  if (link_runs)
    siglongjmp(link_out, number);
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

static void link_limit(long seconds) {
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  (void)setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

void directed_links_start(void) {
  static const int numbers[LINK_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};
  static uint8_t stack[1 << 16];
  const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  const struct sigaction catch = {.sa_handler = link_catch, .sa_flags = SA_NODEFER | SA_ONSTACK};
  (void)sigaltstack(&own, NULL); /* a stack that has no end of calls has no room left */
  for (size_t i = 0; i < LINK_SIGNALS; i++)
    (void)sigaction(numbers[i], &catch, NULL);
  memory_start = mmap(NULL, memory_size + memory_behind, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_start == MAP_FAILED || mprotect(memory_start, memory_size, PROT_READ | PROT_WRITE) != 0)
    abort();
  file_make_room();
}

typedef struct link_task {
  const fuzz_envelope *envelope;
  const fuzz_answer *changed, *before;
  fuzz_answer *answer;
  char *cause;
} link_task;

static void task_changed(const link_task *task) {
  fuzz_link_changed(task->envelope, task->answer);
}

static void task_before(const link_task *task) {
  fuzz_link_before(task->envelope, task->answer);
}

static void task_reference(const link_task *task) {
  fuzz_link_reference(task->envelope, task->answer);
}

static void task_doubt(const link_task *task) {
  (void)directed_doubts_find(task->envelope, task->changed, task->before, task->cause);
}

/* The number of the signal that ended it, or 0. */
static int link_run(void (*run)(const link_task *task), const link_task *task) {
  const int number = sigsetjmp(link_out, 0);
  if (number == 0) {
    link_runs = 1;
    link_limit(LINK_SECONDS);
    run(task);
  }
  link_runs = 0;
  link_limit(0);
  if (number)
    memory_forget(); /* it may have written all over it */
  return number;
}

static bool link_same(const fuzz_answer *a, const fuzz_answer *b) {
  return a->none == b->none && a->code == b->code && !a->image == !b->image && a->size == b->size &&
         a->text_size == b->text_size && (!a->image || memcmp(a->image, b->image, a->size) == 0) &&
         (!a->text_size || memcmp(a->text, b->text, a->text_size) == 0) && !a->map == !b->map &&
         (!a->map || strcmp(a->map, b->map) == 0);
}

static bool cause_counts(const char *cause) {
  return *cause && !fuzz_cause_known(cause);
}

/* Of the linker's own words the reference has its name and the lines of a trace. */
static bool link_is_shared_word(const char *word) {
  return !fuzz_word_is_own(word) || strcmp(word, FUZZ_OWN_NAME) == 0 ||
         strncmp(word, FUZZ_OWN_TRACE, sizeof FUZZ_OWN_TRACE - 1) == 0;
}

/* The link in the reference's words. Under twinlink's own name the linker says more than the reference does. */
static void link_plain(const fuzz_envelope *envelope, fuzz_envelope *plain) {
  *plain = *envelope; /* the files are the same blocks */
  plain->word_count = 0;
  for (size_t i = 0; i < envelope->word_count; i++)
    if (link_is_shared_word(envelope->words[i]))
      memcpy(plain->words[plain->word_count++], envelope->words[i], sizeof *plain->words);
}

/* How often a link says that it departs from nvlink: `info    : D58: ...`. */
static size_t link_count_notes(const fuzz_answer *answer) {
  static const char mark[] = "twinlink info    : D";
  size_t count = 0;
  for (const char *at = answer->text; at && (at = strstr(at, mark)) != NULL; at++)
    count++;
  return count;
}

/* Where twinlink departs from nvlink it says so, and with --bug-compatible it does not depart. So the changed linker is its own voter
 * on a note that one of the two answers alone has: its output is another one then, or it is the same. */
static void link_ask_notes(const fuzz_envelope *envelope, const fuzz_answer *changed, const fuzz_answer *before,
                           directed_verdict *verdict) {
  static fuzz_answer compatible; /* in the linkers' memory, as theirs are; not changed by a jump */
  static fuzz_envelope words;
  const size_t notes = link_count_notes(changed), had = link_count_notes(before);
  words = *envelope; /* the files are the same blocks */
  if (notes == had || (notes && notes < had) || !changed->image || fuzz_envelope_option(envelope, "--bug-compatible") ||
      !fuzz_envelope_add_word(&words, "--bug-compatible") ||
      link_run(task_changed, &(link_task){.envelope = &words, .answer = &compatible}) != 0)
    return;
  const bool same = compatible.image && compatible.size == changed->size &&
                    memcmp(compatible.image, changed->image, changed->size) == 0;
  if (same && notes > had)
    (void)snprintf(verdict->cause, FUZZ_CAUSE, "a note of a departure that there is none");
  else if (!same && !notes)
    (void)snprintf(verdict->cause, FUZZ_CAUSE, "departs from nvlink without a note");
}

/* The two answers differ. Something is wrong where the reference is at one with the one from before and not with this one, be it
 * as a whole or in a part. */
static void link_ask_reference(const fuzz_envelope *envelope, const fuzz_answer *changed, const fuzz_answer *before,
                               directed_verdict *verdict) {
  static fuzz_answer reference; /* not changed by a jump */
  fuzz_envelope plain;
  char cause[FUZZ_CAUSE];
  link_plain(envelope, &plain);
  if (link_run(task_reference, &(link_task){.envelope = &plain, .answer = &reference}) != 0)
    return;
  if (changed->none != before->none && !reference.none)
    (void)snprintf(verdict->cause, FUZZ_CAUSE, "the words are %s alone", changed->none ? "refused" : "taken");
  else if (!reference.none && !changed->none && !before->none) {
    fuzz_answers_compare(envelope, before, &reference, cause);
    const bool agreed = !cause_counts(cause);
    fuzz_answers_compare(envelope, changed, &reference, cause);
    if (agreed && cause_counts(cause))
      memcpy(verdict->cause, cause, sizeof cause);
    else
      (void)directed_parts_differ(changed, before, &reference, verdict->cause);
  }
  fuzz_answer_free(&reference);
  const link_task doubt = {.envelope = envelope, .changed = changed, .before = before, .cause = verdict->cause};
  if (!*verdict->cause && !changed->none && !before->none && link_run(task_doubt, &doubt) != 0)
    verdict->cause[0] = '\0';
  if (!*verdict->cause && !changed->none && !before->none)
    link_ask_notes(envelope, changed, before, verdict);
}

static void link_compare(const fuzz_envelope *envelope, int ended, const fuzz_answer *changed,
                         directed_verdict *verdict) {
  static fuzz_answer before; /* not changed by a jump */
  before = (fuzz_answer){0};
  directed_places_begin(false);
  verdict->ended_before = link_run(task_before, &(link_task){.envelope = envelope, .answer = &before});
  const directed_reach reach = directed_places_end();
  if (verdict->ended_before)
    return;
  if (!ended)
    directed_reach_add(&verdict->reach, &reach);
  verdict->differs = ended || !link_same(changed, &before);
  if (ended == SIGVTALRM)
    (void)snprintf(verdict->cause, FUZZ_CAUSE, "hangs");
  else if (ended)
    (void)snprintf(verdict->cause, FUZZ_CAUSE, "ended by signal %d", ended);
  else if (verdict->differs)
    link_ask_reference(envelope, changed, &before, verdict);
}

void directed_link(const fuzz_envelope *input, directed_verdict *verdict) {
  static fuzz_answer changed; /* not changed by a jump */
  static fuzz_envelope placed;
  const fuzz_envelope *const envelope = &placed;
  file_place(&placed, input);
  *verdict = (directed_verdict){.cause = ""};
  memory_reset();
  changed = (fuzz_answer){0};
  directed_places_begin(true);
  const int ended = link_run(task_changed, &(link_task){.envelope = envelope, .answer = &changed});
  verdict->reach = directed_places_end();
  verdict->links = !ended && changed.image;
  if (!ended) {
    const uint64_t text = directed_hash(changed.text, changed.text_size, (uint64_t)changed.code);
    verdict->answer = directed_hash(changed.image, changed.image ? changed.size : 0, text);
  }
  if (ended || verdict->reach.level >= DIRECTED_BEFORE)
    link_compare(envelope, ended, &changed, verdict);
}
