/* The fields that a link applied, taken out of its bytes and said by type, target and addend.
 *
 * An executable no longer says what its fields mean: shared variables have no symbols, constants are offsets. So each field
 * is looked up in the inputs, in the piece that the output's bytes came from (oracle/check matches them). Kept entries
 * stay where they are: they are said from the output's own relocation sections. Rules: R1, R10, R12 to R29. */
#include "canonical_parts.h"

#include "ref_compare_parts.h"
#include "ref_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool site_is_kept(const canonical_context *context, const check_piece *piece, const ref_relocation *given) {
  const check_entries *kept = check_entries_of(&context->check.kept, piece->section);
  const uint64_t at = given->offset - piece->from + piece->offset;
  const size_t i = check_entries_from(kept, at);
  return i < kept->count && kept->items[i].relocation.offset == at;
}

void canonical_site_add(canonical_context *context, canonical_site site) {
  if (context->site_count == context->site_capacity) {
    context->site_capacity = context->site_capacity == 0 ? 256 : 2 * context->site_capacity;
    context->sites = ref_reallocate(context->sites, context->site_capacity, sizeof *context->sites);
  }
  context->sites[context->site_count++] = site;
}

/* The type as the formulas know it: of R_MERCURY types two write plain words of data (the code's fields lie in records:
 * canonical_records.c). */
static uint32_t site_type(const canonical_context *context, uint32_t section, uint32_t type) {
  enum { R_CUDA_32 = 1, R_CUDA_64 = 2, R_MERCURY_ABS64 = 0x10002, R_MERCURY_ABS32 = 0x10003 };
  const bool data = context->mercury && !check_is_code(&context->check.output->sections[section]);
  return data && type == R_MERCURY_ABS64 ? R_CUDA_64 : data && type == R_MERCURY_ABS32 ? R_CUDA_32 : type;
}

/* What the field holds as a place of the target's output section: S + A, as far as the field shows it. */
static uint64_t site_value(const canonical_context *context, const check_piece *piece, const check_entry *entry) {
  const check_formula formula = {.adds_old = false};
  const uint8_t *made = check_piece_made(&context->check, piece);
  uint64_t value = 0;
  check_solve_field(made, check_piece_source(&context->check, piece), piece->size,
                    entry->relocation.offset - piece->from, site_type(context, piece->section, entry->relocation.type),
                    &formula, &value);
  return value;
}

/* The name of a target that the output may not have any more; a local one with its size, to tell equal names apart. */
static void site_add_name(ref_text *text, const check_target *target) {
  const ref_symbol *symbol = target->symbol;
  const bool names_section = (symbol->info & 15) == SYMBOL_SECTION;
  ref_text_add_name(text, names_section && target->section != NULL ? target->section->name : symbol->name);
  if (symbol->info >> 4 == BINDING_LOCAL && !names_section) {
    ref_text_add(text, " of 0x%" PRIx64 " bytes", symbol->size);
  }
}

static bool site_is_constant(const ref_section *section) {
  return section != NULL && section->type >= TYPE_CONSTANT && section->type < TYPE_CONSTANT + 32;
}

/* True when the bits of this entry depend on where the link put things. */
static bool site_moves(const check_target *target) {
  const unsigned kind = target->symbol->info & 15, space = target->symbol->other & SPACE_MASK;
  if (kind == SYMBOL_SECTION) {
    return target->section != NULL && (site_is_constant(target->section) || check_is_debug(target->section) ||
                                       target->section->type == TYPE_SHARED);
  }
  return (kind >= SYMBOL_TEXTURE && kind <= SYMBOL_SURFACE) || site_is_constant(target->section) ||
         (kind != SYMBOL_FUNC && kind != SYMBOL_NOTYPE && space == SPACE_SHARED);
}

/* The input that the text of a function of that name came from, CHECK_NO_SOURCE where the output has none. */
static uint32_t site_body_input(const canonical_context *context, const char *name) {
  const check_names names = check_names_find(&context->check.symbols, name);
  for (size_t i = 0; i < names.count; i++) {
    const ref_symbol *symbol = &context->check.output->symbols[names.items[i].index];
    if ((symbol->info & 15) != SYMBOL_FUNC || symbol->info >> 4 == BINDING_LOCAL) {
      continue;
    }
    for (size_t k = 0; k < context->check.piece_count; k++) {
      if (context->check.pieces[k].section == symbol->section) {
        return context->check.pieces[k].input;
      }
    }
  }
  return CHECK_NO_SOURCE;
}

