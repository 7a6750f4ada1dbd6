/* Cells of 16 bytes, each made of the section's pieces when something is written into it (L1115). */
#include "relocate/written.h"

#include "relocate/patch.h"

#include <string.h>

enum { CELL = 16, SPAN = 2 }; /* no field is longer than a cell, so it lies in two */

void tl_written_init(tl_written *written, const tl_module *module, tl_arena *arena) {
  *written = (tl_written){.module = module, .arena = arena};
  tl_map_init(&written->cells, arena);
}

static uint64_t written_key(uint32_t section, uint64_t offset) {
  return tl_pair_key(section, (uint32_t)(offset / CELL));
}

/* The cell of an offset, with the inputs' bytes where it is new. */
static tl_written_cell *written_cell(tl_written *written, uint32_t section, uint64_t offset) {
  const uint64_t key = written_key(section, offset), start = offset / CELL * CELL;
  const uint32_t known = tl_map_get(&written->cells, key);
  if (known != TL_NONE)
    return &written->contents.items[known];
  tl_map_set(&written->cells, key, (uint32_t)written->contents.count);
  tl_written_cell *const cell = tl_vector_push(written->arena, &written->contents);
  *cell = (tl_written_cell){0};
  for (uint64_t i = 0; i < CELL; i++) {
    const tl_piece *const piece = tl_layout_piece(&written->module->sections.items[section], start + i);
    const bool inside = piece && piece->data && start + i >= piece->offset && start + i - piece->offset < piece->size;
    cell->bytes[i] = inside ? piece->data[start + i - piece->offset] : 0;
  }
  return cell;
}

static void written_read(tl_written *written, uint32_t section, uint64_t offset, uint8_t *bytes) {
  for (uint64_t i = 0; i < SPAN; i++)
    memcpy(bytes + i * CELL, written_cell(written, section, offset + i * CELL)->bytes, CELL);
}

void tl_written_add(tl_written *written, uint32_t section, uint64_t offset, const tl_patch *patch) {
  uint8_t bytes[SPAN * CELL];
  written_read(written, section, offset, bytes);
  tl_patch_apply(patch, bytes + offset % CELL);
  for (uint64_t i = 0; i < SPAN; i++)
    memcpy(written_cell(written, section, offset + i * CELL)->bytes, bytes + i * CELL, CELL);
}

bool tl_written_get(tl_written *written, uint32_t section, uint64_t offset, const tl_field *field, uint8_t own,
                    uint64_t *value) {
  uint8_t bytes[SPAN * CELL];
  bool any = false;
  for (uint64_t i = 0; i < SPAN; i++)
    any |= tl_map_get(&written->cells, written_key(section, offset + i * CELL)) != TL_NONE;
  if (!any)
    return false;
  written_read(written, section, offset, bytes);
  if (own) /* L1690 */
    memset(bytes + offset % CELL + own, 0, sizeof bytes - offset % CELL - own);
  *value = tl_bits_get(bytes + offset % CELL, field->start, field->width);
  return true;
}
