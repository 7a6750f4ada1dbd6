/* Jump slots of unified functions in links of capsules: RF226. The linker joins the stubs of both views, 128 bytes each, and puts
 * them where the index file says; then the code is made anew. Of a stub its first six instructions stay, two more NOPs come behind
 * them, and one branch to itself ends all. So a slot has 128 bytes of SASS and 160 decoded ones, and what counts in slots of 128 was
 * right before it: the symbols lie in other slots (D11). */
#include "capsule.h"

#include <string.h>

enum {
  SLOT = 128,
  DECODED_SLOT = 160,
  INSTRUCTION = 16,
  KEPT = 6,  /* instructions of a stub */
  ADDED = 2, /* NOPs */
  CLOSING = 8,
  MASK_UNIT = 4,
  HEAD = 8, /* of a capsule, in front of the count */
  OPCODE = 0x0fff,
  CALL = 0x0943,
  BRANCH = 0x0947,
  RETURN = 0x0950,
  SCHEDULE_BIT = 40, /* of the high word: 24 bits */
  MIN_STACK_SIZE = 0x12,
  VRC_CTA_INIT = 0x4a,
  WORD_FORMAT = 2,
  STACK_AT = 8 /* of the record */
};

#define SCHEDULE_JUMP UINT64_C(0x000fea)
#define SCHEDULE_NEXT UINT64_C(0x000fe2)
#define SCHEDULE_WAIT UINT64_C(0x003fde) /* for all that came before */

static const uint64_t SELF_BRANCH[2] = {0xfffffffc00fc7947, 0x000fc0000383ffff};
static const uint64_t CLOSING_NOP[2] = {0x0000000000007918, 0x000fc00000000000};
static const uint64_t NOP[2] = {0x0000000000007918, 0};

typedef struct ref_slots {
  ref_capsule *capsule;
  ref_bytes mask, records, sass;
  size_t count; /* of decoded instructions */
} ref_slots;

/* The Mercury view of an executable: each stub's capsule takes a slot, so that the index file can move it. */
void ref_slots_make_room(ref_link *link, ref_section *stub) {
  if (stub->type != REF_TYPE_UFT || link->relocatable || stub->data == NULL) {
    return;
  }
  if (stub->size > SLOT) {
    ref_message_fatal(link, "RF226", "the capsule of '%s' has more than a jump slot's bytes", stub->name);
  }
  ref_bytes room = {0};
  ref_bytes_add(link, &room, stub->data, (size_t)stub->size);
  ref_bytes_fill(link, &room, SLOT);
  stub->data = room.data;
  stub->size = SLOT;
  stub->align = SLOT;
}

/* With -g each instruction waits for the one before it, otherwise none does, whatever the input says. */
static void ref_slots_schedule(const ref_link *link, uint8_t *instruction) {
  const unsigned opcode = ref_u16(instruction) & OPCODE;
  const bool jumps = opcode == CALL || opcode == BRANCH || opcode == RETURN;
  const uint64_t schedule = ref_options_keep_shared_symbols(link) ? SCHEDULE_WAIT
                            : jumps                               ? SCHEDULE_JUMP
                                                                  : SCHEDULE_NEXT;
  const uint64_t high = ref_u64(instruction + 8) & ((UINT64_C(1) << SCHEDULE_BIT) - 1);
  ref_put_u64(instruction + 8, high | schedule << SCHEDULE_BIT);
}

static void ref_slots_add_instruction(ref_slots *slots, const uint8_t *instruction, bool derived) {
  ref_link *link = slots->capsule->mercury;
  const size_t at = slots->sass.size;
  ref_bytes_add(link, &slots->sass, instruction, INSTRUCTION);
  ref_slots_schedule(link, slots->sass.data + at);
  ref_bytes_fill(link, &slots->mask, slots->count / 8 + 1);
  slots->mask.data[slots->count / 8] |= (uint8_t)((derived ? 1u : 0u) << slots->count % 8);
  slots->count++;
}

static void ref_slots_add_words(ref_link *link, ref_bytes *text, const uint64_t *words) {
  ref_bytes_add_u64(link, text, words[0]);
  ref_bytes_add_u64(link, text, words[1]);
}

_Noreturn static void ref_slots_refuse(ref_link *link) {
  ref_message_fatal(link, "RF226", "the capsule of a jump slot is damaged");
}

static void ref_slots_add_slot(ref_slots *slots, const uint8_t *body, const uint8_t *sass) {
  ref_link *link = slots->capsule->mercury;
  ref_capsule_step step;
  uint8_t nop[INSTRUCTION];
  if (!ref_capsule_body_begin(body, SLOT, &step) || step.count <= KEPT) {
    ref_slots_refuse(link);
  }
  for (size_t i = 0; i < KEPT; i++) {
    if (!ref_capsule_body_next(&step) || step.sass_count != 1) {
      ref_slots_refuse(link);
    }
    ref_slots_add_instruction(slots, sass + i * INSTRUCTION, step.derived);
    ref_bytes_add(link, &slots->records, body + step.at, step.end - step.at);
  }
  for (size_t i = 0; i < ADDED; i++) {
    ref_put_u64(nop, NOP[0]);
    ref_put_u64(nop + 8, NOP[1]);
    ref_slots_add_instruction(slots, nop, true);
  }
}

