/* Error barriers before EXIT (M43, L134). In a link with -g nvlink's finalizer puts a MEMBAR, an ERRBAR and a CGAERRBAR
 * with the guard of the EXIT in front of every EXIT of a kernel whose file does not have them, and changes nothing else:
 * what was behind moves on by 48 bytes. So it is done here to the files, before they are merged: texts, the entries and
 * branches in them, offsets in .nv.info, frames, sizes, and in the Mercury view the records of capsules. A link of mixed
 * kind does it to its capsules too.
 *
 * A kernel with an instruction or a record whose places are not known here, or in a file with line tables, is left as it
 * is; its input's text stays then (TL_REMAKE_DEBUG). */
#include "finalize/barriers.h"

#include "base/bytes.h"
#include "cubin/attribute.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"

#include <string.h>

enum { INSTRUCTION = 16, ADDED = 3 * INSTRUCTION, TEXT_UNIT = 128, OPCODE_MASK = 0xfff };
enum { OP_EXIT = 0x94d, OP_NOP = 0x918, OP_BRANCH = 0x947, OP_BSSY = 0x945, OP_CGAERRBAR = 0x5ab, OP_LDS = 0x984 };
enum { GUARD_SHIFT = 12, GUARD_MASK = 0xf };

/* One text, and where its instructions go. */
typedef struct barrier_text {
  const uint8_t *bytes;
  uint32_t count;   /* instructions, without the NOPs at its end */
  uint32_t *before; /* by instruction: how many EXIT stand before it */
} barrier_text;

static uint16_t barriers_opcode(const uint8_t *at) {
  return tl_get16(at) & OPCODE_MASK;
}

static bool barriers_is_branch(uint16_t opcode) {
  return opcode == OP_BRANCH || opcode == 0x547 || opcode == 0xb47;
}

/* Of the instructions that decide what is executed next (base 0x140 to 0x15f) those that name no place, and the branches
 * and BSSY, whose places are moved. */
static bool barriers_knows(uint16_t opcode) {
  static const uint16_t known[] = {0x941, 0x942, 0x943, 0x343, OP_BSSY, 0x946, 0x948,
                                   0x94d, 0x95c, 0x95d, 0x355, 0x356,   0x35d};
  if ((opcode & 0x1e0) != 0x140 || barriers_is_branch(opcode))
    return true;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i] == opcode)
      return true;
  return false;
}

/* Where the code ends: the NOPs behind it fill the text to at least 128 bytes more, in units of 128. */
static uint64_t barriers_padded(uint64_t code) {
  return tl_align(code + TEXT_UNIT, TEXT_UNIT);
}

static barrier_text barriers_read(const tl_cubin_section *text, tl_arena *arena) {
  barrier_text t = {text->data, (uint32_t)(text->size / INSTRUCTION), NULL};
  while (t.count && barriers_opcode(t.bytes + (uint64_t)(t.count - 1) * INSTRUCTION) == OP_NOP)
    t.count--;
  t.before = tl_arena_new(arena, uint32_t, (size_t)t.count + 1);
  for (uint32_t i = 0; i < t.count; i++)
    t.before[i + 1] = t.before[i] + (barriers_opcode(t.bytes + (uint64_t)i * INSTRUCTION) == OP_EXIT);
  return t;
}

/* The new place of one in the text; EXIT itself stands behind what is put before it. */
static uint64_t barriers_place(const barrier_text *t, uint64_t place) {
  const uint64_t index = place / INSTRUCTION;
  return place + (uint64_t)ADDED * t->before[index < t->count ? index : t->count];
}

/* --- the choice --- */

static bool barriers_text_is_plain(const tl_cubin_section *text, tl_arena *arena) {
  if (!text->data || !text->size || text->size % INSTRUCTION || text->size > UINT32_MAX / 4)
    return false;
  const barrier_text t = barriers_read(text, arena);
  uint32_t loads = 0;
  for (uint32_t i = 0; i < t.count; i++) {
    const uint8_t *const at = t.bytes + (uint64_t)i * INSTRUCTION;
    const uint16_t opcode = barriers_opcode(at);
    const bool taken = opcode == OP_EXIT && (tl_get64(at + 8) >> 23 & 7) != 7; /* a condition beside the guard */
    if (!barriers_knows(opcode) || opcode == OP_CGAERRBAR || taken)
      return false;
    loads += opcode == OP_LDS && tl_get16(at + 2) == 0xffff; /* M44 */
  }
  return loads < 4 && barriers_padded((uint64_t)t.count * INSTRUCTION) == text->size;
}

