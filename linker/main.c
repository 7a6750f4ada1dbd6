/* main.c: the program around the library. It reads the command line and the files, calls tl_link, prints what comes back
 * and writes files; nothing about linking is decided here.
 *
 * Every step may end in a fatal record or without memory; both jump back to program_try. The order of the steps is that
 * of C77: words, checks, the warning E48, libraries (RF272), -time and -uidx files, inputs, the link, the output, the
 * registration file (N15). */
#include "base/memory.h"
#include "base/parallel.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "catalog/usage.h"
#include "command.h"
#include "cubin/index.h"
#include "input/content.h"
#include "input/file.h"
#include "input/library.h"
#include "input/registration.h"
#include "write/file.h"
#include "write/reproduce.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_AT_ONCE = 64, WORTH_THREADS = 1 << 20 };

typedef struct program {
  int argc;
  char *const *argv;
  tl_arena arena;
  jmp_buf out; /* after a fatal record, or without memory */
  tl_diagnostics diagnostics;
  size_t printed; /* records of `diagnostics` that are on standard error */
  tl_command command;
  TL_VECTOR(tl_input) inputs;
  TL_VECTOR(tl_input) libraries; /* of -l: behind all inputs */
  tl_input index;                /* -uidx; its path is NULL without it */
  tl_arena contents;             /* of the inputs */
  bool has_runtime;              /* an input is the runtime as an archive, which is not taken (C46) */
  tl_result result;
  int exit_code;
} program;

/* What a record says beyond nvlink's text; never under nvlink's identity. */
static void program_print_more(const tl_message *message) {
  if (message->file[0] && !strstr(message->text, message->file))
    fprintf(stderr, "  file %s\n", message->file);
  if (message->section[0])
    fprintf(stderr, "  section %s\n", message->section);
  if (message->symbol[0] && !strstr(message->text, message->symbol))
    fprintf(stderr, "  symbol %s\n", message->symbol);
  if (message->has_offset)
    fprintf(stderr, "  offset 0x%llx\n", (unsigned long long)message->offset);
  if (message->detail[0])
    fprintf(stderr, "  %s\n", message->detail);
}

static void program_print_message(const tl_message *message, const tl_options *options) {
  char line[1024];
  const size_t length = tl_message_format(message, options, line, sizeof line);
  char *const longer = length < sizeof line ? NULL : malloc(length + 1);
  if (longer)
    tl_message_format(message, options, longer, length + 1);
  fputs(longer ? longer : line, stderr);
  fputc('\n', stderr);
  free(longer);
  if (!options->identity_nvlink)
    program_print_more(message);
}

static void program_print_new(program *p) {
  for (; p->printed < p->diagnostics.messages.count; p->printed++)
    program_print_message(&p->diagnostics.messages.items[p->printed], &p->command.options);
}

static void program_say(program *p, tl_message_id id, const char *first, const char *second) {
  const tl_site nowhere = {NULL, NULL, NULL, TL_NO_OFFSET};
  tl_diagnostics_add(&p->diagnostics, tl_message_row_of(id), nowhere, NULL, first, second);
}

static void program_read_words(program *p) {
  tl_command_identify(&p->command, p->argc, p->argv, getenv("TWINLINK_BUG_COMPATIBLE"));
  tl_command_read(&p->command, &p->arena, &p->diagnostics, p->argc, p->argv);
}

static void program_add_input(program *p, tl_input input) {
  *tl_vector_push(&p->arena, &p->inputs) = input;
  p->has_runtime = p->has_runtime ||
                   (strstr(input.path, "cudadevrt") && tl_content_of(input.data, input.size) == TL_CONTENT_ARCHIVE);
}

static void program_fill_input(void *context, size_t index) {
  tl_file_fill((tl_file *)context + index);
}

/* Reads up to FILES_AT_ONCE inputs, in parallel when they are large or threads were asked for. What is wrong with one is
 * said in the order of the command line. */
static void program_read_inputs(program *p, const char *const *paths, size_t count) {
  tl_file files[FILES_AT_ONCE];
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    tl_file_open(&files[i], paths[i], 0, &p->contents);
    bytes += files[i].size;
  }
  const unsigned threads = p->command.options.threads;
  tl_parallel_for(threads || bytes >= WORTH_THREADS ? threads : 1, count, program_fill_input, files);
  for (size_t i = 0; i < count; i++) {
    if (files[i].status == TL_FILE_SHRANK)
      program_say(p, TL_MESSAGE_FILE_SHRANK, paths[i], NULL);
    program_add_input(p, (tl_input){paths[i], files[i].bytes, files[i].size, files[i].status != TL_FILE_OK});
  }
}

