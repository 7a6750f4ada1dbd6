/* The reference's command line: words to options and files, and what is written in the end. */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

bool ref_grammar_read_file(const char *path, ref_input *input) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = NULL;
  size_t size = 0, capacity = 0;
  if (file == NULL) {
    return false;
  }
  for (;;) {
    if (size == capacity) {
      capacity = capacity == 0 ? 65536 : capacity * 2;
      uint8_t *larger = realloc(bytes, capacity);
      if (larger == NULL) {
        break;
      }
      bytes = larger;
    }
    const size_t got = fread(bytes + size, 1, capacity - size, file);
    if (got == 0) {
      break;
    }
    size += got;
  }
  const bool good = ferror(file) == 0;
  (void)fclose(file);
  if (!good) {
    free(bytes);
    bytes = NULL;
  }
  *input = (ref_input){path, bytes, size};
  return good;
}

void ref_arguments_free(ref_arguments *arguments) {
  for (size_t i = 0; i < arguments->input_count; i++) {
    free((void *)(uintptr_t)arguments->inputs[i].bytes);
  }
  free((void *)(uintptr_t)arguments->index.bytes);
  free(arguments->inputs);
  for (size_t i = 0; i < arguments->library_count; i++) {
    free((void *)(uintptr_t)arguments->libraries[i].file.bytes);
    free((void *)(uintptr_t)arguments->libraries[i].file.name);
    free((void *)(uintptr_t)arguments->libraries[i].name);
  }
  free(arguments->libraries);
  ref_grammar_free(&arguments->grammar);
  *arguments = (ref_arguments){0};
}

static bool ref_arguments_read_inputs(ref_arguments *arguments) {
  const ref_grammar *grammar = &arguments->grammar;
  arguments->inputs = calloc(grammar->input_count + 1, sizeof *arguments->inputs);
  if (arguments->inputs == NULL) {
    return false;
  }
  for (size_t i = 0; i < grammar->input_count; i++) {
    ref_input *input = &arguments->inputs[arguments->input_count++];
    *input = (ref_input){grammar->inputs[i], NULL, 0};
    (void)ref_grammar_read_file(grammar->inputs[i], input);
  }
  const char *index = grammar->options.values[REF_OPTION_UIDX];
  if (index != NULL) {
    (void)ref_grammar_read_file(index, &arguments->index);
  }
  return true;
}

/* `length` letters in a string of its own. */
static char *ref_arguments_copy(const char *text, size_t length) {
  char *copy = calloc(length + 1, 1);
  if (copy != NULL) {
    memcpy(copy, text, length);
  }
  return copy;
}

/* C45: `lib` and the library's name in one folder, if there is such a file. */
static bool ref_arguments_try_folder(ref_arguments *arguments, const char *folder, size_t length, const char *name,
                                     size_t number) {
  const size_t size = length + strlen(name) + sizeof "/lib.a";
  ref_library *more = realloc(arguments->libraries, (arguments->library_count + 1) * sizeof *more);
  arguments->libraries = more == NULL ? arguments->libraries : more;
  char *path = calloc(size, 1), *kept = ref_arguments_copy(name, strlen(name));
  const bool good = more != NULL && path != NULL && kept != NULL;
  ref_input file = {0};
  if (good) {
    (void)snprintf(path, size, "%.*s/lib%s.a", (int)length, folder, name);
    (void)ref_grammar_read_file(path, &file);
  }
  if (file.name == NULL) { /* none */
    free(path);
    free(kept);
    return good;
  }
  file.name = path;
  more[arguments->library_count] = (ref_library){file, kept, number};
  arguments->library_count++;
  return true;
}

static bool ref_arguments_try_folders(ref_arguments *arguments, const char *folders, char separator, const char *name,
                                      size_t number) {
  const char separators[] = {separator, 0};
  bool good = true;
  while (good && folders != NULL && *folders != 0) {
    const size_t length = strcspn(folders, separators);
    good = length == 0 || ref_arguments_try_folder(arguments, folders, length, name, number);
    folders += length + (folders[length] != 0);
  }
  return good;
}

