/* Lists of jobs on which one voter is known to stand alone, each line with the rule or row that says why: the lists of
 * tests/conformance, read as they are. A line whose job was a case and whose voter does not stand alone is stale. */
#include "voters.h"

#include <stdlib.h>
#include <string.h>

/* The word that starts at *at, which is moved behind it. */
static char *known_take_word(const char **at) {
  const size_t length = strcspn(*at, " \n");
  text_buffer text = {0};
  text_add(&text, "%.*s", (int)length, *at);
  *at += length;
  *at += strspn(*at, " ");
  return text.bytes;
}

static void known_add(voters_known *known, voter who, const char *line) {
  if (known->count == known->room) {
    const size_t room = known->room ? 2 * known->room : 64;
    voters_known_row *const items = realloc(known->items, room * sizeof *items);
    if (!items)
      return;
    known->items = items;
    known->room = room;
  }
  voters_known_row *const row = &known->items[known->count++];
  *row = (voters_known_row){.who = who};
  row->job = known_take_word(&line);
  row->row = known_take_word(&line);
  free(known_take_word(&line));
  const size_t length = strcspn(line, "\n");
  text_buffer reason = {0};
  text_add(&reason, "%.*s", (int)length, line);
  row->reason = reason.bytes;
}

bool voters_known_read(voters_known *known, const char *word) {
  const size_t length = strcspn(word, ":");
  int who = 0;
  while (who < VOTER_COUNT && (strlen(voter_words[who]) != length || strncmp(voter_words[who], word, length) != 0))
    who++;
  size_t size = 0;
  char *const text = who < VOTER_COUNT && word[length] ? file_read(word + length + 1, &size) : NULL;
  if (!text) {
    fprintf(stderr, "twin diff: '%s' is not VOTER:FILE with a file that can be read\n", word);
    return false;
  }
  for (const char *at = text; *at;) {
    if (*at != '#' && *at != '\n')
      known_add(known, (voter)who, at);
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  free(text);
  return true;
}

/* Lists name jobs without the set that they are in. */
static bool known_is_job(const char *name, const char *job) {
  const size_t length = strlen(name), part = strlen(job);
  return length >= part && strcmp(name + length - part, job) == 0 && (length == part || name[length - part - 1] == '/');
}

/* Alone against a majority, or one of two that disagree. */
static bool known_stands(const voters_verdict *verdict, voter who) {
  const unsigned bit = 1u << who;
  if (verdict->outcome == VOTERS_ALONE)
    return verdict->alone == bit;
  return verdict->outcome == VOTERS_APART && verdict->alone & bit;
}

void voters_known_apply(voters_known *known, voters_cases *cases) {
  for (size_t i = 0; i < cases->count; i++)
    for (size_t row = 0; row < known->count; row++) {
      voters_case *const one = &cases->items[i];
      voters_known_row *const entry = &known->items[row];
      if (!known_is_job(one->name, entry->job))
        continue;
      bool stood = false;
      for (int mode = 0; mode < VOTERS_MODES; mode++) {
        voters_verdict *const verdict = &one->verdicts[mode];
        entry->seen |= verdict->judged && verdict->voted >> entry->who & 1;
        if (!known_stands(verdict, entry->who))
          continue;
        stood = true;
        verdict->outcome = VOTERS_KNOWN;
        snprintf(verdict->rows, sizeof verdict->rows, "%s", entry->row);
      }
      entry->stood |= stood;
    }
}

void voters_known_free(voters_known *known) {
  for (size_t i = 0; i < known->count; i++) {
    free(known->items[i].job);
    free(known->items[i].row);
    free(known->items[i].reason);
  }
  free(known->items);
  *known = (voters_known){0};
}
