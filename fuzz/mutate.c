/* The kinds of change: one row a kind, one function for what several kinds share. A kind on entries works on any list
 * (edit.h); a kind that breaks something leaves everything else as it is, and renumbers nothing. */
#include "fuzz/mutate.h"

#include "fuzz/aim.h"
#include "fuzz/aim_mercury.h"
#include "fuzz/change.h"
#include "fuzz/edit.h"
#include "fuzz/generate.h"
#include "fuzz/words.h"
#include "tools/damage_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a change works on. `cubin` is taken apart only for kinds that want it. */
typedef struct mutation {
  const built_choices *choices;
  fuzz_envelope *envelope;
  const fuzz_envelope *other;
  fuzz_file *file;
  edit_cubin cubin;
  edit_kind kind; /* of the list, for kinds on entries */
  edit_list list;
} mutation;

static const uint32_t edge_callgraph = 0x70000001u, type_mercury_rela = 0x70000082u, type_mercury_symbols = 0x70000085u;
enum {
  EDGE_CALLS = 0,
  EDGE_REFERENCES = 3,
  SYMBOL_BYTES = 24,
  SYMBOL_INDEX = 6,
  RELA_BYTES = 24,
  RELA_SYMBOL = 12,
  TYPE_RELA = 4,
  SYMBOL_FUNCTION = 2,
  SYMBOL_SECTION = 3,
  TRIES = 12,
  FEW_TRIES = 3,
  WIDTH_MOST = 8
};

static uint32_t mutate_below(const mutation *m, size_t bound) {
  return built_choose(m->choices, (uint32_t)bound);
}

static bool mutate_percent(const mutation *m, uint32_t percent) {
  return built_choose(m->choices, 100) < percent;
}

#define CHOOSE(m, table) (table)[mutate_below(m, sizeof(table) / sizeof *(table))]

/* ---- values ---- */

static size_t mutate_symbol_count(const mutation *m) {
  const size_t table = edit_find_type(&m->cubin, 2);
  return table ? m->cubin.sections[table].size / SYMBOL_BYTES : 0;
}

/* A field of `width` bytes gets a value at which readers go wrong. */
static void mutate_field(const mutation *m, uint8_t *at, unsigned width) {
  gen_random random = {m->choices->next(m->choices->context)};
  const damage_scale scale = {.old = edit_get(at, width),
                              .width = width,
                              .sections = m->cubin.count,
                              .symbols = 6 * mutate_symbol_count(m),
                              .size = m->file->size};
  uint64_t value = 0;
  if (!damage_value(&scale, &random, &value))
    value = gen_random_next(&random) & 0x1f;
  edit_put(at, width, value);
}

/* A section that there is; more often than not one of the same type as the old one. */
static uint32_t mutate_section_near(const mutation *m, size_t old) {
  uint32_t found = 0, section = mutate_below(m, m->cubin.count);
  if (old >= m->cubin.count || mutate_below(m, 4) == 0)
    return section;
  for (uint32_t i = 1; i < m->cubin.count; i++)
    if (i != old && memcmp(m->cubin.sections[i].head + 4, m->cubin.sections[old].head + 4, 4) == 0 &&
        mutate_below(m, ++found) == 0)
      section = i;
  return section;
}

/* One of its fields; more often than not one that a linker asks, by a mask of the rows that it does. */
static void mutate_structure(const mutation *m, uint8_t *at, damage_structure structure) {
  enum { SECTION_TYPE = 2 };
  static const uint32_t asked[] = {[DAMAGE_OF_HEADER] = 1u << 9 | 1u << 10 | 1u << 15 | 1u << 20 | 1u << 21,
                                   [DAMAGE_OF_SECTION] = 0x1e4, /* not name and address; the type less */
                                   [DAMAGE_OF_SYMBOL] = 0x3e,   /* not the name, which must lie in its table */
                                   [DAMAGE_OF_NOTE] = 0};
  size_t count = 0;
  const damage_row *const rows = damage_rows(structure, &count);
  uint32_t row = mutate_below(m, count);
  const uint32_t wanted =
      asked[structure] | (structure == DAMAGE_OF_SECTION && mutate_percent(m, 50) ? SECTION_TYPE : 0);
  while (wanted && !(wanted >> row & 1) && mutate_below(m, 4))
    row = mutate_below(m, count);
  if (structure == DAMAGE_OF_SYMBOL && rows[row].offset == SYMBOL_INDEX && mutate_percent(m, 75))
    edit_put(at + SYMBOL_INDEX, 2, mutate_section_near(m, (size_t)edit_get(at + SYMBOL_INDEX, 2)));
  else
    mutate_field(m, at + rows[row].offset, rows[row].width);
}

/* ---- entries ---- */

/* A section that holds entries of the kind, at random. */
static bool mutate_take_list(mutation *m) {
  size_t found = 0;
  edit_section *chosen = NULL;
  for (size_t i = 1; i < m->cubin.count; i++) {
    edit_section *const section = &m->cubin.sections[i];
    if (edit_section_kind(section) == m->kind && section->size && mutate_below(m, ++found) == 0)
      chosen = section;
  }
  if (!chosen)
    return false;
  edit_list_make(&m->list, chosen);
  return m->list.count > (m->kind == EDIT_SYMBOLS);
}

/* What a symbol is: of a section, or of a type, by its number. */
static unsigned mutate_symbol_type(const mutation *m, size_t number) {
  const size_t table = edit_find_type(&m->cubin, 2);
  return number < mutate_symbol_count(m) ? m->cubin.sections[table].bytes[SYMBOL_BYTES * number + 4] & 15u : 0;
}

/* Any entry but the null symbol; a section's symbol, which few things ask, only now and then. */
static size_t mutate_entry(const mutation *m) {
  const size_t first = m->kind == EDIT_SYMBOLS;
  size_t entry = first + mutate_below(m, m->list.count - first);
  for (int tries = 0; first && tries < FEW_TRIES && mutate_symbol_type(m, entry) == SYMBOL_SECTION; tries++)
    entry = first + mutate_below(m, m->list.count - first);
  return entry;
}

/* A function's number, more often than not; any symbol's where there is none. */
static uint32_t mutate_function(const mutation *m) {
  const size_t count = mutate_symbol_count(m);
  uint32_t found = 0, number = mutate_below(m, count);
  if (mutate_below(m, 16) == 0)
    return number;
  for (uint32_t i = 0; i < count; i++)
    if (mutate_symbol_type(m, i) == SYMBOL_FUNCTION && mutate_below(m, ++found) == 0)
      number = i;
  return number;
}

static uint8_t *mutate_entry_bytes(const mutation *m, size_t entry) {
  return m->list.section->bytes + m->list.at[entry];
}

static bool mutate_is_mercury(const mutation *m) {
  return edit_get(m->list.section->head + 4, 4) == type_mercury_rela;
}

static bool mutate_is_rela(const mutation *m) {
  return edit_get(m->list.section->head + 4, 4) == TYPE_RELA || mutate_is_mercury(m);
}

