/* What refers to instructions of a SASS text that others were put in front of (M43): branches, relocation entries, attributes,
 * frames, jump tables, symbol sizes. All of it in the object, before it is linked. */
#include "capsule.h"
#include "frame_layout.h"
#include "relocation_table.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  BASE = 0x01ff,
  BASE_CONVERGE = 0x148,
  OPCODE = 0x0fff,
  CONVERGE_REGISTER = 0x348,
  COLLECTIVE_BIT = 22, /* of the high word */
  BASE_BRANCH = 0x147,
  BASE_INDEXED = 0x149,
  BASE_INDEXED_UNIFORM = 0x158,
  BASE_CALL = 0x144,
  BASE_RETURN = 0x150,
  LOAD_PLACE = 0x94e, /* LEPC of a place */
  MERCURY_RETURN = 0x10008,
  PLACE_LOW = 56, /* of R_CUDA */
  PLACE_HIGH = 57,
  BASE_LABEL = 0x145,
  ENTRY_BYTES = 24,
  WORD = 4,
  ADVANCE_4 = 0x04, /* DW_CFA_advance_loc4 */
  CODE_UNIT = 4
};

typedef struct ref_mover {
  ref_link *link;
  ref_file *file;
  uint32_t text;
  const ref_section *capsule;
  const ref_moves *moves;
  const bool *has_entry;   /* by instruction */
  ref_relocation *entries; /* Mercury's about the capsule, in the order of the file */
  size_t entry_count, entry_capacity;
  const size_t *changed_half; /* ref_moves_find_halves */
} ref_mover;

/* A place that control goes to: what was put in front of an instruction is done first. */
static uint64_t ref_moves_place(const ref_moves *moves, uint64_t offset) {
  const uint64_t number = offset / INSTRUCTION;
  return number <= moves->count ? moves->start[number] * INSTRUCTION + offset % INSTRUCTION : offset;
}

/* An instruction itself. */
static uint64_t ref_moves_instruction(const ref_moves *moves, uint64_t offset) {
  const uint64_t number = offset / INSTRUCTION;
  return number < moves->count ? moves->self[number] * INSTRUCTION + offset % INSTRUCTION : offset;
}

static uint8_t *ref_moves_copy(ref_link *link, ref_section *section) {
  ref_bytes copy = {0};
  ref_bytes_add(link, &copy, section->data, (size_t)section->size);
  section->data = copy.data;
  return copy.data;
}

static bool ref_moves_has_entry(const ref_mover *mover, uint64_t offset) {
  return offset / INSTRUCTION < mover->moves->count && mover->has_entry[offset / INSTRUCTION];
}

/* By instruction, what the SASS side has entries at. RF1152: of those Mercury's side has none at count for nothing, if it has a table about
 * the text. */
static const bool *ref_moves_find_entries(const ref_mover *mover) {
  const ref_cubin *cubin = &mover->file->whole;
  const size_t count = mover->moves->count;
  bool *own = REF_TAKE(mover->link, bool, count + 1), *theirs = REF_TAKE(mover->link, bool, count + 1), table = false;
  const ref_places places = ref_places_of_sections(mover->link, mover->capsule, &cubin->sections[mover->text]);
  const ref_units units = ref_places_units(mover->link, &places);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    const bool sass = section->type == REF_TYPE_RELA && section->info == mover->text;
    const bool mercury = section->type == REF_TYPE_MERCURY_RELA && section->info == mover->capsule - cubin->sections;
    table = table || mercury;
    for (size_t k = 0; (sass || mercury) && k < ref_cubin_relocation_count(cubin, i); k++) {
      const uint64_t offset = ref_cubin_relocation(cubin, i, k).offset;
      const uint64_t place = (sass ? offset : ref_units_around(&units, offset)) / INSTRUCTION;
      *(place < count ? &(sass ? own : theirs)[place] : &own[count]) = true;
    }
  }
  for (size_t i = 0; table && i < count; i++) {
    own[i] = own[i] && theirs[i];
  }
  return own;
}

