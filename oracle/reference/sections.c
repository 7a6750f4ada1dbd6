/* Creation of sections and symbols; their order is the order of everything (W1.4, W2.2, W4.1). RF769, RF834, RF1112. */
#include "link.h"

enum { FIXED_NAMES = 1, FIXED_STRINGS = 2, FIXED_SYMBOLS = 3 }; /* RF769: where they stand in every file */

static const char pool_name[] = ".nv_debug.shared";
static const char pool_beside[] = ".nv_debug.shared, beside constants"; /* what the module knows it by then */

size_t ref_symbol_add(ref_link *link, const char *name, uint8_t bind, uint8_t type, uint8_t other) {
  link->symbols =
      ref_memory_grow(link, link->symbols, link->symbol_count, &link->symbol_capacity, sizeof *link->symbols);
  link->symbols[link->symbol_count] = (ref_out_symbol){.name = name,
                                                       .bind = bind,
                                                       .type = type,
                                                       .other = other,
                                                       .local_list = bind != REF_BIND_GLOBAL,
                                                       .section = REF_NONE,
                                                       .mention_file = REF_NONE,
                                                       .definition_file = REF_NONE,
                                                       .function = REF_NONE,
                                                       .sections_before = link->section_count,
                                                       .dead_before = link->dead_globals};
  return link->symbol_count++;
}

/* RF769: a section's symbol that is none until an object lies in the section. */
size_t ref_symbol_add_later(ref_link *link, const char *name) {
  const size_t symbol = ref_symbol_add(link, name, REF_BIND_LOCAL, REF_SYMBOL_SECTION, 0);
  link->symbols[symbol].dropped = true;
  link->symbols[symbol].is_later = true;
  return symbol;
}

/* RF769: an object lies in a section that the output makes. */
void ref_section_show_symbol(ref_link *link, size_t number) {
  ref_out_section *section = &link->sections[number];
  if (section->symbol == REF_NONE && section->later_symbol != REF_NONE) {
    section->symbol = section->later_symbol;
    link->symbols[section->symbol].section = number;
    link->symbols[section->symbol].dropped = false;
    if (section->symbol < link->named_count) { /* RF1112: from now on it is found by its name */
      (void)ref_map_put(link, &link->first_by_name, section->name, section->symbol);
    }
  }
}

/* RF769: what the output makes, in front of what objects brought. */
void ref_section_set_own(ref_link *link, size_t number, ref_bytes own) {
  ref_out_section *section = &link->sections[number];
  section->brought = section->has_own ? section->brought : section->data;
  section->has_own = true;
  ref_bytes_add(link, &own, section->brought.data, section->brought.size);
  section->data = own;
  section->size = own.size;
}

/* RF769: the output's own section of names, or of symbols (RF834), of which nothing but its number is known here; REF_NONE for others. */
size_t ref_section_find_fixed(ref_link *link, const ref_section *input) {
  const bool names = REF_IS(input->name, ".shstrtab");
  const bool symbols = REF_IS(input->name, ".symtab");
  if (link->is_capsule || link->view->is_mercury || !(symbols || names || REF_IS(input->name, ".strtab"))) {
    return REF_NONE;
  }
  size_t number = ref_map_find(&link->section_by_name, input->name);
  if (number == REF_NONE) {
    number = ref_section_add_hidden(link, input->name, symbols ? REF_TYPE_SYMTAB : REF_TYPE_STRTAB, 0, 1, 0);
    ref_out_section *section = &link->sections[number];
    section->fixed_index = symbols ? FIXED_SYMBOLS : names ? FIXED_NAMES : FIXED_STRINGS;
    section->later_symbol = symbols ? link->symbols_symbol : names ? link->names_symbol : link->strings_symbol;
  }
  return number;
}