/* C44: false when the search for the library goes on. */
static bool program_take_library(program *p, const char *path, const char *name, uint8_t *bytes, size_t size) {
  const tl_site site = {path, NULL, NULL, TL_NO_OFFSET};
  const tl_library_use use = tl_library_use_of(bytes, size, p->command.given[TL_OPT_CPU_ARCH].text);
  const tl_archive_fault fault = use == TL_LIBRARY_BROKEN ? TL_ARCHIVE_NAME : tl_library_find_fault(bytes, size);
  if (fault) {
    tl_diagnostics_add_before(&p->diagnostics, tl_message_row_of(tl_archive_message(fault)), site);
    program_say(p, TL_MESSAGE_ELFLINK_INTERNAL, NULL, NULL);
  }
  if (use == TL_LIBRARY_TAKEN) {
    *tl_vector_push(&p->arena, &p->libraries) = (tl_input){path, bytes, size, false};
    return true;
  }
  if (use == TL_LIBRARY_SKIPPED)
    program_say(p, TL_MESSAGE_SKIPPED_LIBRARY, path, name);
  return use != TL_LIBRARY_SKIPPED;
}

/* C45: the first fitting libNAME.a; what is not found is silent (D36). Once there was an error, which only -Werror makes,
 * the next file that there is ends the link, whatever is in it (RF272). */
static void program_find_library(program *p, const char *name) {
  tl_texts paths = {0};
  tl_library_candidates(&paths, &p->arena, name, &p->command.given[TL_OPT_LIBRARY_PATH].list, getenv("LIBRARY_PATH"));
  for (size_t i = 0; i < paths.count; i++) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    const tl_file_status status = tl_file_read(paths.items[i], 0, &p->contents, &bytes, &size);
    if (status == TL_FILE_DIRECTORY)
      program_say(p, TL_MESSAGE_OUT_OF_MEMORY, NULL, NULL);
    if (status == TL_FILE_SHRANK)
      program_say(p, TL_MESSAGE_FILE_SHRANK, paths.items[i], NULL);
    if (status == TL_FILE_OK && p->diagnostics.errors)
      program_say(p, TL_MESSAGE_ELFLINK_INTERNAL, NULL, NULL);
    if (status == TL_FILE_OK && program_take_library(p, paths.items[i], name, bytes, size))
      return;
  }
}

/* C54a: rows would tell of the compilers inside nvlink, which do not exist here; the header is written all the same. */
static void program_write_times(program *p) {
  static const char header[] =
      "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n";
  const char *const path = p->command.given[TL_OPT_TIME].text;
  if (!path)
    return;
  if (strcmp(path, "-") == 0) {
    fputs(header, stdout);
    return;
  }
  FILE *const file = fopen(path, "a");
  if (!file) {
    program_say(p, TL_MESSAGE_TIME_FILE, path, NULL);
    return;
  }
  if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0)
    fputs(header, file);
  fclose(file);
}

static void program_read_index_file(program *p) {
  const char *const path = p->command.given[TL_OPT_UIDX].text;
  if (!path)
    return;
  uint8_t *bytes = NULL;
  size_t size = 0;
  const tl_file_status status = tl_file_read(path, 0, &p->contents, &bytes, &size);
  if (status == TL_FILE_UNREADABLE)
    program_say(p, TL_MESSAGE_CANNOT_OPEN_INPUT, path, NULL);
  if (status == TL_FILE_DIRECTORY)
    program_say(p, TL_MESSAGE_OUT_OF_MEMORY, NULL, NULL);
  if (status == TL_FILE_SHRANK)
    program_say(p, TL_MESSAGE_FILE_SHRANK, path, NULL);
  if (!size)
    program_say(p, TL_MESSAGE_CANNOT_READ_INPUT, path, NULL);
  p->index = (tl_input){.path = path, .data = bytes, .size = size, .unreadable = status == TL_FILE_UNREADABLE};
}

