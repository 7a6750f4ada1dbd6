/* Which input each part of the output came from: texts section by section, variables symbol by symbol.
 *
 * Names decide where they can. Several input sections of one name (static functions, weak functions of several files) are
 * told apart by what the link cannot have changed: the bytes outside applied fields, then the relocations that were kept;
 * of sections that are equal in all of that the body that stands is taken (check_contest.c), or they are taken in input
 * order (W1.4, W3.1). */
#include "check_parts.h"

#include "ref_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct check_score {
  uint64_t bytes; /* that differ outside fields */
  uint64_t kept;  /* kept entries that this input does not explain */
  uint64_t loses; /* 0 for the body that stands */
  uint64_t taken;
} check_score;

static bool check_score_is_better(const check_score *a, const check_score *b) {
  if (a->bytes != b->bytes) {
    return a->bytes < b->bytes;
  }
  if (a->kept != b->kept) {
    return a->kept < b->kept;
  }
  return a->loses != b->loses ? a->loses < b->loses : a->taken < b->taken;
}

static int check_order_last_first(const void *a, const void *b) {
  const check_entry *const *x = a, *const *y = b;
  return (*x)->order > (*y)->order ? -1 : (*x)->order < (*y)->order;
}

check_chosen_entries check_piece_entries(const ref_check_context *context, const check_piece *piece) {
  const check_entries *all = check_entries_of(&context->entries[piece->input], piece->source);
  const size_t first = check_entries_from(all, piece->from);
  const size_t end = check_entries_from(all, piece->from + piece->size);
  const check_chosen_entries chosen = {ref_allocate(end - first, sizeof *chosen.items), end - first};
  for (size_t i = 0; i < chosen.count; i++) {
    chosen.items[i] = &all->items[first + i];
  }
  qsort(chosen.items, chosen.count, sizeof *chosen.items, check_order_last_first);
  return chosen;
}

const uint8_t *check_piece_made(const ref_check_context *context, const check_piece *piece) {
  return context->output->sections[piece->section].data + piece->offset;
}

const uint8_t *check_piece_source(const ref_check_context *context, const check_piece *piece) {
  return context->link->inputs[piece->input].cubin->sections[piece->source].data + piece->from;
}

uint8_t *check_piece_copy(const ref_check_context *context, const check_piece *piece) {
  uint8_t *copy = ref_allocate(piece->size, 1);
  memcpy(copy, check_piece_source(context, piece), piece->size);
  return copy;
}

/* A Mercury text begins with the number of a section of the other view, which every link gives anew (M9). */
static uint64_t check_score_from(const ref_check_context *context, const check_piece *piece) {
  enum { NUMBER_BYTES = 4 };
  return context->mercury && check_is_code(&context->output->sections[piece->section]) ? NUMBER_BYTES : 0;
}

static uint64_t check_score_bytes(const ref_check_context *context, const check_piece *piece) {
  const uint8_t *made = check_piece_made(context, piece);
  const check_chosen_entries entries = check_piece_entries(context, piece);
  uint8_t *expected = check_piece_copy(context, piece);
  for (size_t i = 0; i < entries.count; i++) {
    const ref_relocation *relocation = &entries.items[i]->relocation;
    check_copy_field(expected, made, piece->size, relocation->offset - piece->from, relocation->type);
  }
  uint64_t differing = 0;
  for (uint64_t i = check_score_from(context, piece); i < piece->size; i++) {
    differing += expected[i] != made[i];
  }
  free(expected);
  free(entries.items);
  return differing;
}

/* Entries of the input section that only the loader applies, where the output has none at all. */
static uint64_t check_score_gone(const ref_check_context *context, const check_piece *piece) {
  const check_entries *kept = check_entries_of(&context->kept, piece->section);
  const check_entries *given = check_entries_of(&context->entries[piece->input], piece->source);
  uint64_t gone = 0;
  for (size_t k = check_entries_from(given, piece->from);
       k < given->count && given->items[k].relocation.offset - piece->from < piece->size; k++) {
    const uint64_t at = given->items[k].relocation.offset - piece->from + piece->offset;
    const size_t i = check_entries_from(kept, at);
    gone += !check_type_is_applied(given->items[k].relocation.type) &&
            (i == kept->count || kept->items[i].relocation.offset != at);
  }
  return gone;
}

