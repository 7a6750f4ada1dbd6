/* The kind grouping: whether it matters in default mode that files go through relocatable links first.
 *
 * Our linker links a program directly and in the steps of its plan; both executables must have one canonical form
 * (docs/specification/canonical-form.md). nvlink does the last step with our relocatable outputs too; its executable must
 * have the form of its own direct link. A link that breaks invariants which the direct one keeps is another program, too.
 *
 * nvlink abstains where its own defects make the difference: our linker names rows of them in one of the two links, and
 * with --bug-compatible makes nvlink's bytes in both, but for what nvlink itself writes otherwise in each run. */
#include "conformance_link.h"

#include <stdlib.h>
#include <string.h>

typedef struct group_run {
  conformance_settings settings;
  const gen_program *program;
  const char *directory;
  conformance_verdict *verdict;
} group_run;

static bool group_differs(const group_run *run, const char *class, const char *details) {
  run->verdict->outcome = CONFORMANCE_DIFFERENT;
  snprintf(run->verdict->class, sizeof run->verdict->class, "%s", class);
  snprintf(run->verdict->details, sizeof run->verdict->details, "%.250s", details);
  return false;
}

/* --- canonical forms --- */

/* The last line of `twin diff --canonical`; false when there is none. */
static bool group_read_sum(const char *text, size_t *differences, size_t broken[2]) {
  const char *at = strstr(text, " differences; invariants broken: ");
  if (!at)
    return false;
  const char *number = at;
  while (number > text && number[-1] >= '0' && number[-1] <= '9')
    number--;
  *differences = strtoul(number, NULL, 10);
  return sscanf(at, " differences; invariants broken: %zu and %zu", &broken[0], &broken[1]) == 2;
}

/* What `twin diff --canonical` printed of A.cubin and B.cubin stays in canonical.txt. */
static bool group_compare(const group_run *run, const char *a, const char *b, const char *class) {
  string_list words = {0};
  const char *const fixed[] = {"/proc/self/exe", "diff", "--canonical", "--limit", "12"};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    string_list_add(&words, "%s", fixed[i]);
  string_list_add(&words, "%s.cubin", a);
  string_list_add(&words, "%s.cubin", b);
  for (int i = 0; i < run->program->file_count; i++)
    if (run->program->files[run->program->order[i]].live) {
      string_list_add(&words, "--input");
      string_list_add(&words, "%s.cubin", run->program->files[run->program->order[i]].name);
    }
  process_job job = {.arguments = (const char *const *)words.items, .directory = run->directory, .seconds = 60};
  job.output_path = "canonical.txt";
  job.error_path = "canonical.stderr";
  process_result result;
  process_run(&job, &result);
  string_list_free(&words);
  size_t size, differences = 0, broken[2] = {0, 0};
  char *text = (char *)conformance_read(run->directory, "canonical.txt", &size);
  bool good = text && group_read_sum(text, &differences, broken) && differences == 0 && broken[1] <= broken[0];
  if (!good && text && differences == 0 && broken[1] > broken[0])
    group_differs(run, "invariants", "the grouped link breaks invariants that the direct one keeps");
  else if (!good)
    group_differs(run, class, text && *text ? text : "no canonical form");
  run->verdict->details[strcspn(run->verdict->details, "\n")] = 0;
  free(text);
  return good;
}

/* What a step's link, or with GEN_NONE the direct one, is given. */
static void group_add_arguments(const group_run *run, int step, string_list *arguments) {
  conformance_add_words(run->settings.link, arguments);
  if (step == GEN_NONE)
    gen_link_arguments(run->program, arguments);
  else
    gen_step_arguments(run->program, step, arguments);
}

/* link.sh: both links with our linker, and their canonical forms. */
static void group_add_command(const group_run *run, int step, text_buffer *script) {
  string_list words = {0};
  group_add_arguments(run, step, &words);
  text_add(script, "${TWINLINK:-twinlink}");
  for (size_t i = 0; i < words.count; i++)
    text_add(script, " %s", words.items[i]);
  text_add(script, "\n");
  if (step == GEN_NONE)
    text_add(script, "mv -f out.cubin twinlink.cubin\n");
  string_list_free(&words);
}

