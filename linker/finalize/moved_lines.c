/* Rows of line tables of texts that were changed before files are merged (L1884). In a mixed link the SASS side's tables are
 * the input's (L1644), whose rows go on with the code. A row whose step is another is written as nvlink's finalizer writes
 * rows; all other opcodes stay. A sequence that no compiler writes stays as it is. */
#include "finalize/moved_lines.h"

#include "base/bytes.h"
#include "base/text.h"
#include "cubin/elf.h"
#include "cubin/line_program.h"
#include "finalize/moved_text.h"

/* DWARF line number opcodes, and where a unit's header says the shape of the special ones. */
enum { OP_EXTENDED = 0, OP_COPY = 1, OP_ADVANCE = 2, OP_LINE = 3, OP_CONSTANT = 8, OP_FIXED = 9, OP_END = 1 };
enum { LEAST_STEP = 10, LINE_BASE = 12, LINE_RANGE = 13, ADDRESS = 3, UNIT_LENGTH = 4 };

/* The rows of one sequence on their way. */
typedef struct row_mover {
  const uint8_t *bytes;
  uint64_t end; /* of the unit's program */
  const tl_moved_text *text;
  uint64_t old_size, size; /* of the text */
  int8_t line_base;
  uint8_t line_range, opcode_base;
  tl_arena *arena;
  tl_byte_vector *out;
  uint64_t from, to; /* the last row's place: as it was, as it is */
  bool said;         /* there is one */
  int64_t lines;     /* said since */
  uint64_t step;
  uint64_t group; /* where the opcodes of the row in hand begin */
  bool open;      /* there are some */
} row_mover;

static void mover_put(row_mover *m, uint8_t byte) {
  tl_bytes_put(m->arena, m->out, &byte, 1);
}

static void mover_put_number(row_mover *m, uint8_t code, int64_t value) {
  mover_put(m, code);
  for (;;) {
    const uint8_t byte = value & 0x7f;
    value = value >= 0 ? value >> 7 : ~(~value >> 7);
    if (value == (byte & 0x40 ? -1 : 0)) {
      mover_put(m, byte);
      return;
    }
    mover_put(m, byte | 0x80);
  }
}

/* A number behind an opcode; signed ones keep the sign of their last byte. */
static uint64_t mover_number(const row_mover *m, uint64_t at, bool sign) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte = 0x80;
  for (; at < m->end && byte & 0x80 && shift < 63; shift += 7) {
    byte = m->bytes[at++];
    value |= (uint64_t)(byte & 0x7f) << shift;
  }
  return sign && byte & 0x40 && shift < 64 ? value | UINT64_MAX << shift : value;
}

/* A row with another step, as the finalizer writes it. */
static void mover_write_row(row_mover *m, uint64_t by, bool copy) {
  const int64_t special = m->lines - m->line_base;
  const bool fits = by && m->lines && copy && m->said && special >= 0 && special < m->line_range && by <= UINT8_MAX;
  const uint64_t code = fits ? by * m->line_range + (uint64_t)special + m->opcode_base : UINT64_MAX;
  if (code <= UINT8_MAX) {
    mover_put(m, (uint8_t)code);
    return;
  }
  if (by && !m->said)
    mover_put_number(m, OP_ADVANCE, (int64_t)by);
  if (m->lines || !by || !m->said)
    mover_put_number(m, OP_LINE, m->lines);
  if (by && m->said)
    mover_put_number(m, OP_ADVANCE, (int64_t)by);
  if (copy)
    mover_put(m, OP_COPY);
}

/* False where the code goes back. */
static bool mover_end_row(row_mover *m, uint64_t end, bool copy) {
  m->from += m->step;
  const uint64_t place = tl_moved_place(m->text, m->from);
  if (place < m->to)
    return false;
  if (place - m->to == m->step)
    tl_bytes_put(m->arena, m->out, m->bytes + m->group, end - m->group);
  else
    mover_write_row(m, place - m->to, copy);
  m->to = place;
  m->said |= copy;
  m->lines = 0;
  m->step = 0;
  m->open = false;
  return true;
}

/* The sequence's end is that of the text. */
static bool mover_end(row_mover *m, const tl_line_opcode *opcode, uint64_t end) {
  m->from += m->step;
  const uint64_t place = m->from == m->old_size ? m->size : tl_moved_place(m->text, m->from);
  if (place < m->to || m->lines)
    return false;
  if (place > m->to)
    mover_put_number(m, OP_ADVANCE, (int64_t)(place - m->to));
  tl_bytes_put(m->arena, m->out, m->bytes + opcode->start, end - opcode->start);
  m->open = false;
  return true;
}

