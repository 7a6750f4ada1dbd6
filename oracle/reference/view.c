/* The two views of a capsule object: M3, M7, M8. A view is the same file with the other view's sections taken out (type 0,
 * so that every section keeps its number) and, for the Mercury view, the rest under plain names and types. */
#include "capsule.h"

#include <string.h>

enum { SYMBOL_BYTES = 24, SYMBOL_OTHER = 5, VISIBILITY = 3 };

const ref_view ref_view_sass = {.user_name = ".nv.constant3",
                                .user_type = REF_TYPE_CONSTANT + 3,
                                .optimizer_prefix = ".nv.constant2.",
                                .table_prefix = ".nv.constant0.",
                                .optimizer_type = REF_TYPE_CONSTANT + 2};
const ref_view ref_view_mercury = {.user_name = ".nv.constant.user",
                                   .user_type = REF_TYPE_CONSTANT_USER,
                                   .optimizer_prefix = ".nv.constant.optimizer.",
                                   .table_prefix = ".nv.constant.entry_image_header_indices.",
                                   .optimizer_type = REF_TYPE_CONSTANT_OPTIMIZER,
                                   .is_mercury = true};

static bool ref_view_starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* M7: what both views have a section of their own for. */
bool ref_view_is_mirrored(const ref_section *section) {
  if ((section->flags & REF_FLAG_MERCURY) != 0) {
    return true;
  }
  switch (section->type) {
  case REF_TYPE_INFO:
  case REF_TYPE_RELA:
  case REF_TYPE_REL:
  case REF_TYPE_RESOLVED_RELA:
  case REF_TYPE_GLOBAL_INIT:
  case REF_TYPE_PROGBITS:
  case REF_TYPE_SHARED_RESERVED:
  case REF_TYPE_UFT: /* RF226: all that belongs to unified functions and data */
  case REF_TYPE_UIDX:
  case REF_TYPE_UFT_ENTRY:
  case REF_TYPE_UDT:
  case REF_TYPE_UDT_ENTRY:
    return true;
  default:
    return ref_section_type_is_constant(section->type);
  }
}

/* M7, the table read from right to left: the plain name and type of a Mercury section. */
static void ref_view_make_plain(ref_link *link, ref_section *section) {
  static const char capsule[] = ".nv.capmerc", mercury[] = ".nv.merc", relocations[] = ".nv.merc.rela";
  section->flags &= ~(uint64_t)REF_FLAG_MERCURY;
  if (section->type == REF_TYPE_CAPSULE_TEXT && ref_view_starts_with(section->name, capsule)) {
    section->name = section->name + strlen(capsule);
    section->type = ref_view_starts_with(section->name, ".nv.uft.rel.") ? REF_TYPE_UFT : REF_TYPE_PROGBITS; /* U3 */
    section->flags |= REF_FLAG_ALLOC | REF_FLAG_EXEC;
  } else if (section->type == REF_TYPE_MERCURY_RELA && ref_view_starts_with(section->name, relocations)) {
    section->name = ref_memory_join(link, ".rela", section->name + strlen(relocations));
    section->type = REF_TYPE_RELA;
  } else if (section->type != REF_TYPE_MERCURY_SYMTAB && section->type != REF_TYPE_MERCURY_RESOLVED &&
             ref_view_starts_with(section->name, mercury)) {
    section->name = section->name + strlen(mercury);
  }
  section->type = section->type == REF_TYPE_MERCURY_INFO ? REF_TYPE_INFO : section->type; /* RF876: whatever its name */
}

/* M8: `.nv.merc.symtab`. */
static void ref_view_read_symbols(ref_link *link, ref_cubin *view, uint32_t number) {
  const ref_section table = view->sections[number];
  view->symbol_count = table.data == NULL ? 0 : (size_t)(table.size / SYMBOL_BYTES);
  view->symbols = REF_TAKE_ROOM(link, ref_symbol, view->symbol_count);
  view->symbol_section = number;
  ref_bytes ended = {0};
  for (size_t i = 0; i < view->symbol_count; i++) {
    const uint8_t *at = table.data + i * SYMBOL_BYTES;
    ref_symbol *symbol = &view->symbols[i];
    *symbol = (ref_symbol){.name_offset = ref_u32(at),
                           .info = at[4],
                           .other = at[5],
                           .section = ref_u16(at + 6),
                           .raw_section = ref_u16(at + 6),
                           .value = ref_u64(at + 8),
                           .size = ref_u64(at + 16)};
    symbol->name =
        ref_cubin_string(view, view->string_section, symbol->name_offset); /* RF824: whatever its sh_link is */
    if (i != 0 && *symbol->name == 0 && (symbol->info & 15) != REF_SYMBOL_SECTION) { /* RF1174, RF1244 */
      symbol->name = ref_input_last_text(link, view, view->string_section, symbol->name_offset, &ended);
    }
  }
}

/* RF221: a function of a capsule is hidden or internal where its Mercury symbol is, whatever the SASS one says. */
static void ref_view_show_functions(ref_link *link, ref_cubin *view, uint32_t mercury) {
  const ref_section *table = &view->sections[mercury];
  const size_t known = table->data == NULL ? 0 : (size_t)(table->size / SYMBOL_BYTES);
  ref_symbol *symbols = ref_memory_copy(link, view->symbols, view->symbol_count * sizeof *symbols);
  for (size_t i = 1; i < view->symbol_count && i < known; i++) {
    const bool marked = (symbols[i].info & 15) == REF_SYMBOL_FUNC && (symbols[i].other & VISIBILITY) != 0;
    if (marked && (table->data[i * SYMBOL_BYTES + SYMBOL_OTHER] & VISIBILITY) == 0) {
      symbols[i].other &= (uint8_t)~VISIBILITY;
    }
  }
  view->symbols = symbols;
}

