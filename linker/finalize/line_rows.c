/* The SASS rows of a line sequence, made from the Mercury view's (L129): where a sequence describes another body than the
 * one that stands, nvlink's finalizer carries its rows over to that body's text; where a second name stands before the
 * function it leaves them as they are (L104). What one row says is kept until it is known that no later row says something
 * else for the same place. */
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
  OP_STATEMENT = 6,
  OP_BLOCK = 7,
  OP_CONSTANT = 8, /* advances as the last special opcode does */
  OP_FIXED = 9,
  OP_END = 1,
  OP_SET_ADDRESS = 2,
  OP_CALLER = 0x90, /* the row of the call that a row is inlined at, and the name of the function that is */
  OP_ENTRY = 0x92   /* whether rows are about the function's entry */
};

/* What DW_LNE 0x92 says right before a row, and of no later one (L1787). */
typedef enum row_entry { ENTRY_UNSAID, ENTRY_BEGINS, ENTRY_ENDS } row_entry;

typedef struct line_row {
  uint64_t at;
  uint64_t file, column;
  uint64_t caller, name; /* caller: number of a row, from 1; 0: not inlined */
  int64_t line;
  row_entry entry;
  uint32_t number; /* from 1 */
} line_row;

typedef struct row_reader {
  const uint8_t *at, *end;
  line_row row; /* the state of the rows' machine */
  bool understood;
  bool fixed; /* it was left at an advance by a fixed number */
} row_reader;

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
  TL_VECTOR(line_row) rows; /* of the Mercury sequence */
  uint32_t waiting;         /* number of the last row for the place in hand, 0 */
  tl_u32_vector chain;      /* what is written at a place, innermost first */
  final_rows result;
} row_writer;

/* --- reading --- */

