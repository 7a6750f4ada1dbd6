/* Loads of nothing before fences (M44, L691). ptxas writes four LDS RZ, [RZ] that are never executed and a MEMBAR of the CTA
 * before a fence. In an executable of capsules nvlink's finalizer leaves the loads out of kernels that call nothing, and the
 * MEMBAR where another follows; what was behind moves up. Like error barriers (barriers.c) this is done to the files, before
 * they are merged. Scoreboard numbers are given anew from what is left (leaf.c).
 *
 * A kernel with an instruction or a record whose places are not known here stays as it is (TL_REMAKE_FENCE). */
#include "finalize/fences.h"

#include "base/bytes.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"
#include "finalize/leaf.h"
#include "finalize/moved_text.h"

#include <string.h>

enum { INSTRUCTION = TL_MOVED_INSTRUCTION, OP_LDS = 0x984, OP_MEMBAR = 0x992, OP_ERRBAR = 0x9ab };

static bool fences_is_load(const uint8_t *at) {
  return (tl_get16(at) & 0xfff) == OP_LDS && tl_get16(at + 2) == 0xffff;
}

/* What a leaf needs of it all: the loads where it copies to shared memory (three stand before each copy), the MEMBAR where it
 * has transaction barriers in shared memory, that of error barriers, whatever its file asks for (L764, L1799), where it
 * stores to surfaces (L1833). */
typedef struct fences_needs {
  bool loads, narrow, errors;
} fences_needs;

/* Records of instructions of transaction barriers say so in their second byte; one that counts what a barrier's state says is
 * is arithmetic in the SASS text. */
static bool fences_has_barriers(const tl_cubin_section *capsule_section) {
  enum { BARRIER = 0x1b };
  const tl_capsule capsule = tl_capsule_of(capsule_section);
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item;
  while (tl_capsule_next_item(&capsule, &cursor, &item))
    if (item.units && capsule.bytes[cursor.record.offset + 1] == BARRIER)
      return true;
  return false;
}

bool tl_fences_for_surfaces(const uint8_t *bytes, uint64_t size) {
  enum { STORE_FORMATTED = 0x19b, STORE = 0x19d, REDUCTION = 0x19f, KIND = 0x1ff };
  for (uint64_t at = 0; at + INSTRUCTION <= size; at += INSTRUCTION) {
    const unsigned kind = tl_get16(bytes + at) & KIND;
    if (kind == STORE || kind == STORE_FORMATTED || kind == REDUCTION)
      return true;
  }
  return false;
}

static fences_needs fences_find_needs(const tl_cubin_section *text, const tl_cubin_section *capsule, tl_arena *arena) {
  enum { OP_LDGSTS = 0xfae };
  const tl_moved_text t = tl_moved_read(text, arena);
  fences_needs needs = {.narrow = fences_has_barriers(capsule),
                        .errors = tl_fences_for_surfaces(text->data, text->size)};
  for (uint32_t i = 0; i < t.count; i++)
    needs.loads |= tl_moved_opcode(&t, i) == OP_LDGSTS;
  return needs;
}

