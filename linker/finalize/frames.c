/* The SASS .debug_frame (M24): written anew from the Mercury frames of live functions, in their order, each behind its CIE.
 * The inputs' SASS frames are not looked at (L492, L1482). */
#include "catalog/sass_type.h"
#include "finalize/barriers.h"
#include "finalize/moved_text.h"
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/call_frame.h"
#include "cubin/elf.h"
#include "cubin/known.h"

#include <string.h>

enum { FRAME_BEHIND = 256 }; /* how far behind a frame its last instruction may go (L1486) */

typedef TL_VECTOR(tl_call_frame) frame_list;

static frame_list frames_read(const finalizer *f, const uint8_t *bytes, uint64_t size) {
  frame_list list = {0};
  tl_call_frame one;
  for (uint64_t position = 0; tl_call_frame_next(bytes, size, &position, &one);)
    *tl_vector_push(f->arena, &list) = one;
  return list;
}

/* A frame whose function is in the output. */
typedef struct frame_pair {
  uint64_t place; /* in the merged Mercury section */
  uint64_t start; /* of its function, in the decoded code */
  uint32_t symbol;
  const uint8_t *mercury, *mercury_cie;
  bool nobody; /* it is no function's (L1304) */
  uint64_t mercury_size, mercury_cie_size;
  uint64_t behind; /* how much of the view's file lies behind it */
  uint64_t cie;    /* where the CIE lies in the merged section */
  uint32_t next;   /* of the same function: the next body's frame, TL_NONE */
} frame_pair;
typedef TL_VECTOR(frame_pair) frame_pairs;

/* The entries that stay at one place of the Mercury section. */
typedef struct frame_entry {
  uint64_t offset, addend;
  uint32_t symbol, order; /* of the first one */
  uint32_t addressed;     /* what the last address of code is about, TL_NONE without one; the addend is that one's */
} frame_entry;
typedef TL_VECTOR(frame_entry) frame_entries;

typedef struct frame_writer {
  finalizer *f;
  const tl_section *section; /* .debug_frame in the Mercury view */
  frame_entries entries;     /* by offset */
  frame_pairs pairs;
  uint8_t *bytes;
  uint64_t size;
} frame_writer;

static int frames_compare_entries(const void *a, const void *b) {
  const frame_entry *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->offset, y->offset}, {x->order, y->order}};
  return tl_compare_pairs(pairs, 2);
}

static int frames_compare_places(const void *a, const void *b) {
  const frame_entry *const x = a, *const y = b;
  return tl_compare(x->offset, y->offset);
}

/* Whether an entry is an address of code. */
static bool frames_is_address(const tl_kept *entry) {
  enum { CODE_WORD = TL_R_MERCURY + 0x3c, CODE_ADDRESS };
  return entry->type == CODE_WORD || entry->type == CODE_ADDRESS;
}

/* Of all entries at a place the first in the output says whose it is, and what they add, or else the last address of code (L1304). */
static frame_entries frames_first_entries(const finalizer *f, uint32_t container) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, container);
  frame_entries entries = {0};
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i];
    const bool address = frames_is_address(kept);
    *tl_vector_push(f->arena, &entries) = (frame_entry){kept->offset, (uint64_t)kept->addend, kept->symbol, (uint32_t)i,
                                                        address ? kept->symbol : TL_NONE};
  }
  tl_vector_sort(&entries, frames_compare_entries);
  size_t kept = 0;
  for (size_t i = 0; i < entries.count; i++) {
    const frame_entry *const entry = &entries.items[i];
    frame_entry *const last = kept ? &entries.items[kept - 1] : NULL;
    if (!last || last->offset != entry->offset) {
      entries.items[kept++] = *entry;
    } else if (entry->addressed != TL_NONE) {
      last->addressed = entry->addressed;
      last->addend = entry->addend;
    }
  }
  entries.count = kept;
  return entries;
}

static const frame_entry *frames_find_entry(const frame_entries *entries, uint64_t offset) {
  const frame_entry key = {.offset = offset};
  return tl_sorted_find(&key, entries->items, entries->count, sizeof key, frames_compare_places);
}

/* Where the function of a frame begins in the decoded code of its text: 0, or the place of one in a kernel's text (L720). */
static uint64_t frames_start(const finalizer *f, const frame_entry *entry) {
  const tl_symbol *const symbol = &f->mercury->module->symbols.items[entry->symbol];
  const uint64_t place = final_is_inner(f, entry->symbol) ? symbol->value : entry->addend;
  return final_begins_inner(f, symbol->section, place) ? place : 0;
}