/* Behind the last slot. */
static void ref_slots_close(ref_slots *slots) {
  static const uint8_t record[] = {0x50, CLOSING >> 1};
  ref_link *link = slots->capsule->mercury;
  ref_slots_add_words(link, &slots->sass, SELF_BRANCH);
  for (size_t i = 1; i < CLOSING; i++) {
    ref_slots_add_words(link, &slots->sass, CLOSING_NOP);
  }
  slots->count++;
  ref_bytes_fill(link, &slots->mask, (size_t)ref_align_up((slots->count + 7) / 8, MASK_UNIT));
  ref_bytes_add(link, &slots->records, record, sizeof record);
}

static void ref_slots_make_table(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  ref_out_section *body = &link->sections[link->slot_section],
                  *text = &capsule->sass->sections[capsule->sass->slot_section];
  ref_slots slots = {.capsule = capsule};
  ref_bytes capsule_body = {0};
  if (body->data.size < SLOT) {
    ref_slots_refuse(link);
  }
  for (size_t i = 0; i < link->unified_functions.count; i++) {
    if (!link->unified_functions.items[i].found) {
      ref_message_fatal(link, "D20", "The index file has no place for a function of .nv.uft");
    }
  }
  for (uint64_t at = 0; at + SLOT <= body->data.size && at + SLOT <= text->data.size; at += SLOT) {
    ref_slots_add_slot(&slots, body->data.data + at, text->data.data + at);
  }
  ref_slots_close(&slots);
  ref_bytes_add(link, &capsule_body, body->data.data, HEAD);
  ref_bytes_add_u32(link, &capsule_body, (uint32_t)slots.count);
  ref_bytes_add(link, &capsule_body, slots.mask.data, slots.mask.size);
  ref_bytes_add(link, &capsule_body, slots.records.data, slots.records.size);
  capsule->slot_bytes = body->data.size;
  body->data = capsule_body;
  body->size = capsule_body.size;
  text->data = slots.sass;
  text->size = slots.sass.size;
}

/* With -r a stub is its own text: only its schedule is new. */
static void ref_slots_schedule_stubs(ref_capsule *capsule) {
  ref_link *sass = capsule->sass;
  for (size_t i = 0; i < sass->section_count; i++) {
    ref_out_section *section = &sass->sections[i];
    if (section->type != REF_TYPE_UFT) {
      continue;
    }
    for (size_t k = 0; k < KEPT && (k + 1) * INSTRUCTION <= section->data.size; k++) {
      ref_slots_schedule(sass, section->data.data + k * INSTRUCTION);
    }
  }
}

/* RF1260: a capsule in front of the first file of SASS kind is finalized by itself, and its stubs with it. */
void ref_slots_schedule_file(ref_link *link, ref_file *file) {
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    ref_section *stub = &file->whole.sections[i];
    if (stub->type != REF_TYPE_UFT || (stub->flags & REF_FLAG_EXEC) == 0 || stub->size != SLOT || stub->data == NULL) {
      continue;
    }
    ref_bytes code = {0};
    ref_bytes_add(link, &code, stub->data, SLOT);
    for (size_t k = 0; k < KEPT; k++) {
      ref_slots_schedule(link, code.data + k * INSTRUCTION);
    }
    stub->data = code.data;
  }
}

void ref_slots_make(ref_capsule *capsule) {
  if (capsule->mercury->relocatable) {
    ref_slots_schedule_stubs(capsule);
  } else if (capsule->mercury->slot_section != 0) {
    ref_slots_make_table(capsule);
  }
}

/* ZM3: Mercury's entries stand at decoded places. */
void ref_slots_move_entries(ref_capsule *capsule) {
  const ref_link *link = capsule->mercury;
  for (size_t i = 0; i < link->relocation_count; i++) {
    ref_out_relocation *entry = &link->relocations[i];
    if (entry->target == link->slot_section) { /* nothing is about section 0, a note */
      entry->offset = entry->offset / SLOT * DECODED_SLOT;
    }
  }
}

/* RF859: the SASS side's are made of those. */
ref_bytes ref_slots_entries(ref_capsule *capsule) {
  const ref_link *link = capsule->mercury;
  const ref_bytes *text = &capsule->sass->sections[capsule->sass->slot_section].data;
  ref_bytes output = {0};
  for (size_t i = link->relocation_count; i-- > 0;) {
    const ref_out_relocation *entry = &link->relocations[i];
    const uint64_t place = entry->offset / DECODED_SLOT * SLOT;
    const uint32_t type =
        entry->dropped || entry->target != link->slot_section ? 0 : ref_derived_sass_type(link, entry, text, place);
    if (type != 0) {
      ref_capsule_write_entry(capsule, &output, place, type, ref_symbol_index(link, entry->symbol), entry->addend);
    }
  }
  return output;
}

