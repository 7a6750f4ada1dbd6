/* RF702, RF733, RF900 to RF902: the finalizer makes the SASS side's entries of a capsule's code from those that Mercury's side keeps, in their order (L497, R63). What the
 * input's SASS side has beside one of Mercury's says the type and the place; Mercury's others get R63's type at the instruction that holds their
 * place. */
#include "capsule.h"
#include "relocation_table.h"

enum {
  DESCRIPTOR = 61,
  DESCRIPTOR_LOW = 62,
  DESCRIPTOR_HIGH = 63,
  SASS_WORD = 55,
  SASS_HALF = 59,
  SASS_WHOLE = 75,
  SASS_LOAD = 115,
  OPCODE_LDCU = 0x7ac,
  OPCODE_LDC = 0xb82,
  OPCODE_CALL_REL = 0x944,
  OPCODE_CALL_REGISTER = 0x343,
  UNIT = 16,
  SYSTEM_RESERVED = 0x40
};

static const char *ref_derived_key(ref_link *link, size_t file, uint32_t table, size_t number) {
  return REF_KEY(link, file, table, number);
}

/* Is it about the function's own code, of the body that stands? */
bool ref_derived_is_own(const ref_link *mercury, const ref_out_relocation *entry, size_t function) {
  return mercury->functions[function].text == entry->target &&
         mercury->functions[function].definition_file == entry->file;
}

static bool ref_derived_is_return(uint32_t type) {
  return type == REF_MERCURY_RETURN_LOW || type == REF_MERCURY_RETURN_HIGH;
}

/* Where the instruction of a decoded place stands; the end has none. */
static uint64_t ref_derived_place(const ref_units *places, int64_t addend) {
  const uint64_t place = (uint64_t)(addend / UNIT * UNIT);
  return place >= places->count * UNIT ? 0 : ref_units_around(places, place);
}

/* RF902: a return address is a place in the decoded code, which is changed to one in the SASS text. It stays at instructions that nvlink
 * makes of a record in a way of their own, and goes at branches. Of several places at an instruction the first one read counts. */
int64_t ref_derived_addend(uint32_t type, int64_t addend, const ref_units *places, unsigned opcode, bool is_first) {
  static const uint16_t kept[] = {0x387, 0x5b2, 0x7ac, 0x805, 0x8cb, 0x919, 0x91a,
                                  0x949, 0x958, 0x983, 0x9c3, 0xb1d, 0xb82};
  static const uint16_t branches[] = {0x943, 0x944, 0x945, 0x947, 0x94e};
  if (!ref_derived_is_return(type) || !is_first) {
    return addend;
  }
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    if (kept[i] == opcode) {
      return addend;
    }
  }
  for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
    if (branches[i] == opcode) {
      return 0;
    }
  }
  return (int64_t)ref_derived_place(places, addend);
}

/* The SASS module's entry beside one of Mercury's; REF_NONE: none. */
static size_t ref_derived_beside(ref_capsule *capsule, const ref_map *pairs, const ref_out_relocation *entry) {
  return ref_map_find(pairs, ref_derived_key(capsule->mercury, entry->file, entry->input_table, entry->input_number));
}

/* `targets` is filled when somebody asks first: a loop over all entries for each text would grow with the square of the file. */
static void ref_derived_find_targets(ref_capsule *capsule, const ref_link *link, ref_targets *targets) {
  if (targets->starts != NULL) {
    return;
  }
  size_t *starts = REF_TAKE(capsule->mercury, size_t, link->section_count + 2);
  size_t *items = REF_TAKE(capsule->mercury, size_t, link->relocation_count + 1);
  for (size_t i = 0; i < link->relocation_count; i++) {
    if (link->relocations[i].target < link->section_count) {
      starts[link->relocations[i].target + 2]++;
    }
  }
  for (size_t i = 2; i < link->section_count + 2; i++) {
    starts[i] += starts[i - 1];
  }
  for (size_t i = 0; i < link->relocation_count; i++) {
    if (link->relocations[i].target < link->section_count) {
      items[starts[link->relocations[i].target + 1]++] = i;
    }
  }
  *targets = (ref_targets){starts, items};
}

