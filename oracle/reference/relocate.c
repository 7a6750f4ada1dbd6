/* Applied, kept, dropped: R1-R30, R33-R37, W11, RF714, RF719, L1256, L1259, RF800, RF802. */
#include "link.h"
#include "relocation_table.h"

#include <string.h>

enum {
  TYPE_WORD = 1,
  TYPE_G32 = 3,
  TYPE_G64 = 4,
  TYPE_ADDRESS_26 = 5,
  TYPE_ADDRESS_23 = 12,
  TYPE_ADDRESS_20 = 42,
  TYPE_ADDRESS_32 = 55,
  TYPE_LOW = 56,
  TYPE_HIGH = 57,
  TYPE_ADDRESS_55 = 75,
  TYPE_ADDRESS_64 = 2,
  TYPE_UNIFIED_LOW = 112,
  TYPE_UNIFIED_HIGH = 113,
  NO_BANK = 28,
  USER_BANK = 3,
  EXTERN_SHARED_ALIGN = 16,
  MERCURY_DESCRIPTOR = 15,
  CONSTANT_LIMIT = 0x10000,
  SYSTEM_RESERVED = 0x40,
  VISIBILITY = 3,
  INTERNAL = 1,
  HIDDEN = 2
};

typedef enum ref_action { REF_APPLY, REF_KEEP, REF_DROP, REF_CLEAR, REF_KEEP_NOTHING, REF_RECORD } ref_action;

/* RF228: a number of Mercury's in a link of SASS kind. */
static bool ref_relocate_is_foreign(const ref_link *link, uint32_t type) {
  return type >= REF_MERCURY_FIRST && !link->is_capsule && ref_relocation_row_of(type) != NULL;
}

/* RF228: a foreign number has no row, so what has to be written ends the link. Only the one that clears is told by itself. */
static ref_kind ref_relocate_kind(const ref_link *link, uint32_t type) {
  const ref_relocation_row *row = ref_relocation_row_of(type);
  const bool told = row != NULL && (row->kind == REF_KIND_CLEAR || !ref_relocate_is_foreign(link, type));
  return told ? row->kind : REF_KIND_SENTINEL;
}

static void ref_relocate_refuse_foreign(ref_link *link) {
  ref_message_fatal(link, "E67", "Internal error: unexpected NVRS");
}

/* R14: types that ask for nothing; L584: Mercury's last one goes or stays as others do. */
static bool ref_relocate_is_nothing(const ref_link *link, uint32_t type) {
  return ref_relocate_kind(link, type) == REF_KIND_NONE && type != REF_MERCURY_FIRST + REF_MERCURY_TYPES - 1;
}

/* R18 */
static ref_texture ref_relocate_texture(uint32_t type) {
  const ref_relocation_row *row = ref_relocation_row_of(type);
  return row == NULL ? REF_TEXTURE_KEEP : row->texture;
}

/* R13a, R13b; RF557: a function that no file defines, too */
static bool ref_relocate_is_unified_table(const ref_out_symbol *symbol) {
  return symbol->section == REF_NONE && ref_symbol_names_unified_table(symbol->name);
}

/* R13c */
static bool ref_relocate_is_global(const ref_link *link, const ref_out_symbol *symbol) {
  if (symbol->section == REF_NONE) {
    return false;
  }
  const uint32_t type = link->sections[symbol->section].type;
  return type == REF_TYPE_GLOBAL || type == REF_TYPE_GLOBAL_INIT || type == REF_TYPE_UDT;
}

