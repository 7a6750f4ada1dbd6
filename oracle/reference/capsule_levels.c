/* RF466 (D113): a text whose attributes are those of a function of its name that was compiled without optimisation is scheduled as such
 * code is: every instruction waits for what is pending, and the NOPs that fill long waits are gone. Done to the objects before they
 * are linked, as in capsule_fences.c. Code that has instructions whose numbers are not known stays as it is. */
#include "capsule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  OPCODE = 0x0fff,
  BASE = 0x01ff,
  SELF_BRANCH = 0x947,
  NO_OPERATION_CODE = 0x918,
  WAIT_FOR_NUMBER = 0x91a, /* DEPBAR */
  WAIT_COUNT_BIT = 38,
  WAIT_COUNT = 63,
  ALLOCATION_COUNT = 54, /* L1834: in front of an allocation of tensor memory */
  ALLOCATION_STALL = 4,
  LOAD_SHARED = 0x984,
  CACHE_CONTROL = 0x98f,
  FENCE = 0x992,
  ERROR_BARRIER = 0x9ab,
  FENCE_OF_ERRORS = 0x5000, /* of the high word */
  NARROW_FENCE = 0x8000,
  MATRIX = 0x03c, /* 9 bits, T20 */
  MATRIX_OF_INTEGERS = 0x037,
  FIRST_DOUBLE = 0x028,
  LAST_DOUBLE = 0x02b,
  FAST_DOUBLES = 100, /* sm */
  SLOW_INTEGERS = 103,
  ZERO_REGISTER = 0xff,
  RESULT_AT = 2,
  ADDRESS_AT = 3,
  STALL_BIT = 105 - 64, /* of the high word, T15 */
  LONGEST_STALL = 15,
  YIELD = 4, /* from there */
  WRITE_BIT = 110 - 64,
  READ_BIT = 113 - 64,
  WAIT_BIT = 116 - 64,
  WAIT_MASK = 63,
  NO_NUMBER = 7,
  WRITE_NUMBER = 0, /* of code without optimisation */
  READ_NUMBER = 1,
  WAITS = 3, /* for both */
  SASS_COUNT_BIT = 7,
  COUNT_AT = 8,
  MASK_UNIT = 32, /* instructions of one word of the mask */
  FEWEST_NOPS = 8,
  TEXT_UNIT = 8 /* instructions: 128 bytes */
};

static const uint64_t NO_OPERATION[2] = {0x7918, 0x000fc00000000000};

typedef struct ref_levels {
  ref_link *link;
  const ref_section *text;
  ref_bytes sass, records, mask;
  uint32_t count; /* of the Mercury view's instructions */
  uint64_t late;  /* so many instructions of records of waits are not looked at yet */
  ref_moves moves;
} ref_levels;

/* The numbers that an instruction sets in code without optimisation, and whether it waits. */
typedef enum ref_latency {
  REF_LATENCY_UNKNOWN,
  REF_LATENCY_FIXED,
  REF_LATENCY_BOTH,
  REF_LATENCY_READ,
  REF_LATENCY_WRITTEN,
  REF_LATENCY_AT_ONCE, /* the next one goes in the same cycle: 0x237, 0x23c, ERRBAR */
  REF_LATENCY_FENCE,   /* MEMBAR in front of another or of ERRBAR: it does not wait either */
  REF_LATENCY_IDLE,    /* a load that only a fence is for */
  REF_LATENCY_ALLOCATION
} ref_latency;

static bool ref_levels_is_one_of(unsigned base, const uint16_t *bases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (bases[i] == base) {
      return true;
    }
  }
  return false;
}

#define REF_LEVELS_HAS(table, base) ref_levels_is_one_of(base, table, sizeof(table) / sizeof(table)[0])

/* The high word without the control fields. */
static uint64_t ref_levels_operation(const uint8_t *instruction) {
  return ref_u64(instruction + INSTRUCTION / 2) & ((UINT64_C(1) << STALL_BIT) - 1);
}