/* Records of .nv.info.F that name places: all words, every other one, or in a way that is not known. */
typedef enum info_places { PLACES_NONE, PLACES_ALL, PLACES_FIRST, PLACES_EXIT, PLACES_UNKNOWN } info_places;

static info_places barriers_places_of(uint8_t code) {
  switch (code) {
  case 0x1c:
    return PLACES_EXIT;
  case 0x1d:
  case 0x28:
  case 0x31:
  case 0x46:
    return PLACES_ALL;
  case 0x2e:
  case 0x44:
    return PLACES_FIRST;
  case 0x34:
  case 0x39:
  case 0x40:
  case 0x47:
  case 0x55:
  case 0x57:
    return PLACES_UNKNOWN;
  default:
    return PLACES_NONE;
  }
}

static bool barriers_info_is_plain(const tl_cubin_section *info) {
  tl_record record;
  for (uint64_t position = 0; tl_record_next_whole(info, &position, &record);)
    if (barriers_places_of(record.code) == PLACES_UNKNOWN)
      return false;
  return true;
}

bool tl_barriers_asked(const tl_options *options) {
  return options->debug && !options->suppress_debug_info;
}

bool tl_barriers_file_asks(const tl_cubin *cubin) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    tl_record record;
    for (uint64_t position = 0;
         section->type == SHT_CUDA_INFO && section->data && tl_record_next_whole(section, &position, &record);)
      if (record.code == EIATTR_GEN_ERRBAR_AT_EXIT)
        return true;
  }
  return false;
}

/* Line tables and register tables name places in all texts; a file with attribute 0x53 has its barriers (L120). */
static bool barriers_file_is_plain(const tl_cubin *sass, const tl_names *names) {
  static const char *const tables[] = {".debug_line", ".nv_debug_line_sass", ".nv_debug_info_reg_sass", ".debug_info"};
  for (uint32_t i = 1; i < sass->section_count; i++) {
    const tl_cubin_section *const section = &sass->sections[i];
    for (size_t k = 0; section->size && k < sizeof tables / sizeof *tables; k++)
      if (strcmp(tl_names_text(names, section->name), tables[k]) == 0)
        return false;
  }
  return !tl_barriers_file_asks(sass);
}

/* The capsule's items are the text's instructions, and every EXIT is derived. */
static bool barriers_capsule_is_plain(const tl_cubin *mercury, uint32_t section, const tl_cubin_section *text,
                                      tl_arena *arena) {
  const barrier_text t = barriers_read(text, arena);
  tl_capsule capsule;
  if (!section || !tl_capsule_read(&capsule, mercury->sections[section].data, mercury->sections[section].size))
    return false;
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item = {0};
  uint64_t at = 0;
  while (tl_capsule_next_item(&capsule, &cursor, &item)) {
    if (at < t.count && barriers_opcode(t.bytes + at * INSTRUCTION) == OP_EXIT && !item.derived)
      return false;
    at += item.count;
    if (at > text->size / INSTRUCTION)
      return false;
  }
  const bool ends = !item.derived && !item.units && at - item.count == (uint64_t)t.count - 1;
  return cursor.index == capsule.count && at == text->size / INSTRUCTION && ends && cursor.offset == capsule.size;
}

const bool *tl_barriers_choose(const tl_cubin *sass, const tl_cubin *mercury, const tl_names *names, tl_arena *arena) {
  bool *const texts = tl_arena_new(arena, bool, sass->section_count);
  if (!barriers_file_is_plain(sass, names))
    return texts;
  for (uint32_t i = 1; i < sass->section_count; i++) {
    const tl_cubin_section *const text = &sass->sections[i];
    const uint32_t owner = text->info & 0xffffff;
    texts[i] = text->flags & SHF_EXECINSTR && owner < sass->symbol_count && sass->symbols[owner].section == i &&
               sass->symbols[owner].other & STO_ENTRY && barriers_text_is_plain(text, arena) &&
               (!mercury || barriers_capsule_is_plain(mercury, mercury->capsule_of[i], text, arena));
  }
  for (uint32_t i = 1; i < sass->section_count; i++) {
    const tl_cubin_section *const section = &sass->sections[i];
    if (section->info >= sass->section_count || !texts[section->info])
      continue;
    if (section->type == SHT_REL || (section->type == SHT_RELA && section->entry_size != ELF_RELA_SIZE) ||
        (section->type == SHT_CUDA_INFO && section->data && !barriers_info_is_plain(section)))
      texts[section->info] = false;
  }
  return texts;
}

