/* Attributes that spread from functions to the kernels that reach them (I20-I26, I30, I31, W6.7, W6.9, W6.13, W6.14).
 *
 * With two or more kernels each takes what the functions it reaches have, function by function in the order of their
 * .nv.info sections. With exactly one kernel nvlink gives it what ANY live function has, in a fixed order of codes
 * (D54, class M). */
#include "base/bytes.h"
#include "catalog/defect.h"
#include "catalog/message.h"
#include "cubin/attribute.h"
#include "cubin/elf.h"
#include "graph/resources.h"

#include <assert.h>
#include <string.h>

typedef enum spread_rule {
  SPREAD_FLAG,
  SPREAD_LAST,
  SPREAD_MAXIMUM,
  SPREAD_SUM,
  SPREAD_EXTERNS,
  SPREAD_WORDS
} spread_rule;

typedef struct spread_row {
  uint8_t code;
  spread_rule rule;
} spread_row;

/* In the order in which a single kernel gets them (I31). */
static const spread_row spread_rows[] = {
    {EIATTR_CTAIDZ_USED, SPREAD_FLAG},
    {EIATTR_RESERVED_SMEM_USED, SPREAD_FLAG},
    {EIATTR_VRC_CTA_INIT_COUNT, SPREAD_MAXIMUM},
    {EIATTR_TCGEN05_1CTA_USED, SPREAD_FLAG},
    {EIATTR_TCGEN05_2CTA_USED, SPREAD_FLAG},
    {EIATTR_NUM_BARRIERS, SPREAD_MAXIMUM},
    {EIATTR_REG_RECONFIG, SPREAD_LAST},
    {EIATTR_NUM_MBARRIERS, SPREAD_SUM},
    {EIATTR_EXTERNS, SPREAD_EXTERNS},
    {EIATTR_AT_ENTRY_FRAGMENTS, SPREAD_WORDS},
};
enum { SPREAD_ROWS = sizeof spread_rows / sizeof *spread_rows };

/* Up to this many different symbols that stay in EXTERNS are followed each by itself; most programs have a few. */
enum { SPREAD_SYMBOLS = 16, SPREAD_FOLLOWED = SPREAD_ROWS + SPREAD_SYMBOLS };

/* Where jump slots count as kernels: a record that was made, one so made to which a number comes, or the symbols that a
 * slot gets (L539). */
typedef struct spread_step {
  uint64_t entry;          /* whose record, in the order in which nvlink comes to them */
  uint32_t filled, record; /* from which function's list, and which of its records */
  uint32_t slot;           /* + 1; 0: a record ... */
  uint32_t index;
  tl_attributes *list;   /* ... there */
  const spread_row *row; /* of the record */
  bool made;
  const tl_attribute *from; /* EXTERNS, or the number that comes */
} spread_step;
typedef TL_VECTOR(spread_step) spread_steps;
typedef TL_VECTOR(tl_attribute) spread_attributes;

typedef struct spreader {
  tl_resources *resources;
  const tl_module *module;
  const tl_graph *graph;
  tl_arena *arena;
  uint32_t *sparse;             /* by function: OR of its 0x50 records (I23) */
  uint32_t *sparse_own;         /* by function: the last of them, which is where a kernel's is written (L1406) */
  uint32_t *sparse_place;       /* by function: the record that was made for it, counted from 1 on, 0 */
  const uint32_t *sparse_below; /* by node: the same over everything that it reaches */
  uint32_t *crs;                /* by node: CRS_STACK_SIZE summed along the deepest chain (I26) */
  bool *has_crs;                /* by node: it or something it calls has a record */
  uint32_t *own_records;        /* by section: where the first of a second name's stands, counted from 1 on, 0 */
  uint32_t sparse_of_all;       /* the same over all live functions (L97) */
  const uint32_t
      *masked_below; /* by node: whether it or something that it reaches has a record; NULL where all get one */
  bool any_sparse, fills_sparse; /* some function has a record; those without get one */
  bool groups;                   /* TCGEN05 records spread: no file is of a toolkit before 13.0 (L1135) */
  spread_steps steps;
  spread_steps of_kernels; /* where there are second names: the records made for kernels (L1467) */
  spread_step before;  /* the record that was made last before any step, if not a MIN_STACK_SIZE (L602); `list` NULL */
  tl_map seen;         /* list number << 32 | word: what the lists of words hold */
  uint32_t list_count; /* lists begun */
} spreader;

/* A list that grows record by record: symbols of EXTERNS or words of AT_ENTRY_FRAGMENTS. */
typedef struct spread_list {
  uint32_t number; /* in spreader.seen; 0: not begun */
  tl_u32_vector symbols;
  TL_VECTOR(uint8_t) bytes;
} spread_list;

/* The two lists of one kernel, and where its records of each row stand, so that each is looked for once. */
typedef struct spread_lists {
  spread_list externs, words;
  uint32_t places[SPREAD_ROWS]; /* place + 1, TL_NONE where there is none, 0: not looked for */
} spread_lists;

static const spread_row *spread_find(uint8_t code) {
  for (int i = 0; i < SPREAD_ROWS; i++)
    if (spread_rows[i].code == code)
      return &spread_rows[i];
  return NULL;
}

static bool spread_is_group(uint8_t code) {
  return code == EIATTR_TCGEN05_1CTA_USED || code == EIATTR_TCGEN05_2CTA_USED;
}

/* NULL for a record that stays with its function. */
static const spread_row *spread_row_of(const spreader *s, const tl_attribute *record) {
  return s->groups || !spread_is_group(record->code) ? spread_find(record->code) : NULL;
}

static const tl_attributes *spread_input(const spreader *s, uint32_t text) {
  static const tl_attributes none = {0};
  const uint32_t info = s->module->sections.items[text].info;
  return info == TL_NONE ? &none : &s->module->sections.items[info].attributes;
}

static uint32_t spread_text_of(const spreader *s, uint32_t function) {
  return tl_module_text_of(s->module, function);
}

static bool spread_is_primary(const spreader *s, uint32_t function) {
  const uint32_t text = spread_text_of(s, function);
  return text != TL_NONE && s->module->sections.items[text].owner == s->module->symbol_of_function[function];
}

static tl_attribute spread_number(const spreader *s, uint8_t format, uint8_t code, uint16_t value) {
  uint8_t *const payload = tl_arena_new(s->arena, uint8_t, 2);
  tl_put16(payload, value);
  return (tl_attribute){.format = format, .code = code, .size = 2, .data = payload, .symbol = TL_NONE};
}

static tl_attribute spread_word(const spreader *s, uint8_t code, uint32_t value) {
  uint8_t *const payload = tl_arena_new(s->arena, uint8_t, 4);
  tl_put32(payload, value);
  return (tl_attribute){.format = 4, .code = code, .size = 4, .data = payload, .symbol = TL_NONE};
}

/* The place of a row's record in a list that grows by spread_put alone; TL_NONE. */
static uint32_t spread_place_of(spread_lists *lists, const tl_attributes *list, const spread_row *row) {
  uint32_t *const place = &lists->places[row - spread_rows];
  if (!*place) {
    const uint32_t found = tl_attributes_find(list, row->code);
    *place = found == TL_NONE ? TL_NONE : found + 1;
  }
  return *place == TL_NONE ? TL_NONE : *place - 1;
}

/* In place of the row's record, or at the end. */
static void spread_put(const spreader *s, tl_attributes *list, spread_lists *lists, const spread_row *row,
                       tl_attribute record) {
  const uint32_t known = spread_place_of(lists, list, row);
  tl_attribute *const place = known == TL_NONE ? tl_vector_push(s->arena, list) : &list->items[known];
  assert(place);
  *place = record;
  if (known == TL_NONE)
    lists->places[row - spread_rows] = (uint32_t)list->count;
}

static bool spread_is_new(const spreader *s, const spread_list *list, uint32_t word) {
  return !tl_set_has(&s->seen, (uint64_t)list->number << 32 | word);
}

/* False when the list holds it already. */
static bool spread_note(spreader *s, const spread_list *list, uint32_t word) {
  return tl_set_add(&s->seen, (uint64_t)list->number << 32 | word);
}

static void spread_push_bytes(const spreader *s, spread_list *list, const uint8_t *bytes, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    *tl_vector_push(s->arena, &list->bytes) = bytes[i];
}

/* Begins a list with what a record holds; `old` may be NULL. */
static void spread_begin(spreader *s, spread_list *list, const tl_attribute *old) {
  *list = (spread_list){.number = ++s->list_count};
  for (uint32_t i = 0; old && i < old->symbol_count; i++) {
    spread_note(s, list, old->symbols[i]);
    tl_u32_push(s->arena, &list->symbols, old->symbols[i]);
  }
  if (!old || old->code == EIATTR_EXTERNS)
    return;
  spread_push_bytes(s, list, old->data, old->size);
  for (uint32_t i = 0; i + 4 <= old->size; i += 4)
    spread_note(s, list, tl_get32(old->data + i));
}

