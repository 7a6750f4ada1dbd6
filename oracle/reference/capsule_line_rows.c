/* A sequence of a Mercury line table written for the SASS side (RF131, RF142): its rows, each at the first instruction of the
 * standing body that begins at the row's place or behind it, as the finalizer writes them. DWARF 2 line programs; opcodes by
 * number. */
#include "capsule.h"
#include "line_program.h"

#include <stdlib.h>

enum {
  INSTRUCTION = 16,
  CALLED_FROM = 0x90, /* extended: the caller's row, counted from 1, and the callee's name; 0 0: in no inlined code */
  FUNCTION_ENTRY = 0x92, /* extended: 1 in front of the function's first rows, 0 behind them */
  LARGE = 0x80,
  ADDRESS_BYTES = 8
};

/* RF1005: what DW_LNE 0x92 says, of the rows up to the next one that is copied. */
typedef enum ref_line_mark { REF_LINE_PLAIN, REF_LINE_ENTRY, REF_LINE_NO_ENTRY } ref_line_mark;

typedef struct ref_line_row {
  uint64_t place, file, column, caller, name;
  int64_t line;
  size_t read_as;
  ref_line_mark mark;
  bool is_silent;   /* it says nothing but the caller */
  bool is_place;    /* it says its place alone (RF1005) */
  uint64_t context; /* the caller, as the rows were numbered */
} ref_line_row;

typedef struct ref_line_rows {
  ref_link *link;
  const uint8_t *unit;
  uint64_t at, end;
  ref_line_row now;
  ref_line_row *items;
  size_t count, capacity;
} ref_line_rows;

/* Rows as they are and as they come to stand: each once as an instruction's own and once as a caller. Numbers, of callers,
 * count from 1; 0: not there so far. */
typedef struct ref_line_mover {
  const ref_line_row *rows;
  size_t row_count;
  ref_line_row *moved;
  size_t count, number; /* without the silent ones */
  size_t *number_of, *chain;
  bool *is_chained; /* once without a number is a ring: nvlink crashes on it */
  ref_map known;    /* the number of the first row of a chain with a line and file */
} ref_line_mover;

/* LEB128 */
bool ref_line_program_number(const uint8_t *data, uint64_t size, uint64_t *at, uint64_t *value) {
  unsigned shift = 0;
  *value = 0;
  while (*at < size) {
    const uint8_t byte = data[(*at)++];
    *value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
    shift += 7;
    if ((byte & LARGE) == 0) {
      return true;
    }
  }
  return false;
}

uint8_t ref_line_program_operands(uint8_t code) {
  return code >= ADVANCE_ADDRESS && code <= SET_COLUMN;
}

static uint64_t ref_line_rows_number(ref_line_rows *rows, bool is_signed) {
  const uint64_t from = rows->at;
  uint64_t value;
  (void)ref_line_program_number(rows->unit, rows->end, &rows->at, &value);
  const uint64_t bits = 7 * (rows->at - from);
  const bool negative = is_signed && (rows->unit[rows->at - 1] & 0x40) != 0;
  return negative && bits < 64 ? value | UINT64_MAX << bits : value;
}

static void ref_line_rows_add(ref_line_rows *rows) {
  rows->items = ref_memory_grow(rows->link, rows->items, rows->count, &rows->capacity, sizeof *rows->items);
  rows->items[rows->count++] = rows->now;
}

static void ref_line_rows_extended(ref_line_rows *rows) {
  const uint64_t size = rows->unit[rows->at++], end = rows->at + size;
  if (size == 0) { /* RF814 */
    return;
  }
  const uint8_t code = rows->unit[rows->at++];
  if (code == CALLED_FROM) {
    rows->now.caller = ref_line_rows_number(rows, false);
    rows->now.name = ref_line_rows_number(rows, false);
  } else if (code == FUNCTION_ENTRY) {
    rows->now.mark = rows->at < rows->end && rows->unit[rows->at] != 0 ? REF_LINE_ENTRY : REF_LINE_NO_ENTRY;
  }
  rows->at = end;
}