/* --- the SASS view --- */

static void barriers_put(uint8_t *at, uint64_t low, uint64_t high) {
  tl_put64(at, low);
  tl_put64(at + 8, high);
}

/* A branch: 56 bits in words, the low 8 at 16, the high 48 at 34 (T13). BSSY: 30 bits in words at 34 (T20). */
static void barriers_move_target(const barrier_text *t, uint32_t index, uint8_t *to) {
  uint64_t low = tl_get64(to), high = tl_get64(to + 8);
  const uint64_t next = ((uint64_t)index + 1) * INSTRUCTION;
  const bool branch = barriers_is_branch(barriers_opcode(to));
  const uint64_t words = (low >> 16 & 0xff) | (low >> 34) << 8 | (high & 0x3ffff) << 38;
  const int64_t offset = branch ? (int64_t)(words << 8) >> 6 : (int64_t)(low & ~(uint64_t)0x3ffffffff) >> 32;
  const uint64_t target = next + (uint64_t)offset;
  if (target >= (uint64_t)t->count * INSTRUCTION)
    return;
  const uint64_t moved = barriers_place(t, target) - (barriers_place(t, next - INSTRUCTION) + INSTRUCTION);
  const uint64_t value = (uint64_t)((int64_t)moved >> 2);
  if (branch) {
    low = (low & UINT64_C(0x3ff00ffff)) | (value & 0xff) << 16 | (value >> 8) << 34;
    high = (high & ~UINT64_C(0x3ffff)) | (value >> 38 & 0x3ffff);
  } else {
    low = (low & UINT64_C(0x3ffffffff)) | value << 34;
  }
  barriers_put(to, low, high);
}

static void barriers_write_text(tl_cubin_section *text, const barrier_text *t, tl_arena *arena) {
  const uint64_t code = barriers_place(t, (uint64_t)t->count * INSTRUCTION), size = barriers_padded(code);
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, size), *to = bytes;
  for (uint32_t i = 0; i < t->count; i++, to += INSTRUCTION) {
    const uint8_t *const from = t->bytes + (uint64_t)i * INSTRUCTION;
    const uint16_t opcode = barriers_opcode(from);
    const uint64_t guard = tl_get16(from) & GUARD_MASK << GUARD_SHIFT;
    if (opcode == OP_EXIT) {
      const bool slow = tl_get64(from + 8) >> 40 == 0x003fde; /* -O0: every instruction waits for everything */
      barriers_put(to, guard | 0x992, UINT64_C(0x000fc00000005000));
      barriers_put(to + INSTRUCTION, guard | 0x9ab, UINT64_C(0x000fc00000000000) | (slow ? UINT64_C(3) << 52 : 0));
      barriers_put(to + 2 * INSTRUCTION, guard | OP_CGAERRBAR, UINT64_C(0x000fec0000000000));
      if (slow)
        tl_put64(to + 2 * INSTRUCTION + 8, UINT64_C(0x003fde0000000000));
      to += ADDED;
    }
    memcpy(to, from, INSTRUCTION);
    if (barriers_is_branch(opcode) || opcode == OP_BSSY)
      barriers_move_target(t, i, to);
  }
  for (; to < bytes + size; to += INSTRUCTION)
    barriers_put(to, 0x7918, UINT64_C(0x000fc00000000000));
  text->data = bytes;
  text->size = size;
}

/* Entries in the text, and those against the function with a place in it: return addresses. */
static void barriers_move_entries(const tl_cubin *sass, tl_cubin_section *entries, const barrier_text *t,
                                  tl_arena *arena) {
  const uint64_t count = tl_cubin_relocation_count(entries);
  uint8_t *const bytes = tl_arena_copy(arena, entries->data, entries->size);
  for (uint64_t i = 0; i < count; i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(entries, i);
    uint8_t *const at = bytes + i * ELF_RELA_SIZE;
    tl_put64(at, barriers_place(t, entry.offset - entry.offset % INSTRUCTION) + entry.offset % INSTRUCTION);
    const bool own = entry.symbol < sass->symbol_count && sass->symbols[entry.symbol].section == entries->info;
    if (own && entry.addend > 0 && (uint64_t)entry.addend < (uint64_t)t->count * INSTRUCTION)
      tl_put64(at + 16, barriers_place(t, (uint64_t)entry.addend));
  }
  entries->data = bytes;
}

