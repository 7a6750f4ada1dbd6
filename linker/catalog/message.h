/* One row a message: stable code, severity, text (command-line-and-inputs.md section 6). Codes E.. and R.. are the
 * facts'; codes T.. are twinlink's own, for inputs that nvlink mistreats and for what twinlink cannot link yet. */
#ifndef TL_CATALOG_MESSAGE_H
#define TL_CATALOG_MESSAGE_H

#include "base/diagnostics.h"

typedef enum tl_message_id {
#define TL_MESSAGE(id, code, severity, text) TL_MESSAGE_##id,
#include "catalog/message_rows.h"
#undef TL_MESSAGE
  TL_MESSAGE_COUNT
} tl_message_id;

const tl_message_row *tl_message_row_of(tl_message_id id);

#endif
