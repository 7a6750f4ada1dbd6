/* What the link writes into capsules' code (M22, L1507). An entry of Mercury text stands at an offset in decoded
 * instructions, and what is carried out in Mercury's view writes its bytes there. Of an instruction that has a record of its
 * own these are the record's bytes. nvlink's finalizer makes the SASS instruction of them, so that what the SASS side's
 * entries would write counts for nothing: a move of an immediate has it in bytes 12 to 15, and its register above the low
 * six bits of byte 8; a load of constants has its offset in bytes 28 to 30, which of a table of textures counts from where tables
 * begin (L1563), be anything written to it or not (L1741). */
#include "finalize/finalize.h"

#include "base/bytes.h"
#include "base/map.h"
#include "catalog/message.h"
#include "catalog/sass_type.h"
#include "cubin/code.h"
#include "cubin/elf.h"
#include "cubin/known.h"

#include <string.h>

enum { CELL = 32, INSTRUCTION = TL_CODE_INSTRUCTION, OPCODE = 0xfff };
enum { OP_MOVE = 0x802, OP_MOVE_UNIFORM = 0x882, OP_LOAD = 0xb82, OP_LOAD_UNIFORM = 0x7ac };
enum { MOVE_OPERAND = 8, MOVE_VALUE = 12, LOAD_VALUE = 28, LOAD_SIZE = 32, LOAD_MASK = 0xffffff };

/* An instruction that is written to. */
typedef struct code_cell {
  uint32_t mercury, sass; /* sections of the modules */
  uint64_t record, at;    /* in the capsule, 0: none; in the SASS text */
  uint64_t size;          /* when decoded, as far as there are bytes */
  uint32_t entry;         /* the last one that wrote */
  uint32_t written;       /* a bit for every byte */
  uint16_t opcode;        /* of the SASS instruction */
  uint8_t bytes[CELL];
} code_cell;

typedef struct code_writer {
  const tl_module *module, *sass_module;
  tl_arena *arena;
  bool known;
  tl_code code;
  const tl_cubin_section *capsule, *text; /* of that file */
  TL_VECTOR(code_cell) cells;
  tl_map cell_of;  /* by SASS section and instruction */
  tl_map text_of;  /* by file and section: the SASS module's text whose body it is */
  tl_map label_of; /* by SASS section and instruction: the patch of half a place (L1307) */
  uint64_t table;  /* where loads of textures read from */
} code_writer;

static uint64_t writes_body(uint32_t file, uint32_t section) {
  return (uint64_t)file << 32 | section;
}

static void writes_find_texts(code_writer *w) {
  tl_map_init(&w->text_of, w->arena);
  for (uint32_t i = 1; i < w->sass_module->sections.count; i++) {
    const tl_section *const text = &w->sass_module->sections.items[i];
    if (text->flags & SHF_EXECINSTR && text->owner != TL_NONE && text->pieces.count == 1)
      tl_map_set(&w->text_of, writes_body(text->pieces.items[0].file, text->pieces.items[0].section), i);
  }
}

/* Reads the code of a capsule. */
static void writes_read(code_writer *w, uint32_t file, uint32_t capsule) {
  const tl_cubin *const cubin = &w->module->files[file], *const other = &w->sass_module->files[file];
  if (w->capsule == &cubin->sections[capsule])
    return;
  w->capsule = &cubin->sections[capsule];
  const uint32_t text = cubin->sass_text[capsule];
  w->text = &other->sections[text];
  w->known = text && w->text->data &&
             tl_code_read(&w->code, w->capsule->data, w->capsule->size, w->text->data, w->text->size, w->arena);
}

/* The bytes of an instruction before anything is written. */
static void writes_begin(const code_writer *w, const tl_code_place *place, code_cell *cell) {
  enum { RESULT = 1, SHIFT = 6, REGISTER = 2 };
  const uint8_t *const sass = w->text->data + cell->at;
  if (cell->record) {
    memcpy(cell->bytes, w->capsule->data + place->record, (size_t)cell->size);
    return;
  }
  tl_put16(cell->bytes + MOVE_OPERAND, (uint16_t)(sass[REGISTER] << SHIFT | RESULT));
  tl_put32(cell->bytes + MOVE_VALUE, tl_get32(sass + 4));
}

