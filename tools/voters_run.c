/* All cases, some side by side. This process has one thread: every vote and every compilation is a child, a slot has one
 * child at a time, and the loop goes over the slots until all cases are judged. */
#define _DEFAULT_SOURCE
#include "voters.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUN_SLOTS = 64 };

/* What the child of a slot is doing: a voter's number, or one of these. */
enum { RUN_PREPARES = -1, RUN_NAMES_ROWS = VOTER_COUNT, RUN_COMPATIBLE };

typedef struct run_slot {
  bool busy;
  voters_case *one;
  int doing;
  int mode;
  char directory[CONFORMANCE_PATH - 64];
  voters_vote vote;
  voters_ballot ballot;
  process_child child;
  const voters_settings *settings;
} run_slot;

typedef struct run_state {
  const voters_settings *settings;
  voters_cases *cases;
  const char *scratch;
  run_slot *slots;
  size_t next, finished, bad;
  bool progress;
} run_state;

/* --- a seed's program --- */

static const char arguments_name[] = ".voters.words", trouble_name[] = ".voters.trouble";

static void run_write_lines(const char *directory, const char *name, const char *text, const string_list *lines) {
  text_buffer path = {0}, all = {0};
  text_add(&path, "%s/%s", directory, name);
  text_add(&all, "%s", text);
  for (size_t i = 0; lines && i < lines->count; i++)
    text_add(&all, "%s\n", lines->items[i]);
  process_write_file(path.bytes, all.bytes, all.size);
  text_free(&path);
  text_free(&all);
}

/* In a child: writes the program, compiles it, leaves the words of its link. */
static int run_prepare(void *context) {
  run_slot *const slot = context;
  conformance_case *const seed = &slot->one->seed;
  gen_program *const program = conformance_prepare(&slot->settings->compilers, seed, slot->one->directory);
  if (!program) {
    run_write_lines(slot->one->directory, trouble_name, seed->verdict.details, NULL);
    return 1;
  }
  string_list arguments = {0};
  gen_link_arguments(program, &arguments);
  run_write_lines(slot->one->directory, arguments_name, "", &arguments);
  return 0;
}

static void run_read_words(voters_case *one) {
  text_buffer path = {0};
  text_add(&path, "%s/%s", one->directory, arguments_name);
  size_t size = 0;
  char *const text = file_read(path.bytes, &size);
  for (char *at = text ? strtok(text, "\n") : NULL; at; at = strtok(NULL, "\n"))
    string_list_add(&one->arguments, "%s", at);
  free(text);
  text_free(&path);
  voters_case_find_output(one);
  one->ready = one->arguments.count > 0;
}

static void run_read_trouble(voters_case *one) {
  text_buffer path = {0};
  text_add(&path, "%s/%s", one->directory, trouble_name);
  size_t size = 0;
  char *const text = file_read(path.bytes, &size);
  snprintf(one->trouble, sizeof one->trouble, "not compiled: %s", text ? text : "");
  free(text);
  text_free(&path);
}

static bool run_start_preparing(run_slot *slot, const char *scratch) {
  text_buffer directory = {0};
  text_add(&directory, "%s/%s", slot->settings->keep ? slot->settings->keep : scratch, slot->one->name);
  slot->one->directory = directory.bytes;
  slot->doing = RUN_PREPARES;
  process_ensure_directory(slot->one->directory);
  const process_job job = {.call = run_prepare, .context = slot};
  process_start(&job, &slot->child);
  return slot->child.pid > 0;
}

/* --- the votes of one case --- */

static bool run_is_live(const run_slot *slot, int who) {
  if (!slot->settings->voting[who] || slot->ballot.answers[who].voted)
    return false;
  return who != VOTER_NVLINK || (*slot->settings->programs[who] && !slot->ballot.answers[who].stored);
}

static bool run_start_vote(run_slot *slot, int doing) {
  const bool names_rows = doing == RUN_NAMES_ROWS, compatible = doing == RUN_COMPATIBLE;
  slot->doing = doing;
  slot->vote = (voters_vote){.settings = slot->settings,
                             .who = names_rows || compatible ? VOTER_LINKER : (voter)doing,
                             .mode = compatible ? VOTERS_COMPATIBLE : (voters_mode)slot->mode,
                             .own_identity = names_rows,
                             .one = slot->one};
  snprintf(slot->vote.directory, sizeof slot->vote.directory, "%s/%s", slot->directory,
           names_rows ? "rows" : voter_words[slot->vote.who]);
  if (voters_vote_start(&slot->vote, &slot->child))
    return true;
  string_list_free(&slot->vote.words);
  snprintf(slot->one->trouble, sizeof slot->one->trouble, "%s could not be started", voter_words[slot->vote.who]);
  return false;
}

/* Judges what is there and goes to the next mode; nvlink's answer does not depend on it. */
static void run_judge(run_slot *slot) {
  voters_ballot_judge(slot->settings, &slot->ballot, &slot->one->verdicts[slot->mode]);
  const voters_answer nvlink = slot->ballot.answers[VOTER_NVLINK];
  slot->ballot.answers[VOTER_NVLINK] = (voters_answer){0};
  voters_ballot_free(&slot->ballot);
  slot->ballot = (voters_ballot){.one = slot->one};
  slot->ballot.answers[VOTER_NVLINK] = nvlink;
}