/* EXTERNS words of `from` that stay and are not in the list yet. */
static void spread_add_externs(spreader *s, spread_list *to, const tl_attribute *from) {
  for (uint32_t i = 0; i < from->symbol_count; i++)
    if (tl_extern_stays(s->module, from->symbols[i]) && spread_note(s, to, from->symbols[i]))
      tl_u32_push(s->arena, &to->symbols, from->symbols[i]);
}

/* AT_ENTRY_FRAGMENTS: words that were not there before this record (I24). */
static void spread_add_words(spreader *s, spread_list *to, const tl_attribute *from) {
  for (uint32_t i = 0; i + 4 <= from->size && to->bytes.count <= UINT16_MAX - 4; i += 4)
    if (spread_is_new(s, to, tl_get32(from->data + i)))
      spread_push_bytes(s, to, from->data + i, 4);
  for (uint32_t i = 0; i + 4 <= from->size; i += 4)
    spread_note(s, to, tl_get32(from->data + i));
}

/* The same, and each but once. */
static void spread_add_new_words(spreader *s, spread_list *to, const tl_attribute *from) {
  for (uint32_t i = 0; i + 4 <= from->size && to->bytes.count <= UINT16_MAX - 4; i += 4)
    if (spread_note(s, to, tl_get32(from->data + i)))
      spread_push_bytes(s, to, from->data + i, 4);
}

static tl_attribute spread_list_record(uint8_t code, const spread_list *list) {
  return (tl_attribute){.format = 4,
                        .code = code,
                        .symbol = TL_NONE,
                        .symbols = list->symbols.items,
                        .symbol_count = (uint32_t)list->symbols.count,
                        .data = list->bytes.items,
                        .size = (uint16_t)list->bytes.count};
}

/* True for a row whose last number that is not 0 counts: REG_RECONFIG beside other kernels (L1137). */
static bool spread_keeps_number(const spreader *s, const spread_row *row) {
  return row->rule == SPREAD_LAST && !tl_module_has_single_kernel(s->module);
}

/* A flag is made anew, whatever the function's record holds; beside other kernels 0x54 keeps its low byte (L594). */
static tl_attribute spread_flag(const spreader *s, const spread_row *row, const tl_attribute *from) {
  const bool keeps = spread_keeps_number(s, row);
  return spread_number(s, 1, from->code, (uint16_t)(keeps ? tl_attribute_byte(from) : 0));
}

/* A record's number; of format 4 that is its size. */
static uint32_t spread_value(const tl_attribute *record) {
  if (record->format == 4)
    return record->size;
  return record->size >= 2 ? tl_get16(record->data) : 0;
}

/* L1137, L1139: another number in a record, which keeps its format. */
static void spread_set_value(const spreader *s, tl_attribute *record, uint32_t value) {
  const uint16_t had = record->size;
  if (record->format == 4)
    record->size = (uint16_t)value;
  uint8_t *const payload = tl_arena_new(s->arena, uint8_t, tl_larger(had, record->size));
  memcpy(payload, record->data, had);
  if (record->format != 4)
    tl_put16(payload, (uint16_t)value);
  record->data = payload;
}

static void spread_set_low_byte(const spreader *s, tl_attribute *record, uint32_t byte) {
  spread_set_value(s, record, (spread_value(record) & 0xff00u) | byte);
}

/* L1404: no number is as many as can be, and stays that beside others; other sums lose what is too much. */
static uint32_t spread_sum(uint32_t a, uint32_t b) {
  return a == UINT16_MAX || b == UINT16_MAX ? UINT16_MAX : a + b;
}

/* One record of a reached function, added to what the kernel has so far. */
static void spread_one(spreader *s, tl_attributes *list, spread_lists *lists, const spread_row *row,
                       const tl_attribute *from) {
  const uint32_t known = spread_place_of(lists, list, row);
  tl_attribute *const old = known == TL_NONE ? NULL : &list->items[known];
  if (row->rule == SPREAD_FLAG || row->rule == SPREAD_LAST) {
    if (!old)
      spread_put(s, list, lists, row, spread_flag(s, row, from));
    else if (spread_keeps_number(s, row) && tl_attribute_byte(from))
      spread_set_low_byte(s, old, tl_attribute_byte(from));
  } else if (row->rule == SPREAD_MAXIMUM) {
    if (!old)
      spread_put(s, list, lists, row, spread_number(s, 2, row->code, (uint16_t)tl_attribute_byte(from)));
    else if (tl_attribute_byte(from) > tl_attribute_byte(old))
      spread_set_low_byte(s, old, tl_attribute_byte(from));
  } else if (row->rule == SPREAD_SUM) {
    if (old)
      spread_set_value(s, old, spread_sum(spread_value(old), spread_value(from)));
    else
      spread_put(s, list, lists, row, spread_number(s, 3, row->code, (uint16_t)spread_value(from)));
  } else {
    spread_list *const words = row->rule == SPREAD_WORDS ? &lists->words : &lists->externs;
    if (!words->number)
      spread_begin(s, words, old);
    if (row->rule == SPREAD_WORDS)
      spread_add_words(s, words, from);
    else
      spread_add_externs(s, words, from);
    spread_put(s, list, lists, row, spread_list_record(row->code, words)); /* also empty: its place counts (W6.13) */
  }
}

/* E36 (L223): a function brings the one kind of tcgen05 groups to a kernel that has the other. */
static void spread_check_groups(const spreader *s, tl_mixed_kernel kernel, const tl_attributes *list,
                                spread_lists *lists, const spread_row *row) {
  const uint8_t other = row->code == EIATTR_TCGEN05_1CTA_USED   ? EIATTR_TCGEN05_2CTA_USED
                        : row->code == EIATTR_TCGEN05_2CTA_USED ? EIATTR_TCGEN05_1CTA_USED
                                                                : 0;
  if (other && spread_place_of(lists, list, row) == TL_NONE &&
      spread_place_of(lists, list, spread_find(other)) != TL_NONE)
    *tl_vector_push(s->arena, &s->resources->mixed) = kernel;
}

/* Where a section of records stands in the walk, and which it is. */
typedef struct spread_place {
  uint32_t filled, info;
} spread_place;

static int spread_compare(const void *a, const void *b) {
  const spread_place *const x = a, *const y = b;
  return tl_compare(x->filled, y->filled);
}

/* The best key of a row and the best of another section: which counts for a kernel that calls itself, since what it reaches
 * then holds its own records too. A key is filled or value << 32 | info section; 0 is none. */
typedef struct spread_two {
  uint64_t best, next;
} spread_two;

/* What must be known of a component's functions and all below to find, without walking there, the records that decide:
 * of each row the record that was read first, which gives the place, and the largest. Records of which every single one
 * counts are looked for by walks, in `heavy` functions only. */
typedef struct spread_below {
  /* By component: smallest keys; of each row, then of each symbol of EXTERNS. NULL when no function has such a record. */
  spread_two *first[SPREAD_FOLLOWED];
  spread_two *most[SPREAD_ROWS]; /* of SPREAD_MAXIMUM and SPREAD_LAST: largest keys */
  uint32_t *heavy;               /* by function */
  bool called;                   /* some kernel with such records is called (L1363): those of SPREAD_LAST are heavy */
  tl_map symbols;                /* of EXTERNS: symbol to its place among the followed */
  bool too_many;                 /* more symbols than are followed: EXTERNS count as heavy */
  tl_leads leads;                /* to heavy functions */
} spread_below;

/* No info section has the number 0. */
static void spread_two_add(spread_two *to, uint64_t key, bool larger) {
  const bool best = !to->best || (larger ? key > to->best : key < to->best);
  const bool next = !to->next || (larger ? key > to->next : key < to->next);
  if (!key || ((uint32_t)key == (uint32_t)to->best && !best))
    return;
  if (best && (uint32_t)key != (uint32_t)to->best)
    to->next = to->best;
  if (best)
    to->best = key;
  else if (next)
    to->next = key;
}

/* True for a record that no other can stand for. */
static bool spread_is_heavy(const spreader *s, const spread_below *below, const spread_row *row,
                            const tl_attribute *record) {
  bool heavy = row->rule == SPREAD_SUM || (row->rule == SPREAD_WORDS && record->size >= 4) ||
               (row->rule == SPREAD_LAST && below->called);
  for (uint32_t i = 0; below->too_many && row->rule == SPREAD_EXTERNS && i < record->symbol_count; i++)
    heavy |= tl_extern_stays(s->module, record->symbols[i]);
  return heavy;
}

static void spread_note_key(const spreader *s, spread_two **keys, uint32_t component, uint64_t key, bool larger) {
  if (!*keys)
    *keys = tl_arena_new(s->arena, spread_two, s->graph->component_count);
  spread_two_add(&(*keys)[component], key, larger);
}

/* The symbols of one record of EXTERNS, each for itself. */
static void spread_follow_symbols(const spreader *s, spread_below *below, const tl_attribute *record,
                                  uint32_t component, uint64_t key) {
  for (uint32_t i = 0; i < record->symbol_count && !below->too_many; i++) {
    if (!tl_extern_stays(s->module, record->symbols[i]))
      continue;
    uint32_t place = tl_map_get(&below->symbols, record->symbols[i]);
    if (place == TL_NONE && below->symbols.count == SPREAD_SYMBOLS) {
      below->too_many = true;
      return;
    }
    if (place == TL_NONE)
      tl_map_set(&below->symbols, record->symbols[i], place = SPREAD_ROWS + (uint32_t)below->symbols.count);
    spread_note_key(s, &below->first[place], component, key, false);
  }
}

