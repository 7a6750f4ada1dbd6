/* The cases that a command line names: jobs with stored answers, seeds of the generator, plain words. */
#define _DEFAULT_SOURCE /* realpath, symlink */
#include "voters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char output_name[] = "out.cubin";

static char *cases_format(const char *format, const char *first, const char *second) {
  text_buffer text = {0};
  text_add(&text, format, first, second);
  return text.bytes; /* the caller's */
}

static voters_case *cases_add(voters_cases *cases, voters_source source, char *name, char *directory) {
  if (cases->count == cases->room) {
    const size_t room = cases->room ? 2 * cases->room : 64;
    voters_case *const items = realloc(cases->items, room * sizeof *items);
    if (!items) {
      fprintf(stderr, "twin: no memory\n");
      exit(2);
    }
    cases->items = items;
    cases->room = room;
  }
  voters_case *const one = &cases->items[cases->count++];
  *one = (voters_case){.source = source, .name = name, .directory = directory};
  return one;
}

/* --- the output's name --- */

void voters_case_find_output(voters_case *one) {
  static const char *const names[] = {"-o", "--output-file"};
  *one->output = 0;
  for (size_t i = 0; i < one->arguments.count; i++) {
    const char *const word = one->arguments.items[i] ? one->arguments.items[i] : "", *value = NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names && !value; n++) {
      const size_t length = strlen(names[n]);
      if (strcmp(word, names[n]) == 0 && i + 1 < one->arguments.count)
        value = one->arguments.items[i + 1];
      else if (strncmp(word, names[n], length) == 0 && word[length] == '=')
        value = word + length + 1;
    }
    if (value && *value)
      snprintf(one->output, sizeof one->output, "%s", value);
  }
  if (!*one->output)
    snprintf(one->output, sizeof one->output, "%s", output_name);
}

/* --- jobs --- */

static bool cases_is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool cases_holds(const char *directory, const char *name) {
  char *const path = cases_format("%s/%s", directory, name);
  const bool there = file_exists(path);
  free(path);
  return there;
}

static bool cases_holds_file(const char *directory, const char *name) {
  char *const path = cases_format("%s/%s", directory, name);
  struct stat status;
  const bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  free(path);
  return is_file;
}

static void cases_read_arguments(const char *path, string_list *arguments) {
  size_t size = 0;
  char *const text = file_read(path, &size);
  for (const char *at = text; at && *at;) {
    const size_t length = strcspn(at, "\n");
    string_list_add(arguments, "%.*s", (int)length, at);
    at += length + (at[length] == '\n');
  }
  free(text);
}

/* The inputs of a job are beside it, as in the corpus, unless it holds one of them itself. */
static bool cases_has_own_inputs(const char *job, const string_list *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    if (*arguments->items[i] && cases_holds_file(job, arguments->items[i]))
      return true;
  return false;
}

static void cases_add_job(voters_cases *cases, const char *path, const char *name) {
  voters_case *const one = cases_add(cases, VOTERS_JOB, cases_format("%s%s", name, ""), NULL);
  char *const arguments = cases_format("%s/%s", path, "args");
  cases_read_arguments(arguments, &one->arguments);
  free(arguments);
  const bool own = cases_has_own_inputs(path, &one->arguments);
  one->directory = realpath(path, NULL);
  char *const slash = one->directory && !own ? strrchr(one->directory, '/') : NULL;
  if (slash)
    *slash = 0;
  one->job_marker = own ? NULL : "args";
  one->stored = cases_holds(path, "expect.rc") ? realpath(path, NULL) : NULL;
  voters_case_find_output(one);
  one->ready = one->directory != NULL;
}

static void cases_walk(voters_cases *cases, const char *path, const char *name) {
  if (cases_holds(path, "args")) {
    cases_add_job(cases, path, name);
    return;
  }
  string_list names = directory_list(path, true);
  for (size_t i = 0; i < names.count; i++) {
    char *const inner = cases_format("%s/%s", path, names.items[i]);
    char *const inner_name = cases_format(*name ? "%s/%s" : "%s%s", name, names.items[i]);
    if (cases_is_directory(inner))
      cases_walk(cases, inner, inner_name);
    free(inner);
    free(inner_name);
  }
  string_list_free(&names);
}

/* One job is called as in its corpus: program/sm_XX/job. */
static void cases_name_single(voters_case *one, const char *path) {
  char *const full = realpath(path, NULL);
  const char *at = full ? full + strlen(full) : NULL;
  for (int parts = 0; at && at > full && parts < 3; parts++)
    do
      at--;
    while (at > full && *at != '/');
  if (at) {
    free(one->name);
    one->name = cases_format("%s%s", at + (*at == '/'), "");
  }
  free(full);
}

