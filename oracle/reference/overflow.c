/* User constants above 64 KB are laid out again: K1a, D64, D101. */
#include "link.h"

#include <string.h>

enum { CONSTANT_LIMIT = 0x10000, LARGEST_ALIGN = 8, LARGEST_DECLARED = 1 << 30 };

/* The file's block that a variable begins in, or NULL. */
static const ref_constant_block *ref_overflow_block(const ref_link *link, const ref_out_symbol *symbol) {
  for (size_t i = 0; i < link->constant_block_count; i++) {
    const ref_constant_block *block = &link->constant_blocks[i];
    if (block->section == symbol->section && symbol->value >= block->offset &&
        symbol->value - block->offset < block->size) {
      return block;
    }
  }
  return NULL;
}

/* The alignment that a variable was given: what its offset in its file's block and the block's alignment allow. */
static uint64_t ref_overflow_declared_align(const ref_link *link, const ref_out_symbol *symbol) {
  const ref_constant_block *block = ref_overflow_block(link, symbol);
  uint64_t align = 1;
  while (block != NULL && align < block->align && align < LARGEST_DECLARED &&
         (symbol->value - block->offset) % (align * 2) == 0) {
    align *= 2;
  }
  return align;
}

/* K1a; D64: nvlink forgets the declared alignment. */
static uint64_t ref_overflow_align(const ref_link *link, const ref_out_symbol *symbol) {
  const uint64_t align = ref_smaller(symbol->size, LARGEST_ALIGN);
  const uint64_t declared = link->job->bug_compatible ? 1 : symbol->auxiliary;
  return ref_larger(declared, align);
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
    return ref_order(second_rank, first_rank);
  }
  return ref_order(first->size, second->size);
}

/* The variables in the reverse of the output's symbol order (W4.1), sorted. */
static ref_indices ref_overflow_order(ref_link *link, size_t section) {
  ref_indices list = {0};
  for (int local_list = 0; local_list <= 1; local_list++) {
    for (size_t i = link->symbol_count; i-- > 0;) {
      const ref_out_symbol *symbol = &link->symbols[i];
      if (symbol->section == section && symbol->type != REF_SYMBOL_SECTION && !symbol->dropped &&
          symbol->local_list == (local_list == 1)) {
        ref_indices_add(link, &list, i);
      }
    }
  }
  ref_sort_swapping(link, &list, ref_overflow_compare, REF_TIE_SECOND);
  return list;
}

/* RF122: a variable that begins in no file's block, or that has no size; in nvlink's order in both modes (RF611). */
static void ref_overflow_check(ref_link *link, const ref_indices *list) {
  for (size_t i = 0; i < list->count; i++) {
    const ref_out_symbol *symbol = &link->symbols[list->items[i]];
    if (ref_overflow_block(link, symbol) == NULL) {
      ref_message_fatal(link, "E63", "Internal error: reloc address not found");
    }
    if (symbol->size == 0) {
      ref_message_fatal(link, "RF122", "Internal error: should only reach here with no opt");
    }
  }
}

/* RF66: the section's alignment is the largest that the order saw. What runs past the end is an error if the rest would have
 * been linked (D44: nvlink takes foreign bytes). */
static void ref_overflow_lay_out(ref_link *link, size_t number, const ref_indices *list) {
  ref_out_section *section = &link->sections[number];
  ref_bytes image = {0};
  const char *outside = NULL;
  bool *moved = REF_TAKE(link, bool, link->relocation_count);
  for (size_t i = 0; i < list->count; i++) {
    ref_out_symbol *symbol = &link->symbols[list->items[i]];
    const uint64_t place = ref_align_up(image.size, ref_overflow_align(link, symbol));
    const uint64_t rest = symbol->value < section->data.size ? section->data.size - symbol->value : 0;
    const uint64_t inside = ref_smaller(symbol->size, rest);
    outside = inside < symbol->size ? symbol->name : outside;
    ref_bytes_fill(link, &image, (size_t)place);
    if (inside != 0) {
      ref_bytes_add(link, &image, section->data.data + symbol->value, (size_t)inside);
    }
    ref_bytes_fill(link, &image, (size_t)(place + symbol->size));
    ref_relocation_move_entries(link, number, symbol, place, moved);
    symbol->value = place;
  }
  if (outside != NULL && image.size <= CONSTANT_LIMIT) {
    ref_message_fatal(link, "D44", "variable '%s' lies outside section '%s'", outside, section->name);
  }
  section->data = image;
  section->size = image.size;
  section->align =
      list->count != 0 ? ref_overflow_rank(link, &link->symbols[list->items[0]]) : 0; /* RF895: in both modes */
  section->align = ref_larger(section->align, 1);
}

