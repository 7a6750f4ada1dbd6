/* The corpus's jobs as the tests see them: found by walking a set of it (cuda, vendor-defects), never listed anywhere, so that a job that is
 * committed is a job that is tested. */
#define _DEFAULT_SOURCE
#include "tests/harness/harness.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *harness_copy(const char *text) {
  char *copy = strdup(text);
  if (!copy)
    harness_stop("no memory");
  return copy;
}

static bool harness_is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool harness_is_job(const char *directory) {
  char path[HARNESS_PATH];
  harness_path(path, "%s/args", directory);
  return harness_exists(path);
}

static int harness_compare_words(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

static void harness_add_word(harness_words *words, const char *text) {
  words->items = harness_grow(words->items, (words->count + 2) * sizeof *words->items);
  words->items[words->count++] = harness_copy(text);
  words->items[words->count] = NULL;
}

/* Names of a directory's entries, sorted. */
static void harness_list_directory(const char *path, harness_words *names) {
  *names = (harness_words){0};
  DIR *directory = opendir(path);
  for (struct dirent *entry = NULL; directory && (entry = readdir(directory));)
    if (entry->d_name[0] != '.')
      harness_add_word(names, entry->d_name);
  if (directory)
    closedir(directory);
  if (names->count)
    qsort(names->items, names->count, sizeof *names->items, harness_compare_words);
}

static void harness_add_job(harness_jobs *jobs, const char *root, const char *name) {
  char path[HARNESS_PATH];
  jobs->items = harness_grow(jobs->items, (jobs->count + 1) * sizeof *jobs->items);
  harness_job *job = &jobs->items[jobs->count++];
  harness_path(path, "%s/%s", root, name);
  job->name = harness_copy(name);
  job->directory = harness_copy(path);
  *strrchr(path, '/') = 0;
  job->inputs = harness_copy(path);
}

/* `depth` levels below root/name lie the jobs: program 2, arch 1, job 0. */
static void harness_walk(harness_jobs *jobs, const char *root, const char *name, int depth) {
  char path[HARNESS_PATH];
  harness_words names;
  harness_path(path, "%s%s%s", root, *name ? "/" : "", name);
  if (depth == 0) {
    if (harness_is_directory(path) && harness_is_job(path))
      harness_add_job(jobs, root, name);
    return;
  }
  harness_list_directory(path, &names);
  for (size_t i = 0; i < names.count; i++) {
    char inner[HARNESS_PATH];
    harness_path(inner, "%s%s%s", name, *name ? "/" : "", names.items[i]);
    harness_walk(jobs, root, inner, depth - 1);
  }
  harness_free_words(&names);
}

void harness_list_jobs(const char *corpus, const char *set, harness_jobs *jobs) {
  char root[HARNESS_PATH];
  *jobs = (harness_jobs){0};
  harness_path(root, "%s/%s", corpus, set);
  harness_walk(jobs, root, "", 3);
}

void harness_free_jobs(harness_jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++) {
    free(jobs->items[i].name);
    free(jobs->items[i].directory);
    free(jobs->items[i].inputs);
  }
  free(jobs->items);
  *jobs = (harness_jobs){0};
}

void harness_read_lines(const char *path, harness_words *words) {
  harness_bytes bytes;
  *words = (harness_words){0};
  if (!harness_read_file(path, &bytes))
    harness_stop("cannot read %s: %s", path, strerror(errno));
  for (char *at = (char *)bytes.data; *at;) {
    size_t length = strcspn(at, "\n");
    bool last = at[length] == 0;
    at[length] = 0;
    harness_add_word(words, at);
    at += length + !last;
  }
  free(bytes.data);
}

void harness_free_words(harness_words *words) {
  for (size_t i = 0; i < words->count; i++)
    free(words->items[i]);
  free(words->items);
  *words = (harness_words){0};
}

void harness_join_words(char line[HARNESS_PATH], const harness_words *words) {
  size_t length = strlen(line);
  for (size_t i = 0; i < words->count; i++) {
    const char *word = *words->items[i] ? words->items[i] : "''";
    int more = snprintf(line + length, HARNESS_PATH - length, " %s", word);
    if (more < 0 || (size_t)more >= HARNESS_PATH - length)
      harness_stop("a command line is longer than %d bytes", HARNESS_PATH);
    length += (size_t)more;
  }
}

int harness_read_number(const char *path) {
  harness_bytes bytes;
  if (!harness_read_file(path, &bytes))
    harness_stop("cannot read %s: %s", path, strerror(errno));
  char *end = NULL;
  long number = strtol((char *)bytes.data, &end, 10);
  if (end == (char *)bytes.data || (*end && *end != '\n'))
    harness_stop("%s is not a number", path);
  free(bytes.data);
  return (int)number;
}

void harness_link_inputs(const char *inputs, const char *scratch) {
  char absolute[HARNESS_PATH], target[HARNESS_PATH], name[HARNESS_PATH];
  harness_words names;
  if (!realpath(inputs, absolute))
    harness_stop("no directory %s", inputs);
  harness_list_directory(absolute, &names);
  for (size_t i = 0; i < names.count; i++) {
    harness_path(target, "%s/%s", absolute, names.items[i]);
    harness_path(name, "%s/%s", scratch, names.items[i]);
    if (!harness_is_job(target) && symlink(target, name) != 0 && errno != EEXIST)
      harness_stop("cannot link %s: %s", name, strerror(errno));
  }
  harness_free_words(&names);
}
