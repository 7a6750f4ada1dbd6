/* What a SASS entry of a capsule is about whose symbol lies behind the table (RF577): the finalizer writes these entries from Mercury's, so
 * that it is what the entry of the same place among Mercury's is about. */
#include "link.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOL_PLACE = 12 }; /* in an entry */

static int ref_mercury_compare_offset(const void *left, const void *right) {
  const ref_relocation *a = left, *b = right;
  return ref_order(a->offset, b->offset);
}

/* Those of a section that have a counterpart on the other side, by place: memory that is reserved has none. */
static size_t ref_mercury_list_entries(ref_link *link, const ref_file *file, uint32_t table, const ref_cubin *mercury,
                                       ref_relocation **list) {
  const size_t count = ref_cubin_relocation_count(&file->whole, table);
  size_t listed = 0;
  *list = REF_TAKE(link, ref_relocation, count + 1);
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_relocation(&file->whole, table, i);
    const bool named = mercury != NULL && entry.symbol < mercury->symbol_count;
    if (!named || strncmp(mercury->symbols[entry.symbol].name, ".nv.reservedSmem.", 17) != 0) {
      (*list)[listed++] = entry;
    }
  }
  qsort(*list, listed, sizeof **list, ref_mercury_compare_offset);
  return listed;
}

/* The section of Mercury's entries beside a SASS one; 0: none. */
static uint32_t ref_mercury_table_beside(ref_link *link, const ref_file *file, uint32_t sass) {
  const uint32_t target = file->whole.sections[sass].info;
  if (target >= file->whole.section_count) {
    return 0;
  }
  const char *name = ref_memory_print(link, ".nv.merc.rela%s", file->whole.sections[target].name);
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    if (section->type == REF_TYPE_MERCURY_RELA && strcmp(section->name, name) == 0) {
      return i;
    }
  }
  return 0;
}

/* The number of a name among a view's symbols; 0: none. */
static uint32_t ref_mercury_find_name(const ref_cubin *cubin, const ref_symbol *wanted) {
  for (uint32_t i = 1; i < cubin->symbol_count; i++) {
    const ref_symbol *symbol = &cubin->symbols[i];
    if ((symbol->info & 15) == (wanted->info & 15) && strcmp(symbol->name, wanted->name) == 0) {
      return i;
    }
  }
  return 0;
}

/* The symbol of Mercury's entry in the place of `entry`, by its number on the SASS side; 0: it is not known. */
static uint32_t ref_mercury_symbol_beside(ref_link *link, const ref_file *file, uint32_t sass,
                                          const ref_relocation *entry) {
  const uint32_t table = ref_mercury_table_beside(link, file, sass);
  if (table == 0) {
    return 0;
  }
  const ref_cubin mercury = ref_view_of(link, &file->whole, true);
  ref_relocation *own, *others;
  const size_t count = ref_mercury_list_entries(link, file, sass, NULL, &own);
  if (count != ref_mercury_list_entries(link, file, table, &mercury, &others)) {
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    if (own[i].offset == entry->offset && own[i].symbol == entry->symbol) {
      const uint32_t symbol = others[i].symbol;
      return symbol < mercury.symbol_count ? ref_mercury_find_name(&file->whole, &mercury.symbols[symbol]) : 0;
    }
  }
  return 0;
}

/* The section's bytes with another symbol in one entry: the input's stay as they are. */
static void ref_mercury_rename_entry(ref_link *link, ref_section *section, size_t number, uint32_t symbol) {
  const size_t entry = section->type == REF_TYPE_RELA ? 24 : 16;
  uint8_t *copy = REF_TAKE(link, uint8_t, (size_t)section->size);
  memcpy(copy, section->data, (size_t)section->size);
  for (size_t i = 0; i < sizeof symbol; i++) {
    copy[number * entry + SYMBOL_PLACE + i] = (uint8_t)(symbol >> 8 * i);
  }
  section->data = copy;
}

static void ref_mercury_repair_table(ref_link *link, ref_file *file, uint32_t table) {
  for (size_t i = 0; i < ref_cubin_relocation_count(&file->whole, table); i++) {
    const ref_relocation entry = ref_cubin_relocation(&file->whole, table, i);
    const uint32_t symbol =
        entry.symbol < file->whole.symbol_count ? 0 : ref_mercury_symbol_beside(link, file, table, &entry);
    if (symbol != 0) {
      ref_mercury_rename_entry(link, &file->whole.sections[table], i, symbol);
    }
  }
}

void ref_mercury_repair_entries(ref_link *link, ref_file *file) {
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const uint32_t type = file->whole.sections[i].type;
    if (type == REF_TYPE_RELA || type == REF_TYPE_REL) {
      ref_mercury_repair_table(link, file, i);
    }
  }
}
