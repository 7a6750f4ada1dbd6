/* twin triage [--programs DIRECTORY] [--rules FILE] [--json FILE] [--seconds N] FINDING...: what a campaign's findings come
 * from, an entry a cause. Each finding (a file, or all files of a directory) goes through its target again: DIRECTORY's
 * fuzz_NAME for a file called NAME-... . A cause is what went wrong and the place in our own code where it did, a function,
 * since two stacks that end in one place are mostly one mistake; the rules that the specification names that function for
 * stand beside it (--rules: lines as tests/rules/read.awk writes them). What the target itself says of a finding, FOUND and
 * its cause, is a cause as it is.
 *
 * A finding whose target does not start, or does not get through an empty input, is none: it is counted apart, and the
 * exit code says so. Nor is one that ends well now. */
#include "files.h"
#include "json_file.h"
#include "process.h"
#include "twin.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int twin_triage(int argc, char **argv);

enum { TRIAGE_TEXT = 512, TRIAGE_PATH = 4096, TRIAGE_PRINTED = 16 << 20 };

typedef enum triage_verdict { TRIAGE_NOTHING, TRIAGE_CAUSE, TRIAGE_NOT_STARTED } triage_verdict;

typedef struct triage_end {
  triage_verdict verdict;
  char what[TRIAGE_TEXT]; /* heap-buffer-overflow, assertion, timeout, signal 11, or what the target says */
  char function[TRIAGE_TEXT], file[TRIAGE_TEXT]; /* "" where nothing says them */
} triage_end;

typedef struct triage_entry {
  triage_end end;
  string_list targets, findings;
  const char *smallest; /* one of findings */
  size_t size;          /* its bytes */
} triage_entry;

typedef struct triage_target {
  char *name;
  bool starts, engine; /* engine: takes libFuzzer's options */
} triage_target;

typedef struct triage {
  const char *programs, *rules, *json;
  double seconds;
  char directory[TRIAGE_PATH - 64], printed[TRIAGE_PATH], empty[TRIAGE_PATH];
  triage_target *targets;
  triage_entry *entries;
  size_t target_count, entry_count, nothing;
  string_list not_started;
  char *rule_text; /* of --rules, NULL */
} triage;

static void *triage_grow(void *items, size_t bytes) {
  void *const grown = realloc(items, bytes);
  if (!grown) {
    fprintf(stderr, "twin triage: no memory\n");
    exit(TWIN_TROUBLE);
  }
  return grown;
}

/* --- what a run says of itself --- */

static void triage_copy(char to[TRIAGE_TEXT], const char *from, size_t length) {
  (void)snprintf(to, TRIAGE_TEXT, "%.*s", (int)(length < TRIAGE_TEXT ? length : TRIAGE_TEXT - 1), from);
}

/* From the room on: where a tree was built does not count. */
static const char *triage_own_path(const char *text, size_t length) {
  static const char *const rooms[] = {"linker/", "oracle/", "fuzz/"};
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
    for (size_t at = 0; at + strlen(rooms[i]) <= length; at++)
      if (strncmp(text + at, rooms[i], strlen(rooms[i])) == 0 &&
          (at == 0 || text[at - 1] == '/' || text[at - 1] == ' '))
        return text + at;
  return NULL;
}

/* The first frame in our own rooms: `#1 0x55 in FUNCTION PATH:LINE:COLUMN`. */
static void triage_take_place(const char *text, triage_end *end) {
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const size_t length = strcspn(line, "\n");
    const char *const frame = line + strspn(line, " ");
    const char *const function = *frame == '#' ? strstr(frame, " in ") : NULL;
    if (!function || function > line + length)
      continue;
    const size_t name = strcspn(function + 4, " \n");
    const char *const path = triage_own_path(function + 4 + name, length - (size_t)(function + 4 + name - line));
    if (!path || strncmp(path, "fuzz/engine", strlen("fuzz/engine")) == 0)
      continue;
    triage_copy(end->function, function + 4, name);
    triage_copy(end->file, path, strcspn(path, ":\n"));
    return;
  }
}

/* `PROGRAM: FILE:LINE: FUNCTION: Assertion `TEXT' failed.` */
static bool triage_take_assertion(const char *text, triage_end *end) {
  const char *const found = strstr(text, ": Assertion `");
  if (!found)
    return false;
  const char *function = found, *line = found;
  while (function > text && function[-1] != ' ')
    function--;
  while (line > text && line[-1] != '\n')
    line--;
  const char *const path = triage_own_path(line, (size_t)(found - line));
  triage_copy(end->what, found + 2, strcspn(found + 2, "\n"));
  triage_copy(end->function, function, (size_t)(found - function));
  if (path)
    triage_copy(end->file, path, strcspn(path, ":\n"));
  return true;
}

