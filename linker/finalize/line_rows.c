/* The SASS rows of a line sequence, made from the Mercury view's (L129, L1501): nvlink's finalizer carries its rows over to the
 * text that stands; where a second name stands before the function it leaves them as they are (L104). What one row says is kept
 * until it is known that no later row says something else for the same place. */
#include "finalize/line_rows.h"

#include "base/bytes.h"

#include <string.h>

/* DWARF line number opcodes that ptxas writes, and two extended ones of its own. */
enum {
  OP_EXTENDED = 0,
  OP_COPY = 1,
  OP_ADVANCE = 2,
  OP_LINE = 3,
  OP_FILE = 4,
  OP_COLUMN = 5,
  OP_CONST_ADVANCE = 8,
  OP_FIXED_ADVANCE = 9, /* nvlink crashes over it */
  EXT_END = 1,
  OP_SET_ADDRESS = 2,
  OP_CALLER = 0x90, /* the row of the call that a row is inlined at, and the name of the function that is */
  OP_ENTRY = 0x92   /* whether rows are about the function's entry */
};

typedef struct line_row {
  uint64_t at;
  uint64_t file, caller, name; /* caller: number of a row, from 1; 0: not inlined */
  int64_t line;
  bool entry;
  uint32_t number; /* from 1 */
} line_row;

typedef struct row_reader {
  const line_shape *shape;
  const uint8_t *at, *end;
  line_row row; /* the state of the rows' machine */
  bool broken;
} row_reader;

typedef enum row_step { STEP_STATE, STEP_ROW, STEP_SEQUENCE } row_step;

enum { DEPTH_MOST = 256 }; /* of inlined calls; no compiler goes so far */

typedef struct row_writer {
  const finalizer *f;
  const line_text *text;
  tl_arena *arena;
  final_line_bytes out;
  line_row last;    /* as it was said; its caller is the Mercury sequence's */
  bool said;        /* there is one */
  uint32_t written; /* rows, without the second of the first place's two */
  tl_u32_vector
      number; /* by row of the Mercury sequence: the number that it has as a caller, 0; TL_NONE while it is looked for */
  const line_shape *shape;
  TL_VECTOR(line_row) rows;   /* of the Mercury sequence, as they are read */
  TL_VECTOR(line_row) sorted; /* by place */
  uint32_t waiting;           /* number of the last row for the place in hand, 0 */
  tl_u32_vector chain;        /* what is written at a place, innermost first */
  final_rows result;
} row_writer;

/* --- reading --- */

static uint64_t rows_unsigned(row_reader *r) {
  uint64_t value = 0;
  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    const uint8_t byte = *r->at++;
    if (shift < 64)
      value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      break;
  }
  return value;
}

static int64_t rows_signed(row_reader *r) {
  const uint8_t *const start = r->at;
  uint64_t value = rows_unsigned(r);
  const unsigned bits = 7 * (unsigned)(r->at - start < 9 ? r->at - start : 9);
  if (bits && value >> (bits - 1) & 1)
    value |= ~UINT64_C(0) << bits;
  return (int64_t)value;
}

/* An extended opcode has one byte of size, which counts from its code on; the end of a sequence is none (L1501). */
static row_step rows_read_extended(row_reader *r) {
  const uint64_t size = r->at < r->end ? *r->at++ : 0;
  const uint8_t *const start = r->at;
  const uint8_t code = r->at < r->end ? *r->at++ : 0;
  if (code == OP_CALLER && size) {
    r->row.caller = rows_unsigned(r);
    r->row.name = rows_unsigned(r);
  } else if (code == OP_ENTRY && size) {
    r->row.entry = rows_unsigned(r) != 0;
  }
  r->at = size < (uint64_t)(r->end - start) ? start + size : r->end;
  return code == OP_SET_ADDRESS ? STEP_SEQUENCE : STEP_STATE;
}

/* Lines are numbers of 32 bits. */
static void rows_add_lines(row_reader *r, int64_t lines) {
  r->row.line = (int32_t)(uint32_t)((uint64_t)r->row.line + (uint64_t)lines);
}