/* What names a place 56 bits wide. */
static bool ref_moves_is_branch(const uint8_t *instruction) {
  const unsigned opcode = ref_u16(instruction) & OPCODE, base = opcode & BASE;
  const bool collective = (ref_u64(instruction + 8) >> COLLECTIVE_BIT & 1) != 0; /* RF234 */
  return base == BASE_BRANCH || base == BASE_INDEXED || base == BASE_INDEXED_UNIFORM || base == BASE_CALL ||
         base == BASE_RETURN || (base == BASE_CONVERGE && (opcode == CONVERGE_REGISTER || collective));
}

/* L725: LEPC names a place behind it, in bytes. */
static void ref_moves_load_place(const ref_mover *mover, const uint8_t *old, uint64_t from, ref_bytes *sass) {
  static const ref_field distance = {24, 32, REF_FROM_ABS};
  const uint64_t target = from + INSTRUCTION + ref_field_read(&distance, old, INSTRUCTION, 0);
  const uint64_t at = ref_moves_instruction(mover->moves, from);
  if (target <= mover->moves->count * INSTRUCTION) {
    ref_field_write(&distance, sass->data, sass->size, at, ref_moves_place(mover->moves, target) - at - INSTRUCTION);
  }
}

/* T13: 8 bits at 16 and 48 at 34; T20: BSSY has 30 bits at 34. From the next instruction, in units of 4 bytes. */
static void ref_moves_aim(const ref_mover *mover, const uint8_t *old, uint64_t from, ref_bytes *sass) {
  static const ref_field low = {16, 8, REF_FROM_ABS}, high = {34, 48, REF_FROM_ABS}, label = {34, 30, REF_FROM_ABS};
  const unsigned base = ref_u16(old) & BASE;
  const bool is_label = base == BASE_LABEL;
  if (!ref_moves_is_branch(old) && !is_label) {
    return;
  }
  const unsigned width = is_label ? label.width : low.width + high.width;
  uint64_t distance = is_label ? ref_field_read(&label, old, INSTRUCTION, 0)
                               : ref_field_read(&low, old, INSTRUCTION, 0) | ref_field_read(&high, old, INSTRUCTION, 0)
                                                                                 << low.width;
  if ((distance >> (width - 1) & 1) != 0) {
    distance |= UINT64_MAX << width;
  }
  const uint64_t target = from + INSTRUCTION + distance * CODE_UNIT;
  if (target > mover->moves->count * INSTRUCTION) {
    return;
  }
  const uint64_t at = ref_moves_instruction(mover->moves, from);
  const uint64_t now = (ref_moves_place(mover->moves, target) - at - INSTRUCTION) / CODE_UNIT;
  if (is_label) {
    ref_field_write(&label, sass->data, sass->size, at, now);
  } else {
    ref_field_write(&low, sass->data, sass->size, at, now);
    ref_field_write(&high, sass->data, sass->size, at, now >> low.width);
  }
}

static void ref_moves_aim_all(const ref_mover *mover, ref_bytes *sass) {
  const ref_section *text = &mover->file->whole.sections[mover->text];
  for (uint64_t at = 0; at + INSTRUCTION <= text->size; at += INSTRUCTION) {
    if (ref_moves_has_entry(mover, at)) {
      continue;
    }
    if ((ref_u16(text->data + at) & OPCODE) == LOAD_PLACE) {
      ref_moves_load_place(mover, text->data + at, at, sass);
    } else {
      ref_moves_aim(mover, text->data + at, at, sass);
    }
  }
}