static void barriers_move_info(tl_cubin_section *info, const barrier_text *t, tl_arena *arena) {
  uint8_t *const bytes = tl_arena_copy(arena, info->data, info->size);
  tl_record record;
  for (uint64_t position = 0; tl_record_next_whole(info, &position, &record);) {
    const info_places kind = barriers_places_of(record.code);
    uint8_t *const data = bytes + (record.data - info->data);
    for (uint64_t i = 0; kind != PLACES_NONE && record.format == 4 && i + 4 <= record.size;
         i += kind == PLACES_FIRST ? 8 : 4)
      tl_put32(data + i,
               (uint32_t)(barriers_place(t, tl_get32(data + i)) + (kind == PLACES_EXIT ? (uint64_t)ADDED : 0)));
  }
  info->data = bytes;
}

/* --- frames --- */

enum { FRAME_ADDRESS = 20, FRAME_CODE = 28, FRAME_FDE = 36, FRAME_UNIT = 4 };

/* Moves what a frame says of the text; its instructions keep their sizes. */
static void barriers_move_frame(uint8_t *frame, uint64_t size, const barrier_text *t, uint64_t text_size) {
  enum { ADVANCE_4 = 4, ADVANCE_SIZE = 5 };
  uint64_t from = 0, to = 0;
  tl_put64(frame + FRAME_CODE, text_size);
  for (uint64_t i = FRAME_FDE; i < size;) {
    if (frame[i] != ADVANCE_4) {
      const uint64_t length = final_frame_instruction_size(frame + i, size - i);
      if (frame[i] && !length)
        return;
      i += frame[i] ? length : 1;
      continue;
    }
    if (size - i < ADVANCE_SIZE)
      return;
    from += (uint64_t)tl_get32(frame + i + 1) * FRAME_UNIT;
    const uint64_t place = barriers_place(t, from);
    tl_put32(frame + i + 1, (uint32_t)((place - to) / FRAME_UNIT));
    to = place;
    i += ADVANCE_SIZE;
  }
}

/* The frames of a text: those whose address has an entry against its function. */
static void barriers_move_frames(tl_cubin *sass, const barrier_text *const *moved, tl_arena *arena) {
  for (uint32_t s = 1; s < sass->section_count; s++) {
    const tl_cubin_section *const entries = &sass->sections[s];
    const uint32_t target = entries->info;
    if (entries->type != SHT_RELA || target >= sass->section_count || sass->sections[target].type != SHT_PROGBITS ||
        sass->sections[target].flags & SHF_EXECINSTR || !sass->sections[target].data)
      continue;
    tl_cubin_section *const frames = &sass->sections[target];
    uint8_t *const bytes = tl_arena_copy(arena, frames->data, frames->size);
    const uint64_t count = tl_cubin_relocation_count(entries);
    for (uint64_t i = 0; i < count; i++) {
      const tl_cubin_relocation entry = tl_cubin_relocation_at(entries, i);
      const uint32_t text = entry.symbol < sass->symbol_count ? sass->symbols[entry.symbol].section : 0;
      if (text >= sass->section_count || !moved[text] || entry.offset < FRAME_ADDRESS || entry.offset > frames->size)
        continue;
      uint8_t *const frame = bytes + entry.offset - FRAME_ADDRESS;
      const uint64_t room = (uint64_t)(bytes + frames->size - frame);
      if (room < FRAME_FDE || tl_get32(frame) != UINT32_MAX || tl_get64(frame + 4) > room - 12 ||
          tl_get64(frame + 4) < FRAME_FDE - 12)
        continue;
      barriers_move_frame(frame, tl_get64(frame + 4) + 12, moved[text], sass->sections[text].size);
    }
    frames->data = bytes;
  }
}

