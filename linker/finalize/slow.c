/* Namesakes in code without optimisation (L1050, D113). Functions of one name in a capsule have the attributes of the first, its
 * options too, by which nvlink's finalizer makes their texts anew when the capsule is linked. Where the first one's code is
 * ptxas's of -O0 (or -g), that of the others becomes so: NOPs and DEPBARs that only wait are left out, and every instruction waits for
 * all that is before it and lets the next one wait as long as can be. The instructions themselves stay. Like error
 * barriers (barriers.c) this is done to the files, before they are merged.
 *
 * A text with an instruction or a record that is not known here stays as it is, and so does code without optimisation
 * behind other code, which nvlink's scheduler orders and times.
 *
 * Whatever was compiled without optimisation is timed anew in the same way: other times in the input's SASS words, which
 * damage alone puts there, count for nothing (L1640). */
#include "finalize/slow.h"

#include "base/bytes.h"
#include "base/map.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"
#include "finalize/moved_text.h"

#include <string.h>

enum {
  INSTRUCTION = TL_MOVED_INSTRUCTION,
  OP_NOP = 0x918,
  OP_CACHE = 0x98f,
  OP_DEPBAR = 0x91a,
  OP_ERROR_BARRIER = 0x9ab,
  OP_LDS = 0x984,
  OP_MATRIX_HALF = 0x23c,
  OP_MATRIX_INTEGER = 0x237,
  OP_MATRIX_DOUBLE = 0x23f,
  OP_MATRIX_LOAD = 0x83b,
  OP_MEMBAR = 0x992,
  NO_BARRIER = 7,
  CONTROL_SHIFT = 41,
  WRITE_SHIFT = 46
};

/* Bits 105 to 125 of an instruction of -O0 code (T2): 15 cycles, no yield, the numbers that it sets, a wait for 0 and 1. */
enum { SLOW_STALL = 15, SLOW_WAITS = 3, STALL_YIELD_MASK = 0x1f, WAIT_SHIFT = 11, WAIT_MASK = 0x3f };

/* What an instruction sets in -O0 code: 0 where it writes registers at some time, 1 where it reads them at some time. Some let
 * the next one begin at once (stall 0), and of a fence's some wait for nothing. */
typedef enum slow_kind {
  SLOW_NEITHER,
  SLOW_BOTH,
  SLOW_READS,
  SLOW_WRITES,
  SLOW_AT_ONCE,
  SLOW_FENCE_FIRST,
  SLOW_FENCE_LOAD,
  SLOW_COUNTED, /* L1834: the wait in front of an allocation of tensor memory */
  SLOW_UNKNOWN
} slow_kind;

/* 12 bits, without bit 91, which says that a register is uniform: of all but arithmetic those that stood in 3,152 texts of -O0
 * code or that nvlink was asked for. */
static const uint16_t slow_both[] = {0x31c, 0x381, 0x389, 0x38c, 0x38d, 0x3a1, 0x3a9, 0x3aa, 0x3c4, 0x919,
                                     0x980, 0x981, 0x983, 0x984, 0x98a, 0x9a3, 0x9a7, 0x9a8, 0x9af, 0x9c3,
                                     0xb82, 0x5a7, 0x5b2, 0x9b1, 0xf60, 0xf66, 0xf6f, 0xf89, 0xf99, 0xfae};
static const uint16_t slow_reads[] = {0x31d, 0x356, 0x387, 0x388, 0x985, 0x986, 0x988,
                                      0x98e, 0x9a6, 0x9b7, 0x9b9, 0xb1d, 0x3ba, 0xf9d};
static const uint16_t slow_neither[] = {0x343, 0x348, 0x547, 0x5ab, OP_NOP, OP_DEPBAR, 0x91b,
                                        0x941, 0x942, 0x943, 0x944, 0x945,  0x946,     0x947,
                                        0x948, 0x949, 0x950, 0x95c, 0x95d,  0x9c7,     0xdc7};