static void spread_read_below(const spreader *s, spread_below *below, uint32_t function) {
  const uint32_t text = spread_text_of(s, function);
  const uint32_t info = spread_is_primary(s, function) ? s->module->sections.items[text].info : TL_NONE;
  if (info == TL_NONE)
    return;
  const uint32_t component = s->graph->component[function];
  const tl_section *const section = &s->module->sections.items[info];
  for (size_t i = 0; i < section->attributes.count; i++) {
    const tl_attribute *const record = &section->attributes.items[i];
    const spread_row *const row = spread_row_of(s, record);
    if (!row)
      continue;
    const size_t r = (size_t)(row - spread_rows);
    const uint64_t key = (uint64_t)section->filled << 32 | info;
    spread_note_key(s, &below->first[r], component, key, false);
    if (row->rule == SPREAD_EXTERNS)
      spread_follow_symbols(s, below, record, component, key);
    if (row->rule == SPREAD_MAXIMUM)
      spread_note_key(s, &below->most[r], component, (uint64_t)tl_attribute_byte(record) << 32 | info, true);
    if (row->rule == SPREAD_LAST)
      spread_note_key(s, &below->most[r], component, tl_attribute_byte(record) ? key : 0, true);
    below->heavy[function] |= spread_is_heavy(s, below, row, record);
  }
}

static bool spread_has_most(size_t followed) {
  return followed < SPREAD_ROWS &&
         (spread_rows[followed].rule == SPREAD_MAXIMUM || spread_rows[followed].rule == SPREAD_LAST);
}

static void spread_pass_up(const spread_below *below, size_t row, uint32_t from, spread_two *first, spread_two *most) {
  spread_two_add(first, below->first[row][from].best, false);
  spread_two_add(first, below->first[row][from].next, false);
  if (!spread_has_most(row))
    return;
  spread_two_add(most, below->most[row][from].best, true);
  spread_two_add(most, below->most[row][from].next, true);
}

/* Whether what a kernel has changes as it comes to itself: numbers, or several lists of symbols, of which the last takes the
 * others' (L1468). */
static bool spread_has_numbers(const spreader *s, uint32_t function) {
  const uint32_t text = spread_text_of(s, function);
  const tl_attributes *const list = spread_input(s, text);
  uint32_t externs = 0;
  for (size_t i = 0; i < list->count; i++) {
    const spread_row *const row = spread_row_of(s, &list->items[i]);
    externs += row && row->rule == SPREAD_EXTERNS;
    if (row && ((row->rule != SPREAD_FLAG && row->rule != SPREAD_EXTERNS) || externs > 1))
      return true;
  }
  return false;
}

static bool spread_any_kernel_is_called(const spreader *s) {
  const tl_graph *const graph = s->graph;
  bool *const called = tl_arena_new(s->arena, bool, graph->node_count);
  for (uint32_t e = 0; e < graph->callees.first[graph->node_count]; e++)
    called[graph->callees.to[e]] = true;
  for (size_t k = 0; k < s->module->kernels.count; k++) {
    const uint32_t function = s->module->symbols.items[s->module->kernels.items[k]].function;
    if (called[function] && spread_has_numbers(s, function))
      return true;
  }
  return false;
}

static spread_below spread_find_below(const spreader *s) {
  const tl_graph *const graph = s->graph;
  spread_below below = {.heavy = tl_arena_new(s->arena, uint32_t, graph->function_count),
                        .called = spread_any_kernel_is_called(s)};
  tl_map_init(&below.symbols, s->arena);
  for (int round = 0; round < 2; round++) /* again when there are too many symbols: then they are heavy */
    for (size_t f = 0; f < s->module->functions.count && (!round || below.too_many); f++)
      spread_read_below(s, &below, s->module->functions.items[f]);
  spread_two none = {0, 0};
  for (size_t row = 0; row < SPREAD_FOLLOWED; row++)
    for (uint32_t i = 0; below.first[row] && i < graph->node_count; i++) {
      const uint32_t node = graph->order[i], to = graph->component[node];
      spread_two *const most = spread_has_most(row) ? &below.most[row][to] : &none;
      for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++)
        if (graph->component[graph->callees.to[e]] != to)
          spread_pass_up(&below, row, graph->component[graph->callees.to[e]], &below.first[row][to], most);
    }
  below.leads = tl_graph_leads(graph, below.heavy, s->arena);
  return below;
}

static uint32_t spread_add_place(const spreader *s, spread_place *places, uint32_t count, uint32_t info) {
  places[count] = (spread_place){s->module->sections.items[info].filled, info};
  return count + 1;
}

/* The sections of what a walk finds, but for the kernel's own: heavy functions have a text with records. */
static uint32_t spread_walk(const spreader *s, uint32_t own_text, const tl_reach *reach, spread_place *places) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < reach->count; i++) {
    const uint32_t callee = spread_text_of(s, reach->list[i]);
    if (callee != own_text)
      count = spread_add_place(s, places, count, s->module->sections.items[callee].info);
  }
  return count;
}

/* The place of the best key of another section than `own`, if there is one. */
static uint32_t spread_add_best(const spreader *s, const spread_two *two, uint32_t own, spread_place *places,
                                uint32_t count) {
  const uint64_t key = (uint32_t)two->best == own ? two->next : two->best;
  return key ? spread_add_place(s, places, count, (uint32_t)key) : count;
}

/* The sections of records that decide what the kernel gets, in no order, some twice. */
static uint32_t spread_find_places(const spreader *s, uint32_t kernel, const spread_below *below, tl_reach *reach,
                                   spread_place *places) {
  const tl_graph *const graph = s->graph;
  const uint32_t function = s->module->symbols.items[kernel].function;
  const bool alias =
      tl_module_aliased(s->module, kernel) != TL_NONE; /* its text has the function's own records (L966) */
  const bool all = alias || (below->called && tl_graph_is_recursive(graph, function)); /* L1363 */
  const uint32_t text = all ? TL_NONE : s->module->symbols.items[kernel].section;
  const uint32_t own = all ? TL_NONE : s->module->sections.items[text].info;
  tl_graph_reach_along(graph, function, &below->leads, reach);
  uint32_t count = spread_walk(s, text, reach, places);
  for (size_t row = 0; row < SPREAD_FOLLOWED; row++) {
    spread_two first = {0, 0}, most = {0, 0};
    for (uint32_t e = graph->callees.first[function]; below->first[row] && e < graph->callees.first[function + 1]; e++)
      spread_pass_up(below, row, graph->component[graph->callees.to[e]], &first, &most);
    count = spread_add_best(s, &first, own, places, count);
    count = spread_add_best(s, &most, own, places, count);
  }
  return count;
}

/* Jump slots and kernels, the last one that was made first. */
static uint64_t spread_order_of_slot(const spreader *s, uint32_t slot) {
  return UINT64_MAX - ((uint64_t)s->module->kernels_before_stub.items[slot] << 32 | slot);
}

static uint64_t spread_order_of_kernel(uint32_t kernel) {
  return UINT64_MAX - ((uint64_t)kernel << 32 | UINT32_MAX);
}

/* nvlink goes through the functions, of each through its records, and with each through the kernels that reach it. */
static int spread_compare_steps(const void *a, const void *b) {
  const spread_step *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->filled, y->filled}, {x->record, y->record}, {x->entry, y->entry}};
  return tl_compare_pairs(pairs, 3);
}

static bool spread_counts(const spread_row *row) {
  return row->rule == SPREAD_MAXIMUM || row->rule == SPREAD_SUM;
}

/* What comes to a record later matters to what slots add in between (L533, L1883). */
static bool spread_comes_later(const spread_row *row) {
  return spread_counts(row) || row->rule == SPREAD_EXTERNS;
}

/* What a function's record brought to a list that spreading made longer: it has `before` records of others. */
static void spread_note_step(const spreader *s, spread_steps *steps, spread_lists *lists, const tl_attributes *list,
                             uint32_t before, spread_step step) {
  step.index = spread_place_of(lists, list, step.row);
  if (step.index >= before && (step.made || spread_comes_later(step.row)))
    *tl_vector_push(s->arena, steps) = step;
}

/* Of a kernel, or with `index` TL_NONE of a stub, beside others: the reached functions in the order in which their records were read (I30); those of a replaced body
 * were read late (L86). */
