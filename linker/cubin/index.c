/* Reads the index file of cubin/index.h. From version 2 on 16 bytes a function follow whose meaning is not known (U5). */
#include "cubin/index.h"

#include "base/bytes.h"
#include "catalog/message.h"

#include <string.h>

enum { HEADER_SIZE = 48, ENTRY_SIZE = 24, TAIL_SIZE = 16, TAIL_VERSION = 2 };

static const uint8_t index_magic[8] = {0x7f, 'U', 'F', 'T', 'I', 'N', 'D', 'X'};

_Noreturn static void index_fail(const tl_index *index, tl_diagnostics *diagnostics, tl_message_id id) {
  const tl_site site = {index->path, NULL, NULL, TL_NO_OFFSET};
  tl_diagnostics_end(diagnostics, tl_message_row_of(id), site, NULL, index->path);
}

static const uint8_t *index_read_table(tl_index_table *table, const uint8_t *at, tl_arena *arena) {
  table->entries = tl_arena_new(arena, tl_index_entry, table->count);
  for (size_t i = 0; i < table->count; i++, at += ENTRY_SIZE)
    table->entries[i] = (tl_index_entry){tl_get64(at), tl_get64(at + 8), tl_get64(at + 16)};
  return at;
}

void tl_index_read(tl_index *index, const tl_input *input, tl_arena *arena, tl_diagnostics *diagnostics) {
  const uint8_t *const bytes = input->data;
  *index = (tl_index){.path = input->path, .bytes = bytes, .size = input->size};
  if (input->unreadable)
    index_fail(index, diagnostics, TL_MESSAGE_CANNOT_OPEN_INPUT);
  if (!index->size)
    index_fail(index, diagnostics, TL_MESSAGE_CANNOT_READ_INPUT);
  if (index->size < sizeof index_magic || memcmp(bytes, index_magic, sizeof index_magic) != 0)
    index_fail(index, diagnostics, TL_MESSAGE_UIDX_MAGIC);
  if (index->size < HEADER_SIZE)
    index_fail(index, diagnostics, TL_MESSAGE_UIDX_SIZE);
  const uint64_t most = index->size / ENTRY_SIZE, functions = tl_get64(bytes + 24), objects = tl_get64(bytes + 40);
  const uint64_t tail = tl_get32(bytes + 8) >= TAIL_VERSION ? TAIL_SIZE : 0;
  if (functions > most || objects > most ||
      index->size != HEADER_SIZE + functions * (ENTRY_SIZE + tail) + objects * ENTRY_SIZE)
    index_fail(index, diagnostics, TL_MESSAGE_UIDX_SIZE);
  index->functions = (tl_index_table){.window = tl_get64(bytes + 16), .count = (size_t)functions};
  index->data = (tl_index_table){.window = tl_get64(bytes + 32), .count = (size_t)objects};
  index_read_table(&index->data, index_read_table(&index->functions, bytes + HEADER_SIZE, arena), arena);
}