static const uint16_t slow_writes[] = {0x355, 0x3c6, 0x540, 0x7ac};
/* 9 bits, whatever the form: of FLO, POPC and the like, MUFU, and conversions. */
static const uint16_t slow_conversions[] = {0x100, 0x101, 0x102, 0x104, 0x105, 0x106, 0x107,
                                            0x108, 0x109, 0x110, 0x111, 0x112, 0x113};

/* Those of matrices that are known. */
static slow_kind slow_kind_of_matrix(uint16_t opcode, tl_slow_arch arch) {
  if (opcode == OP_MATRIX_LOAD || opcode == OP_MATRIX_DOUBLE)
    return SLOW_BOTH;
  if (opcode == OP_MATRIX_INTEGER)
    return arch == TL_SLOW_103 ? SLOW_BOTH : SLOW_AT_ONCE;
  return opcode == OP_MATRIX_HALF ? SLOW_AT_ONCE : SLOW_UNKNOWN;
}

static bool slow_is_membar(const uint8_t *at) {
  return (tl_get16(at) & 0xfff) == OP_MEMBAR;
}

/* MEMBAR, by what it orders and how far: the first of two in one fence waits for nothing. */
static slow_kind slow_kind_of_membar(const uint8_t *at, bool before_another) {
  enum { NARROW = 0x8000 };
  static const uint16_t known[] = {0, 0x2000, 0x3000, NARROW, 0xa000, 0xb000};
  const uint64_t what = tl_get64(at + 8) & ((UINT64_C(1) << CONTROL_SHIFT) - 1);
  if (what > UINT16_MAX || !TL_AMONG16(known, (uint16_t)what))
    return SLOW_UNKNOWN;
  return what == NARROW && before_another ? SLOW_FENCE_FIRST : SLOW_READS;
}

static bool slow_is_of_allocation(const uint8_t *at) {
  enum { COUNT_SHIFT = 38, COUNT_MASK = 0x3f, OF_ALLOCATION = 54 };
  const uint64_t low = tl_get64(at);
  return (low & 0xfff) == OP_DEPBAR && (low >> COUNT_SHIFT & COUNT_MASK) == OF_ALLOCATION;
}

/* Those of one opcode that differ: SLOW_UNKNOWN for any other. */
static slow_kind slow_kind_of_memory(const uint8_t *at) {
  enum { NO_REGISTER = 0xff, ADDRESS_SHIFT = 24, NEVER = 0xf };
  const uint64_t low = tl_get64(at);
  const uint16_t opcode = low & 0xfff;
  const bool addressed = (low >> ADDRESS_SHIFT & NO_REGISTER) != NO_REGISTER;
  if (slow_is_of_allocation(at))
    return SLOW_COUNTED;
  if (opcode == OP_CACHE)
    return addressed ? SLOW_READS : SLOW_NEITHER;
  if (opcode == OP_LDS && !addressed && (low >> 16 & NO_REGISTER) == NO_REGISTER && (low >> 12 & NEVER) == NEVER)
    return SLOW_FENCE_LOAD;
  return slow_is_membar(at) ? slow_kind_of_membar(at, slow_is_membar(at + INSTRUCTION)) : SLOW_UNKNOWN;
}