static void group_write_script(const group_run *run) {
  text_buffer script = {0};
  text_add(&script,
           "#!/bin/sh\n# Links the program in this directory directly and in steps.\ncd \"$(dirname \"$0\")\"\n");
  for (int step = GEN_NONE; step < run->program->step_count; step++)
    if (step == GEN_NONE || (run->program->steps[step].live && gen_step_has_input(run->program, step)))
      group_add_command(run, step, &script);
  text_add(&script, "mv -f out.cubin grouped.cubin\n${TWIN:-twin} diff --canonical twinlink.cubin grouped.cubin");
  for (int i = 0; i < run->program->file_count; i++)
    if (run->program->files[run->program->order[i]].live)
      text_add(&script, " --input %s.cubin", run->program->files[run->program->order[i]].name);
  text_add(&script, "\n# twin gen --seed %llu --arch %s --kind grouping\n", (unsigned long long)run->program->seed,
           run->program->architecture);
  conformance_write_script(run->directory, &script);
  text_free(&script);
}

/* --- links --- */

static void group_link(const group_run *run, const char *linker, const string_list *arguments, const char *output,
                       const char *who, conformance_answer *answer) {
  string_list command = {0};
  *answer = (conformance_answer){0};
  conformance_command_of(&run->settings, linker, arguments, false, &command);
  conformance_link(&run->settings, &command, run->directory, output, who, answer);
  *(linker == run->settings.reference ? &run->verdict->reference_seconds : &run->verdict->linker_seconds) +=
      answer->result.seconds;
  string_list_free(&command);
}

static void group_link_direct(const group_run *run, const char *linker, const char *who, conformance_answer *answer) {
  string_list arguments = {0};
  group_add_arguments(run, GEN_NONE, &arguments);
  group_link(run, linker, &arguments, "out.cubin", who, answer);
  string_list_free(&arguments);
}

static void group_link_step(const group_run *run, const char *linker, int step, const char *who,
                            conformance_answer *answer) {
  string_list arguments = {0};
  char output[32], path[CONFORMANCE_PATH];
  group_add_arguments(run, step, &arguments);
  gen_step_output(run->program, step, output, sizeof output);
  group_link(run, linker, &arguments, output, who, answer);
  conformance_path(path, sizeof path, run->directory, output);
  if (step < run->program->step_count - 1 && answer->output)
    process_write_file(path, answer->output, answer->output_size);
  string_list_free(&arguments);
}

/* All steps with our linker, until one is refused; the answer is the last one's. */
static void group_link_steps(const group_run *run, conformance_answer *answer) {
  *answer = (conformance_answer){0};
  for (int step = 0; step < run->program->step_count; step++) {
    if (!run->program->steps[step].live || !gen_step_has_input(run->program, step))
      continue;
    conformance_answer_free(answer);
    group_link_step(run, run->settings.linker, step, "grouped", answer);
    run->verdict->links++;
    if (!answer->output)
      return;
  }
}

/* --- judging --- */

static bool group_judge_made(const group_run *run, const conformance_answer *direct,
                             const conformance_answer *grouped) {
  char line[160];
  const bool ended =
      direct->result.signal || direct->result.timed_out || grouped->result.signal || grouped->result.timed_out;
  conformance_first_line(direct->output ? grouped : direct, line, sizeof line);
  if (ended)
    return group_differs(run, "crash", "our linker was ended by a signal or by its time limit");
  if (direct->output && grouped->output)
    return true;
  if (direct->output)
    return group_differs(run, "grouped link refused", line);
  if (grouped->output)
    return group_differs(run, "only the direct link refused", line);
  run->verdict->outcome = CONFORMANCE_REFUSED;
  snprintf(run->verdict->details, sizeof run->verdict->details, "%s", line);
  return false;
}

/* --- whether nvlink abstains --- */

