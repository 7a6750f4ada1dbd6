/* The reference's command line: words to options and files. A plain loop; the option grammar's refusals are the linker's
 * alone (E1-E12), so a word that is not understood is only named. */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

static bool ref_arguments_read_file(const char *path, ref_input *input) {
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

/* C61: the elements of a list that is given again are appended. */
static bool ref_arguments_set(ref_arguments *arguments, const ref_option_row *row, const char *value) {
  const char *old = arguments->options.values[row->option];
  if (row->kind != REF_OPTION_LIST || old == NULL) {
    arguments->options.values[row->option] = value;
    return true;
  }
  const size_t size = strlen(old) + strlen(value) + 2;
  char *joined = malloc(size);
  if (joined == NULL) {
    return false;
  }
  (void)snprintf(joined, size, "%s,%s", old, value);
  free(arguments->joined[row->option]);
  arguments->joined[row->option] = joined;
  arguments->options.values[row->option] = joined;
  return true;
}

static bool ref_arguments_word_is(const char *word, size_t length, const char *name) {
  return name != NULL && *name != 0 && strlen(name) == length && strncmp(word, name, length) == 0;
}

/* C48: one dash and the short name, two dashes and the long one. */
static const ref_option_row *ref_arguments_find_row(const char *word, size_t length) {
  const ref_option_row *rows = ref_option_rows();
  const bool is_long = length > 1 && word[1] == '-';
  for (size_t i = 0; i < REF_OPTION_COUNT; i++) {
    if (is_long ? ref_arguments_word_is(word + 2, length - 2, rows[i].long_name)
                : ref_arguments_word_is(word + 1, length - 1, rows[i].short_name)) {
      return &rows[i];
    }
  }
  return NULL;
}

/* C48: values glued to -l, -L and -m. */
static bool ref_arguments_take_glued(ref_arguments *arguments, const char *word) {
  const ref_option_row *rows = ref_option_rows();
  if (word[1] == 'l' && word[2] != 0) {
    return ref_arguments_set(arguments, &rows[REF_OPTION_LIBRARY], word + 2);
  }
  if (word[1] == 'L' && word[2] != 0) {
    return ref_arguments_set(arguments, &rows[REF_OPTION_LIBRARY_PATH], word + 2);
  }
  if (strcmp(word, "-m64") == 0) {
    return ref_arguments_set(arguments, &rows[REF_OPTION_MACHINE], word + 2);
  }
  return false;
}

static bool ref_arguments_take_own(ref_arguments *arguments, const char *word, const char *next, int *used) {
  const char *value = strncmp(word, "--identity=", 11) == 0 ? word + 11 : next;
  if (strcmp(word, "--bug-compatible") == 0) {
    arguments->bug_compatible = true;
    return true;
  }
  if (strncmp(word, "--map=", 6) == 0) {
    return true; /* the linker's own option, which twin conformance gives; the reference makes no map */
  }
  if (strncmp(word, "--identity", 10) != 0 || value == NULL) {
    return false;
  }
  *used += value == next;
  arguments->identity_nvlink = strcmp(value, "nvlink") == 0;
  return arguments->identity_nvlink || strcmp(value, "twinlink") == 0;
}

/* Returns the number of words taken, 0 when the first is no option that is known. */
static int ref_arguments_take_option(ref_arguments *arguments, const char *word, const char *next) {
  int used = 1;
  if (ref_arguments_take_own(arguments, word, next, &used)) {
    return used;
  }
  const size_t length = strcspn(word, "=");
  const ref_option_row *row = ref_arguments_find_row(word, length);
  if (row == NULL) {
    return ref_arguments_take_glued(arguments, word) ? 1 : 0;
  }
  if (row->kind == REF_OPTION_FLAG) {
    return word[length] == 0 && ref_arguments_set(arguments, row, "") ? 1 : 0;
  }
  if (word[length] == '=') {
    return ref_arguments_set(arguments, row, word + length + 1) ? 1 : 0;
  }
  if (next == NULL) {
    return 0;
  }
  return ref_arguments_set(arguments, row, next) ? 2 : 0;
}

void ref_arguments_free(ref_arguments *arguments) {
  for (size_t i = 0; i < arguments->input_count; i++) {
    free((void *)(uintptr_t)arguments->inputs[i].bytes);
  }
  for (size_t i = 0; i < REF_OPTION_COUNT; i++) {
    free(arguments->joined[i]);
  }
  free((void *)(uintptr_t)arguments->index.bytes);
  free(arguments->inputs);
  *arguments = (ref_arguments){0};
}

bool ref_arguments_read(ref_arguments *arguments, int argc, char *const *argv, const char *bug_compatible) {
  *arguments = (ref_arguments){.bug_compatible = bug_compatible != NULL && strcmp(bug_compatible, "1") == 0};
  arguments->inputs = calloc((size_t)argc + 1, sizeof *arguments->inputs);
  for (int i = 1; i < argc && arguments->inputs != NULL;) {
    if (argv[i][0] != '-' || argv[i][1] == 0) {
      ref_input *input = &arguments->inputs[arguments->input_count++];
      *input = (ref_input){argv[i], NULL, 0};
      (void)ref_arguments_read_file(argv[i], input);
      i++;
      continue;
    }
    const int used = ref_arguments_take_option(arguments, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
    if (used == 0) {
      arguments->refused = argv[i];
      return false;
    }
    i += used;
  }
  const char *index = arguments->options.values[REF_OPTION_UIDX];
  if (index != NULL) {
    (void)ref_arguments_read_file(index, &arguments->index);
  }
  return arguments->inputs != NULL;
}

ref_job ref_arguments_job(const ref_arguments *arguments) {
  return (ref_job){arguments->inputs,  arguments->input_count,     arguments->index,
                   arguments->options, arguments->identity_nvlink, arguments->bug_compatible};
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

int ref_arguments_finish(const ref_job *job, const ref_result *result, FILE *errors) {
  ref_result_print(job, result, errors);
  const int written = result->bytes != NULL ? ref_arguments_write(job, result, errors) : 0;
  return written != 0 ? written : result->exit_code;
}
