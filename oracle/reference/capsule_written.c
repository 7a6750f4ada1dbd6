/* RF900, RF901, RF982: an entry of a capsule's code that is carried out writes its bytes into Mercury's decoded code, wherever it stands: the last one read
 * first, and what a later one writes over an earlier one's counts. Of an instruction with a record of its own the record is these bytes; the
 * SASS instruction is made of them. Of the instructions that entries stand at it is known how: a move of an immediate has it in the last word
 * and its register in the word before, a load from constants its offset in the last word, and a call nothing. What stands about a place in
 * the code says the immediate, whatever is written there, and makes a load one of bank 0. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  UNIT = 16,
  LENGTH_DIGIT = 0x0f,
  WIDEST = 8,
  MOVE = 0x802,
  MOVE_UNIFORM = 0x882,
  LOAD = 0xb82,
  LOAD_UNIFORM = 0x7ac,
  REGISTER_AT = 8,
  REGISTER_BIT = 6,
  IMMEDIATE_AT = 12,
  OFFSET_AT = 28,
  LOAD_BYTES = 32,
  SPACE_AT = 12,
  SPACE_BITS = 0x3f,
  PARAMETERS = 0, /* of the spaces */
  TEXTURES = 9,
  PARAMETERS_BASE = 0x380,
  SASS_REGISTER = 2, /* byte of the instruction */
  SASS_IMMEDIATE = 4,
  TIMES_BIT = 105 - 64, /* of the upper word */
  FIRST_PLACE = 0xd8,   /* nvlink's number for the beginning of a text on sm_10x */
  SECOND_FAMILY = 120,
  PLACE_BANK = 16, /* there, of other places */
  BANK_START = 54
};

/* Of a load, and of one into a uniform register. */
static const ref_field ref_written_offsets[] = {{38, 16, REF_FROM_ABS}, {37, 17, REF_FROM_ABS}};

/* The instructions of a function's text that have decoded bytes, and where they have them. */
static void ref_written_list_steps(ref_link *link, ref_written *written) {
  size_t capacity = 0;
  ref_capsule_step step;
  if (!ref_capsule_body_begin(written->body->data, written->body->size, &step)) {
    return;
  }
  while (ref_capsule_body_next(&step) && step.sass < written->text->size / INSTRUCTION) {
    const uint64_t length = step.derived ? ref_capsule_derived_length(written->text->data + step.sass * INSTRUCTION)
                                         : (uint64_t)(step.data[step.record] & LENGTH_DIGIT) * UNIT;
    if (length == 0) {
      written->end = step.number + 1 == step.count ? (size_t)step.sass : written->end;
      written->end_count = (size_t)step.sass_count;
      continue;
    }
    written->steps = ref_memory_grow(link, written->steps, written->count, &capacity, sizeof *written->steps);
    written->steps[written->count++] = (ref_written_step){
        .decoded = written->size,
        .sass = (size_t)step.sass * INSTRUCTION,
        .length = (size_t)length,
        .opcode = ref_u16(written->text->data + step.sass * INSTRUCTION) & 0xfff,
        .record = !step.derived && step.end - step.record >= length ? step.record : 0,
    };
    written->size += (size_t)length;
  }
}

ref_written ref_written_begin(const ref_capsule *capsule, size_t function) {
  ref_link *link = capsule->mercury;
  const size_t body = link->functions[function].text, text = capsule->sass->functions[function].text;
  ref_written written = {0};
  if (body == REF_NONE || text == REF_NONE) {
    return written;
  }
  written.sm = (unsigned)link->sm;
  written.body = &link->sections[body].data;
  written.text = ref_places_text(capsule, text);
  written.end = REF_NONE;
  ref_written_list_steps(link, &written);
  written.bytes = REF_TAKE(link, uint8_t, written.size);
  written.is_set = REF_TAKE(link, bool, written.size);
  return written;
}

