/* One linker, started in a program's directory: its command, what it left, and how two answers are compared. Both linkers
 * of a program are started with the same words, so that what nvlink records of its command line is the same for both. */
#include "conformance_link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void conformance_path(char *path, size_t size, const char *directory, const char *name) {
  snprintf(path, size, "%s/%s", directory, name);
}

uint8_t *conformance_read(const char *directory, const char *name, size_t *size) {
  char path[CONFORMANCE_PATH];
  conformance_path(path, sizeof path, directory, name);
  return process_read_file(path, CONFORMANCE_FILE_LIMIT, size);
}

void conformance_answer_free(conformance_answer *answer) {
  free(answer->output);
  free(answer->text[0]);
  free(answer->text[1]);
}

static void conformance_rename(const char *directory, const char *from, const char *who, const char *what) {
  char old[CONFORMANCE_PATH], new[CONFORMANCE_PATH], name[64];
  conformance_path(old, sizeof old, directory, from);
  snprintf(name, sizeof name, "%s.%s", who, what);
  conformance_path(new, sizeof new, directory, name);
  unlink(new);
  rename(old, new);
}

void conformance_link(const conformance_settings *settings, const string_list *command, const char *directory,
                      const char *output, const char *who, conformance_answer *answer) {
  process_job job = {.arguments = (const char *const *)command->items, .directory = directory};
  job.output_path = "link.stdout";
  job.error_path = "link.stderr";
  job.temporary = directory;
  job.seconds = settings->link_seconds;
  job.memory = settings->memory;
  job.file_size = CONFORMANCE_FILE_LIMIT;
  process_run(&job, &answer->result);
  answer->output = conformance_read(directory, output, &answer->output_size);
  answer->text[0] = conformance_read(directory, "link.stdout", &answer->text_size[0]);
  answer->text[1] = conformance_read(directory, "link.stderr", &answer->text_size[1]);
  conformance_rename(directory, output, who, strcmp(output, "out.cubin") == 0 ? "cubin" : output);
  conformance_rename(directory, "link.stdout", who, "stdout");
  conformance_rename(directory, "link.stderr", who, "stderr");
}

void conformance_command_of(const conformance_settings *settings, const char *linker, const string_list *arguments,
                            bool capsules, string_list *command) {
  string_list_add(command, "%s", linker);
  if (!conformance_is_nvlink(linker)) {
    string_list_add(command, "--identity=nvlink");
    if (!settings->default_mode)
      string_list_add(command, "--bug-compatible");
  }
  if (!conformance_is_nvlink(linker) && capsules)
    string_list_add(command, "--map=twinlink.map");
  for (size_t i = 0; i < arguments->count; i++)
    string_list_add(command, "%s", arguments->items[i]);
}

static bool conformance_same(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
  if (!a || !b)
    return !a && !b;
  return a_size == b_size && memcmp(a, b, a_size) == 0;
}

bool conformance_same_text(const conformance_answer *a, const conformance_answer *b) {
  return conformance_same(a->text[0], a->text_size[0], b->text[0], b->text_size[0]) &&
         conformance_same(a->text[1], a->text_size[1], b->text[1], b->text_size[1]);
}

/* The first line that is no warning, or the first. */
void conformance_first_line(const conformance_answer *answer, char *line, size_t size) {
  const char *text = answer->text[1] ? (const char *)answer->text[1] : "", *found = text;
  for (const char *at = text; *at; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL))
    if (strncmp(at, "nvlink warning", 14) != 0 && strncmp(at, "nvlink info", 11) != 0) {
      found = at;
      break;
    }
  snprintf(line, size, "%.*s", (int)strcspn(found, "\n"), found);
}

/* What nvlink leaves where it ends with an error (E76 comes behind the output) is no answer; of ours nothing may be left. */
static bool conformance_outputs_match(const conformance_answer *reference, const conformance_answer *ours) {
  return reference->result.exit_code != 0 ? !ours->output : !ours->output == !reference->output;
}

void conformance_compare(const conformance_answer *reference, const conformance_answer *ours,
                         conformance_verdict *verdict) {
  char *class = verdict->class, *details = verdict->details;
  size_t class_size = sizeof verdict->class, details_size = sizeof verdict->details;
  verdict->outcome = CONFORMANCE_DIFFERENT;
  if (ours->result.timed_out) {
    snprintf(class, class_size, "time limit");
  } else if (ours->result.signal) {
    snprintf(class, class_size, "crash");
    snprintf(details, details_size, "signal %d", ours->result.signal);
  } else if (ours->result.exit_code != reference->result.exit_code || !conformance_outputs_match(reference, ours)) {
    char line[160];
    conformance_first_line(ours, line, sizeof line);
    snprintf(class, class_size, "exit code");
    snprintf(details, details_size, "%d, ours %d: %s", reference->result.exit_code, ours->result.exit_code, line);
  } else if (reference->output && ours->output &&
             conformance_first_difference(reference->output, reference->output_size, ours->output, ours->output_size,
                                          class, class_size, details, details_size)) {
    return;
  } else if (!conformance_same_text(reference, ours)) {
    snprintf(class, class_size, "text");
  } else {
    verdict->outcome = CONFORMANCE_IDENTICAL;
  }
}

bool conformance_is_refusal(const conformance_answer *answer) {
  return !answer->result.signal && !answer->result.timed_out && answer->result.exit_code != 0 && !answer->output;
}

void conformance_add_words(const char *words, string_list *arguments) {
  for (size_t length; words && *words; words += length) {
    words += strspn(words, " ");
    length = strcspn(words, " ");
    if (length)
      string_list_add(arguments, "%.*s", (int)length, words);
  }
}

void conformance_write_script(const char *directory, const text_buffer *script) {
  char path[CONFORMANCE_PATH];
  conformance_path(path, sizeof path, directory, "link.sh");
  if (process_write_file(path, script->bytes, script->size))
    chmod(path, 0755);
}
