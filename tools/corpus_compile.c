/* Makes the cubins of one program for one architecture with nvcc and ptxas.
 *
 * The bytes must not depend on the machine. CUDA sources go through PTX text, in which three things are made neutral:
 * the working directory (debug sections record it), the directory of the toolkit's headers, and the module id that nvcc
 * puts into the names of static variables and unnamed namespaces (a hash that differs from run to run). The scratch
 * directory's path always has the same length, so that replacing it moves no offset of the debug sections. */
#include "corpus.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char corpus_neutral_directory[CORPUS_SCRATCH_LENGTH + 1] = "/src/twinlink/corpus/cuda/program";

static bool corpus_run(const string_list *command, const char *directory) {
  process_job job = {.arguments = (const char *const *)command->items,
                     .directory = directory,
                     .output_path = "messages",
                     .error_path = "errors",
                     .seconds = 300};
  process_result result;
  bool good = process_run(&job, &result) && result.exit_code == 0;
  text_buffer path = {0};
  text_add(&path, "%s/errors", directory);
  size_t size = 0;
  char *errors = file_read(path.bytes, &size);
  if (!good || size) {
    fprintf(stderr, "%s%s", good ? "" : "failed: ", command->items[0]);
    for (size_t i = 1; i < command->count; i++)
      fprintf(stderr, " %s", command->items[i]);
    fprintf(stderr, "\n%s", errors ? errors : "");
  }
  free(errors);
  text_free(&path);
  return good;
}

static void corpus_options_add(string_list *command, const cJSON *options) {
  const cJSON *item;
  cJSON_ArrayForEach(item, options) string_list_add(command, "%s", item->valuestring);
}

/* PTX writes debug strings as numbers: ".b8 47,115,114,99", and for sm_100 and later one on a line. */
static void corpus_ptx_replace_numbers(text_buffer *ptx, const char *from, const char *to, const char *between) {
  text_buffer from_bytes = {0}, to_bytes = {0};
  for (const char *at = from; *at; at++)
    text_add(&from_bytes, "%s%d", at == from ? "" : between, (unsigned char)*at);
  for (const char *at = to; *at; at++)
    text_add(&to_bytes, "%s%d", at == to ? "" : between, (unsigned char)*at);
  text_replace(ptx, from_bytes.bytes, to_bytes.bytes);
  text_free(&from_bytes);
  text_free(&to_bytes);
}

static void corpus_ptx_replace(text_buffer *ptx, const char *from, const char *to) {
  corpus_ptx_replace_numbers(ptx, from, to, ",");
  corpus_ptx_replace_numbers(ptx, from, to, "\n.b8 ");
  text_replace(ptx, from, to);
}

