/* SASS entries of a capsule's code that damage has changed: the finalizer writes them from Mercury's. One whose symbol lies behind the table is
 * about what the entry of the same place among Mercury's is about, and the addend is Mercury's, but for places in code (RF577); one that has
 * none beside it counts for nothing (RF579). Which functions there are, which of them are kernels, and the size of what is mentioned
 * Mercury's symbols say, too (RF582), and where what is no function lies (RF680). */
#include "link.h"
#include "relocation_table.h"

#include <stdlib.h>
#include <string.h>

enum {
  SYMBOL_PLACE = 12, /* in an entry */
  ADDEND_PLACE = 16,
  WITH_ADDEND = 24,
  WITHOUT_ADDEND = 16,
  CODE_ALIGN = 128,
  BANK_ALIGN = 4,
  VISIBILITY = 3,
  BANK_FLAGS = 0x42 /* ALLOC and INFO_LINK */
};

static const char bank_prefix[] = ".nv.constant0."; /* of parameters */

typedef struct ref_mercury_entry {
  ref_relocation entry;
  size_t number; /* in its section */
} ref_mercury_entry;

/* A file, its Mercury view, sections by name, and the section whose bytes are a copy. */
typedef struct ref_mercury_pair {
  ref_link *link;
  ref_file *file;
  ref_cubin view;
  ref_map tables, sass;                                       /* sections of both sides */
  ref_map own_names, other_names, own_symbols, other_symbols; /* of both sides, by name, and by type and name */
  bool has_own_symbols, has_other_names, has_other_symbols;   /* somebody asked: mostly nobody does */
  ref_cubin before;      /* the SASS side's symbols before any of them is repaired */
  ref_map further_names; /* of the SASS side behind as many as Mercury's side has */
  uint32_t copied;
  uint8_t *copy;
  bool *used;        /* by section of Mercury's: a SASS one has been made from it */
  uint32_t *bank_of; /* by SASS text: the bank of parameters that is about it, or 0 */
} ref_mercury_pair;

static int ref_mercury_compare_offset(const void *left, const void *right) {
  const ref_mercury_entry *a = left, *b = right;
  return ref_order(a->entry.offset, b->entry.offset);
}

/* Memory that is reserved mostly has no entry on the SASS side, and where it has one that one is left alone. */
bool ref_mercury_has_counterpart(const ref_cubin *side, const ref_relocation *entry) {
  return entry->symbol >= side->symbol_count ||
         strncmp(side->symbols[entry->symbol].name, ".nv.reservedSmem.", 17) != 0;
}

/* Those that have a counterpart on the other side, by place. */
static ref_mercury_entry *ref_mercury_list(const ref_mercury_pair *pair, uint32_t table, bool is_mercury,
                                           size_t *listed) {
  const size_t count = ref_cubin_relocation_count(&pair->file->whole, table);
  ref_mercury_entry *list = REF_TAKE(pair->link, ref_mercury_entry, count + 1);
  *listed = 0;
  for (size_t i = 0; i < count; i++) {
    const ref_relocation entry = ref_cubin_relocation(&pair->file->whole, table, i);
    if (ref_mercury_has_counterpart(is_mercury ? &pair->view : &pair->file->whole, &entry)) {
      list[(*listed)++] = (ref_mercury_entry){entry, i};
    }
  }
  qsort(list, *listed, sizeof *list, ref_mercury_compare_offset);
  return list;
}

/* The section of Mercury's entries beside a SASS one; 0: none. */
static uint32_t ref_mercury_table_beside(const ref_mercury_pair *pair, uint32_t sass) {
  const ref_cubin *whole = &pair->file->whole;
  const uint32_t type = whole->sections[sass].type, target = whole->sections[sass].info;
  if ((type != REF_TYPE_RELA && type != REF_TYPE_REL) || target >= whole->section_count) {
    return 0;
  }
  const char *name = ref_memory_join(pair->link, ".nv.merc.rela", whole->sections[target].name);
  const size_t found = ref_map_find(&pair->tables, name);
  return found == REF_NONE ? 0 : (uint32_t)found;
}

/* By type and name, for a view's symbols: the first one's number. */
static const char *ref_mercury_key(ref_link *link, const ref_symbol *symbol) {
  const char type[] = {(char)('a' + (symbol->info & 15)), 0};
  return ref_memory_join(link, type, symbol->name);
}

static void ref_mercury_list_names(ref_link *link, const ref_cubin *cubin, ref_map *names) {
  for (size_t i = cubin->symbol_count; i-- > 1;) {
    ref_map_set(link, names, cubin->symbols[i].name, i);
  }
}

static void ref_mercury_list_symbols(ref_link *link, const ref_cubin *cubin, ref_map *symbols) {
  for (size_t i = cubin->symbol_count; i-- > 1;) {
    ref_map_set(link, symbols, ref_mercury_key(link, &cubin->symbols[i]), i);
  }
}

/* The number of a name among a view's symbols; 0: none. */
static uint32_t ref_mercury_find_name(ref_link *link, const ref_map *symbols, const ref_symbol *wanted) {
  const size_t found = ref_map_find(symbols, ref_mercury_key(link, wanted));
  return found == REF_NONE ? 0 : (uint32_t)found;
}