/* L1304: whether a frame is a function's. nvlink finds the function by the address that is stored there (L724). */
static bool frames_is_about_code(const finalizer *f, uint32_t symbol, const uint8_t *bytes) {
  const tl_symbol *const function = &f->mercury->module->symbols.items[symbol];
  const uint64_t stored = tl_get64(bytes + TL_FRAME_ADDRESS);
  return tl_type_of(function) == STT_FUNC && function->section != TL_NONE &&
         (!stored || final_begins_inner(f, function->section, stored));
}

static void frames_refuse(const finalizer *f, const tl_section *frames, uint64_t offset, const char *what) {
  const tl_module *const m = f->mercury->module;
  const tl_piece *const piece = tl_layout_piece(frames, offset);
  if (piece)
    tl_cubin_damaged(&m->files[piece->file], m->names, m->diagnostics, piece->section, offset - piece->offset, what);
}

/* The frames of one file; `bytes` is where they lie in the merged, patched section, `section` how much of the
 * view's file begins there. */
static void frames_pair_file(frame_writer *w, const tl_piece *mercury, const uint8_t *bytes, uint64_t section) {
  finalizer *const f = w->f;
  const frame_list from = frames_read(f, bytes, mercury->size);
  size_t cie = SIZE_MAX;
  for (size_t i = 0; i < from.count; i++) {
    const uint64_t place = mercury->offset + from.items[i].offset;
    const frame_entry *const entry =
        from.items[i].cie ? NULL : frames_find_entry(&w->entries, place + TL_FRAME_ADDRESS);
    if (from.items[i].cie)
      cie = i;           /* a frame's CIE is the one before it */
    if (cie == SIZE_MAX) /* what was carried out made another of it */
      frames_refuse(f, w->section, place, "a frame has no CIE (L496)");
    if (cie == SIZE_MAX || !entry)
      continue;
    *tl_vector_push(f->arena, &w->pairs) =
        (frame_pair){.place = place,
                     .next = TL_NONE,
                     .symbol = entry->symbol,
                     .start = frames_start(f, entry),
                     .nobody = !frames_is_about_code(f, entry->symbol, bytes + from.items[i].offset),
                     .mercury = bytes + from.items[i].offset,
                     .mercury_size = from.items[i].size,
                     .behind = section - place - from.items[i].size,
                     .mercury_cie = bytes + from.items[cie].offset,
                     .mercury_cie_size = from.items[cie].size,
                     .cie = mercury->offset + from.items[cie].offset};
  }
}

static void frames_put(frame_writer *w, const uint8_t *bytes, uint64_t size) {
  memcpy(w->bytes + w->size, bytes, size);
  w->size += size;
}

/* --- instructions of frames --- */

/* The instructions that a frame has for one place in the code; none where its last advance ends. */
typedef struct frame_step {
  uint64_t at;    /* in decoded Mercury code */
  uint32_t order; /* of the step among all frames of its function */
  const uint8_t *bytes;
  uint64_t size;
} frame_step;
typedef TL_VECTOR(frame_step) frame_steps;

/* The code that a frame is about: its places, and the SASS text. */
typedef struct frame_code {
  const tl_code *map;
  const uint8_t *text;
} frame_code;

/* The length of a LEB128 number, 0 when it does not end. */
static uint64_t frames_leb(const uint8_t *bytes, uint64_t left) {
  for (uint64_t i = 0; i < left; i++)
    if (!(bytes[i] & 0x80))
      return i + 1;
  return 0;
}

/* Length of a DWARF call frame instruction of those that ptxas writes, 0 for others. */
uint64_t final_frame_instruction_size(const uint8_t *bytes, uint64_t left) {
  enum {
    OFFSET_EXTENDED = 5,
    RESTORE_EXTENDED = 6,
    SAME_VALUE = 8,
    REGISTER = 9,
    DEF_CFA = 12,
    DEF_CFA_REGISTER = 13,
    DEF_CFA_OFFSET = 14,
    EXPRESSION = 16
  };
  const uint64_t first = left > 1 ? frames_leb(bytes + 1, left - 1) : 0;
  if (!first)
    return 0;
  if (bytes[0] == RESTORE_EXTENDED || bytes[0] == SAME_VALUE || bytes[0] == DEF_CFA_REGISTER ||
      bytes[0] == DEF_CFA_OFFSET)
    return 1 + first;
  const uint64_t second = left > 1 + first ? frames_leb(bytes + 1 + first, left - 1 - first) : 0;
  if (!second)
    return 0;
  if (bytes[0] == OFFSET_EXTENDED || bytes[0] == DEF_CFA || bytes[0] == REGISTER)
    return 1 + first + second;
  if (bytes[0] != EXPRESSION || second != 1)
    return 0;
  const uint64_t size = 2 + first + bytes[1 + first];
  return size <= left ? size : 0;
}

