/* What follows when instructions of a text are put in or left out: branches in it, entries and return addresses, offsets in
 * .nv.info, frames, sizes (L134, L691). A text of which some place is not understood is told from the others here, and is
 * left as it is by those who ask. */
#include "finalize/moved_text.h"

#include "base/bytes.h"
#include "base/map.h"
#include "cubin/attribute.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"
#include "cubin/frame_writer.h"

#include <string.h>

enum { INSTRUCTION = TL_MOVED_INSTRUCTION, TEXT_UNIT = 128, OPCODE_MASK = 0xfff };
enum {
  OP_INDIRECT = 0x949,
  OP_INDIRECT_UNIFORM = 0x958,
  OP_NOP = 0x918,
  OP_BRANCH = 0x947,
  OP_CALL = 0x944,
  OP_CALL_PLACE = 0x344, /* of a register, counted from the text's beginning (L1036) */
  OP_RETURN = 0x950,
  OP_EXIT = 0x94d,
  OP_PLACE = 0x94e,
  OP_BSSY = 0x945,
  OP_COLLECTIVE = 0x348,
  OP_WARPSYNC = 0x948
};

static uint16_t moved_opcode(const uint8_t *at) {
  return tl_get16(at) & OPCODE_MASK;
}

uint16_t tl_moved_opcode(const tl_moved_text *t, uint32_t index) {
  return moved_opcode(t->bytes + (uint64_t)index * INSTRUCTION);
}

/* What names a place as a branch does: an indirect one that of what its table counts from, which is 0 (L967). The collective forms of WARPSYNC do; -O0 code has one whose opcode is that of the
 * others. */
static bool moved_is_branch(const uint8_t *at) {
  const uint16_t opcode = moved_opcode(at);
  const bool collective = tl_get64(at + 8) >> 22 & 1;
  return opcode == OP_BRANCH || opcode == OP_INDIRECT || opcode == OP_INDIRECT_UNIFORM || opcode == OP_CALL ||
         opcode == OP_CALL_PLACE || opcode == OP_RETURN || opcode == 0x547 || opcode == 0xb47 ||
         opcode == OP_COLLECTIVE || (opcode == OP_WARPSYNC && collective);
}

/* LEPC of a place behind it, which -pic and -sanitize write: 32 bits of bytes at 24, from the next instruction. Nothing is
 * put in before that place, or left out (L761). */
static bool moved_is_place(const uint8_t *at) {
  return moved_opcode(at) == OP_PLACE && tl_get64(at) >> 55 == 0 && (tl_get64(at + 8) & 0x3ffff) == 0;
}

/* Of the instructions that decide what is executed next (base 0x140 to 0x15f) those that name no place, and the branches
 * and BSSY, whose places are moved. */
static bool moved_knows(const uint8_t *at) {
  const uint16_t opcode = moved_opcode(at);
  static const uint16_t known[] = {0x941, 0x942, 0x943, 0x343, OP_BSSY, 0x946, OP_WARPSYNC, 0x94d,
                                   0x95c, 0x95d, 0x352, 0x353, 0x355,   0x356, 0x35d,       0x540};
  if ((opcode & 0x1e0) != 0x140 || moved_is_branch(at) || moved_is_place(at))
    return true;
  return TL_AMONG16(known, opcode);
}

uint64_t tl_moved_padded(uint64_t code) {
  return tl_align(code + TEXT_UNIT, TEXT_UNIT);
}

tl_moved_text tl_moved_read(const tl_cubin_section *text, tl_arena *arena) {
  tl_moved_text t = {text->data, (uint32_t)(text->size / INSTRUCTION), NULL, NULL, 0};
  while (t.count && tl_moved_opcode(&t, t.count - 1) == OP_NOP)
    t.count--;
  t.place = tl_arena_new(arena, uint64_t, (size_t)t.count + 1);
  for (uint32_t i = 0; i <= t.count; i++)
    t.place[i] = (uint64_t)i * INSTRUCTION;
  return t;
}

uint64_t tl_moved_place(const tl_moved_text *t, uint64_t place) {
  const uint64_t index = place / INSTRUCTION < t->count ? place / INSTRUCTION : t->count;
  return t->place[index] + (place - index * INSTRUCTION);
}

/* --- what is understood --- */

