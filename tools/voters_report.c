/* What the votes showed, for a person. Every case and mode is counted under exactly one outcome. */
#include "voters.h"

#include <stdlib.h>
#include <string.h>

static const voters_verdict *report_verdict(const voters_report *report, size_t index, voters_mode *mode,
                                            const voters_case **one) {
  *one = &report->cases->items[index / VOTERS_MODES];
  *mode = (voters_mode)(index % VOTERS_MODES);
  return report->settings->modes[*mode] ? &(*one)->verdicts[*mode] : NULL;
}

static void report_add(voters_sums *sums, const voters_verdict *verdict) {
  sums->outcomes[verdict->judged ? verdict->outcome : VOTERS_NO_CASE]++;
  sums->own_words += verdict->own_words;
  sums->without_nvlink += verdict->judged && !(verdict->voted >> VOTER_NVLINK & 1);
  sums->against_nvlink += verdict->nvlink_against;
  sums->common += verdict->common;
  for (int who = 0; who < VOTER_COUNT; who++) {
    sums->votes += verdict->voted >> who & 1;
    sums->alone[who] += verdict->outcome == VOTERS_ALONE && verdict->alone >> who & 1;
  }
}

voters_sums voters_sum(const voters_report *report) {
  voters_sums sums = {0};
  for (size_t i = 0; i < report->cases->count * VOTERS_MODES; i++) {
    voters_mode mode;
    const voters_case *one;
    const voters_verdict *const verdict = report_verdict(report, i, &mode, &one);
    if (verdict)
      report_add(&sums, verdict);
  }
  for (size_t i = 0; i < report->known->count; i++)
    sums.stale += report->known->items[i].seen && !report->known->items[i].stood;
  return sums;
}

bool voters_found(const voters_report *report) {
  const voters_sums sums = voters_sum(report);
  const size_t bad = sums.outcomes[VOTERS_ALONE] + sums.outcomes[VOTERS_APART];
  const size_t good = sums.outcomes[VOTERS_ALIKE] + sums.outcomes[VOTERS_ABSTAINED] + sums.outcomes[VOTERS_KNOWN];
  return sums.stale || (good + bad > 0 && 100.0 * (double)good < report->settings->required * (double)(good + bad));
}

static void report_print_names(FILE *to, unsigned voters) {
  text_buffer text = {0};
  voters_add_names(&text, voters);
  fputs(text.bytes ? text.bytes : "", to);
  text_free(&text);
}

static void report_print_case(const voters_case *one, voters_mode mode, const voters_verdict *verdict, FILE *to) {
  fprintf(to, "%s (%s): ", one->name, voters_mode_words[mode]);
  switch (verdict->outcome) {
  case VOTERS_ALONE:
    report_print_names(to, verdict->alone);
    fprintf(to, " alone against ");
    report_print_names(to, verdict->voted & ~verdict->alone & (*verdict->rows ? ~(1u << VOTER_NVLINK) : ~0u));
    break;
  case VOTERS_APART:
    report_print_names(to, verdict->alone);
    fprintf(to, " differ, and no majority says who is wrong");
    break;
  default:
    fprintf(to, "%s", voters_outcome_words[verdict->outcome]);
    break;
  }
  if (*verdict->rows)
    fprintf(to, verdict->outcome == VOTERS_KNOWN ? " (%s)" : "; nvlink abstains (%s)", verdict->rows);
  if (verdict->like_nvlink && verdict->outcome != VOTERS_KNOWN) {
    fprintf(to, ", but its answer is that of ");
    report_print_names(to, verdict->like_nvlink);
  }
  if (*verdict->what)
    fprintf(to, ": %s", verdict->what);
  fprintf(to, "\n%s", verdict->text ? verdict->text : "");
}

