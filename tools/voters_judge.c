/* Who agrees with whom, who stands alone, and when nvlink's vote abstains.
 *
 * Two answers agree when exit code, output bytes, messages and what was printed are equal; an answer of a voter that ended
 * by a signal or ran into a limit agrees with none. The largest group of voters that agree is the majority; the others stand
 * alone. Where no group is larger than another the voters are apart. nvlink abstains where it ended by a signal or a
 * limit, and where linker or reference names a row of the catalogue of its defects. */
#include "voters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const voters_outcome_words[VOTERS_OUTCOMES] = {"alike", "abstained", "alone", "apart", "known", "no case"};

/* --- two answers --- */

static bool judge_same(const void *a, size_t a_size, const void *b, size_t b_size) {
  return a_size == b_size && (a_size == 0 || (a && b && memcmp(a, b, a_size) == 0));
}

static bool judge_is_broken(const voters_answer *answer) {
  return answer->signal != 0 || answer->timed_out;
}

const char *voters_answer_difference(const voters_answer *a, const voters_answer *b) {
  if (a->timed_out || b->timed_out)
    return "time limit";
  if (a->signal || b->signal)
    return "crash";
  if (a->exit_code != b->exit_code)
    return "exit code";
  if (!a->output != !b->output)
    return "no output";
  if (!judge_same(a->output, a->output_size, b->output, b->output_size))
    return "output";
  if (!judge_same(a->messages, a->message_size, b->messages, b->message_size))
    return "messages";
  if (a->printed && b->printed && !judge_same(a->printed, a->printed_size, b->printed, b->printed_size))
    return "standard output";
  return "";
}

/* --- rows --- */

static const char *const rows_always[] = {"D14",  "D15", "D16", "D17", "D18", "D19", "D20", "D32", "D42", "D43",
                                          "D101", "D44", "D46", "D62", "D66", "D67", "D68", "M43", "M44", "M45i"};

static bool judge_row_is_always(const char *row) {
  for (size_t i = 0; i < sizeof rows_always / sizeof *rows_always; i++)
    if (strcmp(row, rows_always[i]) == 0)
      return true;
  return false;
}

/* Adds a row once. */
static void judge_add_row(voters_verdict *verdict, const char *row, size_t length) {
  char padded[12], all[sizeof verdict->rows + 4];
  const size_t used = strlen(verdict->rows);
  if (length >= sizeof padded - 3 || used + length + 2 > sizeof verdict->rows)
    return;
  snprintf(padded, sizeof padded, " %.*s ", (int)length, row);
  snprintf(all, sizeof all, " %s ", verdict->rows);
  if (!strstr(all, padded))
    snprintf(verdict->rows + used, sizeof verdict->rows - used, "%s%.*s", used ? " " : "", (int)length, row);
}

/* The length of a row's id at `at` ("D58", "M45i"), or 0. */
static size_t judge_row_length(const char *at) {
  if (*at != 'D' && *at != 'M')
    return 0;
  size_t length = 1;
  while (isdigit((unsigned char)at[length]))
    length++;
  if (length == 1)
    return 0;
  return length + (*at == 'M' && at[length] == 'i');
}

/* Rows as the linker says them: "D58: ..." at the start of a text, "(D14)", "(M44)" anywhere. */
static void judge_read_text(voters_verdict *named, const char *text) {
  for (const char *at = text; at && *at; at++) {
    const size_t length = judge_row_length(at);
    const char before = at == text ? '\n' : at[-1], behind = at[length];
    if (length && ((before == '(' && (behind == ')' || behind == ':')) || (before == ' ' && behind == ':')))
      judge_add_row(named, at, length);
  }
}

/* The ids of the reference's messages. */
static void judge_read_ids(voters_verdict *named, const char *ids) {
  for (const char *at = ids; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
    const size_t length = judge_row_length(at);
    if (length && *at == 'D')
      judge_add_row(named, at, length);
  }
}

static bool judge_refuses(const voters_answer *answer) {
  return answer->voted && !judge_is_broken(answer) && !answer->output && answer->exit_code != 0;
}

/* M43, M44 and M45i excuse the kernels' texts and what hangs on them, nothing else (M46). */
static bool judge_is_finalizers(const voters_ballot *ballot, const voters_answer *linker) {
  const voters_answer *const nvlink = &ballot->answers[VOTER_NVLINK];
  conformance_capsules capsules;
  conformance_judge_capsule(nvlink->output, nvlink->output_size, linker->output, linker->output_size, ballot->map,
                            &capsules);
  return capsules.judged && capsules.kept && capsules.rest_identical;
}