/* By nine bits of the opcode, T20. L1835: 0x07f, products with scaled blocks, is none of them. */
static ref_latency ref_levels_usual(unsigned base) {
  static const uint16_t fixed[] = {0x002, 0x003, 0x005, 0x006, 0x007, 0x008, 0x009, 0x00b, 0x00c, 0x010, 0x011, 0x012,
                                   0x013, 0x014, 0x016, 0x017, 0x019, 0x01a, 0x01b, 0x01c, 0x020, 0x021, 0x023, 0x024,
                                   0x025, 0x026, 0x027, 0x02e, 0x02f, 0x030, 0x031, 0x034, 0x035, 0x036, 0x038, 0x03e,
                                   0x040, 0x045, 0x046, 0x048, 0x05a, 0x076, 0x082, 0x083, 0x084, 0x086, 0x087, 0x08c,
                                   0x090, 0x092, 0x09c, 0x0bf, 0x0ca, 0x0cb, 0x118, 0x11a, 0x11b, 0x141, 0x142, 0x143,
                                   0x144, 0x145, 0x146, 0x147, 0x148, 0x149, 0x14d, 0x150, 0x15c, 0x15d, 0x1ab, 0x1c7};
  static const uint16_t both[] = {0x03b, 0x03f, 0x100, 0x101, 0x102, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109,
                                  0x110, 0x111, 0x112, 0x113, 0x119, 0x11c, 0x160, 0x166, 0x16f, 0x180, 0x181,
                                  0x182, 0x183, 0x184, 0x189, 0x18a, 0x18c, 0x18d, 0x199, 0x1a1, 0x1a3, 0x1a7,
                                  0x1a8, 0x1a9, 0x1aa, 0x1ae, 0x1af, 0x1b2, 0x1c3, 0x1c4};
  static const uint16_t read[] = {0x11d, 0x156, 0x185, 0x186, 0x187, 0x188, 0x18e, 0x1a6, 0x1b7, 0x1b9};
  static const uint16_t written[] = {0x140, 0x155, 0x1ac, 0x1c6};
  if (REF_LEVELS_HAS(fixed, base)) {
    return REF_LATENCY_FIXED;
  }
  if (REF_LEVELS_HAS(both, base)) {
    return REF_LATENCY_BOTH;
  }
  if (REF_LEVELS_HAS(read, base)) {
    return REF_LATENCY_READ;
  }
  return REF_LEVELS_HAS(written, base) ? REF_LATENCY_WRITTEN : REF_LATENCY_UNKNOWN;
}

/* The narrow fence that stands in front of a wider one, and the one for errors, are not waited for. */
static ref_latency ref_levels_fence(const uint8_t *instruction, unsigned next) {
  const uint64_t operation = ref_levels_operation(instruction);
  const bool is_first = (operation == NARROW_FENCE && next == FENCE) || operation == FENCE_OF_ERRORS;
  return is_first ? REF_LATENCY_FENCE : REF_LATENCY_READ;
}

/* Arithmetic of double precision takes a known time on sm_100, products of matrices of integers everywhere but on sm_103. */
static ref_latency ref_levels_latency(const ref_link *link, const uint8_t *instruction, unsigned next) {
  const unsigned opcode = ref_u16(instruction) & OPCODE, base = opcode & BASE;
  if (base >= FIRST_DOUBLE && base <= LAST_DOUBLE) {
    return link->sm == FAST_DOUBLES ? REF_LATENCY_FIXED : REF_LATENCY_BOTH;
  }
  if (base == MATRIX_OF_INTEGERS && link->sm == SLOW_INTEGERS) {
    return REF_LATENCY_BOTH;
  }
  if (base == MATRIX || base == MATRIX_OF_INTEGERS || opcode == ERROR_BARRIER) {
    return REF_LATENCY_AT_ONCE;
  }
  if (opcode == FENCE) {
    return ref_levels_fence(instruction, next);
  }
  if (opcode == WAIT_FOR_NUMBER && (ref_u64(instruction) >> WAIT_COUNT_BIT & WAIT_COUNT) == ALLOCATION_COUNT) {
    return REF_LATENCY_ALLOCATION;
  }
  if (opcode == CACHE_CONTROL) {
    return instruction[ADDRESS_AT] == ZERO_REGISTER ? REF_LATENCY_FIXED : REF_LATENCY_READ;
  }
  if (opcode == LOAD_SHARED && instruction[RESULT_AT] == ZERO_REGISTER) {
    return REF_LATENCY_IDLE;
  }
  return ref_levels_usual(base);
}

/* The stall count and the bit of yielding behind it. */
static uint64_t ref_levels_stall(ref_latency latency) {
  switch (latency) {
  case REF_LATENCY_IDLE:
    return 1 | 1u << YIELD;
  case REF_LATENCY_ALLOCATION:
    return ALLOCATION_STALL | 1u << YIELD; /* L1834 */
  case REF_LATENCY_AT_ONCE:
  case REF_LATENCY_FENCE:
    return 0;
  default:
    return LONGEST_STALL;
  }
}