/* R16, W11.6: the function of whose text the entry's symbol is a second name, or REF_NONE. */
static size_t ref_relocate_primary(const ref_link *link, const ref_out_relocation *entry) {
  if (entry->function == REF_NONE || entry->symbol == REF_NONE || link->functions[entry->function].is_stub) {
    return REF_NONE; /* a stub is none of the first one */
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  const size_t primary = symbol->section == REF_NONE ? REF_NONE : link->sections[symbol->section].info_function;
  return primary == entry->function ? REF_NONE : primary;
}

static bool ref_relocate_shifts(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  return symbol->value != 0 && (symbol->other & REF_OTHER_ENTRY) != 0;
}

/* RF216: the offset of a second name needs an addend, so a REL entry becomes RELA as in R37, the field's old content lost (D12) by
 * nvlink. */
void ref_relocate_make_room_for_shifts(ref_link *link) {
  for (size_t i = link->relocation_count; i-- > 0;) {
    ref_out_relocation *entry = &link->relocations[i];
    if (entry->has_addend || entry->dropped || ref_relocate_primary(link, entry) == REF_NONE ||
        !ref_relocate_shifts(link, entry)) {
      continue;
    }
    entry->has_addend = true;
    entry->adds_old = !link->job->bug_compatible;
    entry->section = ref_relocation_section(link, entry->target, true);
  }
}

static void ref_relocate_follow_alias(ref_link *link, ref_out_relocation *entry) {
  const size_t primary = ref_relocate_primary(link, entry);
  if (primary == REF_NONE) {
    return;
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  if (symbol->value == 0 || ref_relocate_shifts(link, entry)) {
    ref_trace_tell(link, REF_TRACE_RELOC, "change alias reloc %s to %s", symbol->name, link->functions[primary].name);
    entry->addend = (int64_t)((uint64_t)entry->addend + symbol->value);
    entry->function = primary;
    entry->symbol = link->functions[primary].symbol;
  }
}

/* RF161: in an executable an internal function has no symbol. What `-r` and -preserve-relocs keep of it counts as dead all the
 * same, but for weak ones, as in RF106; by default (D110) it is a function like others. */
static ref_action ref_relocate_classify_internal(ref_link *link, const ref_out_relocation *entry, bool clear) {
  if (!ref_function_keeps_internal(link)) {
    if (clear && ref_relocate_is_foreign(link, entry->type)) {
      ref_relocate_refuse_foreign(link);
    }
    return REF_DROP; /* the link ends in ref_functions_check_internal */
  }
  const bool weak = link->relocatable && link->symbols[entry->symbol].bind == REF_BIND_WEAK;
  if (!link->job->bug_compatible) {
    return clear || ref_relocate_is_nothing(link, entry->type) ? REF_DROP : REF_KEEP; /* R14, D100 */
  }
  return !clear ? REF_DROP : weak ? REF_KEEP : REF_CLEAR;
}

/* R14, R15 */
static ref_action ref_relocate_classify_function(ref_link *link, const ref_out_relocation *entry) {
  const ref_function *function = &link->functions[entry->function];
  const bool clear = ref_relocate_kind(link, entry->type) == REF_KIND_CLEAR;
  if (!function->live || entry->symbol == REF_NONE) {
    ref_trace_tell(link, REF_TRACE_RELOC, "ignore reloc on dead func %s", function->name);
    return clear ? REF_CLEAR : REF_DROP;
  }
  if (ref_function_is_internal(link, function)) {
    return ref_relocate_classify_internal(link, entry, clear);
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  const bool waits = link->relocatable && symbol->bind == REF_BIND_WEAK;         /* RF155 */
  const bool unified = ref_relocate_kind(link, entry->type) == REF_KIND_UNIFIED; /* RF207 */
  if ((symbol->other & VISIBILITY) == HIDDEN && !waits && !unified) {
    return REF_APPLY;
  }
  return clear || ref_relocate_is_nothing(link, entry->type) ? REF_DROP : REF_KEEP;
}

/* L575: with -r whole addresses wait for the link that gives slots; shorter fields do not (D2). */
static bool ref_relocate_waits_for_slot(const ref_link *link, uint32_t type) {
  return link->relocatable &&
         (type == TYPE_ADDRESS_26 || type == TYPE_ADDRESS_23 || type == TYPE_ADDRESS_20 || type == TYPE_ADDRESS_32);
}

/* RF218: in the data of a capsule a texture has no slot; the SASS view has what the Mercury view writes. */
static bool ref_relocate_is_texture_data(const ref_link *link, const ref_out_relocation *entry) {
  return link->is_capsule && link->sections[entry->target].info_function == REF_NONE;
}

/* R27: both types of it. */
static ref_action ref_relocate_drop_yield(ref_link *link) {
  ref_trace_tell(link, REF_TRACE_RELOC,
                 "Ignoring the reloc to convert YIELD to NOP due to forward progress requirement.");
  return REF_DROP;
}

/* RF228: 3 and 4 ask for a slot in an executable, all others stay. */
static ref_action ref_relocate_classify_foreign_texture(ref_link *link, const ref_out_relocation *entry) {
  const bool slot = entry->type == REF_MERCURY_FIRST + TYPE_G32 || entry->type == REF_MERCURY_FIRST + TYPE_G64;
  if (slot && !entry->asked_unified && !link->relocatable) {
    ref_relocate_refuse_foreign(link);
  }
  return REF_KEEP;
}

/* R18 */
static ref_action ref_relocate_classify_texture(ref_link *link, const ref_out_relocation *entry) {
  if (ref_relocate_is_texture_data(link, entry) && (entry->asked_unified || entry->type == TYPE_WORD)) {
    return entry->asked_unified ? REF_KEEP : REF_APPLY;
  }
  if (ref_relocate_is_foreign(link, entry->type) && ref_relocate_kind(link, entry->type) != REF_KIND_CLEAR) {
    return ref_relocate_classify_foreign_texture(link, entry);
  }
  switch (ref_relocate_texture(entry->type)) {
  case REF_TEXTURE_SLOT: /* RF820: what was a unified type has none */
    return entry->asked_unified || ref_relocate_waits_for_slot(link, entry->type) ? REF_KEEP : REF_APPLY;
  case REF_TEXTURE_ZERO:
    return REF_APPLY;
  case REF_TEXTURE_DROP: /* an executable's have gone when it has slots */
    return link->relocatable ? ref_relocate_drop_yield(link) : REF_DROP;
  case REF_TEXTURE_NONE:
    return REF_KEEP_NOTHING;
  case REF_TEXTURE_REFUSE:
    ref_message_fatal(link, "E82", "Internal error: PC relative branch address should be in the same section");
  case REF_TEXTURE_CRASH:
    ref_message_fatal(link, "D15", "function descriptor relocation %u against a texture", entry->type);
  default:
    return REF_KEEP;
  }
}

static bool ref_relocate_is_in_section(const ref_link *link, const ref_out_relocation *entry) {
  return entry->symbol != REF_NONE && link->symbols[entry->symbol].section == entry->target;
}

/* L488: of what an entry in unified data is about nvlink looks for the new place, which only what lies there has; before it looks at the
 * type. */
static void ref_relocate_check_unified(ref_link *link, const ref_out_relocation *entry, ref_kind kind) {
  const bool looks = kind == REF_KIND_APPLY || kind == REF_KIND_PC_RELATIVE || kind == REF_KIND_SENTINEL;
  const bool inside = entry->symbol != REF_NONE && link->symbols[entry->symbol].section == entry->target;
  if (looks && !inside && link->has_index && !link->relocatable && link->sections[entry->target].type == REF_TYPE_UDT) {
    ref_message_fatal(link, "L488", "Internal error: reloc address not found");
  }
}

/* L1259: what an entry in a jump slot is about is a function or what no file defines. */
static void ref_relocate_check_slot_symbol(ref_link *link, const ref_out_relocation *entry, ref_kind kind) {
  const bool looks = kind == REF_KIND_APPLY || kind == REF_KIND_PC_RELATIVE || kind == REF_KIND_SENTINEL;
  const bool placed =
      entry->function == REF_NONE && entry->symbol != REF_NONE && link->symbols[entry->symbol].section != REF_NONE;
  if (looks && placed && link->has_index && !link->relocatable && link->sections[entry->target].type == REF_TYPE_UFT) {
    ref_message_fatal(link, "L1259", "Internal error: reloc address not found");
  }
}

/* Section 2.2: by type, for what no rule about the symbol took. */
static ref_action ref_relocate_classify_type(ref_link *link, const ref_out_relocation *entry) {
  const bool shared = entry->symbol != REF_NONE && link->symbols[entry->symbol].type == REF_SYMBOL_CUDA_OBJECT &&
                      (link->symbols[entry->symbol].other & REF_SPACE_MASK) == REF_SPACE_SHARED;
  const ref_kind kind = ref_relocate_kind(link, entry->type);
  ref_relocate_check_unified(link, entry, kind);
  ref_relocate_check_slot_symbol(link, entry, kind);
  switch (kind) {
  case REF_KIND_PC_RELATIVE:
    if (!link->job->bug_compatible && ref_relocate_is_in_section(link, entry)) {
      return REF_APPLY; /* D61 */
    }
    ref_message_fatal(link, "E82", "Internal error: PC relative branch address should be in the same section");
  case REF_KIND_RUNTIME:
    return REF_KEEP;
  case REF_KIND_YIELD:
    return ref_relocate_drop_yield(link);
  case REF_KIND_NONE: /* RF992: Mercury's last one leaves a record */
    return link->view->is_mercury && entry->has_addend && entry->type == REF_MERCURY_FIRST + REF_MERCURY_TYPES - 1
               ? REF_RECORD
               : REF_DROP;
  case REF_KIND_CLEAR:
    if (entry->names_dead_code) {
      return REF_CLEAR; /* as R15; RF546: of no other section that does not come along */
    }
    if (entry->symbol != REF_NONE && (link->symbols[entry->symbol].other & VISIBILITY) == INTERNAL) {
      return REF_CLEAR; /* L571 */
    }
    if (link->relocatable) {
      return REF_DROP; /* R28 */
    }
    if ((!shared && !entry->names_gone_shared) || ref_options_keep_shared_symbols(link)) { /* RF638: not with -g */
      return REF_DROP;
    }
    if (entry->names_gone_shared) {
      return REF_CLEAR; /* RF1381 */
    }
    return link->symbols[entry->symbol].section != REF_NONE || link->symbols[entry->symbol].is_extern_shared ? REF_CLEAR
                                                                                                             : REF_DROP;
  case REF_KIND_FUNC_DESC:
    if (entry->function != REF_NONE || (link->is_capsule && !link->view->is_mercury)) {
      return REF_KEEP; /* R14: hidden; RF1027 */
    }
    ref_message_fatal(link, "D15", "function descriptor relocation %u against something else", entry->type);
  case REF_KIND_SENTINEL:
    if (ref_relocation_row_of(entry->type) == NULL) {
      ref_message_fatal(link, "D42", "relocation of unknown type %u", entry->type);
    }
    ref_message_fatal(link, "E67", "Internal error: unexpected NVRS");
  case REF_KIND_UNIFIED:
    return link->relocatable || link->has_index ? REF_KEEP : REF_APPLY; /* R53, RF756, RF860 */
  default:
    return REF_APPLY;
  }
}

static bool ref_relocate_is_texture(const ref_out_symbol *symbol) {
  return symbol->type >= REF_SYMBOL_TEXTURE && symbol->type <= REF_SYMBOL_SURFACE;
}

/* RF87, M28: the system's shared memory. */
static bool ref_relocate_is_reserved(const ref_link *link, const ref_out_symbol *symbol) {
  return symbol->section != REF_NONE && link->sections[symbol->section].type == REF_TYPE_SHARED_RESERVED;
}

/* R13a, R13b, L580: with -r all stay, 72 and 73 without their type; in an executable unified types ask for the table's place. */
static ref_action ref_relocate_classify_table(ref_link *link, const ref_out_relocation *entry,
                                              const ref_out_symbol *symbol) {
  const bool offset = REF_IS(symbol->name, "__UFT_OFFSET");
  const bool kept_type = ref_relocate_is_nothing(link, entry->type) || entry->asked_unified;
  const ref_action keep =
      ref_relocate_kind(link, entry->type) == REF_KIND_CLEAR ? REF_KEEP_NOTHING : REF_KEEP; /* RF757 */
  if (link->relocatable && !offset) {
    return keep;
  }
  if (kept_type && !offset && !ref_unified_is_placed(link)) {
    return REF_KEEP; /* RF719: and ends the link as what stays does */
  }
  const bool waits = offset ? ref_unified_keeps_offset(link) : ref_unified_is_placed(link); /* U12 */
  if (!waits && offset) {
    ref_trace_tell(link, REF_TRACE_RELOC, "ignore reloc on UFT_OFFSET");
  } else if (!waits) {
    ref_trace_tell(link, REF_TRACE_RELOC, "replace unified reloc %u with 0", entry->type);
  }
  return waits ? keep : REF_DROP;
}

/* R19 */
bool ref_relocate_names_reserved(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  return symbol != NULL && symbol->section == REF_NONE && !symbol->is_extern_shared &&
         strncmp(symbol->name, ".nv.reservedSmem.", 17) == 0;
}

/* RF641: with -r, entries that change nothing, against what is weak and undefined or a constant. D91: by default 72 and 73 stay. */
static bool ref_relocate_drops_weak(const ref_link *link, const ref_out_relocation *entry,
                                    const ref_out_symbol *symbol) {
  const bool nothing = ref_relocate_is_nothing(link, entry->type);
  const bool clear = ref_relocate_kind(link, entry->type) == REF_KIND_CLEAR;
  if (symbol->section == REF_NONE && !symbol->is_extern_shared) {
    return nothing || clear;
  }
  const bool constant =
      (symbol->other & REF_SPACE_MASK) == REF_SPACE_CONSTANT ||
      (symbol->section != REF_NONE && ref_section_type_is_constant(link->sections[symbol->section].type));
  const bool defined = !link->is_capsule && symbol->section != REF_NONE; /* RF1124 */
  const bool goes = defined ? (symbol->other & VISIBILITY) != INTERNAL : constant;
  return ((constant || defined) && nothing) || (goes && clear && link->job->bug_compatible);
}

/* RF1047: an executable without capsules has slots for textures of those names, too. */
static bool ref_relocate_asks_for_slot(ref_link *link, const ref_out_relocation *entry) {
  return !link->is_capsule && !link->relocatable && ref_relocate_is_texture(&link->symbols[entry->symbol]) &&
         ref_relocate_texture(entry->type) == REF_TEXTURE_SLOT &&
         ref_relocate_classify_texture(link, entry) == REF_APPLY;
}

static ref_action ref_relocate_classify_now(ref_link *link, ref_out_relocation *entry) {
  if (entry->symbol != REF_NONE && ref_relocate_is_unified_table(&link->symbols[entry->symbol]) &&
      !ref_relocate_asks_for_slot(link, entry)) {
    return ref_relocate_classify_table(link, entry, &link->symbols[entry->symbol]);
  }
  if (entry->function != REF_NONE) {
    const ref_action action = ref_relocate_classify_function(link, entry);
    return action == REF_APPLY ? ref_relocate_classify_type(link, entry) : action;
  }
  if (entry->symbol == REF_NONE) {
    return ref_relocate_classify_type(link, entry);
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  if (ref_relocate_is_global(link, symbol)) {
    return REF_KEEP;
  }
  if (ref_relocate_is_texture(symbol) && ref_capsule_keeps_texture(link)) {
    ref_capsule_point_to_table(link, entry);
    return ref_relocate_kind(link, entry->type) == REF_KIND_CLEAR ? REF_KEEP_NOTHING : REF_KEEP; /* L572 */
  }
  if (ref_relocate_is_texture(symbol)) {
    return ref_relocate_classify_texture(link, entry);
  }
  if (link->view->is_mercury && ref_relocate_is_reserved(link, symbol)) {
    return REF_KEEP; /* RF87 */
  }
  const bool undefined = symbol->section == REF_NONE && !symbol->is_extern_shared;
  const bool clear = ref_relocate_kind(link, entry->type) == REF_KIND_CLEAR;
  if (ref_relocate_names_reserved(link, entry)) {
    return clear ? REF_KEEP_NOTHING : REF_KEEP; /* R19 */
  }
  if (undefined && symbol->type == REF_SYMBOL_CUDA_OBJECT && (symbol->other & REF_SPACE_MASK) == REF_SPACE_GLOBAL) {
    return REF_KEEP; /* R21 */
  }
  const bool nothing = ref_relocate_is_nothing(link, entry->type);
  if (symbol->is_extern_shared && link->relocatable && ref_relocatable_move_to_instance(link, entry)) {
    return nothing ? REF_DROP : REF_KEEP; /* L572 */
  }
  if (link->relocatable && symbol->bind == REF_BIND_WEAK) {
    if (undefined && entry->type == REF_MERCURY_FIRST) {
      ref_relocate_refuse_foreign(link);
    }
    return ref_relocate_drops_weak(link, entry, symbol) ? REF_DROP : REF_KEEP; /* R54b, RF106, L572 */
  }
  const ref_kind kind = ref_relocate_kind(link, entry->type);
  const bool waits =
      kind == REF_KIND_APPLY || ref_relocatable_has_instance(link, entry); /* RF921: what needs a place */
  if (symbol->is_extern_shared && waits && ref_relocatable_is_default(link) && !ref_options_list_shared_symbols(link)) {
    return REF_APPLY; /* D6: what stays is decided by ref_relocatable_keeps, where no names stay (RF442) */
  }
  if (undefined && (strncmp(symbol->name, ".nv.independent.", 16) == 0 || ref_symbol_is_provided(symbol->name))) {
    return REF_KEEP; /* B10, L840 */
  }
  return ref_relocate_classify_type(link, entry);
}

/* L1977: what its own file calls a function is another file's object. */
static bool ref_relocate_names_object(const ref_link *link, const ref_out_relocation *entry) {
  const uint8_t defined = entry->symbol == REF_NONE ? 0 : link->symbols[entry->symbol].defined_type;
  return !link->relocatable && defined != 0 && defined != REF_SYMBOL_FUNC;
}

/* D15: nvlink ends by a signal over a function descriptor of what is no function, kept or not. */
static void ref_relocate_check_descriptor(ref_link *link, const ref_out_relocation *entry) {
  if (link->is_capsule && !link->view->is_mercury) { /* RF1027: a capsule's SASS entries are made of Mercury's */
    return;
  }
  const bool descriptor = ref_relocate_kind(link, entry->type) == REF_KIND_FUNC_DESC ||
                          entry->type == REF_MERCURY_FIRST + MERCURY_DESCRIPTOR;
  const bool none = entry->function == REF_NONE || ref_relocate_names_object(link, entry);
  if (descriptor && none && !ref_relocate_is_foreign(link, entry->type)) {
    ref_message_fatal(link, "D15", "function descriptor relocation %u against something else", entry->type);
  }
}

/* L572: the SASS view of a capsule's data has no entry without a type. */
static bool ref_relocate_is_plain_data(const ref_link *link, const ref_out_relocation *entry) {
  return link->is_capsule && !link->view->is_mercury && link->sections[entry->target].info_function == REF_NONE;
}

static bool ref_relocate_is_in_code(const ref_link *link, const ref_out_relocation *entry) {
  return link->sections[entry->target].info_function != REF_NONE;
}

/* L565: what of a capsule's code has instructions of its own in the SASS view is decided as in the Mercury view: halves of an address are
 * for the loader, a whole address is written into the capsule or stays. */
static ref_action ref_relocate_classify_code(ref_link *link, ref_out_relocation *entry) {
  const ref_action action = ref_relocate_classify_now(link, entry);
  if (entry->type == TYPE_LOW || entry->type == TYPE_HIGH) {
    return action == REF_APPLY ? REF_KEEP : action;
  }
  if (entry->type == TYPE_ADDRESS_32 && ref_relocate_names_reserved(link, entry)) {
    return REF_APPLY; /* RF217 */
  }
  if (entry->type != TYPE_ADDRESS_55 || action != REF_KEEP) {
    return action;
  }
  ref_out_relocation whole = *entry;
  whole.type = TYPE_ADDRESS_64;
  const bool written = ref_relocate_classify_now(link, &whole) == REF_APPLY && !ref_relocatable_keeps(link, entry);
  return written ? REF_RECORD : action; /* RF923: what Mercury keeps by default stays here, too */
}

/* D91: by default what clears the traces of dead code waits for the final link, whatever it is about but nvlink's own names. */
static bool ref_relocate_waits_to_clear(const ref_link *link, const ref_out_relocation *entry) {
  return ref_relocatable_is_default(link) && ref_relocate_kind(link, entry->type) == REF_KIND_CLEAR &&
         entry->symbol != REF_NONE && !ref_relocate_is_unified_table(&link->symbols[entry->symbol]) &&
         !ref_relocate_names_reserved(link, entry);
}

/* RF224: where a unit of `.debug_info` has its lines, a further link decides. */
static bool ref_relocate_waits_for_lines(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  return link->relocatable && link->is_capsule && entry->type == TYPE_WORD && symbol != NULL &&
         symbol->type == REF_SYMBOL_SECTION && symbol->section != REF_NONE &&
         REF_IS(link->sections[symbol->section].name, ".debug_line");
}

static uint64_t ref_relocate_size_of(const ref_link *link, size_t function) {
  const bool known =
      function != REF_NONE && !link->functions[function].is_stub && link->functions[function].symbol != REF_NONE;
  return known ? link->symbols[link->functions[function].symbol].size : 0;
}

/* R58, RF227: places in Mercury's code are decoded ones, of which the function's symbol has the number. RF685: of a text that is called after
 * an alias (L807) the one of both that has it. */
static uint64_t ref_relocate_end_of(const ref_link *link, const ref_out_section *target) {
  if (!link->view->is_mercury || target->info_function == REF_NONE) {
    return target->size;
  }
  const size_t led = link->functions[target->info_function].leads;
  const size_t first = led == REF_NONE ? target->info_function : led;
  uint64_t size = ref_relocate_size_of(link, first);
  if (size == 0) {
    size = link->functions[first].size_of_names;
  }
  return size == 0 ? UINT64_MAX : size;
}

static void ref_relocate_measure_names(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    const size_t primary = link->functions[i].alias_of;
    if (primary != REF_NONE && !link->functions[primary].is_stub) {
      ref_function *function = &link->functions[primary];
      function->size_of_names = ref_larger(ref_relocate_size_of(link, i), function->size_of_names);
    }
  }
}

/* What nvlink writes stays by default, but what it cannot write ends the link all the same. */
static void ref_relocate_check_place(ref_link *link, const ref_out_relocation *entry) {
  if (entry->offset >= link->sections[entry->target].data.size) {
    ref_message_fatal(link, "E63", "Internal error: reloc address not found");
  }
}

/* RF604: so does a place behind the end of Mercury's code, decoded. */
static void ref_relocate_check_code_place(ref_link *link, const ref_out_relocation *entry) {
  if (entry->offset >= ref_relocate_end_of(link, &link->sections[entry->target])) {
    ref_message_fatal(link, "RF604", "Internal error: reloc address not found");
  }
}

/* What stays by default (D1, D92) and nvlink carries out. RF1254: of a capsule Mercury's. */
static void ref_relocate_check_kept_place(ref_link *link, const ref_out_relocation *entry) {
  if (link->view->is_mercury && link->sections[entry->target].info_function != REF_NONE) {
    ref_relocate_check_code_place(link, entry);
  } else if (!link->is_capsule || link->view->is_mercury) {
    ref_relocate_check_place(link, entry);
  }
}

static ref_action ref_relocate_classify(ref_link *link, ref_out_relocation *entry) {
  const bool code = link->is_capsule && !link->view->is_mercury && ref_relocate_is_in_code(link, entry);
  const ref_action action = code ? ref_relocate_classify_code(link, entry) : ref_relocate_classify_now(link, entry);
  ref_relocate_check_descriptor(link, entry);
  if (action != REF_KEEP && (ref_relocate_waits_to_clear(link, entry) || ref_relocate_waits_for_lines(link, entry))) {
    return REF_KEEP;
  }
  if (action == REF_KEEP_NOTHING && ref_relocate_is_plain_data(link, entry)) {
    return REF_DROP;
  }
  const bool loader = action == REF_APPLY && entry->is_of_loader; /* L585 */
  const bool keeps = !loader && action == REF_APPLY && ref_relocatable_keeps(link, entry);
  if (keeps && !ref_relocatable_has_instance(link, entry)) {
    ref_relocate_check_kept_place(link, entry);
  }
  return loader || keeps ? REF_KEEP : action;
}

/* RF49: what `isspacep` compares with: the size of all user constants, -1 when there are none. */
uint64_t ref_relocate_constant_size(const ref_link *link) {
  const size_t section = ref_map_find(&link->section_by_name, link->view->user_name);
  return section == REF_NONE ? (uint64_t)-1 : link->sections[section].size;
}

/* R1 and what each class of symbol has for S. */
/* Of extern shared memory: -1 where no kernel gives it a place. */
static uint64_t ref_relocate_extern_place(const ref_link *link, const ref_out_relocation *entry) {
  const size_t function = link->sections[entry->target].info_function;
  return function == REF_NONE ? UINT64_MAX : ref_shared_extern_offset(link, &link->functions[function]);
}

/* An object of size 0 that is a kernel's own. */
static bool ref_relocate_is_own_empty(const ref_link *link, const ref_out_symbol *symbol) {
  return symbol->is_extern_shared && symbol->section != REF_NONE &&
         !REF_IS(link->sections[symbol->section].name, ".nv_debug.shared");
}

static uint64_t ref_relocate_symbol_value(ref_link *link, const ref_out_relocation *entry) {
  const uint64_t none = (uint64_t)-1;
  if (entry->names_constant_size) {
    return ref_relocate_constant_size(link);
  }
  if (entry->symbol == REF_NONE) {
    if (entry->names_gone_shared) {
      return none; /* W11.7 */
    }
    if (entry->names_dead_constant || entry->names_unlisted) {
      return entry->gone_value; /* RF554 */
    }
    if (entry->names_gone_section && !entry->names_dead_code && entry->gone_type == REF_TYPE_SHARED) {
      return 0; /* RF714: the pool's */
    }
    return link->job->bug_compatible ? link->null_symbol_value : 0; /* W17.14, D79 */
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  if (symbol->type == REF_SYMBOL_SECTION) {
    return 0;
  }
  if (symbol->is_extern_shared && link->relocatable) {
    const bool valued = ref_options_keep_shared_symbols(link) || symbol->section != REF_NONE; /* RF248 */
    return valued ? symbol->value : 0;                                                        /* R54b, W17.5 */
  }
  if (symbol->is_extern_shared && !ref_options_keep_shared_symbols(link)) {
    const uint64_t place = ref_relocate_extern_place(link, entry);
    return place == none ? ref_shared_unreached_place(link, symbol) : place;
  }
  if (ref_relocate_is_texture(symbol)) {
    const bool slot = ref_relocate_texture(entry->type) == REF_TEXTURE_SLOT && !link->relocatable && /* W10.6 */
                      !ref_relocate_is_texture_data(link, entry);
    return slot ? ref_bindless_value(link, symbol, entry->type) : 0;
  }
  if (ref_relocate_names_reserved(link, entry)) {
    return symbol->value; /* RF217 */
  }
  if (symbol->section == REF_NONE) {
    const bool mentioned = link->relocatable && entry->function != REF_NONE;
    return link->job->bug_compatible && !mentioned ? none : 0; /* R22, D13; L905 */
  }
  const uint64_t reserved =
      ref_relocate_is_reserved(link, symbol) && ref_target_has_capsules(link->sm) ? SYSTEM_RESERVED : 0;
  return symbol->value + reserved + ref_constants_offset_of_section(link, symbol->section);
}

/* R6 */
static uint32_t ref_relocate_bank(ref_link *link, const ref_out_relocation *entry) {
  if (entry->symbol == REF_NONE) {
    const bool gone = entry->names_gone_section || entry->names_unlisted || entry->names_gone_shared; /* RF553, RF800 */
    return gone ? (entry->gone_type - REF_TYPE_CONSTANT) & 31 : NO_BANK;                              /* RF401 */
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  if (ref_relocate_is_texture(symbol) && ref_relocate_texture(entry->type) == REF_TEXTURE_SLOT && !link->relocatable) {
    return 0;
  }
  const bool placed = symbol->is_extern_shared && !link->relocatable && !ref_options_keep_shared_symbols(link) &&
                      ref_relocate_extern_place(link, entry) != UINT64_MAX; /* RF561, RF638 */
  const bool nowhere = symbol->section == REF_NONE || placed;
  const bool unplaced = symbol->is_extern_shared && !placed; /* L1096: no section of shared memory need be there */
  const uint32_t type = unplaced ? REF_TYPE_SHARED : nowhere ? 0 : link->sections[symbol->section].type;
  if (type == 0 && link->is_capsule && (symbol->other & REF_SPACE_MASK) == REF_SPACE_CONSTANT) {
    return USER_BANK; /* RF178: a capsule's record says what is loaded */
  }
  return (type - REF_TYPE_CONSTANT) & 31;
}

/* L1100, RF643: of extern shared memory; 16 where a kernel gives it a place, and else what it was mentioned or defined with first, with -g not
 * less than 16. */
static uint64_t ref_relocate_extern_auxiliary(const ref_link *link, const ref_out_symbol *symbol, uint64_t value) {
  const uint64_t declared = symbol->is_only_mentioned ? symbol->mentioned_value : symbol->auxiliary;
  if (ref_option_given(link, REF_OPTION_DEBUG)) {
    return ref_larger(declared, EXTERN_SHARED_ALIGN);
  }
  return link->relocatable || value == UINT64_MAX ? declared : EXTERN_SHARED_ALIGN;
}

/* R7; RF25: of a function (a hidden one, R14) its number in order of creation, as in the call graph's dump. */
static uint64_t ref_relocate_auxiliary(ref_link *link, const ref_out_relocation *entry) {
  if (entry->symbol == REF_NONE) {
    return entry->gone_align; /* L1095 */
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  if (symbol->is_extern_shared) {
    return ref_relocate_extern_auxiliary(link, symbol, ref_relocate_extern_place(link, entry));
  }
  return symbol->function == REF_NONE ? symbol->auxiliary : symbol->function + 1;
}

/* A compiler constant above 64 KB: E33 has named its kernels, its loads are not named once more. RF1255: those are loads of what it has. */
static bool ref_relocate_is_over_limit(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  return symbol != NULL && symbol->section != REF_NONE &&
         link->sections[symbol->section].type == link->view->optimizer_type && entry->addend >= 0 &&
         (uint64_t)entry->addend < symbol->size &&
         symbol->value + ref_constants_offset_of_section(link, symbol->section) >= CONSTANT_LIMIT;
}

/* D38: by default a warning for a value that fits its field neither as signed nor as unsigned; the bytes are the same. */
static void ref_relocate_check_fit(ref_link *link, const ref_relocation_row *row, uint64_t value) {
  const ref_field *field = &row->fields[0];
  const unsigned scale = field->source == REF_FROM_SHR2 ? 2 : 0;
  const unsigned width = field->width + scale;
  if (link->job->bug_compatible || width >= 64 || (field->source != REF_FROM_ABS && field->source != REF_FROM_SHR2)) {
    return;
  }
  const bool fits_unsigned = value >> width == 0;
  const bool fits_signed = value >> (width - 1) == UINT64_MAX >> (width - 1);
  if (!fits_unsigned && !fits_signed) {
    ref_message_warn(link, "D38", "Value 0x%llx of relocation %s does not fit its field", (unsigned long long)value,
                     row->name);
  }
}

/* D12: the old content of a field that stays, as an addend. */
static uint64_t ref_relocate_old_addend(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_section *target = &link->sections[entry->target];
  const ref_relocation_row *row = ref_relocation_row_of(entry->type);
  static const ref_field addresses[] = {{0, 32, REF_FROM_ABS}, {0, 64, REF_FROM_ABS}};
  if (!entry->adds_old || row == NULL) {
    return 0;
  }
  const bool of_driver = entry->type == TYPE_G32 || entry->type == TYPE_G64; /* RF133: never applied here */
  const ref_field *field = of_driver ? &addresses[entry->type == TYPE_G64] : &row->fields[0];
  const uint64_t old = ref_field_read(field, target->data.data, target->data.size, entry->offset);
  const unsigned scale = field->source == REF_FROM_SHR2 ? 2 : field->source == REF_FROM_HI ? 32 : 0;
  return old << scale;
}

/* RF735, L1212: of a load in a capsule's SASS code about no constants the record says the bank. */
static bool ref_relocate_keeps_bank(const ref_link *link, const ref_out_relocation *entry, const ref_field *field) {
  if ((field->source != REF_FROM_BANK_LO && field->source != REF_FROM_BANK_HI) || !ref_view_is_derived(link) ||
      link->sections[entry->target].info_function == REF_NONE || entry->names_gone_section || entry->names_unlisted) {
    return false;
  }
  if (entry->symbol == REF_NONE) {
    return true;
  }
  const ref_out_symbol *symbol = &link->symbols[entry->symbol];
  return symbol->section != REF_NONE && !symbol->is_extern_shared &&
         !ref_section_type_is_constant(link->sections[symbol->section].type) && !ref_relocate_is_texture(symbol);
}

/* RF904 */
void ref_relocate_keep_unpatched(ref_link *link, ref_out_section *target) {
  if (ref_view_is_derived(link) && target->info_function != REF_NONE && target->unpatched.data == NULL) {
    ref_bytes_add(link, &target->unpatched, target->data.data, target->data.size);
  }
}

/* RF1053: debug data of a capsule's SASS side, whose entries count for nothing. */
static bool ref_relocate_is_made_of_mercury(const ref_link *link, const ref_out_section *target) {
  return link->is_capsule && !link->view->is_mercury && target->type == REF_TYPE_PROGBITS &&
         (target->flags & (REF_FLAG_ALLOC | REF_FLAG_EXEC)) == 0;
}

/* RF1379: a field that runs past the end of its file's data is read and written as far as they go. */
size_t ref_relocate_end_of_block(const ref_link *link, const ref_out_relocation *entry) {
  const ref_file *file = &link->files[entry->file];
  const size_t size = link->sections[entry->target].data.size, source = entry->input_target;
  if (source >= file->cubin.section_count || file->section_of[source] != entry->target ||
      file->offset_in[source] != entry->offset - entry->input_offset ||
      entry->input_offset >= file->cubin.sections[source].size) { /* in another file's */
    return size;
  }
  const uint64_t end = file->offset_in[source] + file->cubin.sections[source].size;
  return end < size ? (size_t)end : size;
}

/* R2-R5, R9a */
static void ref_relocate_patch(ref_link *link, const ref_out_relocation *entry, bool clear) {
  ref_out_section *target = &link->sections[entry->target];
  const ref_relocation_row *row = ref_relocation_row_of(entry->type);
  if (link->view->is_mercury && target->info_function != REF_NONE) {
    ref_relocate_check_code_place(link, entry); /* RF900: written later */
    if (row != NULL && !clear && !ref_relocate_is_foreign(link, entry->type)) {
      ref_relocate_check_fit(link, row, ref_relocate_symbol_value(link, entry) + (uint64_t)entry->addend); /* RF927 */
    }
    return;
  }
  if (ref_relocate_is_made_of_mercury(link, target)) {
    return;
  }
  ref_relocate_check_place(link, entry);
  if (row == NULL || ref_relocate_is_foreign(link, entry->type)) { /* nvlink's table has nothing to write by (RF228) */
    ref_relocate_refuse_foreign(link);
  }
  ref_relocate_keep_unpatched(link, target);
  const uint64_t addend = entry->has_addend ? (uint64_t)entry->addend : 0;
  const uint64_t place = ref_relocate_kind(link, entry->type) == REF_KIND_PC_RELATIVE ? entry->offset : 0;
  const uint64_t value = clear ? 0 : ref_relocate_symbol_value(link, entry) + addend - place;
  const uint64_t auxiliary = ref_relocate_auxiliary(link, entry);
  const uint32_t bank = ref_relocate_bank(link, entry);
  const size_t end = ref_relocate_end_of_block(link, entry);
  if (!clear && !ref_relocate_is_over_limit(link, entry)) {
    ref_relocate_check_fit(link, row, value);
  }
  for (size_t i = 0; i < REF_RELOCATION_FIELDS && row->fields[i].width != 0; i++) {
    const ref_field *field = &row->fields[i];
    if (entry->offset + (field->start + field->width + 7u) / 8 > target->size) {
      ref_message_fatal(link, "D14", "relocation %u at 0x%llx runs past the end of section '%s'", entry->type,
                        (unsigned long long)entry->offset, target->name);
    }
    if (ref_relocate_keeps_bank(link, entry, field)) {
      continue;
    }
    const bool adds_old = !entry->has_addend || entry->adds_old;
    const uint64_t old = adds_old ? ref_field_read(field, target->data.data, end, entry->offset) : 0;
    const uint64_t content = ref_field_value(field, value, old, bank, auxiliary + addend);
    ref_field_write(field, target->data.data, end, entry->offset, content);
    ref_twins_write(link, entry, field, content);
  }
}

/* V11a, D63: an alias that nothing live uses, of a function that lives, or a live one of a function that nothing live
 * uses. */
void ref_relocate_check_aliases(ref_link *link) {
  for (size_t i = 0; i < link->function_count; i++) {
    const ref_function *alias = &link->functions[i];
    const bool lives = alias->live && !alias->local && !alias->weak && !link->is_capsule; /* RF1129 */
    if (alias->alias_of != REF_NONE && alias->live != link->functions[alias->alias_of].live &&
        (lives || !ref_function_alias_goes_by_section(link, alias)) && link->job->bug_compatible) {
      ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
    }
  }
}

/* RF78: nvlink stops where a capsule's body was replaced and entries of it went, before anything undefined is reported (RF255); by
 * default the link goes on. */
void ref_relocate_check_dropped(ref_link *link) {
  if (link->view->is_mercury && link->drops_entries && link->job->bug_compatible && ref_options_list_names(link) &&
      !link->relocatable) { /* RF154 */
    ref_message_fatal(link, "R73", "Internal error: unexpected reloc");
  }
}

/* RF163: an object that was refused has no place; below sm_90 and in capsules nvlink stumbles over it
 * where its symbol is in the output. RF576: behind what is said of registers and of entries that stay. */
void ref_relocate_check_refused(ref_link *link) {
  if (!link->has_refused_shared || (link->sm >= 90 && !link->is_capsule)) {
    return;
  }
  if (ref_options_keep_shared_symbols(link)) {
    ref_message_fatal(link, "E70", "Internal error: unallocated symbol");
  }
  if (link->preserves) {
    ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
  }
}

/* RF161, L571: what was cleared leaves a record, but for extern shared memory and what is gone. */
static bool ref_relocate_records_cleared(const ref_link *link, const ref_out_relocation *entry) {
  if (entry->function != REF_NONE) {
    return ref_function_is_internal(link, &link->functions[entry->function]);
  }
  return entry->symbol != REF_NONE && !link->symbols[entry->symbol].is_extern_shared;
}

/* R11, R53, U12; L585: a unified half for the loader has Mercury's number in the SASS view, too. */
static uint32_t ref_relocate_plain_type(const ref_link *link, const ref_out_relocation *entry) {
  if (link->relocatable || link->has_index) {
    return entry->type;
  }
  if (entry->is_of_loader && (entry->type == TYPE_UNIFIED_LOW || entry->type == TYPE_UNIFIED_HIGH)) {
    return entry->type == TYPE_UNIFIED_LOW ? REF_MERCURY_LOW : REF_MERCURY_HIGH;
  }
  return ref_relocation_rewrite(entry->type);
}

/* L483: an entry in a section of the type of jump slots is one of a slot, whose function an executable looks for. */
static void ref_relocate_check_slot(ref_link *link, const ref_out_relocation *entry) {
  if (!link->relocatable && link->sections[entry->target].type == REF_TYPE_UFT && entry->target != link->slot_section) {
    ref_message_fatal(link, "E74", "Internal error: UFT stub match not found");
  }
}

/* L1256: nothing is done about an entry in a section that is empty in the output. */
static bool ref_relocate_is_in_empty(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_section *target = &link->sections[entry->target];
  return target->size == 0 && target->data.size == 0;
}

/* R10: last in, first out; every apply comes before any kept entry is looked at. RF229: and before anything undefined is reported. */
void ref_relocate_apply(ref_link *link) {
  ref_relocate_measure_names(link);
  for (size_t i = link->relocation_count; i-- > 0;) {
    ref_out_relocation *entry = &link->relocations[i];
    if (entry->dropped || link->sections[entry->target].dropped || ref_relocate_is_in_empty(link, entry)) {
      entry->dropped = true;
      continue;
    }
    ref_relocate_check_slot(link, entry);
    const uint32_t type = entry->type;
    entry->type = ref_relocate_plain_type(link, entry);
    entry->asked_unified = entry->type != type;
    if (entry->asked_unified) {
      ref_trace_tell(link, REF_TRACE_RELOC, "replace unified reloc %u with %u", type, entry->type);
    }
    ref_relocate_follow_alias(link, entry);
    const ref_action action = ref_relocate_classify(link, entry);
    if (action == REF_APPLY || action == REF_RECORD ||
        (action == REF_CLEAR && ref_relocate_records_cleared(link, entry))) {
      ref_preserve_record(link, entry);
    }
    if (action == REF_APPLY || action == REF_CLEAR) {
      ref_relocate_patch(link, entry, action == REF_CLEAR);
      entry->is_applied = true;
      entry->value = action == REF_CLEAR ? 0 : ref_relocate_symbol_value(link, entry) + (uint64_t)entry->addend;
    }
    if (action == REF_KEEP_NOTHING) {
      entry->type = 0;
      entry->symbol = REF_NONE;
    }
    entry->dropped = action != REF_KEEP && action != REF_KEEP_NOTHING;
    if (!entry->dropped) {
      link->sections[entry->section].size += link->sections[entry->section].entry_size;
    }
  }
}

/* RF1016: a number of Mercury's that is so large that nvlink ends by a signal over it, but for entries about symbols of another visibility. */
static bool ref_relocate_is_wild(const ref_link *link, const ref_out_relocation *entry) {
  enum { LARGEST = 0x1800, VISIBLE = 3 };
  const ref_cubin *cubin = &link->files[entry->file].cubin;
  const bool hidden =
      entry->input_symbol < cubin->symbol_count && (cubin->symbols[entry->input_symbol].other & VISIBLE) != 0;
  return link->view->is_mercury && !hidden && entry->type > REF_MERCURY_FIRST + LARGEST;
}

/* RF1127: an object of another memory space in a pool that goes is E68, when symbols are written. */
static bool ref_relocate_is_deleted(const ref_link *link, const ref_out_symbol *symbol) {
  const bool waits = (symbol->other & VISIBILITY) != INTERNAL && ref_shared_is_foreign(link, symbol);
  return symbol->index == 0 && !waits;
}

/* L1939: with -preserve-relocs an object of size 0 that is a kernel's own has no symbol of its own for what kernels reach; with -g it has. */
static bool ref_relocate_moves_with_kernels(const ref_link *link, const ref_out_relocation *entry,
                                            const ref_out_symbol *symbol) {
  return ref_relocate_is_own_empty(link, symbol) && link->preserves && !link->relocatable && !link->is_capsule &&
         !ref_options_keep_shared_symbols(link) && ref_relocate_extern_place(link, entry) != UINT64_MAX;
}

/* RF195, RF800 */
static bool ref_relocate_names_deleted(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  if (symbol != NULL) {
    return ref_relocate_is_deleted(link, symbol) || ref_relocate_moves_with_kernels(link, entry, symbol);
  }
  return entry->names_gone_section || entry->names_unlisted || entry->names_gone_shared || entry->names_internal;
}

/* What an entry that stays ends the link with: a symbol that is not in the output, a place behind the section's end. */
static void ref_relocate_check_entry(ref_link *link, const ref_out_relocation *entry) {
  if (entry->offset >= ref_relocate_end_of(link, &link->sections[entry->target])) {
    ref_message_fatal(link, "E61", "Internal error: relocation is past end of offset");
  }
  if (link->error_count == 0 && ref_relocate_is_wild(link, entry)) { /* RF1173 */
    ref_message_fatal(link, "RF1016", "Internal error: unexpected reloc");
  }
  if (ref_relocate_names_deleted(link, entry)) {
    ref_message_fatal(link, "E69", "Internal error: reference to deleted symbol");
  }
}

/* RF802: code and memory that have no size by now stay empty. */
static bool ref_relocate_is_of_inputs(uint32_t type) {
  return type == REF_TYPE_PROGBITS || (type >= REF_TYPE_GLOBAL && type <= REF_TYPE_SHARED) || type == REF_TYPE_UFT ||
         type == REF_TYPE_UDT || ref_section_type_is_constant(type);
}

/* What is written last has no size yet: such an entry is looked at when it is written. */
bool ref_relocate_waits(const ref_link *link, const ref_out_relocation *entry) {
  const ref_out_symbol *symbol = entry->symbol == REF_NONE ? NULL : &link->symbols[entry->symbol];
  const bool named = symbol != NULL && symbol->type == REF_SYMBOL_SECTION && symbol->section != REF_NONE;
  const ref_out_section *section = named ? &link->sections[symbol->section] : NULL;
  const bool unwritten = named && section->size == 0 && !section->dropped && !ref_relocate_is_of_inputs(section->type);
  return unwritten || link->sections[entry->target].size == 0;
}

/* RF367: entries that stay are looked at before what E68 and E70 are said of. RF584, RF604: of capsules those of the Mercury view.
 * RF616: in the inputs' order, which the output turns round. */
void ref_relocate_check_kept(ref_link *link) {
  if (link->is_capsule && !link->view->is_mercury) {
    return;
  }
  bool is_numbered = link->preserves || link->is_capsule; /* others ask, too */
  if (is_numbered) {
    ref_symbols_number(link);
  }
  for (size_t i = 0; i < link->relocation_count; i++) {
    if (!link->relocations[i].dropped && !ref_relocate_waits(link, &link->relocations[i])) {
      if (!is_numbered) {
        is_numbered = true;
        ref_symbols_number(link);
      }
      ref_relocate_check_entry(link, &link->relocations[i]);
    }
  }
}

static void ref_relocate_write_entry(ref_link *link, const ref_out_relocation *entry) {
  ref_out_section *section = &link->sections[entry->section];
  const uint32_t symbol = entry->symbol == REF_NONE ? 0 : link->symbols[entry->symbol].index;
  ref_bytes_add_u64(link, &section->data, entry->offset);
  ref_bytes_add_u32(link, &section->data, entry->type);
  ref_bytes_add_u32(link, &section->data, symbol);
  if (section->type == REF_TYPE_RELA) {
    ref_bytes_add_u64(link, &section->data, (uint64_t)entry->addend + ref_relocate_old_addend(link, entry));
  }
  section->size = section->data.size;
}

/* R34: the last read comes first. */
void ref_relocate_write(ref_link *link) {
  ref_unified_check_slots(link);
  for (size_t i = 0; i < link->relocation_count; i++) { /* RF616 */
    if (!link->relocations[i].dropped) {
      ref_relocate_check_entry(link, &link->relocations[i]);
    }
  }
  for (size_t i = link->relocation_count; i-- > 0;) {
    if (!link->relocations[i].dropped) {
      ref_relocate_write_entry(link, &link->relocations[i]);
    }
  }
  ref_preserve_write(link);
  ref_bodies_write(link);
  for (size_t i = 0; i < link->copy_count; i++) {
    ref_relocate_check_entry(link, &link->copies[i]);
    ref_relocate_write_entry(link, &link->copies[i]);
  }
}