/* L725: where a call of a function inside the text comes back to, a number in a move that the Mercury view has an entry at. */
static void ref_moves_return(const ref_mover *mover, const ref_places *places, uint64_t decoded, ref_bytes *sass) {
  static const ref_field number = {32, 32, REF_FROM_ABS};
  const uint8_t *text = mover->file->whole.sections[mover->text].data;
  const uint64_t at = ref_places_around(places, decoded);
  if (places->end != 0 && !ref_moves_has_entry(mover, at)) {
    const uint64_t old = ref_field_read(&number, text + at, INSTRUCTION, 0);
    ref_field_write(&number, sass->data, sass->size, ref_moves_instruction(mover->moves, at),
                    ref_moves_place(mover->moves, old));
  }
}

static void ref_moves_list_entries(ref_mover *mover) {
  const ref_cubin *cubin = &mover->file->whole;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->type != REF_TYPE_MERCURY_RELA || section->info != mover->capsule - cubin->sections) {
      continue;
    }
    for (size_t k = 0; k < ref_cubin_relocation_count(cubin, i); k++) {
      mover->entries = ref_memory_grow(mover->link, mover->entries, mover->entry_count, &mover->entry_capacity,
                                       sizeof *mover->entries);
      mover->entries[mover->entry_count++] = ref_cubin_relocation(cubin, i, k);
    }
  }
}

static void ref_moves_returns(const ref_mover *mover, ref_bytes *sass) {
  const ref_cubin *cubin = &mover->file->whole;
  const ref_places places = ref_places_of_sections(mover->link, mover->capsule, &cubin->sections[mover->text]);
  for (size_t k = 0; k < mover->entry_count; k++) {
    if (mover->entries[k].type == MERCURY_RETURN) {
      ref_moves_return(mover, &places, mover->entries[k].offset, sass);
    }
  }
}

/* RF1146: by instruction, which of Mercury's halves there is changed to a place in the SASS text, counted in the order of the file: the one
 * of the largest offset, of those the last. */
static const size_t *ref_moves_find_halves(const ref_mover *mover) {
  const ref_cubin *cubin = &mover->file->whole;
  const size_t count = mover->moves->count;
  const ref_places places = ref_places_of_sections(mover->link, mover->capsule, &cubin->sections[mover->text]);
  const ref_units units = ref_places_units(mover->link, &places);
  size_t *changed = REF_TAKE(mover->link, size_t, count + 1), *seen = REF_TAKE(mover->link, size_t, count + 1);
  uint64_t *largest = REF_TAKE(mover->link, uint64_t, count + 1);
  for (size_t k = 0; k < mover->entry_count; k++) {
    const ref_relocation *entry = &mover->entries[k];
    const uint64_t place = ref_units_around(&units, entry->offset) / INSTRUCTION;
    if (place < count && (entry->type == REF_MERCURY_RETURN_LOW || entry->type == REF_MERCURY_RETURN_HIGH)) {
      changed[place] = entry->offset >= largest[place] ? seen[place] : changed[place];
      largest[place] = ref_larger(entry->offset, largest[place]);
      seen[place]++;
    }
  }
  return changed;
}

/* Entries in the text move with their instructions; of halves of a place in the function itself (RF987: and of no others) the addend does. */
static void ref_moves_relocations(const ref_mover *mover, ref_section *section) {
  uint8_t *data = ref_moves_copy(mover->link, section);
  const ref_cubin *cubin = &mover->file->whole;
  const size_t count = mover->moves->count, *changed = mover->changed_half;
  size_t *seen = REF_TAKE(mover->link, size_t, count + 1);
  for (uint64_t at = 0; at + ENTRY_BYTES <= section->size; at += ENTRY_BYTES) {
    const uint32_t symbol = ref_u32(data + at + 12);
    const uint32_t type = ref_u32(data + at + 8);
    const uint64_t place = ref_smaller(ref_u64(data + at) / INSTRUCTION, count);
    const bool half = type == PLACE_LOW || type == PLACE_HIGH;
    const bool own = symbol < cubin->symbol_count && cubin->symbols[symbol].section == mover->text && half;
    ref_put_u64(data + at, ref_moves_instruction(mover->moves, ref_u64(data + at)));
    if (own && seen[place] == changed[place]) {
      ref_put_u64(data + at + 16, ref_moves_place(mover->moves, ref_u64(data + at + 16)));
    }
    seen[place] += half;
  }
}

