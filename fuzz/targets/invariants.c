/* A whole link against the invariants (oracle/check), as twinlink links by default.
 *
 * An invariant is about a program, and a damaged file need not be one. So this target takes only inputs of which each file
 * keeps by itself every invariant that one file can keep, looks at the unconditional ones alone, and leaves out what an
 * input breaks at the same place. nvlink breaks some too (docs/specification/check.md), and both linkers follow it where no
 * row of the defects says otherwise: what the reference's output breaks as well is no finding here. */
#include "fuzz/targets/target.h"

#include "fuzz/answer.h"
#include "fuzz/generate.h"
#include "fuzz/sound.h"

#include <stdio.h>
#include <string.h>

static void invariants_run(ref_check_report *report, const fuzz_sound *sound, const ref_cubin *output) {
  const ref_check_link link = {{"output", output}, sound->files, sound->count};
  ref_check(report, &link);
}

static bool invariants_breaks(const ref_check_report *report, const ref_check_row *row) {
  for (size_t i = 0; i < report->count; i++)
    if (report->findings[i].row == row)
      return true;
  return false;
}

/* The first invariant that the linker's output breaks and neither its inputs nor the reference's output, NULL. */
static const ref_check_row *invariants_broken_alone(const ref_check_report *linker, const ref_check_report *reference) {
  for (size_t i = 0; i < linker->count; i++)
    if (linker->findings[i].row->class == REF_CHECK_UNCONDITIONAL && !linker->findings[i].in_input &&
        !invariants_breaks(reference, linker->findings[i].row))
      return linker->findings[i].row;
  return NULL;
}

static void invariants_check(const fuzz_envelope *envelope, const fuzz_sound *sound, const ref_cubin *output,
                             char cause[FUZZ_CAUSE]) {
  char error[160];
  fuzz_answer answer;
  ref_cubin other;
  ref_check_report ours, theirs = {.count = 0};
  invariants_run(&ours, sound, output);
  const bool broken = ours.broken != 0;
  if (broken)
    fuzz_link_reference(envelope, &answer);
  if (broken && answer.image && ref_cubin_read(&other, answer.image, answer.size, error, sizeof error)) {
    invariants_run(&theirs, sound, &other);
    const ref_check_row *const row = invariants_broken_alone(&ours, &theirs);
    if (row)
      (void)snprintf(cause, FUZZ_CAUSE, "%s", row->name);
    ref_check_free(&theirs);
    ref_cubin_free(&other);
  }
  if (broken)
    fuzz_answer_free(&answer);
  ref_check_free(&ours);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_envelope envelope;
  fuzz_sound sound = {.count = 0};
  char cause[FUZZ_CAUSE] = "", error[160];
  fuzz_envelope_of_input(&envelope, bytes, size);
  if (!fuzz_envelope_option(&envelope, "--bug-compatible") && fuzz_sound_take(&sound, &envelope)) {
    fuzz_answer answer;
    ref_cubin output;
    fuzz_link_linker(&envelope, &answer);
    if (!answer.none && answer.image && !ref_cubin_read(&output, answer.image, answer.size, error, sizeof error)) {
      (void)snprintf(cause, sizeof cause, "the output is no cubin");
    } else if (!answer.none && answer.image) {
      invariants_check(&envelope, &sound, &output, cause);
      ref_cubin_free(&output);
    }
    fuzz_answer_free(&answer);
  }
  if (*cause)
    fuzz_found("invariants", cause, bytes, size);
  fuzz_sound_free(&sound);
  fuzz_envelope_free(&envelope);
  return 0;
}