const ref_targets *ref_derived_targets(ref_capsule *capsule) {
  ref_derived_find_targets(capsule, capsule->mercury, &capsule->mercury_targets);
  return &capsule->mercury_targets;
}

/* By the entries of Mercury's side that have one of the SASS side beside them, that one. False where Mercury's side has none and the SASS side has;
 * RF818: also of a namesake (L656), and of a function whose alias leads (L864), they are Mercury's. */
static bool ref_derived_list_pairs(ref_capsule *capsule, size_t section, size_t target, ref_map *pairs) {
  const ref_link *mercury = capsule->mercury, *sass = capsule->sass;
  const ref_targets *own = &capsule->sass_targets, *theirs = &capsule->mercury_targets;
  ref_derived_find_targets(capsule, sass, &capsule->sass_targets);
  ref_derived_find_targets(capsule, mercury, &capsule->mercury_targets);
  size_t count = 0;
  for (size_t k = target == REF_NONE ? 0 : own->starts[target]; target != REF_NONE && k < own->starts[target + 1];
       k++) {
    const ref_out_relocation *entry = &sass->relocations[own->items[k]];
    ref_map_set(capsule->mercury, pairs,
                ref_derived_key(capsule->mercury, entry->file, entry->beside_table, entry->beside_number),
                own->items[k]);
    count += !entry->dropped;
  }
  const size_t function = mercury->sections[section].info_function;
  for (size_t k = theirs->starts[section]; k < theirs->starts[section + 1] && count != 0; k++) {
    const ref_out_relocation *entry = &mercury->relocations[theirs->items[k]];
    if (ref_derived_is_own(mercury, entry, function)) {
      const size_t beside = ref_derived_beside(capsule, pairs, entry);
      count -= beside != REF_NONE && !sass->relocations[beside].dropped;
    }
  }
  return count == 0 || theirs->starts[section] != theirs->starts[section + 1];
}

static bool ref_derived_lies_in_reserved(const ref_link *mercury, const ref_out_relocation *entry) {
  const size_t section = entry->symbol == REF_NONE ? REF_NONE : mercury->symbols[entry->symbol].section;
  return section != REF_NONE && mercury->sections[section].type == REF_TYPE_SHARED_RESERVED;
}

/* L615, RF87: beside an address of 32 bits the SASS side has the value in the instruction, but for a uniform load (RF993). */
static bool ref_derived_is_reserved(const ref_link *mercury, const ref_out_relocation *entry, unsigned opcode) {
  return entry->type == REF_MERCURY_32 && opcode != OPCODE_LDCU &&
         (ref_relocate_names_reserved(mercury, entry) ||
          (!mercury->relocatable && ref_derived_lies_in_reserved(mercury, entry)));
}

/* 0: none. */
unsigned ref_derived_opcode(const ref_bytes *text, uint64_t place) {
  return place > text->size || text->size - place < 4 ? 0 : ref_u32(text->data + place) & 0xfff;
}

/* RF733: at a load from constants the type is the load's, at a relative call the call's; RF1101: so it is at a call through a register. */
static uint32_t ref_derived_instruction_type(const ref_bytes *text, uint64_t place, uint32_t type) {
  const unsigned operation = ref_derived_opcode(text, place);
  if (type == SASS_WHOLE && (operation == OPCODE_CALL_REL || operation == OPCODE_CALL_REGISTER)) {
    return 114;
  }
  if (type == SASS_WORD && operation == OPCODE_LDCU) {
    return SASS_LOAD;
  }
  return type == SASS_HALF && operation == OPCODE_LDC ? 66 : type;
}

/* RF220, RF903: of a kernel's address in code it is its descriptor. */
uint32_t ref_derived_code_type(uint32_t type, bool kernel, const ref_bytes *text, uint64_t place) {
  const uint32_t plain = ref_derived_instruction_type(text, place, ref_data_sass_type(type, true));
  switch (kernel ? type : 0) {
  case REF_MERCURY_32:
    return plain == SASS_LOAD ? plain : DESCRIPTOR;
  case REF_MERCURY_UNIFIED_32:
    return DESCRIPTOR;
  case REF_MERCURY_LOW:
  case REF_MERCURY_UNIFIED_LOW:
    return DESCRIPTOR_LOW;
  case REF_MERCURY_HIGH:
  case REF_MERCURY_UNIFIED_HIGH:
    return DESCRIPTOR_HIGH;
  default:
    return plain;
  }
}