const ref_moved_attribute *ref_moves_find_attribute(uint8_t code) {
  static const ref_moved_attribute rows[] = {{0x1c, 4, 0}, {0x28, 4, 0}, {0x31, 4, 0},  {0x46, 4, 0},  {0x47, 4, 0},
                                             {0x57, 4, 0}, {0x2e, 8, 0}, {0x39, 16, 0}, {0x40, 12, 0}, {0x44, 8, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].code == code) {
      return &rows[i];
    }
  }
  return NULL;
}

static void ref_moves_branch_targets(const ref_moves *moves, uint8_t *data, uint64_t size);

bool ref_moves_next_annotation(const uint8_t *data, uint64_t size, uint64_t *position, uint64_t *place) {
  enum { PLACE = 1, TEXT_AT_PLACE = 2, TEXT = 3 };
  bool found = false;
  uint64_t at = *position;
  while (!found && size - at >= WORD) {
    const uint32_t kind = ref_u32(data + at);
    at += WORD;
    if ((kind == PLACE || kind == TEXT_AT_PLACE) && size - at >= WORD) {
      found = true;
      *place = at;
      at += WORD;
    }
    if ((kind == TEXT || kind == TEXT_AT_PLACE) && size - at >= WORD) {
      const uint64_t text = ((uint64_t)ref_u32(data + at) + WORD - 1) / WORD * WORD + WORD;
      at += ref_smaller(text, size - at);
    }
  }
  *position = at;
  return found;
}

static void ref_moves_attribute(const ref_mover *mover, const ref_attribute *attribute, uint8_t *data) {
  const ref_moved_attribute *row = ref_moves_find_attribute(attribute->code);
  const uint8_t branch_targets = 0x34, annotation = 0x55;
  if (row != NULL) {
    for (uint64_t at = row->at; at + WORD <= attribute->size; at += row->stride) {
      ref_put_u32(data + at, (uint32_t)ref_moves_instruction(mover->moves, ref_u32(data + at)));
    }
  }
  if (attribute->code == branch_targets) {
    ref_moves_branch_targets(mover->moves, data, attribute->size);
  }
  uint64_t position = 0, place = 0;
  while (attribute->code == annotation && ref_moves_next_annotation(data, attribute->size, &position, &place)) {
    ref_put_u32(data + place, (uint32_t)ref_moves_instruction(mover->moves, ref_u32(data + place)));
  }
}

/* Records of the branch, a word, the number of targets, the targets. */
static void ref_moves_branch_targets(const ref_moves *moves, uint8_t *data, uint64_t size) {
  uint64_t at = 0;
  while (size - at >= 3 * WORD) {
    ref_put_u32(data + at, (uint32_t)ref_moves_instruction(moves, ref_u32(data + at)));
    uint64_t left = ref_u32(data + at + 2 * WORD);
    for (at += 3 * WORD; left > 0 && size - at >= WORD; left--, at += WORD) {
      ref_put_u32(data + at, (uint32_t)ref_moves_place(moves, ref_u32(data + at)));
    }
  }
}

static void ref_moves_attributes(const ref_mover *mover, ref_section *section) {
  uint8_t *data = ref_moves_copy(mover->link, section);
  ref_attribute attribute;
  uint64_t position = 0;
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    if (attribute.format == 4) {
      ref_moves_attribute(mover, &attribute, data + (attribute.data - section->data));
    }
  }
}