bool tl_moved_is_function(const tl_cubin *sass, uint32_t section) {
  const tl_cubin_section *const text = &sass->sections[section];
  return text->flags & SHF_EXECINSTR && text->type == SHT_PROGBITS &&
         tl_cubin_symbol_at(sass, tl_cubin_primary(sass, section))->section == section;
}

bool tl_moved_is_kernel(const tl_cubin *sass, uint32_t section) {
  return tl_moved_is_function(sass, section) &&
         tl_cubin_symbol_at(sass, tl_cubin_primary(sass, section))->other & STO_ENTRY;
}

bool tl_moved_text_is_plain(const tl_cubin_section *text, tl_arena *arena) {
  const tl_moved_text t = tl_moved_read(text, arena);
  for (uint32_t i = 0; i < t.count; i++)
    if (!moved_knows(t.bytes + (uint64_t)i * INSTRUCTION))
      return false;
  return tl_moved_padded((uint64_t)t.count * INSTRUCTION) == text->size;
}

/* Attributes that name places in the code: the byte of the first one, and how far the next is; 0 where that is not known. */
typedef struct moved_attribute {
  uint8_t code, first, step;
} moved_attribute;

enum { EXITS = 0x1c, ANNOTATED = 253, TARGETS = 254, ONE_ALONE = 255 };

static const moved_attribute moved_attributes[] = {
    {EXITS, 0, 4},      {0x1d, 0, 4},         {0x28, 0, 4},         {0x2e, 0, 8}, {0x31, 0, 4},
    {0x34, 0, TARGETS}, {0x39, 0, 16},        {0x40, 0, ONE_ALONE}, {0x44, 0, 8}, {0x46, 0, 4},
    {0x47, 0, 0},       {0x55, 0, ANNOTATED}, {0x57, 0, 0},
};

/* NULL for one that names none. */
static const moved_attribute *moved_attribute_of(uint8_t code) {
  for (size_t i = 0; i < sizeof moved_attributes / sizeof *moved_attributes; i++)
    if (moved_attributes[i].code == code)
      return &moved_attributes[i];
  return NULL;
}

static bool moved_info_is_plain(const tl_cubin_section *info) {
  tl_record record;
  for (uint64_t position = 0; tl_record_next_whole(info, &position, &record);) {
    const moved_attribute *const row = moved_attribute_of(record.code);
    if (row && !row->step)
      return false;
  }
  return true;
}

bool tl_moved_capsule_is_plain(const tl_cubin *mercury, uint32_t section, const tl_cubin_section *text,
                               const int64_t **items, tl_arena *arena) {
  const uint64_t all = text->size / INSTRUCTION;
  const tl_moved_text t = tl_moved_read(text, arena);
  if (!section)
    return false;
  const tl_capsule capsule = tl_capsule_of(&mercury->sections[section]);
  int64_t *const numbers = tl_arena_new(arena, int64_t, all);
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item = {0};
  uint64_t at = 0;
  while (tl_capsule_next_item(&capsule, &cursor, &item)) {
    for (uint32_t i = 0; i < item.count; i++)
      numbers[at++] = item.derived ? TL_MOVED_NO_ITEM : (int64_t)cursor.index - 1;
  }
  *items = numbers;
  const bool ends = !item.derived && !item.units && at - item.count == (uint64_t)t.count - 1;
  return ends && cursor.offset == capsule.size;
}

void tl_moved_keep_plain(const tl_cubin *sass, bool *texts) {
  for (uint32_t i = 1; i < sass->section_count; i++) {
    const tl_cubin_section *const section = &sass->sections[i];
    if (section->info >= sass->section_count || !texts[section->info])
      continue;
    if ((section->type == SHT_RELA && section->entry_size != ELF_RELA_SIZE) ||
        (section->type == SHT_CUDA_INFO && !moved_info_is_plain(section)))
      texts[section->info] = false;
  }
}

/* --- the text --- */

static void moved_put(uint8_t *at, uint64_t low, uint64_t high) {
  tl_put64(at, low);
  tl_put64(at + 8, high);
}

