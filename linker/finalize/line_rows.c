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
  OP_END = 1,
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
  const uint8_t *at, *end;
  line_row row; /* the state of the rows' machine */
  bool ends, understood;
} row_reader;

typedef struct row_writer {
  tl_arena *arena;
  final_line_bytes out;
  line_row last;        /* as written */
  uint32_t written;     /* rows, without the second of the first place's two */
  tl_u32_vector number; /* by row of the Mercury sequence: the number of the row that it became, 0 */
  const line_shape *shape;
  TL_VECTOR(line_row) rows; /* of the Mercury sequence, as far as it was read */
  uint32_t waiting;         /* number of the last row for the place in hand, 0 */
  tl_u32_vector chain;      /* room for what is written at a place */
} row_writer;

/* --- reading --- */

static uint64_t rows_unsigned(row_reader *r) {
  uint64_t value = 0;
  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    const uint8_t byte = *r->at++;
    if (shift < 63)
      value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  r->understood = false;
  return 0;
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
  const uint64_t size = rows_unsigned(r);
  if (!size || size > (uint64_t)(r->end - r->at)) {
    r->understood = false;
    return;
  }
  const uint8_t *const end = r->end, *const behind = r->at + size;
  const uint8_t code = *r->at++;
  r->end = behind;
  if (code == OP_CALLER) {
    r->row.caller = rows_unsigned(r);
    r->row.name = rows_unsigned(r);
  } else if (code == OP_ENTRY) {
    r->row.entry = rows_unsigned(r) != 0;
  } else if (code == OP_END) {
    r->ends = true;
  } else if (code != OP_SET_ADDRESS) {
    r->understood = false;
  }
  r->at = behind;
  r->end = end;
}