/* Kept entries of the piece without an input entry of that place, type and symbol name. */
static uint64_t check_score_kept(const ref_check_context *context, const check_piece *piece) {
  const ref_cubin *cubin = context->link->inputs[piece->input].cubin;
  const check_entries *kept = check_entries_of(&context->kept, piece->section);
  const check_entries *given = check_entries_of(&context->entries[piece->input], piece->source);
  uint64_t missing = 0;
  for (size_t i = check_entries_from(kept, piece->offset);
       i < kept->count && kept->items[i].relocation.offset - piece->offset < piece->size; i++) {
    const ref_relocation *out = &kept->items[i].relocation;
    const uint64_t at = out->offset - piece->offset + piece->from;
    bool found = false;
    for (size_t k = check_entries_from(given, at); k < given->count && given->items[k].relocation.offset == at; k++) {
      const ref_relocation *in = &given->items[k].relocation;
      found |= (in->type == out->type || check_type_rewritten(in->type) == out->type) &&
               in->symbol < cubin->symbol_count && out->symbol < context->output->symbol_count &&
               strcmp(cubin->symbols[in->symbol].name, context->output->symbols[out->symbol].name) == 0;
    }
    missing += !found;
  }
  return missing;
}

static void check_pieces_add(ref_check_context *context, check_piece piece) {
  if (context->piece_count == context->piece_capacity) {
    context->piece_capacity = context->piece_capacity == 0 ? 64 : 2 * context->piece_capacity;
    context->pieces = ref_reallocate(context->pieces, context->piece_capacity, sizeof *context->pieces);
  }
  context->pieces[context->piece_count++] = piece;
}

/* Among `count` candidates the best, of equal ones `winner`; `taken` has one byte a candidate. */
static void check_match_best(ref_check_context *context, check_piece piece, const check_piece *candidates, size_t count,
                             size_t winner, uint8_t *taken) {
  check_score best = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  size_t chosen = count;
  for (size_t i = 0; i < count; i++) {
    if (candidates[i].size != piece.size) {
      continue;
    }
    const check_score score = {check_score_bytes(context, &candidates[i]),
                               check_score_kept(context, &candidates[i]) + check_score_gone(context, &candidates[i]),
                               i != winner, taken[i]};
    if (check_score_is_better(&score, &best)) {
      best = score;
      chosen = i;
    }
  }
  piece.input = CHECK_NO_SOURCE;
  if (chosen < count) {
    piece = candidates[chosen];
    taken[chosen] = 1;
  }
  check_pieces_add(context, piece);
}

static void check_match_text(ref_check_context *context, const check_contest *contest, uint32_t index, uint8_t *taken) {
  const ref_section *section = &context->output->sections[index];
  const check_names names = check_names_find(&context->sections, section->name);
  check_piece *candidates = ref_allocate(names.count, sizeof *candidates);
  for (size_t i = 0; i < names.count; i++) {
    const check_name *name = &names.items[i];
    const ref_section *source = &context->link->inputs[name->input].cubin->sections[name->index];
    candidates[i] = (check_piece){.section = index,
                                  .input = name->input,
                                  .source = name->index,
                                  .size = check_is_code(source) ? source->size : UINT64_MAX};
  }
  check_match_best(context, (check_piece){.section = index, .size = section->size}, candidates, names.count,
                   check_contest_winner(contest, candidates, names.count),
                   taken + (names.items - context->sections.items));
  free(candidates);
}

/* A variable with bytes: the inputs' symbols of that name and size whose section holds them whole. */
static void check_match_variable(ref_check_context *context, uint32_t index, uint8_t *taken) {
  const ref_symbol *symbol = &context->output->symbols[index];
  const check_names names = check_names_find(&context->inputs, symbol->name);
  check_piece *candidates = ref_allocate(names.count, sizeof *candidates);
  const bool local = symbol->info >> 4 == BINDING_LOCAL;
  for (size_t i = 0; i < names.count; i++) {
    const ref_cubin *cubin = context->link->inputs[names.items[i].input].cubin;
    const ref_symbol *source = &cubin->symbols[names.items[i].index];
    const ref_section *section = check_symbol_section(cubin, source);
    const bool fits = section != NULL && section->data != NULL && source->value <= section->size &&
                      source->size <= section->size - source->value && !check_is_code(section) &&
                      (source->info >> 4 == BINDING_LOCAL) == local;
    candidates[i] = (check_piece){.section = symbol->section,
                                  .input = names.items[i].input,
                                  .source = source->section,
                                  .offset = symbol->value,
                                  .from = source->value,
                                  .size = fits ? source->size : UINT64_MAX};
  }
  check_match_best(context, (check_piece){.section = symbol->section, .offset = symbol->value, .size = symbol->size},
                   candidates, names.count, names.count, taken + (names.items - context->inputs.items));
  free(candidates);
}