/* RF1100: a kernel that no file defines is one by its symbol's mark. */
static bool ref_derived_is_of_kernel(const ref_link *mercury, const ref_out_relocation *entry) {
  return entry->function != REF_NONE &&
         (mercury->functions[entry->function].entry ||
          (entry->symbol != REF_NONE && (mercury->symbols[entry->symbol].other & REF_OTHER_ENTRY) != 0));
}

uint32_t ref_derived_sass_type(const ref_link *mercury, const ref_out_relocation *entry, const ref_bytes *text,
                               uint64_t place) {
  return ref_derived_code_type(entry->type, ref_derived_is_of_kernel(mercury, entry), text, place);
}

static void ref_derived_add(ref_capsule *capsule, const ref_out_relocation *entry, const ref_units *places,
                            const ref_bytes *text, bool is_first, ref_bytes *output) {
  const uint64_t place = ref_units_around(places, entry->input_offset);
  const uint32_t type = ref_derived_sass_type(capsule->mercury, entry, text, place);
  if (!entry->dropped && type != 0 &&
      !ref_derived_is_reserved(capsule->mercury, entry, ref_derived_opcode(text, place))) {
    ref_capsule_write_entry(
        capsule, output, place, type, ref_symbol_index(capsule->mercury, entry->symbol),
        ref_derived_addend(entry->type, entry->addend, places, ref_derived_opcode(text, place), is_first));
  }
}

bool ref_derived_is_place(uint32_t type) {
  return (type > REF_MERCURY_PLACE_64 && type <= REF_MERCURY_PLACE_32_LAST) || ref_derived_is_return(type);
}

/* By instruction of the text the entry about a place in the code that counts: the last by its offset, of those the first (RF818). */
static const size_t *ref_derived_find_places(ref_capsule *capsule, size_t section, size_t function,
                                             const ref_units *places, size_t count) {
  const ref_targets *targets = &capsule->mercury_targets;
  size_t *first = ref_memory_take_numbers(capsule->mercury, count + 1);
  for (size_t k = targets->starts[section + 1]; k-- > targets->starts[section];) {
    const ref_out_relocation *entry = &capsule->mercury->relocations[targets->items[k]];
    const uint64_t place = ref_units_around(places, entry->input_offset) / UNIT;
    if (ref_derived_is_own(capsule->mercury, entry, function) && !entry->dropped && ref_derived_is_place(entry->type) &&
        place < count &&
        (first[place] == REF_NONE ||
         capsule->mercury->relocations[targets->items[first[place]]].input_offset <= entry->input_offset)) {
      first[place] = k;
    }
  }
  return first;
}

/* The entries of a text: `section` is Mercury's, `target` the SASS module's. False where the SASS side's count as they are. */
bool ref_derived_entries(ref_capsule *capsule, size_t section, size_t target, size_t function, ref_bytes *output) {
  const ref_link *mercury = capsule->mercury;
  ref_map pairs = {0};
  if (!ref_derived_list_pairs(capsule, section, target, &pairs)) {
    return false;
  }
  const ref_units *places = ref_places_units_of_function(capsule, function);
  const ref_bytes nothing = {0}; /* where the SASS module has no such section */
  const ref_bytes *text = target == REF_NONE ? &nothing : ref_places_text(capsule, target);
  const ref_targets *targets = &capsule->mercury_targets;
  const size_t *first = ref_derived_find_places(capsule, section, function, places, text->size / UNIT);
  for (size_t k = targets->starts[section + 1]; k-- > targets->starts[section];) {
    const ref_out_relocation *entry = &mercury->relocations[targets->items[k]];
    const uint64_t place = ref_units_around(places, entry->input_offset) / UNIT;
    if (ref_derived_is_own(mercury, entry, function)) {
      ref_derived_add(capsule, entry, places, text, place < text->size / UNIT && first[place] == k, output);
    }
  }
  return true;
}

