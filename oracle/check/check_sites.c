/* The inherited invariants about places in code: relocation addresses, PC-relative targets, what is called. They hold for
 * an output when they hold for the inputs, so a kept entry is judged in the output, an applied one in its input. */
#include "check_parts.h"

#include "ref_names.h"
#include "ref_sass.h"

#include <inttypes.h>

static bool check_slot_is_good(const ref_section *section, const ref_relocation *relocation) {
  const ref_relocation_row *row = ref_find_relocation_row(relocation->type);
  unsigned bits = 1;
  for (size_t i = 0; row != NULL && i < REF_FIELDS_MAX && row->fields[i].width != 0; i++) {
    const unsigned end = (unsigned)row->fields[i].start + row->fields[i].width;
    bits = end > bits ? end : bits;
  }
  return relocation->offset <= section->size && (bits + 7) / 8 <= section->size - relocation->offset;
}

/* The text where it is wrong, or NULL. */
static const char *check_judge_address(const ref_cubin *cubin, const ref_section *section,
                                       const ref_relocation *relocation) {
  if (!check_is_code(section)) {
    return check_slot_is_good(section, relocation) ? NULL : "the field does not lie in the section";
  }
  ref_sass_site site;
  ref_sass_judge(&site, cubin, section, relocation->offset, relocation->type);
  return site.verdict == REF_SASS_SITE_GOOD || site.verdict == REF_SASS_SITE_UNKNOWN
             ? NULL
             : ref_sass_verdict_text(site.verdict);
}

/* Whether the input's entry at the place of a kept one is misplaced in the same way. */
static bool check_was_misplaced(const ref_check_context *context, uint32_t section, const ref_relocation *kept) {
  const check_piece *piece = check_find_piece(context, section, kept->offset);
  if (piece == NULL) {
    return false;
  }
  const ref_cubin *cubin = context->link->inputs[piece->input].cubin;
  const check_entries *given = check_entries_of(&context->entries[piece->input], piece->source);
  const uint64_t at = kept->offset - piece->offset + piece->from;
  for (size_t i = check_entries_from(given, at); i < given->count && given->items[i].relocation.offset == at; i++) {
    if (check_judge_address(cubin, &cubin->sections[piece->source], &given->items[i].relocation) != NULL) {
      return true;
    }
  }
  return false;
}

static bool check_is_kept(const ref_check_context *context, const check_piece *piece, const ref_relocation *given) {
  const check_entries *kept = check_entries_of(&context->kept, piece->section);
  const uint64_t at = given->offset - piece->from + piece->offset;
  for (size_t i = check_entries_from(kept, at); i < kept->count && kept->items[i].relocation.offset == at; i++) {
    if (check_type_rewritten(given->type) == check_type_rewritten(kept->items[i].relocation.type)) {
      return true;
    }
  }
  return false;
}

/* Applied entries are gone from the output: what the input says of their place is all there is. */
static void check_address_of_applied(ref_check_context *context, const check_piece *piece) {
  const ref_cubin *cubin = context->link->inputs[piece->input].cubin;
  const check_entries *given = check_entries_of(&context->entries[piece->input], piece->source);
  for (size_t k = check_entries_from(given, piece->from);
       k < given->count && given->items[k].relocation.offset - piece->from < piece->size; k++) {
    const ref_relocation *relocation = &given->items[k].relocation;
    const char *wrong = check_type_is_applied(relocation->type) && !check_is_kept(context, piece, relocation)
                            ? check_judge_address(cubin, &cubin->sections[piece->source], relocation)
                            : NULL;
    if (wrong != NULL) {
      check_found_inherited(context, piece->section, relocation->offset - piece->from + piece->offset, true,
                            "relocation type %u of '%s': %s", relocation->type,
                            context->link->inputs[piece->input].name, wrong);
    }
  }
}

void check_address(ref_check_context *context) {
  for (uint32_t i = 1; i < context->output->section_count; i++) {
    const check_entries *kept = check_entries_of(&context->kept, i);
    for (size_t k = 0; k < kept->count; k++) {
      const ref_relocation *relocation = &kept->items[k].relocation;
      const char *wrong = check_judge_address(context->output, &context->output->sections[i], relocation);
      if (wrong != NULL) {
        check_found_inherited(context, i, relocation->offset, check_was_misplaced(context, i, relocation),
                              "relocation type %u: %s", relocation->type, wrong);
      }
    }
  }
  for (size_t i = 0; i < context->piece_count; i++) {
    if (context->pieces[i].input != CHECK_NO_SOURCE) {
      check_address_of_applied(context, &context->pieces[i]);
    }
  }
}

/* A target that is no instruction of the section. */
static bool check_leaves(const ref_section *section, uint64_t at, unsigned sm, ref_sass_instruction *instruction,
                         int64_t *target) {
  ref_sass_decode(instruction, ref_sass_read(section->data + at), sm);
  return ref_sass_target(instruction, at, target) &&
         (*target < 0 || (uint64_t)*target >= section->size || *target % REF_SASS_BYTES != 0);
}

static bool check_left_before(const ref_check_context *context, uint32_t section, uint64_t at) {
  const check_piece *piece = check_find_piece(context, section, at);
  ref_sass_instruction instruction;
  int64_t target = 0;
  return piece != NULL && check_leaves(&context->link->inputs[piece->input].cubin->sections[piece->source], at,
                                       context->sm, &instruction, &target);
}

void check_same_section(ref_check_context *context) {
  for (uint32_t i = 1; i < context->output->section_count; i++) {
    const ref_section *section = &context->output->sections[i];
    for (uint64_t at = 0; check_is_code(section) && at + REF_SASS_BYTES <= section->size; at += REF_SASS_BYTES) {
      ref_sass_instruction instruction;
      int64_t target = 0;
      if (check_leaves(section, at, context->sm, &instruction, &target)) {
        check_found_inherited(context, i, at, check_left_before(context, i, at),
                              "%s to %s0x%" PRIx64 ", outside the section or inside an instruction",
                              instruction.row->name, target < 0 ? "-" : "",
                              target < 0 ? 0 - (uint64_t)target : (uint64_t)target);
      }
    }
  }
}

void check_call_targets(ref_check_context *context) {
  for (uint32_t i = 1; i < context->output->section_count; i++) {
    const check_entries *kept = check_entries_of(&context->kept, i);
    for (size_t k = 0; check_is_code(&context->output->sections[i]) && k < kept->count; k++) {
      const ref_relocation *relocation = &kept->items[k].relocation;
      ref_sass_site site;
      ref_sass_judge(&site, context->output, &context->output->sections[i], relocation->offset, relocation->type);
      const bool is_call = site.verdict == REF_SASS_SITE_GOOD && site.instruction.row->flow == REF_SASS_CALL;
      if (is_call && (relocation->symbol >= context->output->symbol_count ||
                      (context->output->symbols[relocation->symbol].info & 15) != SYMBOL_FUNC)) {
        check_found(context, i, relocation->offset, "a call of symbol %u, which is no function", relocation->symbol);
      }
    }
  }
}