/* One block for all inputs, so that none of their memory lies between them unused. */
static void program_expect_inputs(program *p) {
  enum { ROUNDING = 32, LARGE = 4 << 20 };
  size_t sum = 0;
  for (size_t i = 0; i < p->command.inputs.count; i++) {
    const size_t size = tl_file_size(p->command.inputs.items[i]);
    sum += size < LARGE ? size + ROUNDING : 0;
  }
  tl_arena_expect(&p->contents, sum);
}

static void program_read_files(program *p) {
  const tl_given *const libraries = &p->command.given[TL_OPT_LIBRARY];
  for (size_t i = 0; i < libraries->list.count; i++)
    program_find_library(p, libraries->list.items[i]);
  program_write_times(p);
  program_read_index_file(p);
  program_expect_inputs(p);
  const size_t count = p->command.inputs.count;
  for (size_t i = 0; i < count; i += FILES_AT_ONCE)
    program_read_inputs(p, p->command.inputs.items + i, count - i < FILES_AT_ONCE ? count - i : FILES_AT_ONCE);
  for (size_t i = 0; i < p->libraries.count; i++)
    program_add_input(p, p->libraries.items[i]);
}

/* D93: an output that fits nvlink's buffer is written when its file is closed, and nobody looks whether it was. */
static bool program_is_lost_unseen(program *p, const char *path, size_t size) {
  enum { VENDOR_BUFFER = 4096 };
  if (size > VENDOR_BUFFER || strncmp(path, "/dev/", 5) != 0)
    return false;
  if (!tl_defect_matched(&p->command.options, TL_DEFECT_D93))
    tl_defect_note(&p->diagnostics, TL_DEFECT_D93, NULL);
  return tl_defect_matched(&p->command.options, TL_DEFECT_D93);
}

static void program_check_written(program *p, const char *path, tl_write_status status, size_t size) {
  if (status == TL_WRITE_CANNOT_OPEN)
    program_say(p, TL_MESSAGE_OUTPUT_FILE, path, NULL);
  if (status == TL_WRITE_FAILED && !program_is_lost_unseen(p, path, size))
    program_say(p, TL_MESSAGE_WRITING_FILE, NULL, NULL);
}

static void program_write(program *p, const char *path, const void *bytes, size_t size) {
  program_check_written(p, path, tl_write_file(path, bytes, size, &p->arena), size);
}

/* N14: a file of the runtime that was not taken keeps an existing registration file (L220, D25). */
static bool program_keeps_registration(const program *p, const tl_admission *admission, const char *path) {
  bool left = p->has_runtime;
  for (size_t i = 0; i < admission->files.count; i++) {
    const tl_accepted *const file = &admission->files.items[i];
    left = left || (file->system && p->result.taken && !p->result.taken[file->input]);
  }
  return left && !p->command.given[TL_OPT_KEEP_SYSTEM].given && tl_file_exists(path);
}

/* N14, N15. The inputs were admitted once already, so asking again adds nothing but the list. */
static void program_write_registration(program *p, const tl_job *job) {
  const char *const path = p->command.given[TL_OPT_REGISTER].text;
  if (!path || p->result.exit_code == 1)
    return;
  char directory[PATH_MAX];
  if (!getcwd(directory, sizeof directory))
    directory[0] = '\0';
  tl_diagnostics ignored;
  tl_admission admission;
  tl_diagnostics_init(&ignored, &p->arena, &p->command.options, &p->out);
  tl_admission_run(&admission, job, &p->arena, &ignored);
  if (program_keeps_registration(p, &admission, path))
    return;
  const char *const text = tl_registration_text(job, &admission, directory, p->result.taken, &p->arena);
  program_write(p, path, text, strlen(text));
}

static void program_write_reproduction(program *p, const tl_job *job) {
  const char *const path = p->command.given[TL_OPT_REPRODUCE].text;
  if (!path)
    return;
  tl_reproduction reproduction = {.job = job, .result = &p->result, .input_count = p->command.inputs.count};
  reproduction.arguments = tl_command_words(&p->command, &p->arena);
  for (int i = 0; i < p->argc; i++)
    *tl_vector_push(&p->arena, &reproduction.typed) = p->argv[i];
  size_t size = 0;
  const void *const archive = tl_reproduce_archive(&reproduction, &p->arena, &size);
  if (!archive)
    program_say(p, TL_MESSAGE_WRITING_FILE, NULL, NULL);
  program_write(p, path, archive, size);
}