void ref_written_add(ref_written *written, const ref_out_relocation *entry) {
  const ref_relocation_row *row = ref_relocation_row_of(ref_relocation_rewrite(entry->type));
  if (!entry->is_applied || row == NULL || entry->input_offset >= written->size) {
    return;
  }
  const ref_field *field = &row->fields[0];
  uint8_t value[WIDEST] = {0};
  ref_field_write(field, value, sizeof value, 0, ref_field_value(field, entry->value, 0, 0, 0));
  for (size_t i = 0; i < field->width / 8u && i < written->size - (size_t)entry->input_offset; i++) {
    written->bytes[entry->input_offset + i] = value[i];
    written->is_set[entry->input_offset + i] = true;
  }
}

/* --- records --- */

static bool ref_written_is_applied(const ref_link *link, const size_t *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (link->relocations[items[i]].is_applied) {
      return true;
    }
  }
  return false;
}

static void ref_written_put_records(const ref_written *written) {
  for (size_t i = 0; i < written->count; i++) {
    const ref_written_step *step = &written->steps[i];
    for (size_t k = 0; k < step->length && step->record != 0; k++) {
      if (written->is_set[step->decoded + k]) {
        written->body->data[step->record + k] = written->bytes[step->decoded + k];
      }
    }
  }
}

/* M22 */
void ref_written_records(ref_capsule *capsule) {
  const ref_link *link = capsule->mercury;
  const ref_targets *targets = ref_derived_targets(capsule);
  for (size_t function = 0; function < link->function_count; function++) {
    const size_t section = link->functions[function].text;
    if (section == REF_NONE || link->sections[section].info_function != function ||
        ref_slots_is_slot(capsule, function)) {
      continue;
    }
    const size_t first = targets->starts[section], end = targets->starts[section + 1];
    if (!ref_written_is_applied(link, targets->items + first, end - first)) {
      continue;
    }
    ref_written written = ref_written_begin(capsule, function);
    for (size_t k = end; k-- > first;) {
      const ref_out_relocation *entry = &link->relocations[targets->items[k]];
      if (ref_derived_is_own(link, entry, function)) {
        ref_written_add(&written, entry);
      }
    }
    ref_written_put_records(&written);
  }
}

/* --- SASS instructions --- */

/* Bits 16 to 23 of a move; in Mercury's the register has ten bits. */
static void ref_written_move(const ref_written *written, const ref_written_step *step, uint8_t *sass) {
  const uint8_t *bytes = written->bytes + step->decoded;
  const bool *is_set = written->is_set + step->decoded;
  unsigned number = (unsigned)sass[SASS_REGISTER] << REGISTER_BIT;
  for (unsigned i = 0; i < 2; i++) {
    if (is_set[REGISTER_AT + i]) {
      number = (number & ~(0xffu << 8 * i)) | (unsigned)bytes[REGISTER_AT + i] << 8 * i;
    }
  }
  sass[SASS_REGISTER] = (uint8_t)(number >> REGISTER_BIT);
  for (unsigned i = 0; i < 4; i++) {
    if (is_set[IMMEDIATE_AT + i]) {
      sass[SASS_IMMEDIATE + i] = bytes[IMMEDIATE_AT + i];
    }
  }
}

/* The record says it; RF77, RF304: of textures elsewhere. */
static void ref_written_load(const ref_written *written, const ref_written_step *step, bool uniform, uint8_t *sass) {
  const uint8_t *record = written->body->data + step->record;
  const unsigned space = record[SPACE_AT] & SPACE_BITS;
  if (step->record == 0 || step->length != LOAD_BYTES || space == TEXTURES) {
    return;
  }
  const uint64_t base = space == PARAMETERS ? PARAMETERS_BASE : 0;
  ref_field_write(&ref_written_offsets[uniform], sass, INSTRUCTION, 0, base + ref_u32(record + OFFSET_AT));
}

static bool ref_written_is_of_textures(const ref_written *written, const ref_written_step *step) {
  return step->record != 0 && step->length == LOAD_BYTES && (step->opcode == LOAD || step->opcode == LOAD_UNIFORM) &&
         (written->body->data[step->record + SPACE_AT] & SPACE_BITS) == TEXTURES;
}