/* Names of static variables hold "_<hash>_<length>_<file name>_"; the hash becomes one of program and file name. */
static void corpus_ptx_settle_module_id(text_buffer *ptx, const char *program, const char *source) {
  text_buffer tail = {0};
  text_add(&tail, "_%zu_%s_", strlen(source), source);
  for (char *at = tail.bytes; *at; at++)
    *at = isalnum((unsigned char)*at) ? *at : '_';
  uint32_t hash = 2166136261u;
  for (const char *at = program; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 16777619u;
  for (const char *at = source; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 16777619u;
  for (const char *at = ptx->bytes; (at = strstr(at, tail.bytes)) != NULL; at++) {
    if (at - ptx->bytes < 9 || at[-9] != '_' || strspn(at - 8, "0123456789abcdef") < 8)
      continue;
    char old[11], new[11];
    snprintf(old, sizeof old, "%.10s", at - 9);
    snprintf(new, sizeof new, "_%08x_", (unsigned)hash);
    if (strcmp(old, new) != 0) {
      corpus_ptx_replace(ptx, old, new);
      at = ptx->bytes;
    }
  }
  text_free(&tail);
}

/* .file lines name headers of the toolkit by their place on this machine: everything up to /include/ goes. */
static void corpus_ptx_settle_headers(text_buffer *ptx) {
  text_buffer result = {0};
  for (const char *line = ptx->bytes; *line;) {
    size_t length = strcspn(line, "\n");
    const char *quote = memchr(line, '"', length);
    const char *include = NULL;
    if (strncmp(line, "\t.file\t", 7) == 0 && quote)
      for (const char *at = quote; (at = strstr(at, "/include/")) != NULL && at < line + length; at++)
        include = at;
    text_add_bytes(&result, line, include ? (size_t)(quote + 1 - line) : length);
    if (include) {
      text_add(&result, "/cuda");
      text_add_bytes(&result, include, (size_t)(line + length - include));
    }
    line += length;
    if (*line)
      text_add_bytes(&result, line++, 1);
  }
  text_free(ptx);
  *ptx = result;
}

/* Puts the wanted architecture into the .target line. */
static void corpus_ptx_settle_target(text_buffer *ptx, const char *number) {
  char *at = ptx->bytes ? strstr(ptx->bytes, "\n.target sm_") : NULL;
  if (!at)
    return;
  at += strlen("\n.target sm_");
  text_buffer result = {0};
  text_add_bytes(&result, ptx->bytes, (size_t)(at - ptx->bytes));
  text_add(&result, "%s%s", number, at + strspn(at, "0123456789af"));
  text_free(ptx);
  *ptx = result;
}

static bool corpus_make_ptx(const corpus_program *program, const corpus_file *file, const char *architecture,
                            const char *scratch, const corpus_tools *tools, const char *ptx_path) {
  bool cuda = strlen(file->source) > 3 && strcmp(file->source + strlen(file->source) - 3, ".cu") == 0;
  const char *number = file->virtual_number ? file->virtual_number : architecture;
  text_buffer ptx = {0}, source_path = {0};
  text_add(&source_path, "%s/%s", scratch, cuda ? "from_cuda.ptx" : file->source);
  bool good = true;
  if (cuda) {
    string_list command = {0};
    string_list_add(&command, "%s", tools->nvcc);
    string_list_add(&command, "-ptx");
    string_list_add(&command, file->whole ? "-rdc=false" : "-rdc=true");
    string_list_add(&command, "-arch=compute_%s", number);
    corpus_options_add(&command, file->nvcc);
    string_list_add(&command, "%s", file->source);
    string_list_add(&command, "-o");
    string_list_add(&command, "from_cuda.ptx");
    good = corpus_run(&command, scratch);
    string_list_free(&command);
  }
  size_t size = 0;
  char *text = good ? file_read(source_path.bytes, &size) : NULL;
  if (text) {
    text_add_bytes(&ptx, text, size);
    corpus_ptx_replace(&ptx, scratch, corpus_neutral_directory);
    corpus_ptx_settle_module_id(&ptx, program->name, file->source);
    corpus_ptx_settle_headers(&ptx);
    if (cuda || !file->virtual_number || strcmp(file->virtual_number, "written") != 0)
      corpus_ptx_settle_target(&ptx, number);
    good = process_write_file(ptx_path, ptx.bytes, ptx.size);
  } else if (good) {
    fprintf(stderr, "%s: %s\n", source_path.bytes, strerror(errno));
    good = false;
  }
  free(text);
  text_free(&ptx);
  text_free(&source_path);
  return good;
}

static bool corpus_compile_source(const corpus_program *program, const corpus_file *file, const char *architecture,
                                  const char *scratch, const corpus_tools *tools) {
  /* ptxas -g records the name of its input, so that is the cubin's with another ending. */
  const char *real = file->real_number ? file->real_number : architecture;
  text_buffer ptx_name = {0}, ptx_path = {0};
  text_add(&ptx_name, "%.*s.ptx", (int)strcspn(file->cubin, "."), file->cubin);
  text_add(&ptx_path, "%s/made/%s", scratch, ptx_name.bytes);
  bool good = corpus_make_ptx(program, file, real, scratch, tools, ptx_path.bytes);
  if (good) {
    string_list command = {0};
    string_list_add(&command, "%s", tools->ptxas);
    string_list_add(&command, "-arch=sm_%s", real);
    string_list_add(&command, "-m64");
    if (!file->whole)
      string_list_add(&command, "--compile-only");
    corpus_options_add(&command, file->ptxas);
    string_list_add(&command, "%s", ptx_name.bytes);
    string_list_add(&command, "-o");
    string_list_add(&command, "%s", file->cubin);
    text_buffer directory = {0};
    text_add(&directory, "%s/made", scratch);
    good = corpus_run(&command, directory.bytes);
    text_free(&directory);
    string_list_free(&command);
  }
  text_free(&ptx_name);
  text_free(&ptx_path);
  return good;
}

/* Numbers as text, because JSON's own cannot hold all of 64 bits. */
static void corpus_add_words(text_buffer *buffer, const cJSON *words) {
  const cJSON *item;
  cJSON_ArrayForEach(item, words) {
    const unsigned long long word = cJSON_IsString(item) ? strtoull(item->valuestring, NULL, 0) : 0;
    for (int i = 0; i < 8; i++) {
      const char byte = (char)(word >> (8 * i) & 0xff);
      text_add_bytes(buffer, &byte, 1);
    }
  }
}

/* The ways to make a file that is no compilation: a cut, a copy, changed fields, a text, words, a link. */
static bool corpus_derive(const corpus_file *file, const char *architecture, const char *made,
                          const corpus_tools *tools) {
  text_buffer from = {0}, to = {0};
  size_t size = 0;
  char *bytes = NULL;
  corpus_answer answer = {0};
  text_add(&to, "%s/%s", made, file->cubin);
  if (file->nvlink) {
    corpus_program none = {0};
    corpus_job job = {.arguments = file->nvlink};
    string_list arguments = corpus_job_arguments(&none, &job, architecture);
    if (corpus_link(tools->nvlink, &arguments, made, &answer) && answer.output) {
      text_add_bytes(&from, answer.output, answer.output_size);
      size = from.size;
    }
    string_list_free(&arguments);
  } else if (file->words) {
    corpus_add_words(&from, file->words);
    size = from.size;
  } else if (file->text) {
    text_add(&from, "%s", file->text);
    size = from.size;
  } else {
    text_add(&from, "%s/%s", made, file->cut_from ? file->cut_from : file->copy_of ? file->copy_of : file->patch_of);
    bytes = file_read(from.bytes, &size);
    if (bytes && file->cut_from && file->cut_size < size)
      size = file->cut_size;
    if (bytes && file->patch_of && !corpus_patch(bytes, size, file->changes)) {
      free(bytes);
      bytes = NULL;
    }
  }
  const char *content = file->nvlink || file->text || file->words ? from.bytes : bytes;
  bool good = content && process_write_file(to.bytes, content, size);
  if (!good)
    fprintf(stderr, "%s: could not be made\n%s", to.bytes, answer.messages ? answer.messages : "");
  corpus_answer_free(&answer);
  free(bytes);
  text_free(&from);
  text_free(&to);
  return good;
}

bool corpus_compile(const corpus_program *program, const char *architecture, const char *scratch,
                    const corpus_tools *tools) {
  text_buffer made = {0};
  text_add(&made, "%s/made", scratch);
  bool good = process_ensure_directory(made.bytes);
  string_list sources = directory_list(program->directory, false);
  for (size_t i = 0; good && i < sources.count; i++) {
    text_buffer from = {0}, to = {0};
    text_add(&from, "%s/%s", program->directory, sources.items[i]);
    text_add(&to, "%s/%s", scratch, sources.items[i]);
    good = file_copy(from.bytes, to.bytes);
    text_free(&from);
    text_free(&to);
  }
  for (size_t i = 0; good && i < program->file_count; i++) {
    const corpus_file *file = &program->files[i];
    good = file->source ? corpus_compile_source(program, file, architecture, scratch, tools)
                        : corpus_derive(file, architecture, made.bytes, tools);
  }
  string_list_free(&sources);
  text_free(&made);
  return good;
}