static uint64_t rows_unsigned(row_reader *r) {
  uint64_t value = 0;
  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    const uint8_t byte = *r->at++;
    if (shift < 63)
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

static void rows_read_extended(row_reader *r) {
  const uint64_t size = rows_unsigned(r), left = (uint64_t)(r->end - r->at);
  if (!left || size > left) { /* nothing follows */
    r->at = r->end;
    return;
  }
  const uint8_t *const end = r->end, *const behind = r->at + size;
  const uint8_t code = *r->at++;
  r->end = size ? behind : end; /* one of no size is read, too, and what it is follows it (L1789) */
  if (code == OP_CALLER && size) {
    r->row.caller = rows_unsigned(r);
    r->row.name = rows_unsigned(r);
  } else if (code == OP_ENTRY) {
    r->row.entry = rows_unsigned(r) ? ENTRY_BEGINS : ENTRY_ENDS;
  }
  r->at = behind;
  r->end = end;
}

static void rows_read_standard(row_reader *r, const line_shape *shape, uint8_t code) {
  switch (code) {
  case OP_ADVANCE:
    r->row.at += rows_unsigned(r);
    break;
  case OP_LINE:
    r->row.line += rows_signed(r);
    break;
  case OP_FILE:
    r->row.file = rows_unsigned(r);
    break;
  case OP_COLUMN:
    r->row.column = rows_unsigned(r);
    break;
  case OP_CONSTANT:
    r->row.at += (unsigned)(UINT8_MAX - shape->opcode_base) / shape->line_range;
    break;
  case OP_EXTENDED:
    rows_read_extended(r);
    break;
  default:
    r->fixed = code == OP_FIXED;
    r->understood = r->understood && (code == OP_COPY || code == OP_STATEMENT || code == OP_BLOCK);
  }
}

/* The next row; false at the end and at what is not understood. */
static bool rows_next(row_reader *r, const line_shape *shape) {
  while (r->at < r->end && r->understood) {
    const uint8_t code = *r->at++;
    bool row = code == OP_COPY;
    if (code >= shape->opcode_base) {
      const unsigned step = (unsigned)(code - shape->opcode_base);
      r->row.at += step / shape->line_range;
      r->row.line += shape->line_base + (int64_t)(step % shape->line_range);
      row = true;
    } else {
      rows_read_standard(r, shape, code);
    }
    r->understood = r->understood && r->row.line >= INT32_MIN && r->row.line <= INT32_MAX && r->row.at <= INT64_MAX;
    if (row) {
      r->row.number++;
      return true;
    }
  }
  return false;
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
  return row->caller <= w->rows.count ? (uint32_t)row->caller : 0;
}

/* DW_LNE 0x90 where the caller changes (a name alone that changes is not said, L1972), by the Mercury sequence's numbers: what is written may be the same again. */
static void rows_put_caller(row_writer *w, const line_row *row) {
  row_writer sizes = {.arena = w->arena};
  const uint32_t caller = rows_caller(w, row);
  if (caller == w->last.caller)
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

static bool rows_put_row(row_writer *w, const line_row *row, uint64_t at, bool first, bool calls) {
  bool copied = true;
  const int64_t lines = row->line - w->last.line, special = lines - w->shape->line_base;
  const uint64_t step = at - w->last.at, steps = step / (w->shape->least_step ? w->shape->least_step : 1);
  const uint64_t code = steps * w->shape->line_range + (uint64_t)special + w->shape->opcode_base;
  if (step && lines && !w->shape->least_step) /* nvlink divides by it (L1788) */
    w->result = FINAL_ROWS_FIXED;
  if (first && step) { /* its place is said before its line */
    rows_put_advance(w, step);
    rows_put(w, OP_LINE);
    rows_put_signed(w, lines);
    rows_put(w, OP_COPY);
  } else if (step && lines && steps <= UINT8_MAX && special >= 0 && special < w->shape->line_range &&
             code <= UINT8_MAX) { /* L1788 */
    rows_put(w, (uint8_t)code);
  } else {
    if (lines || !step) {
      rows_put(w, OP_LINE);
      rows_put_signed(w, lines);
    }
    if (step)
      rows_put_advance(w, step);
    copied =
        first || lines || !step || calls || row->entry != ENTRY_ENDS; /* L1787, L1729: else its place alone is said */
    if (copied)
      rows_put(w, OP_COPY);
  }
  w->last.line = row->line;
  w->last.at = at;
  return copied;
}

/* A caller's row is written for its own sake. */
typedef enum row_use { ROW_ONCE, ROW_TWICE, ROW_CALLS } row_use;

/* A row with the place and line of the one before is none, whichever file it says: only its caller is said (L751). The first row's file is
 * said even where it is 0, as in code compiled with -G without a file (L863). */
static void rows_say(row_writer *w, const line_row *row, uint64_t at, row_use use) {
  const bool first = !w->said, silent = w->said && at == w->last.at && row->line == w->last.line;
  if (!w->said || row->file != w->last.file) {
    rows_put(w, OP_FILE);
    rows_put_unsigned(w, row->file);
  }
  w->last.file = row->file;
  w->last.entry = row->entry;
  w->last.column = row->column;
  rows_put_caller(w, row);
  w->said = true;
  if (silent)
    return;
  const bool copied = rows_put_row(w, row, at, first, use == ROW_CALLS);
  if (use == ROW_TWICE)
    (void)rows_put_row(w, row, at, false, false);
  w->written += copied ? 1 : 0; /* L1975 */
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

/* Whether a row repeats the one before: what DW_LNE 0x92 says of it counts, too (L1787), and its column, which is not written
 * (L1803). */
static bool rows_repeat(const row_writer *w, const line_row *own) {
  return w->said && own->line == w->last.line && own->file == w->last.file && own->column == w->last.column &&
         rows_caller(w, own) == w->last.caller && own->name == w->last.name && own->entry == w->last.entry &&
         own->entry != ENTRY_ENDS;
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
    rows_say(w, row, to, ROW_CALLS);
    w->number.items[row->number - 1] = rows_number_of(w, i);
  }
  const bool first = !w->said, repeated = place && rows_repeat(w, own); /* L1804 */
  if (!repeated)
    rows_say(w, own, to, place && own->entry != ENTRY_BEGINS && rows_begin_function(w, place) ? ROW_TWICE : ROW_ONCE);
  if (first)
    w->number.items[own->number - 1] = w->written;
  w->waiting = 0;
}

/* Where an instruction of the map begins: at the wait for a scoreboard's count that the finalizer put in front of it, which
 * no Mercury instruction is (L1971). */
static uint64_t rows_begin_place(const row_writer *w, size_t place) {
  enum { DEPBAR = 0x91a, OPCODE_MASK = 0xfff };
  const tl_code *const map = w->text->map;
  while (place && !map->items[place - 1].code && map->items[place - 1].count == 1 &&
         (tl_get16(w->text->sass + map->items[place - 1].sass) & OPCODE_MASK) == DEPBAR)
    place--;
  return map->items[place].sass;
}

/* A row belongs to the first instruction that stands at its place or behind it. */
static void rows_translate(row_writer *w) {
  const tl_code *const map = w->text->map;
  size_t place = 0;
  for (size_t i = 0; i < w->rows.count; i++) {
    for (; place < map->count && (!map->items[place].code || map->items[place].mercury < w->rows.items[i].at); place++)
      if (map->items[place].code)
        rows_flush(w, rows_begin_place(w, place), &map->items[place]);
    if (place < map->count)
      w->waiting = w->rows.items[i].number;
  }
  if (place < map->count)
    rows_flush(w, rows_begin_place(w, place), &map->items[place]);
}

static void rows_copy(row_writer *w) {
  uint64_t at = 0;
  for (size_t i = 0; i < w->rows.count; i++) {
    if (w->rows.items[i].at != at)
      rows_flush(w, at, NULL);
    at = w->rows.items[i].at;
    w->waiting = w->rows.items[i].number;
  }
  rows_flush(w, at, NULL);
}

/* L1702, L1820: nvlink's finalizer ends by a signal over an advance by a fixed number, and over a sequence without rows. */
static bool rows_read(row_writer *w, const uint8_t *sequence, uint64_t size) {
  row_reader r = {.at = sequence, .end = sequence + size, .row = {.line = 1, .file = 1}, .understood = true};
  while (rows_next(&r, w->shape)) {
    *tl_vector_push(w->arena, &w->rows) = r.row;
    tl_u32_push(w->arena, &w->number, 0);
    r.row.entry = ENTRY_UNSAID;
  }
  w->result = !r.understood   ? r.fixed ? FINAL_ROWS_FIXED : FINAL_ROWS_KEPT
              : w->rows.count ? FINAL_ROWS_MADE
                              : FINAL_ROWS_NONE;
  return w->result == FINAL_ROWS_MADE;
}

final_rows final_rewrite_rows(const finalizer *f, const line_text *text, const line_shape *shape,
                              const uint8_t *sequence, uint64_t size, final_line_bytes *out) {
  enum { ADDRESS_SIZE = 8 };
  row_writer w = {
      .f = f, .text = text, .arena = f->arena, .last = {.line = 1}, .shape = shape, .result = FINAL_ROWS_KEPT};
  if (!shape->line_range || shape->opcode_base <= OP_FILE || !rows_read(&w, sequence, size))
    return w.result;
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
  rows_put(&w, OP_END);
  *out = w.out;
  return w.result;
}
