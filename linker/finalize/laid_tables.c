/* Tables of textures that ptxas laid out in kernels of -ewp objects (L749, L767): in the capsule a section of Mercury's, on
 * the SASS side the end of the kernel's parameters. nvlink makes the SASS side anew from Mercury's: all such tables begin
 * at one place, behind the parameters of the kernel that has most, and the loads from them in the text follow. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"

#include <string.h>

bool final_is_laid(const finalizer *f, uint32_t section) {
  return tl_layout_is_laid_table(f->mercury->module, section) && f->sass_section[section] != TL_NONE;
}

/* Of the body that stands its part of the table; NULL where it has none. */
static const tl_piece *laid_part_of(const finalizer *f, uint32_t table) {
  return tl_section_piece_of(final_mercury(f, table), final_standing_file(f, final_mercury(f, table)->about));
}

/* Where the table of the body that stands begins among those of all bodies; for nvlink where the first one does (D149). */
static uint64_t laid_table_place(const finalizer *f, uint32_t table, const tl_piece *part) {
  const tl_module *const m = f->mercury->module;
  if (part->offset && tl_defect_matched(m->options, TL_DEFECT_D149))
    return 0;
  if (part->offset)
    tl_defect_note(m->diagnostics, TL_DEFECT_D149, tl_module_text(m, m->sections.items[table].name));
  return part->offset;
}

uint64_t final_laid_base(const finalizer *f) {
  return tl_layout_tables_begin(f->sass->module);
}

/* Where a load has its offset in the bank, in bytes. */
typedef struct laid_field {
  unsigned bit, width; /* 0: no load */
} laid_field;

static laid_field laid_field_of(const uint8_t *instruction) {
  enum {
    OPCODE = 0xfff,
    LOAD = 0xb82,
    LOAD_UNIFORM = 0x7ac,
    BIT = 38,
    WIDTH = 16,
    BIT_UNIFORM = 37,
    WIDTH_UNIFORM = 17
  };
  const uint16_t opcode = tl_get16(instruction) & OPCODE;
  if (opcode == LOAD)
    return (laid_field){BIT, WIDTH};
  return opcode == LOAD_UNIFORM ? (laid_field){BIT_UNIFORM, WIDTH_UNIFORM} : (laid_field){0, 0};
}

/* Where the record of a load says what it reads of the table, whatever the input's SASS text has (L1544). */
enum { LAID_OFFSET = 28, LAID_OFFSET_MASK = 0xffffff };

/* A record that loads from the table (L103). */
static bool laid_is_load(const uint8_t *record, uint64_t left) {
  enum { SIZE = 32, OF_TABLE = 0x49 };
  return left >= SIZE && record[0] == 2 && record[1] == 0x22 && record[3] == 6 && record[12] == OF_TABLE;
}

/* A load with an index register, which -O0 code moves a slot's place in the table to (L133). */
static bool laid_is_indexed(const uint8_t *instruction) {
  enum { OPCODE = 0xfff, LOAD = 0xb82, INDEX = 3, ZERO_REGISTER = 0xff };
  return (tl_get16(instruction) & OPCODE) == LOAD && instruction[INDEX] != ZERO_REGISTER;
}

static bool laid_has_indexed(const uint8_t *bytes, uint64_t size) {
  for (uint64_t at = 0; at + TL_CODE_INSTRUCTION <= size; at += TL_CODE_INSTRUCTION)
    if (laid_is_indexed(bytes + at))
      return true;
  return false;
}

const uint8_t *final_indexed_loads(finalizer *f, uint32_t text, const uint8_t *bytes, uint64_t size) {
  enum { BIT = 38, OFFSET = 0xffff };
  const uint32_t table = final_mercury(f, text)->constant0;
  const bool laid = table != TL_NONE && final_is_laid(f, table);
  const tl_code *const map = !laid && laid_has_indexed(bytes, size) ? final_code_map_of(f, text) : NULL;
  if (!map)
    return bytes;
  const uint8_t *const capsule = final_view_bytes(f->mercury, text);
  const uint64_t capsule_size = final_view_size(f->mercury, text), base = final_laid_base(f);
  uint8_t *const moved = final_new(f, size);
  memcpy(moved, bytes, size);
  for (size_t i = 0; i < map->count; i++) {
    const tl_code_place *const place = &map->items[i];
    uint8_t *const at = moved + place->sass;
    if (place->record && place->sass + TL_CODE_INSTRUCTION <= size &&
        laid_is_load(capsule + place->record, capsule_size - place->record) && laid_is_indexed(at))
      tl_put64(at, (tl_get64(at) & ~((uint64_t)OFFSET << BIT)) | base << BIT);
  }
  return moved;
}

void final_move_laid_loads(finalizer *f, uint32_t text, uint8_t *bytes, uint64_t size) {
  const uint32_t table = final_mercury(f, text)->constant0;
  const tl_code *const map = table != TL_NONE && final_is_laid(f, table) ? final_code_map_of(f, text) : NULL;
  const tl_piece *const part = map ? laid_part_of(f, table) : NULL;
  if (!part)
    return;
  const uint8_t *const capsule = final_view_bytes(f->mercury, text);
  const uint64_t capsule_size = final_view_size(f->mercury, text);
  const uint64_t base = final_laid_base(f) + laid_table_place(f, table, part);
  for (size_t i = 0; i < map->count; i++) {
    const tl_code_place *const place = &map->items[i];
    if (!place->record || place->sass + TL_CODE_INSTRUCTION > size ||
        !laid_is_load(capsule + place->record, capsule_size - place->record))
      continue;
    uint8_t *const at = bytes + place->sass;
    const laid_field field = laid_field_of(at);
    const uint64_t mask = ((uint64_t)1 << field.width) - 1;
    const uint64_t offset = base + (tl_get32(capsule + place->record + LAID_OFFSET) & LAID_OFFSET_MASK);
    if (field.width)
      tl_put64(at, (tl_get64(at) & ~(mask << field.bit)) | (offset & mask) << field.bit);
  }
}