/* ZM8, F24: a section of a general type, whose kind its name says. The longer of two prefixes stands first. The general type
 * of constants needs no name (RF242). */
typedef struct ref_named_kind {
  uint32_t general;
  const char *prefix;
  uint32_t type;
} ref_named_kind;

static const ref_named_kind ref_named_kinds[] = {
    {REF_TYPE_NOBITS, ".nv.global", REF_TYPE_GLOBAL},
    {REF_TYPE_NOBITS, ".nv.shared.reserved.", REF_TYPE_SHARED_RESERVED},
    {REF_TYPE_NOBITS, ".nv.shared.", REF_TYPE_SHARED},
    {REF_TYPE_NOBITS, ".nv.local.", REF_TYPE_LOCAL},
    {REF_TYPE_PROGBITS, ".nv.global.init", REF_TYPE_GLOBAL_INIT},
    {REF_TYPE_PROGBITS, ".nv.constant", REF_TYPE_CONSTANT},
    {REF_TYPE_CONSTANT_GENERIC, "", REF_TYPE_CONSTANT},
};

/* RF242: the number that stands 12 characters behind the beginning of the name, which is where one of `.nv.constantN` stands. nvlink
 * looks there whatever the name is, so in what the table of strings has next where a name is shorter. */
static uint32_t ref_view_bank(const ref_cubin *cubin, const ref_section *section) {
  const size_t first = strlen(".nv.constant");
  const ref_section *table = &cubin->sections[cubin->section_name_index];
  uint32_t bank = 0;
  if (cubin->section_name_index >= cubin->section_count || table->data == NULL) {
    return bank;
  }
  for (uint64_t i = (uint64_t)section->name_offset + first; i < table->size; i++) {
    const uint8_t digit = table->data[i];
    if (digit < '0' || digit > '9') {
      break;
    }
    bank = bank > 99 ? bank : bank * 10 + (uint32_t)(digit - '0');
  }
  return bank;
}

void ref_view_settle_type(const ref_cubin *cubin, ref_section *section) {
  if (section->type != REF_TYPE_NOBITS && section->type != REF_TYPE_PROGBITS &&
      section->type != REF_TYPE_CONSTANT_GENERIC) {
    return; /* no general one */
  }
  for (size_t i = 0; i < sizeof ref_named_kinds / sizeof *ref_named_kinds; i++) {
    const ref_named_kind *kind = &ref_named_kinds[i];
    if (section->type != kind->general || !ref_text_begins(section->name, kind->prefix)) {
      continue;
    }
    const uint32_t bank = kind->type == REF_TYPE_CONSTANT ? ref_view_bank(cubin, section) : 0;
    if (kind->type + bank <= REF_TYPE_CONSTANT_LAST) {
      section->type = kind->type + bank;
    }
    return;
  }
}

/* RF317: nvlink reads the bytes of Mercury's reserved shared memory, which has none, from the file. */
static void ref_view_check_reserved(ref_link *link, const ref_cubin *cubin, const ref_section *section) {
  const bool is_reserved = section->type == REF_TYPE_SHARED_RESERVED && (section->flags & REF_FLAG_MERCURY) != 0;
  if (is_reserved && (section->offset > cubin->size || section->size > cubin->size - section->offset)) {
    ref_message_fatal(link, "RF317", "section '%s' reaches behind the end of the file", section->name);
  }
}

/* The SASS side of a link of capsules, which nvlink makes from the Mercury side (L497). */
bool ref_view_is_derived(const ref_link *link) {
  return link->is_capsule && !link->view->is_mercury;
}

/* Returns the view; its arrays belong to the link, its bytes to the file. */
ref_cubin ref_view_of(ref_link *link, const ref_cubin *cubin, bool mercury) {
  ref_cubin view = *cubin;
  uint32_t symbols = 0;
  view.sections = ref_memory_copy(link, cubin->sections, cubin->section_count * sizeof *view.sections);
  ref_marks_take_off(link, &view);
  for (uint32_t i = 1; i < view.section_count; i++) {
    ref_section *section = &view.sections[i];
    const bool is_mercury = (section->flags & REF_FLAG_MERCURY) != 0;
    ref_view_check_reserved(link, cubin, section);
    if (section->type == REF_TYPE_MERCURY_SYMTAB) {
      symbols = i;
    }
    if (is_mercury != mercury && ref_view_is_mirrored(section)) {
      section->type = 0;
    } else if (is_mercury) {
      ref_view_make_plain(link, section);
      ref_slots_make_room(link, section);
    }
    if (section->type == REF_TYPE_NOBITS) {
      ref_view_settle_type(cubin, section);
    }
  }
  if (mercury) {
    if (symbols == 0) {
      ref_message_fatal(link, "E65", "Internal error: symsec not found");
    }
    ref_view_read_symbols(link, &view, symbols);
    ref_beside_settle(link, cubin, &view);
  } else if (symbols != 0 && view.symbols != NULL) {
    ref_view_show_functions(link, &view, symbols);
  }
  return view;
}