/* A LEB128 number as nvlink reads it: in 32 bits, with shifts that go round in them; false where it does not end. */
static bool frames_take_leb(const uint8_t *bytes, uint64_t size, uint64_t *at, bool sign, uint32_t *value) {
  enum { BITS = 7, MORE = 0x80, NEGATIVE = 0x40, WIDTH = 32 };
  const uint64_t length = frames_leb(bytes + *at, size - *at);
  unsigned shift = 0;
  *value = 0;
  for (uint64_t i = 0; i < length; i++, shift += BITS)
    *value |= (uint32_t)(bytes[*at + i] & (MORE - 1)) << shift % WIDTH;
  if (sign && length && shift < WIDTH && bytes[*at + length - 1] & NEGATIVE)
    *value |= UINT32_MAX << shift;
  *at += length;
  return length != 0;
}

enum { CIE_VERSION = 20 };

/* Where the numbers of a CIE begin, behind its version and its text; its size where that does not end. */
static uint64_t frames_cie_numbers(const uint8_t *cie, uint64_t size) {
  uint64_t at = CIE_VERSION + 1;
  while (at < size && cie[at])
    at++;
  return at < size ? at + 1 : size;
}

/* The unit of advances of a frame in Mercury's view, 1 where it cannot be read. */
static uint32_t frames_unit(const frame_pair *pair) {
  uint64_t at = frames_cie_numbers(pair->mercury_cie, pair->mercury_cie_size);
  uint32_t unit;
  return frames_take_leb(pair->mercury_cie, pair->mercury_cie_size, &at, false, &unit) ? unit : 1;
}

static void frames_add_step(const finalizer *f, frame_steps *steps, uint64_t at, const uint8_t *bytes, uint64_t size) {
  *tl_vector_push(f->arena, steps) = (frame_step){at, (uint32_t)steps->count, bytes, size};
}

/* The length of an instruction of a frame or a CIE, 0 where it does not end; what is not known is one byte (L1120, L1486). */
static uint64_t frames_instruction_size(const uint8_t *bytes, uint64_t left) {
  enum { OFFSET = 2, SIMPLE = 0, KIND_SHIFT = 6, UNDEFINED = 7, EXPRESSION = 16, VALUE = 22 };
  static const uint16_t operands[] = {5, 6, 8, 9, 12, 13, 14, EXPRESSION};
  static const uint8_t places[] = {0, 8, 1, 2, 4}; /* of advances: the bytes of what they say */
  const unsigned kind = bytes[0] >> KIND_SHIFT;
  if (kind == SIMPLE && bytes[0] < sizeof places)
    return (uint64_t)1 + places[bytes[0]] <= left ? (uint64_t)1 + places[bytes[0]] : 0;
  if (kind == OFFSET || bytes[0] == UNDEFINED) {
    const uint64_t length = frames_leb(bytes + 1, left - 1);
    return length ? 1 + length : 0;
  }
  if (bytes[0] == VALUE) {
    uint64_t at = 1 + frames_leb(bytes + 1, left - 1);
    uint32_t block;
    return at > 1 && frames_take_leb(bytes, left, &at, false, &block) && block <= left - at ? at + block : 0;
  }
  return kind == SIMPLE && TL_AMONG16(operands, bytes[0]) ? final_frame_instruction_size(bytes, left) : 1;
}

static bool frames_is_advance(uint8_t code) {
  enum { ADVANCE = 1, KIND_SHIFT = 6, FIRST = 1, LAST = 4 };
  return code >> KIND_SHIFT == ADVANCE || (code >= FIRST && code <= LAST);
}

/* What an advance says, in units of its CIE. */
static uint32_t frames_advance(const uint8_t *bytes, uint64_t length) {
  enum { SHORT = 0x3f, OF_BYTE = 2, OF_HALF = 3 };
  if (length == 1)
    return bytes[0] & SHORT;
  if (length == OF_BYTE)
    return bytes[1];
  return length == OF_HALF ? tl_get16(bytes + 1) : tl_get32(bytes + 1);
}

