/* Stored cases: nvlink's answers to damaged inputs, small enough to be kept, and twinlink judged by them where there is no
 * nvlink. A line is a case, a tab and what nvlink did: "links" with the hashes of output and messages, "refuses" with exit
 * code and messages (line ends as \n), "crashes" or "hangs"; a tab and the hash of the undamaged input files, so that a
 * corpus that has changed is not taken for a linker that has. A case on which nvlink does not give the same answer three
 * times is not stored: its answer comes from memory that is not its own. */
#include "damage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { STORE_REPEATS = 2 };

static const char *const store_fates[DAMAGE_FATES] = {"links", "refuses", "crashes", "hangs"};

static void store_escape(const char *text, text_buffer *to) {
  for (; *text; text++)
    if (*text == '\n')
      text_add(to, "\\n");
    else if (*text == '\\')
      text_add(to, "\\\\");
    else if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
      text_add(to, "\\x%02x", (unsigned char)*text);
    else
      text_add_bytes(to, text, 1);
}

/* What stands behind the tab. */
static void store_answer(const damage_answer *answer, text_buffer *line) {
  text_add(line, "%s", store_fates[answer->fate]);
  if (answer->fate == DAMAGE_LINKS)
    text_add(line, " %016" PRIx64 " %016" PRIx64, (uint64_t)XXH3_64bits(answer->output, answer->output_size),
             answer->text_size ? (uint64_t)XXH3_64bits(answer->text, answer->text_size) : 0);
  if (answer->fate != DAMAGE_REFUSES)
    return;
  text_add(line, " %d ", answer->exit_code);
  store_escape(answer->text, line);
}

/* Of the files that are linked, without the damage. */
static uint32_t store_inputs(const damage_case *one) {
  uint64_t hash = 0;
  for (size_t i = 0; i < one->base->files.count; i++) {
    text_buffer path = {0};
    size_t size = 0;
    text_add(&path, "%s/%s", one->base->directory, one->base->files.items[i]);
    char *const bytes = i == one->file || !one->alone ? file_read(path.bytes, &size) : NULL;
    if (bytes)
      hash = XXH3_64bits_withSeed(bytes, size, hash);
    free(bytes);
    text_free(&path);
  }
  return (uint32_t)hash;
}

bool damage_store_case(const damage_settings *settings, const damage_case *one, const char *directory, FILE *to) {
  text_buffer first = {0};
  bool stable = true;
  for (int i = 0; i <= STORE_REPEATS && stable; i++) {
    damage_answer answer;
    text_buffer again = {0};
    stable = damage_link(settings, one, DAMAGE_NVLINK, directory, &answer);
    if (stable)
      store_answer(&answer, &again);
    stable = stable && (i == 0 || strcmp(first.bytes, again.bytes) == 0);
    damage_answer_free(&answer);
    text_free(&first);
    first = again;
  }
  text_buffer line = {0};
  damage_case_print(one, &line);
  if (stable)
    fprintf(to, "%s\t%s\t%08" PRIx32 "\n", line.bytes, first.bytes, store_inputs(one));
  text_free(&line);
  text_free(&first);
  return stable;
}

/* The fate that a stored answer begins with. */
static bool store_fate(const char *text, damage_fate *fate) {
  for (int i = 0; i < DAMAGE_FATES; i++)
    if (strncmp(text, store_fates[i], strlen(store_fates[i])) == 0) {
      *fate = (damage_fate)i;
      return true;
    }
  return false;
}

/* Fills the verdict from nvlink's stored answer and ours. */
static void replay_judge(const char *stored, const damage_answer *ours, damage_verdict *verdict) {
  text_buffer own = {0};
  store_answer(ours, &own);
  const bool same = strcmp(own.bytes, stored) == 0;
  const bool refused = ours->fate != DAMAGE_LINKS;
  verdict->ours = refused ? DAMAGE_REFUSED : same ? DAMAGE_SAME : DAMAGE_OTHER;
  verdict->same_text = same;
  const bool expected = verdict->fate == DAMAGE_CRASHES || verdict->fate == DAMAGE_HANGS ? refused : same;
  if (!expected && verdict->ours == DAMAGE_OTHER && verdict->fate == DAMAGE_LINKS)
    snprintf(verdict->key, sizeof verdict->key, "bytes");
  else if (!expected)
    snprintf(verdict->key, sizeof verdict->key, "%s%.150s", refused ? "" : "linked: ", refused ? own.bytes : stored);
  text_free(&own);
}

static bool replay_link(const damage_settings *settings, const damage_case *one, damage_who who, const char *directory,
                        damage_answer *answer, damage_verdict *verdict) {
  if (!damage_link(settings, one, who, directory, answer))
    return false;
  /* nvlink's own output may be larger than the bound; its size is not stored, and its bytes are what ours must be */
  const size_t allowed = verdict->fate == DAMAGE_LINKS ? answer->output_size : 0;
  const char *const failure = damage_check(settings, one, answer, allowed);
  if (failure && !verdict->failure[0])
    snprintf(verdict->failure, sizeof verdict->failure, "%s", failure);
  return true;
}

bool damage_stored_is_current(const damage_bases *bases, const char *line, damage_case *one) {
  const char *const last = strrchr(line, '\t');
  if (!damage_case_parse(one, bases, line))
    return false;
  if (last && strtoul(last + 1, NULL, 16) == store_inputs(one))
    return true;
  damage_case_free(one);
  return false;
}

bool damage_replay_case(const damage_settings *settings, const damage_bases *bases, char *line, const char *directory,
                        damage_report *report) {
  char *const tab = strchr(line, '\t'), *const last = strrchr(line, '\t');
  damage_case one;
  damage_verdict verdict = {0};
  if (!tab || tab == last || !store_fate(tab + 1, &verdict.fate) || !damage_stored_is_current(bases, line, &one))
    return false;
  *tab = *last = '\0';
  char fields[3 * DAMAGE_NAME];
  damage_answer ours = {0}, usual = {0};
  damage_case_fields(&one, fields, sizeof fields);
  const bool good = replay_link(settings, &one, DAMAGE_COMPATIBLE, directory, &ours, &verdict) &&
                    replay_link(settings, &one, DAMAGE_DEFAULT, directory, &usual, &verdict);
  if (good) {
    replay_judge(tab + 1, &ours, &verdict);
    verdict.usual = usual.fate == DAMAGE_LINKS ? DAMAGE_OTHER : DAMAGE_REFUSED;
    if (verdict.usual == DAMAGE_REFUSED)
      damage_line(&usual, verdict.usual_key, sizeof verdict.usual_key);
    damage_report_add(report, line, fields, &verdict);
  }
  damage_answer_free(&ours);
  damage_answer_free(&usual);
  damage_case_free(&one);
  return good;
}