/* A branch: 56 bits in words, the low 8 at 16, the high 48 at 34 (T13). BSSY: 30 bits in words at 34 (T20). */
static void moved_move_target(const tl_moved_text *t, uint32_t index, uint8_t *to) {
  uint64_t low = tl_get64(to), high = tl_get64(to + 8);
  const uint64_t next = ((uint64_t)index + 1) * INSTRUCTION;
  const bool branch = moved_is_branch(to);
  const uint64_t words = (low >> 16 & 0xff) | (low >> 34) << 8 | (high & 0x3ffff) << 38;
  const int64_t offset = branch ? (int64_t)(words << 8) >> 6 : (int64_t)(low & ~(uint64_t)0x3ffffffff) >> 32;
  const uint64_t target = next + (uint64_t)offset;
  if (target >= (uint64_t)t->count * INSTRUCTION)
    return;
  const uint64_t moved = tl_moved_place(t, target) - t->place[index + 1];
  const uint64_t value = (uint64_t)((int64_t)moved >> 2);
  if (branch) {
    low = (low & UINT64_C(0x3ff00ffff)) | (value & 0xff) << 16 | (value >> 8) << 34;
    high = (high & ~UINT64_C(0x3ffff)) | (value >> 38 & 0x3ffff);
  } else {
    low = (low & UINT64_C(0x3ffffffff)) | value << 34;
  }
  moved_put(to, low, high);
}

static uint8_t *moved_write(tl_cubin_section *text, const tl_moved_text *t, tl_arena *arena) {
  const uint64_t size = tl_moved_padded(t->place[t->count]);
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, size);
  for (uint8_t *to = bytes; to < bytes + size; to += INSTRUCTION)
    moved_put(to, 0x7918, UINT64_C(0x000fc00000000000));
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->place[i] == t->place[i + 1])
      continue;
    uint8_t *const to = bytes + t->place[i + 1] - INSTRUCTION;
    memcpy(to, t->bytes + (uint64_t)i * INSTRUCTION, INSTRUCTION);
    if (moved_is_branch(to) || moved_opcode(to) == OP_BSSY)
      moved_move_target(t, i, to);
    else if (t->returns && t->returns[i]) /* L725 */
      tl_put32(to + 4, (uint32_t)tl_moved_place(t, tl_get32(to + 4)));
  }
  text->data = bytes;
  text->size = size;
  return bytes;
}

/* --- what is about it --- */

/* Entries in the text, and those against the function with a place in it: return addresses. */
static void moved_move_entries(const tl_cubin *sass, tl_cubin_section *entries, const tl_moved_text *t,
                               tl_arena *arena) {
  const uint64_t count = tl_cubin_relocation_count(entries);
  uint8_t *const bytes = tl_arena_copy(arena, entries->data, entries->size);
  for (uint64_t i = 0; i < count; i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(entries, i);
    uint8_t *const at = bytes + i * ELF_RELA_SIZE;
    tl_put64(at, tl_moved_place(t, entry.offset - entry.offset % INSTRUCTION) + entry.offset % INSTRUCTION);
    const bool own = tl_cubin_symbol_at(sass, entry.symbol)->section == entries->info;
    const bool place = !entries->places || entries->places[i]; /* L1540 */
    if (own && place && entry.addend > 0 && (uint64_t)entry.addend < (uint64_t)t->count * INSTRUCTION)
      tl_put64(at + 16, tl_moved_place(t, (uint64_t)entry.addend));
  }
  entries->data = bytes;
}

/* Lists of targets: the place of an indirect branch, a word, their number, and they. */
static void moved_move_targets(uint8_t *data, uint64_t size, const tl_moved_text *t) {
  enum { WORD = 4, HEAD = 3 * WORD };
  for (uint64_t at = 0; size - at >= HEAD;) {
    const uint64_t count = tl_get32(data + at + 8), room = (size - at - HEAD) / WORD;
    tl_put32(data + at, (uint32_t)tl_moved_place(t, tl_get32(data + at)));
    at += HEAD;
    for (uint64_t i = 0; i < count && i < room; i++, at += WORD)
      tl_put32(data + at, (uint32_t)tl_moved_place(t, tl_get32(data + at)));
  }
}

static void moved_move_annotations(uint8_t *data, uint64_t size, const tl_moved_text *t) {
  for (uint64_t position = 0, place; tl_annotation_next(data, size, &position, &place);)
    tl_put32(data + place, (uint32_t)tl_moved_place(t, tl_get32(data + place)));
}

/* What is put in before the instruction at a place that a list of EXITs names: nothing where that is no EXIT (L1554). */
static uint64_t moved_before(const tl_moved_text *t, uint64_t place) {
  const uint64_t index = place / INSTRUCTION;
  return index < t->count && tl_moved_opcode(t, (uint32_t)index) == OP_EXIT ? t->exit : 0;
}