/* C45: for each library the folders of -L, then those of LIBRARY_PATH. */
static bool ref_arguments_read_libraries(ref_arguments *arguments) {
  const ref_grammar *grammar = &arguments->grammar;
  const char *names = grammar->options.values[REF_OPTION_LIBRARY];
  bool good = true;
  for (size_t number = 0; good && names != NULL && *names != 0; number++) {
    const size_t length = strcspn(names, ",");
    char *name = ref_arguments_copy(names, length);
    good = length == 0 ||
           (name != NULL &&
            ref_arguments_try_folders(arguments, grammar->options.values[REF_OPTION_LIBRARY_PATH], ',', name, number) &&
            ref_arguments_try_folders(arguments, getenv("LIBRARY_PATH"), ':', name, number));
    free(name);
    names += length + (names[length] != 0);
  }
  return good;
}

bool ref_arguments_read(ref_arguments *arguments, int argc, char *const *argv, const char *bug_compatible) {
  *arguments = (ref_arguments){0};
  ref_grammar *grammar = &arguments->grammar;
  grammar->bug_compatible = bug_compatible != NULL && REF_IS(bug_compatible, "1");
  ref_grammar_take(grammar, argc - 1, (const char *const *)argv + 1);
  if (grammar->ended) {
    return !grammar->failed;
  }
  return !grammar->failed && ref_arguments_read_inputs(arguments) && ref_arguments_read_libraries(arguments);
}

ref_job ref_arguments_job(const ref_arguments *arguments) {
  const ref_grammar *grammar = &arguments->grammar;
  return (ref_job){.inputs = arguments->inputs,
                   .input_count = arguments->input_count,
                   .index = arguments->index,
                   .libraries = arguments->libraries,
                   .library_count = arguments->library_count,
                   .options = grammar->options,
                   .identity_nvlink = grammar->identity_nvlink,
                   .bug_compatible = grammar->bug_compatible,
                   .traced = grammar->traced,
                   .words = grammar->other,
                   .said = grammar->said,
                   .said_count = grammar->said_count};
}

static int ref_arguments_write(const ref_job *job, const ref_result *result, FILE *errors) {
  const char *path = job->options.values[REF_OPTION_OUTPUT];
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    (void)fprintf(errors, "%s fatal   : Could not open output file '%s'\n",
                  job->identity_nvlink ? "nvlink" : "twinlink", path);
    return 1;
  }
  const bool written = fwrite(result->bytes, 1, result->size, file) == result->size;
  const bool closed =
      fclose(file) == 0 || job->bug_compatible; /* D93: nvlink does not look whether the last block went */
  if (!closed || !written) {
    (void)fprintf(errors, "%s fatal   : Internal error: writing file\n", job->identity_nvlink ? "nvlink" : "twinlink");
    return 1;
  }
  return 0;
}

/* C54a: the first row of the table of times, which has no other for cubins; only where the link got as far as that. */
void ref_arguments_write_times(const ref_job *job, const ref_result *result) {
  static const char header[] =
      "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n";
  const char *path = job->options.values[REF_OPTION_TIME];
  const bool own = path != NULL && !REF_IS(path, "-");
  FILE *file = path == NULL || !result->options_are_good ? NULL : own ? fopen(path, "ab") : stdout;
  if (file == NULL) {
    return;
  }
  if (!own || (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0)) {
    (void)fputs(header, file);
  }
  (void)(own ? fclose(file) : fflush(file));
}

/* C54b: what it prints of itself is its own, but for whose links they are; under nvlink's name -V says what nvlink says. */
static const char *ref_arguments_say(const ref_job *job) {
  if (!REF_IS(job->words.prints, "version")) {
    return "twinlink-ref: the second linker of twinlink; it takes nvlink's options (no help of its own)\n";
  }
  return job->identity_nvlink ? "nvlink: NVIDIA (R) Cuda linker\n"
                                "Copyright (c) 2005-2025 NVIDIA Corporation\n"
                                "Built on Wed_Aug_20_01:58:59_PM_PDT_2025\n"
                                "Cuda compilation tools, release 13.0, V13.0.88\n"
                                "Build cuda_13.0.r13.0/compiler.36424714_0\n"
                              : "twinlink-ref: the second linker of twinlink\n"
                                "Reproduces nvlink of CUDA 13.0, V13.0.88\n";
}

void ref_arguments_print(const ref_job *job) {
  if (job->words.prints != NULL) {
    (void)fputs(ref_arguments_say(job), stdout);
  }
  (void)fflush(stdout);
}

int ref_arguments_finish(const ref_job *job, const ref_result *result, FILE *errors) {
  ref_result_print(job, result, errors);
  ref_arguments_write_times(job, result);
  const int written = result->bytes != NULL ? ref_arguments_write(job, result, errors) : 0;
  return written != 0 ? written : result->exit_code;
}