/* Why nvlink may be another: the rows that the linker names, and in default mode whether it is nvlink's equal with them. */
static bool run_start_naming(run_slot *slot) {
  const bool linker =
      slot->settings->voting[VOTER_LINKER] && !conformance_is_nvlink(slot->settings->programs[VOTER_LINKER]);
  if (!linker || !voters_ballot_needs_rows(&slot->ballot))
    return false;
  if (!slot->ballot.rows_text)
    return run_start_vote(slot, RUN_NAMES_ROWS);
  return slot->mode == VOTERS_DEFAULT && !slot->ballot.compatible.voted && run_start_vote(slot, RUN_COMPATIBLE);
}

/* Starts the next child of the case; false when all is judged. */
static bool run_go_on(run_slot *slot) {
  for (; slot->mode < VOTERS_MODES; slot->mode++) {
    if (!slot->settings->modes[slot->mode])
      continue;
    slot->ballot.mode = (voters_mode)slot->mode;
    for (int who = 0; who < VOTER_COUNT; who++)
      if (run_is_live(slot, who) && run_start_vote(slot, who))
        return true;
    if (run_start_naming(slot))
      return true;
    run_judge(slot);
  }
  return false;
}

static void run_take(run_slot *slot) {
  if (slot->doing == RUN_PREPARES) {
    if (slot->child.result.exit_code == 0)
      run_read_words(slot->one);
    else
      run_read_trouble(slot->one);
    return;
  }
  voters_answer answer;
  voters_vote_take(&slot->vote, &slot->child, &answer);
  if (slot->doing == RUN_NAMES_ROWS) {
    slot->ballot.rows_text = answer.messages ? answer.messages : calloc(1, 1);
    slot->ballot.map = answer.rows;
    answer.messages = answer.rows = NULL;
    voters_answer_free(&answer);
  } else if (slot->doing == RUN_COMPATIBLE) {
    answer.voted = true; /* asked once */
    slot->ballot.compatible = answer;
  } else {
    slot->ballot.answers[slot->doing] = answer;
  }
}

/* --- the slots --- */

static void run_open(run_state *state, run_slot *slot) {
  slot->busy = true;
  slot->one = &state->cases->items[state->next++];
  slot->mode = 0;
  slot->ballot = (voters_ballot){.one = slot->one};
  if (slot->settings->voting[VOTER_NVLINK] && (slot->settings->stored || !*slot->settings->programs[VOTER_NVLINK]))
    voters_answer_read_stored(slot->one, &slot->ballot.answers[VOTER_NVLINK]);
  const bool started = slot->one->source == VOTERS_SEED ? run_start_preparing(slot, state->scratch) : run_go_on(slot);
  slot->busy = started;
}

static void run_close(run_state *state, run_slot *slot) {
  voters_ballot_free(&slot->ballot);
  slot->busy = false;
  state->finished++;
  bool bad = false;
  for (int mode = 0; mode < VOTERS_MODES; mode++)
    bad |= slot->one->verdicts[mode].outcome == VOTERS_ALONE || slot->one->verdicts[mode].outcome == VOTERS_APART;
  state->bad += bad;
  if (slot->one->source == VOTERS_SEED && !slot->settings->keep)
    process_remove_tree(slot->one->directory);
  if (state->progress)
    fprintf(stderr, "\r%zu of %zu cases, %zu with a difference ", state->finished, state->cases->count, state->bad);
}

/* One look at a slot; true when something happened. */
static bool run_look(run_state *state, run_slot *slot, bool interrupted) {
  if (!slot->busy) {
    if (interrupted || state->next == state->cases->count)
      return false;
    run_open(state, slot);
    if (!slot->busy)
      run_close(state, slot);
    return true;
  }
  if (!process_ended(&slot->child))
    return false;
  run_take(slot);
  if (interrupted || !slot->one->ready || !run_go_on(slot))
    run_close(state, slot);
  return true;
}

static void run_wait(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  const struct timespec most = {.tv_nsec = 20000000};
  sigtimedwait(&set, NULL, &most);
}

bool voters_run(const voters_settings *settings, voters_cases *cases, const char *scratch, bool progress) {
  run_state state = {.settings = settings, .cases = cases, .scratch = scratch, .progress = progress};
  const size_t slots = settings->jobs < RUN_SLOTS ? settings->jobs : RUN_SLOTS;
  state.slots = calloc(slots, sizeof *state.slots);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL); /* so that run_wait sees every one */
  fflush(NULL);                       /* a child must not write what waits here once more */
  for (size_t i = 0; state.slots && i < slots; i++) {
    state.slots[i].settings = settings;
    snprintf(state.slots[i].directory, sizeof state.slots[i].directory, "%s/slot-%zu", scratch, i);
  }
  bool busy = state.slots != NULL, interrupted = false;
  while (busy) {
    bool moved = false;
    busy = false;
    interrupted |= process_interrupted();
    for (size_t i = 0; i < slots; i++) {
      moved |= run_look(&state, &state.slots[i], interrupted);
      busy |= state.slots[i].busy;
    }
    busy |= !interrupted && state.next < cases->count;
    if (busy && !moved)
      run_wait();
  }
  if (progress)
    fprintf(stderr, "\r%70s\r", "");
  const bool done = state.slots && !interrupted;
  free(state.slots);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  return done;
}
