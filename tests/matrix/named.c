/* Apart from the check, since it sees the linker's headers. */
#include "named.h"

#include "catalog/defect.h"
#include "catalog/message.h"
#include "fuzz/linker_call.h"

#include <string.h>

static bool message_names_row(const tl_message *message) {
  if (strcmp(message->code, tl_message_row_of(TL_MESSAGE_OVERFLOW_VALUE)->code) == 0) /* D38 */
    return true;
  if (strcmp(message->code, tl_message_row_of(TL_MESSAGE_DEFECT)->code) != 0)
    return false;
  for (int i = 0; i < TL_DEFECT_COUNT; i++) {
    const tl_defect_row *const row = tl_defect_row_of((tl_defect)i);
    const size_t length = strlen(row->id);
    if (row->class == 'R' && strncmp(message->text, row->id, length) == 0 && message->text[length] == ':')
      return true;
  }
  return false;
}

bool matrix_names_row(const fuzz_envelope *envelope) {
  bool named = false;
  fuzz_linker_call *const call = fuzz_linker_call_new(envelope, NULL);
  call->job.options.identity_nvlink = false;
  (void)tl_link(&call->job, &call->result);
  call->linked = true;
  for (size_t i = 0; i < call->result.message_count; i++)
    named |= message_names_row(&call->result.messages[i]);
  fuzz_linker_call_free(call);
  return named;
}