/* Behind it another instruction stands: the last one of a text is a branch that is not asked about. */
static slow_kind slow_kind_of(const uint8_t *at, tl_slow_arch arch) {
  enum {
    ARITHMETIC = 0x100,
    WIDE_FIRST = 0x28,
    WIDE_LAST = 0x2b,
    MATRIX_FIRST = 0x37,
    MATRIX_LAST = 0x3f,
    PACK = 0x3e
  };
  enum { MATRIX_OTHER = 0x7a, MATRIX_SCALED = 0x7f, SETS_NONE = 0x3f };
  const uint64_t high = tl_get64(at + 8);
  const uint16_t opcode = tl_get16(at) & 0xfff, base = opcode & 0x1ff;
  if (base >= WIDE_FIRST && base <= WIDE_LAST) /* 64 bits: a latency that varies, but on sm_100 */
    return arch == TL_SLOW_100 ? SLOW_NEITHER : SLOW_BOTH;
  if ((base >= MATRIX_FIRST && base <= MATRIX_LAST && base != PACK) || base == MATRIX_OTHER ||
      base == MATRIX_SCALED) /* L1835 */
    return slow_kind_of_matrix(opcode, arch);
  if (base < ARITHMETIC) /* whatever else has a latency that varies sets a number in any code */
    return (high >> WRITE_SHIFT & SETS_NONE) == SETS_NONE ? SLOW_NEITHER : SLOW_UNKNOWN;
  const slow_kind memory = slow_kind_of_memory(at);
  if (memory != SLOW_UNKNOWN || opcode == OP_MEMBAR)
    return memory;
  if (TL_AMONG16(slow_conversions, base) || TL_AMONG16(slow_both, opcode))
    return SLOW_BOTH;
  if (TL_AMONG16(slow_neither, opcode))
    return SLOW_NEITHER;
  if (TL_AMONG16(slow_reads, opcode))
    return SLOW_READS;
  if (opcode == OP_ERROR_BARRIER)
    return SLOW_AT_ONCE;
  return TL_AMONG16(slow_writes, opcode) ? SLOW_WRITES : SLOW_UNKNOWN;
}

static tl_slow_arch slow_arch_of(const tl_cubin *sass) {
  enum { SM_100 = 100, SM_103 = 103 };
  const uint32_t arch = sass->flags >> 8 & 0xffff;
  return arch == SM_100 ? TL_SLOW_100 : arch == SM_103 ? TL_SLOW_103 : TL_SLOW_OTHER;
}

static uint64_t slow_control(slow_kind kind) {
  enum { YIELD_SHIFT = 4, SETS_SHIFT = 5, READS_SHIFT = 8, WRITTEN = 0, READ = 1, COUNTED_STALL = 4 };
  const uint64_t none = (uint64_t)NO_BARRIER << SETS_SHIFT | (uint64_t)NO_BARRIER << READS_SHIFT;
  const uint64_t waits = (uint64_t)SLOW_WAITS << WAIT_SHIFT;
  if (kind == SLOW_AT_ONCE)
    return none | waits;
  if (kind == SLOW_FENCE_FIRST)
    return none;
  if (kind == SLOW_FENCE_LOAD)
    return 1 | 1 << YIELD_SHIFT | none;
  if (kind == SLOW_COUNTED)
    return COUNTED_STALL | 1 << YIELD_SHIFT | none;
  const uint64_t sets = kind == SLOW_BOTH || kind == SLOW_WRITES ? WRITTEN : NO_BARRIER;
  const uint64_t reads = kind == SLOW_BOTH || kind == SLOW_READS ? READ : NO_BARRIER;
  return SLOW_STALL | sets << SETS_SHIFT | reads << READS_SHIFT | waits;
}

/* --- times that damage changed (L1640) --- */

/* Kinds whose control fields no other code has. */
static bool slow_kind_tells(slow_kind kind) {
  return kind == SLOW_NEITHER || kind == SLOW_BOTH || kind == SLOW_READS || kind == SLOW_WRITES;
}

static uint64_t slow_control_at(const uint8_t *at) {
  return tl_get64(at + 8) >> CONTROL_SHIFT;
}

/* In a text that is -O0 code already EXIT is known, too, and the fence in front of it; and arithmetic whose numbers are not
 * those of -O0 code, or that never has any (L1810), has none. */
static slow_kind slow_kind_in_place(const uint8_t *at, tl_slow_arch arch) {
  enum { EXIT = 0x94d, FENCE_OF_ERRORS = 0x5000, ARITHMETIC = 0x100 };
  const uint64_t what = tl_get64(at + 8) & ((UINT64_C(1) << CONTROL_SHIFT) - 1);
  const uint16_t opcode = tl_get16(at) & 0xfff;
  if (opcode == EXIT)
    return SLOW_NEITHER;
  if (slow_is_membar(at) && what == FENCE_OF_ERRORS)
    return SLOW_FENCE_FIRST;
  const slow_kind kind = slow_kind_of(at, arch);
  if (kind != SLOW_UNKNOWN || (opcode & 0x1ff) >= ARITHMETIC)
    return kind;
  static const uint16_t longs[] = {0x028, 0x029, 0x02a, 0x02b, 0x037, 0x03a, 0x03b, 0x03c, 0x03f, 0x044};
  const uint64_t control = slow_control_at(at);
  const bool sets =
      TL_AMONG16(longs, opcode & 0x1ff) && (control == slow_control(SLOW_BOTH) || control == slow_control(SLOW_READS) ||
                                            control == slow_control(SLOW_WRITES));
  uint8_t plain[2 * INSTRUCTION] = {0};
  memcpy(plain, at, INSTRUCTION);
  tl_put64(plain + 8, what | slow_control(SLOW_NEITHER) << CONTROL_SHIFT);
  return sets ? SLOW_UNKNOWN : slow_kind_of(plain, arch);
}