/* The same among the SASS side's, as they were. */
static uint32_t ref_mercury_find_own(ref_mercury_pair *pair, const ref_symbol *wanted) {
  if (!pair->has_own_symbols) {
    pair->has_own_symbols = true;
    ref_mercury_list_symbols(pair->link, &pair->before, &pair->own_symbols);
  }
  return ref_mercury_find_name(pair->link, &pair->own_symbols, wanted);
}

static size_t ref_mercury_entry_bytes(const ref_section *section) {
  return section->type == REF_TYPE_RELA ? WITH_ADDEND : WITHOUT_ADDEND;
}

/* The input's bytes stay as they are. */
static uint8_t *ref_mercury_copy(ref_mercury_pair *pair, uint32_t table) {
  ref_section *section = &pair->file->whole.sections[table];
  if (pair->copied != table) {
    pair->copied = table;
    pair->copy = REF_TAKE(pair->link, uint8_t, (size_t)section->size);
    memcpy(pair->copy, section->data, (size_t)section->size);
    section->data = pair->copy;
  }
  return pair->copy;
}

static bool ref_mercury_is_alike(const ref_mercury_pair *pair, const ref_relocation *own, const ref_relocation *other) {
  const ref_cubin *sass = &pair->file->whole, *mercury = &pair->view;
  return own->symbol < sass->symbol_count && other->symbol < mercury->symbol_count &&
         strcmp(sass->symbols[own->symbol].name, mercury->symbols[other->symbol].name) == 0;
}

/* A function's own place, or one of data: a place in code is not the same on both sides. */
static bool ref_mercury_shares_addend(const ref_mercury_pair *pair, const ref_relocation *own,
                                      const ref_relocation *other) {
  const bool return_address = other->type == REF_MERCURY_RETURN_LOW || other->type == REF_MERCURY_RETURN_HIGH;
  if (return_address || !ref_mercury_is_alike(pair, own, other)) {
    return false;
  }
  const ref_symbol *symbol = &pair->file->whole.symbols[own->symbol];
  const bool function = (symbol->info & 15) == REF_SYMBOL_FUNC || (symbol->info & 15) == REF_SYMBOL_SECTION;
  return !function || ((symbol->info & 15) == REF_SYMBOL_FUNC && other->addend == 0);
}

/* RF577 */
static void ref_mercury_repair_entry(ref_mercury_pair *pair, uint32_t table, const ref_mercury_entry *own,
                                     const ref_relocation *other, bool is_code) {
  const ref_section *section = &pair->file->whole.sections[table];
  const size_t at = own->number * ref_mercury_entry_bytes(section);
  if (own->entry.symbol >= pair->file->whole.symbol_count && other->symbol < pair->view.symbol_count) {
    const uint32_t symbol = ref_mercury_find_own(pair, &pair->view.symbols[other->symbol]);
    if (symbol != 0) {
      ref_put_u32(ref_mercury_copy(pair, table) + at + SYMBOL_PLACE, symbol);
    }
    return;
  }
  if (is_code && section->type == REF_TYPE_RELA && own->entry.addend != other->addend &&
      ref_mercury_shares_addend(pair, &own->entry, other)) {
    ref_put_u64(ref_mercury_copy(pair, table) + at + ADDEND_PLACE, (uint64_t)other->addend);
  }
}

/* RF579: both lists are in the order of places; those that are left out have no entry beside them. */
static void ref_mercury_remove_others(ref_mercury_pair *pair, uint32_t table, const ref_mercury_entry *own,
                                      size_t count, const ref_mercury_entry *others, size_t other_count) {
  ref_section *section = &pair->file->whole.sections[table];
  const size_t bytes = ref_mercury_entry_bytes(section);
  const size_t total = ref_cubin_relocation_count(&pair->file->whole, table);
  bool *known = REF_TAKE(pair->link, bool, total + 1);
  size_t matched = 0, kept = 0;
  for (size_t i = 0; i < total; i++) {
    const ref_relocation entry = ref_cubin_relocation(&pair->file->whole, table, i);
    known[i] = !ref_mercury_has_counterpart(&pair->file->whole, &entry);
  }
  for (size_t i = 0; i < count && matched < other_count; i++) {
    known[own[i].number] = ref_mercury_is_alike(pair, &own[i].entry, &others[matched].entry);
    matched += known[own[i].number];
  }
  if (matched != other_count) {
    return;
  }
  uint8_t *copy = ref_mercury_copy(pair, table);
  for (size_t i = 0; i < total; i++) {
    if (known[i]) {
      memmove(copy + kept++ * bytes, copy + i * bytes, bytes);
    }
  }
  section->size = kept * bytes;
}

const ref_section *ref_mercury_body_beside(const ref_cubin *cubin, uint32_t text, uint32_t number) {
  const ref_section *body = number < cubin->section_count ? &cubin->sections[number] : NULL;
  const bool is_body = body != NULL && body->type == REF_TYPE_CAPSULE_TEXT && body->data != NULL && body->size >= 4;
  return is_body && text < cubin->section_count && cubin->sections[text].data != NULL && ref_u32(body->data) == text
             ? body
             : NULL;
}

/* Is a section of Mercury's about the capsule of this text? Each makes one SASS section, so that many of a name cost no more. */
static bool ref_mercury_take(const ref_mercury_pair *pair, uint32_t text, size_t beside) {
  const ref_cubin *whole = &pair->file->whole;
  if (pair->used[beside] || ref_mercury_body_beside(whole, text, whole->sections[beside].info) == NULL) {
    return false;
  }
  pair->used[beside] = true;
  return true;
}