/* Where a record that holds all bytes of an instruction is, by its first byte; 0. */
static uint64_t writes_record(const code_writer *w, const tl_code_place *place) {
  enum { PARTS = 0x50 };
  const bool whole = !place->derived && place->record && !(w->capsule->data[place->record] & PARTS);
  return whole ? place->record : 0;
}

static code_cell *writes_cell(code_writer *w, const tl_patch *patch, uint32_t sass, const tl_code_place *place) {
  enum { UNITS = 15 };
  const uint64_t at = place->sass + (uint64_t)tl_code_known_of(w->text->data, place).own * INSTRUCTION;
  const uint64_t key = tl_pair_key(sass, (uint32_t)(at / INSTRUCTION));
  const uint32_t known = tl_map_get(&w->cell_of, key);
  if (known != TL_NONE)
    return &w->cells.items[known];
  tl_map_set(&w->cell_of, key, (uint32_t)w->cells.count);
  code_cell *const cell = tl_vector_push(w->arena, &w->cells);
  const uint64_t record = writes_record(w, place);
  const uint64_t units = record ? w->capsule->data[record] & UNITS : CELL / INSTRUCTION;
  *cell = (code_cell){.mercury = patch->section,
                      .sass = sass,
                      .record = record,
                      .at = at,
                      .size = tl_smaller(units * INSTRUCTION, CELL),
                      .opcode = tl_get16(w->text->data + at) & OPCODE};
  writes_begin(w, place, cell);
  return cell;
}

/* Every byte of a write into the instruction that it lies in. */
static void writes_add(code_writer *w, const tl_patch *patch) {
  enum { MOST = 16 };
  const tl_relocation *const entry = &w->module->relocations.items[patch->entry];
  const tl_section *const target = &w->module->sections.items[patch->section];
  const uint64_t count = tl_relocation_row_bytes(patch->row);
  uint8_t bytes[MOST] = {0};
  writes_read(w, entry->file, w->module->files[entry->file].sections[entry->section].info);
  if (!w->known || count > MOST || target->owner == TL_NONE)
    return;
  tl_patch_apply(patch, bytes);
  const uint32_t text = (uint32_t)(w->text - w->sass_module->files[entry->file].sections);
  const uint32_t sass = tl_map_get(&w->text_of, writes_body(entry->file, text));
  const uint64_t from =
      tl_cubin_relocation_at(&w->module->files[entry->file].sections[entry->section], entry->index).offset;
  for (uint64_t i = 0; i < count; i++) {
    const tl_code_place *const place = tl_code_find(&w->code, from + i);
    if (!place || !place->count || !place->code || sass == TL_NONE)
      continue;
    code_cell *const cell = writes_cell(w, patch, sass, place);
    const uint64_t within = from + i - place->mercury;
    if (within >= cell->size)
      continue;
    cell->bytes[within] = bytes[i];
    cell->written |= UINT32_C(1) << within;
    cell->entry = patch->entry;
  }
}

/* --- what comes of it --- */

static bool writes_is_load(const code_cell *cell) {
  return cell->record && cell->size == LOAD_SIZE && (cell->opcode == OP_LOAD || cell->opcode == OP_LOAD_UNIFORM);
}

static bool writes_is_move(const code_cell *cell) {
  return cell->opcode == OP_MOVE || cell->opcode == OP_MOVE_UNIFORM;
}

/* A load from the bindless table, by its record (L103). */
static bool writes_is_of_table(const code_cell *cell) {
  enum { KIND = 12, KINDS = 0x3f, TABLE = 9 };
  return writes_is_load(cell) && (cell->bytes[KIND] & KINDS) == TABLE;
}

/* The bytes of a record. */
static void writes_put_record(const code_writer *w, const code_cell *cell, tl_relocated *mercury) {
  static const tl_relocation_row byte = {TL_R_MERCURY + 0x10,      NULL,        TL_RELOC_APPLY,
                                         {{0, 8, TL_PART_ALL, 0}}, TL_TEX_KEEP, TL_R_MERCURY + 0x10};
  for (uint32_t i = 0; cell->record && i < cell->size; i++)
    if (cell->written >> i & 1)
      *tl_vector_push(w->arena, &mercury->patches) = (tl_patch){.offset = cell->record + i,
                                                                .row = &byte,
                                                                .value = cell->bytes[i],
                                                                .section = cell->mercury,
                                                                .entry = cell->entry};
}

