/* Compiler constants of the Mercury view, said by the function that they are of (L992).
 *
 * A kernel's image holds the constants of each function that it reaches, all kernels' at one place, which the function's
 * loads say. In front of them a direct link leaves those of bodies that lost (D8), which a relocatable link has left out
 * (L292), so the place is a matter of order. A block is what a load says: the input's section of constants, at the place
 * in the load's field. It stands in an image if the image has the section's bytes there, and an entry wherever the section
 * has one; what these lead to is said. Everything else of an image is said word by word, at its place, and may be missing in
 * the second link (L680); a block may not. */
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

/* Whether the image has the bytes that the section has beside its entries, and entries of their types at their places. */
static bool block_stands(const canonical_context *context, const canonical_block *block, uint32_t image) {
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
        kept->items[k].relocation.type != wanted->type) {
      return false;
    }
  }
  return memcmp(section->data + block->offset, source->data, source->size) == 0;
}

bool canonical_block_add(canonical_context *context, uint32_t input, uint32_t source, uint64_t offset) {
  const canonical_block block = {.input = input, .source = source, .offset = offset};
  const ref_section *section = block_source(context, &block);
  bool stands = false;
  for (uint32_t i = 1; section->data != NULL && section->size > 0 && i < context->check.output->section_count; i++) {
    stands = stands || block_stands(context, &block, i);
  }
  for (size_t i = 0; i < context->block_count; i++) {
    const canonical_block *other = &context->blocks[i];
    if (other->offset == offset && other->input == input && other->source == source) {
      return stands;
    }
  }
  if (stands) {
    context->blocks = ref_reallocate(context->blocks, context->block_count + 1, sizeof *context->blocks);
    context->blocks[context->block_count++] = block;
  }
  return stands;
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
    const canonical_block *block = &context->blocks[i];
    const uint64_t size = block_source(context, block)->size;
    if (block_stands(context, block, image)) {
      char *label = ref_format("%s of %s", block_source(context, block)->name, context->view.sections[image]);
      canonical_say_bytes(context, label, image, block->offset, size);
      memset(covered + block->offset, 1, size);
      free(label);
    }
  }
  const size_t from = context->form->count;
  block_say_rest(context, image, covered);
  for (size_t i = from; i < context->form->count; i++) {
    context->form->lines[i].may_go = true;
  }
  free(covered);
}