static void ref_line_rows_standard(ref_line_rows *rows, uint8_t code) {
  switch (code) {
  case COPY:
    ref_line_rows_add(rows);
    rows->now.mark = REF_LINE_PLAIN; /* special operations leave it */
    return;
  case ADVANCE_ADDRESS:
    rows->now.place += ref_line_rows_number(rows, false);
    return;
  case ADVANCE_LINE:
    rows->now.line = (int32_t)((uint32_t)rows->now.line + (uint32_t)ref_line_rows_number(rows, true));
    return;
  case SET_FILE:
    rows->now.file = (uint32_t)ref_line_rows_number(rows, false);
    return;
  case SET_COLUMN:
    rows->now.column = ref_line_rows_number(rows, false);
    return;
  case CONSTANT_ADVANCE:
    rows->now.place += (LARGEST_SPECIAL - (unsigned)rows->unit[FIRST_SPECIAL_AT]) / rows->unit[LINE_RANGE_AT];
    return;
  case FIXED_ADVANCE:
    ref_message_fatal(rows->link, "RF1006",
                      "a line table advances by a fixed number, over which nvlink ends by a signal");
  default: {
    const uint8_t count =
        code < FIXED_ADVANCE ? ref_line_program_operands(code) : rows->unit[OPERAND_COUNTS_AT + code - 1];
    for (unsigned i = 0; i < count; i++) {
      (void)ref_line_rows_number(rows, false);
    }
  }
  }
}

/* Whole operations (ref_lines_step). */
static void ref_line_rows_read(ref_line_rows *rows) {
  const unsigned first = rows->unit[FIRST_SPECIAL_AT], range = rows->unit[LINE_RANGE_AT];
  if (range == 0) {
    return;
  }
  while (rows->at < rows->end) {
    const uint8_t code = rows->unit[rows->at++];
    if (code == EXTENDED) {
      ref_line_rows_extended(rows);
    } else if (code > FIXED_ADVANCE && code >= first) {
      rows->now.place += (code - first) / range;
      const int lines = (int)(int8_t)rows->unit[LINE_BASE_AT] + (int)((code - first) % range);
      rows->now.line = (int32_t)((uint32_t)rows->now.line + (uint32_t)lines);
      ref_line_rows_add(rows);
    } else {
      ref_line_rows_standard(rows, code);
    }
  }
}

/* RF131: the rows stay where they are, one a place and in no inlined code. */
static void ref_line_rows_keep(ref_line_rows *rows) {
  size_t count = 0;
  for (size_t i = 0; i < rows->count; i++) {
    count += count == 0 || rows->items[count - 1].place != rows->items[i].place ? 1 : 0;
    rows->items[count - 1] = rows->items[i];
    rows->items[count - 1].caller = 0;
    rows->items[count - 1].name = 0;
  }
  rows->count = count;
}

/* The furthest place that instructions up to each one begin at, plus 1: it only grows, so that places are found by halving. RF1297: DEPBAR, which
 * has no decoded bytes, counts as well, other fillers do not. */
static uint64_t *ref_line_rows_reach(ref_link *link, const ref_places *places) {
  uint64_t *reach = ref_memory_take(link, places->count, sizeof *reach);
  uint64_t furthest = 0;
  for (size_t i = 0; i < places->count; i++) {
    const bool counts = places->at[i] != REF_PLACE_UNKNOWN && (!places->is_padding[i] || places->is_waiting[i]);
    furthest = counts && places->at[i] >= furthest ? places->at[i] + 1 : furthest;
    reach[i] = furthest;
  }
  return reach;
}

/* Every row gets its instruction's place in the SASS text, or REF_PLACE_UNKNOWN behind the last one. */
static void ref_line_rows_place(ref_line_rows *rows, const ref_places *places) {
  const uint64_t *reach = ref_line_rows_reach(rows->link, places);
  for (size_t i = 0; i < rows->count; i++) {
    size_t low = 0, high = places->count;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      const bool is_behind = reach[middle] > rows->items[i].place;
      high = is_behind ? middle : high;
      low = is_behind ? low : middle + 1;
    }
    rows->items[i].place = low == places->count ? REF_PLACE_UNKNOWN : (uint64_t)low * INSTRUCTION;
  }
}

/* The row that the row's code is called from, or REF_NONE. */
static size_t ref_line_rows_caller(const ref_line_mover *mover, size_t row) {
  const uint64_t caller = mover->rows[row].caller;
  return caller != 0 && caller <= mover->row_count ? (size_t)caller - 1 : REF_NONE;
}