/* Errors before the inputs are read, which only -Werror makes: index and inputs are still read, nothing is linked. */
static void program_look_at_inputs(program *p, const tl_job *job) {
  tl_admission admission;
  tl_index index;
  tl_admission_begin(&admission, job, &p->arena, &p->diagnostics);
  if (job->index)
    tl_index_read(&index, job->index, &p->arena, &p->diagnostics);
  tl_admission_check(&admission, job, &p->arena, &p->diagnostics);
  p->exit_code = 255;
}

static void program_link(program *p) {
  tl_command_note(&p->command, &p->arena);
  tl_job job = {.options = p->command.options, .streamed = !p->command.given[TL_OPT_REPRODUCE].text};
  tl_admission admission;
  tl_admission_begin(&admission, &job, &p->arena, &p->diagnostics);
  program_read_files(p);
  job.limits_said = true;
  job.inputs = p->inputs.items;
  job.input_count = p->inputs.count;
  job.index = p->index.path ? &p->index : NULL;
  if (p->diagnostics.errors) {
    program_look_at_inputs(p, &job);
    return;
  }
  p->exit_code = tl_link(&job, &p->result);
  program_print_new(p);
  for (size_t i = 0; i < p->result.message_count; i++)
    program_print_message(&p->result.messages[i], &p->command.options);
  program_write_reproduction(p, &job);
  const char *const output = p->command.given[TL_OPT_OUTPUT].text;
  if (p->result.image)
    program_write(p, output, p->result.image, p->result.image_size);
  else if (p->result.image_size)
    program_check_written(p, output, tl_write_result(output, &p->result, &p->arena), p->result.image_size);
  if (p->result.map)
    program_write(p, p->command.given[TL_OPT_MAP].text, p->result.map, strlen(p->result.map));
  program_write_registration(p, &job);
}

static void program_act(program *p) {
  p->diagnostics.options = &p->command.options;
  const char *text = NULL;
  switch (tl_command_check(&p->command, &p->diagnostics)) {
  case TL_ACTION_HELP:
    text = tl_usage_help(&p->arena, &p->command.options);
    break;
  case TL_ACTION_VERSION:
    text = tl_usage_version(&p->command.options);
    break;
  case TL_ACTION_HOST_SCRIPT:
    text = tl_usage_host_script();
    break;
  case TL_ACTION_LINK:
    program_link(p);
    return;
  }
  const char *const path = p->command.given[TL_OPT_HOST_SCRIPT].given ? p->command.given[TL_OPT_OUTPUT].text : NULL;
  if (path)
    program_write(p, path, text, strlen(text));
  else
    fputs(text, stdout);
}

/* Runs one step; after a fatal record or without memory the exit code is 1 (C71). */
static bool program_try(program *p, void (*step)(program *p)) {
  if (setjmp(p->out) == 0) {
    step(p);
    return true;
  }
  const size_t count = p->diagnostics.messages.count;
  const bool said = count && p->diagnostics.messages.items[count - 1].severity == TL_FATAL;
  if (!said)
    fputs(p->command.options.identity_nvlink ? "nvlink fatal   : Memory allocation failure\n"
                                             : "twinlink fatal   : Memory allocation failure\n",
          stderr);
  p->exit_code = 1;
  return false;
}

int main(int argc, char **argv) {
  program p = {.argc = argc, .argv = argv};
  /* A full disk or a closed pipe is an error of write(2), not the end of the program. */
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  setvbuf(stderr, NULL, _IOFBF, 1 << 16);
  tl_arena_init(&p.arena, &tl_system_memory, UINT64_MAX / 2, &p.out);
  tl_arena_init(&p.contents, &tl_system_memory, UINT64_MAX / 2, &p.out);
  tl_diagnostics_init(&p.diagnostics, &p.arena, NULL, &p.out);
  bool good = program_try(&p, program_read_words);
  const bool report = p.command.options.report_arch; /* C50d: not before all words are read */
  p.command.options.report_arch = false;
  program_print_new(&p);
  p.command.options.report_arch = report;
  good = good && program_try(&p, program_act);
  program_print_new(&p);
  tl_result_free(&p.result);
  tl_arena_release(&p.contents);
  tl_arena_release(&p.arena);
  if (fflush(stdout) != 0 || fflush(stderr) != 0)
    return 1;
  return good ? p.exit_code : 1;
}