/* The text with the times of -O0 code; NULL where it has them, or is other code: of the former most have them, of the
 * latter none. */
static const uint8_t *slow_mend_text(const tl_cubin_section *text, tl_slow_arch arch, tl_arena *arena) {
  const tl_moved_text t = tl_moved_read(text, arena);
  uint64_t right = 0, wrong = 0;
  for (uint32_t i = 0; i + 1 < t.count; i++) {
    const uint8_t *const at = t.bytes + (uint64_t)i * INSTRUCTION;
    const slow_kind kind = slow_kind_in_place(at, arch);
    const bool same = kind == SLOW_UNKNOWN || slow_control_at(at) == slow_control(kind);
    right += same && slow_kind_tells(kind);
    wrong += !same;
  }
  if (!wrong || right < wrong)
    return NULL;
  uint8_t *const bytes = tl_arena_copy(arena, text->data, text->size);
  for (uint32_t i = 0; i + 1 < t.count; i++) {
    uint8_t *const to = bytes + (uint64_t)i * INSTRUCTION;
    const slow_kind kind = slow_kind_in_place(t.bytes + (uint64_t)i * INSTRUCTION, arch);
    const uint64_t what = tl_get64(to + 8) & ((UINT64_C(1) << CONTROL_SHIFT) - 1);
    if (kind != SLOW_UNKNOWN)
      tl_put64(to + 8, what | slow_control(kind) << CONTROL_SHIFT);
  }
  return bytes;
}

void tl_slow_mend(tl_cubin *sass, tl_arena *arena) {
  const tl_slow_arch arch = slow_arch_of(sass);
  for (uint32_t i = 1; i < sass->section_count; i++) {
    const uint8_t *const mended =
        tl_moved_is_function(sass, i) ? slow_mend_text(&sass->sections[i], arch, arena) : NULL;
    if (mended)
      sass->sections[i].data = mended;
  }
}

/* --- the choice --- */

/* By capsule: the first whose attributes have the same name, 0 where it is that itself. */
static const uint32_t *slow_find_first(const tl_cubin *mercury, bool *any, tl_arena *arena) {
  uint32_t *const first = tl_arena_new(arena, uint32_t, mercury->section_count);
  tl_map names;
  tl_map_init(&names, arena);
  for (uint32_t i = 1; i < mercury->section_count; i++) {
    const tl_cubin_section *const info = &mercury->sections[i];
    if (info->type != SHT_CUDA_INFO || !info->info || info->info >= mercury->section_count ||
        !mercury->sass_text[info->info])
      continue;
    const uint32_t other = tl_map_get(&names, info->name);
    if (other == TL_NONE)
      tl_map_set(&names, info->name, info->info);
    else
      first[info->info] = other;
    *any |= other != TL_NONE;
  }
  return first;
}

bool tl_slow_may_stand(const tl_cubin *cubin, tl_arena *arena) {
  tl_map names;
  tl_map_init(&names, arena);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const tl_cubin_section *const info = &cubin->sections[i];
    if (info->type != SHT_CUDA_INFO || !info->info)
      continue;
    if (tl_map_get(&names, info->name) != TL_NONE)
      return true;
    tl_map_set(&names, info->name, i);
  }
  return false;
}

/* Without the branch at its end and the NOPs behind it. Of what an instruction of several for a Mercury one does (loads
 * before fences and the fences themselves) the waits say nothing, nor do HMMA's. */
