/* Who needs the barriers of a leaf kernel's block first (L1910), whether that is in the same block (M45b, M45c, L771), and
 * whether the block keeps a number for loads for other blocks (L1911).
 *
 * ptxas numbers a barrier by who needs it, not by who waits for it: in its own output a wait may stand earlier because something
 * else of the same number is needed there. What instructions read and write tells the two apart. */
#include "finalize/leaf_parts.h"

/* 13 bits: bit 91 and bits 0 to 11 (T1-T3). */
enum { OP_MEMBAR = 0x992 };

/* Matrix products, whose operands are several registers each. */
static bool leaf_is_product(unsigned opcode) {
  static const uint16_t list[] = {0x37, 0x3b, 0x3c, 0x3d, 0x3f, 0x7a, 0x7c};
  const uint16_t kind = opcode & 0x1ff;
  return TL_AMONG16(list, kind);
}

/* What an instruction of which nothing else is known to be needed does: it reads or writes what the other one writes. */
static bool leaf_needs(const tl_operands *writer, const tl_operands *other) {
  return tl_operands_meet(writer->writes, writer->write_count, other->reads, other->read_count, false) ||
         tl_operands_meet(writer->writes, writer->write_count, other->writes, other->write_count, false);
}

/* Whether `other` writes what `reader` reads and does not write itself: who writes over its result waits for that. */
static bool leaf_overwrites(const tl_operands *reader, const tl_operands *other) {
  for (uint8_t i = 0; i < reader->read_count; i++)
    for (uint8_t k = 0; k < reader->reads[i].count && reader->reads[i].file <= TL_FILE_UNIFORM; k++) {
      const tl_register_range one = {reader->reads[i].file, (uint8_t)(reader->reads[i].first + k), 1, false};
      if (tl_operands_meet(&one, 1, other->writes, other->write_count, false) &&
          !tl_operands_meet(&one, 1, reader->writes, reader->write_count, false))
        return true;
    }
  return false;
}

static void leaf_add(tl_register_range *list, uint8_t *count, uint8_t file, uint64_t first, uint8_t width) {
  if (*count < TL_OPERANDS_MOST && first != 0xff)
    list[(*count)++] = (tl_register_range){file, (uint8_t)first, width, false};
}

/* A choice between numbers of all lanes, of which nothing is known elsewhere, is as one of each lane's (L1921). */
static void leaf_complete(const leaf *l, uint32_t index, tl_operands *operands) {
  enum { CHOICE = 0x87, REGISTER = 1 };
  const uint64_t low = leaf_low(l, index), high = leaf_high(l, index);
  const unsigned opcode = l->instructions[index].opcode;
  if (operands->known || (opcode & 0x1ff) != CHOICE)
    return;
  leaf_add(operands->writes, &operands->write_count, TL_FILE_UNIFORM, low >> 16 & 0xff, 1);
  leaf_add(operands->reads, &operands->read_count, TL_FILE_UNIFORM, low >> 24 & 0xff, 1);
  if ((opcode >> 9 & 7) == REGISTER)
    leaf_add(operands->reads, &operands->read_count, TL_FILE_UNIFORM, low >> 32 & 0xff, 1);
  leaf_add(operands->reads, &operands->read_count, TL_FILE_UNIFORM_CONDITION, high >> 23 & 7, 1);
  operands->known = true;
}

/* A bit for every 64th register of a list. */
static uint64_t leaf_bits(const tl_register_range *list, uint8_t count) {
  uint64_t bits = 0;
  for (uint8_t i = 0; i < count; i++)
    for (uint8_t k = 0; k < list[i].count && list[i].file <= TL_FILE_UNIFORM; k++)
      bits |= (uint64_t)1 << ((list[i].first + k) & 63);
  return bits;
}

/* Stands until an instruction farther away is asked for. */
static const leaf_decoded *leaf_decode(const leaf *l, uint32_t index) {
  leaf_decoded *const place = &l->decoded[index % l->decoded_count];
  if (place->owner != index + 1) {
    place->owner = index + 1;
    tl_operands_read_more(&place->operands, l->text + (uint64_t)index * LEAF_INSTRUCTION);
    leaf_complete(l, index, &place->operands);
    place->written = leaf_bits(place->operands.writes, place->operands.write_count);
  }
  return place;
}