/* A type that must name a function stands against nothing else but now and then: the link ends there. */
static void mend_relocation(const mutation *m, uint8_t *entry) {
  enum { MERCURY = 0x10000, MERCURY_TYPES = 65 };
  const uint64_t type = edit_get(entry + 8, 4);
  if (mutate_is_mercury(m) && type < MERCURY && mutate_below(m, 16))
    edit_put(entry + 8, 4, MERCURY + 1 + type % (MERCURY_TYPES - 1));
  if (built_type_describes_function((uint32_t)edit_get(entry + 8, 4)) &&
      mutate_symbol_type(m, (size_t)edit_get(entry + 12, 4)) != SYMBOL_FUNCTION && mutate_below(m, 16))
    edit_put(entry + 8, 4, 2);
}

/* Relocations stay at places and of types that are meant for each other more often than not. */
static void change_relocation(const mutation *m, uint8_t *entry) {
  static const uint32_t types[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 31, 32,  44,  45, 54,
                                   55, 56, 57, 58, 62, 64, 65, 66, 67, 71, 73, 74, 102, 112, 113};
  static const int64_t addends[] = {0, 4, 8, -8, 16, 0x100, 0xffff, 0x10000, -1, 0x7fffffff, 0x80000000};
  switch (mutate_below(m, mutate_is_rela(m) ? 5 : 3)) {
  case 0: {
    const uint64_t step = mutate_percent(m, 70) ? 16 : 8, old = edit_get(entry, 8);
    edit_put(entry, 8, mutate_percent(m, 50) ? old + step : old - step);
    return;
  }
  case 1:
    edit_put(entry + 8, 4, mutate_percent(m, 70) ? CHOOSE(m, types) : mutate_below(m, 120));
    return mend_relocation(m, entry);
  case 2:
    edit_put(entry + 12, 4, mutate_below(m, mutate_symbol_count(m)));
    return mend_relocation(m, entry);
  default:
    edit_put(entry + 16, 8, (uint64_t)CHOOSE(m, addends));
  }
}

static void change_symbol(const mutation *m, uint8_t *entry) {
  static const uint8_t types[] = {0, 1, 2, 2, 3, 10, 11, 12, 13, 13};
  static const uint8_t others[] = {0, 1, 2, 3, 4, 0x10, 0x11, 0x20, 0x40, 0x80, 0xa0};
  static const uint64_t sizes[] = {0, 1, 4, 8, 12, 16, 32, 128, 0x1000, 0x10000};
  switch (mutate_below(m, 7)) {
  case 0:
    entry[4] = (uint8_t)((entry[4] & 15) | mutate_below(m, 3) << 4);
    return;
  case 1:
    entry[4] = (uint8_t)((entry[4] & 0xf0) | CHOOSE(m, types));
    return;
  case 2:
    entry[5] = CHOOSE(m, others);
    return;
  case 3:
    edit_put(entry + 6, 2, mutate_percent(m, 40) ? 0 : mutate_below(m, m->cubin.count));
    return;
  case 4:
    edit_put(entry + 8, 8, CHOOSE(m, sizes));
    return;
  case 5:
    edit_put(entry + 16, 8, CHOOSE(m, sizes));
    return;
  default: /* the name of another symbol */
    memcpy(entry, m->list.section->bytes + SYMBOL_BYTES * mutate_below(m, m->list.count), 4);
  }
}

static void change_attribute(const mutation *m, uint8_t *entry, size_t size) {
  static const uint8_t codes[] = {0x04, 0x0a, 0x0d, 0x0f, 0x11, 0x12, 0x17, 0x19, 0x1b, 0x1c, 0x1e, 0x23,
                                  0x2f, 0x36, 0x37, 0x38, 0x41, 0x4a, 0x4c, 0x4f, 0x50, 0x51, 0x53, 0x5f};
  if (mutate_percent(m, 20))
    entry[1] = CHOOSE(m, codes);
  else if (entry[0] != 4)
    mutate_field(m, entry + 2, 2);
  else if (size >= 8)
    mutate_field(m, entry + 4 + 4 * mutate_below(m, (size - 4) / 4), 4);
}

/* Where a part of the call graph begins: no function is 0. */
static bool edge_begins_part(const mutation *m, size_t entry) {
  return edit_get(mutate_entry_bytes(m, entry), 4) == 0;
}

static uint32_t edge_part(const mutation *m, size_t entry) {
  uint32_t part = 0;
  for (size_t i = 0; i <= entry; i++)
    if (edge_begins_part(m, i))
      part = UINT32_MAX - (uint32_t)edit_get(mutate_entry_bytes(m, i) + 4, 4);
  return part;
}

/* Another function than the word names, where there is one. */
static void edge_put_function(const mutation *m, uint8_t *word) {
  const uint32_t old = (uint32_t)edit_get(word, 4);
  uint32_t number = mutate_function(m);
  for (int tries = 0; tries < FEW_TRIES && number == old; tries++)
    number = mutate_function(m);
  edit_put(word, 4, number);
}

/* Who calls whom: a function for each word that names one. Others are prototypes, of which there are as many as entries. */
static void change_edge(const mutation *m, size_t entry) {
  const uint32_t type = (uint32_t)edit_get(m->list.section->head + 4, 4), part = edge_part(m, entry);
  uint8_t *const bytes = mutate_entry_bytes(m, entry);
  const bool calls = type == edge_callgraph && (part == EDGE_CALLS || part == EDGE_REFERENCES);
  if (!calls && mutate_percent(m, 50)) {
    const size_t other = mutate_entry(m);
    if (!edge_begins_part(m, other))
      memcpy(bytes + 4, mutate_entry_bytes(m, other) + 4, 4);
  } else {
    edge_put_function(m, bytes + (calls && mutate_percent(m, 70) ? 4 : 0));
  }
}

/* A symbol that an entry names, but a function or a section only now and then: what its copy is shows in the link. */
static size_t symbol_in_use(const mutation *m) {
  uint32_t found = 0;
  size_t chosen = 0;
  edit_list *const entries = fuzz_memory(sizeof *entries);
  const bool any = mutate_below(m, 8) == 0;
  for (size_t i = 1; i < m->cubin.count; i++) {
    if (edit_section_kind(&m->cubin.sections[i]) != EDIT_RELOCATIONS)
      continue;
    edit_list_make(entries, &m->cubin.sections[i]);
    for (size_t j = 0; j < entries->count; j++) {
      const size_t number = (size_t)edit_get(entries->section->bytes + entries->at[j] + RELA_SYMBOL, 4);
      const unsigned type = mutate_symbol_type(m, number);
      const bool fits = any || (type != SYMBOL_FUNCTION && type != SYMBOL_SECTION);
      if (number && number < m->list.count && fits && mutate_below(m, ++found) == 0)
        chosen = number;
    }
  }
  free(entries);
  return chosen ? chosen : mutate_entry(m);
}

static bool entry_change(mutation *m) {
  const size_t entry = m->kind == EDIT_SYMBOLS && mutate_percent(m, 30) ? symbol_in_use(m) : mutate_entry(m);
  uint8_t *const bytes = mutate_entry_bytes(m, entry);
  const size_t size = m->list.at[entry + 1] - m->list.at[entry];
  switch (m->kind) {
  case EDIT_RELOCATIONS:
    change_relocation(m, bytes);
    return true;
  case EDIT_SYMBOLS:
    change_symbol(m, bytes);
    return true;
  case EDIT_ATTRIBUTES:
    change_attribute(m, bytes, size);
    return true;
  case EDIT_EDGES:
    if (edge_begins_part(m, entry))
      return false;
    change_edge(m, entry);
    return true;
  default: /* code: the bits that say what an instruction does, or those of its operands; data: a word */
    mutate_field(m, bytes + (size == 16 ? CHOOSE(m, ((const uint8_t[]){0, 1, 4, 5, 8, 12})) : 0), size == 16 ? 2 : 4);
    return true;
  }
}

