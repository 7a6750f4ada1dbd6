/* One program through both linkers. Both are started in the program's directory with the same words, so that what nvlink
 * records of its command line is the same for both; what each leaves is renamed before the other runs. */
#include "conformance_link.h"

#include <ref_cubin.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- compiling --- */

/* What a compiler said, in one line. */
static void conformance_complaint(const char *directory, const char *source, conformance_verdict *verdict) {
  size_t size;
  uint8_t *text = conformance_read(directory, "compile.stderr", &size);
  const char *line = text ? (const char *)text : "";
  const char *found = strstr(line, "fatal");
  if (!found)
    found = strstr(line, "error");
  while (found && found > line && found[-1] != '\n')
    found--;
  if (!found)
    found = line;
  snprintf(verdict->details, sizeof verdict->details, "%s: %.*s", source, (int)strcspn(found, "\n"), found);
  free(text);
}

static bool conformance_compile_now(const conformance_settings *settings, const gen_program *program, int file,
                                    const char *directory, conformance_verdict *verdict) {
  string_list command = {0};
  gen_compile_command(program, file, &settings->tools, &command);
  process_job job = {.arguments = (const char *const *)command.items, .directory = directory};
  job.output_path = "compile.stdout";
  job.error_path = "compile.stderr";
  job.temporary = directory;
  job.seconds = settings->compile_seconds;
  job.file_size = CONFORMANCE_FILE_LIMIT;
  process_result result;
  bool good = process_run(&job, &result) && result.exit_code == 0;
  verdict->compile_seconds += result.seconds;
  if (!good)
    conformance_complaint(directory, program->files[file].name, verdict);
  if (result.signal)
    snprintf(verdict->details, sizeof verdict->details, "%s: the compiler ended with signal %d",
             program->files[file].name, result.signal);
  if (result.timed_out)
    snprintf(verdict->details, sizeof verdict->details, "%s: time limit", program->files[file].name);
  string_list_free(&command);
  return good;
}

static bool conformance_compile_file(const conformance_settings *settings, const gen_program *program, int file,
                                     const char *directory, conformance_verdict *verdict) {
  if (!settings->cache)
    return conformance_compile_now(settings, program, file, directory, verdict);
  char cached[CONFORMANCE_PATH], name[64], path[CONFORMANCE_PATH];
  snprintf(cached, sizeof cached, "%s/%016llx.cubin", settings->cache,
           (unsigned long long)gen_file_fingerprint(program, file));
  snprintf(name, sizeof name, "%s.cubin", program->files[file].name);
  conformance_path(path, sizeof path, directory, name);
  if (file_copy(cached, path))
    return true;
  return conformance_compile_now(settings, program, file, directory, verdict) && file_copy(path, cached);
}

static bool conformance_compile(const conformance_settings *settings, const gen_program *program, const char *directory,
                                conformance_verdict *verdict) {
  for (int i = 0; i < program->file_count; i++)
    if (program->files[i].live && !conformance_compile_file(settings, program, i, directory, verdict))
      return false;
  return true;
}

/* Are the cubins of exactly this program here already? Its manifest and sources must be what would be written. */
static bool conformance_compiled(const gen_program *program, const char *directory) {
  char path[CONFORMANCE_PATH], name[64];
  conformance_path(path, sizeof path, directory, "compiled");
  size_t size;
  uint8_t *mark = process_read_file(path, 64, &size);
  char *end;
  bool same = mark && strtoull((const char *)mark, &end, 16) == gen_program_fingerprint(program);
  free(mark);
  for (int i = 0; same && i < program->file_count; i++) {
    snprintf(name, sizeof name, "%s.cubin", program->files[i].name);
    conformance_path(path, sizeof path, directory, name);
    same = !program->files[i].live || access(path, R_OK) == 0;
  }
  return same;
}

static void conformance_mark_compiled(const gen_program *program, const char *directory) {
  char path[CONFORMANCE_PATH], text[32];
  conformance_path(path, sizeof path, directory, "compiled");
  int size = snprintf(text, sizeof text, "%016llx\n", (unsigned long long)gen_program_fingerprint(program));
  process_write_file(path, text, (size_t)size);
}

/* --- the kind of objects --- */

enum { CONFORMANCE_KIND_BYTE = 48, CONFORMANCE_KIND_CAPSULE = 2, CONFORMANCE_KIND_SASS = 4 };

/* Of the first two live files of a mixed program one is a capsule and one SASS kind; the rest as the seed says. */
static uint8_t conformance_kind_of(const conformance_case *one, int number) {
  bool sass = one->objects == CONFORMANCE_SASS;
  if (one->objects == CONFORMANCE_MIXED)
    sass = number < 2 ? (int)(one->seed & 1) != number : (one->seed >> (number % 32) & 1) != 0;
  return sass ? CONFORMANCE_KIND_SASS : CONFORMANCE_KIND_CAPSULE;
}