/* How often each row made nvlink abstain; a verdict may have several. */
static void report_print_rows(const voters_report *report, voters_outcome outcome, const char *title, FILE *to) {
  string_list rows = {0};
  for (size_t i = 0; i < report->cases->count * VOTERS_MODES; i++) {
    voters_mode mode;
    const voters_case *one;
    const voters_verdict *const verdict = report_verdict(report, i, &mode, &one);
    if (verdict && verdict->judged && verdict->outcome == outcome)
      string_list_add(&rows, "%s", verdict->rows);
  }
  string_list_sort(&rows);
  if (rows.count)
    fprintf(to, "%s:", title);
  for (size_t i = 0, from = 0; i < rows.count; i++)
    if (i + 1 == rows.count || strcmp(rows.items[i], rows.items[i + 1]) != 0) {
      fprintf(to, "%s %s %zu", from ? "," : "", rows.items[i], i + 1 - from);
      from = i + 1;
    }
  if (rows.count)
    fprintf(to, "\n");
  string_list_free(&rows);
}

static void report_print_stale(const voters_report *report, FILE *to) {
  for (size_t i = 0; i < report->known->count; i++) {
    const voters_known_row *const row = &report->known->items[i];
    if (row->seen && !row->stood)
      fprintf(to, "%s: listed with %s, and the %s does not stand alone\n", row->job, row->row, voter_words[row->who]);
  }
}

static void report_print_sums(const voters_report *report, const voters_sums *sums, FILE *to) {
  size_t whole = 0;
  for (int outcome = 0; outcome < VOTERS_OUTCOMES; outcome++)
    whole += sums->outcomes[outcome];
  fprintf(to, "%zu cases, %zu votes: all alike in %zu of %zu\n", report->cases->count, sums->votes,
          sums->outcomes[VOTERS_ALIKE], whole);
  if (sums->outcomes[VOTERS_ABSTAINED])
    fprintf(to, "nvlink abstains, the others alike: %zu (%zu refusals in other words)\n",
            sums->outcomes[VOTERS_ABSTAINED], sums->own_words);
  report_print_rows(report, VOTERS_ABSTAINED, "  by row", to);
  if (sums->outcomes[VOTERS_KNOWN])
    fprintf(to, "known differences: %zu\n", sums->outcomes[VOTERS_KNOWN]);
  report_print_rows(report, VOTERS_KNOWN, "  by rule", to);
  for (int who = 0; who < VOTER_COUNT; who++)
    if (sums->alone[who])
      fprintf(to, "%s alone: %zu\n", voter_words[who], sums->alone[who]);
  if (sums->outcomes[VOTERS_APART])
    fprintf(to, "no majority: %zu\n", sums->outcomes[VOTERS_APART]);
  if (sums->outcomes[VOTERS_NO_CASE])
    fprintf(to, "no case: %zu\n", sums->outcomes[VOTERS_NO_CASE]);
  if (report->settings->voting[VOTER_NVLINK] && sums->without_nvlink)
    fprintf(to, "without nvlink's vote: %zu\n", sums->without_nvlink);
  if (report->settings->voting[VOTER_LINKER] && report->settings->voting[VOTER_REFERENCE])
    fprintf(
        to,
        "common mode: of %zu in which linker or reference differs from nvlink, both have the same wrong answer in %zu"
        " (%.1f %%)\n",
        sums->against_nvlink, sums->common,
        sums->against_nvlink ? 100.0 * (double)sums->common / (double)sums->against_nvlink : 0);
}

void voters_print(const voters_report *report, bool quiet, FILE *to) {
  for (size_t i = 0; !quiet && i < report->cases->count * VOTERS_MODES; i++) {
    voters_mode mode;
    const voters_case *one;
    const voters_verdict *const verdict = report_verdict(report, i, &mode, &one);
    if (!verdict)
      continue;
    if (!verdict->judged)
      fprintf(to, "%s (%s): no case: %s\n", one->name, voters_mode_words[mode], one->trouble);
    else if (verdict->outcome == VOTERS_ALONE || verdict->outcome == VOTERS_APART ||
             (report->settings->show_all && verdict->outcome != VOTERS_ALIKE))
      report_print_case(one, mode, verdict, to);
  }
  report_print_stale(report, to);
  const voters_sums sums = voters_sum(report);
  report_print_sums(report, &sums, to);
  fprintf(to, "time %.1f s\n", report->seconds);
}
