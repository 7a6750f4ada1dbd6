/* twinlink-ref: the reference linker as a program. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct ref_arguments {
  ref_options options;
  ref_input *inputs;
  size_t input_count;
  char *joined[REF_OPTION_COUNT]; /* lists that were given more than once */
  bool identity_nvlink, bug_compatible;
} ref_arguments;

static void *ref_main_allocate(size_t size) {
  void *memory = calloc(1, size == 0 ? 1 : size);
  if (memory == NULL) {
    (void)fputs("twinlink-ref: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static int ref_main_refuse(const char *text, const char *what) {
  (void)fprintf(stderr, "twinlink-ref: %s '%s'\n", text, what);
  return 1;
}

static bool ref_main_read_file(const char *path, ref_input *input) {
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
static void ref_main_set(ref_arguments *arguments, const ref_option_row *row, const char *value) {
  const char *old = arguments->options.values[row->option];
  if (row->kind != REF_OPTION_LIST || old == NULL) {
    arguments->options.values[row->option] = value;
    return;
  }
  const size_t size = strlen(old) + strlen(value) + 2;
  char *joined = ref_main_allocate(size);
  (void)snprintf(joined, size, "%s,%s", old, value);
  free(arguments->joined[row->option]);
  arguments->joined[row->option] = joined;
  arguments->options.values[row->option] = joined;
}

static bool ref_main_word_is(const char *word, size_t length, const char *name) {
  return name != NULL && *name != 0 && strlen(name) == length && strncmp(word, name, length) == 0;
}

/* C48: one dash and the short name, two dashes and the long one. */
static const ref_option_row *ref_main_find_row(const char *word, size_t length) {
  const ref_option_row *rows = ref_option_rows();
  const bool is_long = length > 1 && word[1] == '-';
  for (size_t i = 0; i < REF_OPTION_COUNT; i++) {
    if (is_long ? ref_main_word_is(word + 2, length - 2, rows[i].long_name)
                : ref_main_word_is(word + 1, length - 1, rows[i].short_name)) {
      return &rows[i];
    }
  }
  return NULL;
}

/* C48: values glued to -l, -L and -m. */
static bool ref_main_take_glued(ref_arguments *arguments, const char *word) {
  const ref_option_row *rows = ref_option_rows();
  if (word[1] == 'l' && word[2] != 0) {
    ref_main_set(arguments, &rows[REF_OPTION_LIBRARY], word + 2);
  } else if (word[1] == 'L' && word[2] != 0) {
    ref_main_set(arguments, &rows[REF_OPTION_LIBRARY_PATH], word + 2);
  } else if (strcmp(word, "-m64") == 0) {
    ref_main_set(arguments, &rows[REF_OPTION_MACHINE], word + 2);
  } else {
    return false;
  }
  return true;
}

static bool ref_main_take_own(ref_arguments *arguments, const char *word, const char *next, int *used) {
  const char *value = strncmp(word, "--identity=", 11) == 0 ? word + 11 : next;
  if (strcmp(word, "--bug-compatible") == 0) {
    arguments->bug_compatible = true;
    return true;
  }
  if (strncmp(word, "--identity", 10) != 0 || value == NULL) {
    return false;
  }
  *used += value == next;
  arguments->identity_nvlink = strcmp(value, "nvlink") == 0;
  return arguments->identity_nvlink || strcmp(value, "twinlink") == 0;
}

/* Returns the number of words taken, 0 when the first is no option that is known. */
static int ref_main_take_option(ref_arguments *arguments, const char *word, const char *next) {
  int used = 1;
  if (ref_main_take_own(arguments, word, next, &used)) {
    return used;
  }
  const size_t length = strcspn(word, "=");
  const ref_option_row *row = ref_main_find_row(word, length);
  if (row == NULL) {
    return ref_main_take_glued(arguments, word) ? 1 : 0;
  }
  if (row->kind == REF_OPTION_FLAG) {
    ref_main_set(arguments, row, "");
    return word[length] == 0 ? 1 : 0;
  }
  if (word[length] == '=') {
    ref_main_set(arguments, row, word + length + 1);
    return 1;
  }
  if (next == NULL) {
    return 0;
  }
  ref_main_set(arguments, row, next);
  return 2;
}

static int ref_main_write(const ref_job *job, const ref_result *result) {
  const char *path = job->options.values[REF_OPTION_OUTPUT];
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    (void)fprintf(stderr, "%s fatal   : Could not open output file '%s'\n",
                  job->identity_nvlink ? "nvlink" : "twinlink", path);
    return 1;
  }
  const bool written = fwrite(result->bytes, 1, result->size, file) == result->size;
  if (fclose(file) != 0 || !written) {
    (void)fprintf(stderr, "%s fatal   : Internal error: writing file\n", job->identity_nvlink ? "nvlink" : "twinlink");
    return 1;
  }
  return 0;
}

static void ref_main_free(ref_arguments *arguments) {
  for (size_t i = 0; i < arguments->input_count; i++) {
    free((void *)(uintptr_t)arguments->inputs[i].bytes);
  }
  for (size_t i = 0; i < REF_OPTION_COUNT; i++) {
    free(arguments->joined[i]);
  }
  free(arguments->inputs);
}

int main(int argc, char **argv) {
  ref_arguments arguments = {0};
  const char *setting = getenv("TWINLINK_BUG_COMPATIBLE");
  arguments.bug_compatible = setting != NULL && strcmp(setting, "1") == 0;
  arguments.inputs = ref_main_allocate((size_t)argc * sizeof *arguments.inputs);
  for (int i = 1; i < argc;) {
    if (argv[i][0] != '-' || argv[i][1] == 0) {
      ref_input *input = &arguments.inputs[arguments.input_count++];
      *input = (ref_input){argv[i], NULL, 0};
      (void)ref_main_read_file(argv[i], input);
      i++;
      continue;
    }
    const int used = ref_main_take_option(&arguments, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
    if (used == 0) {
      ref_main_free(&arguments);
      return ref_main_refuse("cannot use option", argv[i]);
    }
    i += used;
  }
  const ref_job job = {arguments.inputs, arguments.input_count, arguments.options, arguments.identity_nvlink,
                       arguments.bug_compatible};
  ref_result result = ref_reference_link(&job);
  ref_result_print(&job, &result, stderr);
  int exit_code = result.exit_code;
  if (result.bytes != NULL) {
    const int written = ref_main_write(&job, &result);
    exit_code = written != 0 ? written : exit_code;
  }
  ref_result_free(&result);
  ref_main_free(&arguments);
  return exit_code;
}