/* Another symbol of the same type; the symbol itself where chance finds none. */
static size_t symbol_like(const mutation *m, size_t number) {
  size_t other = number;
  for (int tries = 0;
       tries < TRIES && (other == number || mutate_symbol_type(m, other) != mutate_symbol_type(m, number)); tries++)
    other = mutate_entry(m);
  return mutate_symbol_type(m, other) == mutate_symbol_type(m, number) ? other : number;
}

/* A function's code goes with all that is about it. */
static void symbol_code_drop(const mutation *m, edit_cubin *cubin, size_t number) {
  const size_t table = edit_find_type(cubin, 2);
  if (mutate_symbol_type(m, number) != SYMBOL_FUNCTION) /* nor is one of a second table that the first has not */
    return;
  size_t code = (size_t)edit_get(cubin->sections[table].bytes + SYMBOL_BYTES * number + SYMBOL_INDEX, 2);
  if (!code || code >= cubin->count)
    return;
  for (size_t i = cubin->count; i-- > 1;)
    if (i != code && edit_section_about(&cubin->sections[i]) == code) {
      edit_section_drop(cubin, i);
      code -= i < code;
    }
  edit_section_drop(cubin, code);
}

/* What is about a symbol that goes is about none then, which ends most links; or it goes too, or is about another one. */
static void symbol_drop(mutation *m, size_t number) {
  const uint32_t way = mutate_below(m, 5);
  const size_t count = mutate_symbol_count(m), other = symbol_like(m, number);
  if (way < 3) {
    if (mutate_percent(m, 70))
      symbol_code_drop(m, &m->cubin, number);
    edit_symbol_forget(&m->cubin, number);
  } else if (way == 3 && other != number) {
    int32_t *const map = fuzz_memory(count * sizeof *map);
    for (size_t i = 0; i < count; i++)
      map[i] = (int32_t)(i == number ? other : i);
    edit_renumber_symbols(&m->cubin, map, count);
    free(map);
  }
  edit_symbol_drop(&m->cubin, number);
}

static bool entry_drop(mutation *m) {
  const size_t entry = mutate_entry(m);
  if (m->kind == EDIT_SYMBOLS)
    symbol_drop(m, entry);
  else
    edit_list_drop(&m->list, entry);
  return true;
}

/* A definition that more files may have. */
static void file_weaken(uint8_t *symbol) {
  enum { GLOBAL = 1, WEAK = 2 };
  if (symbol[4] >> 4 == GLOBAL && edit_get(symbol + 6, 2))
    symbol[4] = (uint8_t)(WEAK << 4 | (symbol[4] & 15));
}

/* One entry that names the first symbol names the second one instead. */
static void symbol_refer(const mutation *m, size_t from, size_t to) {
  edit_list entries;
  for (size_t i = 1; i < m->cubin.count; i++) {
    if (edit_section_kind(&m->cubin.sections[i]) != EDIT_RELOCATIONS)
      continue;
    edit_list_make(&entries, &m->cubin.sections[i]);
    for (size_t j = 0; j < entries.count; j++) {
      uint8_t *const symbol = entries.section->bytes + entries.at[j] + 12;
      if (edit_get(symbol, 4) == from) {
        edit_put(symbol, 4, to);
        return;
      }
    }
  }
}

/* The rest of its own name: an object that no other file knows. A function's section is named after it, so it keeps its. */
static void symbol_name_anew(const mutation *m, uint8_t *symbol) {
  const size_t table = (size_t)edit_get(m->list.section->head + 40, 4), at = (size_t)edit_get(symbol, 4);
  if (table < m->cubin.count && at + 1 < m->cubin.sections[table].size && m->cubin.sections[table].bytes[at] &&
      m->cubin.sections[table].bytes[at + 1] && (symbol[4] & 15) != SYMBOL_FUNCTION)
    edit_put(symbol, 4, at + 1);
}

/* A copy, changed more often than not, behind the others or behind itself. */
static bool entry_duplicate(mutation *m) {
  const bool used = m->kind == EDIT_SYMBOLS && mutate_percent(m, 70);
  const size_t entry = used ? symbol_in_use(m) : mutate_entry(m), size = m->list.at[entry + 1] - m->list.at[entry];
  if (m->kind == EDIT_EDGES && edge_begins_part(m, entry))
    return false;
  uint8_t *const copy = fuzz_memory(size);
  memcpy(copy, mutate_entry_bytes(m, entry), size);
  const bool behind = m->kind == EDIT_SYMBOLS || mutate_percent(m, 50);
  const size_t place = behind ? m->list.count : entry + 1;
  edit_list_insert(&m->list, place, copy, size);
  free(copy);
  if (m->kind == EDIT_SYMBOLS && mutate_percent(m, 80))
    symbol_refer(m, entry, place);
  if (m->kind == EDIT_SYMBOLS && mutate_percent(m, 75))
    symbol_name_anew(m, mutate_entry_bytes(m, place));
  if (m->kind == EDIT_SYMBOLS && mutate_percent(m, 80)) /* two strong definitions end the link */
    file_weaken(mutate_entry_bytes(m, place));
  if (m->list.count > place && mutate_percent(m, 70)) {
    uint8_t *const bytes = mutate_entry_bytes(m, place);
    if (m->kind == EDIT_RELOCATIONS)
      change_relocation(m, bytes);
    else if (m->kind == EDIT_SYMBOLS)
      change_symbol(m, bytes);
    else if (m->kind == EDIT_EDGES)
      change_edge(m, place);
  }
  return true;
}

/* An edge of one part says something else in another one, where it seldom names what must stand there. */
static bool edges_may_turn(const mutation *m, size_t a, size_t b) {
  if ((edge_begins_part(m, a) || edge_begins_part(m, b)) && mutate_below(m, 8))
    return false;
  return edge_part(m, a) == edge_part(m, b) || mutate_percent(m, 55);
}

static bool entry_reorder(mutation *m) {
  const size_t a = mutate_entry(m), b = mutate_entry(m);
  const size_t size = m->list.at[a + 1] - m->list.at[a];
  const bool same = size == m->list.at[b + 1] - m->list.at[b] &&
                    memcmp(mutate_entry_bytes(m, a), mutate_entry_bytes(m, b), size) == 0;
  if (same || (m->kind == EDIT_EDGES && !edges_may_turn(m, a, b)))
    return false;
  if (m->kind == EDIT_SYMBOLS)
    edit_symbol_swap(&m->cubin, a, b);
  else
    edit_list_swap(&m->list, a, b);
  return true;
}

/* Contents come from a section of the same type, but now and then: code into code, notes into notes. */
static bool lists_are_alike(const mutation *m, const mutation *from) {
  return m->kind != EDIT_CONTENTS || mutate_below(m, 8) == 0 ||
         edit_get(m->list.section->head + 4, 4) == edit_get(from->list.section->head + 4, 4);
}

/* Notes say what may be linked at all, and a capsule's text is made of records that follow one another. */
static bool contents_are_read_first(const mutation *m) {
  enum { NOTE = 7 };
  static const uint32_t mercury_text = 0x70000016u;
  const uint64_t type = edit_get(m->list.section->head + 4, 4);
  return type == NOTE || type == mercury_text;
}

