/* Functions of one name in one capsule, as `-r` writes static ones of several files: nvlink finds their attributes and entries by
 * the section's name (RF173), and makes the SASS view's entries from the Mercury view's, in the code of each function (RF252). RF1141:
 * so it does where another function's section is the first one of its name that is left. */
#include "capsule.h"
#include "relocation_table.h"

#include <string.h>

enum {
  UNIT = 16,
  WORD = 4,
  REGISTERS = 12, /* a record of INSTR_REG_MAP */
  BARRIER = 16,   /* a record of MBARRIER_INSTR_OFFSETS */
  ENTRY = 24,     /* of bytes, in both views */
  ADDEND = 16,
  OPCODE_BITS = 0xfff,
  EXIT = 0x94d,
  EXIT_OFFSETS = 0x1c,
  UNIFORM_BIT = 27,              /* of the upper word: a branch on a uniform predicate */
  WHOLE = REF_MERCURY_FIRST + 3, /* bits 32 to 63 of an instruction */
  WHOLE_AT = 4,
  RESERVED = 0x400,
  PLACE_LOW = REF_MERCURY_FIRST + 40, /* halves of a place in code */
  PLACE_HIGH = REF_MERCURY_FIRST + 41
};

/* A section about a function of which another has the name. */
typedef struct ref_namesake {
  ref_link *link;
  ref_file *file;
  const ref_cubin *whole;
  const uint32_t *bodies;            /* by SASS text the section of its code on Mercury's side */
  uint32_t first, mercury;           /* the sections of both views that all of the name have */
  uint32_t code;                     /* the number of its own text */
  const ref_section *capsule, *text; /* its own */
  ref_places places;
} ref_namesake;

static bool ref_namesakes_is_known_by_name(const ref_section *section) {
  return section->type == REF_TYPE_INFO || section->type == REF_TYPE_RELA;
}

/* The first section of a name; REF_NONE: this is it. */
static size_t ref_namesakes_first(ref_link *link, ref_map *first, const char *name, size_t number) {
  const size_t known = ref_map_find(first, name);
  if (known == REF_NONE) {
    ref_map_set(link, first, name, number);
  }
  return known;
}

/* RF173: by default (D113) each has its own. */
void ref_namesakes_share(ref_link *link, ref_cubin *view) {
  ref_map first = {0};
  if (!link->job->bug_compatible) {
    return;
  }
  for (size_t i = 1; i < view->section_count; i++) {
    ref_section *section = &view->sections[i];
    const size_t known =
        ref_namesakes_is_known_by_name(section) ? ref_namesakes_first(link, &first, section->name, i) : REF_NONE;
    if (known != REF_NONE) {
      section->data = view->sections[known].data;
      section->size = view->sections[known].size;
      section->offset = view->sections[known].offset;
    }
  }
}

/* --- what the Mercury view has about a SASS section of entries --- */

/* The first Mercury section whose name is `.nv.merc` and that of the SASS one; 0: none. */
static uint32_t ref_namesakes_find(const ref_cubin *whole, uint32_t sass) {
  static const char prefix[] = ".nv.merc";
  const char *name = whole->sections[sass].name;
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    if ((section->flags & REF_FLAG_MERCURY) != 0 && strncmp(section->name, prefix, sizeof prefix - 1) == 0 &&
        strcmp(section->name + sizeof prefix - 1, name) == 0) {
      return i;
    }
  }
  return 0;
}

/* RF227: that ends the link in the Mercury view. */
static bool ref_namesakes_is_past_end(const ref_cubin *whole, uint32_t mercury, const ref_places *places) {
  for (size_t i = 0; i < ref_cubin_relocation_count(whole, mercury); i++) {
    if (ref_cubin_relocation(whole, mercury, i).offset >= places->end) {
      return true;
    }
  }
  return false;
}

static const char *ref_namesakes_entry_key(const ref_namesake *namesake, uint32_t section,
                                           const ref_relocation *entry) {
  const ref_ranks *ranks = ref_ranks_of(namesake->link, namesake->whole, section);
  const size_t rank = ref_ranks_rank(ranks, entry->symbol, entry->offset);
  return REF_KEY(namesake->link, entry->symbol, rank);
}