/* The rows of a frame that begins at `start`: every advance is given anew. */
static void ref_moves_rows(const ref_moves *moves, uint64_t start, uint8_t *rows, uint64_t size) {
  uint64_t at = 0, old = start, now = ref_moves_place(moves, start);
  while (at + 1 + WORD <= size) {
    if (rows[at] != ADVANCE_4) {
      at = ref_rows_end_of(rows, (size_t)size, (size_t)at);
      continue;
    }
    old += (uint64_t)ref_u32(rows + at + 1) * CODE_UNIT;
    const uint64_t place = ref_moves_place(moves, old);
    ref_put_u32(rows + at + 1, (uint32_t)((place - now) / CODE_UNIT));
    now = place;
    at += 1 + WORD;
  }
}

/* `start`: of a function inside the text (L720). */
static void ref_moves_frame(const ref_mover *mover, ref_section *frames, uint64_t address_at, uint64_t start) {
  if (frames->data == NULL || address_at < REF_FRAME_ADDRESS_AT || address_at - REF_FRAME_ADDRESS_AT > frames->size ||
      frames->size - (address_at - REF_FRAME_ADDRESS_AT) < REF_FRAME_ROWS_AT) {
    return;
  }
  uint8_t *frame = ref_moves_copy(mover->link, frames) + (address_at - REF_FRAME_ADDRESS_AT);
  const uint64_t length = ref_u64(frame + REF_FRAME_LENGTH_AT);
  if (ref_u32(frame) != REF_FRAME_WIDE || length < REF_FRAME_ROWS_AT - REF_FRAME_HEAD ||
      length > frames->size - (address_at - REF_FRAME_ADDRESS_AT) - REF_FRAME_HEAD) {
    return;
  }
  const uint64_t text = mover->moves->count * INSTRUCTION, end = start + ref_u64(frame + REF_FRAME_RANGE_AT);
  ref_put_u64(frame + REF_FRAME_RANGE_AT,
              ref_moves_place(mover->moves, ref_smaller(end, text)) - ref_moves_place(mover->moves, start));
  ref_moves_rows(mover->moves, start, frame + REF_FRAME_ROWS_AT, REF_FRAME_HEAD + length - REF_FRAME_ROWS_AT);
}

/* RF1176: those that have been made of Mercury's, whatever their entries are about. */
static void ref_moves_made_frames(const ref_mover *mover) {
  const ref_indices *made = &mover->file->made_rows;
  for (size_t i = 0; i + 1 < made->count; i += 2) {
    if (made->items[i + 1] == mover->text) {
      ref_moves_frame(mover, &mover->file->whole.sections[mover->file->made_frames],
                      made->items[i] + REF_FRAME_ADDRESS_AT, 0);
    }
  }
}

/* The frame whose address names a function of this text. */
static void ref_moves_frames(const ref_mover *mover, uint32_t relocations) {
  const ref_cubin *cubin = &mover->file->whole;
  if (mover->file->made_frames != 0 && cubin->sections[relocations].info == mover->file->made_frames) {
    return;
  }
  ref_section *frames = &mover->file->whole.sections[cubin->sections[relocations].info];
  const uint32_t address = 2; /* R_CUDA_64 */
  for (size_t k = 0; k < ref_cubin_relocation_count(cubin, relocations); k++) {
    const ref_relocation entry = ref_cubin_relocation(cubin, relocations, k);
    if (entry.type == address && entry.symbol < cubin->symbol_count &&
        cubin->symbols[entry.symbol].section == mover->text &&
        (cubin->symbols[entry.symbol].info & 15) == REF_SYMBOL_FUNC) {
      ref_moves_frame(mover, frames, entry.offset, (uint64_t)entry.addend);
    }
  }
}

/* M20: the places of jump targets among the compiler constants, where the Mercury view has entries. RF1143: each word once, by the last entry
 * that says a place there. */