/* Entries of the other input's list of that kind, a run of them, into this one. */
static bool entry_splice(mutation *m) {
  mutation from = *m;
  const fuzz_envelope *const other = m->other ? m->other : m->envelope;
  if (other->file_count == 0)
    return false;
  const fuzz_file *const file = &other->files[mutate_below(m, other->file_count)];
  if (!edit_cubin_read(&from.cubin, file->bytes, file->size))
    return false;
  bool good = mutate_take_list(&from) && (m->kind != EDIT_RELOCATIONS || mutate_is_rela(&from) == mutate_is_rela(m));
  for (int tries = 0; good && tries < TRIES && !lists_are_alike(m, &from); tries++)
    good = mutate_take_list(&from);
  if (good && m->kind == EDIT_CONTENTS && contents_are_read_first(m) && mutate_below(m, 3))
    good = false;
  if (good) {
    const size_t first = mutate_entry(&from), count = 1 + mutate_below(m, from.list.count - first < 4 ? 1 : 4);
    edit_list_insert(&m->list, mutate_entry(m), mutate_entry_bytes(&from, first),
                     from.list.at[first + count] - from.list.at[first]);
  }
  edit_cubin_free(&from.cubin);
  return good;
}

/* A relocation of a section that may have none yet, where its neighbours would be: on an instruction or a slot. */
static bool relocation_add(mutation *m) {
  const size_t symbols = mutate_symbol_count(m);
  if (!mutate_is_rela(m) || !symbols)
    return false;
  uint8_t entry[RELA_BYTES] = {0};
  memcpy(entry, mutate_entry_bytes(m, mutate_entry(m)), RELA_BYTES);
  const size_t target = (size_t)edit_get(m->list.section->head + 44, 4);
  if (target < m->cubin.count && m->cubin.sections[target].size >= 16)
    edit_put(entry, 8, (uint64_t)16 * mutate_below(m, m->cubin.sections[target].size / 16));
  edit_put(entry + 12, 4, mutate_below(m, symbols));
  change_relocation(m, entry);
  edit_list_insert(&m->list, mutate_entry(m), entry, sizeof entry);
  return true;
}

static bool relocation_aim(mutation *m) {
  return fuzz_aim(m->choices, &m->cubin);
}

static bool relocation_aim_mercury(mutation *m) {
  return fuzz_aim_mercury(m->choices, &m->cubin);
}

/* ---- what only capsules and compilers' code have ---- */

static bool code_change(mutation *m) {
  return fuzz_change_code(m->choices, &m->cubin);
}

static bool boards_change(mutation *m) {
  return fuzz_change_boards(m->choices, &m->cubin);
}

static bool lines_change(mutation *m) {
  return fuzz_change_lines(m->choices, &m->cubin);
}

static bool pair_change(mutation *m) {
  return fuzz_change_pair(m->choices, &m->cubin);
}

static bool name_change(mutation *m) {
  return fuzz_change_name(m->choices, &m->cubin);
}

static bool word_change(mutation *m) {
  return fuzz_change_word(m->choices, &m->cubin);
}

/* ---- sections ---- */

static size_t mutate_section(const mutation *m) {
  return m->cubin.count > 1 ? 1 + mutate_below(m, m->cubin.count - 1) : 0;
}

/* The first symbol in a section, but its own; 0: none. */
static size_t symbol_of_section(const mutation *m, size_t section) {
  const size_t table = edit_find_type(&m->cubin, 2), count = mutate_symbol_count(m);
  for (size_t i = 1; i < count; i++)
    if (edit_get(m->cubin.sections[table].bytes + SYMBOL_BYTES * i + 6, 2) == section &&
        mutate_symbol_type(m, i) != SYMBOL_SECTION)
      return i;
  return 0;
}

/* A section that symbols lie in, which a link shows, more often than not. */
static size_t mutate_section_of_symbols(const mutation *m) {
  size_t number = mutate_section(m);
  for (int tries = 0; tries < TRIES && !symbol_of_section(m, number); tries++)
    number = mutate_section(m);
  return number;
}

static bool section_change(mutation *m) {
  static const uint64_t aligns[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 3};
  const size_t number = mutate_percent(m, 70) ? mutate_section_of_symbols(m) : mutate_section(m);
  if (!number)
    return false;
  edit_section *const section = &m->cubin.sections[number];
  switch (mutate_below(m, 4)) {
  case 0:
    edit_put(section->head + 48, 8, CHOOSE(m, aligns));
    return true;
  case 1:
    edit_put(section->head + 8, 8, edit_get(section->head + 8, 8) ^ (1u << mutate_below(m, 26)));
    return true;
  case 2:
    mutate_field(m, section->head + 44, 4);
    return true;
  default:
    if (section->empty)
      mutate_field(m, section->head + 32, 2);
    return section->empty;
  }
}

/* A table that all others lean on ends the link where it is read: less often than the others. */
static size_t mutate_section_but_tables(const mutation *m) {
  enum { SYMBOLS = 2, STRINGS = 3 };
  size_t number = mutate_section(m);
  for (int tries = 0; tries < FEW_TRIES; tries++) {
    const uint64_t type = edit_get(m->cubin.sections[number].head + 4, 4);
    if (type != SYMBOLS && type != STRINGS && type != type_mercury_symbols)
      break;
    number = mutate_section(m);
  }
  return number;
}

static bool section_drop(mutation *m) {
  const size_t number = mutate_section_but_tables(m);
  if (!number)
    return false;
  edit_section_drop(&m->cubin, number);
  return true;
}

static bool section_duplicate(mutation *m) {
  const size_t number = mutate_section(m);
  if (!number)
    return false;
  edit_section_add(&m->cubin, &m->cubin, number);
  return true;
}

static bool sections_are_alike(const mutation *m, size_t a, size_t b) {
  return edit_get(m->cubin.sections[a].head + 4, 4) == edit_get(m->cubin.sections[b].head + 4, 4);
}

/* The order of what holds code and data shows where the symbols go with it; that of tables does not. */
static bool section_reorder(mutation *m) {
  const bool any = mutate_percent(m, 10);
  const size_t a = any ? mutate_section(m) : mutate_section_of_symbols(m);
  size_t b = any ? mutate_section(m) : mutate_section_of_symbols(m);
  for (int tries = 0; tries < TRIES && !any && a && (b == a || !sections_are_alike(m, a, b)); tries++)
    b = mutate_section_of_symbols(m);
  if (!a || !b || a == b)
    return false;
  edit_section_swap(&m->cubin, a, b);
  const size_t of_a = symbol_of_section(m, a), of_b = symbol_of_section(m, b);
  if (of_a && of_b && mutate_percent(m, 80))
    edit_symbol_swap(&m->cubin, of_a, of_b);
  return true;
}

/* A section of another file: instead of the one of that name, or beside it. */
static bool section_splice(mutation *m) {
  edit_cubin from;
  const fuzz_envelope *const other = m->other ? m->other : m->envelope;
  if (other->file_count == 0)
    return false;
  const fuzz_file *const file = &other->files[mutate_below(m, other->file_count)];
  if (!edit_cubin_read(&from, file->bytes, file->size))
    return false;
  const bool done = fuzz_change_splice(m->choices, &m->cubin, &from);
  edit_cubin_free(&from);
  return done;
}

