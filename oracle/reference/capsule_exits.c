/* Errors made visible at EXIT: M43, RF76. With -g, or when an object of a capsule link was compiled for it (-G,
 * -make-errors-visible-at-exit), every EXIT of both views waits for memory and reports errors first. Done to the objects before
 * they are linked. */
#include "capsule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  MASK_AT = 12,
  OPCODE = 0x0fff,
  EXIT = 0x094d,
  GUARD_BIT = 12,
  STALL_BIT = 105 - 64, /* of the high word, T15 */
  LONGEST_STALL = 15,
  EXIT_STALL = 5,
  YIELD_BIT = 109 - 64,
  WRITE_BIT = 110 - 64,
  READ_BIT = 113 - 64,
  WAIT_BIT = 116 - 64,
  NO_NUMBER = 7,
  ALWAYS = 7,
  NEGATED = 8,
  SASS_COUNT_BIT = 7,
  BEFORE_RECORD = 0x51, /* the low seven bits of the two bytes of RF71 */
  RECORD_GUARD = 4,
  FEWEST_NOPS = 8,
  TEXT_UNIT = 8, /* instructions: 128 bytes */
  VISIBLE_ERRORS = 0x53
};

/* Low and high word. In code that waits for everything at once (-O0: EXIT with stall count 15) the last two wait too. */
static const uint64_t MEMORY_BARRIER[2] = {0x0992, 0x000fc00000005000};
static const uint64_t ERROR_BARRIER[2] = {0x09ab, 0x000fc00000000000};
static const uint64_t CLUSTER_ERROR_BARRIER[2] = {0x05ab, 0x000fec0000000000};
static const uint64_t WAITING_ERROR_BARRIER[2] = {0x09ab, 0x003fc00000000000};
static const uint64_t WAITING_CLUSTER_ERROR_BARRIER[2] = {0x05ab, 0x003fde0000000000};
static const uint64_t NO_OPERATION[2] = {0x7918, 0x000fc00000000000};

typedef struct ref_exits {
  ref_link *link;
  const ref_section *text;
  size_t barriers; /* before each EXIT */
  ref_bytes sass, records, mask;
  ref_moves moves;
  uint64_t *guards; /* of ref_guards_of */
  bool is_changed;
} ref_exits;

static void ref_exits_add(ref_exits *exits, const uint64_t *words, uint64_t guard) {
  ref_bytes_add_u64(exits->link, &exits->sass, words[0] | guard << GUARD_BIT);
  ref_bytes_add_u64(exits->link, &exits->sass, words[1]);
}

/* The instructions of one step, `first` of them on top of those that are there. */
static void ref_exits_move(ref_exits *exits, const ref_capsule_step *step) {
  const size_t now = exits->sass.size / INSTRUCTION;
  for (uint64_t i = 0; i < step->sass_count; i++) {
    exits->moves.start[step->sass + i] = now + (size_t)i;
    exits->moves.self[step->sass + i] = now + (size_t)i;
  }
}

static void ref_exits_copy(ref_exits *exits, const ref_capsule_step *step) {
  ref_exits_move(exits, step);
  ref_bytes_add(exits->link, &exits->sass, exits->text->data + step->sass * INSTRUCTION,
                (size_t)step->sass_count * INSTRUCTION);
  ref_bytes_add(exits->link, &exits->records, step->data + step->at, step->end - step->at);
}

/* RF76: the record of an EXIT; five bits name its predicate, bit 0 says negated. */
static void ref_exits_write_record(ref_exits *exits, const ref_capsule_step *step, uint64_t guard) {
  uint8_t record[INSTRUCTION] = {0x01, 0x11, 0x00, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0xf8};
  const unsigned before = (unsigned)(exits->barriers + 1) << SASS_COUNT_BIT | BEFORE_RECORD;
  const uint8_t count[2] = {(uint8_t)before, (uint8_t)(before >> 8)};
  const uint64_t predicate = guard == ALWAYS ? 0x1f : guard & ALWAYS;
  record[RECORD_GUARD] = (uint8_t)(predicate << 3 | (guard & NEGATED) >> 3);
  ref_bytes_add(exits->link, &exits->records, count, sizeof count);
  ref_bytes_add(exits->link, &exits->records, record, sizeof record);
  exits->mask.data[step->number / 8] &= (uint8_t)~(1u << step->number % 8);
}

static void ref_exits_set_stall(uint8_t *instruction, uint64_t stall) {
  const uint64_t high = ref_u64(instruction + 8), mask = (uint64_t)LONGEST_STALL << STALL_BIT;
  ref_put_u64(instruction + 8, (high & ~mask) | stall << STALL_BIT);
}

static uint64_t ref_exits_waits(const uint8_t *instruction) {
  return ref_u64(instruction + 8) >> WAIT_BIT & ((1u << 6) - 1);
}

