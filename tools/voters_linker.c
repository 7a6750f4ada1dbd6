/* The linker's vote in process: words to a job (linker/command), the job through the library (twinlink.h), the messages as
 * the program prints them. What is the program's own business (libraries, registration, times, help) is left to it. */
#include "voters_calls.h"

#include "process.h"

#include "base/diagnostics.h"
#include "base/memory.h"
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINKER_FILE_LIMIT = 1 << 30 };

typedef struct linker_call {
  tl_arena arena;
  tl_diagnostics diagnostics;
  tl_command command;
  jmp_buf out;
  tl_input *inputs;
} linker_call;

/* Options that make the program do more than one link. */
static bool linker_is_plain(const linker_call *call) {
  static const tl_option_id others[] = {TL_OPT_LIBRARY, TL_OPT_REGISTER,  TL_OPT_TIME,
                                        TL_OPT_UIDX,    TL_OPT_HELP,      TL_OPT_VERSION,
                                        TL_OPT_MAP,     TL_OPT_REPRODUCE, TL_OPT_HOST_SCRIPT};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (call->command.given[others[i]].given)
      return false;
  return call->diagnostics.messages.count == 0 && call->command.given[TL_OPT_OUTPUT].text;
}

static bool linker_read_words(linker_call *call, int argc, char *const *argv) {
  if (setjmp(call->out) != 0)
    return false;
  tl_command_identify(&call->command, argc, argv, NULL);
  tl_command_read(&call->command, &call->arena, &call->diagnostics, argc, argv);
  if (!linker_is_plain(call))
    return false;
  call->diagnostics.options = &call->command.options;
  if (tl_command_check(&call->command, &call->diagnostics) != TL_ACTION_LINK || !linker_is_plain(call))
    return false;
  tl_command_note(&call->command, &call->arena);
  call->inputs = tl_arena_new(&call->arena, tl_input, call->command.inputs.count);
  return true;
}

static void linker_read_files(const linker_call *call) {
  for (size_t i = 0; i < call->command.inputs.count; i++) {
    tl_input *const input = &call->inputs[i];
    input->path = call->command.inputs.items[i];
    input->data = process_read_file(input->path, LINKER_FILE_LIMIT, &input->size);
    input->unreadable = !input->data;
  }
}

static void linker_print(const tl_result *result, const tl_options *options) {
  for (size_t i = 0; i < result->message_count; i++) {
    const tl_message *const message = &result->messages[i];
    const size_t length = tl_message_format(message, options, NULL, 0);
    char *const line = malloc(length + 1);
    if (!line)
      return;
    tl_message_format(message, options, line, length + 1);
    fprintf(stderr, "%s\n", line);
    if (!options->identity_nvlink && *message->detail)
      fprintf(stderr, "  %s\n", message->detail);
    free(line);
  }
}

static int linker_link(linker_call *call, const char *output) {
  linker_read_files(call);
  const tl_job job = {
      .options = call->command.options, .inputs = call->inputs, .input_count = call->command.inputs.count};
  tl_result result;
  int code = tl_link(&job, &result);
  const char *const path = output ? output : call->command.given[TL_OPT_OUTPUT].text;
  if (result.image && !process_write_file(path, result.image, result.image_size))
    code = VOTERS_ONLY_PROGRAM;
  else
    linker_print(&result, &call->command.options);
  tl_result_free(&result);
  for (size_t i = 0; i < job.input_count; i++)
    free((void *)(uintptr_t)call->inputs[i].data);
  return code;
}

int voters_call_linker(int argc, char *const *argv, const char *output) {
  linker_call call = {.inputs = NULL};
  tl_arena_init(&call.arena, &tl_system_memory, UINT64_MAX / 2, &call.out);
  tl_diagnostics_init(&call.diagnostics, &call.arena, NULL, &call.out);
  const int code = linker_read_words(&call, argc, argv) ? linker_link(&call, output) : VOTERS_ONLY_PROGRAM;
  tl_arena_release(&call.arena);
  return code;
}