static void spread_to_one_of_many(spreader *s, uint32_t entry, uint32_t index, const spread_below *below,
                                  tl_reach *reach, spread_place *places, tl_attributes *list, spread_steps *steps) {
  const uint32_t count = spread_find_places(s, entry, below, reach, places);
  spread_lists lists = {0};
  const uint32_t first = (uint32_t)list->count;
  tl_vector_sort_items(places, count, sizeof *places, spread_compare);
  for (uint32_t i = 0; i < count; i++) {
    const tl_attributes *const from = &s->module->sections.items[places[i].info].attributes;
    for (size_t j = 0; (!i || places[i].info != places[i - 1].info) && j < from->count; j++) {
      const spread_row *const row = spread_row_of(s, &from->items[j]);
      if (!row)
        continue;
      if (index != TL_NONE)
        spread_check_groups(s, (tl_mixed_kernel){places[i].filled, index, 0}, list, &lists, row);
      else if (row->rule == SPREAD_EXTERNS)
        continue; /* L537 */
      const size_t before = list->count;
      spread_one(s, list, &lists, row, &from->items[j]);
      if (steps)
        spread_note_step(s, steps, &lists, list, first,
                         (spread_step){.filled = places[i].filled,
                                       .record = (uint32_t)j,
                                       .row = row,
                                       .made = list->count > before,
                                       .from = &from->items[j]});
    }
  }
}

/* The slots' list is the first stub's own: a number that stands there already is its (L661). */
static tl_attribute *spread_find_slot_count(tl_attributes *list) {
  const uint32_t found = tl_attributes_find(list, EIATTR_VRC_CTA_INIT_COUNT);
  return found == TL_NONE ? NULL : &list->items[found];
}

static tl_attributes *spread_slots_list(const spreader *s) {
  return &s->resources->sections[s->module->sections.items[s->module->jump_slots].info];
}

/* What one stub gets, its records behind those of the stubs before it. */
static void spread_to_stub(spreader *s, uint32_t slot, const spread_below *below, tl_reach *reach, spread_place *places,
                           tl_attribute *count, spread_attributes *records, spread_steps *all) {
  tl_attributes own = {0};
  spread_steps steps = {0};
  if (count)
    *tl_vector_push(s->arena, &own) = *count;
  const uint32_t had = (uint32_t)own.count;
  spread_to_one_of_many(s, s->module->stubs.items[slot], TL_NONE, below, reach, places, &own, &steps);
  if (count)
    *count = own.items[0];
  for (uint32_t j = 0; j < steps.count; j++) {
    spread_step *const step = tl_vector_push(s->arena, all);
    *step = steps.items[j];
    step->entry = spread_order_of_slot(s, slot);
    step->index += (uint32_t)records->count - had;
  }
  for (uint32_t j = had; j < own.count; j++)
    *tl_vector_push(s->arena, records) = own.items[j];
}

/* L554: jump slots are kernels unless there is exactly one; what each of them gets stands in their one list of records, in
 * the order in which it comes (L537). */
static void spread_to_stubs(spreader *s, const spread_below *below, tl_reach *reach, spread_place *places) {
  spread_steps all = {0};
  spread_attributes records = {0};
  if (s->module->jump_slots == TL_NONE)
    return;
  tl_attributes *const list = spread_slots_list(s);
  for (uint32_t i = 0; i < s->module->stubs.count; i++)
    spread_to_stub(s, i, below, reach, places, i ? NULL : spread_find_slot_count(list), &records, &all);
  if (!records.count)
    return;
  tl_vector_sort(&all, spread_compare_steps);
  uint32_t *const place = tl_arena_new(s->arena, uint32_t, records.count);
  for (size_t i = 0; i < all.count; i++) {
    spread_step *const step = &all.items[i];
    if (step->made) {
      *tl_vector_push(s->arena, list) = records.items[step->index];
      place[step->index] = (uint32_t)list->count - 1;
    }
    step->list = list;
    step->index = place[step->index];
    *tl_vector_push(s->arena, &s->steps) = *step;
  }
}

/* L539: the records of EXTERNS of all that a slot reaches. */
static void spread_find_slot_externs(spreader *s, uint32_t slot, tl_reach *reach) {
  const tl_module *const module = s->module;
  const uint32_t function = module->symbols.items[module->stubs.items[slot]].function;
  tl_graph_reach(s->graph, function, reach);
  for (uint32_t i = 0; i < reach->count; i++) {
    const uint32_t text = spread_text_of(s, reach->list[i]);
    if (text == module->jump_slots || !spread_is_primary(s, reach->list[i]))
      continue;
    const tl_attributes *const from = spread_input(s, text);
    for (uint32_t j = 0; j < from->count; j++)
      if (from->items[j].code == EIATTR_EXTERNS)
        *tl_vector_push(s->arena, &s->steps) =
            (spread_step){.filled = module->sections.items[module->sections.items[text].info].filled,
                          .record = j,
                          .entry = spread_order_of_slot(s, slot),
                          .slot = slot + 1,
                          .from = &from->items[j]};
  }
}

/* A record that may be none of EXTERNS and gets symbols of functions all the same, and the symbols that it has. */
typedef struct spread_spoiled {
  tl_attribute *record;
  spread_list list;
  bool changed; /* it has got some, or none of several */
} spread_spoiled;

static spread_spoiled *spread_begin_spoiled(spreader *s, tl_attribute *record) {
  spread_spoiled *const spoiled = tl_arena_new(s->arena, spread_spoiled, 1);
  *spoiled = (spread_spoiled){.record = record};
  spread_begin(s, &spoiled->list, NULL);
  if (record->symbol != TL_NONE) /* whom the record is of is its first word, and so among its symbols */
    spread_note(s, &spoiled->list, record->symbol);
  for (uint32_t i = 0; i < record->symbol_count; i++) {
    spread_note(s, &spoiled->list, record->symbols[i]);
    tl_u32_push(s->arena, &spoiled->list.symbols, record->symbols[i]);
  }
  return spoiled;
}

/* L1883: of EXTERNS that were made for a kernel the symbols are taken anew, function by function. */
static spread_spoiled *spread_begin_made(spreader *s, const spread_step *step) {
  tl_attribute *const record = &step->list->items[step->index];
  if (record->code != EIATTR_EXTERNS)
    return spread_begin_spoiled(s, record);
  spread_spoiled *const spoiled = tl_arena_new(s->arena, spread_spoiled, 1);
  *spoiled = (spread_spoiled){.record = record};
  spread_begin(s, &spoiled->list, NULL);
  spread_add_externs(s, &spoiled->list, step->from);
  return spoiled;
}

static bool spread_is_number(const tl_attribute *record) {
  return record->format != 4;
}

static void spread_set_number(const spreader *s, tl_attribute *record, uint32_t number) {
  uint8_t *const value = tl_arena_new(s->arena, uint8_t, 2);
  tl_put16(value, (uint16_t)number);
  record->data = value;
}

/* Adds a function's symbols. A number is then the size of the symbols; one that is not, and says that there are some, ends
 * nvlink (L533). */
static void spread_spoil(spreader *s, spread_spoiled *spoiled, const tl_attribute *from) {
  tl_attribute *const record = spoiled->record;
  if (spread_is_number(record) && tl_get16(record->data) >= 4 && tl_get16(record->data) != 4 * record->symbol_count)
    tl_diagnostics_add(s->module->diagnostics, tl_message_row_of(TL_MESSAGE_HOSTILE),
                       (tl_site){s->module->index->path, NULL, NULL, TL_NO_OFFSET}, NULL, s->module->index->path,
                       "a jump slot's symbols are added to a record that is a number (D104)");
  spread_add_externs(s, &spoiled->list, from);
  spoiled->changed = true;
  record->symbols = spoiled->list.symbols.items;
  record->symbol_count = (uint32_t)spoiled->list.symbols.count;
  if (spread_is_number(record))
    spread_set_number(s, record, 4 * record->symbol_count);
}

/* A number comes to a record: it is what it was at that moment, symbols or not. */
static void spread_raise(const spreader *s, const spread_step *step) {
  tl_attribute *const record = &step->list->items[step->index];
  if (!spread_counts(step->row))
    return;
  const bool sum = step->row->rule == SPREAD_SUM;
  const uint32_t old = step->made ? 0 : tl_get16(record->data);
  const uint32_t more = sum ? spread_value(step->from) : tl_attribute_byte(step->from);
  if (step->made || sum || more > old)
    spread_set_number(s, record, sum ? spread_sum(old, more) : more);
}

/* The records of EXTERNS that were made for kernels, by list and place. */
typedef struct spread_made {
  tl_map of_record;
  TL_VECTOR(spread_spoiled *) items;
} spread_made;

static uint64_t spread_made_key(const spread_step *step) {
  return (uint64_t)(uintptr_t)&step->list->items[step->index];
}

/* L1883: symbols come to such a record behind what slots have added to it. */
static void spread_add_to_made(spreader *s, const spread_made *made, const spread_step *step) {
  const uint32_t place = tl_map_get(&made->of_record, spread_made_key(step));
  if (place == TL_NONE)
    return;
  spread_spoiled *const spoiled = made->items.items[place];
  spread_add_externs(s, &spoiled->list, step->from);
  if (!spoiled->changed)
    return;
  spoiled->record->symbols = spoiled->list.symbols.items;
  spoiled->record->symbol_count = (uint32_t)spoiled->list.symbols.count;
}

static spread_spoiled *spread_note_made(spreader *s, spread_made *made, const spread_step *step) {
  spread_spoiled *const spoiled = spread_begin_made(s, step);
  if (step->row->rule == SPREAD_EXTERNS) {
    tl_map_set(&made->of_record, spread_made_key(step), (uint32_t)made->items.count);
    *tl_vector_push(s->arena, &made->items) = spoiled;
  }
  return spoiled;
}

