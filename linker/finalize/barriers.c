/* Error barriers before EXIT (M43, L134). In a link with -g, or with a file that asks for them, nvlink's finalizer puts a
 * MEMBAR, an ERRBAR and a CGAERRBAR with the guard of the EXIT in front of every EXIT of a kernel whose file does not have
 * them: what was behind moves on by 48 bytes. In an executable without -g a kernel that calls nothing has no MEMBAR, and is
 * made anew besides (L764). So it is done here to the files, before they are merged: texts, the entries and
 * branches in them, offsets in .nv.info, frames, sizes, and in the Mercury view the records of capsules. A link of mixed
 * kind does it to its capsules too.
 *
 * A kernel with an instruction or a record whose places are not known here is left as it is; its input's text stays then
 * (TL_REMAKE_DEBUG). */
#include "finalize/barriers.h"

#include "base/bytes.h"
#include "catalog/relocation.h"
#include "cubin/attribute.h"
#include "cubin/capsule.h"
#include "cubin/code.h"
#include "cubin/elf.h"
#include "cubin/guard.h"
#include "finalize/fences.h"
#include "finalize/leaf.h"
#include "finalize/moved_text.h"

#include <string.h>

enum { INSTRUCTION = TL_MOVED_INSTRUCTION, ADDED = 3 * INSTRUCTION, ADDED_NARROW = 2 * INSTRUCTION };
enum { OPCODE_MASK = 0xfff };
enum { OP_EXIT = 0x94d, OP_CGAERRBAR = 0x5ab, GUARD_SHIFT = 12, GUARD_MASK = 0xf };

static uint16_t barriers_opcode(const uint8_t *at) {
  return tl_get16(at) & OPCODE_MASK;
}

/* --- the choice --- */

static bool barriers_text_is_plain(const tl_cubin_section *text, tl_arena *arena) {
  if (!tl_moved_text_is_plain(text, arena))
    return false;
  const tl_moved_text t = tl_moved_read(text, arena);
  for (uint32_t i = 0; i < t.count; i++) {
    const uint8_t *const at = t.bytes + (uint64_t)i * INSTRUCTION;
    const uint16_t opcode = barriers_opcode(at);
    const bool taken = opcode == OP_EXIT && (tl_get64(at + 8) >> 23 & 7) != 7; /* a condition beside the guard */
    if (taken)
      return false;
  }
  return true;
}

bool tl_barriers_asked(const tl_options *options) {
  return options->debug && !options->suppress_debug_info;
}

bool tl_barriers_file_asks(const tl_cubin *cubin) {
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const section = &cubin->sections[i];
    tl_record record;
    const bool file = section->type == SHT_CUDA_INFO && !section->info;
    for (uint64_t position = 0; file && tl_record_next_whole(section, &position, &record);)
      if (record.code == EIATTR_GEN_ERRBAR_AT_EXIT && record.format == TL_RECORD_BARE)
        return true;
  }
  return false;
}

/* Mercury's sections of entries by the section that they are about: those of section s are first[s], next[first[s]], ... up
 * to 0. Made once a file, since kernels and sections may both be many. */
typedef struct barriers_entries {
  const tl_cubin *mercury; /* NULL: a file without Mercury */
  uint32_t *first, *next;
} barriers_entries;

static barriers_entries barriers_entries_of(const tl_cubin *mercury, tl_arena *arena) {
  barriers_entries entries = {.mercury = mercury};
  if (!mercury)
    return entries;
  entries.first = tl_arena_new(arena, uint32_t, mercury->section_count);
  entries.next = tl_arena_new(arena, uint32_t, mercury->section_count);
  for (uint32_t s = 1; s < mercury->section_count; s++) {
    const uint32_t about = mercury->sections[s].info;
    if (mercury->sections[s].type != SHT_RELA)
      continue;
    entries.next[s] = entries.first[about];
    entries.first[about] = s;
  }
  return entries;
}

/* L725: in the text of a kernel that calls functions of its own, the moves of return addresses and of addresses of functions,
 * to uniform registers too (L1044), by instruction: those that Mercury's entries against places of decoded code stand at.
 * What else such entries stand at does not matter (L1556). NULL where the text's capsule is not understood. */