/* The Mercury view's entries by symbol and rank; of several the first. */
static ref_map ref_namesakes_map_entries(const ref_namesake *namesake) {
  const ref_cubin *whole = namesake->whole;
  ref_map entries = {0};
  for (size_t i = ref_cubin_relocation_count(whole, namesake->mercury); i-- > 0;) {
    const ref_relocation entry = ref_cubin_relocation(whole, namesake->mercury, i);
    ref_map_set(namesake->link, &entries, ref_namesakes_entry_key(namesake, namesake->mercury, &entry), i);
  }
  return entries;
}

/* --- one entry --- */

/* RF252: what the addend of a half of a place becomes beside an instruction: as it is where that has a place of its own in
 * Mercury's code for what it loads, 0 at branches. */
typedef enum ref_namesake_addend { REF_NAMESAKE_MOVED, REF_NAMESAKE_KEPT, REF_NAMESAKE_NONE } ref_namesake_addend;

/* L763: by their records, of which the third byte does not count. */
static bool ref_namesakes_loads_place(const uint8_t *record, size_t size) {
  static const uint8_t kept[][3] = {
      {0x01, 0x0b, 0x0a}, {0x01, 0x47, 0x16}, {0x02, 0x22, 0x06}, {0x02, 0x38, 0x06}}; /* 0x919, 0xb1d, 0xb82, 0x387 */
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    if (size > 3 && record[0] == kept[i][0] && record[1] == kept[i][1] && record[3] == kept[i][2]) {
      return true;
    }
  }
  return false;
}

static bool ref_namesakes_is_kept(const ref_namesake *namesake, uint64_t offset) {
  ref_capsule_step step;
  if (!ref_capsule_body_begin(namesake->capsule->data, (size_t)namesake->capsule->size, &step)) {
    return false;
  }
  while (ref_capsule_body_next(&step)) {
    if (offset / UNIT >= step.sass && offset / UNIT - step.sass < step.sass_count) {
      return !step.derived && ref_namesakes_loads_place(step.data + step.record, step.end - step.record);
    }
  }
  return false;
}

static bool ref_namesakes_is_branch(const ref_section *text, uint64_t offset) {
  static const uint16_t branches[] = {0x943, 0x944, 0x945, 0x947};
  if (text->data == NULL || offset > text->size || text->size - offset < UNIT ||
      (ref_u64(text->data + offset + UNIT / 2) >> UNIFORM_BIT & 1) != 0) {
    return false;
  }
  for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
    if ((ref_u16(text->data + offset) & OPCODE_BITS) == branches[i]) {
      return true;
    }
  }
  return false;
}

static ref_namesake_addend ref_namesakes_addend_kind(const ref_namesake *namesake, uint64_t offset) {
  if (ref_namesakes_is_kept(namesake, offset)) {
    return REF_NAMESAKE_KEPT;
  }
  return ref_namesakes_is_branch(namesake->text, offset) ? REF_NAMESAKE_NONE : REF_NAMESAKE_MOVED;
}

static bool ref_namesakes_is_half(const ref_relocation *entry) {
  return entry->type == PLACE_LOW || entry->type == PLACE_HIGH;
}

/* L763: another half stands at the same instruction, behind this one. */
static bool ref_namesakes_is_earlier_half(const ref_namesake *namesake, uint64_t offset, const ref_relocation *entry) {
  for (size_t i = 0; i < ref_cubin_relocation_count(namesake->whole, namesake->mercury); i++) {
    const ref_relocation other = ref_cubin_relocation(namesake->whole, namesake->mercury, i);
    if (ref_namesakes_is_half(&other) && other.offset > entry->offset &&
        ref_places_self_around(&namesake->places, other.offset) == offset) {
      return true;
    }
  }
  return false;
}

/* `place`: the number of the instruction that a half names, REF_NONE where nothing moves. RF465: where no instruction begins the text is noted,
 * whatever the half stands at; that the code ends there will do, and is 0. */