/* Longer or shorter by some entries' worth of bytes. */
static bool section_resize(mutation *m) {
  static const uint32_t steps[] = {1, 4, 8, 16, 24, 128, 512};
  const size_t number = mutate_percent(m, 60) ? mutate_section_of_symbols(m) : mutate_section(m);
  edit_section *const section = &m->cubin.sections[number];
  const size_t step = CHOOSE(m, steps);
  if (!number)
    return false;
  if (section->empty) {
    edit_put(section->head + 32, 8, edit_get(section->head + 32, 8) + step);
    return true;
  }
  const size_t size = mutate_percent(m, 60) ? section->size + step : section->size - (step < section->size ? step : 0);
  uint8_t *const bytes = fuzz_memory(size);
  memset(bytes, 0, size);
  if (size && section->size)
    memcpy(bytes, section->bytes, size < section->size ? size : section->size);
  edit_section_set(section, bytes, size);
  return true;
}

/* ---- files and words ---- */

static void envelope_remove_file(fuzz_envelope *envelope, size_t number) {
  free(envelope->files[number].bytes);
  memmove(&envelope->files[number], &envelope->files[number + 1],
          (envelope->file_count - number - 1) * sizeof *envelope->files);
  envelope->file_count--;
}

/* The machine that a file is for; 0: it says none. */
static unsigned file_machine(const fuzz_file *file) {
  enum { MACHINE = 49 };
  return file->size >= EDIT_HEAD ? file->bytes[MACHINE] : 0;
}

/* Files for the one and for the other machine have one form, and code of one family (fuzz/capsules). */
static bool machines_are_alike(unsigned a, unsigned b) {
  static const unsigned families[][2] = {{75, 90}, {100, 119}, {120, 121}};
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (a >= families[i][0] && a <= families[i][1] && b >= families[i][0] && b <= families[i][1])
      return true;
  return false;
}

/* A file that comes from elsewhere is made one for the machine of those that are there, its definitions weak and, `away`,
 * of other names, more often than not: otherwise the link ends where it is read or merged. */
static void file_adapt(const mutation *m, fuzz_file *file, const fuzz_file *like, bool away) {
  enum { MACHINE = 48, MACHINE_BYTES = 3, VERSION = 7, VERSION_BYTES = 2 };
  edit_cubin cubin;
  if (mutate_percent(m, 4) || !edit_cubin_read(&cubin, file->bytes, file->size))
    return;
  if (like->size >= EDIT_HEAD && machines_are_alike(file_machine(file), file_machine(like))) {
    memcpy(cubin.head + VERSION, like->bytes + VERSION, VERSION_BYTES);
    memcpy(cubin.head + MACHINE, like->bytes + MACHINE, MACHINE_BYTES);
  }
  const size_t table = edit_find_type(&cubin, 2);
  for (size_t at = 0; table && at + SYMBOL_BYTES <= cubin.sections[table].size; at += SYMBOL_BYTES) {
    uint8_t *const symbol = cubin.sections[table].bytes + at;
    if (away && edit_get(symbol + 6, 2) && (symbol[4] & 15) != SYMBOL_SECTION)
      edit_symbol_rename(&cubin, at / SYMBOL_BYTES, 0x20);
    file_weaken(symbol);
  }
  size_t size = 0;
  uint8_t *const bytes = edit_cubin_write(&cubin, &size);
  fuzz_file_set(file, bytes, size);
  edit_cubin_free(&cubin);
}

static bool file_drop(mutation *m) {
  if (m->envelope->file_count < 2)
    return false;
  envelope_remove_file(m->envelope, mutate_below(m, m->envelope->file_count));
  return true;
}

static bool file_duplicate(mutation *m) {
  char name[FUZZ_NAME + 8];
  (void)snprintf(name, sizeof name, "again-%s", m->file->name);
  const bool again = mutate_percent(m, 50);
  if (!fuzz_envelope_add_file(m->envelope, again ? name : m->file->name, m->file->bytes, m->file->size))
    return false;
  /* a kernel that is there twice ends the link more often than not */
  file_adapt(m, &m->envelope->files[m->envelope->file_count - 1], m->file, mutate_percent(m, 25));
  return true;
}

static bool file_reorder(mutation *m) {
  const size_t a = mutate_below(m, m->envelope->file_count), b = mutate_below(m, m->envelope->file_count);
  const fuzz_file moved = m->envelope->files[a];
  m->envelope->files[a] = m->envelope->files[b];
  m->envelope->files[b] = moved;
  return a != b;
}

static bool file_rename(mutation *m) {
  static const char *const names[] = {"cudadevrt-0.cubin",
                                      "cudadevrt.cubin",
                                      "libcudadevrt.cubin",
                                      "a-cudadevrt.cubin",
                                      "x.cubin",
                                      "y.cubin",
                                      "a.o",
                                      "b.o",
                                      "a.fatbin"};
  (void)snprintf(m->file->name, FUZZ_NAME, "%s", CHOOSE(m, names));
  return true;
}

/* A file of another format, or a cubin of another kind, as its first bytes or its name say: archives, fat binaries, host
 * objects, bitcode, text. Most end the link where they are read, so they are drawn less than names that end nothing. */
static bool file_other(mutation *m) {
  static const char *const names[] = {"a.cubin", "c.o", "c.o", "d.a", "e.ptx", "h", "h"}, *const others[] = {"b.fatbin",
                                                                                                             "f.bc",
                                                                                                             "g.nvvm"};
  static const struct {
    const char *bytes;
    uint8_t at, size;
  } rows[] = {{"\x50\xed\x55\xba\1\0\x10\0", 0, 8},
              {"!<arch>\n", 0, 8},
              {"!<thin>\n", 0, 8},
              {"BC\xc0\xde", 0, 4},
              {"\xde\xc0\x17\x0b", 0, 4},
              {"//\n.version 8.0\n", 0, 16},
              {"\1", 4, 1},      /* 32 bits */
              {"\x41", 7, 1},    /* another system's */
              {"\2\0", 16, 2},   /* linked */
              {"\0\xff", 16, 2}, /* of no type */
              {"\x3e\0", 18, 2}, /* a host's object, or program */
              {"\2\0\x3e\0", 16, 4},
              {"\0", 49, 1}, /* for no machine, and for later ones */
              {"\x64", 49, 1}};
  /* of an archive: the header of its first member, whole */
  enum { ARCHIVE_MAGIC = 8 };
  static const char member[] = "member/         0           0     0     644     4         `\n";
  _Static_assert(sizeof member - 1 == 60, "a member's header");
  const uint32_t row = mutate_below(m, sizeof rows / sizeof *rows);
  const bool bytes = mutate_percent(m, 20);
  if (m->file->size < EDIT_HEAD)
    return false;
  if (bytes)
    memcpy(m->file->bytes + rows[row].at, rows[row].bytes, rows[row].size);
  if (bytes && mutate_percent(m, 50) && m->file->size >= ARCHIVE_MAGIC + sizeof member - 1)
    memcpy(m->file->bytes + ARCHIVE_MAGIC, member, sizeof member - 1);
  if (mutate_percent(m, 3))
    fuzz_file_set(m->file, fuzz_memory(0), 0);
  (void)snprintf(m->file->name, FUZZ_NAME, "%s", mutate_percent(m, 12) ? CHOOSE(m, others) : CHOOSE(m, names));
  return true;
}