/* RF1001: of a load from a table of textures the place that it reads from stays. */
static void ref_written_take_slot(const ref_written_step *step, const uint8_t *now, uint8_t *sass) {
  static const ref_field bank = {BANK_START, 5, REF_FROM_ABS};
  const ref_field *const fields[] = {&ref_written_offsets[step->opcode == LOAD_UNIFORM], &bank};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    ref_field_write(fields[i], sass, INSTRUCTION, 0, ref_field_read(fields[i], now, INSTRUCTION, 0));
  }
}

/* Of two words of an instruction: all but its times, which are those of `old`. */
static void ref_written_take_times(const uint8_t *old, uint8_t *sass) {
  const uint64_t times = UINT64_MAX << TIMES_BIT;
  ref_put_u64(sass + INSTRUCTION / 2,
              (ref_u64(sass + INSTRUCTION / 2) & ~times) | (ref_u64(old + INSTRUCTION / 2) & times));
}

/* RF904: what the SASS side's entries wrote goes. The times stay, which are made anew. */
static void ref_written_restore(const ref_written *written, const ref_written_step *step, uint8_t *sass) {
  const uint8_t *old = written->text->data + step->sass;
  uint8_t now[INSTRUCTION];
  if (old == sass) {
    return;
  }
  memcpy(now, sass, sizeof now);
  memcpy(sass, old, sizeof now);
  ref_written_take_times(now, sass);
  if (ref_written_is_of_textures(written, step)) {
    ref_written_take_slot(step, now, sass);
  }
}

/* RF982: so it does before the times are made anew, for which the input's instructions count. Where Mercury's side has no entry nvlink ends by
 * a signal. */
void ref_written_restore_text(ref_capsule *capsule, size_t function, ref_bytes *text) {
  const ref_targets *targets = ref_derived_targets(capsule);
  const size_t body = capsule->mercury->functions[function].text;
  if (body == REF_NONE || targets->starts[body] == targets->starts[body + 1]) {
    return;
  }
  const ref_written written = ref_written_begin(capsule, function);
  if (written.text == NULL || written.text == text || written.text->size != text->size || text->size == 0) {
    return;
  }
  uint8_t *now = REF_TAKE(capsule->mercury, uint8_t, text->size);
  memcpy(now, text->data, text->size);
  memcpy(text->data, written.text->data, text->size);
  for (size_t i = 0; i < written.count; i++) {
    const size_t at = written.steps[i].sass;
    if (ref_written_is_of_textures(&written, &written.steps[i]) && at < text->size && text->size - at >= INSTRUCTION) {
      ref_written_take_slot(&written.steps[i], now + at, text->data + at);
    }
  }
}

/* RF985: the low five bits of Mercury's operand say, for nvlink's scheduler, what a move does with how many registers: odd numbers write, even ones
 * read, from 24 on none. */
static ref_split_move ref_written_registers(const ref_written *written, const ref_written_step *step,
                                            const uint8_t *sass) {
  enum { KIND_BITS = 0x1f, WIDE = 16, WIDER = 18, WIDE_COUNT = 16, WIDER_COUNT = 32, NOTHING = 24 };
  const size_t at = step->decoded + REGISTER_AT;
  const unsigned kind = written->is_set[at] ? written->bytes[at] & KIND_BITS : 1;
  const unsigned count = kind < WIDE ? kind / 2 + 1 : kind < WIDER ? WIDE_COUNT : WIDER_COUNT;
  return (ref_split_move){.instruction = step->sass / INSTRUCTION,
                          .first = sass[SASS_REGISTER],
                          .count = kind < NOTHING ? count : 0,
                          .is_uniform = step->opcode == MOVE_UNIFORM,
                          .writes = kind < NOTHING && kind % 2 != 0};
}

static bool ref_written_is_set(const ref_written *written, const ref_written_step *step) {
  for (size_t i = 0; i < step->length; i++) {
    if (written->is_set[step->decoded + i]) {
      return true;
    }
  }
  return false;
}

static const ref_written_step *ref_written_find(const ref_written *written, uint64_t decoded) {
  size_t first = 0, end = written->count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (written->steps[middle].decoded + written->steps[middle].length <= decoded) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first < written->count ? &written->steps[first] : NULL;
}

