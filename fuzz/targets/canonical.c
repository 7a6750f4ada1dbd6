/* What must not change a program: the order of its files, a grouping of them through -r, code that nobody calls, other
 * names for what is local (which get their first ones back in the output, since labels are made of names). The two
 * executables must have one canonical form (docs/specification/canonical-form.md).
 *
 * The order of files decides some things in nvlink too (contests of weak bodies, alignments). So what changes the
 * reference's form as well is no finding here: it is nvlink's way, or a mistake that only nvlink can show. So does the number
 * of links where two entries write one field: the last one stands, and each link turns their order. */
#include "fuzz/targets/target.h"

#include "fuzz/again.h"
#include "fuzz/answer.h"
#include "fuzz/generate.h"
#include "fuzz/sound.h"

#include "canonical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum canonical_verdict { CANONICAL_NOTHING, CANONICAL_SAME, CANONICAL_OTHER } canonical_verdict;

/* What the forms differ in: the first word of the first sentence that only one has. */
static void canonical_note(void *extra, const ref_canonical_line *a, const ref_canonical_line *b) {
  char *const cause = extra;
  const char *const text = a ? a->text : b ? b->text : "";
  if (!*cause)
    (void)snprintf(cause, FUZZ_CAUSE / 2, "%.*s", (int)strcspn(text, " "), text);
}

/* False where there is no form: nothing was linked, or it is none that has one. */
static bool canonical_form(ref_canonical *form, const uint8_t *image, size_t size, const fuzz_sound *inputs) {
  char error[256];
  ref_cubin output;
  if (!ref_cubin_read(&output, image, size, error, sizeof error))
    return false;
  const ref_check_link link = {{"output", &output}, inputs->files, inputs->count};
  const bool made = ref_canonical_make(form, &link, error, sizeof error);
  ref_cubin_free(&output);
  return made;
}

/* `changed`: what was done to the files of `plain`, to be taken back where it can be; NULL: nothing. */
static bool canonical_link_form(ref_canonical *form, const fuzz_envelope *envelope, const fuzz_sound *inputs,
                                fuzz_link *link, const fuzz_again_row *changed, const fuzz_envelope *plain) {
  fuzz_answer answer;
  link(envelope, &answer);
  bool made = !answer.none && answer.image;
  if (made) {
    uint8_t *const image = fuzz_memory(answer.size);
    memcpy(image, answer.image, answer.size);
    if (changed && changed->restore)
      changed->restore(plain, image, answer.size);
    made = canonical_form(form, image, answer.size, inputs);
    free(image);
  }
  fuzz_answer_free(&answer);
  return made;
}

/* The same link with a change, by one of the linkers. */
static canonical_verdict canonical_try(const fuzz_envelope *plain, const fuzz_sound *sound, size_t change,
                                       fuzz_link *link, char difference[FUZZ_CAUSE / 2]) {
  canonical_verdict verdict = CANONICAL_NOTHING;
  fuzz_envelope other = {.file_count = 0};
  fuzz_sound others = {.count = 0};
  ref_canonical form = {0}, changed = {0};
  (void)fuzz_envelope_add_word(&other, plain->words[0]);
  const fuzz_again_row *const row = &fuzz_again_rows[change];
  const bool made = canonical_link_form(&form, plain, sound, link, NULL, plain) && row->make(plain, &other, link) &&
                    (!row->other_inputs || fuzz_sound_take(&others, &other)) &&
                    canonical_link_form(&changed, &other, row->other_inputs ? &others : sound, link, row, plain);
  if (made)
    verdict = ref_canonical_compare(&form, &changed, canonical_note, difference) ? CANONICAL_OTHER : CANONICAL_SAME;
  ref_canonical_free(&form);
  ref_canonical_free(&changed);
  fuzz_sound_free(&others);
  fuzz_envelope_free(&other);
  return verdict;
}

/* Where they differ on the link itself, that is another target's finding. */
static bool canonical_agrees(const fuzz_envelope *plain) {
  char cause[FUZZ_CAUSE] = "";
  fuzz_answer linker, reference;
  fuzz_link_linker(plain, &linker);
  fuzz_link_reference(plain, &reference);
  const bool linked = !linker.none && linker.image && reference.image;
  if (linked)
    fuzz_answers_compare(plain, &linker, &reference, cause);
  fuzz_answer_free(&linker);
  fuzz_answer_free(&reference);
  return linked && !*cause;
}

static void canonical_check(const fuzz_envelope *plain, const fuzz_sound *sound, char cause[FUZZ_CAUSE]) {
  const bool apart = fuzz_sound_apart(sound);
  for (size_t i = 0; i < fuzz_again_count && !*cause; i++) {
    if (fuzz_again_rows[i].twice && !apart)
      continue;
    char ours[FUZZ_CAUSE / 2] = "", theirs[FUZZ_CAUSE / 2] = "";
    if (canonical_try(plain, sound, i, fuzz_link_linker, ours) == CANONICAL_OTHER &&
        canonical_try(plain, sound, i, fuzz_link_reference, theirs) == CANONICAL_SAME)
      (void)snprintf(cause, FUZZ_CAUSE, "%s changes the linker's form alone: %.80s", fuzz_again_rows[i].name, ours);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  fuzz_sound sound = {.count = 0};
  char cause[FUZZ_CAUSE] = "";
  fuzz_envelope_of_input(&envelope, bytes, size);
  /* of the words the target alone, which comes first in what the generator writes: an executable by default rules */
  envelope.word_count = envelope.word_count > 1 ? 1 : envelope.word_count;
  if (fuzz_envelope_option(&envelope, "-arch=") && envelope.file_count < FUZZ_FILES &&
      fuzz_sound_take(&sound, &envelope) && canonical_agrees(&envelope))
    canonical_check(&envelope, &sound, cause);
  if (*cause)
    fuzz_found("canonical", cause, bytes, size);
  fuzz_sound_free(&sound);
  fuzz_envelope_free(&envelope);
  return 0;
}