/* A file of the other input, or one that is generated. */
static bool file_add(mutation *m) {
  fuzz_envelope made = {.file_count = 0};
  const fuzz_envelope *from = m->other;
  if (!from || mutate_percent(m, 50)) {
    gen_random random = {m->choices->next(m->choices->context)};
    const built_choices choices = built_choices_random(&random);
    fuzz_generate(&choices, &made);
    from = &made;
  }
  const fuzz_file *const file = from->file_count ? &from->files[mutate_below(m, from->file_count)] : NULL;
  const bool instead = file && mutate_percent(m, 40);
  if (file && !machines_are_alike(file_machine(file), file_machine(m->file)) && mutate_below(m, 16)) {
    fuzz_envelope_free(&made);
    return false;
  }
  fuzz_file like = *m->file; /* its header */
  like.bytes = fuzz_memory(EDIT_HEAD);
  like.size = m->file->size < EDIT_HEAD ? 0 : EDIT_HEAD;
  if (like.size)
    memcpy(like.bytes, m->file->bytes, EDIT_HEAD);
  bool good = file && (instead || fuzz_envelope_add_file(m->envelope, file->name, file->bytes, file->size));
  if (instead) {
    uint8_t *const bytes = fuzz_memory(file->size);
    memcpy(bytes, file->bytes, file->size);
    fuzz_file_set(m->file, bytes, file->size);
  }
  if (good)
    file_adapt(m, instead ? m->file : &m->envelope->files[m->envelope->file_count - 1], &like, mutate_percent(m, 80));
  free(like.bytes);
  fuzz_envelope_free(&made);
  return good;
}

/* Another program of the generator's: what this one is made of says nothing any more. */
static bool all_new(mutation *m) {
  gen_random random = {m->choices->next(m->choices->context)};
  const built_choices choices = built_choices_random(&random);
  fuzz_envelope_free(m->envelope);
  fuzz_generate(&choices, m->envelope);
  return true;
}

static bool word_add(mutation *m) {
  char word[FUZZ_WORD];
  return fuzz_envelope_add_word(m->envelope, fuzz_word_choose(m->choices, word));
}

static bool word_drop(mutation *m) {
  fuzz_envelope *const envelope = m->envelope;
  if (envelope->word_count < 2) /* the first one is the target */
    return false;
  const size_t number = 1 + mutate_below(m, envelope->word_count - 1);
  memmove(envelope->words[number], envelope->words[number + 1],
          (envelope->word_count - number - 1) * sizeof *envelope->words);
  envelope->word_count--;
  return true;
}

static unsigned target_machine(const char *target) {
  unsigned machine = 0;
  return sscanf(target, "sm_%u", &machine) == 1 ? machine : 0;
}

/* The files' headers say what the word says, where both kinds of machine have one form of header. */
static void files_retarget(fuzz_envelope *envelope, const char *target) {
  enum { MACHINE = 49 };
  const unsigned machine = target_machine(target);
  for (size_t i = 0; i < envelope->file_count; i++)
    if (machines_are_alike(machine, file_machine(&envelope->files[i])))
      envelope->files[i].bytes[MACHINE] = (uint8_t)machine;
}

static void word_choose_target(const mutation *m, unsigned old, char target[FUZZ_TARGET]) {
  if (mutate_percent(m, 14)) {
    fuzz_target_of_any_kind(m->choices, target);
    return;
  }
  fuzz_target_choose(m->choices, target);
  for (int tries = 0; tries < TRIES / 2 && !machines_are_alike(target_machine(target), old); tries++)
    fuzz_target_choose(m->choices, target);
}

static bool word_target(mutation *m) {
  const unsigned old = m->envelope->file_count ? file_machine(&m->envelope->files[0]) : 0;
  for (size_t i = 0; i < m->envelope->word_count; i++)
    if (strncmp(m->envelope->words[i], "-arch=", 6) == 0) {
      char target[FUZZ_TARGET];
      word_choose_target(m, old, target);
      (void)snprintf(m->envelope->words[i], FUZZ_WORD, "-arch=%s", target);
      if (mutate_percent(m, 94))
        files_retarget(m->envelope, target);
      return true;
    }
  return false;
}

static void envelope_remove_word(fuzz_envelope *envelope, const char *word) {
  size_t kept = 0;
  for (size_t i = 0; i < envelope->word_count; i++)
    if (strcmp(envelope->words[i], word) != 0)
      memmove(envelope->words[kept++], envelope->words[i], sizeof *envelope->words);
  envelope->word_count = kept;
}

/* What a link works out shows in what it says; the words end nothing. */
static bool word_more(mutation *m) {
  enum { FEW = 3 };
  if (m->envelope->word_count + FEW > FUZZ_WORDS)
    return false;
  for (size_t i = 0; i < m->envelope->word_count; i++)
    if (strcmp(m->envelope->words[i], "-dump-callgraph") == 0)
      return false;
  fuzz_words_say_more(m->envelope);
  return true;
}

/* What is there for a debugger counts, or not. */
static bool word_debug(mutation *m) {
  const size_t count = m->envelope->word_count;
  envelope_remove_word(m->envelope, "-g");
  return m->envelope->word_count < count || fuzz_envelope_add_word(m->envelope, "-g");
}

/* What is used: a name that a file has, and others than it then have none. */
static bool word_used(mutation *m) {
  const size_t number = edit_find_type(&m->cubin, 2), count = mutate_symbol_count(m);
  const size_t table = number ? (size_t)edit_get(m->cubin.sections[number].head + 40, 4) : 0;
  if (count < 2 || !table || table >= m->cubin.count)
    return false;
  const edit_section *const names = &m->cubin.sections[table];
  const size_t symbol = 1 + mutate_below(m, count - 1);
  const size_t at = (size_t)edit_get(m->cubin.sections[number].bytes + SYMBOL_BYTES * symbol, 4);
  if (at >= names->size || !memchr(names->bytes + at, 0, names->size - at))
    return false;
  char word[FUZZ_WORD];
  (void)snprintf(word, sizeof word, "%s%.150s",
                 mutate_symbol_type(m, symbol) == SYMBOL_FUNCTION ? "-kernels-used=" : "-variables-used=",
                 (const char *)names->bytes + at);
  return fuzz_word_is_known(word) && fuzz_envelope_add_word(m->envelope, word);
}

/* One mode of the link instead of another. */
static bool word_mode(mutation *m) {
  static const char *const modes[] = {"-r", "-preserve-relocs"};
  const uint32_t mode = mutate_below(m, 3);
  for (size_t i = 0; i < 2; i++)
    envelope_remove_word(m->envelope, modes[i]);
  return mode == 2 || fuzz_envelope_add_word(m->envelope, modes[mode]);
}

/* ---- breaking ---- */

/* A bit of the flags that say nothing of the machine more often than not: another machine, and what says that it is a cubin
 * at all, end the link at once. */
static bool break_header(mutation *m) {
  enum { FLAGS = 48, SECTION = 51 };
  const uint32_t which = mutate_below(m, 10), bit = mutate_below(m, 8);
  if (which < 9)
    m->cubin.head[which > 4 ? SECTION : FLAGS] ^= (uint8_t)(1u << bit);
  else
    mutate_structure(m, m->cubin.head, DAMAGE_OF_HEADER);
  return true;
}