/* Gives every cubin the kind that the case asks for (M1). */
static bool conformance_set_kinds(const gen_program *program, const conformance_case *one, const char *directory) {
  bool good = true;
  for (int i = 0, number = 0; good && program->sm >= 100 && i < program->file_count; i++) {
    if (!program->files[program->order[i]].live)
      continue;
    char path[CONFORMANCE_PATH], name[64];
    snprintf(name, sizeof name, "%s.cubin", program->files[program->order[i]].name);
    conformance_path(path, sizeof path, directory, name);
    FILE *file = fopen(path, "r+b");
    good = file && fseek(file, CONFORMANCE_KIND_BYTE, SEEK_SET) == 0 &&
           fputc(conformance_kind_of(one, number++), file) != EOF;
    good = file && fclose(file) == 0 && good;
  }
  return good;
}

/* --- the visibility of symbols --- */

static void conformance_set_visible(uint8_t *bytes, const ref_cubin *cubin, const char *name,
                                    gen_visibility visibility) {
  enum { SYMBOL_SIZE = 24, SYMBOL_OTHER = 5, VISIBILITY = 3 };
  const ref_section *table = &cubin->sections[cubin->symbol_section];
  for (size_t i = 1; visibility != GEN_DEFAULT && i < cubin->symbol_count; i++)
    if (cubin->symbols[i].info >> 4 && strcmp(cubin->symbols[i].name, name) == 0) {
      uint8_t *other = bytes + table->offset + i * SYMBOL_SIZE + SYMBOL_OTHER;
      *other = (uint8_t)((*other & ~VISIBILITY) | (int)visibility);
    }
}

static bool conformance_set_file_visibility(const gen_program *program, const char *path) {
  size_t size = 0;
  uint8_t *bytes = process_read_file(path, CONFORMANCE_FILE_LIMIT, &size);
  ref_cubin cubin;
  char error[128];
  bool good = bytes && ref_cubin_read(&cubin, bytes, size, error, sizeof error);
  if (good) {
    for (int i = 0; i < program->function_count; i++)
      conformance_set_visible(bytes, &cubin, program->functions[i].symbol, program->functions[i].visibility);
    for (int i = 0; i < program->variable_count; i++)
      conformance_set_visible(bytes, &cubin, program->variables[i].name, program->variables[i].visibility);
    ref_cubin_free(&cubin);
    good = process_write_file(path, bytes, size);
  }
  free(bytes);
  return good;
}

/* Wherever a cubin names a symbol that the program hides, where it is defined and where it is not. */
static bool conformance_set_visibility(const gen_program *program, const char *directory) {
  bool features[GEN_FEATURE_COUNT], good = true;
  gen_program_features(program, features);
  for (int i = 0; good && features[GEN_FEATURE_HIDDEN] && i < program->file_count; i++) {
    char path[CONFORMANCE_PATH], name[64];
    snprintf(name, sizeof name, "%s.cubin", program->files[i].name);
    conformance_path(path, sizeof path, directory, name);
    good = !program->files[i].live || conformance_set_file_visibility(program, path);
  }
  return good;
}

/* The model wants: architecture's number, output, inputs, "--", options. */
static void conformance_model_command(const conformance_settings *settings, const gen_program *program,
                                      string_list *command) {
  string_list_add(command, "python3");
  string_list_add(command, "%s", settings->model);
  string_list_add(command, "%s", program->architecture + strlen("sm_"));
  string_list_add(command, "out.cubin");
  for (int i = 0; i < program->file_count; i++)
    if (program->files[program->order[i]].live)
      string_list_add(command, "%s.cubin", program->files[program->order[i]].name);
  string_list_add(command, "--");
  for (int i = 0; i < program->option_count; i++)
    for (int word = 0; program->options[i].live && word < program->options[i].word_count; word++)
      string_list_add(command, "%s", program->options[i].words[word]);
}

/* --- comparing --- */

static void conformance_model(const conformance_settings *settings, const gen_program *program, const char *directory,
                              const conformance_answer *reference, conformance_verdict *verdict) {
  string_list command = {0};
  conformance_model_command(settings, program, &command);
  conformance_answer answer = {0};
  conformance_link(settings, &command, directory, "out.cubin", "model", &answer);
  conformance_verdict own = {0};
  conformance_compare(reference, &answer, &own);
  verdict->model_ran = true;
  verdict->model_identical = own.outcome == CONFORMANCE_IDENTICAL;
  conformance_answer_free(&answer);
  string_list_free(&command);
}

