/* Compiler constants of the Mercury view, said by the function that they are of (L992).
 *
 * A kernel's image holds the constants of each function that it reaches, all kernels' at one place, which the function's
 * loads say. In front of them a direct link leaves those of bodies that lost (D8), which a relocatable link has left out
 * (L292), so the place is a matter of order. A block is what a load says: the input's section of constants, at the place
 * in the load's field. It stands in an image if the image has the section's bytes there, and an entry wherever the section
 * has one; what these lead to is said, and none of it may be missing in the second link.
 *
 * What is in no block may be missing there (L680). Constants of an input whose body of the function is not the one that
 * stands are said by function, too, wherever they are found with all their entries (L993); the rest word by word, at its
 * place. */
#include "canonical_parts.h"

#include "ref_compare_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_WORD = 4 };

static const char block_image[] = ".nv.constant.optimizer.";

bool canonical_block_is_of(const ref_section *section) {
  return section != NULL && check_has_prefix(section->name, block_image);
}

static const ref_section *block_source(const canonical_context *context, const canonical_block *block) {
  return &context->check.link->inputs[block->input].cubin->sections[block->source];
}

/* Whether two entries, of an input and of the output, lead to one place of a function. */
static bool block_leads_alike(const canonical_context *context, uint32_t input, const ref_relocation *given,
                              const ref_relocation *kept) {
  const ref_cubin *from = context->check.link->inputs[input].cubin, *to = context->check.output;
  return given->addend == kept->addend && given->symbol < from->symbol_count && kept->symbol < to->symbol_count &&
         strcmp(from->symbols[given->symbol].name, to->symbols[kept->symbol].name) == 0;
}

/* A kernel's own constants stand in its own image alone; tables look alike wherever they stand (L1079). */
static bool block_is_elsewhere(const canonical_context *context, const canonical_block *block,
                               const ref_section *image) {
  const ref_cubin *cubin = context->check.link->inputs[block->input].cubin;
  const ref_section *source = block_source(context, block);
  for (uint32_t i = 1; i < cubin->symbol_count && strcmp(image->name, source->name) != 0; i++) {
    if (cubin->symbols[i].section == source->info && (cubin->symbols[i].other & OTHER_ENTRY) != 0) {
      return true;
    }
  }
  return false;
}

/* Whether the image has the bytes that the section has beside its entries, and entries of their types at their places; with
 * `exact` they lead where the section's do. */
static bool block_stands(const canonical_context *context, const canonical_block *block, uint32_t image, bool exact) {
  const ref_section *section = &context->check.output->sections[image], *source = block_source(context, block);
  if (!canonical_block_is_of(section) || section->data == NULL || block->offset > section->size ||
      source->size > section->size - block->offset) {
    return false;
  }
  const check_entries *given = check_entries_of(&context->check.entries[block->input], block->source);
  const check_entries *kept = check_entries_of(&context->check.kept, image);
  for (size_t i = 0; i < given->count; i++) {
    const ref_relocation *wanted = &given->items[i].relocation;
    const size_t k = check_entries_from(kept, block->offset + wanted->offset);
    if (k >= kept->count || kept->items[k].relocation.offset != block->offset + wanted->offset ||
        kept->items[k].relocation.type != wanted->type ||
        (exact && !block_leads_alike(context, block->input, wanted, &kept->items[k].relocation))) {
      return false;
    }
  }
  return memcmp(section->data + block->offset, source->data, source->size) == 0 &&
         !block_is_elsewhere(context, block, section);
}

bool canonical_block_add(canonical_context *context, uint32_t input, uint32_t source, uint64_t offset) {
  canonical_block block = {.input = input, .source = source, .offset = offset};
  const ref_section *section = block_source(context, &block);
  block.size = section->size;
  for (size_t i = 0; i < context->block_count; i++) {
    const canonical_block *other = &context->blocks[i];
    if (other->offset == offset && other->input == input && other->source == source) {
      return true;
    }
  }
  bool stands = false;
  for (uint32_t i = 1; section->data != NULL && !stands && i < context->check.output->section_count; i++) {
    stands = section->size > 0 && block_stands(context, &block, i, false);
  }
  if (stands) {
    context->blocks = ref_reallocate(context->blocks, context->block_count + 1, sizeof *context->blocks);
    context->blocks[context->block_count++] = block;
  }
  return stands;
}

