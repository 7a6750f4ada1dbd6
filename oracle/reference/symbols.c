/* The symbol table: W4, RF712. */
#include "link.h"

#include <string.h>

enum {
  SYMBOL_BYTES = 24,
  EXTENDED = 0xffff,
  TYPE_SHIFT = 4,
  SHARED_RESERVED = 0x400,
  VISIBILITY = 3,
  INTERNAL = 1,
  HIDDEN = 2,
  SYSTEM_RESERVED = 0x40
};

/* ZM1: names that the driver provides. */
bool ref_symbol_is_system_call(const char *name) {
  static const char *const names[] = {"vprintf",
                                      "vfprintf",
                                      "malloc",
                                      "free",
                                      "__assertfail",
                                      "__profile",
                                      "cudaGraphLaunch",
                                      "cudaGraphSetConditional",
                                      "cudaGraphKernelNodeSetParam",
                                      "cudaGraphKernelNodeSetEnabled",
                                      "cudaGraphKernelNodeSetGridDim",
                                      "cudaGraphKernelNodeUpdatesApply",
                                      "cnpLaunchDevice",
                                      "cnpLaunchDeviceV2",
                                      "cnpGetParameterBuffer",
                                      "cnpGetParameterBufferV2",
                                      "cnpDeviceGetAttribute",
                                      "cnpDeviceGetName",
                                      "cnpGetDevice",
                                      "cnpGetDeviceCount",
                                      "cnpGetLastError",
                                      "cnpCtxSynchronize",
                                      "cnpStreamCreate",
                                      "cnpStreamDestroy",
                                      "cnpStreamWaitEvent",
                                      "cnpEventCreate",
                                      "cnpEventRecord",
                                      "cnpEventDestroy"};
  const bool is_like_one =
      name[0] == '_' ? name[1] == '_' : name[0] == 'c' || name[0] == 'v' || name[0] == 'm' || name[0] == 'f';
  if (!is_like_one) {
    return false;
  }
  if (strncmp(name, "__cuda_syscall", 14) == 0) {
    return true;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (ref_text_is(name, names[i])) {
      return true;
    }
  }
  return false;
}

static bool ref_symbol_is_among(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (ref_text_is(name, names[i])) {
      return true;
    }
  }
  return false;
}

/* RF107: data that nvlink or the driver provides; strong in what `-r` wrote. */
bool ref_symbol_is_provided(const char *name) {
  static const char *const names[] = {"__UFT",
                                      "__UFT_OFFSET",
                                      "__UFT_CANONICAL",
                                      "__UFT_END",
                                      "__UDT",
                                      "__UDT_OFFSET",
                                      "__UDT_CANONICAL",
                                      "__UDT_END",
                                      ".nv.independent.texrefDescSize",
                                      ".nv.independent.samplerrefDescSize",
                                      ".nv.unified.texrefDescSize",
                                      ".nv.surfrefDescSize"};
  static const char memory[] = ".nv.reservedSmem.";
  static const char *const reserved[] = {"begin", "cap", "end", "offset0", "offset1"};
  const bool is_like_one = name[0] == '_' ? name[1] == '_' && name[2] == 'U'
                                          : name[0] == '.' && name[1] == 'n' && name[2] == 'v' && name[3] == '.';
  if (!is_like_one) {
    return false; /* as nearly all */
  }
  if (strncmp(name, memory, sizeof memory - 1) == 0) {
    return ref_symbol_is_among(name + sizeof memory - 1, reserved, sizeof reserved / sizeof reserved[0]);
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i][3] == name[3] && names[i][4] == name[4] && ref_text_is(name, names[i])) {
      return true;
    }
  }
  return false;
}

/* L840: an undefined one is an ordinary object, though the input has CUDA's type for it and a memory. */
void ref_symbols_restore_provided(ref_cubin *cubin) {
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    ref_symbol *symbol = &cubin->symbols[i];
    if (symbol->section == 0 && (symbol->info & 15) == REF_SYMBOL_CUDA_OBJECT && ref_symbol_is_provided(symbol->name)) {
      symbol->info = (uint8_t)((symbol->info & 0xf0) | REF_SYMBOL_OBJECT);
    }
  }
}