/* RF1180: whose attributes count for a bank: of the kernel that it is called after, or else of the text that it is about. */
static const char *ref_mercury_kernel_of_bank(const ref_mercury_pair *pair, const ref_section *bank, const char *name) {
  static const char text[] = ".text.";
  const ref_cubin *whole = &pair->file->whole;
  const char *about = bank->info < whole->section_count ? whole->sections[bank->info].name : "";
  const bool known = ref_map_find(&pair->tables, ref_memory_join(pair->link, ".nv.merc.nv.info.", name)) != REF_NONE;
  return known || strncmp(about, text, sizeof text - 1) != 0 ? name : about + sizeof text - 1;
}

/* RF682, RF862: a kernel's parameters have the size that Mercury's records say, none where there are none; a table of textures lies behind them. */
static void ref_mercury_repair_bank(const ref_mercury_pair *pair, ref_section *bank) {
  if (bank->type != REF_TYPE_CONSTANT || strncmp(bank->name, bank_prefix, sizeof bank_prefix - 1) != 0) {
    return;
  }
  ref_link *link = pair->link;
  const char *kernel = ref_mercury_kernel_of_bank(pair, bank, bank->name + sizeof bank_prefix - 1);
  const char *table = ref_memory_join(link, ".nv.merc.nv.constant.entry_image_header_indices.", kernel);
  const char *attributes = ref_memory_join(link, ".nv.info.", kernel);
  const size_t mercury = ref_map_find(&pair->tables, ref_memory_join(link, ".nv.merc", attributes));
  const size_t beside = mercury == REF_NONE ? ref_map_find(&pair->sass, attributes) : mercury; /* RF1249 */
  if (ref_map_find(&pair->tables, table) == REF_NONE) {                                        /* RF825 */
    bank->align = BANK_ALIGN;
    bank->flags = (bank->flags & REF_FLAG_EXEC) | BANK_FLAGS;
  }
  const uint32_t said =
      beside == REF_NONE ? REF_NO_PARAMETERS : ref_mercury_parameters(&pair->file->whole.sections[beside]);
  if (said != REF_UNKNOWN_PARAMETERS && ref_map_find(&pair->tables, table) == REF_NONE && bank->data != NULL) {
    bank->size = REF_BANK_RESERVED + (said == REF_NO_PARAMETERS ? 0 : said); /* RF817: all zero; RF1070: not cut */
    bank->data = REF_TAKE(link, uint8_t, (size_t)bank->size);
  }
}

/* RF809: the compiler's constants are made of Mercury's. */
static void ref_mercury_repair_constants(const ref_mercury_pair *pair, ref_section *constants) {
  const char *prefix = ref_view_sass.optimizer_prefix;
  if (constants->type != ref_view_sass.optimizer_type || strncmp(constants->name, prefix, strlen(prefix)) != 0) {
    return;
  }
  const char *function = constants->name + strlen(prefix);
  const ref_cubin *whole = &pair->file->whole;
  const size_t beside = ref_map_find(
      &pair->tables, ref_memory_print(pair->link, ".nv.merc%s%s", ref_view_mercury.optimizer_prefix, function));
  const size_t table = ref_map_find(
      &pair->tables, ref_memory_print(pair->link, ".nv.merc.rela%s%s", ref_view_mercury.optimizer_prefix, function));
  const size_t attributes = ref_map_find(&pair->tables, ref_memory_join(pair->link, ".nv.merc.nv.info.", function));
  if (beside != REF_NONE && whole->sections[beside].type == REF_TYPE_CONSTANT_OPTIMIZER &&
      ref_mercury_take(pair, constants->info, beside)) {
    ref_mercury_derive_constants(pair->link, whole,
                                 &(ref_mercury_constants){(uint32_t)beside, table == REF_NONE ? 0 : (uint32_t)table,
                                                          attributes == REF_NONE ? 0 : (uint32_t)attributes,
                                                          &pair->view, &pair->own_names},
                                 constants);
  }
}

/* RF998: of several symbols of the name the first one behind as many as Mercury has. */
static size_t ref_mercury_find_bank(const ref_mercury_pair *pair, const char *name) {
  const size_t further = ref_map_find(&pair->further_names, name);
  return further == REF_NONE ? ref_map_find(&pair->own_names, name) : further;
}

/* The symbol of a section of parameters, whatever its type and section say (RF878): there is none on Mercury's side. */
static size_t ref_mercury_bank_symbol(const ref_mercury_pair *pair, const char *name) {
  const ref_cubin *whole = &pair->file->whole;
  const size_t section = ref_map_find(&pair->sass, name), found = ref_mercury_find_bank(pair, name);
  if (found != REF_NONE && section != REF_NONE && section <= UINT16_MAX) {
    ref_symbol *symbol = &whole->symbols[found];
    symbol->info = (uint8_t)((symbol->info & 0xf0) | REF_SYMBOL_SECTION);
    symbol->section = symbol->raw_section = (uint16_t)section;
  }
  return found;
}