/* The control fields without reuse. */
static uint64_t ref_levels_control(ref_latency latency) {
  const bool writes = latency == REF_LATENCY_BOTH || latency == REF_LATENCY_WRITTEN;
  const bool reads = latency == REF_LATENCY_BOTH || latency == REF_LATENCY_READ;
  const bool waits = latency != REF_LATENCY_FENCE && latency != REF_LATENCY_IDLE && latency != REF_LATENCY_ALLOCATION;
  return ref_levels_stall(latency) << STALL_BIT | (uint64_t)(writes ? WRITE_NUMBER : NO_NUMBER) << WRITE_BIT |
         (uint64_t)(reads ? READ_NUMBER : NO_NUMBER) << READ_BIT | (uint64_t)(waits ? WAITS : 0) << WAIT_BIT;
}

static bool ref_levels_add(ref_levels *levels, uint64_t number) {
  const uint8_t *instruction = levels->text->data + number * INSTRUCTION;
  const unsigned next = number + 1 < levels->moves.count ? ref_u16(instruction + INSTRUCTION) & OPCODE : 0;
  const ref_latency latency = ref_levels_latency(levels->link, instruction, next);
  ref_bytes_add_u64(levels->link, &levels->sass, ref_u64(instruction));
  ref_bytes_add_u64(levels->link, &levels->sass, ref_levels_operation(instruction) | ref_levels_control(latency));
  return latency != REF_LATENCY_UNKNOWN;
}

static void ref_levels_move(ref_levels *levels, uint64_t number) {
  levels->moves.start[number] = levels->sass.size / INSTRUCTION;
  levels->moves.self[number] = levels->moves.start[number];
}

static void ref_levels_add_record(ref_levels *levels, const ref_capsule_step *step) {
  const uint32_t bit = levels->count % MASK_UNIT;
  if (bit == 0) {
    ref_bytes_add_u32(levels->link, &levels->mask, 0);
  }
  if (step->derived) {
    levels->mask.data[levels->count / 8] |= (uint8_t)(1u << levels->count % 8);
  }
  levels->count++;
}

/* What only waits has a record without an instruction. */
static bool ref_levels_only_waits(const ref_levels *levels, uint64_t number) {
  const unsigned opcode = ref_u16(levels->text->data + number * INSTRUCTION) & OPCODE;
  return opcode == NO_OPERATION_CODE || opcode == WAIT_FOR_NUMBER;
}

/* False where an instruction is not known, or less was found that only waits than records said. */
static bool ref_levels_write_step(ref_levels *levels, const ref_capsule_step *step) {
  uint64_t number = step->sass - levels->late;
  bool known = true;
  ref_levels_add_record(levels, step);
  ref_bytes_add(levels->link, &levels->records, step->data + step->at, step->end - step->at);
  for (; number < step->sass + step->sass_count && known; number++) {
    ref_levels_move(levels, number);
    if (levels->late > 0 && ref_levels_only_waits(levels, number)) {
      levels->late--;
    } else {
      known = ref_levels_add(levels, number);
    }
  }
  return known && levels->late == 0;
}

/* A wait within what the next Mercury instruction makes has its record in front of it. */
static void ref_levels_skip_step(ref_levels *levels, const ref_capsule_step *step) {
  bool waits = levels->late == 0;
  for (uint64_t i = 0; i < step->sass_count; i++) {
    waits = waits && ref_levels_only_waits(levels, step->sass + i);
    ref_levels_move(levels, step->sass + i);
  }
  if (!waits) {
    levels->late += step->sass_count;
  }
}