/* L565: a whole address that is carried out has no bytes. */
void ref_derived_write_value(ref_bytes *text, uint64_t place, uint32_t type, uint64_t value) {
  const ref_relocation_row *row = type == SASS_WHOLE ? NULL : ref_relocation_row_of(type);
  for (size_t i = 0; row != NULL && i < REF_RELOCATION_FIELDS && row->fields[i].width != 0; i++) {
    if (row->fields[i].source == REF_FROM_BANK_LO || row->fields[i].source == REF_FROM_BANK_HI) { /* RF733 */
      continue;
    }
    const uint64_t content = ref_field_value(&row->fields[i], value, 0, 0, 0);
    ref_field_write(&row->fields[i], text->data, text->size, place, content);
  }
}

/* What an entry of Mercury's alone writes into the instruction. */
static void ref_derived_write_entry(const ref_capsule *capsule, const ref_out_relocation *entry, uint64_t place,
                                    const ref_bytes *symbols, ref_bytes *text) {
  const ref_link *mercury = capsule->mercury;
  const size_t function = mercury->sections[entry->target].info_function;
  const size_t sass = function == REF_NONE ? REF_NONE : capsule->sass->functions[function].text;
  const ref_bytes *before = sass == REF_NONE ? text : ref_places_text(capsule, sass);
  ref_field field;
  if (!entry->dropped && (entry->type == REF_MERCURY_PLACE_64 || entry->type >= REF_MERCURY_PLACE_BYTE_0) &&
      ref_data_place_field(entry->type, &field)) {
    const uint64_t value = ref_data_place_value(mercury, entry, symbols);
    ref_field_write(&field, text->data, text->size, place, ref_field_value(&field, value, 0, 0, 0));
  } else if (ref_derived_is_reserved(mercury, entry, ref_derived_opcode(before, place))) {
    const size_t symbol = capsule->sass_symbol_of[entry->symbol];
    const uint64_t value = (symbol == REF_NONE ? 0 : capsule->sass->symbols[symbol].value) +
                           (ref_derived_lies_in_reserved(mercury, entry) ? SYSTEM_RESERVED : 0);
    ref_derived_write_value(text, place, ref_derived_sass_type(mercury, entry, text, place),
                            value + (uint64_t)entry->addend);
  }
}

/* RF901: of 10 and of the return addresses, which the loader adds, there is 0. */
static void ref_derived_write_place(const ref_written *written, const ref_out_relocation *entry,
                                    const ref_units *places, ref_bytes *text) {
  const bool shown = ref_derived_is_place(entry->type) && entry->type < REF_MERCURY_PLACE_32_LAST;
  if (!entry->dropped && ref_derived_is_place(entry->type)) {
    ref_written_put_place(written, entry->input_offset, ref_derived_place(places, entry->addend), shown, text);
  }
}

void ref_derived_write(ref_capsule *capsule, size_t section, const ref_bytes *symbols, ref_bytes *text) {
  const ref_link *mercury = capsule->mercury;
  const size_t function = mercury->sections[section].info_function;
  if (function == REF_NONE || mercury->functions[function].text != section || ref_slots_is_slot(capsule, function)) {
    return;
  }
  ref_map pairs = {0};
  if (!ref_derived_list_pairs(capsule, section, ref_capsule_sass_section(capsule, section), &pairs)) {
    return;
  }
  const ref_units *places = ref_places_units_of_function(capsule, function);
  const ref_targets *targets = &capsule->mercury_targets;
  ref_written written = ref_written_begin(capsule, function);
  for (size_t k = targets->starts[section + 1]; k-- > targets->starts[section];) {
    const ref_out_relocation *entry = &mercury->relocations[targets->items[k]];
    if (ref_derived_is_own(mercury, entry, function)) {
      ref_written_add(&written, entry);
    }
  }
  ref_written_translate(capsule->mercury, &written, text);
  for (size_t k = targets->starts[section + 1]; k-- > targets->starts[section];) {
    const ref_out_relocation *entry = &mercury->relocations[targets->items[k]];
    if (ref_derived_is_own(mercury, entry, function)) {
      ref_derived_write_place(&written, entry, places, text);
    }
  }
  for (size_t k = targets->starts[section + 1]; k-- > targets->starts[section];) {
    const ref_out_relocation *entry = &mercury->relocations[targets->items[k]];
    if (ref_derived_is_own(mercury, entry, function)) {
      ref_derived_write_entry(capsule, entry, ref_units_around(places, entry->input_offset), symbols, text);
    }
  }
}
