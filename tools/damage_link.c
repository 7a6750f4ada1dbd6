/* One damaged input through one linker, and the answers side by side.
 *
 * Both linkers are started with the same words in the same directory, so that what nvlink records of its command line is
 * the same for both. Limits hold for both; a linker that runs into one, or writes more than 16 MB, has hung. nvlink reads memory that is not its own
 * on some damage; where the answers differ it is asked twice more, and an answer that changes is no answer. */
#include "damage.h"

#include "conformance.h"
#include "voters_calls.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK_FILE_LIMIT = 16 << 20, SIGNAL_BASE = 128, REPEATS = 2 };
static const uint64_t link_memory = (uint64_t)4 << 30;

void damage_answer_free(damage_answer *answer) {
  free(answer->output);
  free(answer->text);
  *answer = (damage_answer){0};
}

static bool link_is_input(const damage_base *base, const char *word) {
  return string_list_holds(&base->files, word);
}

/* The index of unified tables that a job names stands beside its cubins, and no field of it is damaged. */
static bool link_copy_index(const damage_base *base, const char *directory) {
  static const char option[] = "-uidx=";
  bool good = true;
  for (size_t i = 0; i < base->arguments.count && good; i++) {
    const char *const word = base->arguments.items[i];
    const char *name = strncmp(word, option, sizeof option - 1) == 0 ? word + sizeof option - 1 : NULL;
    if (strcmp(word, "-uidx") == 0 && i + 1 < base->arguments.count)
      name = base->arguments.items[i + 1];
    if (!name)
      continue;
    text_buffer from = {0}, to = {0};
    text_add(&from, "%s/%s", base->directory, name);
    text_add(&to, "%s/%s", directory, name);
    good = file_copy(from.bytes, to.bytes);
    text_free(&from);
    text_free(&to);
  }
  return good;
}

static bool link_write_inputs(const damage_case *one, const char *directory) {
  bool good = link_copy_index(one->base, directory);
  for (size_t i = 0; i < one->base->files.count && good; i++) {
    text_buffer from = {0}, to = {0};
    text_add(&from, "%s/%s", one->base->directory, one->base->files.items[i]);
    text_add(&to, "%s/%s", directory, one->base->files.items[i]);
    if (i == one->file) {
      size_t size;
      uint8_t *const bytes = damage_case_bytes(one, &size);
      good = process_write_file(to.bytes, bytes, size);
      free(bytes);
    } else if (!one->alone) {
      good = file_copy(from.bytes, to.bytes);
    }
    text_free(&from);
    text_free(&to);
  }
  return good;
}

static void link_command(const damage_settings *settings, const damage_case *one, damage_who who,
                         string_list *command) {
  string_list_add(command, "%s", who == DAMAGE_NVLINK ? settings->reference : settings->linker);
  if (who != DAMAGE_NVLINK)
    string_list_add(command, "--identity=nvlink");
  if (who == DAMAGE_COMPATIBLE)
    string_list_add(command, "--bug-compatible");
  const char *const damaged = one->base->files.items[one->file];
  for (size_t i = 0; i < one->base->arguments.count; i++) {
    const char *const word = one->base->arguments.items[i];
    if (!one->alone || !link_is_input(one->base, word) || strcmp(word, damaged) == 0)
      string_list_add(command, "%s", word);
  }
  if (settings->word)
    string_list_add(command, "%s", settings->word);
}

/* The linker in this process, in the directory and with its messages. False when only the program can do it. */
static bool link_here(const string_list *command, const char *directory, process_result *result) {
  const int home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), errors = dup(STDERR_FILENO);
  bool good = home >= 0 && errors >= 0 && chdir(directory) == 0;
  const int messages = good ? open("messages", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
  good = messages >= 0 && dup2(messages, STDERR_FILENO) >= 0;
  const int code = good ? voters_call_linker((int)command->count, command->items, NULL) : VOTERS_ONLY_PROGRAM;
  dup2(errors, STDERR_FILENO);
  good &= fchdir(home) == 0;
  close(messages);
  close(errors);
  close(home);
  *result = (process_result){.started = true, .exit_code = code};
  return good && code != VOTERS_ONLY_PROGRAM;
}

static damage_fate link_fate(const process_result *result) {
  if (result->timed_out || result->signal == SIGXFSZ || result->signal == SIGXCPU)
    return DAMAGE_HANGS;
  if (result->signal || result->exit_code > SIGNAL_BASE + 64)
    return result->exit_code == 255 ? DAMAGE_REFUSES : DAMAGE_CRASHES;
  return result->exit_code == 0 ? DAMAGE_LINKS : DAMAGE_REFUSES;
}