static tl_operands leaf_operands(const leaf *l, uint32_t index) {
  return leaf_decode(l, index)->operands;
}

/* L1910: whether the instruction surely does not use what another one loads. */
static bool leaf_does_without(const leaf *l, uint32_t load, uint32_t index) {
  const tl_operands own = leaf_operands(l, load), there = leaf_operands(l, index);
  return own.known && there.known && !leaf_is_product(l->instructions[index].opcode) && !leaf_needs(&own, &there);
}

/* L1916: a barrier's result is a predicate, on which the branch that waits for it goes; so is that of an exchange in shared
 * memory (L1941). */
static bool leaf_is_branched_on(const leaf *l, uint32_t index, uint32_t wait) {
  enum { TRUE = 7, OP_EXCHANGE = 0x58d };
  const unsigned predicate = leaf_high(l, index) >> 17 & TRUE, opcode = l->instructions[index].opcode;
  return (opcode == LEAF_OP_RESULT || opcode == OP_EXCHANGE) && predicate != TRUE &&
         (leaf_low(l, wait) >> 12 & TRUE) == predicate;
}

/* M45b, M45c, L771, L1910: the first wait for a number after `index` stands in the same block, and not in what ends it. The
 * last instruction of a block, be it no branch, waits for read barriers, and for loads that it does not use, on behalf of the next
 * block; a fence's is its own matter. */
bool tl_leaf_is_local(const leaf *l, uint32_t index, bool writes) {
  const leaf_instruction *const at = &l->instructions[index];
  const leaf_block *const block = &l->blocks[at->block];
  const uint32_t wait = writes ? at->write_wait : at->read_wait;
  if (wait == LEAF_NEVER)
    return false;
  if (writes && at->write_need == LEAF_NEVER && at->opcode != LEAF_OP_TRY_WAIT && !tl_leaf_is_long(at->opcode) &&
      !tl_leaf_is_texture(at->opcode)) /* L1837: that is somebody else's wait */
    return false;
  const bool branches = tl_leaf_is_exit(l->instructions[wait].opcode);
  const bool fence = (at->opcode & 0xfff) == OP_MEMBAR;
  const bool own = wait + 1 < block->first + block->count || (writes ? !leaf_does_without(l, index, wait) : fence);
  return (!branches && own) || at->opcode == LEAF_OP_TRY_WAIT || (writes && leaf_is_branched_on(l, index, wait));
}

bool tl_leaf_is_uniform(const leaf *l, uint32_t index) {
  const tl_operands own = leaf_operands(l, index);
  bool uniform = false;
  for (uint8_t i = 0; i < own.write_count; i++)
    uniform |= own.writes[i].file == TL_FILE_UNIFORM;
  return uniform;
}

/* Per number, the first instruction of the block that waits for it; of the block's barriers, who waits for them. */
static void leaf_find_first_waits(leaf *l, uint32_t block, uint32_t first[LEAF_NUMBERS]) {
  const uint32_t begin = l->blocks[block].first;
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    first[number] = LEAF_NEVER;
  for (uint32_t i = begin + l->blocks[block].count; i-- > begin;) {
    leaf_instruction *const at = &l->instructions[i];
    at->write_need = at->write_wait = at->write < LEAF_NUMBERS ? first[at->write] : LEAF_NEVER;
    at->read_need = at->read_wait = at->read < LEAF_NUMBERS ? first[at->read] : LEAF_NEVER;
    at->write_due = at->read_due = 0;
    at->explained = 0;
    for (unsigned number = 0; number < LEAF_NUMBERS; number++)
      if (at->wait >> number & 1)
        first[number] = i;
  }
}

/* L1910: where somebody waits for a number because of another barrier that has it, too, what else has it is needed by the
 * instruction behind that uses its result; where there is none in the block, that wait is none for it (L1861). */