/* D104, L539: a slot has no record of EXTERNS. What the first function brings is lost; the symbols of every further one
 * nvlink adds to the record that it had made last when it came to the first, whatever that is, and whomever it is of. */
static void spread_spoil_steps(spreader *s, spread_spoiled **of_slot) {
  tl_attributes *const all = &s->resources->module;
  spread_spoiled *last = all->count ? spread_begin_spoiled(s, &all->items[all->count - 1]) : NULL;
  spread_made made = {0};
  tl_map_init(&made.of_record, s->arena);
  if (s->before.list)
    last = spread_begin_spoiled(s, &s->before.list->items[s->before.index]);
  for (size_t i = 0; i < s->steps.count; i++) {
    const spread_step *const step = &s->steps.items[i];
    if (!step->slot) {
      spread_raise(s, step);
      if (step->made)
        last = spread_note_made(s, &made, step);
      else if (step->row->rule == SPREAD_EXTERNS)
        spread_add_to_made(s, &made, step);
    } else if (!of_slot[step->slot - 1]) {
      of_slot[step->slot - 1] = last;
    } else {
      spread_spoil(s, of_slot[step->slot - 1], step->from);
    }
  }
}

/* The first slot that has two records of EXTERNS, and so changes somebody's; TL_NONE. */
static uint32_t spread_find_spoiling(const spreader *s) {
  bool *const seen = tl_arena_new(s->arena, bool, s->module->stubs.count + 1);
  for (size_t i = 0; i < s->steps.count; i++) {
    const uint32_t slot = s->steps.items[i].slot;
    if (slot && seen[slot])
      return slot - 1;
    seen[slot] = true;
  }
  return TL_NONE;
}

static void spread_spoil_records(spreader *s, tl_reach *reach) {
  const tl_module *const module = s->module;
  const size_t made = s->steps.count, slots = module->stubs.count;
  for (uint32_t i = 0; i < slots; i++)
    spread_find_slot_externs(s, i, reach);
  if (s->steps.count == made)
    return;
  tl_vector_sort(&s->steps, spread_compare_steps);
  const uint32_t first = spread_find_spoiling(s);
  if (first != TL_NONE && !tl_defect_matched(module->options, TL_DEFECT_D104)) {
    tl_defect_note(module->diagnostics, TL_DEFECT_D104,
                   tl_module_text(module, module->symbols.items[module->stubs.items[first]].name));
    return;
  }
  spread_spoiled **const of_slot = tl_arena_new(s->arena, spread_spoiled *, slots);
  spread_spoil_steps(s, of_slot);
  for (size_t i = 0; i < slots; i++)
    s->resources->foreign_bytes |= of_slot[i] && of_slot[i]->changed && spread_is_number(of_slot[i]->record) &&
                                   tl_get16(of_slot[i]->record->data) > 4 * of_slot[i]->record->symbol_count;
}

/* All functions' records with exactly one kernel, its own too, in the order in which they were read (L152). */
static uint32_t spread_find_read(const spreader *s, spread_place *places) {
  uint32_t count = 0;
  for (uint32_t i = 1; i < s->module->sections.count; i++)
    if (s->module->sections.items[i].type == SHT_CUDA_INFO && s->module->sections.items[i].attributes.count)
      count = spread_add_place(s, places, count, i);
  tl_vector_sort_items(places, count, sizeof *places, spread_compare);
  return count;
}

/* W6.14: all EXTERNS of the program, each new symbol to the front. */
static void spread_externs_alone(spreader *s, tl_attributes *list, const spread_place *places, uint32_t count) {
  spread_lists lists = {0};
  spread_list own;
  spread_begin(s, &own, NULL);
  const uint32_t known = tl_attributes_find(list, EIATTR_EXTERNS);
  if (known != TL_NONE)
    spread_add_externs(s, &own, &list->items[known]);
  spread_list *const all = &lists.externs;
  spread_begin(s, all, NULL);
  for (uint32_t i = 0; i < count; i++) {
    const tl_section *const section = &s->module->sections.items[places[i].info];
    for (size_t j = 0; j < section->attributes.count; j++)
      if (section->attributes.items[j].code == EIATTR_EXTERNS)
        spread_add_externs(s, all, &section->attributes.items[j]);
  }
  if (all->symbols.count == own.symbols.count)
    return;
  for (size_t i = known; i + 1 < list->count; i++) /* others stay (L1382) */
    list->items[i] = list->items[i + 1];
  list->count -= known != TL_NONE;
  for (size_t i = 0, j = all->symbols.count; i + 1 < j--; i++) {
    const uint32_t symbol = all->symbols.items[i];
    all->symbols.items[i] = all->symbols.items[j];
    all->symbols.items[j] = symbol;
  }
  *tl_vector_push(s->arena, list) = spread_list_record(EIATTR_EXTERNS, all);
}

/* L1409, AT_ENTRY_FRAGMENTS: every word of all functions and of the kernel once, in the order in which they were read, comes in the
 * place of the kernel's own where these are not as many. */
static void spread_words_alone(spreader *s, tl_attributes *list, const spread_place *places, uint32_t count) {
  const uint32_t known = tl_attributes_find(list, EIATTR_AT_ENTRY_FRAGMENTS);
  spread_list all;
  spread_begin(s, &all, NULL);
  for (uint32_t i = 0; i < count; i++) {
    const tl_attributes *const from = &s->module->sections.items[places[i].info].attributes;
    for (size_t j = 0; j < from->count; j++)
      if (from->items[j].code == EIATTR_AT_ENTRY_FRAGMENTS)
        spread_add_new_words(s, &all, &from->items[j]);
  }
  if (all.bytes.count / 4 == (known == TL_NONE ? 0 : list->items[known].size / 4))
    return;
  if (known != TL_NONE) {
    for (size_t i = known; i + 1 < list->count; i++)
      list->items[i] = list->items[i + 1];
    list->count--;
  }
  *tl_vector_push(s->arena, list) = spread_list_record(EIATTR_AT_ENTRY_FRAGMENTS, &all);
}

/* The record of a list that stays a kernel's, whose others count like a function's: the last that is written (L1407). */
static size_t spread_find_kept(const tl_attributes *list, const spread_row *row) {
  for (size_t i = list->count; i-- > 0;)
    if (list->items[i].code == row->code && (list->items[i].format != 4 || list->items[i].size))
      return i;
  return SIZE_MAX;
}

/* One row with exactly one kernel (I31): what all live device functions have together. */
static void spread_row_alone(spreader *s, tl_attributes *list, uint32_t kernel, const spread_row *row,
                             const spread_place *places, uint32_t count) {
  const bool alias = kernel == tl_module_single_alias(s->module); /* whose text is another kernel's (L1106) */
  const uint32_t own_info = alias ? TL_NONE : s->module->sections.items[s->module->symbols.items[kernel].section].info;
  tl_attributes found = {0};
  spread_lists lists = {0}, own = {0}, input = {0};
  for (uint32_t i = 0; i < count; i++) {
    const tl_attributes *const from = &s->module->sections.items[places[i].info].attributes;
    const size_t kept = places[i].info == own_info ? spread_find_kept(from, row) : SIZE_MAX;
    for (size_t j = 0; j < from->count; j++)
      if (from->items[j].code == row->code && j != kept)
        spread_one(s, &found, &lists, row, &from->items[j]);
  }
  if (!found.count)
    return;
  spread_check_groups(s, (tl_mixed_kernel){0, 0, 0}, spread_input(s, s->module->symbols.items[kernel].section), &input,
                      row);
  const tl_attribute *const value = &found.items[0];
  const bool known = tl_attributes_find(list, row->code) != TL_NONE;
  if (known && row->code == EIATTR_VRC_CTA_INIT_COUNT)
    return; /* L1138 */
  /* Of these two a value of 0 is not appended. */
  const bool zero = row->rule == SPREAD_SUM ? tl_get16(value->data) == 0
                                            : row->code == EIATTR_NUM_BARRIERS && tl_attribute_byte(value) == 0;
  if (known || !zero)
    spread_one(s, list, &own, row, value);
}

static void spread_to_single(spreader *s, uint32_t kernel, tl_attributes *list) {
  spread_place *const places = tl_arena_new(s->arena, spread_place, s->module->sections.count);
  const uint32_t count = spread_find_read(s, places);
  bool has[UINT8_MAX + 1] = {false}; /* by code: some function has a record */
  for (uint32_t i = 0; i < count; i++) {
    const tl_attributes *const from = &s->module->sections.items[places[i].info].attributes;
    for (size_t j = 0; j < from->count; j++)
      has[from->items[j].code] = true;
  }
  for (int i = 0; i < SPREAD_ROWS; i++) {
    if (spread_rows[i].rule == SPREAD_EXTERNS)
      spread_externs_alone(s, list, places, count);
    else if (spread_rows[i].rule == SPREAD_WORDS)
      spread_words_alone(s, list, places, count);
    else if (has[spread_rows[i].code] && (s->groups || !spread_is_group(spread_rows[i].code)))
      spread_row_alone(s, list, kernel, &spread_rows[i], places, count);
  }
}