/* At the same place a row with the same line and file is none: only its caller is said. */
static ref_line_row *ref_line_rows_move_one(ref_line_mover *mover, size_t row, uint64_t place) {
  const size_t caller = ref_line_rows_caller(mover, row);
  const ref_line_row *said = mover->count == 0 ? NULL : &mover->moved[mover->count - 1];
  ref_line_row *now = &mover->moved[mover->count++];
  *now = mover->rows[row];
  now->place = place;
  now->context = caller == REF_NONE ? 0 : caller + 1;
  now->caller = caller == REF_NONE ? 0 : mover->number_of[caller];
  now->is_silent = said != NULL && said->place == place && said->line == now->line;
  mover->number += now->is_silent ? 0 : 1;
  return now;
}

/* A caller is found by its line and file: the number of the first row of the chain that says them. `leaf` names the chain. */
static size_t ref_line_rows_number_of(ref_link *link, ref_line_mover *mover, size_t leaf) {
  const ref_line_row *row = &mover->moved[mover->count - 1];
  const char *key = REF_KEY(link, leaf, (uint64_t)row->line, (uint64_t)row->file);
  if (ref_map_find(&mover->known, key) == REF_NONE) {
    ref_map_set(link, &mover->known, key, mover->number);
  }
  return ref_map_find(&mover->known, key);
}

/* A row says where its code is called from by the callers' rows: those that no row brought so far come first, outermost first,
 * to the row's place, though they may be there already as an instruction's own. A row that says nothing new is left out; RF1005: DW_LNE 0x92
 * is something new, and where it says that no function begins the place alone is said. */
static void ref_line_rows_move_chain(ref_link *link, ref_line_mover *mover, size_t row) {
  const uint64_t place = mover->rows[row].place;
  size_t depth = 0;
  for (size_t i = ref_line_rows_caller(mover, row); i != REF_NONE && mover->number_of[i] == 0;
       i = ref_line_rows_caller(mover, i)) {
    if (mover->is_chained[i]) {
      ref_message_fatal(link, "RF142", "line rows of inlined code are called from themselves");
    }
    mover->is_chained[i] = true;
    mover->chain[depth++] = i;
  }
  while (depth > 0) {
    const size_t caller = mover->chain[--depth];
    (void)ref_line_rows_move_one(mover, caller, place);
    mover->number_of[caller] = ref_line_rows_number_of(link, mover, row);
  }
  ref_line_row *now = ref_line_rows_move_one(mover, row, place);
  if (mover->count == 1) { /* a sequence's first row is a caller even so */
    mover->number_of[row] = 1;
  }
  const ref_line_row *said = now - 1;
  if (mover->count < 2 || now->line != said->line) {
    return;
  }
  now->is_place = now->mark == REF_LINE_NO_ENTRY && now->place != said->place;
  if (now->file == said->file && now->context == said->context && now->name == said->name && now->mark == said->mark &&
      now->column == said->column && !now->is_place) {
    mover->number -= now->is_silent ? 0 : 1;
    mover->count--;
    return;
  }
  mover->number -= now->is_place ? 1 : 0; /* RF1356 (L1975): callers are counted by rows that are written */
}

/* RF1006: rows may stand in any order. */
static int ref_line_rows_compare(const void *left, const void *right) {
  const ref_line_row *a = left, *b = right;
  return a->place != b->place ? (a->place > b->place) - (a->place < b->place)
                              : (a->read_as > b->read_as) - (a->read_as < b->read_as);
}

static void ref_line_rows_sort(ref_line_rows *rows) {
  bool sorted = true;
  for (size_t i = 0; i < rows->count; i++) {
    rows->items[i].read_as = i;
    sorted = sorted && (i == 0 || rows->items[i - 1].place <= rows->items[i].place);
  }
  if (!sorted) {
    qsort(rows->items, rows->count, sizeof *rows->items, ref_line_rows_compare);
  }
}