bool damage_link(const damage_settings *settings, const damage_case *one, damage_who who, const char *directory,
                 damage_answer *answer) {
  *answer = (damage_answer){0};
  string_list command = {0};
  link_command(settings, one, who, &command);
  text_buffer output = {0}, text = {0};
  text_add(&output, "%s/out.cubin", directory);
  text_add(&text, "%s/messages", directory);
  unlink(output.bytes);
  const process_job job = {.arguments = (const char *const *)command.items,
                           .directory = directory,
                           .error_path = "messages",
                           .temporary = directory,
                           .seconds = settings->seconds,
                           .memory = who != DAMAGE_NVLINK && settings->unlimited ? 0 : link_memory,
                           .file_size = LINK_FILE_LIMIT};
  process_result result;
  bool good = link_write_inputs(one, directory);
  if (good && !(settings->ours_only && link_here(&command, directory, &result)))
    good = process_run(&job, &result);
  if (good) {
    answer->fate = link_fate(&result);
    answer->exit_code = result.exit_code;
    answer->memory = result.memory;
    answer->seconds = result.seconds;
    if (who != DAMAGE_NVLINK || answer->fate == DAMAGE_LINKS || answer->fate == DAMAGE_REFUSES)
      answer->output = (uint8_t *)file_read(output.bytes, &answer->output_size);
    answer->text = file_read(text.bytes, &answer->text_size);
  }
  string_list_free(&command);
  text_free(&output);
  text_free(&text);
  return good && answer->text;
}

static uint64_t link_input_size(const damage_case *one) {
  uint64_t sum = one->size;
  for (size_t i = 0; i < one->base->files.count && !one->alone; i++) {
    text_buffer path = {0};
    struct stat status;
    text_add(&path, "%s/%s", one->base->directory, one->base->files.items[i]);
    if (i != one->file && stat(path.bytes, &status) == 0)
      sum += (uint64_t)status.st_size;
    text_free(&path);
  }
  return sum;
}

const char *damage_check(const damage_settings *settings, const damage_case *one, const damage_answer *ours,
                         size_t nvlink_output) {
  const uint64_t input = link_input_size(one), most = 4 * input + ((uint64_t)1 << 20);
  if (ours->fate == DAMAGE_CRASHES)
    return "crash";
  if (ours->fate == DAMAGE_HANGS)
    return "hang";
  if (strstr(ours->text, "Sanitizer: ") || strstr(ours->text, ": runtime error: "))
    return "a sanitizer's report";
  if (ours->fate == DAMAGE_REFUSES && ours->output)
    return "partial output";
  if (ours->fate == DAMAGE_REFUSES && ours->text_size == 0)
    return "no message";
  if (ours->output && ours->output_size > most && ours->output_size > nvlink_output)
    return "output too large";
  if (!settings->unlimited && ours->memory > 8 * input + ((uint64_t)64 << 20))
    return "memory too large";
  return NULL;
}

/* --- comparing --- */

static bool same_bytes(const void *a, size_t a_size, const void *b, size_t b_size) {
  return a_size == b_size && (a_size == 0 || (a && b && memcmp(a, b, a_size) == 0)) && !a == !b;
}

static bool same_answer(const damage_answer *a, const damage_answer *b) {
  return a->fate == b->fate && same_bytes(a->output, a->output_size, b->output, b->output_size) &&
         same_bytes(a->text, a->text_size, b->text, b->text_size);
}

void damage_line(const damage_answer *answer, char *line, size_t size) {
  const char *found = answer->text;
  for (const char *at = answer->text; *at; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL))
    if (strncmp(at, "nvlink fatal", 12) == 0 || strncmp(at, "nvlink error", 12) == 0)
      found = at;
  const char *const words = strncmp(found, "nvlink ", 7) == 0 && strstr(found, ": ") ? strstr(found, ": ") + 2 : found;
  size_t used = 0;
  bool quoted = false;
  for (size_t i = 0; words[i] && words[i] != '\n' && words[i] != '\t' && used + 1 < size; i++) {
    const bool quote = words[i] == '\'' && (quoted || i == 0 || words[i - 1] == ' '); /* no apostrophe */
    if (!quoted || quote)
      line[used++] = words[i];
    quoted = quoted != quote;
  }
  line[used] = '\0';
}

static damage_same compare_outputs(const damage_answer *reference, const damage_answer *ours) {
  if (ours->fate != DAMAGE_LINKS)
    return DAMAGE_REFUSED;
  return same_bytes(reference->output, reference->output_size, ours->output, ours->output_size) ? DAMAGE_SAME
                                                                                                : DAMAGE_OTHER;
}

/* What differs, in one line. */
static void compare_name(const damage_answer *reference, const damage_answer *ours, damage_verdict *verdict) {
  char line[DAMAGE_KEY / 2] = "", other[DAMAGE_KEY / 2] = "", details[256];
  if (verdict->ours == DAMAGE_REFUSED) {
    damage_line(ours, line, sizeof line);
    if (reference->fate == DAMAGE_REFUSES) {
      damage_line(reference, other, sizeof other);
      snprintf(verdict->key, sizeof verdict->key, "%s / %s", other, line);
    } else {
      snprintf(verdict->key, sizeof verdict->key, "%s", line);
    }
  } else if (reference->fate == DAMAGE_REFUSES) {
    damage_line(reference, other, sizeof other);
    snprintf(verdict->key, sizeof verdict->key, "linked: %s", other);
  } else if (reference->output && ours->output &&
             conformance_first_difference(reference->output, reference->output_size, ours->output, ours->output_size,
                                          line, sizeof line, details, sizeof details)) {
    snprintf(verdict->key, sizeof verdict->key, "bytes of %s", line);
  } else if (!reference->output != !ours->output) {
    snprintf(verdict->key, sizeof verdict->key, "%s", ours->output ? "an output" : "no output");
  } else if (!verdict->same_text) {
    damage_line(reference, other, sizeof other);
    snprintf(verdict->key, sizeof verdict->key, "text %s", other);
  }
}