/* RF682: the section of Mercury's attributes beside a SASS one. */
static void ref_mercury_repair_attributes(const ref_mercury_pair *pair, ref_section *section) {
  static const char prefix[] = ".nv.info.";
  if (section->type != REF_TYPE_INFO || strncmp(section->name, prefix, sizeof prefix - 1) != 0) {
    return;
  }
  const char *function = section->name + sizeof prefix - 1;
  const size_t beside = ref_map_find(&pair->tables, ref_memory_join(pair->link, ".nv.merc", section->name));
  if (beside != REF_NONE && ref_mercury_take(pair, section->info & REF_TEXT_OF_INFO, beside)) {
    const ref_section *mercury = &pair->file->whole.sections[beside];
    const uint32_t text = section->info & REF_TEXT_OF_INFO; /* RF1180: whatever its bank is called */
    const uint32_t own = text < pair->file->whole.section_count ? pair->bank_of[text] : 0;
    const size_t bank =
        ref_mercury_bank_symbol(pair, own != 0 ? pair->file->whole.sections[own].name
                                               : ref_memory_join(pair->link, ".nv.constant0.", function));
    ref_mercury_derive_attributes(pair->link, &pair->file->whole, mercury, bank == REF_NONE ? 0 : (uint32_t)bank,
                                  section);
  }
}

static void ref_mercury_repair_table(ref_mercury_pair *pair, uint32_t table, uint32_t beside) {
  const ref_cubin *whole = &pair->file->whole;
  const bool is_code = (whole->sections[whole->sections[table].info].flags & REF_FLAG_EXEC) != 0;
  size_t count, other_count;
  const ref_mercury_entry *own = ref_mercury_list(pair, table, false, &count);
  const ref_mercury_entry *others = ref_mercury_list(pair, beside, true, &other_count);
  const bool is_frame = REF_IS(whole->sections[whole->sections[table].info].name, ".debug_frame");
  if ((is_code || is_frame) && count > other_count) { /* RF1145 */
    ref_mercury_remove_others(pair, table, own, count, others, other_count);
    own = ref_mercury_list(pair, table, false, &count);
  }
  for (size_t i = 0; count == other_count && i < count; i++) {
    ref_mercury_repair_entry(pair, table, &own[i], &others[i].entry, is_code || is_frame);
  }
}

/* Without one the link ends later (E65). */
static bool ref_mercury_has_symbols(const ref_cubin *whole) {
  for (uint32_t i = 1; i < whole->section_count; i++) {
    if (whole->sections[i].type == REF_TYPE_MERCURY_SYMTAB) {
      return true;
    }
  }
  return false;
}

/* The SASS section beside the one in which a Mercury symbol lies; 0: none. */
static uint16_t ref_mercury_section_beside(const ref_mercury_pair *pair, const ref_symbol *symbol) {
  const ref_cubin *whole = &pair->file->whole;
  if (symbol->section == 0 || symbol->section >= whole->section_count ||
      (whole->sections[symbol->section].flags & REF_FLAG_MERCURY) == 0) {
    return (uint16_t)(symbol->section < whole->section_count ? symbol->section : 0);
  }
  const bool user = whole->sections[symbol->section].type == ref_view_mercury.user_type; /* RF1369 */
  const char *const name = user ? ref_view_sass.user_name : pair->view.sections[symbol->section].name;
  const size_t found = ref_map_find(&pair->sass, name);
  return (uint16_t)(found == REF_NONE ? 0 : found);
}

static bool ref_mercury_is_data(const ref_mercury_pair *pair, const ref_symbol *symbol) {
  const ref_cubin *whole = &pair->file->whole;
  return (symbol->info & 15) != REF_SYMBOL_SECTION && symbol->section < whole->section_count &&
         (whole->sections[symbol->section].flags & REF_FLAG_EXEC) == 0 &&
         whole->sections[symbol->section].type != REF_TYPE_CAPSULE_TEXT;
}

/* RF680: what is no function has its Mercury symbol's type and binding, and lies where that one does if the SASS one lies nowhere. RF861: what
 * lies nowhere there does so here. */
static void ref_mercury_repair_object(const ref_mercury_pair *pair, ref_symbol *own, const ref_symbol *other) {
  const uint16_t beside = ref_mercury_section_beside(pair, other);
  own->info = other->info;
  if (!pair->link->is_capsule && own->section != 0 && ref_mercury_is_data(pair, other)) {
    own->value = other->value; /* RF987 */
  }
  if (other->section == REF_SECTION_COMMON) { /* RF1175 */
    own->section = own->raw_section = REF_SECTION_COMMON;
    own->value = other->value;
  } else if (other->section == 0 || beside != 0 || own->section >= pair->file->whole.section_count) { /* RF877 */
    own->section = own->raw_section = beside;
  }
}

/* The text whose own function a symbol is; NULL: it is none's. */
static const ref_section *ref_mercury_own_text(const ref_mercury_pair *pair, const ref_symbol *own, uint32_t number) {
  const ref_cubin *whole = &pair->file->whole;
  const ref_section *text =
      own->section != 0 && own->section < whole->section_count ? &whole->sections[own->section] : NULL;
  const bool code = text != NULL && (text->type == REF_TYPE_PROGBITS || text->type == REF_TYPE_UFT); /* RF1186 */
  return code && (text->info & 0xffffff) == number ? text : NULL;
}

/* RF680: a text's own function is the whole text. */
static void ref_mercury_repair_size(const ref_mercury_pair *pair, ref_symbol *own, uint32_t number) {
  const ref_section *text = ref_mercury_own_text(pair, own, number);
  if (text != NULL && own->value == 0) {
    own->size = text->size;
  }
}