/* RF1196: st_other and st_size of a texture, sampler or surface say nothing. RF1256: of capsules nor does a section, but code. */
void ref_symbols_bare_textures(ref_cubin *cubin, bool is_capsule) {
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    ref_symbol *symbol = &cubin->symbols[i];
    if (ref_bindless_mask_of(symbol->info & 15) != 0) {
      symbol->other = 0;
      symbol->size = 0;
      if (is_capsule && symbol->section >= cubin->section_count) {
        symbol->section = symbol->raw_section = 0;
        symbol->value = 0;
      }
    }
  }
}

/* L840, RF566: what an undefined one has for a value, whatever the input says. */
uint64_t ref_symbol_provided_value(const ref_link *link, const ref_symbol *input) {
  if (link->view->is_mercury) {
    return 0;
  }
  if (REF_IS(input->name, ".nv.reservedSmem.cap") && link->sm >= 90) {
    return SHARED_RESERVED;
  }
  return REF_IS(input->name, ".nv.reservedSmem.offset0") && ref_target_has_capsules(link->sm) ? SYSTEM_RESERVED : 0;
}

/* R20, R21, R79; `.extern .texref` and extern shared are not reported. */
static bool ref_symbol_is_missing(const ref_link *link, size_t number) {
  const ref_out_symbol *symbol = &link->symbols[number];
  if (symbol->section != REF_NONE || symbol->common || symbol->undefined_weak || symbol->is_extern_shared ||
      symbol->is_gone) {
    return false;
  }
  if (symbol->type == REF_SYMBOL_FUNC) {
    return symbol->bind != REF_BIND_LOCAL && link->functions[symbol->function].alias_of == REF_NONE && /* RF548 */
           !ref_function_is_internal(link, &link->functions[symbol->function]) &&                      /* RF155 */
           !ref_symbol_is_system_call(symbol->name);
  }
  if (symbol->type == REF_SYMBOL_CUDA_OBJECT && symbol->bind == REF_BIND_LOCAL) {
    return false; /* RF249 */
  }
  if (symbol->type == REF_SYMBOL_OBJECT || symbol->type == REF_SYMBOL_CUDA_OBJECT) {
    const bool hidden = (symbol->other & VISIBILITY) == INTERNAL; /* RF674, as of functions (RF155) */
    return !hidden &&
           !ref_symbol_is_provided(
               symbol->name); /* RF10: shared memory with a size too; `extern __shared__` was taken out above */
  }
  return false;
}

static bool ref_symbol_is_shared(const ref_out_symbol *symbol) {
  return symbol->type == REF_SYMBOL_CUDA_OBJECT && (symbol->other & REF_SPACE_MASK) == REF_SPACE_SHARED;
}

/* RF160: shared memory that is mentioned with a size and defined nowhere stays in every output, with the value -1; by default (D1) with its
 * alignment in what waits for a further link. */
void ref_symbols_settle_undefined(ref_link *link) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    ref_out_symbol *symbol = &link->symbols[i];
    if (ref_symbol_is_shared(symbol) && symbol->section == REF_NONE && !symbol->common && !symbol->is_extern_shared &&
        symbol->size != 0 && !ref_symbol_is_provided(symbol->name)) {
      symbol->value = ref_relocatable_is_default(link) ? symbol->value : UINT64_MAX;
      symbol->dropped = !link->relocatable && (symbol->other & VISIBILITY) == INTERNAL; /* RF1291 */
      symbol->has_no_name = symbol->dropped;
    }
  }
}

/* E20, in symbol order; that is per file and functions first (C78). */
void ref_symbols_report_undefined(ref_link *link) {
  if (link->relocatable) {
    return; /* C51 */
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    if (ref_symbol_is_missing(link, i)) {
      ref_message_add(link, REF_ERROR, "E20", "Undefined reference to '%s' in '%s'", link->symbols[i].name,
                      link->files[link->symbols[i].mention_file].name);
    }
  }
}

/* The names that nvlink has for unified tables: whole names (RF557). */
bool ref_symbol_names_unified_table(const char *name) {
  return name[0] == '_' && ref_symbol_is_provided(name);
}

/* W4.2: of the reserved names only `.nv.reservedSmem.offset0` stays in an executable; with -r all stay. RF557: functions and textures do. */
static bool ref_symbol_is_reserved(const ref_out_symbol *symbol) {
  const bool object = symbol->type == REF_SYMBOL_OBJECT || symbol->type == REF_SYMBOL_CUDA_OBJECT;
  return symbol->section == REF_NONE && object && ref_symbol_names_unified_table(symbol->name);
}