/* Adds the rows that a link names ("D83: ..."), each once. */
static void group_add_rows(const conformance_answer *answer, char *rows, size_t size) {
  const char *at = answer->text[1] ? (const char *)answer->text[1] : "";
  while ((at = strstr(at, " D")) != NULL) {
    char row[12];
    const size_t digits = strspn(at + 2, "0123456789");
    snprintf(row, sizeof row, "%.*s ", (int)(digits < 4 ? digits + 1 : 0), at + 1);
    const size_t used = strlen(rows);
    if (digits && at[2 + digits] == ':' && !strstr(rows, row))
      snprintf(rows + used, size - used, "%s", row);
    at += 2;
  }
}

/* Whether the linker of this build, `own`, is another one than that in question, and makes the same bytes by default. */
static bool group_is_second(const group_run *run, const char *own, const string_list *arguments) {
  conformance_answer answers[2];
  if (strcmp(own, run->settings.linker) == 0)
    return false;
  group_link(run, run->settings.linker, arguments, "out.cubin", "rows", &answers[0]);
  group_link(run, own, arguments, "out.cubin", "rows", &answers[1]);
  const bool same = answers[0].output && answers[1].output && answers[0].output_size == answers[1].output_size &&
                    memcmp(answers[0].output, answers[1].output, answers[0].output_size) == 0;
  conformance_answer_free(&answers[0]);
  conformance_answer_free(&answers[1]);
  return same;
}

/* Our link under our own name, which says the rows. twinlink-ref says none: those of a link of the same bytes are
 * twinlink's then. */
static void group_ask_rows(const group_run *run, const string_list *arguments, char *rows, size_t size) {
  char own[CONFORMANCE_PATH];
  const bool second = conformance_find_own(own) && group_is_second(run, own, arguments);
  string_list command = {0};
  conformance_answer answer = {0};
  string_list_add(&command, "%s", second ? own : run->settings.linker);
  for (size_t i = 0; i < arguments->count; i++)
    string_list_add(&command, "%s", arguments->items[i]);
  conformance_link(&run->settings, &command, run->directory, "out.cubin", "rows", &answer);
  group_add_rows(&answer, rows, size);
  conformance_answer_free(&answer);
  string_list_free(&command);
}

/* What nvlink's link of a step (GEN_NONE: the direct one) is beside ours with --bug-compatible. */
typedef enum group_match { GROUP_OTHER, GROUP_ALIKE, GROUP_UNSTABLE } group_match;

/* Whether our linker with --bug-compatible does as nvlink did, be it but for what nvlink writes otherwise in each run (RF79);
 * gathers the rows of the link. Our output stays as `who`. */
static group_match group_match_vendor(const group_run *run, int step, const conformance_answer *vendor, const char *who,
                                      char *rows, size_t size) {
  string_list arguments = {0}, command = {0};
  group_run compatible = *run;
  conformance_verdict verdict = {0};
  conformance_answer answer;
  compatible.settings.default_mode = false;
  compatible.settings.unset_anywhere = true;
  group_add_arguments(run, step, &arguments);
  group_link(&compatible, run->settings.linker, &arguments, "out.cubin", who, &answer);
  group_ask_rows(run, &arguments, rows, size);
  conformance_compare(vendor, &answer, &verdict);
  const bool alike = verdict.outcome == CONFORMANCE_IDENTICAL;
  conformance_command_of(&compatible.settings, run->settings.reference, &arguments, false, &command);
  conformance_judge_unstable(&compatible.settings, &command, run->directory, "out.cubin", vendor, &answer, &verdict);
  conformance_answer_free(&answer);
  string_list_free(&arguments);
  string_list_free(&command);
  return alike ? GROUP_ALIKE : verdict.outcome == CONFORMANCE_UNSTABLE ? GROUP_UNSTABLE : GROUP_OTHER;
}

/* Where no row is named the difference must be in what nvlink writes otherwise in each run: our links, which are nvlink's but
 * for that, have one form. */
static bool group_vendor_abstains(const group_run *run, const conformance_answer *direct,
                                  const conformance_answer *grouped) {
  char rows[128] = "";
  const int last = run->program->step_count - 1;
  const group_match first = group_match_vendor(run, GEN_NONE, direct, "compatible", rows, sizeof rows);
  const group_match second = group_match_vendor(run, last, grouped, "compatible-grouped", rows, sizeof rows);
  if (first == GROUP_OTHER || second == GROUP_OTHER || (!*rows && first == GROUP_ALIKE && second == GROUP_ALIKE))
    return false;
  if (!*rows && !group_compare(run, "compatible", "compatible-grouped", "canonical form of nvlink's link"))
    return false;
  run->verdict->outcome = *rows ? CONFORMANCE_ABSTAINED : CONFORMANCE_UNSTABLE;
  *run->verdict->class = 0;
  snprintf(run->verdict->details, sizeof run->verdict->details, "%s", rows);
  return true;
}