/* Is an element of the list a part of the name (D49)? */
static bool ref_overflow_is_wanted(const ref_link *link, const char *name) {
  return ref_options_list_has_part(link, REF_OPTION_VARIABLES_USED, name);
}

/* RF123: with -kernels-used or -variables-used only those constants are laid out again that an entry refers to or that are
 * named; the others go with their symbols and names, and so does the section if none is left. D101: where a local or weak one
 * is among those that stay, nvlink ends by a signal. */
static void ref_overflow_drop_unused(ref_link *link, size_t number) {
  bool *used = REF_TAKE(link, bool, link->symbol_count);
  bool any = false;
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    if (!entry->dropped && !link->sections[entry->target].dropped && entry->symbol != REF_NONE) {
      used[entry->symbol] = true;
    }
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->section != number || symbol->type == REF_SYMBOL_SECTION) {
      continue;
    }
    symbol->dropped = !used[i] && !ref_overflow_is_wanted(link, symbol->name);
    symbol->has_no_name = symbol->dropped;
    any = any || !symbol->dropped;
    if (!symbol->dropped && symbol->bind != REF_BIND_GLOBAL) {
      ref_message_fatal(link, "D101", "The local or weak constant '%s' stays among those that do not fit",
                        symbol->name);
    }
  }
  link->sections[number].deleted = !any;
  link->sections[number].dropped = !any;
}

/* How many variables that went have each byte of the section: their beginnings and ends, then the sums. */
static int64_t *ref_overflow_count_gone(ref_link *link, size_t number) {
  const uint64_t size = link->sections[number].data.size;
  int64_t *gone = REF_TAKE(link, int64_t, (size_t)size + 1);
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->section == number && symbol->dropped && symbol->value < size) {
      const uint64_t rest = size - symbol->value;
      gone[symbol->value]++;
      gone[symbol->value + ref_smaller(symbol->size, rest)]--;
    }
  }
  for (size_t i = 1; i <= size; i++) {
    gone[i] += gone[i - 1];
  }
  return gone;
}

/* D101: an address in the bytes of what went, with which nvlink ends by a signal or with E61. */
static void ref_overflow_check_entries(ref_link *link, size_t number) {
  const uint64_t size = link->sections[number].data.size;
  const int64_t *gone = ref_overflow_count_gone(link, number);
  for (size_t i = 0; i < link->relocation_count; i++) {
    const ref_out_relocation *entry = &link->relocations[i];
    if (entry->target == number && !entry->dropped && entry->offset < size && gone[entry->offset] > 0) {
      ref_message_fatal(link, "D101", "A constant that goes because those that stay do not fit holds an address");
    }
  }
}

/* E32 has the size of the second layout. D64: by default it keeps the alignments. */
void ref_overflow_user_constants(ref_link *link) {
  const size_t number = ref_map_find(&link->section_by_name, link->view->user_name);
  if (number == REF_NONE || link->sections[number].size <= CONSTANT_LIMIT) {
    return;
  }
  if (ref_options_restrict_kernels(link)) {
    ref_overflow_drop_unused(link, number);
    ref_overflow_check_entries(link, number);
  }
  const ref_indices checked = ref_overflow_order(link, number);
  ref_overflow_check(link, &checked);
  for (size_t i = 0; i < link->symbol_count && !link->job->bug_compatible; i++) {
    if (link->symbols[i].section == number) {
      link->symbols[i].auxiliary = ref_overflow_declared_align(link, &link->symbols[i]);
    }
  }
  const ref_indices list = ref_overflow_order(link, number);
  ref_overflow_lay_out(link, number, &list);
}