/* `SUMMARY: AddressSanitizer: KIND REST`, and of undefined behaviour the sentence that says which. */
static bool triage_take_summary(const char *text, triage_end *end) {
  static const char error[] = "runtime error: ";
  const char *const summary = strstr(text, "SUMMARY: "), *const said = strstr(text, error);
  const char *const kind = summary ? strstr(summary + strlen("SUMMARY: "), ": ") : NULL;
  if (said)
    triage_copy(end->what, said + strlen(error), strcspn(said + strlen(error), ":\n0123456789"));
  else if (kind)
    triage_copy(end->what, kind + 2, strcspn(kind + 2, " \n"));
  else
    return false;
  triage_take_place(text, end);
  if (said && !end->file[0]) { /* without a stack the sentence says where */
    const char *line = said;
    while (line > text && line[-1] != '\n')
      line--;
    const char *const path = triage_own_path(line, (size_t)(said - line));
    if (path)
      triage_copy(end->file, path, strcspn(path, ":\n"));
  }
  return true;
}

static void triage_judge(const char *text, const process_result *result, triage_end *end) {
  static const char found[] = "FOUND ";
  const char *const says = strstr(text, found), *const cause = says ? strstr(says, ": ") : NULL;
  end->verdict = TRIAGE_CAUSE;
  if (result->timed_out) {
    triage_copy(end->what, "timeout", strlen("timeout"));
    triage_take_place(text, end);
  } else if (cause)
    triage_copy(end->what, cause + 2, strcspn(cause + 2, "\n"));
  else if (!triage_take_assertion(text, end) && !triage_take_summary(text, end))
    (void)snprintf(end->what, sizeof end->what, result->signal ? "signal %d" : "exit code %d",
                   result->signal ? result->signal : result->exit_code);
}

/* --- runs --- */

/* An engine stops what takes too long by itself, with the stack of what it was at; its own time comes first. */
static bool triage_run(const triage *t, const triage_target *target, const char *path, process_result *result) {
  char program[TRIAGE_PATH], limit[64];
  (void)snprintf(program, sizeof program, "%s/fuzz_%s", t->programs, target->name);
  (void)snprintf(limit, sizeof limit, "-timeout=%.0f", t->seconds);
  const char *const words[] = {program, target->engine ? limit : path, target->engine ? path : NULL, NULL};
  const process_job job = {
      .arguments = words, .error_path = t->printed, .seconds = t->seconds + (target->engine ? 5 : 0)};
  return process_run(&job, result) && result->exit_code != 126 && result->exit_code != 127;
}

static triage_target *triage_find_target(triage *t, const char *name, size_t length) {
  for (size_t i = 0; i < t->target_count; i++)
    if (strlen(t->targets[i].name) == length && strncmp(t->targets[i].name, name, length) == 0)
      return &t->targets[i];
  t->targets = triage_grow(t->targets, (t->target_count + 1) * sizeof *t->targets);
  triage_target *const target = &t->targets[t->target_count++];
  *target = (triage_target){.name = strndup(name, length), .engine = true};
  if (!target->name)
    exit(TWIN_TROUBLE);
  process_result result;
  target->engine = triage_run(t, target, "-help=1", &result) && result.exit_code == 0;
  target->starts = triage_run(t, target, t->empty, &result) && result.exit_code == 0;
  return target;
}

static triage_end triage_replay(triage *t, const triage_target *target, const char *path) {
  triage_end end = {0};
  process_result result = {0};
  size_t size = 0;
  if (!target->starts || !triage_run(t, target, path, &result)) {
    end.verdict = TRIAGE_NOT_STARTED;
    return end;
  }
  uint8_t *const text = process_read_file(t->printed, TRIAGE_PRINTED, &size);
  if (result.exit_code != 0)
    triage_judge(text ? (const char *)text : "", &result, &end);
  free(text);
  return end;
}

/* --- entries --- */

static triage_entry *triage_find_entry(triage *t, const triage_end *end) {
  for (size_t i = 0; i < t->entry_count; i++) {
    const triage_end *const known = &t->entries[i].end;
    if (strcmp(known->what, end->what) == 0 && strcmp(known->function, end->function) == 0 &&
        strcmp(known->file, end->file) == 0)
      return &t->entries[i];
  }
  t->entries = triage_grow(t->entries, (t->entry_count + 1) * sizeof *t->entries);
  t->entries[t->entry_count] = (triage_entry){.end = *end, .size = SIZE_MAX};
  return &t->entries[t->entry_count++];
}