static void ref_moves_jump_table(const ref_mover *mover, const char *function, uint32_t number) {
  ref_cubin *cubin = &mover->file->whole;
  const char *name = ref_memory_join(mover->link, ref_view_sass.optimizer_prefix, function);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    ref_section *table = &cubin->sections[i];
    if (table->info != mover->text || table->data == NULL || strcmp(table->name, name) != 0) {
      continue;
    }
    uint8_t *data = ref_moves_copy(mover->link, table);
    bool *is_moved = REF_TAKE(mover->link, bool, (size_t)table->size + 1);
    for (size_t k = ref_cubin_relocation_count(cubin, number); k-- > 0;) {
      const ref_relocation entry = ref_cubin_relocation(cubin, number, k);
      const uint64_t at = entry.offset;
      ref_field field;
      if (at > table->size || table->size - at < WORD || is_moved[at] || !ref_data_place_field(entry.type, &field)) {
        continue;
      }
      is_moved[at] = true;
      if (entry.type == REF_MERCURY_PLACE_32) {
        ref_put_u32(data + at, (uint32_t)ref_moves_place(mover->moves, ref_u32(data + at)));
      }
    }
  }
}

static void ref_moves_symbols(const ref_mover *mover, uint64_t size) {
  ref_cubin *cubin = &mover->file->whole;
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    ref_symbol *symbol = &cubin->symbols[i];
    if (symbol->section == mover->text && (symbol->info & 15) == REF_SYMBOL_FUNC &&
        symbol->size == cubin->sections[mover->text].size) {
      symbol->size = size;
    }
  }
}

/* `sass` is the new text; the object still has the old one, and the old capsule. */
void ref_moves_apply(ref_link *link, ref_file *file, uint32_t text, const ref_section *capsule, const ref_moves *moves,
                     ref_bytes *sass) {
  static const char table[] = ".nv.merc.rela.nv.constant.optimizer.";
  ref_mover mover = {.link = link, .file = file, .text = text, .capsule = capsule, .moves = moves};
  mover.has_entry = ref_moves_find_entries(&mover);
  ref_moves_list_entries(&mover);
  mover.changed_half = ref_moves_find_halves(&mover);
  ref_moves_aim_all(&mover, sass);
  ref_moves_returns(&mover, sass);
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    ref_section *section = &file->whole.sections[i];
    const char *target = section->type == REF_TYPE_RELA && section->info < file->whole.section_count
                             ? file->whole.sections[section->info].name
                             : "";
    if (section->data == NULL) {
      continue;
    }
    if (strncmp(section->name, table, strlen(table)) == 0) {
      ref_moves_jump_table(&mover, section->name + strlen(table), i);
    } else if (REF_IS(target, ".debug_frame")) {
      ref_moves_frames(&mover, i);
    } else if (REF_IS(target, ".debug_line") || REF_IS(target, ".nv_debug_line_sass")) {
      ref_line_moves_apply(link, &file->whole, text, moves, section);
    } else if (section->info == text && section->type == REF_TYPE_RELA) {
      ref_moves_relocations(&mover, section);
    } else if (section->info == text && section->type == REF_TYPE_INFO) {
      ref_moves_attributes(&mover, section);
    }
  }
  ref_moves_made_frames(&mover);
  ref_moves_symbols(&mover, sass->size);
}

void ref_moves_edit_texts(ref_link *link, ref_file *file,
                          void (*edit)(ref_link *, ref_file *, ref_section *, uint32_t)) {
  for (uint32_t k = 1; k < file->whole.section_count; k++) {
    ref_section *capsule = &file->whole.sections[k];
    const uint32_t text = capsule->data != NULL && capsule->size >= 4 ? ref_u32(capsule->data) : 0;
    const ref_section *sass = text < file->whole.section_count ? &file->whole.sections[text] : NULL;
    if (capsule->type == REF_TYPE_CAPSULE_TEXT && sass != NULL && sass->data != NULL &&
        (sass->flags & REF_FLAG_EXEC) != 0) {
      edit(link, file, capsule, text);
    }
  }
  file->cubin = file->whole;
}
