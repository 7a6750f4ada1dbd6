/* Which of several weak bodies stands, where the output's bytes do not say it: the same text in several files (V1 to V3).
 *
 * What is told of a body beside its text, frames and lines above all, is that of one file. A strong body stands; else the
 * one with the fewest registers (V2), of those the one of the highest virtual architecture, of those the first (V3, L790). */
#include "check_parts.h"

#include "ref_text.h"

#include <stdlib.h>
#include <string.h>

enum { REGCOUNT = 0x2f, REGISTERS_SHIFT = 24, OWNER_MASK = 0xffffff, NOTE_SM = 0x1a, NOTE_BYTES = 0x1c };

struct check_contest {
  const ref_check_link *link;
  uint32_t **registers;   /* of each input's symbols, by its records */
  uint16_t *architecture; /* of each input, the virtual one (F78) */
};

/* One body in the order in which a contest prefers: smaller is better. */
typedef struct contest_body {
  bool there, weak;
  uint32_t registers;
  uint16_t architecture;
} contest_body;

static void contest_read_registers(uint32_t *registers, const ref_cubin *cubin) {
  enum { RECORD_BYTES = 8 };
  for (size_t i = 1; i < cubin->section_count; i++) {
    ref_attribute attribute;
    uint64_t at = 0;
    while (cubin->sections[i].type == TYPE_INFO && ref_cubin_next_attribute(&cubin->sections[i], &at, &attribute)) {
      if (attribute.code == REGCOUNT && attribute.format == 4 && attribute.size == RECORD_BYTES &&
          ref_u32(attribute.data) < cubin->symbol_count) {
        registers[ref_u32(attribute.data)] = ref_u32(attribute.data + 4);
      }
    }
  }
}

check_contest *check_contest_make(const ref_check_link *link) {
  check_contest *contest = ref_allocate(1, sizeof *contest);
  contest->link = link;
  contest->registers = ref_allocate(link->input_count, sizeof *contest->registers);
  contest->architecture = ref_allocate(link->input_count, sizeof *contest->architecture);
  for (size_t i = 0; i < link->input_count; i++) {
    const ref_cubin *cubin = link->inputs[i].cubin;
    const uint32_t at = ref_cubin_find_section(cubin, ".note.nv.cuinfo");
    const ref_section *note =
        at < cubin->section_count ? &cubin->sections[at] : NULL; /* a file may have no section at all */
    contest->registers[i] = ref_allocate(cubin->symbol_count, sizeof **contest->registers);
    contest_read_registers(contest->registers[i], cubin);
    contest->architecture[i] =
        note != NULL && note->data != NULL && note->size >= NOTE_BYTES ? ref_u16(note->data + NOTE_SM) : 0;
  }
  return contest;
}

void check_contest_free(check_contest *contest) {
  for (size_t i = 0; i < contest->link->input_count; i++) {
    free(contest->registers[i]);
  }
  free(contest->registers);
  free(contest->architecture);
  free(contest);
}

static contest_body contest_body_of(const check_contest *contest, const check_piece *piece) {
  const ref_cubin *cubin = contest->link->inputs[piece->input].cubin;
  const uint32_t info = cubin->sections[piece->source].info, owner = info & OWNER_MASK;
  const ref_symbol *symbol = owner < cubin->symbol_count ? &cubin->symbols[owner] : NULL;
  if (symbol == NULL || (symbol->info & 15) != SYMBOL_FUNC || symbol->info >> 4 == BINDING_LOCAL) {
    return (contest_body){.there = false};
  }
  const uint32_t cached = info >> REGISTERS_SHIFT;
  return (contest_body){.there = true,
                        .weak = symbol->info >> 4 == BINDING_WEAK,
                        .registers = cached != 0 ? cached : contest->registers[piece->input][owner],
                        .architecture = contest->architecture[piece->input]};
}

static bool contest_is_better(const contest_body *a, const contest_body *b) {
  if (!b->there || !b->weak) {
    return !b->there;
  }
  if (!a->weak || a->registers != b->registers) {
    return !a->weak || a->registers < b->registers;
  }
  return a->architecture > b->architecture;
}

size_t check_contest_winner(const check_contest *contest, const check_piece *texts, size_t count) {
  contest_body best = {.there = false};
  size_t winner = count;
  for (size_t i = 0; i < count; i++) {
    const contest_body body = contest_body_of(contest, &texts[i]);
    if (body.there && contest_is_better(&body, &best)) {
      best = body;
      winner = i;
    }
  }
  return winner;
}
