/* The jump slots of a capsule link with an index file (L660). The finalizer makes .nv.uft anew: a slot's call, the branch
 * behind it and NOPs up to the next slot; behind the last slot the end of a text, which no slot needs. Its capsule has the
 * records of the stubs' own instructions; the others are derived from the text. A decoded slot is longer than 128 bytes,
 * while symbols and frames say 128, so that most stubs get places inside another slot (D11). */
#include "finalize/barriers.h"
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/attribute.h"
#include "cubin/capsule.h"
#include "cubin/elf.h"
#include "cubin/stub.h"

#include <string.h>

enum {
  SLOT_SIZE = TL_STUB_SIZE,
  SLOT_ITEMS = SLOT_SIZE / TL_CODE_INSTRUCTION,
  STUB_ITEMS = TL_STUB_ITEMS,
  DERIVED = 3
};

/* The capsule of a stub: its code, of which some instructions have records of their own, and the end. False for any other.
 * `records` is what lies between the mask and the end's record. */
static bool slots_read_stub(const uint8_t *slot, uint8_t *mask, tl_capsule_record *records) {
  tl_capsule stub;
  tl_capsule_cursor cursor = {0};
  tl_capsule_item item;
  if (!tl_capsule_read(&stub, slot, SLOT_SIZE) || stub.count != STUB_ITEMS)
    return false;
  bool whole = true;
  for (int i = 0; whole && i < STUB_ITEMS - 1; i++)
    whole = tl_capsule_next_item(&stub, &cursor, &item) && item.count == 1 && (item.derived || item.units);
  *mask = slot[TL_CAPSULE_HEADER];
  *records = (tl_capsule_record){stub.first, cursor.offset ? cursor.offset - stub.first : 0};
  return whole && tl_capsule_next_item(&stub, &cursor, &item) && !item.derived && !item.units;
}

/* L636: a stub is the same code in every program: it calls what its entry says, and then branches to itself or, without
 * optimisation, returns. nvlink's finalizer crashes over most others. Control bits and predicates do not matter. */
static void slots_check_stub(const finalizer *f, const uint8_t *code) {
  enum { CODE = 13, CALL = 0, GOES_ON = 1, RETURNS = 3 };
  static const uint8_t known[][CODE] = {
      [CALL] = {0x43, 0x09, [10] = 0xc0, 0x03},
      [GOES_ON] = {0x47, 0x09, 0xfc, 0x00, 0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0x83, 0x03},
      [2] = {0x18, 0x09},
      [RETURNS] = {0x50, 0x09, 0x00, 0x14, [10] = 0xe0, 0x03},
  };
  for (size_t i = 0; i + 1 < STUB_ITEMS; i++) {
    uint8_t item[CODE];
    memcpy(item, code + i * TL_CODE_INSTRUCTION, CODE);
    if ((item[1] & 0x60) == 0x60)
      item[1] &= 0x0f;
    const size_t form = i < 2 ? i : 2;
    if (memcmp(item, known[form], CODE) != 0 && !(i == GOES_ON && memcmp(item, known[RETURNS], CODE) == 0))
      final_disagree(f, "the code of a jump slot is not as compilers write it (L636)");
  }
}

const uint8_t *final_stub_text(const finalizer *f, const uint8_t *text, uint64_t size) {
  if (size != SLOT_SIZE)
    return text;
  slots_check_stub(f, text);
  uint8_t *const bytes = final_new(f, size);
  memcpy(bytes, text, size);
  tl_stub_schedule(bytes, tl_barriers_asked(f->sass->module->options));
  return bytes;
}

/* The SASS side: `from` is one slot as the input has it. */
static void slots_put_code(const finalizer *f, uint8_t *to, const uint8_t *from) {
  enum { OWN = (STUB_ITEMS - 1) * TL_CODE_INSTRUCTION };
  memcpy(to, from, OWN);
  tl_stub_schedule(to, tl_barriers_asked(f->sass->module->options));
  for (size_t at = OWN; at < SLOT_SIZE; at += TL_CODE_INSTRUCTION)
    memcpy(to + at, to + OWN - TL_CODE_INSTRUCTION, TL_CODE_INSTRUCTION);
}

static void slots_put_end(uint8_t *to, const uint8_t *from) {
  enum { END = (STUB_ITEMS - 1) * TL_CODE_INSTRUCTION };
  memcpy(to, from + END, TL_CODE_INSTRUCTION);
  for (size_t at = TL_CODE_INSTRUCTION; at < SLOT_SIZE; at += TL_CODE_INSTRUCTION)
    memcpy(to + at, from + END + TL_CODE_INSTRUCTION, TL_CODE_INSTRUCTION);
}