static const bool *barriers_find_returns(const barriers_entries *entries, uint32_t section,
                                         const tl_cubin_section *text, tl_arena *arena) {
  enum { PLACE = TL_R_MERCURY + 8, OP_MOVE = 0x802, OP_MOVE_UNIFORM = 0x882 };
  bool *const returns = tl_arena_new(arena, bool, text->size / INSTRUCTION);
  const tl_cubin_section *const capsule = &entries->mercury->sections[section];
  tl_code code = {0};
  if (!tl_code_read(&code, capsule->data, capsule->size, text->data, text->size, arena))
    return NULL;
  for (uint32_t s = entries->first[section]; s; s = entries->next[s]) {
    const tl_cubin_section *const list = &entries->mercury->sections[s];
    const uint64_t count = tl_cubin_relocation_count(list);
    for (uint64_t i = 0; i < count; i++) {
      const tl_cubin_relocation entry = tl_cubin_relocation_at(list, i);
      if (entry.type != PLACE)
        continue;
      const tl_code_place *const at = tl_code_find(&code, entry.offset);
      const tl_code_place *const to = tl_code_find(&code, (uint64_t)entry.addend);
      const uint8_t *const move = at ? text->data + at->sass : NULL;
      const uint16_t opcode = move ? barriers_opcode(move) : 0;
      if (to && (opcode == OP_MOVE || opcode == OP_MOVE_UNIFORM) && tl_get32(move + 4) == to->sass)
        returns[at->sass / INSTRUCTION] = true;
    }
  }
  return returns;
}

static bool barriers_has(const tl_cubin_section *text, uint16_t opcode) {
  for (uint64_t at = 0; at + INSTRUCTION <= text->size; at += INSTRUCTION)
    if (barriers_opcode(text->data + at) == opcode)
      return true;
  return false;
}

static bool barriers_calls_itself(const tl_cubin_section *text) {
  enum { OP_CALL = 0x944 };
  return barriers_has(text, OP_CALL);
}

/* Whether nvlink finds a call: one of a register, to a function of the kernel's own text, it does not take for one (L1036). */
static bool barriers_has_call(const tl_cubin_section *text) {
  enum { OP_CALL_ABSOLUTE = 0x943, OP_CALL_POINTER = 0x343 };
  return barriers_calls_itself(text) || barriers_has(text, OP_CALL_ABSOLUTE) || barriers_has(text, OP_CALL_POINTER);
}

/* Of a kernel, or of a function that may exit (L725). */
static bool barriers_may_want(const tl_cubin *sass, uint32_t section) {
  const tl_cubin_section *const text = &sass->sections[section];
  return tl_moved_is_kernel(sass, section) || (tl_moved_is_function(sass, section) && barriers_has(text, OP_EXIT));
}

/* Every EXIT is derived. */
static bool barriers_capsule_is_plain(const tl_cubin *mercury, uint32_t section, const tl_cubin_section *text,
                                      tl_arena *arena) {
  const int64_t *items;
  if (!tl_moved_capsule_is_plain(mercury, section, text, &items, arena))
    return false;
  const tl_moved_text t = tl_moved_read(text, arena);
  for (uint32_t i = 0; i < t.count; i++)
    if (tl_moved_opcode(&t, i) == OP_EXIT && items[i] != TL_MOVED_NO_ITEM)
      return false;
  return true;
}

/* L764: a kernel that calls nothing gets no MEMBAR in an executable without -g. One with loads of nothing is left as it is,
 * as both would have to be done to it. */
static bool barriers_leaf_is_plain(const tl_cubin_section *text) {
  return !tl_fences_may_stand(text->data, text->size);
}

bool tl_barriers_want_entries(const tl_cubin *sass) {
  for (uint32_t i = 1; i < sass->section_count; i++)
    if (barriers_may_want(sass, i) && barriers_calls_itself(&sass->sections[i]))
      return true;
  return false;
}

tl_barriers tl_barriers_choose(const tl_cubin *sass, const tl_cubin *mercury, bool joined, bool leaves,
                               tl_arena *arena) {
  bool *const texts = tl_arena_new(arena, bool, sass->section_count);
  bool *const narrow = tl_arena_new(arena, bool, sass->section_count);
  const barriers_entries entries = barriers_entries_of(mercury, arena);
  for (uint32_t i = 1; i < sass->section_count; i++) {
    const tl_cubin_section *const text = &sass->sections[i];
    const uint32_t capsule = mercury ? mercury->capsule_of[i] : 0;
    texts[i] = barriers_may_want(sass, i) && barriers_text_is_plain(text, arena) &&
               (joined ? barriers_capsule_is_plain(mercury, capsule, text, arena)
                       : !tl_barriers_stand(text->data, text->size)); /* L1646 */
    if (texts[i] && barriers_calls_itself(text))
      texts[i] = mercury && barriers_find_returns(&entries, capsule, text, arena);
    narrow[i] = texts[i] && leaves && tl_moved_is_kernel(sass, i) && !barriers_has_call(text) &&
                !tl_fences_for_surfaces(text->data, text->size);
    texts[i] = texts[i] && (!narrow[i] || barriers_leaf_is_plain(text));
  }
  tl_moved_keep_plain(sass, texts);
  return (tl_barriers){texts, narrow};
}