static void rows_add_special(row_reader *r, uint8_t code) {
  const line_shape *const shape = r->shape;
  const unsigned step = (unsigned)(code - shape->opcode_base);
  r->row.at += step / shape->line_range;
  rows_add_lines(r, shape->line_base + (int64_t)(step % shape->line_range));
}

/* An opcode that only the header knows, with numbers behind it. */
static void rows_skip_standard(row_reader *r, uint8_t code) {
  const unsigned index = code - 1u;
  const unsigned count = index < r->shape->length_count ? r->shape->lengths[index] : 0;
  for (unsigned i = 0; i < count; i++)
    rows_unsigned(r);
}

/* Reads one opcode. Those up to 9 are what they are whatever the header says. */
static row_step rows_step(row_reader *r) {
  const uint8_t code = *r->at++;
  if (code > OP_FIXED_ADVANCE && code < r->shape->opcode_base) {
    rows_skip_standard(r, code);
  } else if (code > OP_FIXED_ADVANCE) {
    rows_add_special(r, code);
    return STEP_ROW;
  } else if (code == OP_EXTENDED) {
    return rows_read_extended(r);
  } else if (code == OP_COPY) {
    return STEP_ROW;
  } else if (code == OP_ADVANCE) {
    r->row.at += rows_unsigned(r);
  } else if (code == OP_LINE) {
    rows_add_lines(r, rows_signed(r));
  } else if (code == OP_FILE) {
    r->row.file = (uint32_t)rows_unsigned(r);
  } else if (code == OP_COLUMN) {
    rows_unsigned(r);
  } else if (code == OP_CONST_ADVANCE) {
    r->row.at += (UINT8_MAX - (unsigned)r->shape->opcode_base) / r->shape->line_range;
  }
  r->broken |= code == OP_FIXED_ADVANCE;
  return STEP_STATE;
}

uint64_t final_next_sequence(const line_shape *shape, const uint8_t *bytes, uint64_t at, uint64_t end) {
  row_reader r = {.shape = shape, .at = bytes + at, .end = bytes + end};
  while (r.at < r.end) {
    const uint8_t *const start = r.at;
    if (rows_step(&r) == STEP_SEQUENCE)
      return (uint64_t)(start - bytes);
  }
  return end;
}

/* --- writing --- */

static void rows_put(row_writer *w, uint8_t byte) {
  *tl_vector_push(w->arena, &w->out) = byte;
}

static void rows_put_unsigned(row_writer *w, uint64_t value) {
  for (; value > 0x7f; value >>= 7)
    rows_put(w, (uint8_t)(value | 0x80));
  rows_put(w, (uint8_t)value);
}

static void rows_put_signed(row_writer *w, int64_t value) {
  for (;;) {
    const uint8_t byte = value & 0x7f;
    value = value >= 0 ? value >> 7 : ~(~value >> 7);
    if (value == (byte & 0x40 ? -1 : 0)) {
      rows_put(w, byte);
      return;
    }
    rows_put(w, byte | 0x80);
  }
}

/* The advance of the place is written like a signed number. */
static void rows_put_advance(row_writer *w, uint64_t by) {
  rows_put(w, OP_ADVANCE);
  rows_put_signed(w, (int64_t)by);
}

/* The row that a row is inlined at, 0 where the sequence has none of that number. */
static uint32_t rows_caller(const row_writer *w, const line_row *row) {
  return row->caller <= w->rows.count && w->shape->callers ? (uint32_t)row->caller : 0;
}

/* DW_LNE 0x90 where it changes, by the Mercury sequence's numbers: what is written may be the same again. */
static void rows_put_caller(row_writer *w, const line_row *row) {
  row_writer sizes = {.arena = w->arena};
  const uint32_t caller = rows_caller(w, row);
  if (!w->shape->callers || (caller == w->last.caller && row->name == w->last.name))
    return;
  rows_put_unsigned(&sizes, caller ? w->number.items[caller - 1] : 0);
  rows_put_unsigned(&sizes, row->name);
  rows_put(w, OP_EXTENDED);
  rows_put_unsigned(w, 1 + sizes.out.count);
  rows_put(w, OP_CALLER);
  for (size_t i = 0; i < sizes.out.count; i++)
    rows_put(w, sizes.out.items[i]);
  w->last.caller = caller;
  w->last.name = row->name;
}

