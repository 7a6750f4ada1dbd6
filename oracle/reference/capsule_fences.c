/* Fences of leaf kernels: M44, RF234, RF238, RF246, RF273. In an executable of capsules alone a kernel that calls nothing loses the loads
 * that ptxas puts in front of a fence, which are never done, and the narrow fence in front of a wider one. Done to the objects
 * before they are linked, as the opposite is in capsule_exits.c. */
#include "capsule.h"

#include <string.h>

enum {
  INSTRUCTION = 16,
  OPCODE = 0x0fff,
  TRANSACTION_RECORD = 0x1b, /* second byte of a record */
  LOAD_SHARED = 0x984,
  FENCE = 0x992,
  ERROR_BARRIER = 0x9ab,
  CLUSTER_ERROR_BARRIER = 0x5ab,
  EXIT = 0x94d,
  COPY_TO_SHARED = 0xfae, /* LDGSTS */
  NOWHERE = 0xffff,       /* RZ twice: register and address */
  SASS_COUNT_BIT = 7,
  FEWEST_NOPS = 8,
  TEXT_UNIT = 8 /* instructions: 128 bytes */
};

#define NARROW_MASK UINT64_C(0xffffffffff)
#define NARROW UINT64_C(0x8000)

static const uint64_t NO_OPERATION[2] = {0x7918, 0x000fc00000000000};

typedef struct ref_fences {
  ref_link *link;
  const ref_section *text;
  const bool *goes; /* by instruction */
  ref_bytes sass, records;
  ref_moves moves;
} ref_fences;

static unsigned ref_fences_opcode(const ref_section *text, size_t number) {
  return ref_u16(text->data + number * INSTRUCTION) & OPCODE;
}

/* A kernel that calls nothing. */
static bool ref_fences_concern(const ref_cubin *cubin, const ref_section *text) {
  for (size_t i = 0; i < text->size / INSTRUCTION; i++) {
    if (ref_leaf_is_call(ref_fences_opcode(text, i))) {
      return false;
    }
  }
  return text->info < cubin->symbol_count && (cubin->symbols[text->info].other & REF_OTHER_ENTRY) != 0;
}

static bool ref_fences_is_idle(const ref_section *text, size_t number) {
  return ref_fences_opcode(text, number) == LOAD_SHARED && ref_u16(text->data + number * INSTRUCTION + 2) == NOWHERE;
}

static bool ref_fences_copies(const ref_section *text, size_t count) {
  size_t i = 0;
  while (i < count && ref_fences_opcode(text, i) != COPY_TO_SHARED) {
    i++;
  }
  return i < count;
}

/* RF273: whatever the SASS text makes of it, also arithmetic (mbarrier.pending_count). */
static bool ref_fences_has_transactions(const ref_section *capsule) {
  ref_capsule_step step;
  if (!ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return false;
  }
  while (ref_capsule_body_next(&step)) {
    if (step.end - step.record >= 2 && capsule->data[step.record + 1] == TRANSACTION_RECORD) {
      return true;
    }
  }
  return false;
}

static bool ref_fences_is_narrow(const ref_section *text, size_t number, size_t count) {
  const uint8_t *at = text->data + number * INSTRUCTION;
  return ref_fences_opcode(text, number) == FENCE && (ref_u64(at + 8) & NARROW_MASK) == NARROW && number + 1 < count &&
         ref_fences_opcode(text, number + 1) == FENCE;
}

/* L1833: SUST, formatted or not, and SURED: who stores to surfaces waits for memory before errors are reported. */
bool ref_fences_for_surfaces(const ref_section *text) {
  enum { BASE = 0x1ff, REDUCTION = 0x19f, STORE = 0x19d, FORMATTED_STORE = 0x19b };
  for (size_t i = 0; i < text->size / INSTRUCTION; i++) {
    const unsigned base = ref_fences_opcode(text, i) & BASE;
    if (base == REDUCTION || base == STORE || base == FORMATTED_STORE) {
      return true;
    }
  }
  return false;
}

/* RF314: what ptxas puts before an EXIT that makes errors visible; a kernel that calls nothing needs the two barriers alone. */
static bool ref_fences_is_of_errors(const ref_section *text, size_t number, size_t end) {
  return number + 3 < end && ref_fences_opcode(text, number) == FENCE &&
         ref_fences_opcode(text, number + 1) == ERROR_BARRIER &&
         ref_fences_opcode(text, number + 2) == CLUSTER_ERROR_BARRIER && ref_fences_opcode(text, number + 3) == EXIT;
}

/* RF1319: EXIT's own record makes it; a fence that the source has directly before EXIT has a record of its own, and stays. */
static void ref_fences_choose_of_errors(const ref_section *text, const ref_section *capsule, size_t count, bool *goes) {
  ref_capsule_step step;
  if (ref_fences_for_surfaces(text) || !ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return;
  }
  while (ref_capsule_body_next(&step)) {
    const size_t end =
        step.sass < count && step.sass_count <= count - step.sass ? (size_t)(step.sass + step.sass_count) : 0;
    for (size_t i = (size_t)step.sass; i < end; i++) {
      goes[i] = goes[i] || ref_fences_is_of_errors(text, i, end);
    }
  }
}