static bool slow_is_slow(const tl_cubin_section *text, tl_arena *arena) {
  static const uint16_t others[] = {OP_LDS, OP_MEMBAR, OP_ERROR_BARRIER, OP_MATRIX_INTEGER, OP_MATRIX_HALF};
  const tl_moved_text t = tl_moved_read(text, arena);
  for (uint32_t i = 0; i + 1 < t.count; i++) {
    const uint64_t control = tl_get64(t.bytes + (uint64_t)i * INSTRUCTION + 8) >> CONTROL_SHIFT;
    const bool slow = (control & STALL_YIELD_MASK) == SLOW_STALL && (control >> WAIT_SHIFT & WAIT_MASK) == SLOW_WAITS;
    if (!slow && !TL_AMONG16(others, tl_moved_opcode(&t, i)))
      return false;
  }
  return t.count > 1;
}

/* By instruction: the NOPs and DEPBARs that the finalizer put in. NULL where an instruction is not known, or where such an
 * item stands in front of another's several instructions, among which its NOP is. */
static const bool *slow_find_dropped(const tl_cubin *mercury, uint32_t section, const tl_cubin_section *text,
                                     tl_slow_arch arch, tl_arena *arena) {
  const tl_moved_text t = tl_moved_read(text, arena);
  const int64_t *items;
  if (!tl_moved_text_is_plain(text, arena) || !tl_moved_capsule_is_plain(mercury, section, text, &items, arena))
    return NULL;
  const tl_capsule capsule = tl_capsule_of(&mercury->sections[section]);
  bool *const dropped = tl_arena_new(arena, bool, t.count);
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item;
  for (uint32_t i = 0; i + 1 < t.count && tl_capsule_next_item(&capsule, &cursor, &item); i += item.count) {
    const uint16_t opcode = tl_moved_opcode(&t, i);
    dropped[i] = !item.derived && !item.units;
    if (dropped[i] && (item.count != 1 || (opcode != OP_NOP && opcode != OP_DEPBAR)))
      return NULL;
  }
  for (uint32_t i = 0; i + 1 < t.count; i++)
    if (slow_kind_of(t.bytes + (uint64_t)i * INSTRUCTION, arch) == SLOW_UNKNOWN)
      return NULL;
  return dropped;
}

/* By section: whether it is a text with a capsule, and of -O0 code. */
static const bool *slow_find_slow(const tl_cubin *sass, const tl_cubin *mercury, tl_arena *arena) {
  bool *const slow = tl_arena_new(arena, bool, sass->section_count);
  for (uint32_t i = 1; i < sass->section_count; i++)
    slow[i] = mercury->capsule_of[i] && slow_is_slow(&sass->sections[i], arena);
  return slow;
}

tl_slow tl_slow_choose(const tl_cubin *sass, const tl_cubin *mercury, tl_arena *arena) {
  const uint32_t count = sass->section_count;
  tl_slow slow = {.texts = tl_arena_new(arena, bool, count),
                  .remade = tl_arena_new(arena, bool, count),
                  .dropped = tl_arena_new(arena, const bool *, count),
                  .arch = slow_arch_of(sass)};
  bool any = false;
  const uint32_t *const first = slow_find_first(mercury, &any, arena);
  if (!any)
    return slow;
  const bool *const is_slow = slow_find_slow(sass, mercury, arena);
  for (uint32_t i = 1; i < count; i++) {
    const uint32_t capsule = mercury->capsule_of[i];
    if (!capsule || !first[capsule] || tl_moved_is_kernel(sass, i) || !tl_moved_is_function(sass, i))
      continue;
    const bool becomes = is_slow[mercury->sass_text[first[capsule]]];
    slow.remade[i] = becomes != is_slow[i];
    if (becomes && !is_slow[i])
      slow.dropped[i] = slow_find_dropped(mercury, capsule, &sass->sections[i], slow.arch, arena);
    slow.texts[i] = slow.dropped[i] != NULL;
  }
  tl_moved_keep_plain(sass, slow.texts);
  for (uint32_t i = 1; i < count; i++)
    slow.any |= slow.texts[i];
  return slow;
}