static size_t site_count_bodies(const canonical_context *context, const char *name) {
  size_t bodies = 0;
  const check_names names = check_names_find(&context->check.inputs, name);
  for (size_t i = 0; i < names.count; i++) {
    const check_name *place = &names.items[i];
    const ref_symbol *symbol = &context->check.link->inputs[place->input].cubin->symbols[place->index];
    bodies += symbol->section != 0 && (symbol->info & 15) == SYMBOL_FUNC && symbol->info >> 4 != BINDING_LOCAL;
  }
  return bodies;
}

/* Line tables of a capsule's SASS view are written anew, in the order of the output's symbols (M25), without those of such
 * bodies: what stands at an input's place is about another function. */
static bool site_is_of_remade_lines(const canonical_context *context, const ref_section *section) {
  return context->capsule != NULL && !context->mercury &&
         (strcmp(section->name, ".debug_line") == 0 || strcmp(section->name, ".nv_debug_line_sass") == 0);
}

/* The frames and lines of a body that another one took the place of describe nothing. How much of them nvlink cuts depends
 * on what was read before (W8.2, W8.3, W8.7), so their address and length are not said (L487). */
static bool site_make_gone(canonical_context *context, const check_piece *piece, const ref_relocation *given) {
  enum { FIELD_BYTES = 8 };
  const ref_cubin *input = context->check.link->inputs[piece->input].cubin;
  const ref_symbol *symbol = given->symbol < input->symbol_count ? &input->symbols[given->symbol] : NULL;
  const ref_section *section = &context->check.output->sections[piece->section];
  const uint64_t at = given->offset - piece->from + piece->offset;
  if (symbol == NULL || (symbol->info & 15) != SYMBOL_FUNC || symbol->section == 0 ||
      symbol->info >> 4 == BINDING_LOCAL || !check_is_about_code(section) ||
      site_is_of_remade_lines(context, section) || FIELD_BYTES > section->size - at ||
      site_count_bodies(context, symbol->name) < 2 || site_body_input(context, symbol->name) == piece->input) {
    return false;
  }
  canonical_site_add(
      context, (canonical_site){.section = piece->section, .offset = at, .text = ref_format("%s", ""), .gone = true});
  memset(context->masked[piece->section] + at, 0, FIELD_BYTES);
  return true;
}

bool canonical_site_is_gone(const canonical_context *context, uint32_t section, uint64_t offset) {
  const size_t i = canonical_sites_from(context, section, offset);
  return i < context->site_count && context->sites[i].section == section && context->sites[i].offset == offset &&
         context->sites[i].gone;
}

/* Code that reads compiler constants, its own or those of a function whose code it holds. */
static void site_note_reader(canonical_context *context, const check_piece *piece, const ref_relocation *given) {
  check_target target;
  if (check_target_of(&context->check, piece->input, given->symbol, &target) && target.section != NULL &&
      target.section->type == TYPE_CONSTANT + 2) {
    context->reads[piece->section] = true;
  }
}

/* What canonical_frames_point has said. */
static bool site_is_common_part(const canonical_context *context, const check_piece *piece,
                                const ref_relocation *given) {
  check_target target;
  return context->capsule != NULL &&
         strcmp(context->check.output->sections[piece->section].name, ".debug_frame") == 0 &&
         check_target_of(&context->check, piece->input, given->symbol, &target) &&
         (target.symbol->info & 15) == SYMBOL_SECTION && target.section != NULL &&
         strcmp(target.section->name, ".debug_frame") == 0;
}

static void site_make(canonical_context *context, const check_piece *piece, const check_entry *entry) {
  const ref_relocation *given = &entry->relocation;
  const uint32_t type = site_type(context, piece->section, given->type);
  check_target target;
  if (site_is_common_part(context, piece, given) || !check_type_is_applied(type) || given->type == 72 ||
      given->type == 73 || site_is_kept(context, piece, given) ||
      !check_target_of(&context->check, piece->input, given->symbol, &target) || !site_moves(&target)) {
    return;
  }
  canonical_site site = {.section = piece->section, .offset = given->offset - piece->from + piece->offset};
  ref_text text = {0};
  ref_add_relocation_type(&text, given->type);
  const bool by_section = (target.symbol->info & 15) == SYMBOL_SECTION;
  const uint32_t into =
      target.section != NULL ? ref_cubin_find_section(context->check.output, target.section->name) : 0;
  if (by_section && check_is_debug(target.section) && into != 0) {
    site.into = into;
    site.target = site_value(context, piece, entry);
  } else if (by_section && into != 0 && strcmp(target.section->name, ".nv.constant3") == 0) {
    ref_text_add(&text, " -> ");
    ref_add_place(&text, &context->view, into, site_value(context, piece, entry));
  } else {
    ref_text_add(&text, " -> ");
    site_add_name(&text, &target);
    ref_text_add(&text, " + 0x%" PRIx64, (uint64_t)given->addend);
  }
  site.text = ref_text_take(&text);
  canonical_site_add(context, site);
  const ref_section *section = &context->check.output->sections[piece->section];
  const check_formula nothing = {.adds_old = false};
  check_write_field(context->masked[piece->section], section->size, site.offset, type, &nothing);
}