/* RF142: of the rows of an instruction the last counts. */
static void ref_line_rows_move(ref_line_rows *rows, const ref_places *places) {
  ref_line_rows_place(rows, places);
  ref_line_mover mover = {.rows = rows->items,
                          .row_count = rows->count,
                          .moved = ref_memory_take(rows->link, 2 * rows->count, sizeof *mover.moved),
                          .number_of = ref_memory_take(rows->link, rows->count, sizeof *mover.number_of),
                          .chain = ref_memory_take(rows->link, rows->count, sizeof *mover.chain),
                          .is_chained = ref_memory_take(rows->link, rows->count, sizeof *mover.is_chained)};
  size_t last = REF_NONE;
  for (size_t i = 0; i < rows->count; i++) {
    if (rows->items[i].place == REF_PLACE_UNKNOWN) {
      continue;
    }
    if (last != REF_NONE && rows->items[last].place != rows->items[i].place) {
      ref_line_rows_move_chain(rows->link, &mover, last);
    }
    last = i;
  }
  if (last != REF_NONE) {
    ref_line_rows_move_chain(rows->link, &mover, last);
  }
  rows->items = mover.moved;
  rows->count = mover.count;
}

static void ref_line_rows_put_code(ref_line_rows *rows, ref_bytes *output, uint8_t code) {
  ref_bytes_add(rows->link, output, &code, 1);
}

static void ref_line_rows_put_signed(ref_line_rows *rows, ref_bytes *output, uint8_t code, int64_t value) {
  const int64_t sign = value < 0 ? -1 : 0;
  ref_line_rows_put_code(rows, output, code);
  for (bool more = true; more;) {
    const uint8_t byte = (uint8_t)((uint64_t)value & 0x7f);
    value = (value - byte) / LARGE; /* rounded down: the low bits are gone */
    more = value != sign || ((byte & 0x40) != 0) != (sign != 0);
    ref_line_rows_put_code(rows, output, more ? byte | LARGE : byte);
  }
}

static void ref_line_rows_put_unsigned(ref_line_rows *rows, ref_bytes *output, uint64_t value) {
  for (; value >= LARGE; value >>= 7) {
    ref_line_rows_put_code(rows, output, (uint8_t)(value | LARGE));
  }
  ref_line_rows_put_code(rows, output, (uint8_t)value);
}

static void ref_line_rows_put_caller(ref_line_rows *rows, ref_bytes *output, const ref_line_row *row) {
  ref_bytes call = {0};
  ref_line_rows_put_unsigned(rows, &call, row->caller);
  ref_line_rows_put_unsigned(rows, &call, row->name);
  ref_line_rows_put_code(rows, output, EXTENDED);
  ref_line_rows_put_unsigned(rows, output, call.size + 1);
  ref_line_rows_put_code(rows, output, CALLED_FROM);
  ref_bytes_add(rows->link, output, call.data, call.size);
}

/* A special operation only for another instruction and another line, where there is one (RF814). */
static void ref_line_rows_put(ref_line_rows *rows, ref_bytes *output, const ref_line_row *row,
                              const ref_line_row *before) {
  const unsigned range = rows->unit[LINE_RANGE_AT], unit = rows->unit[UNIT_AT];
  const uint64_t distance = row->place - before->place, steps = distance / (unit == 0 ? 1 : unit); /* RF1194 */
  const int64_t line = (int64_t)((uint64_t)row->line - (uint64_t)before->line);
  const int base = (int)(int8_t)rows->unit[LINE_BASE_AT];
  const int64_t special = (int64_t)((uint64_t)line - (uint64_t)(int64_t)base);
  if (row->file != before->file) {
    ref_line_rows_put_code(rows, output, SET_FILE);
    ref_line_rows_put_unsigned(rows, output, row->file);
  }
  if (row->context != before->context) {
    ref_line_rows_put_caller(rows, output, row);
  }
  if (row->is_silent) {
    return;
  }
  const bool is_special = distance != 0 && steps <= LARGEST_SPECIAL && line != 0 && special >= 0 && special < range;
  const uint64_t code = is_special ? (uint64_t)special + range * steps + rows->unit[FIRST_SPECIAL_AT] : 0;
  if (is_special && code <= LARGEST_SPECIAL) {
    ref_line_rows_put_code(rows, output, (uint8_t)code);
    return;
  }
  if (line != 0 || distance == 0) {
    ref_line_rows_put_signed(rows, output, ADVANCE_LINE, line);
  }
  if (distance != 0) {
    ref_line_rows_put_signed(rows, output, ADVANCE_ADDRESS, (int64_t)(distance & INT64_MAX));
  }
  if (!row->is_place) {
    ref_line_rows_put_code(rows, output, COPY);
  }
}