/* Rows of class R are the whole reason where the linker with --bug-compatible is nvlink's equal. The reference alone cannot
 * be asked that. */
static bool judge_is_class_r(const voters_ballot *ballot) {
  const voters_answer *const nvlink = &ballot->answers[VOTER_NVLINK], *const linker = &ballot->compatible;
  if (ballot->mode != VOTERS_DEFAULT)
    return false;
  return !linker->voted || judge_is_broken(nvlink) || !*voters_answer_difference(nvlink, linker) ||
         judge_is_finalizers(ballot, linker);
}

/* Whether a named row is the reason for what differs: rows of class E where we refuse, the finalizer's where the rest is
 * equal, rows of class R in default mode. */
static bool judge_is_reason(const voters_ballot *ballot, const char *row) {
  if (*row == 'M')
    return judge_is_finalizers(ballot, &ballot->answers[VOTER_LINKER]);
  if (judge_row_is_always(row))
    return judge_refuses(&ballot->answers[VOTER_LINKER]) || judge_refuses(&ballot->answers[VOTER_REFERENCE]);
  return judge_is_class_r(ballot);
}

static void judge_name_rows(const voters_ballot *ballot, voters_verdict *verdict) {
  voters_verdict named = {.judged = true};
  judge_read_text(&named, ballot->rows_text);
  judge_read_ids(&named, ballot->answers[VOTER_REFERENCE].rows);
  for (char *row = strtok(named.rows, " "); row; row = strtok(NULL, " "))
    if (judge_is_reason(ballot, row))
      judge_add_row(verdict, row, strlen(row));
}

/* --- groups --- */

static bool judge_agree(const voters_ballot *ballot, int a, int b) {
  return !*voters_answer_difference(&ballot->answers[a], &ballot->answers[b]);
}

static unsigned judge_bits(unsigned set) {
  unsigned count = 0;
  for (; set; set &= set - 1)
    count++;
  return count;
}

/* Voters of `voting` that all agree, `who` among them. Agreement is not transitive: a stored answer does not say what was
 * printed on standard output. */
static unsigned judge_group(const voters_ballot *ballot, unsigned voting, int who) {
  unsigned group = 1u << who;
  for (int other = 0; other < VOTER_COUNT; other++) {
    bool all = voting >> other & 1;
    for (int member = 0; all && member < VOTER_COUNT; member++)
      all = !(group >> member & 1) || member == other || judge_agree(ballot, member, other);
    group |= all ? 1u << other : 0;
  }
  return group;
}

/* The largest group, or 0 when there are two of that size. One voter is a majority of itself. */
static unsigned judge_majority(const voters_ballot *ballot, unsigned voting) {
  unsigned best = 0;
  bool unique = true;
  for (int who = 0; who < VOTER_COUNT; who++) {
    const unsigned group = voting >> who & 1 ? judge_group(ballot, voting, who) : best;
    if (group == best || judge_bits(group) < judge_bits(best))
      continue;
    unique = judge_bits(group) > judge_bits(best);
    best = group;
  }
  return unique ? best : 0;
}

/* nvlink has no words of its own where it abstains: refusals without an output, with one exit code, say the same. */
static bool judge_refuse_alike(const voters_ballot *ballot, unsigned voting) {
  const voters_answer *first = NULL;
  for (int who = 0; who < VOTER_COUNT; who++) {
    const voters_answer *const answer = &ballot->answers[who];
    if (!(voting >> who & 1))
      continue;
    if (judge_is_broken(answer) || answer->output || answer->exit_code == 0 || answer->message_size == 0 ||
        (first && first->exit_code != answer->exit_code))
      return false;
    first = answer;
  }
  return first != NULL;
}

static void judge_what(const voters_ballot *ballot, voters_verdict *verdict, unsigned majority) {
  for (int who = 0; who < VOTER_COUNT; who++)
    for (int other = 0; other < VOTER_COUNT; other++) {
      const bool pair = majority ? majority >> who & 1 && verdict->alone >> other & 1
                                 : verdict->alone >> who & 1 && verdict->alone >> other & 1 && who < other;
      const char *const what = pair ? voters_answer_difference(&ballot->answers[who], &ballot->answers[other]) : "";
      if (*what && !*verdict->what)
        snprintf(verdict->what, sizeof verdict->what, "%s", what);
    }
}

