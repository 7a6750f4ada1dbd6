/* User constants above 64 KB are laid out again: K1a, D64. */
#include "link.h"

#include <string.h>

enum { CONSTANT_LIMIT = 0x10000, LARGEST_ALIGN = 8, LARGEST_DECLARED = 1 << 30 };

/* The alignment that a variable was given: what its offset in its file's block and the block's alignment allow. */
static uint64_t ref_overflow_declared_align(const ref_link *link, const ref_out_symbol *symbol) {
  uint64_t align = 1;
  for (size_t i = 0; i < link->constant_block_count; i++) {
    const ref_constant_block *block = &link->constant_blocks[i];
    if (block->section == symbol->section && symbol->value >= block->offset &&
        symbol->value - block->offset < block->size) {
      const uint64_t offset = symbol->value - block->offset;
      while (align < block->align && align < LARGEST_DECLARED && offset % (align * 2) == 0) {
        align *= 2;
      }
    }
  }
  return align;
}

/* K1a; D64: nvlink forgets the declared alignment. */
static uint64_t ref_overflow_align(const ref_link *link, const ref_out_symbol *symbol) {
  const uint64_t align = symbol->size < LARGEST_ALIGN ? symbol->size : LARGEST_ALIGN;
  const uint64_t declared = link->job->bug_compatible ? 1 : symbol->auxiliary;
  return declared > align ? declared : align;
}

/* RF66: for the order only global variables have an alignment; local and weak ones have none, so they stand behind, the
 * smallest first. */
static uint64_t ref_overflow_rank(const ref_link *link, const ref_out_symbol *symbol) {
  return symbol->bind == REF_BIND_GLOBAL || !link->job->bug_compatible ? ref_overflow_align(link, symbol) : 0;
}

static int ref_overflow_compare(const ref_link *link, size_t a, size_t b) {
  const ref_out_symbol *first = &link->symbols[a], *second = &link->symbols[b];
  const uint64_t first_rank = ref_overflow_rank(link, first), second_rank = ref_overflow_rank(link, second);
  if (first_rank != second_rank) {
    return first_rank > second_rank ? -1 : 1;
  }
  return first->size < second->size ? -1 : first->size > second->size;
}

/* The variables in the reverse of the output's symbol order (W4.1), sorted. */
static ref_indices ref_overflow_order(ref_link *link, size_t section) {
  ref_indices list = {0};
  for (int local_list = 0; local_list <= 1; local_list++) {
    for (size_t i = link->symbol_count; i-- > 0;) {
      const ref_out_symbol *symbol = &link->symbols[i];
      if (symbol->section == section && symbol->type != REF_SYMBOL_SECTION && symbol->local_list == (local_list == 1)) {
        ref_indices_add(link, &list, i);
      }
    }
  }
  ref_sort_swapping(link, &list, ref_overflow_compare, REF_TIE_SECOND);
  return list;
}

/* Entries inside a variable's old bytes follow it. */
static void ref_overflow_move_entries(ref_link *link, size_t section, const ref_out_symbol *symbol, uint64_t place,
                                      bool *moved) {
  for (size_t i = 0; i < link->relocation_count; i++) {
    ref_out_relocation *entry = &link->relocations[i];
    if (!moved[i] && entry->target == section && entry->offset >= symbol->value &&
        entry->offset - symbol->value < symbol->size) {
      entry->offset = place + (entry->offset - symbol->value);
      moved[i] = true;
    }
  }
}

/* RF66: the section's alignment is the largest that the order saw. */
static void ref_overflow_lay_out(ref_link *link, size_t number, const ref_indices *list) {
  ref_out_section *section = &link->sections[number];
  ref_bytes image = {0};
  bool *moved = ref_memory_take(link, link->relocation_count + 1, sizeof *moved);
  for (size_t i = 0; i < list->count; i++) {
    ref_out_symbol *symbol = &link->symbols[list->items[i]];
    const uint64_t place = ref_align_up(image.size, ref_overflow_align(link, symbol));
    if (symbol->value > section->data.size || symbol->size > section->data.size - symbol->value) {
      ref_message_fatal(link, "D44", "variable '%s' lies outside section '%s'", symbol->name, section->name);
    }
    ref_bytes_fill(link, &image, (size_t)place);
    ref_bytes_add(link, &image, section->data.data + symbol->value, (size_t)symbol->size);
    ref_overflow_move_entries(link, number, symbol, place, moved);
    symbol->value = place;
  }
  section->data = image;
  section->size = image.size;
  if (link->job->bug_compatible) {
    section->align = list->count > 0 ? ref_overflow_rank(link, &link->symbols[list->items[0]]) : 0;
    section->align = section->align > 1 ? section->align : 1;
  } else {
    section->align = section->align > LARGEST_ALIGN ? section->align : LARGEST_ALIGN;
  }
}

/* E32 has the size of the second layout. D64: by default it keeps the alignments. */
void ref_overflow_user_constants(ref_link *link) {
  const size_t number = ref_map_find(&link->section_by_name, link->view->user_name);
  if (number == REF_NONE || link->sections[number].size <= CONSTANT_LIMIT) {
    return;
  }
  for (size_t i = 0; i < link->symbol_count && !link->job->bug_compatible; i++) {
    if (link->symbols[i].section == number) {
      link->symbols[i].auxiliary = ref_overflow_declared_align(link, &link->symbols[i]);
    }
  }
  const ref_indices list = ref_overflow_order(link, number);
  ref_overflow_lay_out(link, number, &list);
}
