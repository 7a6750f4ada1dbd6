/* Frames of a capsule's SASS side: the CIE and the instructions of Mercury's frames, translated. */
#include "cubin/frame_writer.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/text.h"
#include "cubin/call_frame.h"
#include "cubin/known.h"

#include <string.h>

enum { FRAME_BEHIND = 256 }; /* how far behind a frame its last instruction may go (L1486) */

typedef struct frame_writer {
  tl_frame_pairs *pairs;
  tl_map translated; /* the CIEs of frames that are */
  tl_map ends;       /* by function: how far its frames' steps go in decoded code (L1723) */
  tl_arena *arena;
  uint8_t *bytes;
  uint64_t size;
} frame_writer;

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
uint64_t tl_frame_instruction_size(const uint8_t *bytes, uint64_t left) {
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
static uint32_t frames_unit(const tl_frame_pair *pair) {
  uint64_t at = frames_cie_numbers(pair->cie, pair->cie_size);
  uint32_t unit;
  return frames_take_leb(pair->cie, pair->cie_size, &at, false, &unit) ? unit : 1;
}

static void frames_add_step(tl_arena *arena, frame_steps *steps, uint64_t at, const uint8_t *bytes, uint64_t size) {
  *tl_vector_push(arena, steps) = (frame_step){at, (uint32_t)steps->count, bytes, size};
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
  return kind == SIMPLE && TL_AMONG16(operands, bytes[0]) ? tl_frame_instruction_size(bytes, left) : 1;
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
static bool frames_read_steps(tl_arena *arena, const tl_frame_pair *pair, frame_steps *steps) {
  enum { NOP = 0, SET_PLACE = 1 };
  const uint8_t *const frame_bytes = pair->frame;
  const uint64_t size = pair->size, end_of_section = size + tl_smaller(pair->behind, FRAME_BEHIND);
  const uint32_t unit = frames_unit(pair);
  uint8_t *const bytes = tl_arena_new(arena, uint8_t, end_of_section);
  uint64_t at = 0, start = 0, end = 0; /* start, end: of the instructions at this place, in `bytes` */
  bool any = false;
  for (uint64_t i = TL_FRAME_FDE, length; i < size; i += length) {
    length = frames_instruction_size(frame_bytes + i, end_of_section - i);
    if (!length)
      return false;
    if (frames_is_advance(frame_bytes[i])) {
      if (any)
        frames_add_step(arena, steps, at, bytes + start, end - start);
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
  frames_add_step(arena, steps, at, bytes + start, end - start);
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
 * of the code, or behind the end, does not. */
static void frames_put_steps(frame_writer *w, const frame_steps *steps, const frame_code *code, uint64_t start,
                             uint64_t sass_start, uint32_t end) {
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
    if (place == map->count || map->items[place].mercury != start + step->at || (start < end && start + step->at > end))
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
 * (L492) where a frame of it is translated (L1722), the other two numbers as short as they go, and what stands behind the last
 * advance, without NOP but for the padding. False at something that does not end. */
static bool frames_make_cie(frame_writer *w, const uint8_t *from, uint64_t size, bool translated) {
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
  memset(w->bytes + w->size, UINT8_MAX, CIE_VERSION); /* its mark and, for the while, its length too */
  w->size += CIE_VERSION;
  w->bytes[w->size++] = VERSION;
  w->bytes[w->size++] = 0;
  frames_put_leb(w, translated ? SASS_UNIT : unit, false);
  frames_put_leb(w, data, true);
  frames_put_leb(w, back, false);
  const uint64_t begin = w->size;
  uint64_t most = begin;
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
    most = tl_larger(most, w->size);
  }
  memset(w->bytes + w->size, NOP, tl_larger(most, w->size) - w->size + 8); /* also what stood before an advance */
  w->size = start + tl_align(w->size - start, 8);
  tl_put64(w->bytes + start + TL_FRAME_LENGTH, w->size - start - TL_FRAME_CIE);
  return true;
}

/* A frame at the places of the SASS text (L492); of several frames of a function the first has the steps of all (L128). */
static bool frames_put_translated(frame_writer *w, uint32_t first) {
  const tl_frame_pair *const last = &w->pairs->items[w->pairs->items[first].newest];
  const frame_code code = {last->map, last->text};
  frame_steps steps = {0};
  bool known = code.map != NULL;
  for (uint32_t i = first; known && i != TL_NONE; i = w->pairs->items[i].next)
    known = frames_read_steps(w->arena, &w->pairs->items[i], &steps);
  if (!known)
    return false;
  const uint64_t start = w->size;
  tl_vector_sort(&steps, frames_compare_steps);
  frames_put(w, last->frame, TL_FRAME_FDE);
  frames_put_steps(w, &steps, &code, last->start, last->sass_start, tl_map_get(&w->ends, last->symbol));
  w->size = start + tl_align(w->size - start, 8);
  tl_put64(w->bytes + start + TL_FRAME_LENGTH, w->size - start - TL_FRAME_CIE);
  if (last->sass_start)
    tl_put64(w->bytes + start + TL_FRAME_ADDRESS, last->sass_start);
  tl_put64(w->bytes + start + TL_FRAME_CODE, last->code_size);
  return true;
}

/* A frame's function as a key. */
static uint64_t frames_function(const tl_frame_pair *pair) {
  return (uint64_t)pair->symbol << 32 | pair->start;
}

/* L1723: where a frame that is no function's begins in the code of its symbol. */
static void frames_note_end(frame_writer *w, const tl_frame_pair *pair) {
  const uint64_t address = tl_get64(pair->frame + TL_FRAME_ADDRESS);
  const tl_code_place *const place = pair->map ? tl_code_find(pair->map, address) : NULL;
  const uint32_t known = tl_map_get(&w->ends, pair->symbol);
  if (place && place->mercury == address && address < known)
    tl_map_set(&w->ends, pair->symbol, (uint32_t)address);
}

/* M24, L104: the first frame of a function describes the body that stands; a further one, where the entries of a replaced
 * body stayed too, is the Mercury view's without its instructions. */
static void frames_mark(frame_writer *w) {
  tl_map last; /* by function */
  tl_map_init(&last, w->arena);
  for (uint32_t i = 0; i < w->pairs->count; i++) {
    tl_frame_pair *const pair = &w->pairs->items[i];
    const uint32_t before = pair->nobody ? TL_NONE : tl_map_get(&last, frames_function(pair));
    pair->next = TL_NONE;
    if (before != TL_NONE)
      w->pairs->items[before].next = i;
    pair->bare = pair->nobody || before != TL_NONE || pair->stays;
    if (pair->nobody)
      frames_note_end(w, pair);
    else
      tl_map_set(&last, frames_function(pair), i);
    if (!pair->bare)
      tl_set_add(&w->translated, pair->cie_at);
  }
  for (size_t i = w->pairs->count; i-- > 0;) {
    const uint32_t next = w->pairs->items[i].next;
    w->pairs->items[i].newest = next == TL_NONE ? (uint32_t)i : w->pairs->items[next].newest;
  }
}

static bool frames_put_frame(frame_writer *w, uint32_t index, uint64_t cie_place) {
  enum { BARE_FRAME = 40, BARE_LENGTH = 28 };
  const tl_frame_pair *const pair = &w->pairs->items[index];
  uint8_t *const at = w->bytes + w->size;
  if (pair->bare) {
    memcpy(at, pair->frame, TL_FRAME_FDE);
    tl_put64(at + TL_FRAME_LENGTH, BARE_LENGTH);
    w->size += BARE_FRAME;
  } else if (!frames_put_translated(w, index)) {
    return false;
  }
  tl_put64(at + TL_FRAME_CIE, cie_place);
  return true;
}

static frame_writer frames_new_writer(tl_frame_pairs *pairs, tl_arena *arena) {
  enum { ADVANCE_GROWS = 5, MORE = 64 }; /* an advance of a byte has as many */
  frame_writer w = {.pairs = pairs, .arena = arena};
  uint64_t room = 0;
  for (size_t i = 0; i < pairs->count; i++)
    room += ADVANCE_GROWS * pairs->items[i].size + FRAME_BEHIND + pairs->items[i].cie_size + MORE;
  w.bytes = tl_arena_new(arena, uint8_t, room);
  tl_map_init(&w.translated, arena);
  tl_map_init(&w.ends, arena);
  return w;
}

/* L1722: each frame has its CIE once more in front of it. */
const char *tl_frames_write(tl_frame_pairs *pairs, tl_arena *arena, tl_frame_output *out, tl_frames_moved *moved) {
  frame_writer w = frames_new_writer(pairs, arena);
  frames_mark(&w);
  for (uint32_t i = 0; i < pairs->count; i++) {
    const tl_frame_pair *const pair = &pairs->items[i];
    const uint64_t cie_place = w.size;
    if (!frames_make_cie(&w, pair->cie, pair->cie_size, tl_set_has(&w.translated, pair->cie_at)))
      return "the head of a frame is not understood";
    if (!i || pairs->items[i - 1].cie_at != pair->cie_at)
      *tl_vector_push(arena, moved) = (tl_frame_moved){pair->cie_at, cie_place, pair->cie_size, cie_place, true};
    *tl_vector_push(arena, moved) = (tl_frame_moved){pair->place, w.size, pair->size, cie_place, false};
    if (!frames_put_frame(&w, i, cie_place))
      return "a frame is not understood";
  }
  *out = (tl_frame_output){w.bytes, w.size};
  return NULL;
}

static int frames_compare_begin(const void *a, const void *b) {
  const tl_frame_moved *const x = a, *const y = b;
  return tl_compare(x->from, y->from);
}

const tl_frame_moved *tl_frames_find(const tl_frames_moved *moved, uint64_t offset) {
  const tl_frame_moved key = {.from = offset};
  const tl_frame_moved *const found = TL_SORTED_LAST(&key, moved, frames_compare_begin);
  return found && offset - found->from < found->size ? found : NULL;
}

bool tl_frames_is_word(const tl_frame_moved *found, const uint8_t *section, uint64_t offset) {
  enum { OP_ADDRESS = 3 };
  if (!found)
    return false;
  const uint64_t within = offset - found->from;
  if (!found->cie)
    return within == TL_FRAME_CIE || within == TL_FRAME_ADDRESS || within == TL_FRAME_CODE;
  return within > CIE_VERSION + 1 && section[offset - 1] == OP_ADDRESS;
}