/* W4.3, W4.4 */
bool ref_symbol_stays(const ref_link *link, const ref_out_symbol *symbol) {
  if (symbol->dropped || symbol->has_no_name ||
      (!link->relocatable && !link->has_index && ref_symbol_is_reserved(symbol))) {
    return false;
  }
  if (symbol->section == REF_NONE) {
    return symbol->type != REF_SYMBOL_SECTION;
  }
  const ref_out_section *section = &link->sections[symbol->section];
  if (section->dropped) {
    return false;
  }
  return symbol->type != REF_SYMBOL_SECTION || section->size != 0;
}

/* RF166: a hidden or protected shared object stays in executables; an extern one has no value, and by default no symbol
 * either (D112). RF368: in links of capsules the Mercury view says whether it is. */
static bool ref_symbol_is_shown_extern(const ref_link *link, const ref_out_symbol *symbol) {
  const bool decides = !link->is_capsule || link->view->is_mercury;
  return decides && link->job->bug_compatible && !link->relocatable && !ref_options_keep_shared_symbols(link) &&
         (symbol->is_extern_shared || symbol->has_no_place) && symbol->dropped &&
         (symbol->other & VISIBILITY) > INTERNAL;
}

/* RF166: `.nv_debug.shared` goes when no extern object keeps it, whatever lies in it. */
static bool ref_symbol_is_shown_nowhere(const ref_link *link, const ref_out_symbol *symbol) {
  return ref_symbol_is_shared(symbol) && !symbol->dropped && !symbol->has_no_name &&
         (symbol->other & VISIBILITY) > INTERNAL && symbol->section != REF_NONE &&
         link->sections[symbol->section].dropped;
}

/* D112: what stays nowhere ends nvlink's link; by default it has no symbol. */
static void ref_symbol_settle_nowhere(ref_link *link, ref_out_symbol *symbol) {
  if (link->job->bug_compatible) {
    ref_message_fatal(link, "E68", "Internal error: reference to deleted section");
  }
  symbol->has_no_name = true;
}

/* E70, R1: a symbol whose value is -1, referred to or not. Shared objects without a place are none (RF9). */
void ref_symbols_check_values(ref_link *link) {
  for (size_t i = 0; i < link->symbol_count; i++) {
    ref_out_symbol *symbol = &link->symbols[i];
    const bool common = symbol->is_weak_after_common && symbol->common && symbol->value == UINT64_MAX; /* RF1293 */
    if (ref_symbol_is_shown_extern(link, symbol) || common) {
      ref_message_fatal(link, "E70", "Internal error: unallocated symbol");
    }
    if (ref_symbol_is_shown_nowhere(link, symbol)) {
      ref_symbol_settle_nowhere(link, symbol);
    }
    const bool counts = !link->is_capsule || link->view->is_mercury; /* RF680, RF1053 */
    if (symbol->section != REF_NONE && symbol->value == UINT64_MAX && !symbol->dropped && counts &&
        link->sections[symbol->section].type != REF_TYPE_SHARED) {
      ref_message_fatal(link, "E70", "Internal error: unallocated symbol");
    }
  }
}

/* L647: an alias that stands before its function in a relocatable output would be one of D102 in the next link. By default the two
 * change places. Returns which symbol stands in each place; NULL: each in its own. */
static const size_t *ref_symbols_places(ref_link *link) {
  if (!ref_relocatable_is_default(link)) {
    return NULL;
  }
  size_t *places = REF_TAKE_ROOM(link, size_t, link->symbol_count);
  size_t *place_of = REF_TAKE_ROOM(link, size_t, link->symbol_count);
  for (size_t i = 0; i < link->symbol_count; i++) {
    places[i] = place_of[i] = i;
  }
  for (size_t i = 0; i < link->symbol_count; i++) {
    const size_t alias = link->symbols[i].function;
    const size_t owner = alias == REF_NONE ? REF_NONE : link->functions[alias].alias_of;
    const size_t function = owner == REF_NONE ? REF_NONE : link->functions[owner].symbol;
    if (function != REF_NONE && place_of[i] < place_of[function]) {
      const size_t first = place_of[i];
      place_of[i] = place_of[function];
      place_of[function] = first;
      places[place_of[i]] = i;
      places[first] = function;
    }
  }
  return places;
}

/* Its number in the output; 0 for none. */
uint32_t ref_symbol_index(const ref_link *link, size_t symbol) {
  return symbol < link->symbol_count ? link->symbols[symbol].index : 0;
}

/* D137: the symbol that stands where symbol 0 was, or REF_NONE. */
size_t ref_symbols_first(const ref_link *link) {
  return ref_partial_loses_null(link) ? link->sections[link->note_section].symbol : REF_NONE;
}