/* --- the SASS view --- */

static tl_moved_text slow_read(const void *context, uint32_t section, const tl_cubin_section *text, tl_arena *arena) {
  const tl_slow *const slow = context;
  tl_moved_text t = tl_moved_read(text, arena);
  uint64_t place = 0;
  for (uint32_t i = 0; i < t.count; i++) {
    t.place[i] = place;
    place += slow->dropped[section][i] ? 0 : INSTRUCTION;
  }
  t.place[t.count] = place;
  return t;
}

/* The branch at the end stays as it is. */
static void slow_put(const tl_moved_text *t, uint8_t *bytes, tl_slow_arch arch) {
  for (uint32_t i = 0; i + 1 < t->count; i++) {
    uint8_t *const to = bytes + t->place[i];
    if (t->place[i] == t->place[i + 1])
      continue;
    const uint64_t high = tl_get64(to + 8) & ((UINT64_C(1) << CONTROL_SHIFT) - 1);
    tl_put64(to + 8, high | slow_control(slow_kind_of(to, arch)) << CONTROL_SHIFT);
  }
}

static void slow_put_100(const tl_moved_text *t, uint8_t *bytes) {
  slow_put(t, bytes, TL_SLOW_100);
}

static void slow_put_103(const tl_moved_text *t, uint8_t *bytes) {
  slow_put(t, bytes, TL_SLOW_103);
}

static void slow_put_other(const tl_moved_text *t, uint8_t *bytes) {
  slow_put(t, bytes, TL_SLOW_OTHER);
}

void tl_slow_change(tl_cubin *sass, const tl_slow *slow, tl_arena *arena) {
  for (uint32_t i = 1; i < sass->section_count; i++)
    sass->sections[i].remade = slow->remade[i];
  void (*const put)(const tl_moved_text *, uint8_t *) = slow->arch == TL_SLOW_100   ? slow_put_100
                                                        : slow->arch == TL_SLOW_103 ? slow_put_103
                                                                                    : slow_put_other;
  if (slow->any)
    tl_moved_change(sass, slow->texts, slow_read, slow, put, arena);
}

/* --- the Mercury view --- */

/* The NOPs have no items any more. */
static void slow_write_capsule(tl_cubin_section *section, const bool *dropped, const tl_moved_text *t,
                               tl_arena *arena) {
  const tl_capsule capsule = tl_capsule_of(section);
  uint32_t left = capsule.count;
  for (uint32_t i = 0; i < t->count; i++)
    left -= dropped[i];
  const uint64_t first = TL_CAPSULE_HEADER + tl_align(((uint64_t)left + 7) / 8, 4);
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, section->size), *to = bytes + first;
  memcpy(bytes, section->data, TL_CAPSULE_HEADER);
  tl_put32(bytes + 8, left);
  tl_capsule_cursor cursor = {.offset = capsule.first};
  tl_capsule_item item;
  uint32_t bit = 0;
  for (uint64_t i = 0, from = capsule.first; tl_capsule_next_item(&capsule, &cursor, &item);
       i += item.count, from = cursor.offset) {
    if (i < t->count && dropped[i])
      continue;
    if (item.derived)
      bytes[TL_CAPSULE_HEADER + bit / 8] |= (uint8_t)(1u << bit % 8);
    memcpy(to, section->data + from, cursor.offset - from);
    to += cursor.offset - from;
    bit++;
  }
  tl_moved_put_tail(to, t);
  section->data = bytes;
  section->size = (uint64_t)(to - bytes);
}

void tl_slow_change_records(tl_cubin *mercury, const tl_cubin *sass, const tl_slow *slow, tl_arena *arena) {
  for (uint32_t i = 1; i < sass->section_count; i++) {
    if (!slow->texts[i])
      continue;
    const tl_moved_text t = slow_read(slow, i, &sass->sections[i], arena);
    slow_write_capsule(&mercury->sections[mercury->capsule_of[i]], slow->dropped[i], &t, arena);
  }
}