static uint64_t ref_namesakes_addend(const ref_namesake *namesake, uint64_t offset, const ref_relocation *entry,
                                     size_t *place) {
  const ref_namesake_addend kind = ref_namesakes_is_earlier_half(namesake, offset, entry)
                                       ? REF_NAMESAKE_KEPT
                                       : ref_namesakes_addend_kind(namesake, offset);
  const bool is_end = (uint64_t)entry->addend == namesake->places.end;
  const size_t found = is_end ? REF_NONE : ref_places_find(&namesake->places, (uint64_t)entry->addend);
  *place = REF_NONE;
  if (found == REF_NONE && !is_end) {
    ref_indices_add(namesake->link, &namesake->file->missing_texts, namesake->code);
    return (uint64_t)entry->addend;
  }
  if (kind == REF_NAMESAKE_KEPT) {
    return (uint64_t)entry->addend;
  }
  *place = found;
  return kind == REF_NAMESAKE_NONE || is_end ? 0 : (uint64_t)found * UNIT;
}

/* RF370: an immediate of 32 bits or a distance that stands where a half does is 0. */
static void ref_namesakes_clear_field(const ref_section *text, ref_bytes *made, uint64_t offset) {
  static const uint16_t immediates[] = {0x802, 0x882, 0x906};
  enum { LOW_BYTE = 2, FIELD = 4, HIGH = 8, HIGH_SIZE = 2, LAST = 10, TWO_BITS = 3, BSSY = 0x945 };
  if (offset > made->size || made->size - offset < UNIT) {
    return;
  }
  uint8_t *at = made->data + offset;
  const unsigned opcode = ref_u16(at) & OPCODE_BITS;
  for (size_t i = 0; i < sizeof immediates / sizeof immediates[0]; i++) {
    if (opcode == immediates[i]) {
      ref_put_u32(at + FIELD, 0);
    }
  }
  if (!ref_namesakes_is_branch(text, offset)) {
    return;
  }
  ref_put_u32(at + FIELD, ref_u32(at + FIELD) & TWO_BITS);
  if (opcode != BSSY) { /* T13; BSSY has 30 bits */
    at[LOW_BYTE] = 0;
    memset(at + HIGH, 0, HIGH_SIZE);
    at[LAST] = (uint8_t)(at[LAST] & ~TWO_BITS);
  }
}

/* --- attributes --- */

/* The Mercury view's record of a code and rank. */
static bool ref_namesakes_find_attribute(const ref_section *mercury, uint8_t code, size_t rank, ref_attribute *found) {
  uint64_t position = 0;
  while (ref_cubin_next_attribute(mercury, &position, found)) {
    if (found->code == code && rank-- == 0) {
      return true;
    }
  }
  return false;
}

/* RF257: an instruction that an attribute names; 0 where none begins at the place. Behind the code nvlink reads foreign memory. */
static uint32_t ref_namesakes_instruction(const ref_namesake *namesake, uint32_t place) {
  return (uint32_t)ref_places_self(&namesake->places, place);
}

/* Plain lists of places, and the first of three or four words (0x40, RF321; 0x39, L866); what else names instructions stays the first one's. */
static void ref_namesakes_move_attributes(const ref_namesake *namesake, ref_section *section) {
  uint8_t *data = REF_TAKE(namesake->link, uint8_t, (size_t)section->size);
  size_t rank[256] = {0};
  uint64_t position = 0;
  ref_attribute attribute, from;
  memcpy(data, section->data, (size_t)section->size);
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    const ref_moved_attribute *row = attribute.format == 4 ? ref_moves_find_attribute(attribute.code) : NULL;
    if (row == NULL || (row->stride != WORD && row->stride != REGISTERS && row->stride != BARRIER) ||
        !ref_namesakes_find_attribute(&namesake->whole->sections[namesake->mercury], attribute.code,
                                      rank[attribute.code]++, &from)) {
      continue;
    }
    for (uint64_t at = 0; at + WORD <= attribute.size && at + WORD <= from.size; at += row->stride) {
      ref_put_u32(data + (attribute.data - section->data) + at,
                  ref_namesakes_instruction(namesake, ref_u32(from.data + at)));
    }
  }
  section->data = data;
}