/* RF877: a function that Mercury mentions alone is what Mercury's symbol says, unless the SASS side has a text of its own for it. */
static bool ref_mercury_is_mention(const ref_mercury_pair *pair, const ref_symbol *own, const ref_symbol *other,
                                   uint32_t number) {
  return (other->info & 15) == REF_SYMBOL_FUNC && other->section == 0 && strcmp(own->name, other->name) == 0 &&
         ref_mercury_own_text(pair, own, number) == NULL;
}

static bool ref_mercury_has_capsule(const ref_mercury_pair *pair, uint32_t number) {
  const ref_cubin *whole = &pair->file->whole;
  for (uint32_t i = 1; i < whole->section_count; i++) {
    if (whole->sections[i].type == REF_TYPE_CAPSULE_TEXT && (whole->sections[i].info & 0xffffff) == number) {
      return true;
    }
  }
  return false;
}

/* RF1371: where there is a capsule all the same, the link ends otherwise. Functions are taken as before, though nvlink ends by a signal over
 * them, too. */
static void ref_mercury_note_mention(const ref_mercury_pair *pair, const ref_symbol *own, const ref_symbol *other,
                                     uint32_t number) {
  const bool mention =
      (other->info & 15) == REF_SYMBOL_FUNC && other->section == 0 && strcmp(own->name, other->name) == 0;
  const bool kernel = (other->other & REF_OTHER_ENTRY) != 0;
  if (mention && kernel && pair->file->mention_of_text == NULL && ref_mercury_own_text(pair, own, number) != NULL &&
      (pair->link->relocatable || !ref_mercury_has_capsule(pair, number))) {
    pair->file->mention_of_text = own->name;
  }
}

/* The SASS name is none of Mercury's, or of another symbol, which has it on both sides. */
static bool ref_mercury_is_misnamed(ref_mercury_pair *pair, const ref_symbol *own) {
  const ref_cubin *whole = &pair->file->whole;
  if (!pair->has_other_names) {
    pair->has_other_names = true;
    ref_mercury_list_names(pair->link, &pair->view, &pair->other_names);
  }
  const size_t known = ref_map_find(&pair->other_names, own->name);
  return known == REF_NONE || (known < whole->symbol_count && &whole->symbols[known] != own &&
                               strcmp(whole->symbols[known].name, own->name) == 0);
}

/* RF680: an object or function whose Mercury name no SASS symbol has is the one of that number. */
static void ref_mercury_repair_name(ref_mercury_pair *pair, ref_symbol *own, const ref_symbol *other) {
  const uint8_t type = own->info & 15;
  if (type == (other->info & 15) && type != REF_SYMBOL_SECTION &&
      ref_map_find(&pair->own_names, other->name) == REF_NONE && ref_mercury_is_misnamed(pair, own)) {
    own->name = other->name;
  }
}

/* RF582: a function of the SASS side is a kernel where its Mercury symbol is one. An object has that one's size, binding
 * and memory space (RF708). */
static void ref_mercury_repair_symbols(ref_mercury_pair *pair) {
  const ref_cubin *whole = &pair->file->whole;
  const uint8_t marks = pair->link->is_capsule ? REF_OTHER_ENTRY : REF_OTHER_ENTRY | VISIBILITY; /* RF1076 */
  for (size_t i = 1; i < whole->symbol_count && i < pair->view.symbol_count; i++) {
    ref_symbol *own = &whole->symbols[i];
    const ref_symbol *other = &pair->view.symbols[i];
    ref_mercury_repair_name(pair, own, other);
    if ((other->info & 15) != REF_SYMBOL_FUNC && strcmp(own->name, other->name) == 0) {
      ref_mercury_repair_object(pair, own, other);
    }
    ref_mercury_note_mention(pair, own, other, (uint32_t)i);
    if (ref_mercury_is_mention(pair, own, other, (uint32_t)i)) {
      *own = *other;
    }
    if ((other->info & 15) == REF_SYMBOL_FUNC && (own->info & 15) != REF_SYMBOL_FUNC &&
        strcmp(own->name, other->name) == 0) { /* RF990 */
      own->info = other->info;
    }
    const bool function = (own->info & 15) == REF_SYMBOL_FUNC;
    if ((own->info & 15) != (other->info & 15) || strcmp(own->name, other->name) != 0) {
      continue;
    }
    if (!function && (own->section == 0) == (other->section == 0)) {
      own->size = other->size;
      own->info = other->info;
      own->other = other->other;
    }
    if (function) {
      own->info = other->info; /* RF1172: the binding */
      ref_mercury_repair_size(pair, own, (uint32_t)i);
      own->other = (uint8_t)((own->other & ~marks) | (other->other & marks));
    }
  }
}

/* Has Mercury's side a symbol of this type and name? */
static bool ref_mercury_is_among_others(ref_mercury_pair *pair, const ref_symbol *own) {
  if (!pair->has_other_symbols) {
    pair->has_other_symbols = true;
    ref_mercury_list_symbols(pair->link, &pair->view, &pair->other_symbols);
  }
  return ref_mercury_find_name(pair->link, &pair->other_symbols, own) != 0;
}

/* RF582: a function that the SASS symbols alone mention counts for nothing; RF680: nor does one that they alone define. */
static void ref_mercury_forget_mentions(ref_mercury_pair *pair) {
  const ref_cubin *whole = &pair->file->whole;
  for (size_t i = 1; i < whole->symbol_count; i++) {
    ref_symbol *own = &whole->symbols[i];
    const ref_symbol *other = i < pair->view.symbol_count ? &pair->view.symbols[i] : NULL;
    const bool beside = other != NULL && strcmp(own->name, other->name) == 0;
    const bool defined = own->section != 0 && other != NULL && (other->info & 15) == REF_SYMBOL_FUNC;
    if ((own->info & 15) == REF_SYMBOL_FUNC && !defined && !beside && !ref_mercury_is_among_others(pair, own)) {
      own->info &= 0xf0;
    }
  }
}