/* W4.1; without symbol 0 the others move up (D137), once the note is written whose symbol takes its place: nothing that an entry is about
 * has the number 0 before (RF464). */
void ref_symbols_number(ref_link *link) {
  const size_t *places = ref_symbols_places(link), first = ref_symbols_first(link);
  uint32_t next = first != REF_NONE && ref_symbol_stays(link, &link->symbols[first]) ? 0 : 1, own = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < link->symbol_count; i++) {
      ref_out_symbol *symbol = &link->symbols[places == NULL ? i : places[i]];
      if (symbol->local_list == (pass == 0)) {
        symbol->index = ref_symbol_stays(link, symbol) ? next++ : 0;
        symbol->own_number = symbol->local_list ? 0 : ++own + symbol->dead_before; /* RF1077 */
      }
    }
    if (pass == 0) {
      link->first_global = next;
    }
  }
  link->output_symbol_count = next;
}

/* RF1310: the names of functions that are gone, in front of the symbols behind them. Returns how many of them there are so far. */
static size_t ref_symbols_name_left(ref_link *link, size_t named, size_t symbol) {
  const ref_indices *left = &link->left_names;
  while (named < left->count && link->functions[left->items[named]].name_before <= symbol) {
    ref_names_add(link, REF_NONE, link->functions[left->items[named++]].name);
  }
  return named;
}

/* W2.2: the names of globals come last, dropped ones included (W2.3). */
void ref_symbols_name_globals(ref_link *link) {
  const size_t *places = ref_symbols_places(link);
  size_t named = 0;
  for (size_t i = 0; i < link->symbol_count; i++) {
    named = ref_symbols_name_left(link, named, i);
    const size_t number = places == NULL ? i : places[i];
    const ref_out_symbol *symbol = &link->symbols[number];
    if (!symbol->local_list && !symbol->dropped) {
      ref_names_add(link, number, symbol->name);
    }
  }
  (void)ref_symbols_name_left(link, named, link->symbol_count);
}

/* W17.2: shared addresses start behind the reserved bytes, if the section has more than those. */
static uint64_t ref_symbol_value(const ref_link *link, const ref_out_symbol *symbol) {
  if (link->relocatable) {
    return symbol->value;
  }
  if (ref_symbol_is_shared(symbol) && symbol->section != REF_NONE && link->sm >= 90 &&
      link->sections[symbol->section].size > SHARED_RESERVED) {
    return symbol->value + SHARED_RESERVED * (1 + symbol->further_places); /* RF62 */
  }
  if (symbol->type != REF_SYMBOL_SECTION && symbol->section != REF_NONE && ref_target_has_capsules(link->sm) &&
      link->sections[symbol->section].type == REF_TYPE_SHARED_RESERVED) {
    return symbol->value + SYSTEM_RESERVED; /* H9, M28 */
  }
  return symbol->value;
}

/* RF25, RF134: "hidden" is in no output of nvlink's. By default it stays with -r for the link behind it (R14), but not of what the driver or nvlink
 * provides (RF894). */
uint8_t ref_symbol_lost_visibility(const ref_link *link, const ref_out_symbol *symbol) {
  if ((symbol->other & VISIBILITY) != HIDDEN) {
    return 0;
  }
  const bool kept = link->relocatable && !link->job->bug_compatible &&
                    !(symbol->section == REF_NONE && ref_symbol_is_provided(symbol->name));
  return kept ? 0 : VISIBILITY;
}

/* W4.3: type 13 becomes 1, the memory space goes; not with -r. L577: type 1 becomes 13. */
/* RF972: with -r an object of compiler constants is internal, and nothing else. */
static bool ref_symbol_is_compiler_constant(const ref_link *link, const ref_out_symbol *symbol) {
  return link->relocatable && !link->is_capsule && symbol->type == REF_SYMBOL_CUDA_OBJECT &&
         symbol->section != REF_NONE && link->sections[symbol->section].type == link->view->optimizer_type &&
         (symbol->other & REF_SPACE_MASK) == REF_SPACE_CONSTANT;
}

/* RF928: what is defined behind a mention has the definition's type. */
static uint8_t ref_symbol_own_type(const ref_link *link, const ref_out_symbol *symbol) {
  if (symbol->defined_type == 0 || link->is_capsule) {
    return symbol->type;
  }
  const bool plain = symbol->defined_type == REF_SYMBOL_OBJECT && !link->relocatable &&
                     !ref_symbol_is_provided(symbol->name); /* RF1122 */
  return plain ? REF_SYMBOL_CUDA_OBJECT : symbol->defined_type;
}