/* I14, I26: own records of every function: two are an error, of a kernel that is the only function, too (L1705). */
static void spread_read_crs(spreader *s) {
  for (size_t f = 0; f < s->module->functions.count; f++) {
    const uint32_t function = s->module->functions.items[f];
    if (!spread_is_primary(s, function))
      continue;
    const tl_attributes *const list = spread_input(s, spread_text_of(s, function));
    for (size_t i = 0; i < list->count; i++) {
      const uint8_t code = list->items[i].code;
      if ((code != EIATTR_CRS_STACK_SIZE && code != EIATTR_SYNC_STACK) || list->items[i].size < 4)
        continue;
      const tl_function *const known = &s->module->resolution->functions.items[function];
      if (s->has_crs[function] && !s->resources->two_stacks)
        s->resources->two_stacks = tl_module_text(s->module, known->name);
      s->has_crs[function] = true;
      s->crs[function] =
          code == EIATTR_SYNC_STACK ? tl_get16(list->items[i].data) : tl_get32(list->items[i].data); /* L1403 */
    }
  }
}

static void spread_sum_crs(spreader *s) {
  const tl_graph *const graph = s->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const uint32_t node = graph->order[i];
    uint32_t deepest = 0;
    for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++) {
      const uint32_t callee = graph->callees.to[e];
      deepest = (uint32_t)tl_larger(s->crs[callee], deepest);
      s->has_crs[node] |= s->has_crs[callee];
    }
    s->crs[node] += deepest;
  }
}

/* L602: the record at the end of a list was made behind every MIN_STACK_SIZE. */
static void spread_note_before(spreader *s, tl_attributes *list) {
  s->before = (spread_step){.list = list, .index = (uint32_t)list->count - 1};
}

/* The kernel is the last one that has a MIN_STACK_SIZE. */
static bool spread_has_last_stack(const spreader *s, uint32_t kernel) {
  const tl_attributes *const records = &s->resources->module;
  return records->count && records->items[records->count - 1].symbol == kernel;
}

/* The first word of a record, which all of these kinds have (records_check_payload); what a record of another length has behind it stays (L547). */
static void spread_set_crs(const spreader *s, tl_attribute *record, uint32_t value) {
  const bool half =
      record->code == EIATTR_SYNC_STACK && record->size >= 2; /* its upper half is another number, and stays (L1403) */
  if (record->size <= 4 && !half) {
    *record = spread_word(s, record->code, value);
    return;
  }
  uint8_t *const payload = tl_arena_copy(s->arena, record->data, record->size);
  if (half)
    tl_put16(payload, (uint16_t)value);
  else
    tl_put32(payload, value);
  record->data = payload;
}

static void spread_append_crs(spreader *s, uint32_t kernel, uint32_t value, tl_attributes *list) {
  *tl_vector_push(s->arena, list) = spread_word(s, EIATTR_CRS_STACK_SIZE, value);
  if (!s->before.list && spread_has_last_stack(s, kernel))
    spread_note_before(s, list);
}

/* Recursion makes it unbounded (G3, W6.10). */
static void spread_store_crs(spreader *s, uint32_t kernel, uint32_t info) {
  tl_attributes *const list = &s->resources->sections[info];
  const uint32_t function = s->module->symbols.items[kernel].function;
  const bool cyclic = s->resources->endless[function];
  if (!cyclic && !s->has_crs[function])
    return;
  const uint32_t value = cyclic ? UINT32_MAX : s->crs[function];
  tl_attributes own = *list; /* without those of second names */
  own.count = s->own_records[info] ? s->own_records[info] - 1 : list->count;
  uint32_t known = tl_attributes_find(&own, EIATTR_CRS_STACK_SIZE);
  if (known == TL_NONE)
    known = tl_attributes_find(&own, EIATTR_SYNC_STACK);
  if (known == TL_NONE && value)
    spread_append_crs(s, kernel, value, list);
  if (known == TL_NONE)
    return;
  spread_set_crs(s, &list->items[known], value);
}

/* A second name that counts as a kernel has a record of its own, behind its function's (L966). */
static void spread_store_alias_crs(spreader *s, uint32_t alias, uint32_t info) {
  tl_attributes *const list = &s->resources->sections[info];
  const uint32_t function = s->module->symbols.items[alias].function;
  const uint32_t value = s->resources->endless[function] ? UINT32_MAX : s->crs[function];
  if (!value)
    return;
  s->own_records[info] = s->own_records[info] ? s->own_records[info] : (uint32_t)list->count + 1;
  spread_append_crs(s, alias, value, list);
}

/* CRS_STACK_SIZE comes before everything else that is appended (I26), masks of functions that lack one too: nvlink makes it
 * with the stacks, in the order of .symtab (L803, L1169). */
static void spread_store_stacks(spreader *s) {
  const tl_module *const module = s->module;
  const tl_u32_vector *const halves[] = {&module->locals, &module->globals};
  bool *const entry = tl_arena_new(s->arena, bool, module->symbols.count);
  s->own_records = tl_arena_new(s->arena, uint32_t, module->sections.count);
  for (size_t k = 0; k < module->entries.count; k++)
    entry[module->entries.items[k]] = true;
  for (size_t i = 0; i < module->locals.count + module->globals.count; i++) {
    const bool local = i < module->locals.count;
    const uint32_t symbol = halves[!local]->items[local ? i : i - module->locals.count];
    if (!entry[symbol])
      continue;
    const tl_section *const text = &module->sections.items[module->symbols.items[symbol].section];
    if (text->info == TL_NONE)
      continue;
    if (text->owner == symbol)
      spread_store_crs(s, symbol, text->info);
    else
      spread_store_alias_crs(s, symbol, text->info);
  }
}

static uint32_t spread_count_sparse(const spreader *s, uint32_t function, uint32_t text) {
  uint32_t count = 0;
  const tl_attributes *const list = spread_input(s, text);
  for (size_t i = 0; spread_is_primary(s, function) && i < list->count; i++)
    count += list->items[i].code == EIATTR_SPARSE_MMA_MASK;
  return count;
}

/* L1472: nvlink counts the records of the functions that live, several of one, too, and holds them against the number of all
 * functions, whatever these are. */
static void spread_compare_sparse(spreader *s) {
  uint64_t records = 0;
  for (size_t f = 0; f < s->module->functions.count; f++) {
    const uint32_t function = s->module->functions.items[f], text = spread_text_of(s, function);
    if (text != TL_NONE && text != s->module->jump_slots)
      records += spread_count_sparse(s, function, text);
  }
  const uint64_t functions = s->module->resolution->functions.count; /* L1844: jump slots, too */
  s->any_sparse = records != 0;
  s->fills_sparse = records != 0 && records < functions;
}

/* I23, I23a: a live function without the record counts as 0x8000 as soon as any has one, and gets the record, unless there are
 * enough of them. */
static void spread_read_sparse(spreader *s) {
  uint32_t *const masked = tl_arena_new(s->arena, uint32_t, s->graph->node_count);
  spread_compare_sparse(s);
  for (size_t f = 0; f < s->module->functions.count; f++) {
    const uint32_t function = s->module->functions.items[f];
    const uint32_t text = spread_text_of(s, function);
    if (text == TL_NONE || text == s->module->jump_slots)
      continue;
    const tl_attributes *const list = spread_input(s, text);
    const bool own = spread_count_sparse(s, function, text) != 0;
    for (size_t i = 0; own && i < list->count; i++)
      if (list->items[i].code == EIATTR_SPARSE_MMA_MASK) {
        s->sparse_own[function] = spread_value(&list->items[i]) & UINT16_MAX;
        s->sparse[function] |= s->sparse_own[function];
      }
    masked[function] = own;
    if (!own && s->fills_sparse)
      s->sparse[function] = s->sparse_own[function] = 0x8000;
  }
  if (s->any_sparse && !s->fills_sparse)
    s->masked_below = tl_graph_most(s->graph, masked, s->arena);
}

static void spread_append_sparse(spreader *s) {
  for (size_t f = 0; s->fills_sparse && f < s->module->functions.count; f++) {
    const uint32_t function = s->module->functions.items[f];
    const uint32_t text = spread_text_of(s, function);
    if (text == TL_NONE || text == s->module->jump_slots)
      continue;
    if (s->module->sections.items[text].info == TL_NONE || s->module->sections.items[text].bodyless) {
      s->resources->lacks_attributes = true;
      continue;
    }
    const bool lacks =
        !spread_is_primary(s, function) || tl_attributes_find(spread_input(s, text), EIATTR_SPARSE_MMA_MASK) == TL_NONE;
    if (!lacks)
      continue; /* every alias brings one (L403) */
    tl_attributes *const list = &s->resources->sections[s->module->sections.items[text].info];
    *tl_vector_push(s->arena, list) = spread_number(s, 3, EIATTR_SPARSE_MMA_MASK, 0x8000);
    s->sparse_place[function] = (uint32_t)list->count;
    spread_note_before(s, list);
    const uint32_t owner = s->module->symbols.items[s->module->sections.items[text].owner].function;
    if (!(s->module->symbols.items[s->module->symbol_of_function[function]].other & STO_ENTRY)) { /* L1105 */
      s->sparse[owner] |= 0x8000;
      s->sparse_own[owner] |= 0x8000;
    }
  }
}