static void leaf_find_later_need(leaf *l, uint32_t index, uint32_t end) {
  enum { FARTHEST = 512 };
  leaf_instruction *const at = &l->instructions[index];
  const uint32_t waits = at->write_need;
  const tl_operands own = leaf_operands(l, index);
  const tl_operands there = leaf_operands(l, waits);
  if (!there.known || leaf_is_product(l->instructions[waits].opcode) || leaf_needs(&own, &there))
    return;
  bool known = own.known;
  uint32_t i = waits + 1;
  for (; i < end && i < waits + FARTHEST; i++) {
    const tl_operands other = leaf_operands(l, i);
    if (leaf_needs(&own, &other)) {
      at->write_need = i;
      at->write_due = known ? i : 0;
      return;
    }
    known &= other.known && !leaf_is_product(l->instructions[i].opcode);
  }
  if (known && i == end) {
    at->write_need = LEAF_NEVER;
    at->write_due = waits + 1 == end ? 0 : tl_leaf_is_uniform(l, index) ? end - 1 : LEAF_NEVER;
  }
}

/* RF1397: the first instruction up to `end` that surely writes what `reader` reads; 0. One load's result never comes before another
 * one in front of it has read its address (L1857). */
static uint32_t leaf_find_writer(const leaf *l, uint32_t reader, uint32_t begin, uint32_t end) {
  enum { FARTHEST = 512 };
  const tl_operands own = leaf_operands(l, reader);
  const bool loads = tl_leaf_is_long(l->instructions[reader].opcode);
  const uint64_t reads = leaf_bits(own.reads, own.read_count);
  bool known = own.known && !leaf_is_product(l->instructions[reader].opcode);
  for (uint32_t i = begin; known && i < end && i < begin + FARTHEST; i++) {
    const leaf_decoded *const there = leaf_decode(l, i);
    if (there->written & reads && leaf_overwrites(&own, &there->operands))
      return loads && tl_leaf_is_long(l->instructions[i].opcode) ? 0 : i;
    known = there->operands.known && !leaf_is_product(l->instructions[i].opcode);
  }
  return 0;
}

/* RF1397: a read barrier that has its number with another one since none was free is needed where what it reads is written. */
static void leaf_find_chances(leaf *l, uint32_t begin, uint32_t end, uint8_t pending) {
  uint32_t reader[LEAF_NUMBERS] = {0}; /* one more than the place of the last one */
  for (uint32_t i = begin; i < end; i++) {
    leaf_instruction *const at = &l->instructions[i];
    pending &= (uint8_t)~at->wait;
    for (unsigned kind = 0; kind < 2; kind++) {
      const uint8_t number = kind ? at->write : at->read;
      if (number >= LEAF_NUMBERS)
        continue;
      const uint8_t range = kind && tl_leaf_is_long(at->opcode) ? LEAF_ALL_GENERAL & ~3 : LEAF_ALL_GENERAL;
      const bool chance = pending >> number & 1 && ((pending | l->counted) & range) == range;
      if (!(pending >> number & 1))
        reader[number] = 0;
      for (unsigned k = 0; k < 2 && chance; k++) {
        const uint32_t r = k ? (kind ? 0 : i + 1) : reader[number];
        const uint32_t due = r ? leaf_find_writer(l, r - 1, r, end) : 0;
        if (due && l->instructions[r - 1].read_need != LEAF_NEVER)
          l->instructions[r - 1].read_need = l->instructions[r - 1].read_due = due;
      }
      if (!kind)
        reader[number] = i + 1;
      pending |= (uint8_t)(1u << number);
    }
  }
}

/* Who needs the block's barriers, given what is pending in the input at its start (`old`). */
void tl_leaf_find_needs(leaf *l, uint32_t block, uint8_t old, uint32_t first[LEAF_NUMBERS]) {
  const uint32_t begin = l->blocks[block].first, end = begin + l->blocks[block].count;
  leaf_find_first_waits(l, block, first);
  for (unsigned number = 0; number < LEAF_NUMBERS; number++)
    if (old >> number & 1 && first[number] != LEAF_NEVER)
      l->instructions[first[number]].explained |= (uint8_t)(1u << number);
  for (uint32_t i = begin; i < end; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    if (at->read_need != LEAF_NEVER)
      l->instructions[at->read_need].explained |= (uint8_t)(1u << at->read);
    if (at->write_need == LEAF_NEVER)
      continue;
    const tl_operands own = leaf_operands(l, i), there = leaf_operands(l, at->write_need);
    if (leaf_needs(&own, &there))
      l->instructions[at->write_need].explained |= (uint8_t)(1u << at->write);
  }
  for (uint32_t i = begin; i < end; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    if (at->write_need != LEAF_NEVER && l->instructions[at->write_need].explained >> at->write & 1)
      leaf_find_later_need(l, i, end);
  }
  leaf_find_chances(l, begin, end, old);
}