/* False where an instruction does not end. An advance is of 32 bits, in units of its CIE (L1120), and may go back, or it says the
 * place itself; a NOP stands for nothing at its place, and the last instruction is read on behind its frame, and the section (L1486). */
static bool frames_read_steps(const finalizer *f, const frame_pair *pair, frame_steps *steps) {
  enum { NOP = 0, SET_PLACE = 1 };
  const uint8_t *const frame_bytes = pair->mercury;
  const uint64_t size = pair->mercury_size, end_of_section = size + tl_smaller(pair->behind, FRAME_BEHIND);
  const uint32_t unit = frames_unit(pair);
  uint8_t *const bytes = final_new(f, end_of_section);
  uint64_t at = 0, start = 0, end = 0; /* start, end: of the instructions at this place, in `bytes` */
  bool any = false;
  for (uint64_t i = TL_FRAME_FDE, length; i < size; i += length) {
    length = frames_instruction_size(frame_bytes + i, end_of_section - i);
    if (!length)
      return false;
    if (frames_is_advance(frame_bytes[i])) {
      if (any)
        frames_add_step(f, steps, at, bytes + start, end - start);
      at = frame_bytes[i] == SET_PLACE
               ? tl_get64(frame_bytes + i + 1)
               : at + (uint64_t)(int64_t)(int32_t)(unit * frames_advance(frame_bytes + i, length));
      start = end;
      any = false;
      continue;
    }
    any = true;
    if (frame_bytes[i] != NOP) {
      memcpy(bytes + end, frame_bytes + i, length);
      end += length;
    }
  }
  frames_add_step(f, steps, at, bytes + start, end - start);
  return true;
}

static int frames_compare_steps(const void *a, const void *b) {
  const frame_step *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->at, y->at}, {x->order, y->order}};
  return tl_compare_pairs(pairs, 2);
}

/* Where a step at a place of the code begins in the SASS text: directly behind the instruction that nvlink knows (L871) of the
 * place before (L1482). */
static uint64_t frames_step_place(const frame_code *code, size_t place) {
  if (!place)
    return 0;
  const tl_code_place *const before = &code->map->items[place - 1];
  return before->sass + ((uint64_t)tl_code_known_of(code->text, before).own + 1) * TL_CODE_INSTRUCTION;
}

/* The steps at the places that they have in the SASS text; of several for one place the last counts, and one for no place
 * of the code does not. */
static void frames_put_steps(frame_writer *w, const frame_steps *steps, const frame_code *code, uint64_t start,
                             uint64_t sass_start) {
  enum { ADVANCE_4 = 4, ADVANCE_SIZE = 5, SASS_UNIT = 4 };
  const tl_code *const map = code->map;
  uint64_t at = 0;
  size_t place = 0;
  for (size_t i = 0; i < steps->count; i++) {
    const frame_step *const step = &steps->items[i];
    if ((i + 1 < steps->count && step[1].at == step->at) || (start && !step->at)) /* L720 */
      continue;
    while (place < map->count && map->items[place].mercury < start + step->at)
      place++;
    if (place == map->count || map->items[place].mercury != start + step->at)
      continue;
    const uint64_t to = (frames_step_place(code, place) - sass_start) / SASS_UNIT;
    if (to != at) {
      w->bytes[w->size] = ADVANCE_4;
      tl_put32(w->bytes + w->size + 1, (uint32_t)(to - at));
      w->size += ADVANCE_SIZE;
      at = to;
    }
    frames_put(w, step->bytes, step->size);
  }
}

/* --- writing --- */

/* A function behind its second name, or in a jump slot behind the first: its frame is not translated (L104, L660). */
static bool frames_stays(const finalizer *f, uint32_t symbol) {
  if (final_is_slot(f, symbol) && final_slot_place(f, symbol))
    return true;
  return f->aliased[f->mercury->module->symbols.items[symbol].section];
}

