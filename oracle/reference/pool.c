/* User constants under -kernels-used and -variables-used: G7, G8, D52, D76. */
#include "link.h"

#include <string.h>

enum { POOL_LIMIT = 0x10000 };

typedef struct ref_pooled {
  const ref_constant_block *block;
  uint64_t position;
} ref_pooled;

/* A section of this bank that was damaged can be shorter in the output than it was in its file. */
static void ref_pool_check_block(ref_link *link, const ref_constant_block *block) {
  const ref_out_section *section = &link->sections[block->section];
  if (block->offset > section->data.size || block->size > section->data.size - block->offset) {
    ref_message_fatal(link, "D44", "a variable lies outside section '%s'", section->name);
  }
}

/* G7: 4 and 8 bytes only if they are not all 0. */
static bool ref_pool_may_share(const ref_link *link, const ref_constant_block *block) {
  const uint8_t *bytes = link->sections[block->section].data.data + block->offset;
  if (block->size > 8) {
    return true;
  }
  for (uint64_t i = 0; i < block->size; i++) {
    if (bytes[i] != 0) {
      return true;
    }
  }
  return false;
}

static const ref_pooled *ref_pool_find(const ref_link *link, const ref_pooled *pooled, size_t count,
                                       const ref_constant_block *block) {
  const uint8_t *bytes = link->sections[block->section].data.data;
  for (size_t i = 0; i < count; i++) {
    const ref_constant_block *other = pooled[i].block;
    if (other->size == block->size && other->align == block->align &&
        memcmp(bytes + other->offset, bytes + block->offset, (size_t)block->size) == 0) {
      return &pooled[i];
    }
  }
  return NULL;
}

/* The blocks in file order with a running position; an equal block takes no place (G8), the symbols do not follow. RF450: blocks that are laid
 * out again because they do not fit (K1a) are not pooled, and leave symbol 0 alone. */
void ref_pool_user_constants(ref_link *link) {
  ref_pooled *pooled = REF_TAKE(link, ref_pooled, link->constant_block_count);
  ref_bytes image = {0};
  size_t count = 0;
  if (!ref_options_restrict_kernels(link) || link->constant_block_count == 0) {
    return;
  }
  ref_out_section *section = &link->sections[link->constant_blocks[0].section];
  if (section->size > POOL_LIMIT) {
    return;
  }
  for (size_t i = 0; i < link->constant_block_count; i++) {
    const ref_constant_block *block = &link->constant_blocks[i];
    ref_pool_check_block(link, block);
    const bool takes = ref_constants_share_size(block->size, block->align);
    const ref_pooled *equal =
        takes && ref_pool_may_share(link, block) ? ref_pool_find(link, pooled, count, block) : NULL;
    if (equal != NULL) {
      link->null_symbol_value = block->has_symbol ? equal->position : link->null_symbol_value;
      continue;
    }
    const uint64_t position = ref_align_up(image.size, block->align);
    ref_bytes_fill(link, &image, (size_t)position);
    if (block->size != 0) { /* a section of no bytes has no data */
      ref_bytes_add(link, &image, link->sections[block->section].data.data + block->offset, (size_t)block->size);
    }
    if (takes) {
      link->null_symbol_value = position;
      pooled[count++] = (ref_pooled){block, position};
    }
  }
  if (link->job->bug_compatible) {
    section->data = image;
    section->size = image.size;
  }
}