static bool break_section(mutation *m) {
  const size_t number = mutate_percent(m, 10) ? mutate_section_of_symbols(m) : mutate_section_but_tables(m);
  mutate_structure(m, m->cubin.sections[number].head, DAMAGE_OF_SECTION);
  return true;
}

/* A record's format, code or size; or, where it has them, a word of what it says. */
static void break_attribute(const mutation *m, uint8_t *record) {
  enum { WORDS = 4, SIZED = 4 };
  const size_t size = record[0] == SIZED ? (size_t)edit_get(record + 2, 2) : 0;
  if (size >= WORDS && mutate_percent(m, 50))
    mutate_field(m, record + 4 + (size_t)WORDS * mutate_below(m, size / WORDS), WORDS);
  else
    mutate_field(m, record + mutate_below(m, record[0] == SIZED ? 2 : 3), 1);
}

/* A number that readers take for something else: another part of the list, another function or text, anything. What names no
 * function ends the link where it is read, so that is the least of it. */
static void break_edge(const mutation *m, size_t entry) {
  uint8_t *const edge = mutate_entry_bytes(m, entry);
  const bool begins = edge_begins_part(m, entry), first = !begins && mutate_percent(m, 50);
  uint8_t *const word = edge + (first ? 0 : 4);
  const uint32_t type = (uint32_t)edit_get(m->list.section->head + 4, 4);
  const bool function = !begins && (first || (type == edge_callgraph && edge_part(m, entry) == EDGE_CALLS));
  if (mutate_percent(m, 20))
    mutate_field(m, word, mutate_percent(m, 70) ? 1 : 4);
  else if (function)
    edge_put_function(m, word);
  else
    word[0] ^= (uint8_t)(1u << mutate_below(m, 3));
}

static bool break_entry(mutation *m) {
  static const damage_structure structures[] = {[EDIT_RELOCATIONS] = DAMAGE_OF_REL, [EDIT_SYMBOLS] = DAMAGE_OF_SYMBOL};
  const size_t entry = mutate_entry(m);
  uint8_t *const bytes = mutate_entry_bytes(m, entry);
  if (m->kind <= EDIT_SYMBOLS)
    mutate_structure(m, bytes, m->kind == EDIT_RELOCATIONS && mutate_is_rela(m) ? DAMAGE_OF_RELA : structures[m->kind]);
  else if (m->kind == EDIT_ATTRIBUTES)
    break_attribute(m, bytes);
  else
    break_edge(m, entry);
  return true;
}

/* A place in the finished file, whatever it is; strings and notes are reached by this alone. */
static bool break_byte(mutation *m) {
  if (m->file->size < WIDTH_MOST)
    return false;
  const unsigned width = 1u << mutate_below(m, 3);
  mutate_field(m, m->file->bytes + mutate_below(m, m->file->size - WIDTH_MOST), width);
  return true;
}

/* Contents end early, and the headers of sections begin where they end: what lay last lies over them. How much is cut out;
 * 0: the headers do not end the file. */
static size_t break_contents_end(const mutation *m) {
  enum { HEADERS = 40, COUNT = 60, STEP = 8, MOST = 64 };
  fuzz_file *const file = m->file;
  const uint64_t headers = edit_get(file->bytes + HEADERS, 8), size = edit_get(file->bytes + COUNT, 2) * EDIT_HEAD;
  if (headers < EDIT_HEAD || headers > file->size || size != file->size - headers)
    return 0;
  const size_t cut = (size_t)STEP * (1 + mutate_below(m, MOST));
  if (cut > size || cut > headers - EDIT_HEAD)
    return 0;
  memmove(file->bytes + headers - cut, file->bytes + headers, (size_t)size);
  edit_put(file->bytes + HEADERS, 8, headers - cut);
  return cut;
}

/* Less than the file, or more: what lies behind the headers belongs to nothing. */
static bool break_end(mutation *m) {
  enum { MORE = 256 };
  const bool longer = mutate_percent(m, 53);
  const size_t old = m->file->size;
  size_t cut = old >= EDIT_HEAD && !longer && mutate_percent(m, 30) ? break_contents_end(m) : 0;
  if (!cut && old && !longer)
    cut = old - mutate_below(m, old);
  const size_t size = old - cut + (longer ? mutate_below(m, MORE) : 0);
  uint8_t *const bytes = fuzz_memory(size);
  memset(bytes, 0, size);
  memcpy(bytes, m->file->bytes, size < old ? size : old);
  fuzz_file_set(m->file, bytes, size);
  return true;
}

/* ---- the index of unified functions and data ---- */

/* Two slots change places; any other value ends most links, or leaves a gap that nvlink never writes (D20), so that is the least
 * of it. */
static bool index_change(mutation *m) {
  enum { HEADER = 48, WINDOW = 16, COUNT = 24, KEY = 24, PLACE = 16 };
  const size_t index = fuzz_index_of(m->envelope);
  if (index == m->envelope->file_count || m->envelope->files[index].size < HEADER + KEY)
    return false;
  uint8_t *const bytes = m->envelope->files[index].bytes;
  const size_t size = m->envelope->files[index].size;
  const uint64_t functions = edit_get(bytes + COUNT, WIDTH_MOST);
  if (functions < 2 || functions > (size - HEADER) / KEY || mutate_percent(m, 15)) {
    mutate_field(m, bytes + WINDOW + mutate_below(m, size - WINDOW - WIDTH_MOST), WIDTH_MOST);
    return true;
  }
  const size_t one = mutate_below(m, functions), two = (one + 1 + mutate_below(m, functions - 1)) % functions;
  uint8_t *const place = bytes + HEADER + one * KEY + PLACE, *const other = bytes + HEADER + two * KEY + PLACE;
  const uint64_t here = edit_get(place, WIDTH_MOST);
  edit_put(place, WIDTH_MOST, edit_get(other, WIDTH_MOST));
  edit_put(other, WIDTH_MOST, here);
  return true;
}

/* ---- the table ---- */

typedef enum kind_works { WORKS_ON_ENVELOPE, WORKS_ON_CUBIN, WORKS_ON_LIST } kind_works;

typedef struct kind_row {
  const char *name;
  bool (*apply)(mutation *m);
  kind_works works;
  edit_kind list;
  uint8_t weight;
  bool breaks;
} kind_row;