/* The SASS instruction. */
static void writes_put_instruction(const code_writer *w, const code_cell *cell, tl_relocated *sass) {
  enum { WORD = TL_R_MERCURY + 3, HALF, ADDRESS = TL_R_MERCURY + 2, PARAMETERS = 0x380, KIND = 12, KINDS = 0x3f };
  const uint32_t operand = 3u << MOVE_OPERAND, value = 15u << MOVE_VALUE;
  tl_patch patch = {.offset = cell->at, .section = cell->sass, .entry = cell->entry};
  if (writes_is_load(cell)) {
    const uint64_t base = writes_is_of_table(cell) ? w->table : cell->bytes[KIND] & KINDS ? 0 : PARAMETERS;
    patch.row = tl_sass_row_in_code(cell->opcode == OP_LOAD ? HALF : WORD, cell->opcode);
    patch.value = base + (tl_get32(cell->bytes + LOAD_VALUE) & LOAD_MASK);
  } else if (writes_is_move(cell) && cell->written & operand) {
    patch.row = tl_sass_row_in_code(ADDRESS, cell->opcode);
    patch.value = tl_get64(cell->bytes + MOVE_OPERAND);
  } else if (writes_is_move(cell) && cell->written & value) {
    patch.row = tl_sass_row_in_code(WORD, cell->opcode);
    patch.value = tl_get32(cell->bytes + MOVE_VALUE);
  }
  if (patch.row)
    *tl_vector_push(w->arena, &sass->patches) = patch;
}

/* Whether a row writes the value of a move or a load on the SASS side. */
static bool writes_is_value(const tl_relocation_row *row) {
  static const uint32_t values[] = {55, 59, 66, 115};
  const uint32_t number = row->type - TL_R_MERCURY;
  const bool mercury = row->type > TL_R_MERCURY && ((number >= 2 && number <= 4) || (number >= 0x10 && number <= 0x17));
  return mercury || TL_AMONG32(values, row->type);
}

/* Whether a write of the SASS side's stays: it is in no code that Mercury's entries write to, or is none of a value. */
static bool writes_leaves(const code_writer *w, const tl_patch *patch) {
  const tl_section *const target = &w->sass_module->sections.items[patch->section];
  if (!(target->flags & SHF_EXECINSTR) || !writes_is_value(patch->row))
    return true;
  const uint64_t key = tl_pair_key(patch->section, (uint32_t)(patch->offset / INSTRUCTION));
  return tl_map_get(&w->cell_of, key) == TL_NONE;
}

/* The SASS place that an entry names, 0 for the end of the code; the high half is 0, too. */
static uint64_t writes_place(const code_writer *w, const tl_kept *kept) {
  enum { HIGH = TL_R_MERCURY + 0x0a };
  const tl_code_place *const target = tl_code_find(&w->code, tl_code_whole((uint64_t)kept->addend));
  return target && kept->type != HIGH ? target->sass : 0;
}

/* The cell of a load of constants that has a record of its own; NULL. */
static const code_cell *writes_find_load(code_writer *w, const tl_code_place *place, uint32_t text) {
  const tl_patch none = {.section = TL_NONE};
  const code_cell *const cell = writes_cell(w, &none, text, place);
  return writes_is_load(cell) ? cell : NULL;
}

/* What the SASS side writes for half a place at a load (L1307), over which places in the code are written. */
static tl_patch *writes_find_label(const code_writer *w, tl_relocated *sass, const tl_patch *patch) {
  const uint32_t index = tl_map_get(&w->label_of, tl_pair_key(patch->section, (uint32_t)(patch->offset / INSTRUCTION)));
  return index == TL_NONE ? NULL : &sass->patches.items[index];
}

/* L1509: an address of the program that stays is what a move has, whatever is written there, and makes a load one of the first bank
 * (L1307), as far as the place is where the text begins or ends. A load's offset is the record's, whatever it loaded (L1742). */
