/* 65,280 sections and more: numbers that the header and the symbols have no room for stand elsewhere. X1-X3, D21, D30. */
#include "link.h"

enum { WORD = 4, BEFORE = 5 /* null, .shstrtab, .strtab, .symtab, .symtab_shndx */ };

/* RF177: counted are the sections that were made, be they written or not. */
bool ref_many_sections(const ref_link *link) {
  return !link->is_capsule && link->section_count + link->left_out.count + BEFORE >= REF_SECTION_RESERVED;
}

/* D30: the number that a section had when it was made; in an executable one is left out behind the first attributes. RF177: so is
 * one for the section that nvlink makes with a name of W2.5. */
size_t ref_many_first_number(const ref_link *link, size_t section) {
  const size_t last = link->compat_section == REF_NONE ? link->info_section : link->compat_section;
  size_t left_out = section > last && !link->relocatable;
  for (size_t i = 0; i < link->left_out.count && link->left_out.items[i] <= section; i++) {
    left_out++;
  }
  return section + BEFORE + left_out;
}

/* X2: `.symtab_shndx`, a word a symbol. */
ref_bytes ref_many_words(ref_link *link) {
  ref_bytes words = {0};
  ref_bytes_fill(link, &words, (size_t)link->output_symbol_count * WORD);
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->index == 0 || symbol->section == REF_NONE) {
      continue;
    }
    const uint32_t index = link->sections[symbol->section].index;
    const bool wide = index >= REF_SECTION_RESERVED && index != REF_SECTION_COMMON; /* D21 */
    ref_put_u32(words.data + (size_t)symbol->index * WORD,
                wide ? index : (uint32_t)ref_many_first_number(link, symbol->section));
  }
  return words;
}