/* nvlink's link of a step with 0 where it never set what it wrote, as `who`.cubin; false where it differs from no other run. */
static bool group_clear_unset(const group_run *run, int step, const conformance_answer *vendor, const char *who) {
  string_list arguments = {0}, command = {0};
  group_run compatible = *run;
  conformance_answer ours;
  char path[CONFORMANCE_PATH], name[32];
  compatible.settings.default_mode = false;
  group_add_arguments(run, step, &arguments);
  group_link(&compatible, run->settings.linker, &arguments, "out.cubin", "compatible", &ours);
  conformance_command_of(&compatible.settings, run->settings.reference, &arguments, false, &command);
  const bool cleared =
      conformance_clear_unset(&compatible.settings, &command, run->directory, "out.cubin", vendor, &ours);
  snprintf(name, sizeof name, "%s.cubin", who);
  conformance_path(path, sizeof path, run->directory, name);
  if (cleared)
    process_write_file(path, vendor->output, vendor->output_size);
  conformance_answer_free(&ours);
  string_list_free(&arguments);
  string_list_free(&command);
  return cleared;
}

/* nvlink's two links have one form but for what it never set (RF79). */
static bool group_vendor_is_unstable(const group_run *run, const conformance_answer *direct,
                                     const conformance_answer *grouped) {
  conformance_verdict kept = *run->verdict;
  if (!group_clear_unset(run, GEN_NONE, direct, "cleared") ||
      !group_clear_unset(run, run->program->step_count - 1, grouped, "cleared-grouped") ||
      !group_compare(run, "cleared", "cleared-grouped", "canonical form of nvlink's link")) {
    *run->verdict = kept;
    return false;
  }
  run->verdict->outcome = CONFORMANCE_UNSTABLE;
  *run->verdict->class = *run->verdict->details = 0;
  return true;
}

/* nvlink with our relocatable outputs. What nvlink does not link directly is not asked. */
static bool group_judge_vendor(const group_run *run) {
  conformance_answer direct, grouped;
  group_link_direct(run, run->settings.reference, "nvlink", &direct);
  bool good = true;
  if (direct.output) {
    char line[160];
    group_link_step(run, run->settings.reference, run->program->step_count - 1, "nvlink-grouped", &grouped);
    conformance_first_line(&grouped, line, sizeof line);
    good = grouped.output ? group_compare(run, "nvlink", "nvlink-grouped", "canonical form of nvlink's link")
                          : group_differs(run, "nvlink refuses our output", line);
    good = good || group_vendor_abstains(run, &direct, &grouped) ||
           (grouped.output && group_vendor_is_unstable(run, &direct, &grouped));
    conformance_answer_free(&grouped);
  }
  conformance_answer_free(&direct);
  return good;
}

void conformance_group(const conformance_settings *settings, const gen_program *program, const char *directory,
                       conformance_verdict *verdict) {
  group_run run = {*settings, program, directory, verdict};
  run.settings.default_mode = true;
  snprintf(verdict->output, sizeof verdict->output, "out.cubin");
  group_write_script(&run);
  conformance_answer direct, grouped;
  group_link_direct(&run, run.settings.linker, "twinlink", &direct);
  group_link_steps(&run, &grouped);
  if (group_judge_made(&run, &direct, &grouped) &&
      group_compare(&run, "twinlink", "grouped", "canonical form of our link") && group_judge_vendor(&run) &&
      verdict->outcome != CONFORMANCE_ABSTAINED && verdict->outcome != CONFORMANCE_UNSTABLE)
    verdict->outcome = CONFORMANCE_IDENTICAL;
  conformance_answer_free(&direct);
  conformance_answer_free(&grouped);
}