static void ref_symbol_write(const ref_link *link, const ref_out_symbol *symbol, uint8_t *at) {
  const uint8_t own = ref_symbol_own_type(link, symbol);
  const bool may_have_space =
      own == REF_SYMBOL_CUDA_OBJECT || (own == REF_SYMBOL_FUNC && !link->is_capsule); /* RF1115: functions, too */
  const bool object = may_have_space && !link->relocatable && (symbol->other & REF_SPACE_MASK) != 0; /* RF405 */
  const uint8_t type = object ? REF_SYMBOL_OBJECT : own;
  const bool provided =
      symbol->type == REF_SYMBOL_OBJECT && symbol->section == REF_NONE && !link->relocatable; /* L840 */
  const uint8_t mask = (object || provided ? REF_SPACE_MASK : 0) | ref_symbol_lost_visibility(link, symbol);
  const bool preserved = ref_preserve_hides_symbol(link, symbol);
  const uint8_t told = (uint8_t)((symbol->other & (uint8_t)~mask) | (preserved ? INTERNAL : 0)); /* W17.7, RF712 */
  const uint8_t other = ref_symbol_is_compiler_constant(link, symbol) ? REF_SPACE_CONSTANT | INTERNAL : told;
  const uint32_t nowhere = symbol->common ? REF_SECTION_COMMON : 0; /* D3 */
  const uint32_t section = symbol->section == REF_NONE ? nowhere : link->sections[symbol->section].index;
  uint8_t bind = symbol->bind;
  if (symbol->section == REF_NONE && bind == REF_BIND_WEAK && !symbol->local_list) {
    bind = REF_BIND_GLOBAL;
  }
  ref_put_u32(at, ref_strings_offset(&link->names, symbol->name));
  at[4] = (uint8_t)(bind << TYPE_SHIFT | type);
  at[5] = other;
  /* X2, D21: 0xfff2 is written as it is. */
  const bool wide = section >= REF_SECTION_RESERVED && section != REF_SECTION_COMMON;
  ref_put_u16(at + 6, wide ? EXTENDED : (uint16_t)section);
  ref_put_u64(at + 8, ref_symbol_value(link, symbol));
  ref_put_u64(at + 16, symbol->size);
}

/* --trace: what is in no section of the output, once a table of symbols, of which a capsule has two. What nvlink itself has taken out goes
 * without a word. */
void ref_symbols_trace_unused(ref_link *link, bool mercury_side) {
  const bool tells = ref_trace_wants(link, REF_TRACE_LAYOUT) && link->error_count == 0;
  for (size_t i = 0; i < link->symbol_count && tells; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    const ref_out_section *section = symbol->section == REF_NONE ? NULL : &link->sections[symbol->section];
    const bool named = (!symbol->has_no_name && !symbol->dropped) || symbol->type == REF_SYMBOL_SECTION;
    const bool goes =
        section != NULL && section->deleted && !link->relocatable && section->type != link->view->user_type;
    if (section != NULL && named && section->dropped && !goes) {
      const char *made = ref_view_mercury.optimizer_prefix, *name = symbol->name;
      const bool is_constants = link->is_capsule && !mercury_side && ref_text_begins(name, made);
      ref_trace_tell(link, REF_TRACE_LAYOUT, "ignore symbol %s%s in unused section",
                     is_constants ? ref_view_sass.optimizer_prefix : "", name + (is_constants ? strlen(made) : 0));
    }
  }
}

void ref_symbols_write(ref_link *link, ref_bytes *output) {
  ref_symbols_trace_unused(link, false);
  ref_bytes_fill(link, output, (size_t)link->output_symbol_count * SYMBOL_BYTES);
  ref_put_u64(output->data + 8, link->null_symbol_value); /* W8.9 */
  for (size_t i = 0; i < link->symbol_count; i++) {
    const ref_out_symbol *symbol = &link->symbols[i];
    if (symbol->index != 0) {
      ref_symbol_write(link, symbol, output->data + (size_t)symbol->index * SYMBOL_BYTES);
    }
  }
  if (ref_symbols_first(link) != REF_NONE) {
    ref_symbol_write(link, &link->symbols[ref_symbols_first(link)], output->data);
    ref_put_u16(output->data + 6, REF_NOTE_AS_MADE);
  }
}