static bool ref_mercury_is_code(const ref_section *section) {
  return (section->flags & REF_FLAG_EXEC) != 0;
}

/* RF989: what `table`, a section of SASS entries, is about, if that is data of which Mercury's side has the like with entries. */
static void ref_mercury_repair_data(const ref_mercury_pair *pair, uint32_t table) {
  static const char *const names[][2] = {{".nv.global.init", ".nv.merc.nv.global.init"},
                                         {".nv.constant3", ".nv.merc.nv.constant.user"},
                                         {".nv.constant4", ".nv.merc.nv.constant.pic"}};
  const ref_cubin *whole = &pair->file->whole;
  const uint32_t target = whole->sections[table].info;
  if (whole->sections[table].type != REF_TYPE_RELA || target >= whole->section_count) {
    return;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (!ref_text_is(whole->sections[target].name, names[i][0])) {
      continue;
    }
    const size_t data = ref_map_find(&pair->tables, names[i][1]);
    const size_t entries =
        ref_map_find(&pair->tables, ref_memory_print(pair->link, ".nv.merc.rela%s", names[i][1] + strlen(".nv.merc")));
    if (data != REF_NONE && entries != REF_NONE && ref_map_find(&pair->sass, names[i][0]) == target &&
        whole->sections[entries].type == REF_TYPE_MERCURY_RELA && whole->sections[data].data != NULL &&
        whole->sections[target].data != NULL) {
      const ref_mercury_sides sides = {whole, &pair->view, &pair->own_names};
      ref_mixed_derive_entries(pair->link, &sides, (uint32_t)entries, &whole->sections[table]);
      ref_mixed_derive_data(pair->link, &sides, (uint32_t)entries, &whole->sections[data], &whole->sections[target]);
      return;
    }
  }
}

/* RF1144: the entries of the compiler's constants. */
static void ref_mercury_repair_constants_table(const ref_mercury_pair *pair, uint32_t table) {
  const char *prefix = ref_view_sass.optimizer_prefix;
  const ref_cubin *whole = &pair->file->whole;
  const uint32_t target = whole->sections[table].info;
  if (whole->sections[table].type != REF_TYPE_RELA || target >= whole->section_count ||
      whole->sections[target].type != ref_view_sass.optimizer_type ||
      strncmp(whole->sections[target].name, prefix, strlen(prefix)) != 0) {
    return;
  }
  const size_t entries =
      ref_map_find(&pair->tables, ref_memory_print(pair->link, ".nv.merc.rela%s%s", ref_view_mercury.optimizer_prefix,
                                                   whole->sections[target].name + strlen(prefix)));
  if (entries != REF_NONE && whole->sections[entries].type == REF_TYPE_MERCURY_RELA) {
    const ref_mercury_sides sides = {whole, &pair->view, &pair->own_names};
    ref_mixed_derive_entries(pair->link, &sides, (uint32_t)entries, &whole->sections[table]);
  }
}

/* Each section of data once. */
static void ref_mercury_repair_data_once(const ref_mercury_pair *pair, uint32_t table, bool *is_made) {
  const ref_cubin *whole = &pair->file->whole;
  const uint32_t about = whole->sections[table].type == REF_TYPE_RELA ? whole->sections[table].info : UINT32_MAX;
  if (about < whole->section_count && !is_made[about]) {
    is_made[about] = !ref_mercury_is_code(&whole->sections[about]);
    ref_mercury_repair_data(pair, table);
    if (!pair->link->is_capsule) {
      ref_mercury_repair_constants_table(pair, table);
    }
  }
}

static uint32_t ref_mercury_find(const ref_map *sections, const char *name) {
  const size_t found = ref_map_find(sections, name);
  return found == REF_NONE ? 0 : (uint32_t)found;
}

static void ref_mercury_repair_frames(const ref_mercury_pair *pair, const ref_mercury_sides *sides) {
  const ref_section *own = pair->file->whole.sections;
  const ref_mixed_frame_sections sections = {ref_mercury_find(&pair->tables, ".nv.merc.debug_frame"),
                                             ref_mercury_find(&pair->tables, ".nv.merc.rela.debug_frame"),
                                             ref_mercury_find(&pair->sass, ".debug_frame"),
                                             ref_mercury_find(&pair->sass, ".rela.debug_frame"), pair->file};
  if (sections.mercury != 0 && sections.table != 0 && sections.sass != 0 && sections.entries != 0 &&
      own[sections.entries].type == REF_TYPE_RELA && own[sections.sass].type == REF_TYPE_PROGBITS) {
    ref_mixed_derive_frames(pair->link, sides, &sections);
  }
}