static void writes_put_address(code_writer *w, tl_relocated *sass, const tl_kept *kept, uint32_t text, tl_map *loads) {
  enum { FIRST = 0xd8, SM_120 = 120, WORD = TL_R_MERCURY + 3 };
  const tl_code_place *const place = tl_code_find(&w->code, kept->offset);
  const uint16_t opcode = place && place->count ? tl_get16(w->text->data + place->sass) & OPCODE : 0;
  const bool move = opcode == OP_MOVE || opcode == OP_MOVE_UNIFORM,
             load = opcode == OP_LOAD || opcode == OP_LOAD_UNIFORM;
  const uint64_t target = writes_place(w, kept);
  const code_cell *const own = load ? writes_find_load(w, place, text) : NULL;
  if (!own && tl_code_is_half_place(kept->type)) /* a label of the SASS side's (L1307) */
    return;
  if ((!move && !load) || (load && (target || !tl_set_add(loads, tl_pair_key(text, (uint32_t)place->sass)))))
    return;
  const uint64_t first = w->module->arch < SM_120 ? FIRST : 0;
  const tl_patch patch = {.offset = place->sass,
                          .section = text,
                          .row = move ? tl_sass_row_in_code(WORD, opcode) : tl_sass_row_of_label(opcode),
                          .value = move ? target : first + (own ? tl_get32(own->bytes + LOAD_VALUE) & LOAD_MASK : 0),
                          .rel = load && !own};
  tl_patch *const label = tl_code_is_half_place(kept->type) ? writes_find_label(w, sass, &patch) : NULL;
  if (label)
    *label = patch;
  else
    *tl_vector_push(w->arena, &sass->patches) = patch;
}

static void writes_put_addresses(code_writer *w, const tl_relocated *mercury, tl_relocated *sass) {
  enum { FIRST = TL_R_MERCURY + 0x08, LAST = TL_R_MERCURY + 0x0a };
  tl_map loads;
  tl_map_init(&loads, w->arena);
  for (size_t i = 0; i < mercury->kept.count; i++) {
    const tl_kept *const kept = &mercury->kept.items[i];
    const uint32_t about = w->module->sections.items[kept->container].about;
    const tl_section *const target = about == TL_NONE ? NULL : &w->module->sections.items[about];
    const bool address = kept->type >= FIRST && kept->type <= LAST;
    if (!(address || tl_code_is_half_place(kept->type)) || !target || !(target->flags & SHF_EXECINSTR) ||
        target->owner == TL_NONE || target->pieces.count != 1)
      continue;
    const tl_piece *const piece = &target->pieces.items[0];
    writes_read(w, piece->file, piece->section);
    const uint32_t body = (uint32_t)(w->text - w->sass_module->files[piece->file].sections);
    const uint32_t text = tl_map_get(&w->text_of, writes_body(piece->file, body));
    if (w->known && text != TL_NONE)
      writes_put_address(w, sass, kept, text, &loads);
  }
}

/* Whether a write stays the SASS side's: a place in the code, reserved shared memory, and the size of user constants, which is
 * another number in Mercury's view (L1531). */
static bool writes_is_own(const code_writer *w, const tl_patch *patch) {
  const tl_symbol *const symbol =
      &w->sass_module->symbols.items[w->sass_module->relocations.items[patch->entry].symbol];
  return tl_sass_row_is_label(patch->row) || tl_relocation_is_code_place(patch->row) ||
         patch->row == tl_sass_row_of_reserved() || symbol->constants_size;
}

/* Whether a capsule may hold the record of a load of constants (L103). */
static bool writes_may_load(const tl_cubin_section *capsule) {
  for (uint64_t at = 0; capsule->data && at + LOAD_SIZE <= capsule->size; at++)
    if (capsule->data[at] == 2 && capsule->data[at + 1] == 0x22 && capsule->data[at + 3] == 6)
      return true;
  return false;
}

/* L1741: a load to which nothing is written reads where its record says, too, of a table of textures from where tables begin. */
static void writes_put_load(code_writer *w, const tl_code_place *place, uint32_t text, uint64_t table,
                            tl_relocated *sass) {
  enum { KIND = 12, KINDS = 0x3f, TABLE = 9, FORM = 6, HALF = TL_R_MERCURY + 4, WORD = TL_R_MERCURY + 3 };
  const uint8_t *const record = w->capsule->data + place->record;
  const uint16_t opcode = tl_get16(w->text->data + place->sass) & OPCODE;
  const uint64_t key = tl_pair_key(text, (uint32_t)(place->sass / INSTRUCTION));
  if (w->capsule->size - place->record < LOAD_SIZE || record[0] != 2 || record[1] != 0x22 || record[3] != FORM ||
      (record[KIND] & KINDS) != TABLE || (opcode != OP_LOAD && opcode != OP_LOAD_UNIFORM) ||
      tl_map_get(&w->cell_of, key) != TL_NONE)
    return;
  *tl_vector_push(w->arena, &sass->patches) =
      (tl_patch){.offset = place->sass,
                 .section = text,
                 .row = tl_sass_row_in_code(opcode == OP_LOAD ? HALF : WORD, opcode),
                 .value = table + (tl_get32(record + LOAD_VALUE) & LOAD_MASK)};
}

