/* One vote: a case linked by one voter, in a directory and a process of its own. */
#include "voters.h"

#include "voters_calls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const voter_words[VOTER_COUNT] = {"linker", "reference", "nvlink", "baseline"};
const char *const voters_mode_words[VOTERS_MODES] = {"compatible", "default"};

/* In a vote's directory; the output of a program has the name that the words give it, in `place`. */
static const char file_stdout[] = "stdout", file_stderr[] = "stderr", file_ids[] = "ids", file_output[] = "output",
                  file_place[] = "place", file_map[] = ".voter.map";

enum { VOTE_FILE_LIMIT = 256 << 20, VOTE_SIGNAL = 128, VOTE_SIGNALS = 64 };

void voters_answer_free(voters_answer *answer) {
  free(answer->output);
  free(answer->messages);
  free(answer->printed);
  free(answer->rows);
  *answer = (voters_answer){0};
}

/* --- the words --- */

static bool vote_takes_flags(const voters_vote *vote) {
  const char *const program = vote->settings->programs[vote->who];
  return vote->who != VOTER_NVLINK && !conformance_is_nvlink(program);
}

static void vote_make_words(voters_vote *vote) {
  const char *const program = vote->settings->programs[vote->who];
  string_list_add(&vote->words, "%s", *program ? program : vote->settings->own_linker);
  if (vote_takes_flags(vote)) {
    string_list_add(&vote->words, "--identity=%s", vote->own_identity ? "twinlink" : "nvlink");
    if (vote->mode == VOTERS_COMPATIBLE)
      string_list_add(&vote->words, "--bug-compatible");
    if (vote->own_identity)
      string_list_add(&vote->words, "--map=%s", file_map);
  }
  for (size_t i = 0; i < vote->one->arguments.count; i++)
    string_list_add(&vote->words, "%s", vote->one->arguments.items[i]);
}

/* --- the child --- */

typedef char vote_path[CONFORMANCE_PATH + 16];

static const char *vote_file(const voters_vote *vote, const char *name, vote_path path) {
  snprintf(path, sizeof(vote_path), "%s/%s", vote->directory, name);
  return path;
}

/* A directory with the inputs in it, for a program, which writes where it stands. */
static bool vote_place(const voters_vote *vote) {
  vote_path place;
  vote_file(vote, file_place, place);
  return process_ensure_directory(place) && voters_case_place(vote->one, place);
}

/* Whether an output of that name is an ordinary file wherever one stands. */
static bool vote_output_is_plain(const char *name) {
  return !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool vote_is_call(const voters_vote *vote) {
  return !*vote->settings->programs[vote->who];
}

static int vote_become_program(const voters_vote *vote) {
  vote_path place;
  if (vote_place(vote) && chdir(vote_file(vote, file_place, place)) == 0)
    execv(vote->words.items[0], vote->words.items);
  return 127;
}

static int vote_call(void *context) {
  const voters_vote *const vote = context;
  static char buffer[1 << 16];
  vote_path output, ids;
  setvbuf(stderr, buffer, _IOFBF, sizeof buffer);
  const int argc = (int)vote->words.count;
  const char *const to = vote_output_is_plain(vote->one->output) ? vote_file(vote, file_output, output) : NULL;
  const int code = vote->who == VOTER_REFERENCE
                       ? voters_call_reference(argc, vote->words.items, to, vote_file(vote, file_ids, ids))
                       : voters_call_linker(argc, vote->words.items, to);
  if (code == VOTERS_ONLY_PROGRAM)
    return vote_become_program(vote);
  return fflush(stderr) == 0 ? code : 1;
}

bool voters_vote_start(voters_vote *vote, process_child *child) {
  vote_path place, out, err;
  vote_make_words(vote);
  vote_file(vote, file_place, place);
  const bool here = vote_is_call(vote) && vote_output_is_plain(vote->one->output);
  if (!process_ensure_directory(vote->directory) || (!here && !vote_place(vote)))
    return false;
  process_job job = {.arguments = (const char *const *)vote->words.items,
                     .directory = here ? vote->one->directory : place,
                     .output_path = vote_file(vote, file_stdout, out),
                     .error_path = vote_file(vote, file_stderr, err),
                     .temporary = vote->directory,
                     .seconds = vote->settings->seconds,
                     .memory = vote->settings->memory,
                     .file_size = vote->settings->file_size};
  if (vote_is_call(vote)) {
    job.call = vote_call;
    job.context = vote;
  }
  process_start(&job, child);
  return child->pid > 0;
}

/* --- the answer --- */

static char *vote_read(const char *directory, const char *name, size_t *size) {
  text_buffer path = {0};
  text_add(&path, "%s/%s", directory, name);
  char *const bytes = (char *)process_read_file(path.bytes, VOTE_FILE_LIMIT, size);
  text_free(&path);
  return bytes;
}

static void vote_settle_code(voters_answer *answer, int code) {
  answer->exit_code = code;
  if (code >= VOTE_SIGNAL && code < VOTE_SIGNAL + VOTE_SIGNALS)
    answer->signal = code > VOTE_SIGNAL ? code - VOTE_SIGNAL : 1;
}

/* The directory stays for the next vote. */
static void vote_clear(const voters_vote *vote) {
  static const char *const files[] = {file_stdout, file_stderr, file_ids, file_output};
  vote_path path;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    unlink(vote_file(vote, files[i], path));
  process_remove_tree(vote_file(vote, file_place, path));
}

void voters_vote_take(voters_vote *vote, const process_child *child, voters_answer *answer) {
  const process_result *const result = &child->result;
  size_t notes_size = 0;
  vote_path place;
  *answer = (voters_answer){.voted = result->started, .timed_out = result->timed_out, .seconds = result->seconds};
  vote_settle_code(answer, result->exit_code);
  answer->output = (uint8_t *)vote_read(vote->directory, file_output, &answer->output_size);
  if (!answer->output)
    answer->output = (uint8_t *)vote_read(vote_file(vote, file_place, place), vote->one->output, &answer->output_size);
  answer->messages = vote_read(vote->directory, file_stderr, &answer->message_size);
  answer->printed = vote_read(vote->directory, file_stdout, &answer->printed_size);
  if (vote->who == VOTER_REFERENCE)
    answer->rows = vote_read(vote->directory, file_ids, &notes_size);
  else if (vote->own_identity)
    answer->rows = vote_read(vote_file(vote, file_place, place), file_map, &notes_size);
  vote_clear(vote);
  string_list_free(&vote->words);
}

bool voters_answer_read_stored(const voters_case *one, voters_answer *answer) {
  if (!one->stored)
    return false;
  size_t size = 0;
  char *const code = vote_read(one->stored, "expect.rc", &size);
  *answer = (voters_answer){.voted = code != NULL, .stored = true};
  vote_settle_code(answer, code ? atoi(code) : 0);
  answer->output = (uint8_t *)vote_read(one->stored, "expect.cubin", &answer->output_size);
  answer->messages = vote_read(one->stored, "expect.stderr", &answer->message_size);
  free(code);
  return answer->voted;
}