/* A frame at the places of the SASS text (L492); of several frames of a function the first has the steps of all (L128). */
static void frames_put_translated(frame_writer *w, uint32_t first, const frame_pair *last) {
  finalizer *const f = w->f;
  const uint32_t text = f->mercury->module->symbols.items[last->symbol].section;
  const tl_code *const map = final_code_map_of(f, text);
  const frame_code code = {map, map ? final_code_text(f, text) : NULL};
  frame_steps steps = {0};
  bool known = code.map != NULL;
  for (uint32_t i = first; known && i != TL_NONE; i = w->pairs.items[i].next) {
    known = frames_read_steps(f, &w->pairs.items[i], &steps);
  }
  if (!known)
    final_disagree(f, "a frame is not understood");
  const uint64_t start = w->size;
  tl_vector_sort(&steps, frames_compare_steps);
  frames_put(w, last->mercury, TL_FRAME_FDE);
  const final_extent part = final_extent_of(f, text, last->start);
  frames_put_steps(w, &steps, &code, last->start, part.start);
  w->size = start + tl_align(w->size - start, 8);
  tl_put64(w->bytes + start + TL_FRAME_LENGTH, w->size - start - TL_FRAME_CIE);
  if (part.start)
    tl_put64(w->bytes + start + TL_FRAME_ADDRESS, part.start);
  tl_put64(w->bytes + start + TL_FRAME_CODE, final_is_slot(f, last->symbol) ? final_slot_code_end(f) : part.size);
}

static void frames_put_leb(frame_writer *w, uint32_t value, bool sign) {
  enum { BITS = 7, MORE = 0x80, NEGATIVE = 0x40 };
  const bool negative = sign && value >> 31;
  int64_t rest = negative ? (int64_t)value - ((int64_t)1 << 32) : (int64_t)value;
  for (bool more = true; more;) {
    const uint8_t byte = (uint8_t)(rest & (MORE - 1));
    rest = rest >= 0 ? rest >> BITS : -((-rest + (MORE - 1)) >> BITS); /* rounded down, which a shift need not do */
    more = sign ? !(rest == 0 && !(byte & NEGATIVE)) && !(rest == -1 && byte & NEGATIVE) : rest != 0;
    w->bytes[w->size++] = (uint8_t)(byte | (more ? MORE : 0));
  }
}

/* L1120: a CIE of the SASS side is read out of Mercury's and written anew: version 3, no text, 4 as the unit of advances
 * (L492), the other two numbers as short as they go, and what stands behind the last advance, without NOP but for the
 * padding. False at something that does not end. */
static bool frames_make_cie(frame_writer *w, const uint8_t *from, uint64_t size) {
  enum { VERSION = 3, SASS_UNIT = 4, NOP = 0 };
  const uint64_t start = w->size;
  uint64_t at = frames_cie_numbers(from, size);
  uint32_t unit, data, back;
  if (!frames_take_leb(from, size, &at, false, &unit) || !frames_take_leb(from, size, &at, true, &data) || at >= size)
    return false;
  if ((int8_t)from[CIE_VERSION] < VERSION) /* a byte there, with its sign */
    back = (uint32_t)(int8_t)from[at++];
  else if (!frames_take_leb(from, size, &at, false, &back))
    return false;
  frames_put(w, from, CIE_VERSION);
  w->bytes[w->size++] = VERSION;
  w->bytes[w->size++] = 0;
  w->bytes[w->size++] = SASS_UNIT;
  frames_put_leb(w, data, true);
  frames_put_leb(w, back, false);
  const uint64_t begin = w->size;
  for (uint64_t length; at < size; at += length) {
    const bool advances = frames_is_advance(from[at]);
    length = frames_instruction_size(from + at, size - at);
    if (!length && advances)
      length = size - at; /* nothing stands behind it */
    if (!length) {
      w->size = start;
      return false;
    }
    if (advances)
      w->size = begin;
    else if (from[at] != NOP)
      frames_put(w, from + at, length);
  }
  memset(w->bytes + w->size, NOP, 8);
  w->size = start + tl_align(w->size - start, 8);
  tl_put64(w->bytes + start + TL_FRAME_LENGTH, w->size - start - TL_FRAME_CIE);
  return true;
}

static void frames_put_cie(frame_writer *w, const frame_pair *pair) {
  if (frames_make_cie(w, pair->mercury_cie, pair->mercury_cie_size))
    return;
  final_disagree(w->f, "the head of a frame is not understood");
}

/* A frame's function as a key. */
static uint64_t frames_function(const frame_pair *pair) {
  return (uint64_t)pair->symbol << 32 | pair->start;
}

/* M24, L104: the first frame of a function describes the body that stands; a further one, where the entries of a replaced
 * body stayed too, is the Mercury view's without its instructions. */