static void triage_take_finding(triage *t, const char *path) {
  const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
  const size_t length = strcspn(name, "-");
  struct stat status;
  if (!name[length] || stat(path, &status) != 0) {
    string_list_add(&t->not_started, "%s", path);
    return;
  }
  const triage_target *const target = triage_find_target(t, name, length);
  const triage_end end = triage_replay(t, target, path);
  if (end.verdict == TRIAGE_NOTHING)
    t->nothing++;
  else if (end.verdict == TRIAGE_NOT_STARTED)
    string_list_add(&t->not_started, "%s", path);
  if (end.verdict != TRIAGE_CAUSE)
    return;
  triage_entry *const entry = triage_find_entry(t, &end);
  if (!string_list_holds(&entry->targets, target->name))
    string_list_add(&entry->targets, "%s", target->name);
  string_list_add(&entry->findings, "%s", path);
  if ((size_t)status.st_size < entry->size) {
    entry->size = (size_t)status.st_size;
    entry->smallest = entry->findings.items[entry->findings.count - 1];
  }
}

static void triage_take_path(triage *t, const char *path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
    triage_take_finding(t, path);
    return;
  }
  string_list names = directory_list(path, false);
  for (size_t i = 0; i < names.count && !process_interrupted(); i++) {
    char inner[TRIAGE_PATH];
    const size_t length = strlen(names.items[i]);
    (void)snprintf(inner, sizeof inner, "%s/%s", path, names.items[i]);
    if (length < 6 || strcmp(names.items[i] + length - 6, ".cause") != 0)
      triage_take_finding(t, inner);
  }
  string_list_free(&names);
}

/* --- rules and report --- */

static bool triage_names(const char *names, size_t length, const char *function) {
  const size_t wanted = strlen(function);
  for (size_t at = 0; at < length;) {
    const size_t word = strcspn(names + at, " \t\n");
    if (word == wanted && strncmp(names + at, function, wanted) == 0)
      return true;
    at += word + 1;
  }
  return false;
}

/* `page:line TAB ids TAB functions TAB tests` a line. */
static void triage_find_rules(const triage *t, const char *function, text_buffer *rules) {
  for (const char *line = *function ? t->rule_text : NULL; line && *line;) {
    const char *const ids = line + strcspn(line, "\t\n");
    const char *const functions = *ids == '\t' ? ids + 1 + strcspn(ids + 1, "\t\n") : ids;
    if (*functions == '\t' && triage_names(functions + 1, strcspn(functions + 1, "\t\n"), function))
      text_add(rules, "%s%.*s", rules->size ? " " : "", (int)(functions - ids - 1), ids + 1);
    const char *const next = strchr(line, '\n');
    line = next ? next + 1 : NULL;
  }
}

static int triage_more_first(const void *a, const void *b) {
  const triage_entry *const x = a, *const y = b;
  if (x->findings.count != y->findings.count)
    return x->findings.count > y->findings.count ? -1 : 1;
  const int what = strcmp(x->end.what, y->end.what);
  return what ? what : strcmp(x->end.function, y->end.function);
}

static void triage_print_entry(const triage_entry *entry, const char *rules) {
  printf("%5zu  %s", entry->findings.count, entry->end.what);
  if (entry->end.function[0] || entry->end.file[0])
    printf(", in %s%s%s%s", entry->end.function, entry->end.function[0] ? " (" : "", entry->end.file,
           entry->end.function[0] ? ")" : "");
  printf("\n       targets:");
  for (size_t i = 0; i < entry->targets.count; i++)
    printf(" %s", entry->targets.items[i]);
  if (*rules)
    printf("\n       rules: %s", rules);
  printf("\n       smallest: %s, %zu bytes\n", entry->smallest, entry->size);
}

static void triage_add_list(cJSON *to, const char *name, const string_list *list) {
  cJSON *const array = cJSON_AddArrayToObject(to, name);
  for (size_t i = 0; i < list->count; i++)
    cJSON_AddItemToArray(array, cJSON_CreateString(list->items[i]));
}

