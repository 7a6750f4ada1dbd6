/* Small helpers of twin's subcommands: lists of strings, text that grows, directories (process.h has files).
 *
 * A subcommand that runs out of memory stops with a message; nothing here returns NULL for that reason. */
#ifndef TWIN_FILES_H
#define TWIN_FILES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct string_list {
  char **items; /* always followed by a NULL, so that it serves as an argv */
  size_t count, room;
} string_list;

void string_list_add(string_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool string_list_holds(const string_list *list, const char *text);
void string_list_sort(string_list *list);
void string_list_free(string_list *list);

typedef struct text_buffer {
  char *bytes; /* NUL after `size` bytes; NULL while empty */
  size_t size, room;
} text_buffer;

void text_add(text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(text_buffer *text, const void *bytes, size_t size);
/* Replaces every occurrence of `from`; returns how many there were. */
size_t text_replace(text_buffer *text, const char *from, const char *to);
void text_free(text_buffer *text);

/* Reads a whole file of at most 256 MiB, with a NUL after its last byte. NULL when that fails. The caller frees it. */
char *file_read(const char *path, size_t *size);
/* Writes only when the file's bytes would change. `*changed` says whether it did. */
bool file_update(const char *path, const void *bytes, size_t size, bool *changed);
bool file_copy(const char *from, const char *to);
bool file_exists(const char *path);
/* Names in a directory, sorted, without those that start with '.'; only directories, or only what is none. */
string_list directory_list(const char *path, bool directories);
/* Makes a fresh directory below $TMPDIR (or /tmp) with a path of exactly `length` characters (0: any length). */
bool directory_make_scratch(char *path, size_t path_size, size_t length);
/* Looks for a toolkit program on PATH, then in $CUDA_HOME/bin. False when it is in neither; nothing is guessed beyond. */
bool file_find_tool(const char *name, char *path, size_t path_size);

#endif