void final_make_slots(finalizer *f) {
  static const uint8_t end[] = {0x50, 4};
  final_slots *const slots = &f->slots;
  const uint32_t section = f->mercury->module->jump_slots;
  const uint32_t sass = section == TL_NONE ? TL_NONE : f->sass_section[section];
  slots->count = sass == TL_NONE ? 0 : final_view_size(f->mercury, section) / SLOT_SIZE;
  if (!slots->count)
    return;
  if (final_view_size(f->sass, sass) != slots->count * SLOT_SIZE || slots->count > UINT32_MAX / SLOT_SIZE)
    final_disagree(f, "its SASS and its Mercury jump slots differ");
  const uint8_t *const mercury = final_view_bytes(f->mercury, section), *const code = final_view_bytes(f->sass, sass);
  const uint64_t mask = tl_align(slots->count + 1, 4);
  slots->sass_size = (slots->count + 1) * SLOT_SIZE;
  slots->sass = final_new(f, slots->sass_size);
  slots->capsule = final_new(f, TL_CAPSULE_HEADER + mask + slots->count * SLOT_SIZE + sizeof end);
  tl_put32(slots->capsule + 4, TL_CAPSULE_KIND | 1);
  tl_put32(slots->capsule + 8, (uint32_t)slots->count * SLOT_ITEMS + 1);
  uint64_t size = TL_CAPSULE_HEADER + mask;
  for (uint64_t i = 0; i < slots->count; i++) {
    const uint8_t *const slot = mercury + i * SLOT_SIZE;
    uint8_t own;
    tl_capsule_record records;
    if (!slots_read_stub(slot, &own, &records))
      final_disagree(f, "the capsule of a jump slot is not as compilers write it (L660)");
    slots_check_stub(f, code + i * SLOT_SIZE);
    slots->capsule[TL_CAPSULE_HEADER + i] = (uint8_t)(own | DERIVED << (STUB_ITEMS - 1));
    memcpy(slots->capsule + size, slot + records.offset, records.size);
    size += records.size;
    slots_put_code(f, slots->sass + i * SLOT_SIZE, code + i * SLOT_SIZE);
  }
  slots_put_end(slots->sass + slots->count * SLOT_SIZE, code);
  memcpy(slots->capsule + size, end, sizeof end);
  slots->capsule_size = size + sizeof end;
}

bool final_is_slot(const finalizer *f, uint32_t symbol) {
  const tl_symbol *const s = &f->mercury->module->symbols.items[symbol];
  return f->slots.count && s->section == f->mercury->module->jump_slots && tl_type_of(s) == STT_FUNC;
}

uint64_t final_slot_place(const finalizer *f, uint32_t symbol) {
  return f->mercury->emitted->layout->symbol_value[symbol];
}

/* Where a place of the linked Mercury view, in which slots are as long as in the SASS text, lies on the SASS side. */
static uint64_t slots_sass_place(finalizer *f, uint64_t place) {
  const tl_code *const code = final_code_map_of(f, f->mercury->module->jump_slots);
  const tl_code_place *const found = code && place < f->slots.count * SLOT_SIZE ? tl_code_find(code, place) : NULL;
  return found ? found->sass : f->slots.sass_size;
}

uint64_t final_slot_code_end(finalizer *f) {
  return slots_sass_place(f, SLOT_SIZE);
}

/* Whether what is right stands in the place of what nvlink writes. */
static bool slots_differ(const finalizer *f, tl_defect row, bool wrong, uint32_t symbol) {
  const tl_module *const m = f->mercury->module;
  if (!wrong || tl_defect_matched(m->options, row))
    return false;
  tl_defect_note(m->diagnostics, row, tl_module_text(m, m->symbols.items[symbol].name));
  return true;
}

void final_slot_symbol(finalizer *f, uint32_t symbol, uint8_t *at) {
  const uint64_t place = final_slot_place(f, symbol);
  uint64_t value = slots_sass_place(f, place);
  uint64_t end = place ? slots_sass_place(f, place + SLOT_SIZE) : f->slots.sass_size;
  if (slots_differ(f, TL_DEFECT_D11, value != place, symbol)) {
    value = place;
    end = place + SLOT_SIZE;
  }
  tl_put64(at + 8, value);
  tl_put64(at + 16, end - value);
}

void final_move_slot_entries(finalizer *f, uint8_t *entries, uint64_t size) {
  const tl_code *const code = final_code_map_of(f, f->mercury->module->jump_slots);
  for (uint64_t at = 0; code && at + ELF_RELA_SIZE <= size; at += ELF_RELA_SIZE) {
    const uint64_t place = tl_get64(entries + at), slot = place / SLOT_SIZE;
    if (slot < f->slots.count)
      tl_put64(entries + at, code->items[slot * SLOT_ITEMS].mercury + place % SLOT_SIZE);
  }
}

/* By index in .symtab: the slot's symbol; 0. */
static const uint32_t *slots_listed(const finalizer *f) {
  const tl_module *const m = f->mercury->module;
  uint32_t *const listed = tl_arena_new(f->arena, uint32_t, f->mercury->emitted->symbols.count + 1);
  for (size_t i = 0; i < m->stubs.count; i++) {
    listed[f->mercury->emitted->symbol_index[m->stubs.items[i]]] = m->stubs.items[i];
  }
  return listed;
}

/* L662, D115: all slots have one text, and on the SASS side the stack of the last of them. */
const uint8_t *final_slot_stacks(const finalizer *f, const uint8_t *records, uint64_t size) {
  enum { HEAD = 4, PAIR = 8 };
  if (!f->slots.count)
    return records;
  const uint32_t *const listed = slots_listed(f);
  uint8_t *const bytes = final_new(f, size), *last = NULL;
  memcpy(bytes, records, size);
  for (int round = 0; round < 2; round++)
    for (uint64_t at = 0, length = 0; at + HEAD <= size; at += length) {
      uint8_t *const record = bytes + at;
      const uint64_t data = record[0] == 4 ? tl_get16(record + 2) : 0;
      length = HEAD + data;
      if (record[1] != EIATTR_MIN_STACK_SIZE || data < PAIR)
        continue;
      const uint32_t symbol = tl_get32(record + HEAD);
      if (symbol > f->mercury->emitted->symbols.count || !listed[symbol])
        continue;
      const uint32_t own = tl_get32(record + PAIR), stack = last ? tl_get32(last + PAIR) : own;
      if (!round)
        last = record;
      else if (!slots_differ(f, TL_DEFECT_D115, stack != own, listed[symbol]))
        tl_put32(record + PAIR, stack);
    }
  return bytes;
}