/* An advance is a row of its own, whose place alone is said, where nothing of that row follows. */
static bool mover_stands_alone(const row_mover *m, uint64_t next) {
  if (next >= m->end || !m->said)
    return false;
  return m->bytes[next] != OP_COPY &&
         !(m->bytes[next] == OP_EXTENDED && m->end - next > 2 && m->bytes[next + 2] == OP_END);
}

/* One opcode; `next` is behind it. False where it is not understood. */
static bool mover_take(row_mover *m, const tl_line_opcode *opcode, uint64_t next) {
  const uint8_t code = m->bytes[opcode->start];
  const bool special = code >= m->opcode_base, ends = code == OP_EXTENDED && m->bytes[opcode->operand - 1] == OP_END;
  if (!m->open && (special || code == OP_COPY || code == OP_LINE || code == OP_ADVANCE)) {
    m->group = opcode->start;
    m->open = true;
  }
  if (ends)
    return mover_end(m, opcode, next);
  if (special) {
    m->step += (unsigned)(code - m->opcode_base) / m->line_range;
    m->lines += m->line_base + (code - m->opcode_base) % m->line_range;
  } else if (code == OP_LINE) {
    m->lines += (int64_t)mover_number(m, opcode->start + 1, true);
    return m->lines > INT32_MIN && m->lines < INT32_MAX;
  } else if (code == OP_ADVANCE) {
    m->step += mover_number(m, opcode->start + 1, false);
    return m->step <= m->old_size && (!mover_stands_alone(m, next) || mover_end_row(m, next, false));
  } else if (code != OP_COPY) {
    if (m->open || code == OP_CONSTANT || code == OP_FIXED)
      return false;
    tl_bytes_put(m->arena, m->out, m->bytes + opcode->start, next - opcode->start);
    return true;
  }
  return m->step <= m->old_size && mover_end_row(m, next, true);
}

/* A sequence from its address to `end`; what is not understood stays as it is. */
static void mover_sequence(row_mover *m, uint64_t start, uint64_t end) {
  const size_t before = m->out->count;
  uint64_t at = start;
  tl_line_opcode opcode;
  tl_line_next_opcode(m->bytes, end, m->opcode_base, &at, &opcode);
  tl_bytes_put(m->arena, m->out, m->bytes + start, at - start);
  bool understood = true;
  while (understood && at < end) {
    const uint64_t from = at;
    understood =
        tl_line_next_opcode(m->bytes, end, m->opcode_base, &at, &opcode) && at > from && mover_take(m, &opcode, at);
  }
  if (understood && !m->open)
    return;
  m->out->count = before;
  tl_bytes_put(m->arena, m->out, m->bytes + start, end - start);
}

/* Where something of the table was, and is. */
typedef struct lines_place {
  uint64_t from, to;
} lines_place;

/* One table while it is written anew. */
typedef struct lines_mover {
  tl_cubin *sass;
  const tl_cubin_section *table, *list;
  tl_line_entries entries;
  tl_arena *arena;
  tl_byte_vector out;
  TL_VECTOR(lines_place) places; /* ascending */
} lines_mover;

/* The changed text that an address is about, 0. */
static uint32_t lines_text_at(const lines_mover *l, uint64_t operand) {
  const tl_line_entry *const entry = tl_line_find_entry(&l->entries, operand);
  const tl_cubin_symbol *const symbol = entry ? tl_cubin_symbol_at(l->sass, entry->symbol) : NULL;
  const bool function = symbol && tl_symbol_type(symbol) == STT_FUNC && symbol->value == 0;
  return function && symbol->section < l->sass->section_count && l->sass->moved[symbol->section] ? symbol->section : 0;
}