bool voters_cases_add_jobs(voters_cases *cases, const char *path) {
  const size_t before = cases->count;
  cases_walk(cases, path, "");
  if (cases->count == before) {
    fprintf(stderr, "twin diff: no job in '%s': no directory with a file 'args'\n", path);
    return false;
  }
  if (!*cases->items[before].name)
    cases_name_single(&cases->items[before], path);
  return true;
}

/* --- words --- */

/* The output becomes a plain name: each voter writes it into its own directory. */
static bool cases_settle_output(voters_case *one) {
  char found[sizeof one->output];
  snprintf(found, sizeof found, "%s", one->output);
  bool named = false;
  for (size_t i = 0; i < one->arguments.count; i++) {
    char **const word = &one->arguments.items[i];
    const bool glued = strncmp(*word, "-o=", 3) == 0 || strncmp(*word, "--output-file=", 14) == 0;
    named |= glued || strcmp(*word, "-o") == 0 || strcmp(*word, "--output-file") == 0;
    char *const value = glued ? strchr(*word, '=') + 1 : i > 0 && strcmp(*word, found) == 0 ? *word : NULL;
    const char *const slash = value ? strrchr(value, '/') : NULL;
    if (slash)
      memmove(value, slash + 1, strlen(slash));
  }
  if (!named) {
    string_list_add(&one->arguments, "-o");
    string_list_add(&one->arguments, output_name);
  }
  voters_case_find_output(one);
  return *one->output != 0;
}

bool voters_cases_add_words(voters_cases *cases, int count, char **words) {
  char *const here = realpath(".", NULL);
  voters_case *const one = cases_add(cases, VOTERS_WORDS, cases_format("%s%s", "words", ""), here);
  for (int i = 0; i < count; i++)
    string_list_add(&one->arguments, "%s", words[i]);
  voters_case_find_output(one);
  one->ready = here && cases_settle_output(one);
  if (!one->ready)
    fprintf(stderr, "twin diff: no words, or an output without a name\n");
  return one->ready;
}

/* --- seeds --- */

bool voters_cases_add_seeds(voters_cases *cases, const conformance_choice *choice, const char *scratch) {
  size_t count = 0;
  conformance_case *const seeds = conformance_choice_cases(choice, scratch, &count);
  for (size_t i = 0; seeds && i < count; i++) {
    char name[CONFORMANCE_CLASS];
    conformance_case_name(&seeds[i], name, sizeof name);
    voters_case *const one = cases_add(cases, VOTERS_SEED, cases_format("%s%s", name, ""), NULL);
    one->seed = seeds[i];
  }
  free(seeds);
  return seeds != NULL;
}

/* --- inputs --- */

static bool cases_link(const char *from, const char *name, const char *directory) {
  char *const target = cases_format("%s/%s", from, name), *const link = cases_format("%s/%s", directory, name);
  const bool good = symlink(target, link) == 0 || errno == EEXIST;
  free(target);
  free(link);
  return good;
}

/* Of plain words: the first part of every relative path that they name, behind '-L' and '=' too. A path that leads out of
 * the directory cannot be had under its own name. */
static bool cases_place_words(const voters_case *one, const char *directory) {
  bool good = true;
  for (size_t i = 0; good && i < one->arguments.count; i++) {
    const char *word = one->arguments.items[i];
    if (*word == '-')
      word = strchr(word, '=') ? strchr(word, '=') + 1 : word + (word[1] == 'L' ? 2 : 0);
    text_buffer text = {0};
    text_add(&text, "%.*s", (int)strcspn(word, "/"), word);
    const char *const part = text.bytes;
    if (part && *part && strcmp(part, ".") != 0 && strcmp(part, "..") != 0 && strcmp(part, one->output) != 0 &&
        cases_holds(one->directory, part))
      good = cases_link(one->directory, part, directory);
    text_free(&text);
  }
  return good;
}

bool voters_case_place(const voters_case *one, const char *directory) {
  if (one->source == VOTERS_WORDS)
    return cases_place_words(one, directory);
  bool good = true;
  for (int directories = 0; directories < 2; directories++) {
    string_list names = directory_list(one->directory, directories == 1);
    for (size_t i = 0; good && i < names.count; i++) {
      char *const path = cases_format("%s/%s", one->directory, names.items[i]);
      const bool job = one->job_marker && directories && cases_holds(path, one->job_marker);
      if (!job && strcmp(names.items[i], one->output) != 0)
        good = cases_link(one->directory, names.items[i], directory);
      free(path);
    }
    string_list_free(&names);
  }
  return good;
}

void voters_cases_free(voters_cases *cases) {
  for (size_t i = 0; i < cases->count; i++) {
    voters_case *const one = &cases->items[i];
    free(one->name);
    free(one->directory);
    free(one->stored);
    string_list_free(&one->arguments);
    for (int mode = 0; mode < VOTERS_MODES; mode++)
      free(one->verdicts[mode].text);
  }
  free(cases->items);
  *cases = (voters_cases){0};
}
