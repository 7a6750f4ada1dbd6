/* Functions of one name in one capsule, as `-r` writes static ones of several files: nvlink finds their attributes and entries by
 * the section's name (RF173), and makes the SASS view's entries from the Mercury view's, in the code of each function (RF252). */
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
  FENCE = 0x3c6,
  PLACE_LOW = REF_MERCURY_FIRST + 40, /* halves of a place in code */
  PLACE_HIGH = REF_MERCURY_FIRST + 41
};

/* A section about a function of which another has the name. */
typedef struct ref_namesake {
  ref_link *link;
  const ref_cubin *whole;
  uint32_t first, mercury; /* the sections of both views that all of the name have */
  const ref_section *text; /* its own */
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

/* The Mercury section whose name is `prefix` and that of the SASS one, of the same rank among those of its name. 0: none. */
static uint32_t ref_namesakes_find(const ref_cubin *whole, uint32_t sass, const char *prefix, size_t rank) {
  const char *name = whole->sections[sass].name;
  const size_t length = strlen(prefix);
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    if ((section->flags & REF_FLAG_MERCURY) != 0 && strncmp(section->name, prefix, length) == 0 &&
        strcmp(section->name + length, name) == 0 && rank-- == 0) {
      return i;
    }
  }
  return 0;
}

static size_t ref_namesakes_rank(const ref_cubin *whole, uint32_t sass) {
  size_t rank = 0;
  for (uint32_t i = 1; i < sass; i++) {
    rank += whole->sections[i].type == whole->sections[sass].type &&
            (whole->sections[i].flags & REF_FLAG_MERCURY) == 0 &&
            strcmp(whole->sections[i].name, whole->sections[sass].name) == 0;
  }
  return rank;
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
  return ref_memory_print(namesake->link, "%u %zu", entry->symbol, rank);
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

static ref_namesake_addend ref_namesakes_addend_kind(const ref_section *text, uint64_t offset) {
  static const uint16_t kept[] = {0x387, 0x7ac, 0x919, 0x983, 0x992, 0x9c3, 0xb1d, 0xb82};
  static const uint16_t branches[] = {0x943, 0x944, 0x945, 0x947};
  const uint16_t opcode =
      text->data != NULL && offset + UNIT <= text->size ? ref_u16(text->data + offset) & OPCODE_BITS : 0;
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
    if (opcode == kept[i]) {
      return REF_NAMESAKE_KEPT;
    }
  }
  for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
    if (opcode == branches[i]) {
      return REF_NAMESAKE_NONE;
    }
  }
  return REF_NAMESAKE_MOVED;
}