/* --- the verdict --- */

static void judge_compare_with_nvlink(const voters_ballot *ballot, voters_verdict *verdict) {
  const unsigned both = 1u << VOTER_LINKER | 1u << VOTER_REFERENCE;
  if ((verdict->voted & both) != both || !(verdict->voted >> VOTER_NVLINK & 1))
    return;
  const bool linker = judge_agree(ballot, VOTER_LINKER, VOTER_NVLINK);
  const bool reference = judge_agree(ballot, VOTER_REFERENCE, VOTER_NVLINK);
  verdict->nvlink_against = !linker || !reference;
  verdict->common = !linker && !reference && judge_agree(ballot, VOTER_LINKER, VOTER_REFERENCE);
}

bool voters_ballot_needs_rows(const voters_ballot *ballot) {
  const voters_answer *const nvlink = &ballot->answers[VOTER_NVLINK];
  const voters_answer *const linker = &ballot->answers[VOTER_LINKER];
  const voters_answer *const reference = &ballot->answers[VOTER_REFERENCE];
  return nvlink->voted && ((linker->voted && *voters_answer_difference(nvlink, linker)) ||
                           (reference->voted && *voters_answer_difference(nvlink, reference)));
}

static bool judge_nvlink_abstains(const voters_ballot *ballot, voters_verdict *verdict, unsigned majority) {
  const voters_answer *const nvlink = &ballot->answers[VOTER_NVLINK];
  const bool agreed = majority >> VOTER_NVLINK & 1 && judge_bits(majority) > 1;
  if (!nvlink->voted || agreed)
    return false;
  judge_name_rows(ballot, verdict);
  if (!*verdict->rows && judge_is_broken(nvlink))
    snprintf(verdict->rows, sizeof verdict->rows, nvlink->timed_out ? "time limit" : "signal");
  return *verdict->rows != 0;
}

void voters_ballot_judge(const voters_settings *settings, const voters_ballot *ballot, voters_verdict *verdict) {
  *verdict = (voters_verdict){.judged = true, .outcome = VOTERS_NO_CASE};
  for (int who = 0; who < VOTER_COUNT; who++) {
    verdict->voted |= ballot->answers[who].voted ? 1u << who : 0;
    verdict->seconds[who] = ballot->answers[who].seconds;
  }
  if (judge_bits(verdict->voted) < 2)
    return;
  unsigned voting = verdict->voted;
  unsigned majority = judge_majority(ballot, voting);
  verdict->outcome = VOTERS_ALIKE;
  if (majority == voting)
    return;
  const bool abstains = judge_nvlink_abstains(ballot, verdict, majority);
  if (abstains) {
    voting &= ~(1u << VOTER_NVLINK);
    for (int who = 0; who < VOTER_COUNT; who++)
      verdict->like_nvlink |= voting >> who & 1 && judge_agree(ballot, who, VOTER_NVLINK) ? 1u << who : 0;
    majority = judge_majority(ballot, voting);
    verdict->own_words = majority != voting && judge_refuse_alike(ballot, voting);
    if (verdict->own_words)
      majority = voting;
  } else {
    judge_compare_with_nvlink(ballot, verdict);
  }
  for (int who = 0; who < VOTER_COUNT && majority == voting; who++)
    if (voting >> who & 1 && judge_is_broken(&ballot->answers[who]))
      majority = 0;
  verdict->alone = majority ? voting & ~majority : voting;
  verdict->outcome = majority == voting ? VOTERS_ABSTAINED : majority ? VOTERS_ALONE : VOTERS_APART;
  judge_what(ballot, verdict, majority);
  if (verdict->outcome == VOTERS_ABSTAINED && !settings->show_all)
    return;
  text_buffer text = {0};
  voters_explain(ballot, verdict, settings->limit, &text);
  verdict->text = text.bytes;
}

void voters_ballot_free(voters_ballot *ballot) {
  for (int who = 0; who < VOTER_COUNT; who++)
    voters_answer_free(&ballot->answers[who]);
  free(ballot->rows_text);
  free(ballot->map);
  voters_answer_free(&ballot->compatible);
  ballot->rows_text = ballot->map = NULL;
}
