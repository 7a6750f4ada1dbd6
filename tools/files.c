/* Lists of strings, text that grows, directories. See files.h. */
#define _DEFAULT_SOURCE /* mkdtemp, lstat */
#include "files.h"

#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *memory_resize(void *old, size_t size) {
  void *block = realloc(old, size);
  if (!block) {
    fprintf(stderr, "twin: out of memory (%zu bytes)\n", size);
    exit(2);
  }
  return block;
}

static char *string_format(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *string = memory_resize(NULL, (size_t)length + 1);
  vsnprintf(string, (size_t)length + 1, format, arguments);
  return string;
}

void string_list_add(string_list *list, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *string = string_format(format, arguments);
  va_end(arguments);
  if (list->count + 2 > list->room) {
    list->room = list->room ? list->room * 2 : 8;
    list->items = memory_resize(list->items, list->room * sizeof *list->items);
  }
  list->items[list->count++] = string;
  list->items[list->count] = NULL;
}

bool string_list_holds(const string_list *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i], text) == 0)
      return true;
  return false;
}

static int string_compare(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

void string_list_sort(string_list *list) {
  if (list->count)
    qsort(list->items, list->count, sizeof *list->items, string_compare);
}

void string_list_free(string_list *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i]);
  free(list->items);
  *list = (string_list){0};
}

void text_add_bytes(text_buffer *text, const void *bytes, size_t size) {
  if (!text->bytes || text->size + size + 1 > text->room) {
    text->room = (text->size + size + 1) * 2;
    text->bytes = memory_resize(text->bytes, text->room);
  }
  if (size)
    memcpy(text->bytes + text->size, bytes, size);
  text->size += size;
  text->bytes[text->size] = '\0';
}

void text_add(text_buffer *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *string = string_format(format, arguments);
  va_end(arguments);
  text_add_bytes(text, string, strlen(string));
  free(string);
}

size_t text_replace(text_buffer *text, const char *from, const char *to) {
  text_buffer result = {0};
  size_t count = 0, length = strlen(from), done = 0;
  for (const char *at; text->bytes && (at = strstr(text->bytes + done, from)) != NULL; count++) {
    text_add_bytes(&result, text->bytes + done, (size_t)(at - text->bytes) - done);
    text_add_bytes(&result, to, strlen(to));
    done = (size_t)(at - text->bytes) + length;
  }
  if (count == 0)
    return 0;
  text_add_bytes(&result, text->bytes + done, text->size - done);
  text_free(text);
  *text = result;
  return count;
}

void text_free(text_buffer *text) {
  free(text->bytes);
  *text = (text_buffer){0};
}

char *file_read(const char *path, size_t *size) {
  return (char *)process_read_file(path, (size_t)256 << 20, size);
}

bool file_update(const char *path, const void *bytes, size_t size, bool *changed) {
  size_t old_size = 0;
  char *old = file_read(path, &old_size);
  *changed = !old || old_size != size || (size && memcmp(old, bytes, size) != 0);
  free(old);
  return !*changed || process_write_file(path, bytes, size);
}

bool file_copy(const char *from, const char *to) {
  size_t size;
  char *bytes = file_read(from, &size);
  bool good = bytes && process_write_file(to, bytes, size);
  free(bytes);
  return good;
}

bool file_exists(const char *path) {
  return access(path, F_OK) == 0;
}

static bool directory_entry_is_directory(const char *path, const char *name) {
  text_buffer full = {0};
  text_add(&full, "%s/%s", path, name);
  struct stat status;
  bool is = lstat(full.bytes, &status) == 0 && S_ISDIR(status.st_mode);
  text_free(&full);
  return is;
}

string_list directory_list(const char *path, bool directories) {
  string_list names = {0};
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
    if (entry->d_name[0] != '.' && directory_entry_is_directory(path, entry->d_name) == directories)
      string_list_add(&names, "%s", entry->d_name);
  if (directory)
    closedir(directory);
  string_list_sort(&names);
  return names;
}

bool directory_make_scratch(char *path, size_t path_size, size_t length) {
  static const char stem[] = "/twin", random[] = "-XXXXXX";
  const char *base = getenv("TMPDIR");
  if (!base || !*base)
    base = "/tmp";
  size_t shortest = strlen(base) + strlen(stem) + strlen(random);
  size_t padding = length > shortest ? length - shortest : 0;
  if ((length && length < shortest) || shortest + padding >= path_size) {
    errno = ENAMETOOLONG;
    return false;
  }
  int used = snprintf(path, path_size, "%s%s", base, stem);
  memset(path + used, '-', padding);
  memcpy(path + used + padding, random, sizeof random);
  return mkdtemp(path) != NULL;
}

bool file_find_tool(const char *name, char *path, size_t path_size) {
  for (const char *at = getenv("PATH"); at && *at;) {
    size_t length = strcspn(at, ":");
    if (snprintf(path, path_size, "%.*s/%s", (int)length, at, name) < (int)path_size && access(path, X_OK) == 0)
      return true;
    at += length + (at[length] == ':');
  }
  const char *home = getenv("CUDA_HOME");
  return home && snprintf(path, path_size, "%s/bin/%s", home, name) < (int)path_size && access(path, X_OK) == 0;
}