/* RF987 */
static void ref_mercury_repair_mixed(const ref_mercury_pair *pair) {
  const ref_cubin *whole = &pair->file->whole;
  const ref_mercury_sides sides = {whole, &pair->view, &pair->own_names};
  bool *is_made = REF_TAKE(pair->link, bool, whole->section_count); /* each text and each section of data once */
  ref_mercury_repair_frames(pair, &sides);                          /* RF904: before entries write into the code */
  for (uint32_t i = 1; i < whole->section_count; i++) {
    ref_mercury_repair_data_once(pair, i, is_made);
    const ref_section *beside = &whole->sections[i];
    const bool is_body = beside->type == REF_TYPE_CAPSULE_TEXT && beside->data != NULL && beside->size >= 4;
    const uint32_t text = is_body ? ref_u32(beside->data) : 0;
    if (text == 0 || ref_mercury_body_beside(whole, text, i) == NULL || is_made[text] ||
        (whole->sections[text].flags & (REF_FLAG_MERCURY | REF_FLAG_EXEC)) != REF_FLAG_EXEC) {
      continue;
    }
    is_made[text] = true;
    const size_t table =
        ref_map_find(&pair->tables, ref_memory_print(pair->link, ".nv.merc.rela%s", whole->sections[text].name));
    if (table != REF_NONE && ref_reserved_stands(pair->link, &sides, (uint32_t)table, beside, &whole->sections[text])) {
      pair->file->writes_reserved = true;
    }
    ref_mixed_derive_text(pair->link, &sides, table == REF_NONE ? 0 : (uint32_t)table, beside, &whole->sections[text]);
  }
  const size_t own = ref_map_find(&pair->sass, ".nv.info"), mercury = ref_map_find(&pair->tables, ".nv.merc.nv.info");
  if (own != REF_NONE && mercury != REF_NONE && whole->sections[own].type == REF_TYPE_INFO) {
    ref_mixed_derive_module(pair->link, &sides, &whole->sections[mercury], &whole->sections[own]);
  }
}

/* RF990: behind as many symbols as Mercury's side has none counts but those of sections, and of banks whatever their type (RF878). */
static void ref_mercury_forget_further(const ref_cubin *whole, size_t count) {
  for (size_t i = count; i < whole->symbol_count; i++) {
    if ((whole->symbols[i].info & 15) != REF_SYMBOL_SECTION &&
        strncmp(whole->symbols[i].name, bank_prefix, sizeof bank_prefix - 1) != 0) {
      whole->symbols[i].info = 0;
      whole->symbols[i].name = "";
      whole->symbols[i].section = whole->symbols[i].raw_section = 0;
    }
  }
}

static bool ref_mercury_is_bank(const ref_section *section) {
  return section->type == REF_TYPE_CONSTANT && (section->flags & REF_FLAG_MERCURY) == 0 &&
         strncmp(section->name, bank_prefix, sizeof bank_prefix - 1) == 0;
}

/* RF1056: nvlink makes the symbol of a bank of parameters itself: behind Mercury's a section's symbol that is called otherwise counts for nothing, and
 * where none has the name there is one. */
static void ref_mercury_add_banks(ref_link *link, ref_cubin *whole, size_t count, size_t bank_count) {
  ref_map names = {0};
  ref_symbol *symbols = REF_TAKE(link, ref_symbol, whole->symbol_count + bank_count);
  for (size_t i = 0; i < whole->symbol_count; i++) {
    const ref_symbol *own = &whole->symbols[i];
    const ref_section *section = own->section < whole->section_count ? &whole->sections[own->section] : NULL;
    const bool is_stray = i >= count && section != NULL && ref_mercury_is_bank(section) &&
                          (own->info & 15) == REF_SYMBOL_SECTION && strcmp(own->name, section->name) != 0;
    symbols[i] = is_stray ? (ref_symbol){.name = ""} : *own;
    if (strncmp(symbols[i].name, bank_prefix, sizeof bank_prefix - 1) == 0) {
      ref_map_set(link, &names, symbols[i].name, i);
    }
  }
  for (uint32_t i = 1; i < whole->section_count && i <= UINT16_MAX; i++) {
    const ref_section *section = &whole->sections[i];
    if (ref_mercury_is_bank(section) && ref_map_find(&names, section->name) == REF_NONE) {
      ref_map_set(link, &names, section->name, whole->symbol_count);
      symbols[whole->symbol_count++] =
          (ref_symbol){.name = section->name, .info = REF_SYMBOL_SECTION, .section = i, .raw_section = (uint16_t)i};
    }
  }
  whole->symbols = symbols;
}

static void ref_mercury_settle_banks(ref_link *link, ref_cubin *whole, size_t count) {
  size_t bank_count = 0;
  for (uint32_t i = 1; i < whole->section_count; i++) {
    bank_count += ref_mercury_is_bank(&whole->sections[i]);
  }
  if (bank_count != 0) {
    ref_mercury_add_banks(link, whole, count, bank_count);
  }
}

/* RF1180: nvlink makes a kernel's bank of parameters itself, and calls it after the kernel, whatever the section is called. */
static void ref_mercury_name_banks(const ref_mercury_pair *pair) {
  const ref_cubin *whole = &pair->file->whole;
  const ref_cubin *view = &pair->view;
  const char **names = REF_TAKE(pair->link, const char *, whole->section_count);
  for (uint32_t i = 1; i < whole->section_count; i++) {
    ref_section *bank = &whole->sections[i];
    const uint32_t number = bank->info < whole->section_count ? whole->sections[bank->info].info & REF_TEXT_OF_INFO : 0;
    if (!ref_mercury_is_bank(bank) || number == 0 || number >= view->symbol_count || number >= whole->symbol_count ||
        (view->symbols[number].info & 15) != REF_SYMBOL_FUNC || whole->symbols[number].section != bank->info) {
      continue;
    }
    const char *name = ref_memory_join(pair->link, ".nv.constant0.", view->symbols[number].name);
    if (strcmp(name, bank->name) != 0) {
      names[i] = bank->name = name;
    }
  }
  for (size_t i = 1; i < whole->symbol_count; i++) {
    ref_symbol *symbol = &whole->symbols[i];
    if ((symbol->info & 15) == REF_SYMBOL_SECTION && symbol->section < whole->section_count &&
        names[symbol->section] != NULL) {
      symbol->name = names[symbol->section];
    }
  }
}