/* The next row; false at the end and at what is not understood. */
static bool rows_next(row_reader *r, const line_shape *shape) {
  while (r->at < r->end && r->understood && !r->ends) {
    const uint8_t code = *r->at++;
    bool row = code == OP_COPY;
    if (code >= shape->opcode_base) {
      const unsigned step = (unsigned)(code - shape->opcode_base);
      r->row.at += step / shape->line_range;
      r->row.line += shape->line_base + (int64_t)(step % shape->line_range);
      row = true;
    } else if (code == OP_ADVANCE) {
      r->row.at += rows_unsigned(r);
    } else if (code == OP_LINE) {
      r->row.line += rows_signed(r);
    } else if (code == OP_FILE) {
      r->row.file = rows_unsigned(r);
    } else if (code == OP_EXTENDED) {
      rows_read_extended(r);
    } else if (code != OP_COPY) {
      r->understood = false;
    }
    r->understood = r->understood && r->row.line >= 0 && r->row.line <= INT32_MAX && r->row.at <= INT64_MAX;
    if (row && r->understood) {
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

static void rows_put_caller(row_writer *w, const line_row *row) {
  row_writer sizes = {.arena = w->arena};
  rows_put_unsigned(&sizes, row->caller);
  rows_put_unsigned(&sizes, row->name);
  rows_put(w, OP_EXTENDED);
  rows_put_unsigned(w, 1 + sizes.out.count);
  rows_put(w, OP_CALLER);
  for (size_t i = 0; i < sizes.out.count; i++)
    rows_put(w, sizes.out.items[i]);
}

static void rows_put_row(row_writer *w, line_row row) {
  enum { USUAL_STEP = 16 };
  if (row.caller) {
    row.caller = row.caller <= w->number.count ? w->number.items[row.caller - 1] : 0;
    row.name = row.caller ? row.name : 0;
  }
  if (row.file != w->last.file) {
    rows_put(w, OP_FILE);
    rows_put_unsigned(w, row.file);
  }
  if (row.caller != w->last.caller || row.name != w->last.name)
    rows_put_caller(w, &row);
  const int64_t lines = row.line - w->last.line, special = lines - w->shape->line_base;
  const uint64_t step = row.at - w->last.at;
  const int64_t code = w->shape->opcode_base + special + USUAL_STEP * w->shape->line_range;
  if (step == USUAL_STEP && lines && special >= 0 && special < w->shape->line_range && code <= UINT8_MAX) {
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
  w->last = row;
}

/* The row that waits, and before it in its call chain the rows that are not there yet, innermost first. A call stands before
 * what is inlined at it. */
static void rows_find_chain(row_writer *w) {
  uint32_t number = w->waiting;
  w->chain.count = 0;
  while (number) {
    tl_u32_push(w->arena, &w->chain, number);
    const uint64_t caller = w->rows.items[number - 1].caller;
    number = caller < number && caller && !w->number.items[caller - 1] ? (uint32_t)caller : 0;
  }
}

/* Whether a row says nothing that the row before it has not said. */
static bool rows_is_repeated(const row_writer *w, const line_row *row) {
  const uint64_t caller = row->caller && row->caller < row->number ? w->number.items[row->caller - 1] : 0;
  return w->written && row->line == w->last.line && row->file == w->last.file && caller == w->last.caller &&
         row->name == w->last.name;
}

/* Writes what waits for a place (L751). The first place's row stands twice unless it is about the entry; the second of the
 * two has no number. */
static void rows_flush(row_writer *w, uint64_t to, bool translated) {
  rows_find_chain(w);
  if (w->chain.count == 1 && rows_is_repeated(w, &w->rows.items[w->waiting - 1]))
    w->chain.count = 0;
  for (size_t i = w->chain.count; i-- > 0;) {
    line_row row = w->rows.items[w->chain.items[i] - 1];
    row.at = to;
    if (translated && !to && i == 0 && !row.entry)
      rows_put_row(w, row);
    rows_put_row(w, row);
    w->number.items[row.number - 1] = ++w->written;
  }
  w->waiting = 0;
}

static void rows_keep(row_writer *w, const line_row *row) {
  *tl_vector_push(w->arena, &w->rows) = *row;
  tl_u32_push(w->arena, &w->number, 0);
}

/* A row belongs to the first instruction that stands at its place or behind it. */
static void rows_translate(row_writer *w, row_reader *r, const tl_code *map) {
  size_t place = 0;
  while (rows_next(r, w->shape)) {
    rows_keep(w, &r->row);
    for (; place < map->count && (!map->items[place].code || map->items[place].mercury < r->row.at); place++)
      if (map->items[place].code)
        rows_flush(w, map->items[place].sass, true);
    if (place < map->count)
      w->waiting = r->row.number;
  }
  if (place < map->count)
    rows_flush(w, map->items[place].sass, true);
}

static void rows_copy(row_writer *w, row_reader *r) {
  uint64_t at = 0;
  while (rows_next(r, w->shape)) {
    rows_keep(w, &r->row);
    if (r->row.at != at)
      rows_flush(w, at, false);
    at = r->row.at;
    w->waiting = r->row.number;
  }
  rows_flush(w, at, false);
}

bool final_rewrite_rows(tl_arena *arena, const line_shape *shape, const uint8_t *sequence, uint64_t size,
                        const tl_code *map, uint64_t text_size, final_line_bytes *out) {
  enum { ADDRESS_SIZE = 8 };
  row_reader r = {.at = sequence, .end = sequence + size, .row = {.line = 1, .file = 1}, .understood = true};
  row_writer w = {.arena = arena, .last = {.line = 1}, .shape = shape};
  if (!shape->line_range || shape->opcode_base <= OP_FILE)
    return false;
  rows_put(&w, OP_EXTENDED);
  rows_put(&w, 1 + ADDRESS_SIZE);
  rows_put(&w, OP_SET_ADDRESS);
  for (int i = 0; i < ADDRESS_SIZE; i++)
    rows_put(&w, 0);
  if (map)
    rows_translate(&w, &r, map);
  else
    rows_copy(&w, &r);
  if (!r.understood || !r.ends)
    return false;
  if (map && text_size != w.last.at)
    rows_put_advance(&w, text_size - w.last.at);
  rows_put(&w, OP_EXTENDED);
  rows_put(&w, 1);
  rows_put(&w, OP_END);
  *out = w.out;
  return true;
}