/* --- a section --- */

/* RF1141: what halves change in the code: what each stands at, and the block that it begins (RF371). Mercury's entries say it, be there
 * one on the SASS side or not. */
static void ref_namesakes_change_text(const ref_namesake *namesake, ref_bytes *text) {
  const ref_cubin *whole = namesake->whole;
  ref_indices places = {0};
  for (size_t i = 0; i < ref_cubin_relocation_count(whole, namesake->mercury); i++) {
    const ref_relocation from = ref_cubin_relocation(whole, namesake->mercury, i);
    size_t place = REF_NONE;
    if (!ref_namesakes_is_half(&from)) {
      continue;
    }
    const uint64_t offset = ref_places_self_around(&namesake->places, from.offset);
    (void)ref_namesakes_addend(namesake, offset, &from, &place);
    ref_namesakes_clear_field(namesake->text, text, offset);
    if (place != REF_NONE) {
      ref_indices_add(namesake->link, &places, place);
    }
  }
  ref_split_text(namesake->link, text, &places);
}

static void ref_namesakes_move_entries(const ref_namesake *namesake, ref_section *section, ref_section *code) {
  const ref_cubin *whole = namesake->whole;
  ref_bytes text = {0};
  size_t place = REF_NONE;
  if (ref_namesakes_is_past_end(whole, namesake->mercury, &namesake->places)) {
    return;
  }
  const ref_map entries = ref_namesakes_map_entries(namesake);
  uint8_t *data = REF_TAKE(namesake->link, uint8_t, (size_t)section->size);
  memcpy(data, section->data, (size_t)section->size);
  ref_bytes_add(namesake->link, &text, code->data, (size_t)code->size);
  for (size_t i = 0; i < ref_cubin_relocation_count(whole, namesake->first); i++) {
    const ref_relocation entry = ref_cubin_relocation(whole, namesake->first, i);
    const size_t found = ref_map_find(&entries, ref_namesakes_entry_key(namesake, namesake->first, &entry));
    if (found == REF_NONE) {
      continue;
    }
    const ref_relocation from = ref_cubin_relocation(whole, namesake->mercury, found);
    const uint64_t offset = ref_places_self_around(&namesake->places, from.offset);
    ref_put_u64(data + i * ENTRY, offset);
    if (ref_namesakes_is_half(&from)) {
      ref_put_u64(data + i * ENTRY + ADDEND, ref_namesakes_addend(namesake, offset, &from, &place));
    }
  }
  ref_namesakes_change_text(namesake, &text);
  section->data = data;
  code->data = text.data;
}

/* --- the end of reserved shared memory, of which the SASS view has no entries --- */

/* What the Mercury entries of a section against it have for a value in a text. */
static void ref_namesakes_write_cap(const ref_cubin *whole, uint32_t section, const ref_places *places,
                                    const ref_bytes *text, uint32_t value) {
  for (size_t i = 0; i < ref_cubin_relocation_count(whole, section); i++) {
    const ref_relocation entry = ref_cubin_relocation(whole, section, i);
    const bool is_cap = entry.type == WHOLE && entry.symbol < whole->symbol_count &&
                        REF_IS(whole->symbols[entry.symbol].name, ".nv.reservedSmem.cap");
    const uint64_t at =
        is_cap && entry.offset < places->end ? ref_places_self_around(places, entry.offset) : UINT64_MAX;
    if (at < text->size && text->size - at >= UNIT) {
      ref_put_u32(text->data + at + WHOLE_AT, value);
    }
  }
}