/* L1010: does a function begin with the row's instruction? `begins`: the instructions at which functions within the text do, ascending. */
static bool ref_line_rows_begins(const ref_indices *begins, uint64_t place) {
  size_t low = 0, high = begins->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const bool is_behind = begins->items[middle] * INSTRUCTION >= place;
    high = is_behind ? middle : high;
    low = is_behind ? low : middle + 1;
  }
  return low < begins->count && begins->items[low] * INSTRUCTION == place;
}

/* RF1004: where the first row of all is not about the first instruction, its place is said before its line, which is said in any case. */
static void ref_line_rows_put_first(ref_line_rows *rows, ref_bytes *output, const ref_line_row *row,
                                    const ref_line_row *before) {
  if (row->place == 0 || row->is_silent) {
    ref_line_rows_put(rows, output, row, before);
    return;
  }
  ref_line_rows_put_code(rows, output, SET_FILE);
  ref_line_rows_put_unsigned(rows, output, row->file);
  if (row->context != before->context) {
    ref_line_rows_put_caller(rows, output, row);
  }
  ref_line_rows_put_signed(rows, output, ADVANCE_ADDRESS, (int64_t)(row->place & INT64_MAX));
  ref_line_rows_put_signed(rows, output, ADVANCE_LINE, (int64_t)((uint64_t)row->line - (uint64_t)before->line));
  ref_line_rows_put_code(rows, output, COPY);
}

/* The first instruction's row is there twice, and that of a function that begins in the text, unless it is the function's entry; the first of
 * all says its file, be that 0 (L863). */
static void ref_line_rows_put_all(ref_line_rows *rows, ref_bytes *output, bool moved, uint64_t text_size,
                                  const ref_indices *begins) {
  ref_line_row last = {.line = 1, .file = UINT64_MAX};
  for (size_t i = 0; i < rows->count; i++) {
    const ref_line_row *row = &rows->items[i];
    const bool is_first = (i == 0 && row->place == 0) ||
                          ((i == 0 || last.place != row->place) && moved && ref_line_rows_begins(begins, row->place));
    (i == 0 ? ref_line_rows_put_first : ref_line_rows_put)(rows, output, row, &last);
    last = rows->items[i];
    if (is_first && moved && last.mark != REF_LINE_ENTRY) {
      ref_line_rows_put(rows, output, &last, &last);
    }
  }
  if (moved && text_size > last.place) {
    ref_line_rows_put_signed(rows, output, ADVANCE_ADDRESS, (int64_t)(text_size - last.place));
  }
}

/* `address_at` gets the place of the sequence's address in the output, `begins` is of ref_line_rows_begins. The unit's header was looked at. */
void ref_line_rows_write(ref_link *link, const uint8_t *unit, uint64_t start, uint64_t end, const ref_places *places,
                         const ref_indices *begins, ref_bytes *output, size_t *address_at) {
  const uint8_t beginning[] = {EXTENDED, ADDRESS_BYTES + 1, SET_ADDRESS}, ending[] = {EXTENDED, 1, END_SEQUENCE};
  ref_line_rows rows = {.link = link, .unit = unit, .at = start, .end = end, .now = {.file = 1, .line = 1}};
  ref_line_rows_read(&rows);
  if (rows.count == 0) {
    ref_message_fatal(link, "RF1006", "a sequence of a line table has no rows");
  }
  ref_line_rows_sort(&rows);
  if (places == NULL) {
    ref_line_rows_keep(&rows);
  } else {
    ref_line_rows_move(&rows, places);
  }
  ref_bytes_add(link, output, beginning, sizeof beginning);
  *address_at = output->size;
  ref_bytes_fill(link, output, output->size + ADDRESS_BYTES); /* RF994, RF1006 */
  ref_line_rows_put_all(&rows, output, places != NULL, places == NULL ? 0 : places->count * INSTRUCTION, begins);
  ref_bytes_add(link, output, ending, sizeof ending);
}