uint32_t tl_leaf_find_carried(const leaf *l, uint32_t block, uint32_t owner, bool *known) {
  const uint32_t begin = l->blocks[block].first, index = (owner - 1) / 2;
  const bool writes = (owner - 1) % 2;
  const tl_operands own = leaf_operands(l, index);
  *known = own.known && !leaf_is_product(l->instructions[index].opcode);
  if (!*known)
    return begin;
  for (uint32_t i = begin; i < begin + l->blocks[block].count; i++) {
    const tl_operands there = leaf_operands(l, i);
    if (writes ? leaf_needs(&own, &there) : leaf_overwrites(&own, &there))
      return i;
    *known = there.known && !leaf_is_product(l->instructions[i].opcode);
    if (!*known)
      return i;
  }
  return LEAF_NEVER;
}

static bool leaf_begins_loop(const leaf *l, uint32_t block) {
  for (uint32_t p = l->first_predecessor[block]; p < l->first_predecessor[block + 1]; p++)
    if (l->predecessors[p] >= block)
      return true;
  return false;
}

static bool leaf_is_used_from(const leaf *l, uint32_t load, uint32_t first) {
  enum { FARTHEST = 512 };
  const tl_operands own = leaf_operands(l, load);
  for (uint32_t i = first; i < l->count && i < first + FARTHEST; i++) {
    const tl_operands there = leaf_operands(l, i);
    if (tl_operands_meet(own.writes, own.write_count, there.reads, there.read_count, false))
      return true;
  }
  return false;
}

/* RF1392, L1836: of loads to uniform registers that have the number of R1's load in the input: there ptxas has put no wait in front of the loop,
 * and nvlink does, if three cycles lie between and no other load of the block has the same number behind it. */
uint8_t tl_leaf_find_loop_waits(const leaf *l, uint32_t last, const leaf_state *state) {
  enum { OP_LDCU = 0x1ac, LEAST_CYCLES = 3, FARTHEST = 64 };
  const leaf_instruction *const at = &l->instructions[last];
  const leaf_block *const block = &l->blocks[at->block];
  if (last + 1 != block->first + block->count || at->block + 1 >= l->block_count || block->next[0] != at->block + 1)
    return 0;
  const bool loop = leaf_begins_loop(l, at->block + 1);
  uint32_t cycles = 0;
  uint8_t waits = 0, behind = 0;
  for (uint32_t back = 1; loop && back < FARTHEST && back <= last - block->first; back++) {
    const uint32_t i = last - back;
    const leaf_instruction *const load = &l->instructions[i];
    const uint8_t number = load->new_write < LEAF_NUMBERS ? (uint8_t)(1u << load->new_write) : 0;
    cycles += load->stall;
    if (cycles >= LEAST_CYCLES && load->meets_stack && (load->opcode & 0x1ff) == OP_LDCU && number & ~behind &&
        state->stands[load->write] >> load->new_write & 1 && leaf_is_used_from(l, i, last + 1))
      waits |= number;
    behind |= number;
  }
  return waits;
}

/* L1911: the highest number belongs to loads for other blocks where one is in the block, or pending at its start. */
bool tl_leaf_reserves(const leaf *l, uint32_t block) {
  const uint32_t begin = l->blocks[block].first;
  for (uint32_t i = begin; i < begin + l->blocks[block].count; i++) {
    const leaf_instruction *const at = &l->instructions[i];
    if (at->write < LEAF_NUMBERS &&
        (tl_leaf_is_texture(at->opcode) || (tl_leaf_is_long(at->opcode) && !tl_leaf_is_local(l, i, true))))
      return true;
  }
  return false;
}