static int site_order(const void *a, const void *b) {
  const canonical_site *x = a, *y = b;
  if (x->section != y->section) {
    return x->section < y->section ? -1 : 1;
  }
  if (x->offset != y->offset) {
    return x->offset < y->offset ? -1 : 1;
  }
  return strcmp(x->text, y->text);
}

/* Mercury's text begins with the number of its section of the SASS view (M9), which is said by name. */
static void site_make_text_number(canonical_context *context, uint32_t index) {
  enum { NUMBER_BYTES = 4 };
  const ref_section *section = &context->check.output->sections[index];
  if (!context->mercury || !check_is_code(section) || section->size < NUMBER_BYTES) {
    return;
  }
  const uint32_t number = ref_u32(section->data);
  ref_text text = {0};
  ref_text_add(&text, "SASS text: ");
  ref_text_add_name(&text, number < context->capsule->section_count ? context->capsule->sections[number].name : "none");
  canonical_site_add(context, (canonical_site){.section = index, .text = ref_text_take(&text)});
  memset(context->masked[index], 0, NUMBER_BYTES);
}

/* Frames of the SASS view are made anew (M24): where one lies at an input's place that is chance, and the input's entries say
 * nothing of it. */
static bool site_is_remade(const canonical_context *context, const check_piece *piece) {
  return context->capsule != NULL && !context->mercury &&
         strcmp(context->check.output->sections[piece->section].name, ".debug_frame") == 0;
}

void canonical_sites_make(canonical_context *context) {
  const ref_cubin *output = context->check.output;
  context->masked = ref_allocate(output->section_count, sizeof *context->masked);
  context->reads = ref_allocate(output->section_count, sizeof *context->reads);
  for (uint32_t i = 1; i < output->section_count; i++) {
    const ref_section *section = &output->sections[i];
    if (section->data != NULL) {
      context->masked[i] = ref_allocate(section->size, 1);
      memcpy(context->masked[i], section->data, section->size);
      canonical_frames_point(context, i);
      site_make_text_number(context, i);
    }
  }
  check_contest *contest = check_contest_make(context->check.link);
  for (size_t i = 0; i < context->check.piece_count; i++) {
    const check_piece *piece = &context->check.pieces[i];
    if (piece->input == CHECK_NO_SOURCE) {
      canonical_remade_make(context, contest, piece);
      continue;
    }
    if (site_is_remade(context, piece)) {
      continue;
    }
    const check_chosen_entries entries = check_piece_entries(&context->check, piece);
    for (size_t k = 0; k < entries.count; k++) {
      site_note_reader(context, piece, &entries.items[k]->relocation);
      if (!site_make_gone(context, piece, &entries.items[k]->relocation)) {
        site_make(context, piece, entries.items[k]);
      }
    }
    free(entries.items);
    canonical_records_make(context, piece);
  }
  check_contest_free(contest);
  if (context->site_count > 0) {
    qsort(context->sites, context->site_count, sizeof *context->sites, site_order);
  }
  for (size_t i = 0; i < context->site_count; i++) {
    context->form->fields += !context->sites[i].gone;
  }
}

size_t canonical_sites_from(const canonical_context *context, uint32_t section, uint64_t offset) {
  size_t low = 0, high = context->site_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const canonical_site *site = &context->sites[middle];
    if (site->section < section || (site->section == section && site->offset < offset)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void canonical_sites_free(canonical_context *context) {
  for (size_t i = 0; i < context->site_count; i++) {
    free(context->sites[i].text);
  }
  for (size_t i = 0; i < context->check.output->section_count; i++) {
    free(context->masked[i]);
  }
  free(context->sites);
  free(context->masked);
}
