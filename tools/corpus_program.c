/* Reads a program's description, corpus/cuda/<program>/program.json. */
#include "corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *corpus_json_string(const cJSON *object, const char *key) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static bool corpus_json_known(const cJSON *object, const char *const *keys, const char *where) {
  for (const cJSON *item = object->child; item; item = item->next) {
    const char *const *key = keys;
    while (*key && strcmp(*key, item->string) != 0)
      key++;
    if (!*key) {
      fprintf(stderr, "%s: unknown key '%s'\n", where, item->string);
      return false;
    }
  }
  return true;
}

static bool corpus_file_load(corpus_file *file, const cJSON *json, const char *where) {
  static const char *const keys[] = {"source", "cubin", "nvcc",    "ptxas", "virtual", "real",
                                     "whole",  "cut",   "bytes",   "copy",  "nvlink",  "unlisted",
                                     "text",   "patch", "changes", "words", NULL};
  *file = (corpus_file){.source = corpus_json_string(json, "source"),
                        .cubin = corpus_json_string(json, "cubin"),
                        .nvcc = cJSON_GetObjectItemCaseSensitive(json, "nvcc"),
                        .ptxas = cJSON_GetObjectItemCaseSensitive(json, "ptxas"),
                        .virtual_number = corpus_json_string(json, "virtual"),
                        .real_number = corpus_json_string(json, "real"),
                        .whole = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "whole")),
                        .cut_from = corpus_json_string(json, "cut"),
                        .copy_of = corpus_json_string(json, "copy"),
                        .patch_of = corpus_json_string(json, "patch"),
                        .changes = cJSON_GetObjectItemCaseSensitive(json, "changes"),
                        .text = corpus_json_string(json, "text"),
                        .words = cJSON_GetObjectItemCaseSensitive(json, "words"),
                        .nvlink = cJSON_GetObjectItemCaseSensitive(json, "nvlink"),
                        .unlisted = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "unlisted"))};
  const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(json, "bytes");
  file->cut_size = cJSON_IsNumber(bytes) ? (size_t)bytes->valuedouble : 0;
  if (!corpus_json_known(json, keys, where))
    return false;
  if (!file->cubin || (file->source != NULL) + (file->cut_from != NULL) + (file->copy_of != NULL) +
                              (file->nvlink != NULL) + (file->text != NULL) + (file->patch_of != NULL) +
                              (file->words != NULL) !=
                          1) {
    fprintf(stderr,
            "%s: a file needs 'cubin' and exactly one of 'source', 'cut', 'copy', 'patch', 'text', 'words', 'nvlink'\n",
            where);
    return false;
  }
  return true;
}

static bool corpus_job_load(corpus_job *job, const cJSON *json, const char *where) {
  static const char *const keys[] = {"name", "target", "options", "files", "args", "architectures", NULL};
  *job = (corpus_job){.name = corpus_json_string(json, "name"),
                      .target = corpus_json_string(json, "target"),
                      .options = cJSON_GetObjectItemCaseSensitive(json, "options"),
                      .files = cJSON_GetObjectItemCaseSensitive(json, "files"),
                      .arguments = cJSON_GetObjectItemCaseSensitive(json, "args"),
                      .architectures = cJSON_GetObjectItemCaseSensitive(json, "architectures")};
  if (!job->name)
    fprintf(stderr, "%s: a job has no name\n", where);
  return job->name && corpus_json_known(json, keys, where);
}

static bool corpus_program_parse(corpus_program *program, const char *where) {
  static const char *const keys[] = {"description", "features", "architectures", "files", "jobs", NULL};
  const cJSON *files = cJSON_GetObjectItemCaseSensitive(program->json, "files");
  const cJSON *jobs = cJSON_GetObjectItemCaseSensitive(program->json, "jobs");
  const cJSON *architectures = cJSON_GetObjectItemCaseSensitive(program->json, "architectures");
  if (!corpus_json_known(program->json, keys, where))
    return false;
  program->files = calloc((size_t)cJSON_GetArraySize(files) + 1, sizeof *program->files);
  program->jobs = calloc((size_t)cJSON_GetArraySize(jobs) + 1, sizeof *program->jobs);
  if (!program->files || !program->jobs)
    return false;
  const cJSON *item;
  cJSON_ArrayForEach(item, architectures) string_list_add(&program->architectures, "%s", item->valuestring);
  cJSON_ArrayForEach(item,
                     files) if (!corpus_file_load(&program->files[program->file_count++], item, where)) return false;
  cJSON_ArrayForEach(item, jobs) if (!corpus_job_load(&program->jobs[program->job_count++], item, where)) return false;
  if (program->architectures.count && program->job_count)
    return true;
  fprintf(stderr, "%s: needs architectures and jobs\n", where);
  return false;
}

bool corpus_program_load(corpus_program *program, const char *corpus, const char *name) {
  *program = (corpus_program){0};
  text_buffer directory = {0}, path = {0};
  text_add(&directory, "%s/%s", corpus, name);
  text_add(&path, "%s/program.json", directory.bytes);
  text_buffer copy = {0};
  text_add(&copy, "%s", name);
  program->name = copy.bytes;
  program->directory = directory.bytes;
  size_t size;
  char *text = file_read(path.bytes, &size);
  program->json = text ? cJSON_Parse(text) : NULL;
  bool good = program->json != NULL;
  if (!good)
    fprintf(stderr, "%s: %s\n", path.bytes, text ? "not JSON" : "cannot be read");
  free(text);
  good = good && corpus_program_parse(program, path.bytes);
  text_free(&path);
  if (!good)
    corpus_program_free(program);
  return good;
}

void corpus_program_free(corpus_program *program) {
  cJSON_Delete(program->json);
  string_list_free(&program->architectures);
  free(program->files);
  free(program->jobs);
  free(program->name);
  free(program->directory);
  *program = (corpus_program){0};
}

bool corpus_job_applies(const corpus_job *job, const char *architecture) {
  const cJSON *item;
  cJSON_ArrayForEach(item, job->architectures) if (strcmp(item->valuestring, architecture) == 0) return true;
  return job->architectures == NULL;
}

/* Adds the strings of a JSON list, with the architecture's number in place of '@'. */
static void corpus_arguments_add(string_list *list, const cJSON *json, const char *architecture) {
  const cJSON *item;
  cJSON_ArrayForEach(item, json) {
    text_buffer text = {0};
    text_add(&text, "%s", item->valuestring);
    text_replace(&text, "@", architecture);
    string_list_add(list, "%s", text.bytes);
    text_free(&text);
  }
}

string_list corpus_job_arguments(const corpus_program *program, const corpus_job *job, const char *architecture) {
  string_list list = {0};
  if (job->arguments) {
    corpus_arguments_add(&list, job->arguments, architecture);
    return list;
  }
  string_list_add(&list, "-arch=sm_%s", job->target ? job->target : architecture);
  corpus_arguments_add(&list, job->options, architecture);
  corpus_arguments_add(&list, job->files, architecture);
  for (size_t i = 0; !job->files && i < program->file_count; i++)
    if (!program->files[i].unlisted)
      string_list_add(&list, "%s", program->files[i].cubin);
  string_list_add(&list, "-o");
  string_list_add(&list, "out.cubin");
  return list;
}