bool ref_slots_is_slot(const ref_capsule *capsule, size_t function) {
  return function != REF_NONE && capsule->mercury->functions[function].is_stub;
}

/* D11: the value is taken for a decoded place; by default the symbol is where the slot is. The last one and that at 0 end with the text. */
void ref_slots_place_symbol(const ref_capsule *capsule, size_t function, uint64_t *value, uint64_t *size) {
  const ref_link *link = capsule->mercury;
  const ref_out_symbol *symbol = &link->symbols[link->functions[function].symbol];
  const uint64_t text = capsule->sass->sections[capsule->sass->slot_section].data.size;
  if (!link->job->bug_compatible && symbol->value != 0) {
    *size = SLOT;
    return;
  }
  const ref_places places = ref_places_of_function(capsule, function);
  const uint64_t end = symbol->value + symbol->size;
  const bool open = symbol->value == 0 || end >= capsule->slot_bytes;
  *value = ref_places_find(&places, symbol->value) * INSTRUCTION;
  *size = (open ? text : ref_places_find(&places, end) * INSTRUCTION) - *value;
}

/* Only the frame of the slot at 0 is translated. */
bool ref_slots_keeps_frame(const ref_capsule *capsule, size_t function) {
  const ref_link *link = capsule->mercury;
  return ref_slots_is_slot(capsule, function) && link->symbols[link->functions[function].symbol].value != 0;
}

/* It ends where the symbol's decoded bytes do; 0: of what is no slot. */
uint64_t ref_slots_frame_range(const ref_capsule *capsule, size_t function) {
  if (!ref_slots_is_slot(capsule, function)) {
    return 0;
  }
  const uint64_t text = capsule->sass->sections[capsule->sass->slot_section].data.size;
  const ref_places places = ref_places_of_function(capsule, function);
  return capsule->slot_bytes == SLOT ? text : ref_places_find(&places, SLOT) * INSTRUCTION;
}

static bool ref_slots_is_stack(const ref_capsule *capsule, const ref_record *record) {
  return !record->dropped && record->code == MIN_STACK_SIZE && record->payload.size >= 8 &&
         record->symbols.items[0] != REF_NONE &&
         ref_slots_is_slot(capsule, capsule->mercury->symbols[record->symbols.items[0]].function);
}

/* The stack of the last slot's function, in the module's attributes; NULL: no slot has one. */
static const ref_record *ref_slots_last_stack(const ref_capsule *capsule) {
  const ref_link *link = capsule->mercury;
  const ref_record *last = NULL;
  for (size_t i = 0; i < link->module_output.count; i++) {
    const ref_record *record = &link->module_output.items[i];
    last = ref_slots_is_stack(capsule, record) ? record : last;
  }
  return last;
}

/* D115: on the SASS side the stack of every slot is that of the last one; by default each has its own. */
ref_bytes ref_slots_module_attributes(ref_capsule *capsule) {
  ref_link *link = capsule->mercury;
  const ref_record *last = link->job->bug_compatible ? ref_slots_last_stack(capsule) : NULL;
  const ref_record *const *stacks = ref_inner_list_stacks(link);
  ref_bytes output = {0};
  for (size_t i = 0; i < link->module_output.count; i++) {
    const ref_record *record = &link->module_output.items[i];
    const size_t at = output.size;
    if (!record->dropped && !ref_attribute_is_about_nothing(link, record)) {
      ref_record_write(link, record, &output);
      ref_inner_share_stack(link, stacks, record, output.data + at);
    }
    if (last != NULL && output.size != at && ref_slots_is_stack(capsule, record)) {
      memcpy(output.data + at + STACK_AT, last->payload.data + STACK_AT - 4, 4);
    }
  }
  return output;
}

/* So is VRC_CTA_INIT_COUNT in the attributes of one section, which are those of all slots; of a function with two it is the last in both modes (L727); `record` is what was written last. RF253:
 * of one that has words of EXTERNS behind it (RF157) their size. */
void ref_slots_share_count(const ref_capsule *capsule, size_t function, const ref_record *record, ref_bytes *output) {
  const ref_link *link = capsule->mercury;
  const ref_records *records = &link->functions[function].output_records;
  const size_t tail = 4 * record->tail.count;
  const bool own = !link->job->bug_compatible && ref_slots_is_slot(capsule, function); /* D115 */
  if (own || record->code != VRC_CTA_INIT || record->format != WORD_FORMAT) {
    return;
  }
  for (size_t i = 0; i < records->count; i++) {
    const ref_record *other = &records->items[i];
    if (!other->dropped && other->code == VRC_CTA_INIT && other->format == WORD_FORMAT) { /* L1733 */
      ref_put_u16(output->data + output->size - tail - 2, ref_record_value(other));
    }
  }
}