static void moved_move_info(tl_cubin_section *info, const tl_moved_text *t, tl_arena *arena) {
  uint8_t *const bytes = tl_arena_copy(arena, info->data, info->size);
  tl_record record;
  for (uint64_t position = 0; tl_record_next_whole(info, &position, &record);) {
    const moved_attribute *const row = moved_attribute_of(record.code);
    uint8_t *const data = bytes + (record.data - info->data);
    const bool exits = record.code == EXITS;
    const uint64_t size = record.format == 4 ? record.size : 0;
    if (row && row->step >= ANNOTATED && row->step <= TARGETS) {
      (row->step == TARGETS ? moved_move_targets : moved_move_annotations)(data, size, t);
      continue;
    }
    for (uint64_t i = row ? row->first : 0; row && i + 4 <= size; i += row->step == ONE_ALONE ? size : row->step)
      tl_put32(data + i,
               (uint32_t)(tl_moved_place(t, tl_get32(data + i)) + (exits ? moved_before(t, tl_get32(data + i)) : 0)));
  }
  info->data = bytes;
}

/* --- frames --- */

enum { FRAME_ADDRESS = 20, FRAME_CODE = 28, FRAME_FDE = 36, FRAME_UNIT = 4 };

/* Where a part of a text ends that has ended at a place of the old one: the text's own end stays its end. */
static uint64_t moved_end(const tl_moved_text *t, uint64_t end) {
  const uint64_t old = tl_moved_padded((uint64_t)t->count * INSTRUCTION);
  return end >= old ? tl_moved_padded(t->place[t->count]) : tl_moved_place(t, end);
}

/* `start`: of its function in the text (L1886). */
static void moved_move_frame(uint8_t *frame, uint64_t size, const tl_moved_text *t, uint64_t start) {
  enum { ADVANCE_4 = 4, ADVANCE_SIZE = 5 };
  uint64_t from = start, to = tl_moved_place(t, start);
  tl_put64(frame + FRAME_CODE, moved_end(t, start + tl_get64(frame + FRAME_CODE)) - to);
  if (start)
    tl_put64(frame + FRAME_ADDRESS, to);
  for (uint64_t i = FRAME_FDE; i < size;) {
    if (frame[i] != ADVANCE_4) {
      const uint64_t length = tl_frame_instruction_size(frame + i, size - i);
      if (frame[i] && !length)
        return;
      i += frame[i] ? length : 1;
      continue;
    }
    if (size - i < ADVANCE_SIZE)
      return;
    from += (uint64_t)tl_get32(frame + i + 1) * FRAME_UNIT;
    const uint64_t place = tl_moved_place(t, from);
    tl_put32(frame + i + 1, (uint32_t)((place - to) / FRAME_UNIT));
    to = place;
    i += ADVANCE_SIZE;
  }
}

/* A frame of nobody, which was not translated (L1304). */
static bool moved_is_bare(const uint8_t *frame) {
  enum { BARE_LENGTH = 28 };
  return tl_get64(frame + FRAME_ADDRESS) && tl_get64(frame + 4) == BARE_LENGTH;
}

/* L1886: where the function of a frame begins in its text: behind 0 that of one with a symbol of its own there. */
static uint64_t moved_frame_start(const tl_cubin *sass, uint32_t text, const uint8_t *frame,
                                  const tl_cubin_relocation *entry) {
  const uint64_t start = tl_get64(frame + FRAME_ADDRESS);
  if (!start || (uint64_t)entry->addend != start)
    return 0;
  for (uint32_t i = 1; i < sass->symbol_count; i++) {
    const tl_cubin_symbol *const symbol = &sass->symbols[i];
    if (tl_symbol_type(symbol) == STT_FUNC && symbol->section == text && symbol->value == start)
      return start;
  }
  return 0;
}