/* A block that is found by its name but never becomes a section: a device function's compiler constants (W10.2). */
size_t ref_section_add_hidden(ref_link *link, const char *name, uint32_t type, uint64_t flags, uint64_t align,
                              uint64_t entry_size) {
  link->sections =
      ref_memory_grow(link, link->sections, link->section_count, &link->section_capacity, sizeof *link->sections);
  link->sections[link->section_count] = (ref_out_section){.name = name,
                                                          .stem = name,
                                                          .type = type,
                                                          .flags = flags,
                                                          .align = align,
                                                          .entry_size = entry_size,
                                                          .symbol = REF_NONE,
                                                          .later_symbol = REF_NONE,
                                                          .info_section = REF_NONE,
                                                          .info_function = REF_NONE,
                                                          .target = REF_NONE,
                                                          .constant_owner = REF_NONE};
  (void)ref_map_put(link, &link->section_by_name, name, link->section_count);
  return link->section_count++;
}

size_t ref_section_add(ref_link *link, const char *name, uint32_t type, uint64_t flags, uint64_t align,
                       uint64_t entry_size) {
  ref_names_add_section(link, link->section_count, name);
  return ref_section_add_hidden(link, name, type, flags, align, entry_size);
}

/* W4.4 */
size_t ref_section_add_with_symbol(ref_link *link, const char *name, uint32_t type, uint64_t flags, uint64_t align,
                                   uint64_t entry_size) {
  const size_t section = ref_section_add(link, name, type, flags, align, entry_size);
  const size_t symbol = ref_symbol_add(link, name, REF_BIND_LOCAL, REF_SYMBOL_SECTION, 0);
  link->symbols[symbol].section = section;
  link->sections[section].symbol = symbol;
  return section;
}

/* One that the module knows by another name than its own, which another section has. */
size_t ref_section_add_known_as(ref_link *link, const char *known_as, const char *name, uint32_t type, uint64_t flags,
                                uint64_t align) {
  ref_names_add_section(link, link->section_count, name);
  const size_t section = ref_section_add_hidden(link, known_as, type, flags, align, 0);
  const size_t symbol = ref_symbol_add(link, name, REF_BIND_LOCAL, REF_SYMBOL_SECTION, 0);
  link->symbols[symbol].section = section;
  link->sections[section].symbol = symbol;
  link->sections[section].name = link->sections[section].stem = name;
  return section;
}

/* L1054, RF655: the pool of shared memory, or REF_NONE; constants can have its name, and so can what a file's section of that name became
 * for an object of another space. */
size_t ref_section_find_pool(const ref_link *link) {
  return link->pool == 0 ? REF_NONE : link->pool;
}

size_t ref_section_add_pool(ref_link *link, uint64_t align) {
  const bool is_taken = ref_map_find(&link->section_by_name, pool_name) != REF_NONE;
  link->pool = ref_section_add_known_as(link, is_taken ? pool_beside : pool_name, pool_name, REF_TYPE_SHARED,
                                        REF_FLAG_WRITE | REF_FLAG_ALLOC, align);
  return link->pool;
}

/* W3.6: returns the block's offset. C79: alignments are taken as they are; zero has no answer (D44). RF841: what has no bytes in the file may be
 * larger. */
uint64_t ref_section_append(ref_link *link, size_t number, const ref_section *input) {
  ref_out_section *section = &link->sections[number];
  if (input->align == 0) {
    ref_message_fatal(link, "D44", "section '%s' has alignment 0", input->name);
  }
  const uint64_t offset = ref_align_up(section->size, input->align);
  const uint64_t limit = (uint64_t)1 << (ref_section_type_has_bytes(section->type) ? 30 : 48);
  if (offset > limit || input->size > limit - offset) {
    ref_message_fatal(link, "D44", "section '%s' would have more than 1 GiB", input->name);
  }
  section->align = ref_larger(input->align, section->align);
  section->size = offset + input->size;
  section->parts++;
  if (ref_section_type_has_bytes(section->type)) {
    ref_bytes_fill(link, &section->data, (size_t)offset);
    if (input->data != NULL) {
      ref_bytes_add(link, &section->data, input->data, (size_t)input->size);
    }
    ref_bytes_fill(link, &section->data, (size_t)section->size);
  }
  return offset;
}
