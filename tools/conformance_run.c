/* One program through both linkers. Both are started in the program's directory with the same words, so that what nvlink
 * records of its command line is the same for both; what each leaves is renamed before the other runs. */
#include "conformance.h"

#include "process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFORMANCE_FILE_LIMIT = 256 << 20 };

typedef struct conformance_answer {
  process_result result;
  uint8_t *output, *text[2];
  size_t output_size, text_size[2];
} conformance_answer;

static void conformance_path(char *path, size_t size, const char *directory, const char *name) {
  snprintf(path, size, "%s/%s", directory, name);
}

static uint8_t *conformance_read(const char *directory, const char *name, size_t *size) {
  char path[CONFORMANCE_PATH];
  conformance_path(path, sizeof path, directory, name);
  return process_read_file(path, CONFORMANCE_FILE_LIMIT, size);
}

static void conformance_answer_free(conformance_answer *answer) {
  free(answer->output);
  free(answer->text[0]);
  free(answer->text[1]);
}

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

/* --- linking --- */

static void conformance_rename(const char *directory, const char *from, const char *who, const char *what) {
  char old[CONFORMANCE_PATH], new[CONFORMANCE_PATH], name[64];
  conformance_path(old, sizeof old, directory, from);
  snprintf(name, sizeof name, "%s.%s", who, what);
  conformance_path(new, sizeof new, directory, name);
  unlink(new);
  rename(old, new);
}

static void conformance_link(const conformance_settings *settings, const string_list *command, const char *directory,
                             const char *who, conformance_answer *answer) {
  process_job job = {.arguments = (const char *const *)command->items, .directory = directory};
  job.output_path = "link.stdout";
  job.error_path = "link.stderr";
  job.temporary = directory;
  job.seconds = settings->link_seconds;
  job.memory = settings->memory;
  job.file_size = CONFORMANCE_FILE_LIMIT;
  process_run(&job, &answer->result);
  answer->output = conformance_read(directory, "out.cubin", &answer->output_size);
  answer->text[0] = conformance_read(directory, "link.stdout", &answer->text_size[0]);
  answer->text[1] = conformance_read(directory, "link.stderr", &answer->text_size[1]);
  conformance_rename(directory, "out.cubin", who, "cubin");
  conformance_rename(directory, "link.stdout", who, "stdout");
  conformance_rename(directory, "link.stderr", who, "stderr");
}

static void conformance_linker_command(const conformance_settings *settings, const string_list *arguments,
                                       bool capsules, string_list *command) {
  string_list_add(command, "%s", settings->linker);
  if (!conformance_is_nvlink(settings->linker)) {
    string_list_add(command, "--identity=nvlink");
    if (!settings->default_mode)
      string_list_add(command, "--bug-compatible");
  }
  if (!conformance_is_nvlink(settings->linker) && capsules)
    string_list_add(command, "--map=twinlink.map");
  for (size_t i = 0; i < arguments->count; i++)
    string_list_add(command, "%s", arguments->items[i]);
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

static bool conformance_same(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
  if (!a || !b)
    return !a && !b;
  return a_size == b_size && memcmp(a, b, a_size) == 0;
}

static bool conformance_same_text(const conformance_answer *a, const conformance_answer *b) {
  return conformance_same(a->text[0], a->text_size[0], b->text[0], b->text_size[0]) &&
         conformance_same(a->text[1], a->text_size[1], b->text[1], b->text_size[1]);
}

/* The first line that is no warning, or the first. */
static void conformance_first_line(const conformance_answer *answer, char *line, size_t size) {
  const char *text = answer->text[1] ? (const char *)answer->text[1] : "", *found = text;
  for (const char *at = text; *at; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL))
    if (strncmp(at, "nvlink warning", 14) != 0 && strncmp(at, "nvlink info", 11) != 0) {
      found = at;
      break;
    }
  snprintf(line, size, "%.*s", (int)strcspn(found, "\n"), found);
}

static void conformance_compare(const conformance_answer *reference, const conformance_answer *ours,
                                conformance_verdict *verdict) {
  char *class = verdict->class, *details = verdict->details;
  size_t class_size = sizeof verdict->class, details_size = sizeof verdict->details;
  verdict->outcome = CONFORMANCE_DIFFERENT;
  if (ours->result.timed_out) {
    snprintf(class, class_size, "time limit");
  } else if (ours->result.signal) {
    snprintf(class, class_size, "crash");
    snprintf(details, details_size, "signal %d", ours->result.signal);
  } else if (ours->result.exit_code != reference->result.exit_code || !ours->output != !reference->output) {
    char line[160];
    conformance_first_line(ours, line, sizeof line);
    snprintf(class, class_size, "exit code");
    snprintf(details, details_size, "%d, ours %d: %s", reference->result.exit_code, ours->result.exit_code, line);
  } else if (reference->output &&
             conformance_first_difference(reference->output, reference->output_size, ours->output, ours->output_size,
                                          class, class_size, details, details_size)) {
    return;
  } else if (!conformance_same_text(reference, ours)) {
    snprintf(class, class_size, "text");
  } else {
    verdict->outcome = CONFORMANCE_IDENTICAL;
  }
}