/* --- the SASS view --- */

static void barriers_put(uint8_t *at, uint64_t low, uint64_t high) {
  tl_put64(at, low);
  tl_put64(at + 8, high);
}

typedef struct barriers_context {
  barriers_entries entries;
  const bool *narrow; /* by section */
} barriers_context;

/* Two or three instructions before each EXIT, which goes on by their size. */
static tl_moved_text barriers_read(const void *context, uint32_t section, const tl_cubin_section *text,
                                   tl_arena *arena) {
  const barriers_context *const c = context;
  const barriers_entries *const entries = &c->entries;
  tl_moved_text t = tl_moved_read(text, arena);
  if (entries->mercury && barriers_calls_itself(text))
    t.returns = barriers_find_returns(entries, entries->mercury->capsule_of[section], text, arena);
  t.exit = c->narrow[section] ? ADDED_NARROW : ADDED;
  uint64_t added = 0;
  for (uint32_t i = 0; i <= t.count; i++) {
    t.place[i] += added;
    if (i < t.count && tl_moved_opcode(&t, i) == OP_EXIT)
      added += t.exit;
  }
  return t;
}

/* How long an instruction lets the next one wait, and the numbers that it sets and waits for (T2). */
enum { STALL_SHIFT = 41, STALL_MASK = 0xf, SETS_SHIFT = 46, READS_SHIFT = 49, NUMBER_MASK = 7, WAITS_SHIFT = 52 };

static void barriers_put_stall(uint8_t *at, uint64_t stall) {
  const uint64_t high = tl_get64(at + 8);
  tl_put64(at + 8, (high & ~((uint64_t)STALL_MASK << STALL_SHIFT)) | stall << STALL_SHIFT);
}

/* ERRBAR waits for the numbers of what sets the guard, instead of EXIT (L1973). `errbar` is where it stands. What EXIT still
 * waits for. */
static uint64_t barriers_move_waits(const tl_moved_text *t, uint32_t exit, uint8_t *bytes, uint8_t *errbar) {
  enum { NUMBERS = 0x3f };
  uint8_t *const moved = bytes + t->place[exit + 1] - INSTRUCTION;
  const uint64_t waits = tl_get64(moved + 8) >> WAITS_SHIFT & NUMBERS;
  const uint64_t early = waits & tl_guard_numbers(t->bytes, exit);
  tl_put64(errbar + 8, tl_get64(errbar + 8) | early << WAITS_SHIFT);
  tl_put64(moved + 8, tl_get64(moved + 8) & ~(early << WAITS_SHIFT));
  return waits & ~early;
}

/* EXIT lets the next instruction wait for 5 cycles. What stood before it waited for 2 where EXIT waits for a number that it
 * sets; with other instructions between it needs only 1. */
static void barriers_put_stalls(const tl_moved_text *t, uint32_t exit, uint8_t *bytes, uint64_t waits) {
  enum { STALL_OF_EXIT = 5, STALL_BEFORE = 2, STALL_LEFT = 1 };
  barriers_put_stall(bytes + t->place[exit + 1] - INSTRUCTION, STALL_OF_EXIT);
  if (!exit)
    return;
  const uint64_t before = tl_get64(bytes + t->place[exit] - INSTRUCTION + 8);
  const uint64_t sets =
      UINT64_C(1) << (before >> SETS_SHIFT & NUMBER_MASK) | UINT64_C(1) << (before >> READS_SHIFT & NUMBER_MASK);
  if ((before >> STALL_SHIFT & STALL_MASK) == STALL_BEFORE && sets & waits & 0x3f)
    barriers_put_stall(bytes + t->place[exit] - INSTRUCTION, STALL_LEFT);
}

