/* What the voters differ in, by name: the output's differences from oracle/compare, the first message that is another, the
 * exit codes. The majority's answer is told first, then that of each voter that stands alone. */
#include "voters.h"

#include "diff_code.h"

#include <stdlib.h>
#include <string.h>

void voters_add_names(text_buffer *text, unsigned voters) {
  const char *between = "";
  for (int who = 0; who < VOTER_COUNT; who++)
    if (voters >> who & 1) {
      text_add(text, "%s%s", between, voter_words[who]);
      between = ", ";
    }
}

/* --- messages --- */

static size_t explain_line_length(const char *text, size_t size) {
  const char *const end = size ? memchr(text, '\n', size) : NULL;
  return end ? (size_t)(end - text) : size;
}

static void explain_add_line(text_buffer *text, const char *who, const char *line, size_t size) {
  enum { LONGEST = 400 };
  const size_t length = explain_line_length(line, size);
  if (size == 0)
    text_add(text, "    %s: nothing more\n", who);
  else
    text_add(text, "    %s: %.*s%s\n", who, (int)(length < LONGEST ? length : LONGEST), line,
             length < LONGEST ? "" : "...");
}

static void explain_messages(text_buffer *text, const char *what, const char *a_name, const char *a, size_t a_size,
                             const char *b_name, const char *b, size_t b_size) {
  size_t line = 1;
  for (;; line++) {
    const size_t left = explain_line_length(a, a_size), right = explain_line_length(b, b_size);
    if (a_size == 0 || b_size == 0 || left != right || memcmp(a, b, left) != 0)
      break;
    a += left + (left < a_size);
    b += right + (right < b_size);
    a_size -= left + (left < a_size);
    b_size -= right + (right < b_size);
  }
  text_add(text, "  %s, line %zu:\n", what, line);
  explain_add_line(text, a_name, a, a_size);
  explain_add_line(text, b_name, b, b_size);
}

/* --- outputs --- */

typedef struct explain_files {
  ref_compared_file *items;
  size_t count;
} explain_files;

/* The cubins that were linked, as far as the words name them. */
static explain_files explain_read_inputs(const voters_case *one) {
  explain_files files = {.items = calloc(one->arguments.count + 1, sizeof *files.items)};
  for (size_t i = 0; files.items && i < one->arguments.count; i++) {
    const char *const word = one->arguments.items[i];
    text_buffer path = {0};
    text_add(&path, "%s%s%s", *word == '/' ? "" : one->directory, *word == '/' ? "" : "/", word);
    size_t size = 0;
    char *const bytes = *word == '-' || !*word ? NULL : file_read(path.bytes, &size);
    if (bytes)
      files.items[files.count++] = (ref_compared_file){.name = word, .bytes = bytes, .size = size};
    text_free(&path);
  }
  return files;
}

static void explain_free_inputs(explain_files *files) {
  for (size_t i = 0; i < files->count; i++)
    free((void *)(uintptr_t)files->items[i].bytes);
  free(files->items);
}

static void explain_outputs(text_buffer *text, const voters_case *one, const char *a_name, const voters_answer *a,
                            const char *b_name, const voters_answer *b, size_t limit) {
  explain_files inputs = explain_read_inputs(one);
  ref_comparison result;
  char error[512];
  const ref_compared_file left = {a_name, a->output, a->output_size}, right = {b_name, b->output, b->output_size};
  if (!ref_compare_files(&result, &left, &right, inputs.items, inputs.count, error, sizeof error))
    text_add(text, "  output: %s\n", error);
  size_t shown = 0;
  for (size_t i = 0; i < result.count && (!limit || shown < limit); i++) {
    if (result.differences[i].follows)
      continue;
    diff_add_difference(text, &result.differences[i], a_name, b_name, "  ");
    shown++;
  }
  if (shown < result.count)
    text_add(text, "  and %zu more, %zu of them only follow\n", result.count - shown, result.count - result.causes);
  ref_comparison_free(&result);
  explain_free_inputs(&inputs);
}

/* --- two voters --- */

static void explain_code(text_buffer *text, const char *who, const voters_answer *answer) {
  if (answer->timed_out)
    text_add(text, " %s ran into the time limit;", who);
  else if (answer->signal)
    text_add(text, " %s ended by signal %d;", who, answer->signal);
  else
    text_add(text, " %s %d%s;", who, answer->exit_code, answer->output ? "" : " without an output");
}

static void explain_pair(text_buffer *text, const voters_ballot *ballot, const char *a_name, int a_voter, int b_voter,
                         size_t limit) {
  const voters_answer *const a = &ballot->answers[a_voter], *const b = &ballot->answers[b_voter];
  const char *const b_name = voter_words[b_voter];
  if (a->exit_code != b->exit_code || !a->output != !b->output || a->signal || b->signal) {
    text_add(text, "  exit code:");
    explain_code(text, a_name, a);
    explain_code(text, b_name, b);
    text_add(text, "\n");
  }
  if (a->output && b->output && (a->output_size != b->output_size || memcmp(a->output, b->output, a->output_size) != 0))
    explain_outputs(text, ballot->one, a_name, a, b_name, b, limit);
  if (a->messages && b->messages &&
      (a->message_size != b->message_size || memcmp(a->messages, b->messages, a->message_size) != 0))
    explain_messages(text, "messages", a_name, a->messages, a->message_size, b_name, b->messages, b->message_size);
  if (a->printed && b->printed &&
      (a->printed_size != b->printed_size || memcmp(a->printed, b->printed, a->printed_size) != 0))
    explain_messages(text, "standard output", a_name, a->printed, a->printed_size, b_name, b->printed, b->printed_size);
}

static int explain_first(unsigned voters) {
  static const int order[] = {VOTER_NVLINK, VOTER_REFERENCE, VOTER_BASELINE, VOTER_LINKER};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (voters >> order[i] & 1)
      return order[i];
  return VOTER_LINKER;
}

void voters_explain(const voters_ballot *ballot, const voters_verdict *verdict, size_t limit, text_buffer *text) {
  const bool abstained = verdict->outcome == VOTERS_ABSTAINED;
  const unsigned nvlink = 1u << VOTER_NVLINK;
  unsigned majority = verdict->voted & ~verdict->alone, others = verdict->alone;
  if (abstained) {
    majority = verdict->voted & nvlink;
    others = verdict->voted & ~nvlink;
  } else if (verdict->outcome == VOTERS_APART) {
    majority = 1u << explain_first(verdict->alone);
    others = verdict->alone & ~majority;
  } else if (*verdict->rows) {
    majority &= ~nvlink;
  }
  text_buffer names = {0};
  voters_add_names(&names, majority);
  const int first = explain_first(majority);
  for (int who = 0; who < VOTER_COUNT; who++)
    if (others >> who & 1)
      explain_pair(text, ballot, names.bytes ? names.bytes : "", first, who, limit);
  text_free(&names);
}