static void conformance_step_arguments(const conformance_settings *settings, const gen_program *program, int step,
                                       string_list *arguments) {
  conformance_add_words(settings->link, arguments);
  gen_step_arguments(program, step, arguments);
}

static void conformance_script_step(const conformance_settings *settings, const gen_program *program, int step,
                                    text_buffer *script) {
  string_list arguments = {0};
  conformance_step_arguments(settings, program, step, &arguments);
  const char *output = arguments.items[arguments.count - 1];
  const char *kept = step == program->step_count - 1 ? "cubin" : output;
  for (int ours = 0; ours < 2; ours++) {
    const char *who = ours ? "twinlink" : "nvlink";
    text_add(script, "%s", ours ? "${TWINLINK:-twinlink} --identity=nvlink --bug-compatible" : "${NVLINK:-nvlink}");
    for (size_t i = 0; i < arguments.count; i++)
      text_add(script, " %s", arguments.items[i]);
    text_add(script, " 2> %s.stderr\necho \"%s: exit code $?\"\nmv -f %s %s.%s\n", who, who, output, who, kept);
  }
  text_add(script, "cmp nvlink.%s twinlink.%s && cmp nvlink.stderr twinlink.stderr && echo identical\n", kept, kept);
  if (strcmp(kept, "cubin") != 0)
    text_add(script, "cp nvlink.%s %s\n", output, output);
  string_list_free(&arguments);
}

static void conformance_script_steps(const conformance_settings *settings, const gen_program *program,
                                     const char *directory) {
  text_buffer script = {0};
  text_add(&script, "#!/bin/sh\n# Links the program in this directory with both linkers.\ncd \"$(dirname \"$0\")\"\n");
  for (int step = 0; step < program->step_count; step++)
    if (program->steps[step].live && gen_step_has_input(program, step))
      conformance_script_step(settings, program, step, &script);
  text_add(&script, "# twin gen --seed %llu --arch %s --kind %s\n", (unsigned long long)program->seed,
           program->architecture, gen_kind_names[program->kind]);
  conformance_write_script(directory, &script);
  text_free(&script);
}

static void conformance_note_signal(const conformance_answer *reference, const conformance_answer *ours,
                                    conformance_verdict *verdict) {
  char line[160];
  conformance_first_line(ours, line, sizeof line);
  verdict->outcome = CONFORMANCE_SIGNAL;
  *verdict->class = 0;
  snprintf(verdict->details, sizeof verdict->details, "signal %d; ours %d: %s", reference->result.signal,
           ours->result.exit_code, line);
}

static void conformance_judge(const char *directory, const conformance_answer *reference,
                              const conformance_answer *ours, conformance_verdict *verdict) {
  size_t size;
  uint8_t *map = conformance_read(directory, "twinlink.map", &size);
  conformance_judge_capsule(reference->output, reference->output_size, ours->output, ours->output_size,
                            (const char *)map, &verdict->capsules);
  verdict->capsules.debug = verdict->features[GEN_FEATURE_DEBUG_CUDA] || verdict->features[GEN_FEATURE_DEBUG_PTX];
  free(map);
}

/* One link of both linkers; nvlink's output is then there for the next step to read. False: that was the last one that
 * could be made. */
static bool conformance_link_step(const conformance_settings *settings, const gen_program *program, int step,
                                  const char *directory, conformance_verdict *verdict) {
  const bool last = step == program->step_count - 1;
  string_list arguments = {0}, command = {0}, reference_command = {0};
  conformance_step_arguments(settings, program, step, &arguments);
  conformance_command_of(settings, settings->reference, &arguments, false, &reference_command);
  conformance_command_of(settings, settings->linker, &arguments, program->sm >= 100, &command);
  conformance_answer reference = {0}, ours = {0};
  gen_step_output(program, step, verdict->output, sizeof verdict->output);
  conformance_link(settings, &reference_command, directory, verdict->output, "nvlink", &reference);
  conformance_link(settings, &command, directory, verdict->output, "twinlink", &ours);
  verdict->reference_seconds += reference.result.seconds;
  verdict->linker_seconds += ours.result.seconds;
  if (last)
    conformance_judge(directory, &reference, &ours, verdict);
  conformance_compare(&reference, &ours, verdict);
  conformance_judge_unstable(settings, &reference_command, directory, verdict->output, &reference, &ours, verdict);
  verdict->unstable |= verdict->outcome == CONFORMANCE_UNSTABLE;
  if (reference.result.exit_code != 0) {
    conformance_first_line(&reference, verdict->details, sizeof verdict->details);
    if (verdict->outcome == CONFORMANCE_IDENTICAL)
      verdict->outcome = CONFORMANCE_REFUSED;
    else if (reference.result.signal && conformance_is_refusal(&ours))
      conformance_note_signal(&reference, &ours, verdict);
    else
      snprintf(verdict->class, sizeof verdict->class, "refusal");
  } else if (last && *settings->model && program->sm < 100) {
    conformance_model(settings, program, directory, &reference, verdict);
  }
  char path[CONFORMANCE_PATH];
  conformance_path(path, sizeof path, directory, verdict->output);
  if (!last && reference.output)
    process_write_file(path, reference.output, reference.output_size);
  conformance_answer_free(&reference);
  conformance_answer_free(&ours);
  string_list_free(&arguments);
  string_list_free(&command);
  string_list_free(&reference_command);
  return verdict->outcome == CONFORMANCE_IDENTICAL || verdict->outcome == CONFORMANCE_UNSTABLE;
}