static void barriers_put_all(const tl_moved_text *t, uint8_t *bytes) {
  for (uint32_t i = 0; i < t->count; i++) {
    const uint8_t *const from = t->bytes + (uint64_t)i * INSTRUCTION;
    if (barriers_opcode(from) != OP_EXIT)
      continue;
    const uint64_t guard = tl_get16(from) & GUARD_MASK << GUARD_SHIFT;
    const bool slow = tl_get64(from + 8) >> 40 == 0x003fde; /* -O0: every instruction waits for everything */
    uint8_t *to = bytes + t->place[i];
    if (t->exit == ADDED) {
      barriers_put(to, guard | 0x992, UINT64_C(0x000fc00000005000));
      to += INSTRUCTION;
    }
    barriers_put(to, guard | 0x9ab, UINT64_C(0x000fc00000000000) | (slow ? UINT64_C(3) << 52 : 0));
    barriers_put(to + INSTRUCTION, guard | OP_CGAERRBAR,
                 slow ? UINT64_C(0x003fde0000000000) : UINT64_C(0x000fec0000000000));
    if (!slow)
      barriers_put_stalls(t, i, bytes, barriers_move_waits(t, i, bytes, to));
  }
}

void tl_barriers_add(tl_cubin *sass, const tl_cubin *mercury, tl_barriers barriers, tl_arena *arena) {
  const barriers_context context = {barriers_entries_of(mercury, arena), barriers.narrow};
  tl_moved_change(sass, barriers.texts, barriers_read, &context, barriers_put_all, arena);
}

/* --- the Mercury view --- */

/* An EXIT gets a record that says it makes four instructions, or three: their number, and the guard at byte 4. */
static uint8_t *barriers_put_record(uint8_t *to, const uint8_t *exit, bool narrow) {
  enum { ODD = 0x80 };
  static const uint8_t record[] = {0x51, 2, 1, 0x11, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0, 0, 0, 0};
  enum { RECORD_GUARD = 6, NO_GUARD = 31 };
  const unsigned guard = (unsigned)tl_get16(exit) >> GUARD_SHIFT & 7, negated = (unsigned)tl_get16(exit) >> 15;
  memcpy(to, record, sizeof record);
  if (narrow) {
    to[0] |= ODD;
    to[1] = 1;
  }
  to[RECORD_GUARD] = (uint8_t)((guard == 7 ? NO_GUARD : guard) << 3 | negated);
  return to + sizeof record;
}

static void barriers_write_capsule(tl_cubin_section *section, const tl_cubin_section *text, bool narrow,
                                   tl_arena *arena) {
  enum { RECORD_SIZE = 18 };
  const barriers_context none = {{0}, &narrow}; /* only the places of EXITs are asked */
  const tl_moved_text t = barriers_read(&none, 0, text, arena);
  const tl_capsule capsule = tl_capsule_of(section);
  const uint64_t size = section->size + RECORD_SIZE * ((t.place[t.count] - (uint64_t)t.count * INSTRUCTION) / t.exit);
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, size), *to = bytes + capsule.first;
  memcpy(bytes, section->data, capsule.first);
  tl_capsule_cursor cursor = {.offset = capsule.first};
  tl_capsule_item item;
  uint64_t at = 0;
  for (uint64_t from = capsule.first; tl_capsule_next_item(&capsule, &cursor, &item); from = cursor.offset) {
    if (barriers_opcode(t.bytes + at * INSTRUCTION) == OP_EXIT) {
      uint8_t *const mask = bytes + TL_CAPSULE_HEADER + (cursor.index - 1) / 8;
      *mask = (uint8_t)(*mask & ~(1u << (cursor.index - 1) % 8));
      to = barriers_put_record(to, t.bytes + at * INSTRUCTION, narrow);
    }
    memcpy(to, section->data + from, cursor.offset - from);
    to += cursor.offset - from;
    at += item.count;
  }
  tl_moved_put_tail(to, &t);
  section->data = bytes;
  section->size = size;
}

void tl_barriers_add_records(tl_cubin *mercury, const tl_cubin *sass, tl_barriers barriers, tl_arena *arena) {
  for (uint32_t i = 1; i < sass->section_count; i++)
    if (barriers.texts[i])
      barriers_write_capsule(&mercury->sections[mercury->capsule_of[i]], &sass->sections[i], barriers.narrow[i], arena);
}

bool tl_barriers_lack(const uint8_t *text, uint64_t size) {
  for (uint64_t at = 0; at + INSTRUCTION <= size; at += INSTRUCTION)
    if (barriers_opcode(text + at) == OP_EXIT &&
        (at < INSTRUCTION || barriers_opcode(text + at - INSTRUCTION) != OP_CGAERRBAR))
      return true;
  return false;
}

bool tl_barriers_stand(const uint8_t *text, uint64_t size) {
  const tl_cubin_section section = {.data = text, .size = size};
  return barriers_has(&section, OP_EXIT) && !tl_barriers_lack(text, size);
}