/* The branch to itself and NOPs, as in capsule_exits.c. */
static bool ref_levels_write_end(ref_levels *levels, const ref_capsule_step *step) {
  const uint8_t *at = levels->text->data + step->sass * INSTRUCTION;
  size_t nops = FEWEST_NOPS;
  for (uint64_t i = 0; i < step->sass_count; i++) {
    levels->moves.start[step->sass + i] = levels->sass.size / INSTRUCTION + (size_t)i;
    levels->moves.self[step->sass + i] = levels->moves.start[step->sass + i];
  }
  while ((levels->sass.size / INSTRUCTION + 1 + nops) % TEXT_UNIT != 0) {
    nops++;
  }
  const unsigned low = step->data[step->at] & ((1u << SASS_COUNT_BIT) - 1);
  const unsigned value = (unsigned)(nops + 1) << SASS_COUNT_BIT | low;
  const uint8_t record[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
  ref_bytes_add(levels->link, &levels->sass, at, INSTRUCTION);
  for (size_t i = 0; i < nops; i++) {
    ref_bytes_add_u64(levels->link, &levels->sass, NO_OPERATION[0]);
    ref_bytes_add_u64(levels->link, &levels->sass, NO_OPERATION[1]);
  }
  ref_levels_add_record(levels, step);
  ref_bytes_add(levels->link, &levels->records, record, sizeof record);
  return levels->late == 0 && (ref_u16(at) & OPCODE) == SELF_BRANCH;
}

static bool ref_levels_rebuild(ref_levels *levels, const ref_section *capsule) {
  ref_capsule_step step;
  if (!ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return false;
  }
  while (ref_capsule_body_next(&step)) {
    if (step.sass_count == 0 || step.sass_count > levels->moves.count - step.sass) {
      return false;
    }
    const bool nops = !step.derived && step.end - step.at == 2;
    const bool is_wait = nops && step.number + 1 < step.count;
    if (is_wait) {
      ref_levels_skip_step(levels, &step);
    } else if (!(nops ? ref_levels_write_end(levels, &step) : ref_levels_write_step(levels, &step))) {
      return false;
    }
  }
  levels->moves.start[levels->moves.count] = levels->sass.size / INSTRUCTION;
  return step.number == step.count && step.sass == levels->moves.count;
}

static uint64_t ref_levels_bits(const uint8_t *instruction, unsigned bit, uint64_t mask) {
  return ref_u64(instruction + INSTRUCTION / 2) >> bit & mask;
}

/* Code without optimisation waits for everything from its first instruction on. */
static bool ref_levels_is_slow(const ref_section *text) {
  return text->data != NULL && text->size >= INSTRUCTION &&
         ref_levels_bits(text->data, STALL_BIT, LONGEST_STALL) == LONGEST_STALL &&
         ref_levels_bits(text->data, WAIT_BIT, WAIT_MASK) == WAITS;
}

/* The text that Mercury's attributes are about; 0: none. */
static uint32_t ref_levels_text_of(const ref_cubin *cubin, const ref_section *attributes) {
  const uint32_t body = attributes->info & REF_TEXT_OF_INFO;
  const ref_section *capsule = body < cubin->section_count ? &cubin->sections[body] : NULL;
  const bool is_body =
      capsule != NULL && capsule->type == REF_TYPE_CAPSULE_TEXT && capsule->data != NULL && capsule->size >= 4;
  const uint32_t text = is_body ? ref_u32(capsule->data) : 0;
  return text < cubin->section_count && cubin->sections[text].type == REF_TYPE_PROGBITS ? text : 0;
}

/* The text of the function by whose attributes nvlink goes (RF173): RF1150: the one that Mercury's first ones of the name are about. */
static const ref_section *ref_levels_first(const ref_cubin *cubin, uint32_t number) {
  static const char prefix[] = ".nv.merc.nv.info", text[] = ".text";
  const char *name = cubin->sections[number].name;
  if (strncmp(name, text, sizeof text - 1) != 0) {
    return &cubin->sections[number];
  }
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->type == REF_TYPE_MERCURY_INFO && strncmp(section->name, prefix, sizeof prefix - 1) == 0 &&
        strcmp(section->name + sizeof prefix - 1, name + sizeof text - 1) == 0) {
      const uint32_t first = ref_levels_text_of(cubin, section);
      return &cubin->sections[first == 0 ? number : first];
    }
  }
  return &cubin->sections[number];
}