/* On sm_10x nvlink adds its number of the place to the offset; that of other places than the beginning is not known. */
static void ref_written_load_place(const ref_written *written, const ref_written_step *step, uint64_t place,
                                   uint8_t *sass) {
  static const ref_field bank = {BANK_START, 5, REF_FROM_ABS};
  const bool second = written->sm >= SECOND_FAMILY;
  if (step->record == 0 || step->length != LOAD_BYTES || (place != 0 && !second)) {
    return;
  }
  const uint32_t own = ref_u32(written->body->data + step->record + OFFSET_AT);
  ref_field_write(&ref_written_offsets[step->opcode == LOAD_UNIFORM], sass, INSTRUCTION, 0,
                  (uint64_t)own + (second ? 0 : FIRST_PLACE));
  ref_field_write(&bank, sass, INSTRUCTION, 0, place == 0 ? 0 : PLACE_BANK);
}

/* RF901: `place` is in the SASS text. */
void ref_written_put_place(const ref_written *written, uint64_t decoded, uint64_t place, bool is_shown,
                           ref_bytes *text) {
  const ref_written_step *step = ref_written_find(written, decoded);
  if (step == NULL || step->sass + INSTRUCTION > text->size) {
    return;
  }
  uint8_t *sass = text->data + step->sass;
  if (step->opcode == MOVE || step->opcode == MOVE_UNIFORM) {
    ref_put_u32(sass + SASS_IMMEDIATE, is_shown ? (uint32_t)place : 0);
  } else if (step->opcode == LOAD || step->opcode == LOAD_UNIFORM) {
    ref_written_load_place(written, step, place, sass);
  }
}

/* RF907: what fills a text, a branch to itself and NOPs, is made anew. */
static void ref_written_put_end(const ref_written *written, ref_bytes *text) {
  static const uint64_t branch[2] = {0xfffffffc00fc7947, 0x000fc0000383ffff};
  static const uint64_t no_operation[2] = {0x7918, 0x000fc00000000000};
  const size_t count = text->size / INSTRUCTION;
  for (size_t i = 0; written->end < count && i < written->end_count && i < count - written->end; i++) {
    const uint64_t *words = i == 0 ? branch : no_operation;
    ref_put_u64(text->data + (written->end + i) * INSTRUCTION, words[0]);
    ref_put_u64(text->data + (written->end + i) * INSTRUCTION + INSTRUCTION / 2, words[1]);
  }
}

void ref_written_end_of_section(ref_link *link, const ref_section *body, ref_bytes *text) {
  ref_bytes bytes = {0}, before = {0};
  ref_bytes_add(link, &bytes, body->data, (size_t)body->size);
  ref_bytes_add(link, &before, text->data, text->size);
  ref_written written = {.body = &bytes, .text = &before, .end = REF_NONE};
  ref_written_list_steps(link, &written);
  ref_written_put_end(&written, text);
}

void ref_written_translate(ref_link *link, const ref_written *written, ref_bytes *text) {
  ref_split_move *moves = REF_TAKE(link, ref_split_move, written->count);
  size_t move_count = 0;
  ref_written_put_end(written, text);
  for (size_t i = 0; i < written->count; i++) {
    const ref_written_step *step = &written->steps[i];
    uint8_t *sass = text->data + step->sass;
    if (step->sass + INSTRUCTION > text->size) {
      continue;
    }
    ref_written_restore(written, step, sass);
    if (!ref_written_is_set(written, step)) {
      continue;
    }
    if (step->opcode == MOVE || step->opcode == MOVE_UNIFORM) {
      ref_written_move(written, step, sass);
      if (written->is_set[step->decoded + REGISTER_AT] || written->is_set[step->decoded + REGISTER_AT + 1]) {
        moves[move_count++] = ref_written_registers(written, step, sass);
      }
    } else if (step->opcode == LOAD || step->opcode == LOAD_UNIFORM) {
      ref_written_load(written, step, step->opcode == LOAD_UNIFORM, sass);
    }
  }
  if (move_count != 0) {
    ref_split_change_moves(link, text, moves, move_count);
  }
}
