/* catalog/message.c: the rows of catalog/message_rows.h as an array, looked up by id. */
#include "catalog/message.h"

static const tl_message_row rows[TL_MESSAGE_COUNT] = {
#define TL_MESSAGE(id, code, severity, text) [TL_MESSAGE_##id] = {code, severity, text},
#include "catalog/message_rows.h"
#undef TL_MESSAGE
};

const tl_message_row *tl_message_row_of(tl_message_id id) {
  return &rows[id];
}