/* The first of MEMBAR, ERRBAR, CGAERRBAR and EXIT, as ptxas puts them in with -make-errors-visible-at-exit. */
static bool fences_is_of_errors(const tl_moved_text *t, uint32_t index) {
  static const uint16_t opcodes[] = {OP_MEMBAR, OP_ERRBAR, 0x5ab, 0x94d};
  const uint64_t fields = tl_get64(t->bytes + (uint64_t)index * INSTRUCTION + 8) & UINT64_C(0xffffffffff);
  if (fields != 0x5000 || t->count - index < sizeof opcodes / sizeof *opcodes)
    return false;
  for (uint32_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
    if (tl_moved_opcode(t, index + i) != opcodes[i])
      return false;
  return true;
}

static bool fences_is_dropped(const tl_moved_text *t, uint32_t index, fences_needs needs) {
  const uint8_t *const at = t->bytes + (uint64_t)index * INSTRUCTION;
  const uint64_t fields = tl_get64(at + 8) & UINT64_C(0xffffffffff);
  const bool narrow = tl_moved_opcode(t, index) == OP_MEMBAR && fields == 0x8000;
  const bool before = index + 1 < t->count && tl_moved_opcode(t, index + 1) == OP_MEMBAR;
  return (!needs.loads && fences_is_load(at)) || (!needs.narrow && narrow && before) ||
         (!needs.errors && fences_is_of_errors(t, index));
}

bool tl_fences_may_stand(const uint8_t *bytes, uint64_t size) {
  for (uint64_t at = 0; at + INSTRUCTION <= size; at += INSTRUCTION)
    if (fences_is_load(bytes + at) || (tl_get16(bytes + at) & 0xfff) == OP_ERRBAR) /* L1799 */
      return true;
  return false;
}

static bool fences_text_has_them(const tl_cubin_section *text, fences_needs needs, tl_arena *arena) {
  const tl_moved_text t = tl_moved_read(text, arena);
  bool any = false;
  for (uint32_t i = 0; i < t.count; i++)
    any |= fences_is_dropped(&t, i, needs);
  return any;
}

/* What is left out belongs to records, each of which keeps an instruction. */
static bool fences_capsule_is_plain(const tl_cubin *mercury, uint32_t section, const tl_cubin_section *text,
                                    fences_needs needs, tl_arena *arena) {
  const int64_t *items;
  if (!tl_moved_capsule_is_plain(mercury, section, text, &items, arena))
    return false;
  const tl_moved_text t = tl_moved_read(text, arena);
  for (uint32_t i = 0; i < t.count; i++)
    if (fences_is_dropped(&t, i, needs) &&
        (items[i] == TL_MOVED_NO_ITEM || i + 1 == t.count || items[i + 1] != items[i]))
      return false;
  return true;
}

tl_fences tl_fences_choose(const tl_cubin *sass, const tl_cubin *mercury, tl_arena *arena) {
  bool *const texts = tl_arena_new(arena, bool, sass->section_count);
  fences_needs *const needs = tl_arena_new(arena, fences_needs, sass->section_count);
  for (uint32_t i = 1; i < sass->section_count; i++) {
    const tl_cubin_section *const text = &sass->sections[i];
    const uint32_t capsule = mercury->capsule_of[i];
    if (!capsule || !tl_moved_is_kernel(sass, i) || tl_leaf_has_call(text->data, text->size) ||
        !tl_moved_text_is_plain(text, arena))
      continue;
    needs[i] = fences_find_needs(text, &mercury->sections[capsule], arena);
    texts[i] =
        fences_text_has_them(text, needs[i], arena) && fences_capsule_is_plain(mercury, capsule, text, needs[i], arena);
  }
  tl_moved_keep_plain(sass, texts);
  return (tl_fences){texts, needs};
}

static tl_moved_text fences_read(const void *context, uint32_t section, const tl_cubin_section *text, tl_arena *arena) {
  const fences_needs *const needs = context;
  tl_moved_text t = tl_moved_read(text, arena);
  uint64_t place = 0;
  for (uint32_t i = 0; i < t.count; i++) {
    t.place[i] = place;
    place += fences_is_dropped(&t, i, needs[section]) ? 0 : INSTRUCTION;
  }
  t.place[t.count] = place;
  return t;
}

void tl_fences_drop(tl_cubin *sass, tl_fences fences, tl_arena *arena) {
  tl_moved_change(sass, fences.texts, fences_read, fences.needs, NULL, arena);
}

/* How many instructions of an item stay. */
static uint32_t fences_left(const tl_moved_text *t, uint64_t first, uint32_t count) {
  uint32_t left = 0;
  for (uint64_t i = first; i < first + count; i++)
    left += i >= t->count || t->place[i] != t->place[i + 1];
  return left;
}

/* The bytes of an item of several instructions, of which a record says how many, with the count that is left; one instruction
 * needs no count. */
static uint8_t *fences_put_item(uint8_t *to, const uint8_t *from, uint64_t size, uint32_t left) {
  enum { COUNT_SIZE = 2, LOW = 0x80 };
  if (left > 1) {
    to[0] = (uint8_t)((from[0] & ~(unsigned)LOW) | (left & 1) << 7);
    to[1] = (uint8_t)(left >> 1);
    to += COUNT_SIZE;
  }
  memcpy(to, from + COUNT_SIZE, size - COUNT_SIZE);
  return to + size - COUNT_SIZE;
}

static void fences_write_capsule(tl_cubin_section *section, tl_moved_text t, tl_arena *arena) {
  const tl_capsule capsule = tl_capsule_of(section);
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, section->size), *to = bytes + capsule.first;
  memcpy(bytes, section->data, capsule.first);
  tl_capsule_cursor cursor = {.offset = capsule.first};
  tl_capsule_item item;
  uint64_t at = 0;
  for (uint64_t from = capsule.first; tl_capsule_next_item(&capsule, &cursor, &item); from = cursor.offset) {
    const uint32_t left = fences_left(&t, at, item.count);
    const uint64_t size = cursor.offset - from;
    if (left == item.count) {
      memcpy(to, section->data + from, size);
      to += size;
    } else {
      to = fences_put_item(to, section->data + from, size, left);
    }
    at += item.count;
  }
  tl_moved_put_tail(to, &t);
  section->data = bytes;
  section->size = (uint64_t)(to - bytes);
}

void tl_fences_drop_records(tl_cubin *mercury, const tl_cubin *sass, tl_fences fences, tl_arena *arena) {
  for (uint32_t i = 1; i < sass->section_count; i++)
    if (fences.texts[i])
      fences_write_capsule(&mercury->sections[mercury->capsule_of[i]],
                           fences_read(fences.needs, i, &sass->sections[i], arena), arena);
}