/* The numbers that it sets, as a set; nobody waits for NO_NUMBER. */
static uint64_t ref_exits_numbers(const uint8_t *instruction) {
  const uint64_t high = ref_u64(instruction + 8);
  return (uint64_t)1 << (high >> WRITE_BIT & NO_NUMBER) | (uint64_t)1 << (high >> READ_BIT & NO_NUMBER);
}

/* L623: the instruction in front of the EXIT let it wait for 2 because EXIT waits for a number that it sets. */
static void ref_exits_relax(ref_exits *exits, uint64_t waits) {
  if (exits->sass.size == 0) {
    return;
  }
  uint8_t *before = exits->sass.data + exits->sass.size - INSTRUCTION;
  const uint64_t high = ref_u64(before + 8);
  if ((ref_exits_numbers(before) & waits) != 0 && (high >> STALL_BIT & LONGEST_STALL) == 2) {
    ref_exits_set_stall(before, 1);
  }
}

/* RF1350: the error barrier waits for what sets the predicate, and EXIT for the rest. RF1352: a longer time that EXIT let pass has no
 * bit of yielding. */
static void ref_exits_write(ref_exits *exits, const ref_capsule_step *step) {
  const uint8_t *at = exits->text->data + (step->sass + step->sass_count - 1) * INSTRUCTION;
  const uint64_t guard = ref_u16(at) >> GUARD_BIT;
  const bool waits = (ref_u64(at + 8) >> STALL_BIT & LONGEST_STALL) == LONGEST_STALL;
  const size_t number = (size_t)(step->sass + step->sass_count - 1);
  const uint64_t numbers = waits ? 0 : ref_guards_waits(at, exits->guards[number]);
  const uint64_t barrier[2] = {ERROR_BARRIER[0], ERROR_BARRIER[1] | numbers << WAIT_BIT};
  ref_exits_move(exits, step);
  if (!waits) {
    ref_exits_relax(exits, ref_exits_waits(at) & ~numbers);
  }
  if (exits->barriers == 3) {
    ref_exits_add(exits, MEMORY_BARRIER, guard);
  }
  ref_exits_add(exits, waits ? WAITING_ERROR_BARRIER : barrier, guard);
  ref_exits_add(exits, waits ? WAITING_CLUSTER_ERROR_BARRIER : CLUSTER_ERROR_BARRIER, guard);
  exits->moves.self[step->sass + step->sass_count - 1] = exits->sass.size / INSTRUCTION;
  ref_bytes_add(exits->link, &exits->sass, at, INSTRUCTION);
  if (!waits) {
    uint8_t *last = exits->sass.data + exits->sass.size - INSTRUCTION;
    ref_exits_set_stall(last, EXIT_STALL);
    ref_put_u64(last + 8, (ref_u64(last + 8) & ~(numbers << WAIT_BIT)) | (uint64_t)1 << YIELD_BIT);
  }
  ref_exits_write_record(exits, step, guard);
  exits->is_changed = true;
}