static const kind_row kind_rows[] = {
    {"relocation change", entry_change, WORKS_ON_LIST, EDIT_RELOCATIONS, 14, false},
    {"relocation add", relocation_add, WORKS_ON_LIST, EDIT_RELOCATIONS, 10, false},
    {"relocation aim", relocation_aim, WORKS_ON_CUBIN, 0, 24, false},
    {"relocation aim mercury", relocation_aim_mercury, WORKS_ON_CUBIN, 0, 24, false},
    {"relocation drop", entry_drop, WORKS_ON_LIST, EDIT_RELOCATIONS, 4, false},
    {"relocation duplicate", entry_duplicate, WORKS_ON_LIST, EDIT_RELOCATIONS, 6, false},
    {"relocation reorder", entry_reorder, WORKS_ON_LIST, EDIT_RELOCATIONS, 4, false},
    {"relocation splice", entry_splice, WORKS_ON_LIST, EDIT_RELOCATIONS, 4, false},
    {"relocation break", break_entry, WORKS_ON_LIST, EDIT_RELOCATIONS, 4, true},
    {"symbol change", entry_change, WORKS_ON_LIST, EDIT_SYMBOLS, 12, false},
    {"symbol drop", entry_drop, WORKS_ON_LIST, EDIT_SYMBOLS, 4, false},
    {"symbol duplicate", entry_duplicate, WORKS_ON_LIST, EDIT_SYMBOLS, 8, false},
    {"symbol reorder", entry_reorder, WORKS_ON_LIST, EDIT_SYMBOLS, 4, false},
    {"symbol break", break_entry, WORKS_ON_LIST, EDIT_SYMBOLS, 5, true},
    {"attribute change", entry_change, WORKS_ON_LIST, EDIT_ATTRIBUTES, 10, false},
    {"attribute drop", entry_drop, WORKS_ON_LIST, EDIT_ATTRIBUTES, 4, false},
    {"attribute duplicate", entry_duplicate, WORKS_ON_LIST, EDIT_ATTRIBUTES, 5, false},
    {"attribute reorder", entry_reorder, WORKS_ON_LIST, EDIT_ATTRIBUTES, 3, false},
    {"attribute splice", entry_splice, WORKS_ON_LIST, EDIT_ATTRIBUTES, 4, false},
    {"attribute break", break_entry, WORKS_ON_LIST, EDIT_ATTRIBUTES, 4, true},
    {"edge change", entry_change, WORKS_ON_LIST, EDIT_EDGES, 6, false},
    {"edge drop", entry_drop, WORKS_ON_LIST, EDIT_EDGES, 3, false},
    {"edge duplicate", entry_duplicate, WORKS_ON_LIST, EDIT_EDGES, 5, false},
    {"edge reorder", entry_reorder, WORKS_ON_LIST, EDIT_EDGES, 3, false},
    {"edge break", break_entry, WORKS_ON_LIST, EDIT_EDGES, 2, true},
    {"contents change", entry_change, WORKS_ON_LIST, EDIT_CONTENTS, 6, false},
    {"contents duplicate", entry_duplicate, WORKS_ON_LIST, EDIT_CONTENTS, 2, false},
    {"contents splice", entry_splice, WORKS_ON_LIST, EDIT_CONTENTS, 2, false},
    {"code change", code_change, WORKS_ON_CUBIN, 0, 10, false},
    {"boards change", boards_change, WORKS_ON_CUBIN, 0, 6, false},
    {"lines change", lines_change, WORKS_ON_CUBIN, 0, 8, false},
    {"pair change", pair_change, WORKS_ON_CUBIN, 0, 14, false},
    {"name change", name_change, WORKS_ON_CUBIN, 0, 8, false},
    {"contents word", word_change, WORKS_ON_CUBIN, 0, 12, false},
    {"section change", section_change, WORKS_ON_CUBIN, 0, 6, false},
    {"section drop", section_drop, WORKS_ON_CUBIN, 0, 4, false},
    {"section duplicate", section_duplicate, WORKS_ON_CUBIN, 0, 3, false},
    {"section reorder", section_reorder, WORKS_ON_CUBIN, 0, 3, false},
    {"section splice", section_splice, WORKS_ON_CUBIN, 0, 5, false},
    {"section resize", section_resize, WORKS_ON_CUBIN, 0, 4, false},
    {"section break", break_section, WORKS_ON_CUBIN, 0, 4, true},
    {"header break", break_header, WORKS_ON_CUBIN, 0, 1, true},
    {"file add", file_add, WORKS_ON_ENVELOPE, 0, 4, false},
    {"all new", all_new, WORKS_ON_ENVELOPE, 0, 20, false},
    {"file drop", file_drop, WORKS_ON_ENVELOPE, 0, 3, false},
    {"file duplicate", file_duplicate, WORKS_ON_ENVELOPE, 0, 1, false},
    {"file reorder", file_reorder, WORKS_ON_ENVELOPE, 0, 4, false},
    {"file rename", file_rename, WORKS_ON_ENVELOPE, 0, 1, false},
    {"file other", file_other, WORKS_ON_ENVELOPE, 0, 2, true},
    {"word add", word_add, WORKS_ON_ENVELOPE, 0, 5, false},
    {"word more", word_more, WORKS_ON_ENVELOPE, 0, 12, false},
    {"word debug", word_debug, WORKS_ON_ENVELOPE, 0, 5, false},
    {"word used", word_used, WORKS_ON_CUBIN, 0, 4, false},
    {"word mode", word_mode, WORKS_ON_ENVELOPE, 0, 5, false},
    {"word drop", word_drop, WORKS_ON_ENVELOPE, 0, 4, false},
    {"word target", word_target, WORKS_ON_ENVELOPE, 0, 1, false},
    {"index change", index_change, WORKS_ON_ENVELOPE, 0, 4, false},
    {"byte break", break_byte, WORKS_ON_ENVELOPE, 0, 3, true},
    {"end break", break_end, WORKS_ON_ENVELOPE, 0, 1, true},
};
enum { KIND_ROWS = sizeof kind_rows / sizeof *kind_rows };

size_t fuzz_kind_count(void) {
  return KIND_ROWS;
}

const char *fuzz_kind_name(size_t kind) {
  return kind_rows[kind].name;
}

bool fuzz_kind_breaks(size_t kind) {
  return kind_rows[kind].breaks;
}

uint32_t fuzz_kind_weight(size_t kind) {
  return kind_rows[kind].weight;
}

size_t fuzz_kind_find(const char *name) {
  size_t kind = 0;
  while (kind < KIND_ROWS && strcmp(kind_rows[kind].name, name) != 0)
    kind++;
  return kind;
}

bool fuzz_mutate_as(size_t kind, const built_choices *choices, fuzz_envelope *envelope, const fuzz_envelope *other) {
  const kind_row *const row = &kind_rows[kind];
  if (envelope->file_count == 0)
    return row->apply == word_add || row->apply == word_target
               ? row->apply(&(mutation){.choices = choices, .envelope = envelope})
               : false;
  mutation m = {.choices = choices, .envelope = envelope, .other = other, .kind = row->list};
  m.file = &envelope->files[built_choose(choices, (uint32_t)envelope->file_count)];
  if (row->works == WORKS_ON_ENVELOPE)
    return row->apply(&m);
  if (!edit_cubin_read(&m.cubin, m.file->bytes, m.file->size))
    return false;
  const bool good = (row->works != WORKS_ON_LIST || mutate_take_list(&m)) && row->apply(&m);
  if (good) {
    size_t size = 0;
    uint8_t *const bytes = edit_cubin_write(&m.cubin, &size);
    fuzz_file_set(m.file, bytes, size);
  }
  edit_cubin_free(&m.cubin);
  return good;
}

size_t fuzz_mutate(const built_choices *choices, fuzz_envelope *envelope, const fuzz_envelope *other) {
  uint32_t all = 0;
  for (size_t i = 0; i < KIND_ROWS; i++)
    all += kind_rows[i].weight;
  for (int tries = 0; tries < TRIES; tries++) {
    uint32_t at = built_choose(choices, all);
    size_t kind = 0;
    while (at >= kind_rows[kind].weight)
      at -= kind_rows[kind++].weight;
    if (fuzz_mutate_as(kind, choices, envelope, other))
      return kind;
  }
  return KIND_ROWS;
}