static void writes_put_loads(code_writer *w, tl_relocated *sass) {
  const uint64_t table = tl_layout_tables_begin(w->sass_module);
  for (uint32_t i = 1; i < w->module->sections.count; i++) {
    const tl_section *const target = &w->module->sections.items[i];
    const tl_piece *const piece = target->pieces.count == 1 ? &target->pieces.items[0] : NULL;
    if (!(target->flags & SHF_EXECINSTR) || target->owner == TL_NONE || !piece ||
        !writes_may_load(&w->module->files[piece->file].sections[piece->section]))
      continue;
    writes_read(w, piece->file, piece->section);
    const uint32_t body = (uint32_t)(w->text - w->sass_module->files[piece->file].sections);
    const uint32_t text = tl_map_get(&w->text_of, writes_body(piece->file, body));
    for (size_t p = 0; w->known && text != TL_NONE && p < w->code.count; p++)
      if (w->code.items[p].record && w->code.items[p].count)
        writes_put_load(w, &w->code.items[p], text, table, sass);
  }
}

/* The SASS side's writes without those, then what is made of Mercury's, then the SASS side's own (L1200, L1307). */
static void writes_change_sass(code_writer *w, tl_relocated *sass) {
  tl_relocated places = {0};
  size_t kept = 0;
  for (size_t i = 0; i < sass->patches.count; i++) {
    const tl_patch patch = sass->patches.items[i];
    if (writes_is_own(w, &patch))
      *tl_vector_push(w->arena, &places.patches) = patch;
    else if (writes_leaves(w, &patch))
      sass->patches.items[kept++] = patch;
  }
  sass->patches.count = kept;
  for (size_t i = 0; i < w->cells.count; i++)
    writes_put_instruction(w, &w->cells.items[i], sass);
  writes_put_loads(w, sass);
  for (size_t i = 0; i < places.patches.count; i++) {
    const tl_patch *const patch = &places.patches.items[i];
    if (tl_sass_row_is_label(patch->row))
      tl_map_set(&w->label_of, tl_pair_key(patch->section, (uint32_t)(patch->offset / INSTRUCTION)),
                 (uint32_t)sass->patches.count);
    *tl_vector_push(w->arena, &sass->patches) = *patch;
  }
}

void tl_finalize_check_code(const tl_relocated *mercury, const tl_module *module) {
  const char *const output = module->options->output_name ? module->options->output_name : "";
  for (size_t i = 0; i < mercury->patches.count; i++) {
    const tl_patch *const patch = &mercury->patches.items[i];
    const tl_section *const section = &module->sections.items[patch->section];
    const tl_site site = {NULL, tl_module_text(module, section->name), NULL, patch->offset};
    if (patch->row->kind == TL_RELOC_UNUSED_CLEAR && section->flags & SHF_EXECINSTR &&
        patch->offset % INSTRUCTION + tl_relocation_row_bytes(patch->row) > INSTRUCTION)
      tl_diagnostics_end(module->diagnostics, tl_message_row_of(TL_MESSAGE_FINALIZER), site, NULL, output);
  }
}

void tl_finalize_capsules(tl_relocated *mercury, const tl_module *module, tl_relocated *sass,
                          const tl_module *sass_module, uint64_t table, tl_arena *arena) {
  code_writer w = {.module = module, .sass_module = sass_module, .arena = arena, .table = table};
  tl_map_init(&w.cell_of, arena);
  tl_map_init(&w.label_of, arena);
  writes_find_texts(&w);
  size_t kept = 0;
  for (size_t i = 0; i < mercury->patches.count; i++) {
    const tl_patch patch = mercury->patches.items[i];
    if (module->sections.items[patch.section].flags & SHF_EXECINSTR)
      writes_add(&w, &patch);
    else
      mercury->patches.items[kept++] = patch;
  }
  mercury->patches.count = kept;
  for (size_t i = 0; i < w.cells.count; i++)
    writes_put_record(&w, &w.cells.items[i], mercury);
  writes_change_sass(&w, sass);
  writes_put_addresses(&w, mercury, sass);
  tl_relocate_time_moves(sass, sass_module, arena);
}