/* L763: the first function's entries stand in the other's code; where its own would be nvlink writes 0. */
static void ref_namesakes_move_cap(ref_link *link, const ref_cubin *whole, ref_cubin *sass, uint32_t first,
                                   uint32_t own) {
  const uint32_t code = whole->sections[own].info;
  const ref_section *capsule = code < whole->section_count ? &whole->sections[code] : NULL;
  const uint32_t number =
      capsule != NULL && capsule->data != NULL && capsule->size >= WORD ? ref_u32(capsule->data) : 0;
  ref_section *section = number < sass->section_count ? &sass->sections[number] : NULL;
  if (number == 0 || section == NULL || section->type != REF_TYPE_PROGBITS || section->data == NULL) {
    return;
  }
  const ref_places places = ref_places_of_sections(link, capsule, section);
  ref_bytes text = {0};
  ref_bytes_add(link, &text, section->data, (size_t)section->size);
  ref_namesakes_write_cap(whole, own, &places, &text, 0);
  ref_namesakes_write_cap(whole, first, &places, &text, RESERVED);
  section->data = text.data;
}

static void ref_namesakes_move_caps(ref_link *link, const ref_cubin *whole, ref_cubin *sass) {
  static const char prefix[] = ".nv.merc.rela.text.";
  ref_map first = {0};
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    const bool is_about_code = section->type == REF_TYPE_MERCURY_RELA && section->data != NULL &&
                               strncmp(section->name, prefix, strlen(prefix)) == 0;
    const size_t known = is_about_code ? ref_namesakes_first(link, &first, section->name, i) : REF_NONE;
    if (known != REF_NONE) {
      ref_namesakes_move_cap(link, whole, sass, (uint32_t)known, i);
    }
  }
}

static const uint32_t *ref_namesakes_find_bodies(ref_link *link, const ref_cubin *whole) {
  uint32_t *bodies = REF_TAKE(link, uint32_t, whole->section_count);
  for (uint32_t i = (uint32_t)whole->section_count; i-- > 1;) {
    const ref_section *section = &whole->sections[i];
    const bool is_body = section->type == REF_TYPE_CAPSULE_TEXT && section->data != NULL && section->size >= WORD;
    if (is_body && ref_u32(section->data) < whole->section_count) {
      bodies[ref_u32(section->data)] = i;
    }
  }
  return bodies;
}

/* The code that a section of Mercury's is about. */
static uint32_t ref_namesakes_target(const ref_section *section) {
  return section->type == REF_TYPE_MERCURY_INFO ? section->info & REF_TEXT_OF_INFO : section->info;
}

/* RF1141: `is_first`: of a name's first section only where Mercury's is about another function's code. */
static bool ref_namesakes_begin(ref_namesake *namesake, uint32_t sass, bool is_first) {
  const ref_cubin *whole = namesake->whole;
  const uint32_t target = whole->sections[sass].info;
  const uint32_t code = target < whole->section_count ? namesake->bodies[target] : 0;
  namesake->mercury = code == 0 ? 0 : ref_namesakes_find(whole, namesake->first);
  if (namesake->mercury == 0 || whole->sections[target].data == NULL) {
    return false;
  }
  const uint32_t other = ref_namesakes_target(&whole->sections[namesake->mercury]);
  if (is_first &&
      (other == code || other >= whole->section_count || whole->sections[other].type != REF_TYPE_CAPSULE_TEXT)) {
    return false;
  }
  namesake->capsule = &whole->sections[code];
  namesake->code = target;
  namesake->text = &whole->sections[target];
  namesake->places = ref_places_of_sections(namesake->link, &whole->sections[code], namesake->text);
  return true;
}

static bool ref_namesakes_is_about_function(const ref_section *section) {
  const char *const prefix = section->type == REF_TYPE_INFO ? ".nv.info." : ".rela.text.";
  return ref_namesakes_is_known_by_name(section) && (section->flags & REF_FLAG_MERCURY) == 0 && section->data != NULL &&
         strncmp(section->name, prefix, strlen(prefix)) == 0;
}

static bool ref_namesakes_is_exit(const ref_section *text, uint64_t place) {
  const bool inside = place % UNIT == 0 && place <= text->size && text->size - place >= UNIT;
  return inside && (ref_u16(text->data + place) & OPCODE_BITS) == EXIT;
}