static void frames_write(frame_writer *w) {
  enum { BARE_FRAME = 40, BARE_LENGTH = 28 };
  finalizer *const f = w->f;
  tl_map last, written; /* by function */
  tl_map_init(&last, f->arena);
  tl_map_init(&written, f->arena);
  uint64_t cie = TL_NO_OFFSET, cie_place = 0;
  for (uint32_t i = 0; i < w->pairs.count; i++) {
    const uint64_t function = frames_function(&w->pairs.items[i]);
    if (w->pairs.items[i].nobody)
      continue;
    const uint32_t before = tl_map_get(&last, function);
    if (before != TL_NONE)
      w->pairs.items[before].next = i;
    tl_map_set(&last, function, i);
  }
  for (uint32_t i = 0; i < w->pairs.count; i++) {
    const frame_pair *const pair = &w->pairs.items[i];
    const uint32_t newest = tl_map_get(&last, frames_function(pair)); /* TL_NONE where all are nobody's */
    const bool bare = pair->nobody || !tl_set_add(&written, frames_function(pair)) || frames_stays(f, pair->symbol);
    if (cie != pair->cie) {
      cie = pair->cie;
      cie_place = w->size;
      if (bare)
        frames_put(w, pair->mercury_cie, pair->mercury_cie_size);
      else
        frames_put_cie(w, pair);
      *tl_vector_push(f->arena, &f->frames) = (final_frame){cie, cie_place, pair->mercury_cie_size, cie_place, true};
    }
    *tl_vector_push(f->arena, &f->frames) = (final_frame){pair->place, w->size, pair->mercury_size, cie_place, false};
    uint8_t *const at = w->bytes + w->size;
    if (bare) {
      memcpy(at, pair->mercury, TL_FRAME_FDE);
      tl_put64(at + TL_FRAME_LENGTH, BARE_LENGTH);
      w->size += BARE_FRAME;
    } else {
      frames_put_translated(w, i, &w->pairs.items[newest]);
    }
    tl_put64(at + TL_FRAME_CIE, cie_place);
  }
}

static int frames_compare_begin(const void *a, const void *b) {
  const final_frame *const x = a, *const y = b;
  return tl_compare(x->from, y->from);
}

/* The frame or CIE of the output that a place in the Mercury section lies in; NULL. */
static const final_frame *frames_find(const finalizer *f, uint64_t offset) {
  const final_frame key = {.from = offset};
  const final_frame *const found = TL_SORTED_LAST(&key, &f->frames, frames_compare_begin);
  return found && offset - found->from < found->size ? found : NULL;
}

/* Whether an entry stands at a word that nvlink knows: of a frame, or an address in an expression of a CIE. */
static bool frames_is_word(const finalizer *f, const tl_kept *entry, const final_frame *found) {
  enum { OP_ADDRESS = 3 };
  if (!found)
    return false;
  const uint64_t within = entry->offset - found->from;
  if (!found->cie)
    return within == TL_FRAME_CIE || within == TL_FRAME_ADDRESS || within == TL_FRAME_CODE;
  const uint32_t frames = final_mercury(f, entry->container)->about;
  return within > CIE_VERSION + 1 && final_view_bytes(f->mercury, frames)[entry->offset - 1] == OP_ADDRESS;
}

/* What the entries of a place add: of an address of code that of an instruction, as in debug data (L1524). */
static uint64_t frames_addend(finalizer *f, const frame_entry *at) {
  const tl_module *const m = f->mercury->module;
  const tl_symbol *const symbol = at->addressed == TL_NONE ? NULL : &m->symbols.items[at->addressed];
  const uint32_t text = symbol ? symbol->section : TL_NONE;
  if (text == TL_NONE || !(m->sections.items[text].flags & SHF_EXECINSTR))
    return at->addend;
  if (tl_type_of(symbol) == STT_SECTION) /* L1746 */
    return 0;
  if (final_begins_inner(f, text, at->addend))
    return final_extent_of(f, text, at->addend).start;
  const tl_code *const map = final_code_map_of(f, text);
  return map ? tl_code_translate(map, at->addend, final_view_size(f->sass, f->sass_section[text])) : 0;
}

/* Whether an entry says where a frame's CIE is (D92), which only one about the frames' own section does (L1532). nvlink carries
 * it out. */