/* U11: one record for all jump slots. */
static void spread_close_stubs(spreader *s) {
  if (s->module->jump_slots != TL_NONE)
    *tl_vector_push(s->arena, spread_slots_list(s)) = spread_number(s, 3, EIATTR_SPARSE_MMA_MASK, 0);
}

/* Of each function the last mask (L1407). */
static uint32_t spread_sparse_of_all(const spreader *s) {
  uint32_t mask = 0;
  for (size_t f = 0; f < s->module->functions.count; f++)
    if (spread_text_of(s, s->module->functions.items[f]) != TL_NONE)
      mask |= s->sparse_own[s->module->functions.items[f]];
  return mask;
}

/* L1169: who reaches a function gets all masks of its section, those of second names too; a second name gives none. Of its own a
 * kernel has the one that is written, the last that was read, and all where it reaches itself (L1406). */
static const uint32_t *spread_sparse_below(const spreader *s) {
  const tl_graph *const graph = s->graph;
  uint32_t *const given = tl_arena_copy(s->arena, s->sparse, graph->node_count * sizeof *given);
  for (size_t f = 0; f < s->module->functions.count; f++) {
    const uint32_t function = s->module->functions.items[f], text = spread_text_of(s, function);
    const uint32_t owner = tl_module_owner(s->module, text);
    if (owner == TL_NONE || spread_is_primary(s, function))
      continue;
    given[function] = 0;
    given[s->module->symbols.items[owner].function] |= s->sparse[function];
  }
  const uint32_t *const reached = tl_graph_collect(graph, given, s->arena);
  uint32_t *const below = tl_arena_copy(s->arena, s->sparse_own, graph->node_count * sizeof *below);
  for (uint32_t node = 0; node < graph->node_count; node++)
    for (uint32_t e = graph->callees.first[node]; e < graph->callees.first[node + 1]; e++)
      below[node] |= reached[graph->callees.to[e]];
  return below;
}

/* L1472: a kernel that has no record where none is made, and reaches one: `entry_info was null`. */
static void spread_refuse_mask(const spreader *s, uint32_t kernel) {
  const tl_module *const module = s->module;
  const tl_cubin *const file = &module->files[module->symbols.items[kernel].mention];
  if (tl_module_has_single_kernel(module) ||
      tl_graph_most_called(s->graph, s->masked_below, module->symbols.items[kernel].function))
    tl_cubin_damaged(file, module->names, module->diagnostics, file->symbol_table, TL_NO_OFFSET,
                     "a kernel has no SPARSE_MMA_MASK, and a function that it reaches has one (L1472)");
}

static void spread_store_sparse(const spreader *s, uint32_t kernel, tl_attributes *list) {
  const bool single = tl_module_has_single_kernel(s->module);
  const uint32_t known = tl_attributes_find(list, EIATTR_SPARSE_MMA_MASK);
  if (!s->any_sparse || (single && !s->fills_sparse && known != TL_NONE))
    return; /* D65 */
  const uint32_t below = s->sparse_below[s->module->symbols.items[kernel].function];
  const uint16_t mask = (uint16_t)(single ? s->sparse_of_all : below); /* L97 */
  if (known != TL_NONE)
    spread_set_value(s, &list->items[known], mask); /* L1170: its format stays */
  else if (!s->fills_sparse)
    spread_refuse_mask(s, kernel);
  else
    *tl_vector_push(s->arena, list) = spread_number(s, 3, EIATTR_SPARSE_MMA_MASK, mask);
}

bool tl_query_is_forgotten(const tl_module *module, const tl_attribute *record) {
  return record->code == EIATTR_SUQ_USED && module->mode->final && module->has_surface;
}

/* W6.6: every list in reverse input order; of an executable, device functions lose AT_ENTRY_FRAGMENTS (I24); I2. */
void tl_copy_attributes(tl_resources *resources, const tl_module *module, tl_arena *arena) {
  for (uint32_t i = 1; i < module->sections.count; i++) {
    const tl_section *const section = &module->sections.items[i];
    if (section->type != SHT_CUDA_INFO || section->about == TL_NONE)
      continue;
    const uint32_t owner = module->sections.items[section->about].owner;
    const tl_symbol *const its = &module->symbols.items[owner]; /* only functions' texts have such a section */
    const bool kernel = tl_symbol_is_entry(its) && !its->late;  /* L1364 */
    tl_vector_reserve(arena, &resources->sections[i], section->attributes.count);
    for (size_t j = section->attributes.count; j-- > 0;) {
      const tl_attribute *const record = &section->attributes.items[j];
      const bool empty = record->format == 4 && record->size == 0;
      if (tl_query_is_forgotten(module, record) || tl_attribute_is_spent(module, record))
        continue;
      if (record->code && !empty && (!module->mode->final || kernel || record->code != EIATTR_AT_ENTRY_FRAGMENTS))
        *tl_vector_push(arena, &resources->sections[i]) = *record;
    }
  }
}

/* L262: function by function, the kernels last created first. */
static int spread_compare_mixed(const void *a, const void *b) {
  const tl_mixed_kernel *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->filled, y->filled}, {y->order, x->order}};
  return tl_compare_pairs(pairs, 2);
}

static tl_attributes *spread_list_of_kernel(const spreader *s, uint32_t k) {
  const uint32_t text = s->module->symbols.items[s->module->kernels.items[k]].section;
  return &s->resources->sections[s->module->sections.items[text].info];
}

static bool spread_has_aliases(const tl_module *module) {
  return module->entries.count > module->kernels.count;
}

static void spread_keep_step(spreader *s, const spread_step *step) {
  if (s->module->stubs.count)
    *tl_vector_push(s->arena, &s->steps) = *step;
  else if (step->made)
    *tl_vector_push(s->arena, &s->of_kernels) = *step;
}

static void spread_to_kernel(spreader *s, uint32_t k, const spread_below *below, tl_reach *reach,
                             spread_place *places) {
  const bool wanted = s->module->stubs.count || spread_has_aliases(s->module);
  tl_attributes *const list = spread_list_of_kernel(s, k);
  spread_steps steps = {0};
  spread_to_one_of_many(s, s->module->entries.items[k], k, below, reach, places, list, wanted ? &steps : NULL);
  for (size_t i = 0; i < steps.count; i++) {
    steps.items[i].list = list;
    steps.items[i].entry = spread_order_of_kernel(k);
    spread_keep_step(s, &steps.items[i]);
  }
}

/* One record that comes to one kernel, where kernels are called. */
typedef struct spread_turn {
  uint32_t filled, record, info, kernel;
} spread_turn;
typedef TL_VECTOR(spread_turn) spread_turns;

/* How many turns are remembered, 16 bytes each: kernels times functions could be any number. */
enum { MOST_TURNS = 1 << 18 };

/* A kernel's list while records come to it: of which input record each row's is, TL_NONE. */
typedef struct spread_caller {
  tl_attributes *list;
  spread_lists lists;
  uint32_t first, source[SPREAD_ROWS];
} spread_caller;

static int spread_compare_turns(const void *a, const void *b) {
  const spread_turn *const x = a, *const y = b;
  const uint64_t pairs[][2] = {{x->filled, y->filled}, {x->record, y->record}, {y->kernel, x->kernel}};
  return tl_compare_pairs(pairs, 3);
}

/* False when there are too many to remember. */
static bool spread_find_turns(const spreader *s, uint32_t k, const spread_below *below, tl_reach *reach,
                              spread_place *places, spread_turns *turns) {
  const uint32_t count = spread_find_places(s, s->module->kernels.items[k], below, reach, places);
  tl_vector_sort_items(places, count, sizeof *places, spread_compare);
  for (uint32_t i = 0; i < count && turns->count <= MOST_TURNS; i++) {
    const tl_attributes *const from = &s->module->sections.items[places[i].info].attributes;
    for (uint32_t j = 0; (!i || places[i].info != places[i - 1].info) && j < from->count; j++)
      if (spread_row_of(s, &from->items[j]))
        *tl_vector_push(s->arena, turns) = (spread_turn){places[i].filled, j, places[i].info, k};
  }
  return turns->count <= MOST_TURNS;
}

/* The list is the input's turned round, so that each row's record in it is the last one of the input that was copied. */
static void spread_begin_caller(const spreader *s, spread_caller *caller, uint32_t k) {
  const tl_attributes *const input = spread_input(s, s->module->symbols.items[s->module->kernels.items[k]].section);
  *caller = (spread_caller){.list = spread_list_of_kernel(s, k)};
  caller->first = (uint32_t)caller->list->count;
  for (int row = 0; row < SPREAD_ROWS; row++)
    caller->source[row] = TL_NONE;
  for (uint32_t j = 0; j < input->count; j++) {
    const tl_attribute *const record = &input->items[j];
    if (spread_row_of(s, record) && (record->format != 4 || record->size))
      caller->source[spread_row_of(s, record) - spread_rows] = j;
  }
}