static void conformance_link_both(const conformance_settings *settings, const gen_program *program,
                                  const char *directory, conformance_verdict *verdict) {
  conformance_script_steps(settings, program, directory);
  for (int step = 0; step < program->step_count; step++)
    if (program->steps[step].live && gen_step_has_input(program, step)) {
      verdict->links++;
      if (!conformance_link_step(settings, program, step, directory, verdict))
        break;
    }
  if (verdict->outcome == CONFORMANCE_IDENTICAL && verdict->unstable) /* in a step before */
    verdict->outcome = CONFORMANCE_UNSTABLE;
  if (verdict->outcome == CONFORMANCE_IDENTICAL || strcmp(verdict->output, "out.cubin") == 0)
    return;
  char details[sizeof verdict->details];
  memcpy(details, verdict->details, sizeof details);
  snprintf(verdict->details, sizeof verdict->details, "%s: %.200s", verdict->output, details);
}

static void conformance_cover_program(const gen_program *program, const char *directory,
                                      conformance_coverage *coverage) {
  for (int i = 0; i < program->file_count; i++) {
    char path[CONFORMANCE_PATH], name[64];
    snprintf(name, sizeof name, "%s.cubin", program->files[i].name);
    conformance_path(path, sizeof path, directory, name);
    if (program->files[i].live)
      conformance_cover(path, coverage);
  }
  char output[CONFORMANCE_PATH];
  conformance_path(output, sizeof output, directory, "nvlink.cubin");
  conformance_cover(output, coverage);
}

static void conformance_describe(const gen_program *program, conformance_verdict *verdict) {
  verdict->files = gen_program_live_files(program);
  for (int i = 0; i < program->file_count; i++)
    verdict->ptx_files += program->files[i].live && program->files[i].language == GEN_PTX;
  verdict->feature_count = gen_program_features(program, verdict->features);
}

/* What does not come from a compiler: kinds of objects, visibility, the index file. */
static bool conformance_ready(const gen_program *program, const conformance_case *one, const char *directory) {
  return conformance_set_kinds(program, one, directory) && conformance_set_visibility(program, directory) &&
         gen_output_write_index(program, directory);
}

gen_program *conformance_prepare(const conformance_settings *settings, conformance_case *one, const char *directory) {
  conformance_verdict *verdict = &one->verdict;
  *verdict = (conformance_verdict){.outcome = CONFORMANCE_NOT_COMPILED};
  gen_program *program = gen_program_build(one->seed, one->architecture, one->kind, one->dropped);
  if (!program)
    return NULL;
  conformance_describe(program, verdict);
  bool ready = settings->figures || conformance_compiled(program, directory);
  if (!ready && process_ensure_directory(directory) && gen_output_write(program, directory)) {
    ready = conformance_compile(settings, program, directory, verdict);
    if (ready)
      conformance_mark_compiled(program, directory);
  }
  if (ready && (settings->figures || conformance_ready(program, one, directory)))
    return program;
  free(program);
  return NULL;
}

void conformance_run(const conformance_settings *settings, conformance_case *one, const char *directory) {
  conformance_verdict *verdict = &one->verdict;
  gen_program *program = conformance_prepare(settings, one, directory);
  if (program && settings->figures) {
    verdict->outcome = CONFORMANCE_GENERATED;
  } else if (program && program->kind == GEN_GROUPING) {
    conformance_group(settings, program, directory, verdict);
    conformance_cover_program(program, directory, &verdict->coverage);
  } else if (program) {
    conformance_link_both(settings, program, directory, verdict);
    conformance_cover_program(program, directory, &verdict->coverage);
  }
  free(program);
}