static bool frames_points(const finalizer *f, const tl_kept *entry) {
  const tl_symbol *const symbol = &f->mercury->module->symbols.items[entry->symbol];
  return tl_type_of(symbol) == STT_SECTION && symbol->section == final_mercury(f, entry->container)->about &&
         entry->type == TL_R_MERCURY + 2;
}

/* Where an entry is on the SASS side, 0 where that has no such word (L1304). */
static uint64_t frames_place(const finalizer *f, const tl_kept *entry, const final_frame *found) {
  const tl_module *const m = f->mercury->module;
  if (!frames_is_word(f, entry, found))
    return 0;
  const uint64_t to = found->to + (entry->offset - found->from);
  if (!found->cie || !to || (m->mode->final && !tl_barriers_asked(m->options)))
    return to;
  if (tl_defect_matched(m->options, TL_DEFECT_D135))
    return 0;
  tl_defect_note(m->diagnostics, TL_DEFECT_D135, tl_module_text(m, m->symbols.items[entry->symbol].name));
  return to;
}

/* L1304: nvlink writes a place in the code where an entry about one stands, and 0 as a frame's pointer where any entry does. */
static void frames_put_entries(const frame_writer *w, uint32_t container) {
  enum { POINTER_SIZE = 8 };
  finalizer *const f = w->f;
  const final_entry_list list = final_entries_of(&f->mercury_entries, container);
  for (size_t i = 0; i < list.count; i++) {
    const final_frame *const found = frames_find(f, list.items[i]->offset);
    if (found && !found->cie && list.items[i]->offset - found->from == TL_FRAME_CIE && !frames_points(f, list.items[i]))
      memset(w->bytes + found->to + TL_FRAME_CIE, 0, POINTER_SIZE);
  }
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const entry = list.items[i];
    const final_frame *const found = frames_find(f, entry->offset);
    const tl_relocation_row *const row = tl_relocation_in_view(entry->type, true);
    if (!tl_relocation_is_code_place(row))
      continue;
    const uint64_t at = frames_place(f, entry, found); /* the first word's where the SASS side has no such (L1523) */
    const unsigned width = row->fields[0].width / 8u;
    const uint32_t symbol = f->sass_symbol[entry->symbol];
    if (at > w->size || width > w->size - at)
      continue;
    const uint64_t begin = symbol == TL_NONE ? 0 : tl_emit_symbol_value(f->sass->emitted, symbol); /* L1785 */
    const uint64_t value = begin + frames_addend(f, frames_find_entry(&w->entries, entry->offset));
    tl_put(w->bytes + at, value >> row->fields[0].shift, width);
  }
}

/* --- entries that nvlink's finalizer cannot have (L513, L608, L1520, L1521) --- */

/* L513: whether an address of code in the frames lies behind it. Of texts with several functions tl_mercury_check knows. */
static bool frames_is_behind_code(finalizer *f, const tl_kept *entry) {
  const tl_module *const m = f->mercury->module;
  const uint32_t text = m->symbols.items[entry->symbol].section;
  if (!frames_is_address(entry) || text == TL_NONE || !(m->sections.items[text].flags & SHF_EXECINSTR))
    return false;
  const tl_code *const map = final_code_map_of(f, text);
  return map && (uint64_t)entry->addend >= map->mercury_size && !final_begins_inner(f, text, (uint64_t)entry->addend);
}

/* Those that stay. L1520: one about no symbol of the output, as one is about a section that the output makes anew. */
static void frames_check_kept(finalizer *f, const tl_section *frames) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, frames->relocations[1]);
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const entry = list.items[i];
    if (!entry->symbol)
      frames_refuse(f, frames, entry->offset, "an entry of a frame is about no symbol of the output (L1520)");
    if (frames_is_behind_code(f, entry))
      frames_refuse(f, frames, entry->offset, "the address of a frame's code lies in no function (L513)");
  }
}

/* The places where frames begin in the merged section, before anything is carried out. */
static tl_map frames_starts(const finalizer *f, const tl_section *frames) {
  tl_map starts;
  tl_map_init(&starts, f->arena);
  for (size_t i = 0; i < frames->pieces.count; i++) {
    const tl_piece *const piece = &frames->pieces.items[i];
    const frame_list list = frames_read(f, piece->data, piece->size);
    for (size_t j = 0; j < list.count; j++)
      tl_set_add(&starts, piece->offset + list.items[j].offset);
  }
  return starts;
}

/* Whether what is carried out changes the first words of a frame, which say that it is one. A value that is not 0 changes the
 * high half of a frame's length, too (L638). */