static uint64_t ref_namesakes_addend(const ref_namesake *namesake, uint64_t offset, const ref_relocation *entry) {
  const ref_namesake_addend kind = ref_namesakes_addend_kind(namesake->text, offset);
  if (kind != REF_NAMESAKE_MOVED) {
    return kind == REF_NAMESAKE_KEPT ? (uint64_t)entry->addend : 0;
  }
  const size_t found = ref_places_find(&namesake->places, (uint64_t)entry->addend);
  if (found == REF_NONE) { /* nvlink ends by a signal: D113 */
    ref_message_fatal(namesake->link, "RF252", "an entry names a place at which no instruction begins: 0x%llx",
                      (unsigned long long)entry->addend);
  }
  return (uint64_t)found * UNIT;
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

/* L866: of a fence and the instruction that it comes with the second one is named. */
static uint64_t ref_namesakes_behind_fence(const ref_namesake *namesake, uint64_t place) {
  const ref_section *text = namesake->text;
  const size_t number = (size_t)(place / UNIT);
  const bool fence = text->data != NULL && place + UNIT <= text->size && number < namesake->places.count &&
                     (ref_u16(text->data + place) & OPCODE_BITS) == FENCE;
  return fence && namesake->places.next[number] == number + 2 ? place + UNIT : place;
}

/* RF257: an instruction that an attribute names; 0 where none begins at the place. Behind the code nvlink reads foreign memory. */
static uint32_t ref_namesakes_instruction(const ref_namesake *namesake, uint32_t place) {
  if (place >= namesake->places.end) {
    ref_message_fatal(namesake->link, "RF257", "an attribute names an instruction behind its function: 0x%x", place);
  }
  return (uint32_t)ref_namesakes_behind_fence(namesake, ref_places_self(&namesake->places, place));
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

static void ref_namesakes_move_entries(const ref_namesake *namesake, ref_section *section) {
  const ref_cubin *whole = namesake->whole;
  if (ref_namesakes_is_past_end(whole, namesake->mercury, &namesake->places)) {
    return;
  }
  const ref_map entries = ref_namesakes_map_entries(namesake);
  uint8_t *data = REF_TAKE(namesake->link, uint8_t, (size_t)section->size);
  memcpy(data, section->data, (size_t)section->size);
  for (size_t i = 0; i < ref_cubin_relocation_count(whole, namesake->first); i++) {
    const ref_relocation entry = ref_cubin_relocation(whole, namesake->first, i);
    const size_t found = ref_map_find(&entries, ref_namesakes_entry_key(namesake, namesake->first, &entry));
    if (found == REF_NONE) {
      continue;
    }
    const ref_relocation from = ref_cubin_relocation(whole, namesake->mercury, found);
    const uint64_t offset = ref_namesakes_behind_fence(namesake, ref_places_around(&namesake->places, from.offset));
    ref_put_u64(data + i * ENTRY, offset);
    if (from.type == PLACE_LOW || from.type == PLACE_HIGH) {
      ref_put_u64(data + i * ENTRY + ADDEND, ref_namesakes_addend(namesake, offset, &from));
    }
  }
  section->data = data;
}

static bool ref_namesakes_begin(ref_namesake *namesake, uint32_t sass) {
  const ref_cubin *whole = namesake->whole;
  const uint32_t target = whole->sections[sass].info;
  const uint32_t own = ref_namesakes_find(whole, sass, ".nv.merc", ref_namesakes_rank(whole, sass));
  const uint32_t code = own == 0 ? 0 : whole->sections[own].info;
  namesake->mercury = ref_namesakes_find(whole, namesake->first, ".nv.merc", 0);
  if (namesake->mercury == 0 || target >= whole->section_count || code == 0 || code >= whole->section_count) {
    return false;
  }
  namesake->text = &whole->sections[target];
  namesake->places = ref_places_of_sections(namesake->link, &whole->sections[code], namesake->text);
  return true;
}

static bool ref_namesakes_is_about_function(const ref_section *section) {
  const char *const prefix = section->type == REF_TYPE_INFO ? ".nv.info." : ".rela.text.";
  return ref_namesakes_is_known_by_name(section) && (section->flags & REF_FLAG_MERCURY) == 0 && section->data != NULL &&
         strncmp(section->name, prefix, strlen(prefix)) == 0;
}

void ref_namesakes_move(ref_link *link, const ref_cubin *whole, ref_cubin *sass) {
  ref_map first = {0};
  if (!link->job->bug_compatible) {
    return;
  }
  for (uint32_t i = 1; i < sass->section_count; i++) {
    ref_section *section = &sass->sections[i];
    const size_t known =
        ref_namesakes_is_about_function(section) ? ref_namesakes_first(link, &first, section->name, i) : REF_NONE;
    ref_namesake namesake = {.link = link, .whole = whole, .first = (uint32_t)known};
    if (known == REF_NONE || !ref_namesakes_begin(&namesake, i)) {
      continue;
    }
    if (section->type == REF_TYPE_INFO) {
      ref_namesakes_move_attributes(&namesake, section);
    } else {
      ref_namesakes_move_entries(&namesake, section);
    }
  }
}