static void ref_levels_edit(ref_link *link, ref_file *file, ref_section *capsule, uint32_t number) {
  ref_section *text = &file->whole.sections[number];
  if (!ref_levels_is_slow(ref_levels_first(&file->whole, number)) || ref_levels_is_slow(text)) {
    return;
  }
  ref_levels levels = {.link = link, .text = text};
  levels.moves.count = (size_t)text->size / INSTRUCTION;
  levels.moves.start = REF_TAKE(link, size_t, levels.moves.count + 1);
  levels.moves.self = REF_TAKE(link, size_t, levels.moves.count);
  if (!ref_levels_rebuild(&levels, capsule)) {
    return;
  }
  ref_bytes body = {0};
  ref_bytes_add(link, &body, capsule->data, COUNT_AT);
  ref_bytes_add_u32(link, &body, levels.count);
  ref_bytes_add(link, &body, levels.mask.data, levels.mask.size);
  ref_bytes_add(link, &body, levels.records.data, levels.records.size);
  ref_moves_apply(link, file, number, capsule, &levels.moves, &levels.sass);
  text->data = levels.sass.data;
  text->size = levels.sass.size;
  capsule->data = body.data;
  capsule->size = body.size;
}

/* The instructions in front of what fills the text. */
static uint64_t ref_levels_code(const ref_section *capsule, const ref_section *text) {
  ref_capsule_step step;
  uint64_t end = 0;
  if (!ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return 0;
  }
  while (ref_capsule_body_next(&step)) {
    end = step.sass;
  }
  return step.number == step.count ? ref_smaller(end, text->size / INSTRUCTION) : 0;
}

/* The high word that an instruction of such code has; its own where the numbers are not known. */
static uint64_t ref_levels_scheduled(const ref_link *link, const ref_section *text, uint64_t number, uint64_t end) {
  const uint8_t *instruction = text->data + number * INSTRUCTION;
  const unsigned next = number + 1 < end ? ref_u16(instruction + INSTRUCTION) & OPCODE : 0;
  const ref_latency latency = ref_levels_latency(link, instruction, next);
  return latency == REF_LATENCY_UNKNOWN ? ref_u64(instruction + INSTRUCTION / 2)
                                        : ref_levels_operation(instruction) | ref_levels_control(latency);
}

/* RF996: the finalizer schedules code that was compiled without optimisation anew, so that what else the input's instructions have for times counts
 * for nothing. Here such code is known by its instructions: all but a few are so (RF1155). */
static void ref_levels_mend(ref_link *link, ref_file *file, ref_section *capsule, uint32_t number) {
  enum { LEAST = 4, FEW = 8, MOST_OTHERS = 6 };
  ref_section *text = &file->whole.sections[number];
  const uint64_t end = text->data == NULL ? 0 : ref_levels_code(capsule, text);
  const uint64_t most = end < FEW ? end / 4 : MOST_OTHERS;
  uint64_t slow = 0, others = 0;
  for (uint64_t i = 0; i < end && others <= most; i++) {
    const uint64_t high = ref_u64(text->data + i * INSTRUCTION + INSTRUCTION / 2);
    others += high != ref_levels_scheduled(link, text, i, end);
    slow += (high >> STALL_BIT & LONGEST_STALL) == LONGEST_STALL && (high >> WAIT_BIT & WAIT_MASK) == WAITS;
  }
  if (end < LEAST || others == 0 || others > most || slow < end / 2) {
    return;
  }
  ref_bytes bytes = {0};
  ref_bytes_add(link, &bytes, text->data, (size_t)text->size);
  for (uint64_t i = 0; i < end; i++) {
    ref_put_u64(bytes.data + i * INSTRUCTION + INSTRUCTION / 2, ref_levels_scheduled(link, text, i, end));
  }
  text->data = bytes.data;
}

/* Each text once. */
static void ref_levels_mend_file(ref_link *link, ref_file *file) {
  bool *is_done = REF_TAKE(link, bool, file->whole.section_count + 1);
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    ref_section *capsule = &file->whole.sections[i];
    const bool is_body = capsule->type == REF_TYPE_CAPSULE_TEXT && capsule->data != NULL && capsule->size >= 4;
    const uint32_t text = is_body ? ref_u32(capsule->data) : 0;
    if (text != 0 && text < file->whole.section_count && !is_done[text] &&
        (file->whole.sections[text].flags & REF_FLAG_EXEC) != 0) {
      is_done[text] = true;
      ref_levels_mend(link, file, capsule, text);
    }
  }
  file->cubin = file->whole;
}

/* By default (D113) each function keeps its own attributes. */
void ref_levels_share(ref_link *link) {
  for (size_t i = 0; i < link->file_count && (link->files[i].whole.flags & REF_KIND_CAPSULE) != 0; i++) {
    ref_levels_mend_file(link, &link->files[i]);
    if (link->job->bug_compatible) {
      ref_moves_edit_texts(link, &link->files[i], ref_levels_edit);
    }
  }
}