/* The branch to itself and at least eight NOPs, up to a multiple of 128 bytes. */
static void ref_exits_write_end(ref_exits *exits, const ref_capsule_step *step) {
  size_t nops = FEWEST_NOPS;
  while ((exits->sass.size / INSTRUCTION + 1 + nops) % TEXT_UNIT != 0) {
    nops++;
  }
  const unsigned low = step->data[step->at] & ((1u << SASS_COUNT_BIT) - 1);
  const unsigned value = (unsigned)(nops + 1) << SASS_COUNT_BIT | low;
  const uint8_t record[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
  ref_exits_move(exits, step);
  ref_bytes_add(exits->link, &exits->sass, exits->text->data + step->sass * INSTRUCTION, INSTRUCTION);
  for (size_t i = 0; i < nops; i++) {
    ref_exits_add(exits, NO_OPERATION, 0);
  }
  ref_bytes_add(exits->link, &exits->records, record, sizeof record);
}

/* One that is not as it has to be: RF71 counts the barriers that are there already. */
static bool ref_exits_is_exit(const ref_exits *exits, const ref_capsule_step *step) {
  const uint8_t *at = exits->text->data + (step->sass + step->sass_count - 1) * INSTRUCTION;
  return (ref_u16(at) & OPCODE) == EXIT && step->sass_count != exits->barriers + 1;
}

static bool ref_exits_rebuild(ref_exits *exits, const ref_section *capsule) {
  ref_capsule_step step;
  if (!ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return false;
  }
  ref_bytes_add(exits->link, &exits->mask, capsule->data + MASK_AT, step.end - MASK_AT);
  while (ref_capsule_body_next(&step)) {
    if (step.sass_count == 0 || step.sass_count > exits->moves.count - step.sass) {
      return false;
    }
    const bool nops = step.end - step.at == 2;
    if (nops && step.number + 1 == step.count) {
      ref_exits_write_end(exits, &step);
    } else if (!nops && ref_exits_is_exit(exits, &step)) {
      ref_exits_write(exits, &step);
    } else {
      ref_exits_copy(exits, &step);
    }
  }
  exits->moves.start[exits->moves.count] = exits->sass.size / INSTRUCTION;
  return exits->is_changed && step.number == step.count && step.sass == exits->moves.count;
}

/* M42: a kernel that calls nothing. L1833: nor stores to surfaces. */
static bool ref_exits_is_leaf(const ref_cubin *cubin, const ref_section *text) {
  for (uint64_t i = 0; i + INSTRUCTION <= text->size; i += INSTRUCTION) {
    if (ref_leaf_is_call(ref_u16(text->data + i))) {
      return false;
    }
  }
  return !ref_fences_for_surfaces(text) && text->info < cubin->symbol_count &&
         (cubin->symbols[text->info].other & REF_OTHER_ENTRY) != 0;
}

/* RF76: a leaf kernel has no barrier for memory, unless -g is given or the link is one with -r (RF171). */
static void ref_exits_edit(ref_link *link, ref_file *file, ref_section *capsule, uint32_t number) {
  ref_section *text = &file->whole.sections[number];
  const bool all = ref_options_keep_shared_symbols(link) || (link->relocatable && link->is_capsule);
  const bool leaf = !all && ref_exits_is_leaf(&file->whole, text);
  ref_exits exits = {.link = link, .text = text, .barriers = leaf ? 2 : 3};
  exits.moves.count = (size_t)text->size / INSTRUCTION;
  exits.moves.start = REF_TAKE(link, size_t, exits.moves.count + 1);
  exits.moves.self = REF_TAKE(link, size_t, exits.moves.count);
  ref_bytes code = {0};
  ref_bytes_add(link, &code, text->data, exits.moves.count * INSTRUCTION);
  exits.guards = ref_guards_of(link, &code);
  if (!ref_exits_rebuild(&exits, capsule)) {
    return;
  }
  ref_bytes body = {0};
  ref_bytes_add(link, &body, capsule->data, MASK_AT);
  ref_bytes_add(link, &body, exits.mask.data, exits.mask.size);
  ref_bytes_add(link, &body, exits.records.data, exits.records.size);
  ref_moves_apply(link, file, number, capsule, &exits.moves, &exits.sass);
  text->data = exits.sass.data;
  text->size = exits.sass.size;
  capsule->data = body.data;
  capsule->size = body.size;
}

/* RF1185: Mercury's, where it has attributes of the file; whatever their type and what they are about. */
static bool ref_exits_has_own(const ref_file *file) {
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    if ((section->flags & REF_FLAG_MERCURY) != 0 && REF_IS(section->name, ".nv.merc.nv.info")) {
      return true;
    }
  }
  return false;
}

static bool ref_exits_file_asks(const ref_file *file) {
  const bool own = ref_exits_has_own(file);
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    const bool counts = own ? (section->flags & REF_FLAG_MERCURY) != 0 && REF_IS(section->name, ".nv.merc.nv.info")
                            : section->type == REF_TYPE_INFO && section->info == 0;
    ref_attribute attribute;
    uint64_t position = 0;
    while (counts && ref_cubin_next_attribute(section, &position, &attribute)) {
      if (attribute.code == VISIBLE_ERRORS && attribute.format == 1) { /* RF1185: no other format */
        return true;
      }
    }
  }
  return false;
}

/* M43, RF76: a record of .nv.info in any object of a link of capsules, whether its code is used or not; in a mixed link only
 * -g. */
static bool ref_exits_are_wanted(const ref_link *link) {
  bool wanted = ref_options_keep_shared_symbols(link);
  if (!link->is_capsule) {
    return wanted;
  }
  for (size_t i = 0; i < link->file_count; i++) {
    wanted = wanted || ref_exits_file_asks(&link->files[i]);
  }
  return wanted;
}

/* RF76: in a mixed link up to the first object of SASS kind. RF314: kernels that call nothing lose their fences in links that make
 * errors visible too, unless -g is given. */
void ref_exits_make_visible(ref_link *link) {
  if (!ref_target_has_capsules(link->sm)) {
    return;
  }
  const bool wanted = ref_exits_are_wanted(link), debug = ref_options_keep_shared_symbols(link);
  for (size_t i = 0; i < link->file_count && (link->files[i].whole.flags & REF_KIND_CAPSULE) != 0; i++) {
    if (!debug) {
      ref_fences_drop(link, &link->files[i]);
    }
    if (wanted) {
      ref_moves_edit_texts(link, &link->files[i], ref_exits_edit);
    }
  }
}