static bool check_is_variable(const ref_cubin *cubin, const ref_symbol *symbol) {
  const ref_section *section = check_symbol_section(cubin, symbol);
  const unsigned type = symbol->info & 15;
  return section != NULL && section->data != NULL && (type == SYMBOL_OBJECT || type == SYMBOL_CUDA_OBJECT) &&
         !check_is_code(section) && symbol->size > 0 && symbol->value <= section->size &&
         symbol->size <= section->size - symbol->value &&
         (strcmp(section->name, ".nv.global.init") == 0 || strcmp(section->name, ".nv.constant3") == 0);
}

/* W3.6: the inputs' sections of one name behind each other, each at its own alignment. */
static void check_match_blocks(ref_check_context *context, uint32_t index) {
  const ref_section *section = &context->output->sections[index];
  const check_names names = check_names_find(&context->sections, section->name);
  uint64_t end = 0;
  for (size_t i = 0; i < names.count; i++) {
    const check_name *name = &names.items[i];
    const ref_section *source = &context->link->inputs[name->input].cubin->sections[name->index];
    const uint64_t align = source->align > 1 ? source->align : 1;
    const uint64_t start = end > UINT64_MAX - align ? UINT64_MAX : (end + align - 1) / align * align;
    if (!check_is_debug(source) || start > section->size || source->size > section->size - start) {
      continue;
    }
    context->blocks[name->input][name->index] = start;
    check_pieces_add(
        context,
        (check_piece){
            .section = index, .input = name->input, .source = name->index, .offset = start, .size = source->size});
    end = start + source->size;
  }
  if (end != section->size) {
    check_pieces_add(
        context, (check_piece){.section = index, .input = CHECK_NO_SOURCE, .offset = end, .size = section->size - end});
  }
}

static void check_blocks_make(ref_check_context *context) {
  context->blocks = ref_allocate(context->link->input_count, sizeof *context->blocks);
  for (size_t i = 0; i < context->link->input_count; i++) {
    const size_t count = context->link->inputs[i].cubin->section_count;
    context->blocks[i] = ref_allocate(count, sizeof **context->blocks);
    memset(context->blocks[i], 0xff, count * sizeof **context->blocks);
  }
}

static int check_order_pieces(const void *a, const void *b) {
  const check_piece *x = a, *y = b;
  if (x->section != y->section) {
    return x->section < y->section ? -1 : 1;
  }
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void check_match_make(ref_check_context *context) {
  check_blocks_make(context);
  uint8_t *taken_sections = ref_allocate(context->sections.count, 1);
  uint8_t *taken_symbols = ref_allocate(context->inputs.count, 1);
  check_contest *contest = check_contest_make(context->link);
  for (uint32_t i = 1; i < context->output->section_count; i++) {
    if (check_is_code(&context->output->sections[i]) && check_has_prefix(context->output->sections[i].name, ".text.")) {
      check_match_text(context, contest, i, taken_sections);
    } else if (check_is_debug(&context->output->sections[i])) {
      check_match_blocks(context, i);
    }
  }
  for (uint32_t i = 1; i < context->output->symbol_count; i++) {
    if (check_is_variable(context->output, &context->output->symbols[i])) {
      check_match_variable(context, i, taken_symbols);
    }
  }
  if (context->piece_count > 0) {
    qsort(context->pieces, context->piece_count, sizeof *context->pieces, check_order_pieces);
  }
  check_contest_free(contest);
  free(taken_sections);
  free(taken_symbols);
}

const check_piece *check_find_piece(const ref_check_context *context, uint32_t section, uint64_t offset) {
  size_t low = 0, high = context->piece_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const check_piece *piece = &context->pieces[middle];
    if (piece->section < section || (piece->section == section && piece->offset <= offset)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const check_piece *piece = low == 0 ? NULL : &context->pieces[low - 1];
  return piece != NULL && piece->section == section && offset - piece->offset < piece->size &&
                 piece->input != CHECK_NO_SOURCE
             ? piece
             : NULL;
}

void check_match_free(ref_check_context *context) {
  for (size_t i = 0; context->blocks != NULL && i < context->link->input_count; i++) {
    free(context->blocks[i]);
  }
  free(context->blocks);
  free(context->pieces);
  free(context->uses);
}