void tl_barriers_add(tl_cubin *sass, const bool *texts, tl_arena *arena) {
  const barrier_text **const moved = tl_arena_new(arena, const barrier_text *, sass->section_count);
  bool any = false;
  for (uint32_t i = 1; i < sass->section_count; i++) {
    if (!texts[i])
      continue;
    barrier_text *const t = tl_arena_new(arena, barrier_text, 1);
    *t = barriers_read(&sass->sections[i], arena);
    moved[i] = t;
    any = true;
    barriers_write_text(&sass->sections[i], t, arena);
    sass->symbols[sass->sections[i].info & 0xffffff].size = sass->sections[i].size;
  }
  for (uint32_t i = 1; any && i < sass->section_count; i++) {
    tl_cubin_section *const section = &sass->sections[i];
    if (section->info >= sass->section_count || !moved[section->info] || !section->data)
      continue;
    if (section->type == SHT_RELA)
      barriers_move_entries(sass, section, moved[section->info], arena);
    else if (section->type == SHT_CUDA_INFO)
      barriers_move_info(section, moved[section->info], arena);
  }
  if (any)
    barriers_move_frames(sass, moved, arena);
}

/* --- the Mercury view --- */

/* An EXIT gets a record that says it makes four instructions: its count, and the guard at byte 4. */
static uint8_t *barriers_put_record(uint8_t *to, const uint8_t *exit) {
  static const uint8_t record[] = {0x51, 2, 1, 0x11, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0, 0, 0, 0};
  enum { RECORD_GUARD = 6, NO_GUARD = 31 };
  const unsigned guard = (unsigned)tl_get16(exit) >> GUARD_SHIFT & 7, negated = (unsigned)tl_get16(exit) >> 15;
  memcpy(to, record, sizeof record);
  to[RECORD_GUARD] = (uint8_t)((guard == 7 ? NO_GUARD : guard) << 3 | negated);
  return to + sizeof record;
}

static void barriers_write_capsule(tl_cubin_section *section, const tl_cubin_section *text, tl_arena *arena) {
  enum { RECORD_SIZE = 18, TAIL = 0x50 };
  const barrier_text t = barriers_read(text, arena);
  tl_capsule capsule;
  if (!tl_capsule_read(&capsule, section->data, section->size))
    return;
  const uint64_t size = section->size + (uint64_t)RECORD_SIZE * t.before[t.count];
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, size), *to = bytes + capsule.first;
  memcpy(bytes, section->data, capsule.first);
  tl_capsule_cursor cursor = {.offset = capsule.first};
  tl_capsule_item item;
  uint64_t at = 0;
  for (uint64_t from = capsule.first; tl_capsule_next_item(&capsule, &cursor, &item); from = cursor.offset) {
    if (at < t.count && barriers_opcode(t.bytes + at * INSTRUCTION) == OP_EXIT) {
      uint8_t *const mask = bytes + TL_CAPSULE_HEADER + (cursor.index - 1) / 8;
      *mask = (uint8_t)(*mask & ~(1u << (cursor.index - 1) % 8));
      to = barriers_put_record(to, t.bytes + at * INSTRUCTION);
    }
    memcpy(to, section->data + from, cursor.offset - from);
    to += cursor.offset - from;
    at += item.count;
  }
  const uint64_t code = barriers_place(&t, (uint64_t)t.count * INSTRUCTION);
  const uint64_t tail = (barriers_padded(code) - code) / INSTRUCTION + 1;
  to[-2] = (uint8_t)(TAIL | (tail & 1) << 7);
  to[-1] = (uint8_t)(tail >> 1);
  section->data = bytes;
  section->size = size;
}

void tl_barriers_add_records(tl_cubin *mercury, const tl_cubin *sass, const bool *texts, tl_arena *arena) {
  for (uint32_t i = 1; i < sass->section_count; i++)
    if (texts[i])
      barriers_write_capsule(&mercury->sections[mercury->capsule_of[i]], &sass->sections[i], arena);
}

bool tl_barriers_stand(const uint8_t *text, uint64_t size) {
  bool any = false;
  for (uint64_t at = 0; at + INSTRUCTION <= size; at += INSTRUCTION) {
    if (barriers_opcode(text + at) != OP_EXIT)
      continue;
    if (at < ADDED || barriers_opcode(text + at - INSTRUCTION) != OP_CGAERRBAR)
      return false;
    any = true;
  }
  return any;
}