/* Whether an input has constants of a function whose body in the output is another input's. */
static bool block_has_lost(const canonical_context *context, uint32_t input, const ref_section *section) {
  const ref_cubin *cubin = context->check.link->inputs[input].cubin;
  const ref_section *text = section->info < cubin->section_count ? &cubin->sections[section->info] : NULL;
  bool other = false;
  if (!canonical_block_is_of(section) || section->data == NULL || section->size == 0 || text == NULL ||
      !check_is_code(text)) {
    return false;
  }
  for (size_t i = 0; i < context->check.piece_count; i++) {
    const check_piece *piece = &context->check.pieces[i];
    if (piece->input == CHECK_NO_SOURCE ||
        strcmp(context->check.output->sections[piece->section].name, text->name) != 0) {
      continue;
    }
    if (piece->input == input) {
      return false;
    }
    other = true;
  }
  return other;
}

static bool block_is_free(const uint8_t *covered, uint64_t from, uint64_t size) {
  return memchr(covered + from, 1, size) == NULL;
}

static void block_say(canonical_context *context, const canonical_block *block, uint32_t image, const char *what,
                      uint8_t *covered) {
  const ref_section *source = block_source(context, block);
  char *label = ref_format("%s%s of %s", source->name, what, context->view.sections[image]);
  canonical_say_bytes(context, label, image, block->offset, block->size);
  memset(covered + block->offset, 1, block->size);
  free(label);
}

/* One that lost, at the first place that has it. */
static void block_say_lost(canonical_context *context, canonical_block block, uint32_t image, uint8_t *covered) {
  const uint64_t size = context->check.output->sections[image].size;
  for (; block.offset + block.size <= size; block.offset += BLOCK_WORD) {
    if (block_is_free(covered, block.offset, block.size) && block_stands(context, &block, image, true)) {
      block_say(context, &block, image, " that lost", covered);
      return;
    }
  }
}

/* The longest first: it may begin as a shorter one does. */
static int block_order(const void *a, const void *b) {
  const canonical_block *x = a, *y = b;
  if (x->size != y->size) {
    return x->size > y->size ? -1 : 1;
  }
  return x->input != y->input ? (x->input > y->input) - (x->input < y->input)
                              : (x->source > y->source) - (x->source < y->source);
}

static void block_say_losers(canonical_context *context, uint32_t image, uint8_t *covered) {
  canonical_block *lost = NULL;
  size_t count = 0;
  for (uint32_t i = 0; i < context->check.link->input_count; i++) {
    const ref_cubin *cubin = context->check.link->inputs[i].cubin;
    for (uint32_t k = 1; k < cubin->section_count; k++) {
      if (block_has_lost(context, i, &cubin->sections[k])) {
        lost = ref_reallocate(lost, count + 1, sizeof *lost);
        lost[count++] = (canonical_block){.input = i, .source = k, .size = cubin->sections[k].size};
      }
    }
  }
  if (count > 0) {
    qsort(lost, count, sizeof *lost, block_order);
  }
  for (size_t i = 0; i < count; i++) {
    block_say_lost(context, lost[i], image, covered);
  }
  free(lost);
}

/* What stands in no block. */
static void block_say_rest(canonical_context *context, uint32_t image, const uint8_t *covered) {
  const uint64_t size = context->check.output->sections[image].size;
  for (uint64_t at = 0, length; at < size; at += length) {
    length = 1;
    if (covered[at] != 0) {
      continue;
    }
    while (at + length < size && (at + length) % BLOCK_WORD != 0 && covered[at + length] == 0) {
      length++;
    }
    char *label = ref_format("%s+0x%" PRIx64, context->view.sections[image], at);
    canonical_say_bytes(context, label, image, at, length);
    free(label);
  }
}

void canonical_say_blocks(canonical_context *context, uint32_t image) {
  uint8_t *covered = ref_allocate(context->check.output->sections[image].size + 1, 1);
  for (size_t i = 0; i < context->block_count; i++) {
    if (block_stands(context, &context->blocks[i], image, false)) {
      block_say(context, &context->blocks[i], image, "", covered);
    }
  }
  const size_t from = context->form->count;
  block_say_losers(context, image, covered);
  block_say_rest(context, image, covered);
  for (size_t i = from; i < context->form->count; i++) {
    context->form->lines[i].may_go = true;
  }
  free(covered);
}