/* What a record says when its turn comes: a kernel's may have grown. */
static tl_attribute spread_record_now(const spreader *s, const spread_turn *turn, const spread_row *row,
                                      spread_caller *owner) {
  if (owner && owner->source[row - spread_rows] == turn->record) {
    const uint32_t place = spread_place_of(&owner->lists, owner->list, row);
    if (place != TL_NONE)
      return owner->list->items[place];
  }
  return s->module->sections.items[turn->info].attributes.items[turn->record];
}

static void spread_take_turn(spreader *s, const spread_turn *turn, spread_caller *caller, spread_caller *owner) {
  const tl_attribute *const input = &s->module->sections.items[turn->info].attributes.items[turn->record];
  const spread_row *const row = spread_row_of(s, input);
  const tl_attribute from = spread_record_now(s, turn, row, owner);
  const size_t before = caller->list->count;
  spread_check_groups(s, (tl_mixed_kernel){turn->filled, turn->kernel, 0}, caller->list, &caller->lists, row);
  spread_one(s, caller->list, &caller->lists, row, &from);
  if (s->module->stubs.count || spread_has_aliases(s->module))
    spread_note_step(s, s->module->stubs.count ? &s->steps : &s->of_kernels, &caller->lists, caller->list,
                     caller->first,
                     (spread_step){.filled = turn->filled,
                                   .record = turn->record,
                                   .entry = spread_order_of_kernel(turn->kernel),
                                   .list = caller->list,
                                   .row = row,
                                   .made = caller->list->count > before,
                                   .from = input});
}

/* L1363: nvlink goes through the functions, of each through its records, and with each through the kernels that reach it, so
 * that a kernel which is called gives what it has got so far. Where that is too much to remember, it gives what it has itself. */
static void spread_to_called_kernels(spreader *s, const spread_below *below, tl_reach *reach, spread_place *places) {
  const tl_module *const module = s->module;
  spread_turns turns = {0};
  spread_caller *const callers = tl_arena_new(s->arena, spread_caller, module->kernels.count);
  uint32_t *const kernel_of = tl_arena_new(s->arena, uint32_t, module->sections.count); /* + 1 */
  bool few = true;
  for (uint32_t k = 0; k < module->kernels.count && few; k++) {
    kernel_of[module->sections.items[module->symbols.items[module->kernels.items[k]].section].info] = k + 1;
    spread_begin_caller(s, &callers[k], k);
    few = spread_find_turns(s, k, below, reach, places, &turns);
  }
  for (uint32_t k = 0; k < module->kernels.count && !few; k++)
    spread_to_kernel(s, k, below, reach, places);
  if (!few)
    return;
  tl_vector_sort(&turns, spread_compare_turns);
  for (size_t i = 0; i < turns.count; i++) {
    const spread_turn *const turn = &turns.items[i];
    const uint32_t owner = kernel_of[turn->info];
    spread_take_turn(s, turn, &callers[turn->kernel], owner ? &callers[owner - 1] : NULL);
  }
}

/* What one alias gets, its records behind those of the aliases before it. */
static void spread_to_alias(spreader *s, uint32_t k, const spread_below *below, tl_reach *reach, spread_place *places,
                            spread_attributes *records, spread_steps *all) {
  const tl_module *const module = s->module;
  const uint32_t alias = module->entries.items[k], function = module->symbols.items[alias].function;
  const uint32_t info = module->sections.items[module->symbols.items[alias].section].info;
  if (info == TL_NONE)
    return;
  if (s->any_sparse && !s->fills_sparse)
    spread_refuse_mask(s, alias);
  tl_attributes *const list = &s->resources->sections[info];
  tl_attributes own = {0};
  spread_steps steps = {0};
  if (s->sparse_place[function]) /* L403 */
    list->items[s->sparse_place[function] - 1] =
        spread_number(s, 3, EIATTR_SPARSE_MMA_MASK, s->sparse_below[function] & UINT16_MAX);
  spread_to_one_of_many(s, alias, k, below, reach, places, &own, &steps);
  for (uint32_t i = 0; i < steps.count; i++) {
    spread_step *const step = tl_vector_push(s->arena, all);
    *step = steps.items[i];
    step->list = list;
    step->entry = spread_order_of_kernel(k);
    step->index += (uint32_t)records->count;
  }
  for (uint32_t i = 0; i < own.count; i++)
    *tl_vector_push(s->arena, records) = own.items[i];
}

/* L1106: a second name that is the only entry, behind its function's records. */
static void spread_to_single_alias(spreader *s, uint32_t alias) {
  const uint32_t info = s->module->sections.items[s->module->symbols.items[alias].section].info;
  tl_attributes own = {0};
  tl_vector_reserve(s->arena, &own, SPREAD_ROWS);
  spread_to_single(s, alias, &own);
  for (size_t i = 0; i < own.count && info != TL_NONE; i++)
    *tl_vector_push(s->arena, &s->resources->sections[info]) = own.items[i];
}

/* L1467: records made for a kernel are taken out of the end of its list, to come again in their turn. */
static void spread_take_back(spreader *s, spread_attributes *records, spread_steps *all) {
  for (size_t i = 0; i < s->of_kernels.count; i++) {
    spread_step step = s->of_kernels.items[i];
    if (!step.made)
      continue;
    const uint32_t index = step.index;
    step.index = (uint32_t)records->count;
    *tl_vector_push(s->arena, records) = step.list->items[index];
    *tl_vector_push(s->arena, all) = step;
  }
  for (size_t i = 0; i < s->of_kernels.count; i++)
    s->of_kernels.items[i].list->count -= s->of_kernels.items[i].made;
}

/* L966: a second name with the mark of a kernel has records of its own, but they stand in its function's list, in the order
 * in which they come. */
static void spread_to_aliases(spreader *s, const spread_below *below, tl_reach *reach, spread_place *places) {
  spread_steps all = {0};
  spread_attributes records = {0};
  for (uint32_t k = (uint32_t)s->module->kernels.count; k < s->module->entries.count; k++)
    spread_to_alias(s, k, below, reach, places, &records, &all);
  if (all.count)
    spread_take_back(s, &records, &all);
  tl_vector_sort(&all, spread_compare_steps);
  for (size_t i = 0; i < all.count; i++)
    if (all.items[i].made)
      *tl_vector_push(s->arena, all.items[i].list) = records.items[all.items[i].index];
}

static void spread_to_kernels(spreader *s, const spread_below *below, tl_reach *reach, spread_place *places) {
  const bool single = tl_module_has_single_kernel(s->module);
  for (uint32_t k = 0; k < s->module->kernels.count; k++) {
    const uint32_t kernel = s->module->kernels.items[k];
    spread_store_sparse(s, kernel, spread_list_of_kernel(s, k));
    if (single)
      spread_to_single(s, kernel, spread_list_of_kernel(s, k));
    else if (!below->called)
      spread_to_kernel(s, k, below, reach, places);
  }
  if (!single && below->called)
    spread_to_called_kernels(s, below, reach, places);
}

static bool spread_groups_spread(const tl_module *module) {
  for (uint32_t i = 0; i < module->file_count; i++)
    if (module->files[i].keeps_groups)
      return false;
  return true;
}

void tl_spread_attributes(tl_resources *resources, const tl_module *module, const tl_graph *graph, tl_arena *arena) {
  spreader s = {.resources = resources, .module = module, .graph = graph, .arena = arena};
  tl_map_init(&s.seen, arena);
  s.groups = spread_groups_spread(module);
  const size_t nodes = graph->node_count;
  s.sparse = tl_arena_new(arena, uint32_t, nodes);
  s.sparse_own = tl_arena_new(arena, uint32_t, nodes);
  s.sparse_place = tl_arena_new(arena, uint32_t, nodes);
  s.crs = tl_arena_new(arena, uint32_t, nodes);
  s.has_crs = tl_arena_new(arena, bool, nodes);
  tl_reach reach;
  tl_reach_init(&reach, graph, arena);
  spread_place *const places = tl_arena_new(arena, spread_place, nodes + 2 * SPREAD_FOLLOWED);
  tl_copy_attributes(resources, module, arena);
  spread_read_crs(&s);
  spread_sum_crs(&s);
  spread_read_sparse(&s);
  spread_store_stacks(&s);
  spread_append_sparse(&s);
  s.sparse_of_all = spread_sparse_of_all(&s);
  s.sparse_below = spread_sparse_below(&s);
  const bool below_counts = !tl_module_has_single_kernel(module) && (module->entries.count || module->stubs.count);
  const spread_below below = below_counts ? spread_find_below(&s) : (spread_below){.called = false};
  spread_to_kernels(&s, &below, &reach, places);
  const uint32_t alone = tl_module_single_alias(module);
  if (alone != TL_NONE)
    spread_to_single_alias(&s, alone);
  else
    spread_to_aliases(&s, &below, &reach, places);
  if (!tl_module_has_single_kernel(module)) {
    spread_to_stubs(&s, &below, &reach, places);
    spread_spoil_records(&s, &reach);
  }
  spread_close_stubs(&s);
  for (size_t i = 0; i < resources->mixed.count; i++) {
    tl_mixed_kernel *const mixed = &resources->mixed.items[i];
    mixed->order = module->symbols.items[module->entries.items[mixed->index]].function;
  }
  tl_vector_sort(&resources->mixed, spread_compare_mixed);
}