/* A special opcode for every step that it can say, with other lines. */
static void rows_put_row(row_writer *w, const line_row *row, uint64_t at) {
  const line_shape *const shape = w->shape;
  const int64_t lines = (int32_t)(uint32_t)((uint64_t)row->line - (uint64_t)w->last.line);
  const int64_t special = lines - shape->line_base;
  const uint64_t step = at - w->last.at, units = shape->least_step ? step / shape->least_step : 0;
  if (!shape->least_step && step && lines)
    w->result = FINAL_ROWS_BROKEN; /* nvlink divides by it */
  const int64_t code =
      units > UINT8_MAX ? UINT8_MAX + 1 : shape->opcode_base + special + (int64_t)units * shape->line_range;
  if (step && lines && special >= 0 && special < shape->line_range && code <= UINT8_MAX) {
    rows_put(w, (uint8_t)code);
  } else {
    if (lines || !step) {
      rows_put(w, OP_LINE);
      rows_put_signed(w, lines);
    }
    if (step)
      rows_put_advance(w, step);
    rows_put(w, OP_COPY);
  }
  w->last.line = row->line;
  w->last.at = at;
}

/* A row with the place and line of the one before is none, whichever file it says: only its caller is said (L751). The first row's file is
 * said even where it is 0, as in code compiled with -G without a file (L863). */
static void rows_say(row_writer *w, const line_row *row, uint64_t at, bool twice) {
  const bool silent = w->said && at == w->last.at && row->line == w->last.line;
  if (!w->said || row->file != w->last.file) {
    rows_put(w, OP_FILE);
    rows_put_unsigned(w, row->file);
  }
  w->last.file = row->file;
  rows_put_caller(w, row);
  if (!w->said && at) { /* the first row's place is said first */
    rows_put_advance(w, at);
    w->last.at = at;
  }
  w->said = true;
  if (silent)
    return;
  rows_put_row(w, row, at);
  if (twice)
    rows_put_row(w, row, at);
  w->written++;
}

/* The row that waits, and of its call chain the rows that have no number as callers yet. nvlink crashes over a ring. */
static void rows_find_chain(row_writer *w) {
  w->chain.count = 0;
  tl_u32_push(w->arena, &w->chain, w->waiting);
  uint32_t caller = rows_caller(w, &w->rows.items[w->waiting - 1]);
  while (caller && !w->number.items[caller - 1]) {
    w->number.items[caller - 1] = TL_NONE;
    tl_u32_push(w->arena, &w->chain, caller);
    caller = rows_caller(w, &w->rows.items[caller - 1]);
  }
  if (caller && w->number.items[caller - 1] == TL_NONE)
    w->result = FINAL_ROWS_RING;
  else if (w->chain.count > DEPTH_MOST)
    w->result = FINAL_ROWS_KEPT;
}

/* The number of a caller in the chain: that of the first row in it with the same line and file. */
static uint32_t rows_number_of(const row_writer *w, size_t at) {
  const line_row *const row = &w->rows.items[w->chain.items[at] - 1];
  for (size_t i = w->chain.count; i-- > at + 1;) {
    const line_row *const outer = &w->rows.items[w->chain.items[i] - 1];
    if (outer->line == row->line && outer->file == row->file)
      return w->number.items[outer->number - 1];
  }
  return w->written;
}

/* Whether a function begins with an instruction: the text's own, or one behind its beginning (L1010). */
static bool rows_begin_function(const row_writer *w, const tl_code_place *place) {
  return !place->sass || final_begins_inner(w->f, w->text->section, place->mercury);
}

/* Writes what waits for a place (L751): the chain, outermost first, and the row itself, unless it repeats the one before,
 * which is no caller for that. The row of a function's first instruction stands twice unless it is about the entry.
 * `place` is the instruction, NULL where rows stay where they are. */