static bool compare_is_stable(const damage_settings *settings, const damage_case *one, const char *directory,
                              const damage_answer *reference) {
  bool same = true;
  for (int i = 0; i < REPEATS && same; i++) {
    damage_answer again;
    same = damage_link(settings, one, DAMAGE_NVLINK, directory, &again) && same_answer(reference, &again);
    damage_answer_free(&again);
  }
  return same;
}

/* Do the linkers differ without the damage as well? Then the difference is one of docs/specification/open.md. */
static bool compare_differs_undamaged(const damage_settings *settings, const damage_case *one, const char *directory) {
  damage_case whole = *one;
  damage_answer reference, ours = {0};
  whole.change_count = 0;
  const bool same = !damage_link(settings, &whole, DAMAGE_NVLINK, directory, &reference) ||
                    !damage_link(settings, &whole, DAMAGE_COMPATIBLE, directory, &ours) ||
                    same_answer(&reference, &ours);
  damage_answer_free(&reference);
  damage_answer_free(&ours);
  return !same;
}

/* Does default mode refuse the undamaged files, too? Then the job breaks a named rule by itself. */
static bool compare_refuses_undamaged(const damage_settings *settings, const damage_case *one, const char *directory) {
  damage_case whole = *one;
  damage_answer ours = {0};
  whole.change_count = 0;
  const bool refuses = damage_link(settings, &whole, DAMAGE_DEFAULT, directory, &ours) && ours.fate == DAMAGE_REFUSES;
  damage_answer_free(&ours);
  return refuses;
}

static void compare_fill(const damage_settings *settings, const damage_case *one, const char *directory,
                         const damage_answer answers[3], damage_verdict *verdict) {
  const damage_answer *const reference = &answers[DAMAGE_NVLINK], *const ours = &answers[DAMAGE_COMPATIBLE];
  verdict->fate = reference->fate;
  verdict->ours = compare_outputs(reference, ours);
  verdict->usual = compare_outputs(reference, &answers[DAMAGE_DEFAULT]);
  verdict->same_text = reference->exit_code == ours->exit_code &&
                       same_bytes(reference->text, reference->text_size, ours->text, ours->text_size);
  const bool expected = reference->fate == DAMAGE_CRASHES || reference->fate == DAMAGE_HANGS
                            ? verdict->ours == DAMAGE_REFUSED
                            : verdict->same_text && (verdict->fate == DAMAGE_REFUSES || verdict->ours == DAMAGE_SAME);
  if (!expected) {
    compare_name(reference, ours, verdict);
    verdict->unstable = !compare_is_stable(settings, one, directory, reference);
    if (verdict->unstable)
      snprintf(verdict->key, sizeof verdict->key, "several answers of nvlink");
    else if (compare_differs_undamaged(settings, one, directory))
      snprintf(verdict->key, sizeof verdict->key, "undamaged too");
  }
  if (verdict->usual == DAMAGE_REFUSED) {
    const bool links = reference->fate == DAMAGE_LINKS;
    const char *const prefix = links && compare_refuses_undamaged(settings, one, directory) ? DAMAGE_UNDAMAGED : "";
    const size_t used = (size_t)snprintf(verdict->usual_key, sizeof verdict->usual_key, "%s", prefix);
    damage_line(&answers[DAMAGE_DEFAULT], verdict->usual_key + used, sizeof verdict->usual_key - used);
  }
}

bool damage_compare(const damage_settings *settings, const damage_case *one, const char *directory,
                    damage_verdict *verdict) {
  damage_answer answers[3] = {0};
  bool good = true;
  *verdict = (damage_verdict){0};
  for (int who = 0; who < 3 && good; who++)
    if (who != DAMAGE_NVLINK || settings->reference[0])
      good = damage_link(settings, one, (damage_who)who, directory, &answers[who]);
  for (int who = DAMAGE_COMPATIBLE; who <= DAMAGE_DEFAULT && good && !verdict->failure[0]; who++) {
    const char *const failure = damage_check(settings, one, &answers[who], answers[DAMAGE_NVLINK].output_size);
    if (failure)
      snprintf(verdict->failure, sizeof verdict->failure, "%s", failure);
  }
  if (good && !settings->reference[0]) {
    verdict->ours = compare_outputs(&answers[DAMAGE_NVLINK], &answers[DAMAGE_COMPATIBLE]);
    verdict->usual = compare_outputs(&answers[DAMAGE_NVLINK], &answers[DAMAGE_DEFAULT]);
  }
  if (good && settings->reference[0])
    compare_fill(settings, one, directory, answers, verdict);
  for (int who = 0; who < 3; who++)
    damage_answer_free(&answers[who]);
  return good;
}