static void triage_add_entry(cJSON *to, const triage_entry *entry, const char *rules) {
  cJSON *const object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "what", entry->end.what);
  cJSON_AddStringToObject(object, "function", entry->end.function);
  cJSON_AddStringToObject(object, "file", entry->end.file);
  cJSON_AddStringToObject(object, "rules", rules);
  cJSON_AddStringToObject(object, "smallest", entry->smallest);
  triage_add_list(object, "targets", &entry->targets);
  triage_add_list(object, "findings", &entry->findings);
  cJSON_AddItemToArray(to, object);
}

static bool triage_report(triage *t) {
  cJSON *const root = cJSON_CreateObject(), *const causes = cJSON_AddArrayToObject(root, "causes");
  if (t->entry_count)
    qsort(t->entries, t->entry_count, sizeof *t->entries, triage_more_first);
  for (size_t i = 0; i < t->entry_count; i++) {
    text_buffer rules = {0};
    triage_find_rules(t, t->entries[i].end.function, &rules);
    triage_print_entry(&t->entries[i], rules.bytes ? rules.bytes : "");
    triage_add_entry(causes, &t->entries[i], rules.bytes ? rules.bytes : "");
    text_free(&rules);
  }
  for (size_t i = 0; i < t->not_started.count; i++)
    printf("not judged: %s: its target is not there or does not start\n", t->not_started.items[i]);
  printf("%zu causes; %zu findings show nothing now, %zu were not judged\n", t->entry_count, t->nothing,
         t->not_started.count);
  triage_add_list(root, "not_judged", &t->not_started);
  cJSON_AddNumberToObject(root, "nothing", (double)t->nothing);
  if (t->json)
    return json_write(root, t->json);
  cJSON_Delete(root);
  return true;
}

/* --- command line --- */

static int triage_usage(void) {
  fprintf(stderr, "usage: twin triage [--programs DIRECTORY] [--rules FILE] [--json FILE] [--seconds N] FINDING...\n");
  return TWIN_TROUBLE;
}

/* The number of words that the options take, 0 on a mistake. */
static int triage_read_options(triage *t, int argc, char **argv) {
  int at = 1;
  for (; at < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
    const struct {
      const char *name, **value;
    } options[] = {{"--programs", &t->programs}, {"--rules", &t->rules}, {"--json", &t->json}};
    bool known = false;
    for (size_t i = 0; i < sizeof options / sizeof *options && at + 1 < argc; i++)
      if (strcmp(argv[at], options[i].name) == 0) {
        *options[i].value = argv[at + 1];
        known = true;
      }
    char *end = NULL;
    if (!known && at + 1 < argc && strcmp(argv[at], "--seconds") == 0) {
      t->seconds = strtod(argv[at + 1], &end);
      known = *end == '\0' && t->seconds >= 1 && t->seconds <= 3600;
    }
    if (!known)
      return 0;
  }
  return at < argc ? at : 0;
}

static bool triage_begin(triage *t) {
  size_t size = 0;
  if (t->rules && !(t->rule_text = file_read(t->rules, &size)))
    return false;
  if (!process_make_directory(t->directory, sizeof t->directory, "twin-triage"))
    return false;
  (void)snprintf(t->printed, sizeof t->printed, "%s/printed", t->directory);
  (void)snprintf(t->empty, sizeof t->empty, "%s/empty", t->directory);
  (void)setenv("UBSAN_OPTIONS", "print_stacktrace=1", 0);
  (void)unsetenv("TWIN_FUZZ_FINDINGS"); /* a finding is to end the process */
  return process_write_file(t->empty, "", 0);
}

static void triage_free(triage *t) {
  for (size_t i = 0; i < t->entry_count; i++) {
    string_list_free(&t->entries[i].targets);
    string_list_free(&t->entries[i].findings);
  }
  for (size_t i = 0; i < t->target_count; i++)
    free(t->targets[i].name);
  string_list_free(&t->not_started);
  free(t->entries);
  free(t->targets);
  free(t->rule_text);
}

int twin_triage(int argc, char **argv) {
  static triage t = {.programs = "build/fuzz/fuzz", .seconds = 30};
  const int first = triage_read_options(&t, argc, argv);
  if (!first)
    return triage_usage();
  process_hold_interrupts();
  bool good = triage_begin(&t);
  for (int i = first; i < argc && good && !process_interrupted(); i++)
    triage_take_path(&t, argv[i]);
  good = good && triage_report(&t);
  process_remove_tree(t.directory);
  process_let_interrupts();
  const int code = !good || t.not_started.count ? TWIN_TROUBLE : t.entry_count ? TWIN_FOUND : TWIN_OK;
  triage_free(&t);
  if (!good)
    fprintf(stderr, "twin triage: a file cannot be read or written\n");
  return code;
}