static void rows_flush(row_writer *w, uint64_t to, const tl_code_place *place) {
  if (!w->waiting || w->result != FINAL_ROWS_MADE)
    return;
  const line_row *const own = &w->rows.items[w->waiting - 1];
  rows_find_chain(w);
  if (w->result != FINAL_ROWS_MADE)
    return;
  for (size_t i = w->chain.count; i-- > 1;) {
    const line_row *const row = &w->rows.items[w->chain.items[i] - 1];
    rows_say(w, row, to, false);
    w->number.items[row->number - 1] = rows_number_of(w, i);
  }
  const bool repeated = w->said && own->line == w->last.line && own->file == w->last.file &&
                        rows_caller(w, own) == w->last.caller && own->name == w->last.name;
  const bool first = !w->said;
  if (!repeated)
    rows_say(w, own, to, place && !own->entry && rows_begin_function(w, place));
  if (first)
    w->number.items[own->number - 1] = w->written;
  w->waiting = 0;
}

/* A row belongs to the first instruction that stands at its place or behind it. */
static void rows_translate(row_writer *w) {
  const tl_code *const map = w->text->map;
  size_t place = 0;
  for (size_t i = 0; i < w->sorted.count; i++) {
    const line_row *const row = &w->sorted.items[i];
    for (; place < map->count && (!map->items[place].code || map->items[place].mercury < row->at); place++)
      if (map->items[place].code)
        rows_flush(w, map->items[place].sass, &map->items[place]);
    if (place < map->count)
      w->waiting = row->number;
  }
  if (place < map->count)
    rows_flush(w, map->items[place].sass, &map->items[place]);
}

static void rows_copy(row_writer *w) {
  uint64_t at = 0;
  for (size_t i = 0; i < w->sorted.count; i++) {
    if (w->sorted.items[i].at != at)
      rows_flush(w, at, NULL);
    at = w->sorted.items[i].at;
    w->waiting = w->sorted.items[i].number;
  }
  rows_flush(w, at, NULL);
}

static int rows_compare(const void *a, const void *b) {
  const line_row *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->at, y->at}, {x->number, y->number}};
  return tl_compare_pairs(pairs, 2);
}

/* Up to the next DW_LNE_set_address. False where nvlink crashes. */
static bool rows_read(row_writer *w, const uint8_t *sequence, uint64_t size) {
  row_reader r = {.shape = w->shape, .at = sequence, .end = sequence + size, .row = {.line = 1, .file = 1}};
  if (!size || rows_step(&r) != STEP_SEQUENCE)
    return false;
  while (r.at < r.end) {
    const row_step step = rows_step(&r);
    if (step == STEP_SEQUENCE)
      break;
    if (step != STEP_ROW)
      continue;
    r.row.number++;
    *tl_vector_push(w->arena, &w->rows) = r.row;
    *tl_vector_push(w->arena, &w->sorted) = r.row;
    r.row.entry = false; /* it marks one row */
    tl_u32_push(w->arena, &w->number, 0);
  }
  tl_vector_sort(&w->sorted, rows_compare);
  return !r.broken && w->rows.count;
}

final_rows final_rewrite_rows(const finalizer *f, const line_text *text, const line_shape *shape,
                              const uint8_t *sequence, uint64_t size, final_line_bytes *out) {
  enum { ADDRESS_SIZE = 8 };
  row_writer w = {
      .f = f, .text = text, .arena = f->arena, .last = {.line = 1}, .shape = shape, .result = FINAL_ROWS_MADE};
  if (!rows_read(&w, sequence, size))
    return FINAL_ROWS_BROKEN;
  rows_put(&w, OP_EXTENDED);
  rows_put(&w, 1 + ADDRESS_SIZE);
  rows_put(&w, OP_SET_ADDRESS);
  for (int i = 0; i < ADDRESS_SIZE; i++)
    rows_put(&w, 0);
  if (text->map)
    rows_translate(&w);
  else
    rows_copy(&w);
  if (text->map && text->size != w.last.at)
    rows_put_advance(&w, text->size - w.last.at);
  rows_put(&w, OP_EXTENDED);
  rows_put(&w, 1);
  rows_put(&w, EXT_END);
  *out = w.out;
  return w.result;
}