/* The frames of a text, where entries tell whose they are (in links of SASS kind; L497): those whose address has an entry against its function. */
static void moved_move_frames(tl_cubin *sass, const tl_moved_text *const *moved, tl_arena *arena) {
  for (uint32_t s = 1; s < sass->section_count; s++) {
    const tl_cubin_section *const entries = &sass->sections[s];
    if (entries->type != SHT_RELA)
      continue;
    tl_cubin_section *const frames = &sass->sections[entries->info];
    if (frames->type != SHT_PROGBITS || frames->flags & SHF_EXECINSTR)
      continue;
    uint8_t *const bytes = tl_arena_copy(arena, frames->data, frames->size);
    const uint64_t count = tl_cubin_relocation_count(entries);
    uint8_t *const list = tl_arena_copy(arena, entries->data, entries->size);
    tl_map done; /* the first entry of a frame says whose it is */
    tl_map_init(&done, arena);
    for (uint64_t i = 0; i < count; i++) {
      const tl_cubin_relocation entry = tl_cubin_relocation_at(entries, i);
      const tl_cubin_symbol *const symbol = tl_cubin_symbol_at(sass, entry.symbol);
      const uint32_t text = tl_symbol_type(symbol) == STT_FUNC ? symbol->section : TL_NONE;
      if (entry.offset < FRAME_ADDRESS || entry.offset > frames->size || !tl_set_add(&done, entry.offset) ||
          text >= sass->section_count || !moved[text])
        continue;
      uint8_t *const frame = bytes + entry.offset - FRAME_ADDRESS;
      const uint64_t room = (uint64_t)(bytes + frames->size - frame);
      if (room < FRAME_FDE || tl_get32(frame) != UINT32_MAX || tl_get64(frame + 4) > room - 12 ||
          tl_get64(frame + 4) < FRAME_FDE - 12)
        continue;
      const uint64_t start = moved_frame_start(sass, text, frame, &entry);
      if (!start && moved_is_bare(frame))
        continue;
      moved_move_frame(frame, tl_get64(frame + 4) + 12, moved[text], start);
      if (start)
        tl_put64(list + i * ELF_RELA_SIZE + 16, tl_moved_place(moved[text], start));
    }
    frames->data = bytes;
    sass->sections[s].data = list;
  }
}

static void moved_follow(tl_cubin *sass, const tl_moved_text *const *moved, tl_arena *arena) {
  moved_move_frames(sass, moved, arena); /* it asks for the functions' old places */
  for (uint32_t i = 1; i < sass->section_count; i++) {
    tl_cubin_section *const section = &sass->sections[i];
    if (moved[i])
      sass->symbols[tl_cubin_primary(sass, i)].size = section->size;
    if (section->info >= sass->section_count || !moved[section->info] || !section->data)
      continue;
    if (section->type == SHT_RELA)
      moved_move_entries(sass, section, moved[section->info], arena);
    else if (section->type == SHT_CUDA_INFO)
      moved_move_info(section, moved[section->info], arena);
  }
  for (uint32_t i = 1; i < sass->symbol_count; i++) {
    tl_cubin_symbol *const symbol = &sass->symbols[i];
    const bool inner = tl_symbol_type(symbol) == STT_FUNC && symbol->value && symbol->section < sass->section_count;
    if (!inner || !moved[symbol->section])
      continue;
    const uint64_t end = moved_end(moved[symbol->section], symbol->value + symbol->size);
    symbol->value = tl_moved_place(moved[symbol->section], symbol->value);
    symbol->size = end - symbol->value;
  }
  sass->moved = moved;
}

void tl_moved_change(tl_cubin *sass, const bool *texts, tl_moved_reader read, const void *context,
                     void (*put)(const tl_moved_text *, uint8_t *), tl_arena *arena) {
  const tl_moved_text **const moved = tl_arena_new(arena, const tl_moved_text *, sass->section_count);
  for (uint32_t i = 1; i < sass->section_count; i++) {
    if (!texts[i])
      continue;
    tl_moved_text *const t = tl_arena_new(arena, tl_moved_text, 1);
    *t = read(context, i, &sass->sections[i], arena);
    moved[i] = t;
    uint8_t *const bytes = moved_write(&sass->sections[i], t, arena);
    if (put)
      put(t, bytes);
  }
  const tl_moved_text *const *const before = sass->moved;
  moved_follow(sass, moved, arena);
  for (uint32_t i = 1; before && i < sass->section_count; i++) /* another change's, to other texts */
    moved[i] = moved[i] ? moved[i] : before[i];
}

/* --- the capsule --- */

void tl_moved_put_tail(uint8_t *end, const tl_moved_text *t) {
  enum { TAIL = 0x50 };
  const uint64_t code = t->place[t->count];
  const uint64_t tail = (tl_moved_padded(code) - code) / INSTRUCTION + 1;
  end[-2] = (uint8_t)(TAIL | (tail & 1) << 7);
  end[-1] = (uint8_t)(tail >> 1);
}