/* RF568: of any function the SASS side's places of EXIT are Mercury's (L497), so that what the input has for one that is none does not
 * count. */
static void ref_namesakes_mend_exits(const ref_namesake *own, ref_section *section) {
  ref_bytes made = {0};
  size_t rank = 0;
  uint64_t position = 0;
  ref_attribute attribute, from;
  ref_bytes_add(own->link, &made, section->data, (size_t)section->size);
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    if (attribute.format != 4 || attribute.code != EXIT_OFFSETS ||
        !ref_namesakes_find_attribute(&own->whole->sections[own->mercury], EXIT_OFFSETS, rank++, &from)) {
      continue;
    }
    for (uint64_t at = 0; at + WORD <= attribute.size && at + WORD <= from.size; at += WORD) {
      const uint32_t place = ref_namesakes_instruction(own, ref_u32(from.data + at));
      if (!ref_namesakes_is_exit(own->text, ref_u32(attribute.data + at)) && ref_namesakes_is_exit(own->text, place)) {
        ref_put_u32(made.data + (attribute.data - section->data) + at, place);
      }
    }
  }
  section->data = made.data;
}

/* The attributes of functions whose name no other has. */
void ref_namesakes_mend_attributes(ref_link *link, ref_file *file) {
  const uint32_t *bodies = ref_namesakes_find_bodies(link, &file->whole);
  for (uint32_t i = 1; i < file->cubin.section_count; i++) {
    ref_section *section = &file->cubin.sections[i];
    ref_namesake own = {.link = link, .file = file, .whole = &file->whole, .bodies = bodies, .first = i};
    if (section->type == REF_TYPE_INFO && ref_namesakes_is_about_function(section) &&
        section->data == file->whole.sections[i].data && ref_namesakes_begin(&own, i, false)) {
      ref_namesakes_mend_exits(&own, section);
    }
  }
}

void ref_namesakes_move(ref_link *link, ref_file *file) {
  const ref_cubin *whole = &file->whole;
  ref_cubin *sass = &file->cubin;
  ref_map first = {0};
  if (!link->job->bug_compatible) {
    return;
  }
  const uint32_t *bodies = ref_namesakes_find_bodies(link, whole);
  for (uint32_t i = 1; i < sass->section_count; i++) {
    ref_section *section = &sass->sections[i];
    if (!ref_namesakes_is_about_function(section)) {
      continue;
    }
    const size_t known = ref_namesakes_first(link, &first, section->name, i);
    const uint32_t number = known == REF_NONE ? i : (uint32_t)known;
    ref_namesake namesake = {.link = link, .file = file, .whole = whole, .bodies = bodies, .first = number};
    if (!ref_namesakes_begin(&namesake, i, known == REF_NONE)) {
      continue;
    }
    if (section->type == REF_TYPE_INFO) {
      ref_namesakes_move_attributes(&namesake, section);
    } else {
      ref_namesakes_move_entries(&namesake, section, &sass->sections[section->info]);
    }
  }
  ref_namesakes_move_caps(link, whole, sass);
}

/* Capsules that stand before the first object of SASS kind have been one program for nvlink. */
void ref_namesakes_share_first(ref_link *link) {
  for (size_t i = 0; i < link->file_count && (link->files[i].cubin.flags & REF_KIND_CAPSULE) != 0; i++) {
    ref_namesakes_share(link, &link->files[i].cubin);
    ref_namesakes_move(link, &link->files[i]);
  }
}

/* D113, RF252, RF370: a half that names a place at which no instruction begins ends nvlink by a signal where its code is linked. */
void ref_namesakes_check_places(ref_link *link) {
  for (size_t f = 0; f < link->file_count; f++) {
    const ref_file *file = &link->files[f];
    for (size_t i = 0; i < file->missing_texts.count; i++) {
      const size_t section = file->section_of[file->missing_texts.items[i]];
      if (section != REF_NONE && !link->sections[section].dropped) {
        ref_message_fatal(link, "RF252", "an entry of '%s' names a place at which no instruction begins",
                          link->sections[section].name);
      }
    }
  }
}
