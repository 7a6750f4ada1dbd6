/* What the votes showed, for programs: JSON and JUnit, as docs/voters.md describes them. */
#include "json_file.h"
#include "voters.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static void json_add_voters(cJSON *to, const char *name, unsigned voters) {
  cJSON *const list = cJSON_AddArrayToObject(to, name);
  for (int who = 0; who < VOTER_COUNT; who++)
    if (voters >> who & 1)
      cJSON_AddItemToArray(list, cJSON_CreateString(voter_words[who]));
}

static void json_add_lines(cJSON *to, const char *name, const char *text) {
  cJSON *const list = cJSON_AddArrayToObject(to, name);
  while (text && *text) {
    const size_t length = strcspn(text, "\n");
    text_buffer line = {0};
    text_add(&line, "%.*s", (int)length, text);
    cJSON_AddItemToArray(list, cJSON_CreateString(line.bytes));
    text_free(&line);
    text += length + (text[length] == '\n');
  }
}

static cJSON *json_case(const voters_case *one, voters_mode mode) {
  const voters_verdict *const verdict = &one->verdicts[mode];
  cJSON *const row = cJSON_CreateObject();
  cJSON_AddStringToObject(row, "name", one->name);
  cJSON_AddStringToObject(row, "mode", voters_mode_words[mode]);
  cJSON_AddStringToObject(row, "outcome", voters_outcome_words[verdict->judged ? verdict->outcome : VOTERS_NO_CASE]);
  if (!verdict->judged) {
    cJSON_AddStringToObject(row, "trouble", one->trouble);
    return row;
  }
  json_add_voters(row, "voted", verdict->voted);
  json_add_voters(row, "alone", verdict->alone);
  json_add_voters(row, "like_nvlink", verdict->like_nvlink);
  cJSON_AddStringToObject(row, "rows", verdict->rows);
  cJSON_AddStringToObject(row, "what", verdict->what);
  if (verdict->own_words)
    cJSON_AddBoolToObject(row, "own_words", true);
  if (verdict->text)
    json_add_lines(row, "explanation", verdict->text);
  return row;
}

bool voters_write_json(const voters_report *report, const char *path) {
  const voters_sums sums = voters_sum(report);
  cJSON *const root = cJSON_CreateObject();
  unsigned asked = 0;
  for (int who = 0; who < VOTER_COUNT; who++)
    asked |= report->settings->voting[who] ? 1u << who : 0;
  cJSON_AddNumberToObject(root, "format", 1);
  json_add_voters(root, "voters", asked);
  cJSON_AddNumberToObject(root, "cases", (double)report->cases->count);
  cJSON *const outcomes = cJSON_AddObjectToObject(root, "outcomes");
  for (int outcome = 0; outcome < VOTERS_OUTCOMES; outcome++)
    cJSON_AddNumberToObject(outcomes, voters_outcome_words[outcome], (double)sums.outcomes[outcome]);
  cJSON *const alone = cJSON_AddObjectToObject(root, "alone");
  for (int who = 0; who < VOTER_COUNT; who++)
    cJSON_AddNumberToObject(alone, voter_words[who], (double)sums.alone[who]);
  cJSON_AddNumberToObject(root, "without_nvlink", (double)sums.without_nvlink);
  cJSON_AddNumberToObject(root, "against_nvlink", (double)sums.against_nvlink);
  cJSON_AddNumberToObject(root, "common_mode", (double)sums.common);
  cJSON_AddNumberToObject(root, "stale", (double)sums.stale);
  cJSON *const results = cJSON_AddArrayToObject(root, "results");
  for (size_t i = 0; i < report->cases->count; i++)
    for (int mode = 0; mode < VOTERS_MODES; mode++)
      if (report->settings->modes[mode])
        cJSON_AddItemToArray(results, json_case(&report->cases->items[i], (voters_mode)mode));
  return json_write(root, path);
}

/* --- JUnit --- */

static void junit_add(text_buffer *to, const char *text) {
  for (; text && *text; text++) {
    const unsigned char byte = (unsigned char)*text;
    static const struct {
      char byte;
      const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    const char *entity = NULL;
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
      if (*text == entities[i].byte)
        entity = entities[i].entity;
    if (entity)
      text_add(to, "%s", entity);
    else if (byte == '\n' || (byte >= ' ' && byte < 127))
      text_add(to, "%c", byte);
    else
      text_add(to, "?");
  }
}

static void junit_case(text_buffer *to, const voters_case *one, voters_mode mode) {
  const voters_verdict *const verdict = &one->verdicts[mode];
  double seconds = 0;
  for (int who = 0; who < VOTER_COUNT; who++)
    seconds += verdict->seconds[who];
  text_add(to, "  <testcase classname=\"%s\" name=\"", voters_mode_words[mode]);
  junit_add(to, one->name);
  text_add(to, "\" time=\"%.3f\">\n", seconds);
  if (!verdict->judged || verdict->outcome == VOTERS_NO_CASE) {
    text_add(to, "    <skipped message=\"");
    junit_add(to, one->trouble);
    text_add(to, "\"/>\n");
  } else if (verdict->outcome == VOTERS_ALONE || verdict->outcome == VOTERS_APART) {
    text_add(to, "    <failure message=\"");
    voters_add_names(to, verdict->alone);
    text_add(to, " %s: %s\">", verdict->outcome == VOTERS_ALONE ? "alone" : "differ", verdict->what);
    junit_add(to, verdict->text);
    text_add(to, "</failure>\n");
  } else if (verdict->outcome != VOTERS_ALIKE) {
    text_add(to, "    <system-out>%s %s</system-out>\n", voters_outcome_words[verdict->outcome], verdict->rows);
  }
  text_add(to, "  </testcase>\n");
}

bool voters_write_junit(const voters_report *report, const char *path) {
  const voters_sums sums = voters_sum(report);
  text_buffer text = {0};
  size_t tests = 0;
  for (int outcome = 0; outcome < VOTERS_OUTCOMES; outcome++)
    tests += sums.outcomes[outcome];
  text_add(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  text_add(&text, "<testsuite name=\"twin diff\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
           tests, sums.outcomes[VOTERS_ALONE] + sums.outcomes[VOTERS_APART], sums.outcomes[VOTERS_NO_CASE],
           report->seconds);
  for (size_t i = 0; i < report->cases->count; i++)
    for (int mode = 0; mode < VOTERS_MODES; mode++)
      if (report->settings->modes[mode])
        junit_case(&text, &report->cases->items[i], (voters_mode)mode);
  text_add(&text, "</testsuite>\n");
  bool changed;
  const bool written = text.bytes && file_update(path, text.bytes, text.size, &changed);
  text_free(&text);
  return written;
}