/* RF238: a kernel with LDGSTS keeps the loads, wherever they stand. RF246: one with barriers for transactions keeps the fences. */
static bool *ref_fences_choose(ref_link *link, const ref_section *text, const ref_section *capsule, bool *any) {
  const size_t count = (size_t)text->size / INSTRUCTION;
  const bool keeps_loads = ref_fences_copies(text, count), keeps_fences = ref_fences_has_transactions(capsule);
  bool *goes = REF_TAKE(link, bool, count);
  for (size_t i = 0; i < count; i++) {
    goes[i] = (ref_fences_is_idle(text, i) && !keeps_loads) || (ref_fences_is_narrow(text, i, count) && !keeps_fences);
  }
  ref_fences_choose_of_errors(text, capsule, count, goes);
  for (size_t i = 0; i < count; i++) {
    *any = *any || goes[i];
  }
  return goes;
}

/* The instructions of one step that stay; where others were, control goes to what follows. Returns how many stay. */
static unsigned ref_fences_copy(ref_fences *fences, const ref_capsule_step *step) {
  const size_t before = fences->sass.size / INSTRUCTION;
  for (size_t i = (size_t)step->sass; i < (size_t)(step->sass + step->sass_count); i++) {
    fences->moves.start[i] = fences->sass.size / INSTRUCTION;
    fences->moves.self[i] = fences->moves.start[i];
    if (!fences->goes[i]) {
      ref_bytes_add(fences->link, &fences->sass, fences->text->data + i * INSTRUCTION, INSTRUCTION);
    }
  }
  return (unsigned)(fences->sass.size / INSTRUCTION - before);
}

static void ref_fences_write_count(ref_fences *fences, const ref_capsule_step *step, unsigned count) {
  const unsigned low = step->data[step->at] & ((1u << SASS_COUNT_BIT) - 1), value = count << SASS_COUNT_BIT | low;
  const uint8_t record[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
  ref_bytes_add(fences->link, &fences->records, record, sizeof record);
}

/* RF71: how many instructions are left of it; one needs no count. */
static void ref_fences_write_step(ref_fences *fences, const ref_capsule_step *step) {
  const unsigned kept = ref_fences_copy(fences, step);
  if (step->derived || kept == step->sass_count) {
    ref_bytes_add(fences->link, &fences->records, step->data + step->at, step->end - step->at);
    return;
  }
  if (kept > 1) {
    ref_fences_write_count(fences, step, kept);
  }
  ref_bytes_add(fences->link, &fences->records, step->data + step->record, step->end - step->record);
}

/* The branch to itself and NOPs, as in capsule_exits.c. */
static void ref_fences_write_end(ref_fences *fences, const ref_capsule_step *step) {
  size_t nops = FEWEST_NOPS;
  while ((fences->sass.size / INSTRUCTION + 1 + nops) % TEXT_UNIT != 0) {
    nops++;
  }
  for (uint64_t i = 0; i < step->sass_count; i++) {
    fences->moves.start[step->sass + i] = fences->sass.size / INSTRUCTION + (size_t)i;
    fences->moves.self[step->sass + i] = fences->moves.start[step->sass + i];
  }
  ref_bytes_add(fences->link, &fences->sass, fences->text->data + step->sass * INSTRUCTION, INSTRUCTION);
  for (size_t i = 0; i < nops; i++) {
    ref_bytes_add_u64(fences->link, &fences->sass, NO_OPERATION[0]);
    ref_bytes_add_u64(fences->link, &fences->sass, NO_OPERATION[1]);
  }
  ref_fences_write_count(fences, step, (unsigned)nops + 1);
}

/* False where what goes is not part of what a record makes. */
static bool ref_fences_rebuild(ref_fences *fences, const ref_section *capsule, size_t *mask_end) {
  ref_capsule_step step;
  if (!ref_capsule_body_begin(capsule->data, (size_t)capsule->size, &step)) {
    return false;
  }
  *mask_end = step.end;
  while (ref_capsule_body_next(&step)) {
    if (step.sass_count == 0 || step.sass_count > fences->moves.count - step.sass ||
        (step.derived && fences->goes[step.sass])) {
      return false;
    }
    const bool nops = step.end - step.at == 2;
    if (nops && step.number + 1 == step.count) {
      ref_fences_write_end(fences, &step);
    } else {
      ref_fences_write_step(fences, &step);
    }
  }
  fences->moves.start[fences->moves.count] = fences->sass.size / INSTRUCTION;
  return step.number == step.count && step.sass == fences->moves.count;
}

static void ref_fences_edit(ref_link *link, ref_file *file, ref_section *capsule, uint32_t number) {
  ref_section *text = &file->whole.sections[number];
  size_t mask_end;
  bool any = false;
  ref_fences fences = {.link = link, .text = text};
  if (!ref_fences_concern(&file->whole, text)) {
    return;
  }
  fences.goes = ref_fences_choose(link, text, capsule, &any);
  fences.moves.count = (size_t)text->size / INSTRUCTION;
  fences.moves.start = REF_TAKE(link, size_t, fences.moves.count + 1);
  fences.moves.self = REF_TAKE(link, size_t, fences.moves.count);
  if (!any || !ref_fences_rebuild(&fences, capsule, &mask_end)) {
    return;
  }
  ref_bytes body = {0};
  ref_bytes_add(link, &body, capsule->data, mask_end);
  ref_bytes_add(link, &body, fences.records.data, fences.records.size);
  ref_moves_apply(link, file, number, capsule, &fences.moves, &fences.sass);
  text->data = fences.sass.data;
  text->size = fences.sass.size;
  capsule->data = body.data;
  capsule->size = body.size;
}

void ref_fences_drop(ref_link *link, ref_file *file) {
  if (link->is_capsule && !link->relocatable) {
    ref_moves_edit_texts(link, file, ref_fences_edit);
  }
}