/* RF1252: in an executable the compiler's constants, which are made of Mercury's, are such by their name, whatever the SASS side's type is. */
static void ref_mercury_type_constants(ref_link *link, const ref_cubin *whole) {
  const char *prefix = ref_view_sass.optimizer_prefix;
  ref_map mercury = {0};
  for (uint32_t i = 1; i < whole->section_count && link->is_capsule && !link->relocatable; i++) {
    if (whole->sections[i].type == REF_TYPE_CONSTANT_OPTIMIZER && (whole->sections[i].flags & REF_FLAG_MERCURY) != 0) {
      (void)ref_map_put(link, &mercury, whole->sections[i].name, i);
    }
  }
  for (uint32_t i = 1; i < whole->section_count && mercury.count != 0; i++) {
    ref_section *section = &whole->sections[i];
    if ((section->flags & REF_FLAG_MERCURY) == 0 && strncmp(section->name, prefix, strlen(prefix)) == 0 &&
        ref_map_find(&mercury, ref_memory_print(link, ".nv.merc%s%s", ref_view_mercury.optimizer_prefix,
                                                section->name + strlen(prefix))) != REF_NONE) {
      section->type = ref_view_sass.optimizer_type;
    }
  }
}

static void ref_mercury_repair_sections(ref_link *link, ref_file *file) {
  ref_mercury_pair pair = {.link = link, .file = file, .view = ref_view_of(link, &file->whole, true)};
  pair.used = REF_TAKE(link, bool, file->whole.section_count);
  pair.bank_of = REF_TAKE(link, uint32_t, file->whole.section_count);
  for (uint32_t i = (uint32_t)file->whole.section_count; i-- > 1;) {
    const ref_section *bank = &file->whole.sections[i];
    if (ref_mercury_is_bank(bank) && bank->info < file->whole.section_count) {
      pair.bank_of[bank->info] = i;
    }
  }
  ref_mercury_forget_further(&file->whole, pair.view.symbol_count);
  ref_mercury_settle_banks(link, &file->whole, pair.view.symbol_count);
  ref_mercury_list_names(link, &file->whole, &pair.own_names);
  pair.before.symbols = ref_memory_copy(link, file->whole.symbols, file->whole.symbol_count * sizeof(ref_symbol));
  pair.before.symbol_count = file->whole.symbol_count;
  for (size_t i = file->whole.symbol_count; i-- > pair.view.symbol_count;) {
    ref_map_set(link, &pair.further_names, file->whole.symbols[i].name, i);
  }
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const ref_section *section = &file->whole.sections[i];
    const bool mercury = section->type == REF_TYPE_MERCURY_RELA || (section->flags & REF_FLAG_MERCURY) != 0;
    if (mercury) {
      (void)ref_map_put(link, &pair.tables, section->name, i);
    }
    if ((section->flags & REF_FLAG_MERCURY) == 0) {
      (void)ref_map_put(link, &pair.sass, section->name, i);
    }
  }
  ref_mercury_repair_symbols(&pair);
  ref_mercury_forget_mentions(&pair);
  for (uint32_t i = 1; i < file->whole.section_count; i++) {
    const uint32_t beside = ref_mercury_table_beside(&pair, i);
    const ref_mercury_sides sides = {&file->whole, &pair.view, &pair.own_names};
    ref_section *section = &file->whole.sections[i];
    if (beside != 0 && !(ref_mercury_take(&pair, section->info, beside) &&
                         ref_mercury_derive_entries(link, &sides, i, beside, section))) {
      ref_mercury_repair_table(&pair, i, beside);
    }
    ref_mercury_repair_attributes(&pair, section);
    ref_mercury_repair_bank(&pair, section);
    ref_mercury_repair_constants(&pair, section);
    const bool is_code = section->type == REF_TYPE_PROGBITS || section->type == REF_TYPE_UFT; /* RF998 */
    if (is_code && (section->flags & (REF_FLAG_MERCURY | REF_FLAG_EXEC)) == REF_FLAG_EXEC) {
      section->align = CODE_ALIGN; /* RF823 */
    }
  }
  const ref_mercury_sides own = {&file->whole, &pair.view, &pair.own_names};
  ref_reserved_clear_lone(link, &own, &pair.tables);
  ref_mercury_name_banks(&pair);
  if (!link->is_capsule) {
    ref_mercury_repair_mixed(&pair);
    return;
  }
  bool *is_made = REF_TAKE(link, bool, file->whole.section_count);
  for (uint32_t i = 1; i < file->whole.section_count; i++) { /* RF1184 */
    ref_mercury_repair_data_once(&pair, i, is_made);
  }
}

void ref_mercury_repair(ref_link *link, ref_file *file) {
  if (ref_mercury_has_symbols(&file->whole)) {
    ref_mercury_type_constants(link, &file->whole);
    ref_mercury_repair_sections(link, file);
  }
}