static void conformance_model(const conformance_settings *settings, const gen_program *program, const char *directory,
                              const conformance_answer *reference, conformance_verdict *verdict) {
  string_list command = {0};
  conformance_model_command(settings, program, &command);
  conformance_answer answer = {0};
  conformance_link(settings, &command, directory, "model", &answer);
  conformance_verdict own = {0};
  conformance_compare(reference, &answer, &own);
  verdict->model_ran = true;
  verdict->model_identical = own.outcome == CONFORMANCE_IDENTICAL;
  conformance_answer_free(&answer);
  string_list_free(&command);
}

static void conformance_write_script(const gen_program *program, const string_list *arguments, const char *directory) {
  text_buffer script = {0};
  text_add(&script, "#!/bin/sh\n# Links the program in this directory with both linkers.\ncd \"$(dirname \"$0\")\"\n");
  for (int ours = 0; ours < 2; ours++) {
    const char *who = ours ? "twinlink" : "nvlink";
    text_add(&script, "%s", ours ? "${TWINLINK:-twinlink} --identity=nvlink --bug-compatible" : "${NVLINK:-nvlink}");
    for (size_t i = 0; i < arguments->count; i++)
      text_add(&script, " %s", arguments->items[i]);
    text_add(&script, " 2> %s.stderr\necho \"%s: exit code $?\"\nmv -f out.cubin %s.cubin\n", who, who, who);
  }
  text_add(&script, "cmp nvlink.cubin twinlink.cubin && cmp nvlink.stderr twinlink.stderr && echo identical\n");
  text_add(&script, "# twin gen --seed %llu --arch %s --kind %s\n", (unsigned long long)program->seed,
           program->architecture, gen_kind_names[program->kind]);
  char path[CONFORMANCE_PATH];
  conformance_path(path, sizeof path, directory, "link.sh");
  if (process_write_file(path, script.bytes, script.size))
    chmod(path, 0755);
  text_free(&script);
}

static bool conformance_is_refusal(const conformance_answer *answer) {
  return !answer->result.signal && !answer->result.timed_out && answer->result.exit_code != 0 && !answer->output;
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

static void conformance_add_words(const char *words, string_list *arguments) {
  for (size_t length; words && *words; words += length) {
    words += strspn(words, " ");
    length = strcspn(words, " ");
    if (length)
      string_list_add(arguments, "%.*s", (int)length, words);
  }
}

static void conformance_link_both(const conformance_settings *settings, const gen_program *program,
                                  const char *directory, conformance_verdict *verdict) {
  string_list arguments = {0}, command = {0}, reference_command = {0};
  conformance_add_words(settings->link, &arguments);
  gen_link_arguments(program, &arguments);
  conformance_write_script(program, &arguments, directory);
  string_list_add(&reference_command, "%s", settings->reference);
  for (size_t i = 0; i < arguments.count; i++)
    string_list_add(&reference_command, "%s", arguments.items[i]);
  conformance_linker_command(settings, &arguments, program->sm >= 100, &command);
  conformance_answer reference = {0}, ours = {0};
  conformance_link(settings, &reference_command, directory, "nvlink", &reference);
  conformance_link(settings, &command, directory, "twinlink", &ours);
  conformance_judge(directory, &reference, &ours, verdict);
  verdict->reference_seconds = reference.result.seconds;
  verdict->linker_seconds = ours.result.seconds;
  conformance_compare(&reference, &ours, verdict);
  if (reference.result.exit_code != 0) {
    conformance_first_line(&reference, verdict->details, sizeof verdict->details);
    if (verdict->outcome == CONFORMANCE_IDENTICAL)
      verdict->outcome = CONFORMANCE_REFUSED;
    else if (reference.result.signal && conformance_is_refusal(&ours))
      conformance_note_signal(&reference, &ours, verdict);
    else
      snprintf(verdict->class, sizeof verdict->class, "refusal");
  } else if (*settings->model && program->sm < 100) {
    conformance_model(settings, program, directory, &reference, verdict);
  }
  conformance_answer_free(&reference);
  conformance_answer_free(&ours);
  string_list_free(&arguments);
  string_list_free(&command);
  string_list_free(&reference_command);
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
  if (ready && (settings->figures || conformance_set_kinds(program, one, directory)))
    return program;
  free(program);
  return NULL;
}

void conformance_run(const conformance_settings *settings, conformance_case *one, const char *directory) {
  conformance_verdict *verdict = &one->verdict;
  gen_program *program = conformance_prepare(settings, one, directory);
  if (program && settings->figures) {
    verdict->outcome = CONFORMANCE_GENERATED;
  } else if (program) {
    conformance_link_both(settings, program, directory, verdict);
    conformance_cover_program(program, directory, &verdict->coverage);
  }
  free(program);
}