static bool frames_is_broken_by(const tl_map *starts, const tl_patch *patch) {
  enum { FIRST_WORDS = 8, LENGTH_END = 12 };
  const uint64_t bytes = tl_relocation_row_bytes(patch->row), end = patch->offset + bytes;
  const uint64_t kept = patch->value ? LENGTH_END : FIRST_WORDS; /* at the start of a frame */
  bool broken = false;
  for (uint64_t i = 1; i < bytes + kept; i++)
    broken |= end >= i && tl_set_has(starts, end - i);
  return broken;
}

/* L1521: whether an entry says that the place of code is an undefined object of the output. nvlink ends by a signal there, and
 * not over `__UFT_OFFSET`. */
static bool frames_is_no_place(const finalizer *f, const tl_relocation *entry) {
  enum { CODE = TL_R_MERCURY + 0x0e };
  const tl_module *const m = f->mercury->module;
  const tl_symbol *const symbol = &m->symbols.items[entry->symbol];
  const bool object = tl_type_of(symbol) == STT_OBJECT || tl_type_of(symbol) == STT_CUDA_OBJECT;
  return entry->type == CODE && object && symbol->section == TL_NONE &&
         f->mercury->emitted->symbol_index[entry->symbol] &&
         strcmp(tl_module_text(m, symbol->name), "__UFT_OFFSET") != 0;
}

static void frames_check_carried(const finalizer *f, uint32_t section, const tl_section *frames) {
  const tl_module *const m = f->mercury->module;
  const tl_relocated *const relocated = f->mercury->emitted->relocated;
  const tl_map starts = frames_starts(f, frames);
  for (size_t i = 0; i < relocated->patches.count; i++) {
    const tl_patch *const patch = &relocated->patches.items[i];
    if (patch->section != section)
      continue;
    if (frames_is_broken_by(&starts, patch))
      frames_refuse(f, frames, patch->offset, "an entry stands in the first words of a frame (L513)");
    if (frames_is_no_place(f, &m->relocations.items[patch->entry]))
      frames_refuse(f, frames, patch->offset, "an entry of a frame is about no function (L608)");
  }
}

const uint8_t *final_frames(finalizer *f, uint32_t section, uint64_t *size) {
  enum { ADVANCE_GROWS = 5 }; /* one of a byte has as many */
  const tl_section *const m = final_mercury(f, section);
  frames_check_kept(f, m);
  frames_check_carried(f, section, m);
  const uint8_t *const bytes = final_view_bytes(f->mercury, section);
  frame_writer w = {.f = f, .section = m};
  w.entries = frames_first_entries(f, m->relocations[1]);
  for (size_t i = 0; i < m->pieces.count; i++)
    frames_pair_file(&w, &m->pieces.items[i], bytes + m->pieces.items[i].offset,
                     f->mercury->plan->size - f->mercury->plan->section_offset[section]);
  uint64_t room = 0;
  for (size_t i = 0; i < w.pairs.count; i++)
    room += ADVANCE_GROWS * w.pairs.items[i].mercury_size + FRAME_BEHIND + w.pairs.items[i].mercury_cie_size + 64;
  w.bytes = final_new(f, room);
  frames_write(&w);
  frames_put_entries(&w, m->relocations[1]);
  *size = w.size;
  return w.bytes;
}

/* Entries of the Mercury section that stay, with their numbers in data (R63), at the frames' new places (L1304). */
const uint8_t *final_frame_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, section);
  const frame_entries first = frames_first_entries(f, section);
  uint8_t *const bytes = final_new(f, list.count * ELF_RELA_SIZE);
  *size = 0;
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const entry = list.items[i];
    const final_frame *const found = frames_find(f, entry->offset);
    const bool points = frames_points(f, entry);
    const bool nothing = entry->type == 0 || entry->type == TL_R_MERCURY; /* L1568 */
    if (nothing || tl_relocation_is_code_place(tl_relocation_in_view(entry->type, true)) || (points && !found))
      continue;
    uint8_t *const at = bytes + *size;
    tl_put64(at, frames_place(f, entry, found));
    tl_put64(at + 8,
             (uint64_t)f->mercury->emitted->symbol_index[entry->symbol] << 32 | tl_sass_type_in_data(entry->type));
    tl_put64(at + 16, points ? found->cie_place : frames_addend(f, frames_find_entry(&first, entry->offset)));
    *size += ELF_RELA_SIZE;
  }
  return bytes;
}