static void lines_put_sequence(lines_mover *l, const tl_line_unit *unit, const tl_line_opcode *address, uint64_t end) {
  const uint8_t *const bytes = l->table->data, *const shape = bytes + unit->start;
  *tl_vector_push(l->arena, &l->places) = (lines_place){address->start, l->out.count};
  const uint32_t text = lines_text_at(l, address->operand);
  if (!text || shape[LEAST_STEP] != 1 || !shape[LINE_RANGE] || tl_line_opcode_base(bytes, unit) <= OP_FIXED) {
    tl_bytes_put(l->arena, &l->out, bytes + address->start, end - address->start);
    return;
  }
  const tl_moved_text *const moved = l->sass->moved[text];
  row_mover m = {.bytes = bytes,
                 .end = end,
                 .text = moved,
                 .old_size = tl_moved_padded((uint64_t)moved->count * TL_MOVED_INSTRUCTION),
                 .size = l->sass->sections[text].size,
                 .line_base = (int8_t)shape[LINE_BASE],
                 .line_range = shape[LINE_RANGE],
                 .opcode_base = tl_line_opcode_base(bytes, unit),
                 .arena = l->arena,
                 .out = &l->out};
  mover_sequence(&m, address->start, end);
}

static void lines_put_unit(lines_mover *l, const tl_line_unit *unit) {
  const uint8_t *const bytes = l->table->data;
  const uint64_t start = l->out.count;
  *tl_vector_push(l->arena, &l->places) = (lines_place){unit->start, start};
  uint64_t at = unit->program, copied = unit->start;
  tl_line_opcode opcode, address = {0};
  bool open = false;
  while (tl_line_has_shape(unit) &&
         tl_line_next_opcode(bytes, unit->end, tl_line_opcode_base(bytes, unit), &at, &opcode)) {
    if (!opcode.sets_address)
      continue;
    if (open)
      lines_put_sequence(l, unit, &address, opcode.start);
    else
      tl_bytes_put(l->arena, &l->out, bytes + copied, opcode.start - copied);
    open = true;
    address = opcode;
  }
  if (open)
    lines_put_sequence(l, unit, &address, unit->end);
  else
    tl_bytes_put(l->arena, &l->out, bytes + copied, unit->end - copied);
  tl_put32(l->out.items + start, (uint32_t)(l->out.count - start - UNIT_LENGTH));
}

static void lines_read_entries(lines_mover *l) {
  for (uint64_t i = 0; i < tl_cubin_relocation_count(l->list); i++) {
    const tl_cubin_relocation entry = tl_cubin_relocation_at(l->list, i);
    *tl_vector_push(l->arena, &l->entries) = (tl_line_entry){entry.offset, i, entry.symbol};
  }
  tl_line_sort_entries(&l->entries);
}

static int lines_compare(const void *a, const void *b) {
  return tl_compare(((const lines_place *)a)->from, ((const lines_place *)b)->from);
}

/* Entries keep their distance from the beginning of their sequence. */
static const uint8_t *lines_move_entries(const lines_mover *l) {
  uint8_t *const bytes = tl_arena_copy(l->arena, l->list->data, l->list->size);
  for (uint64_t i = 0; i < tl_cubin_relocation_count(l->list); i++) {
    const lines_place key = {.from = tl_get64(bytes + i * ELF_RELA_SIZE)};
    const lines_place *const place = TL_SORTED_LAST(&key, &l->places, lines_compare);
    if (place)
      tl_put64(bytes + i * ELF_RELA_SIZE, key.from - place->from + place->to);
  }
  return bytes;
}

static void lines_move(tl_cubin *sass, uint32_t entries, tl_arena *arena) {
  tl_cubin_section *const list = &sass->sections[entries], *const table = &sass->sections[list->info];
  lines_mover l = {.sass = sass, .table = table, .list = list, .arena = arena};
  lines_read_entries(&l);
  uint64_t position = 0;
  tl_line_unit unit;
  tl_line_found found;
  while ((found = tl_line_next_unit(table->data, table->size, &position, &unit)) == TL_LINE_UNIT)
    lines_put_unit(&l, &unit);
  if (found != TL_LINE_END)
    return;
  list->data = lines_move_entries(&l);
  table->data = l.out.items;
  table->size = l.out.count;
}

void tl_lines_moved(tl_cubin *sass, const tl_names *names, tl_arena *arena) {
  static const char *const tables[] = {".debug_line", ".nv_debug_line_sass"};
  for (uint32_t i = 1; sass->moved && i < sass->section_count; i++) {
    const tl_cubin_section *const list = &sass->sections[i];
    if (list->type != SHT_RELA || !list->size || !list->info || list->info >= sass->section_count)
      continue;
    const tl_cubin_section *const table = &sass->sections[list->info];
    if (table->type == SHT_PROGBITS && table->data && TL_AMONG_TEXTS(tables, tl_names_text(names, table->name)))
      lines_move(sass, i, arena);
  }
}
