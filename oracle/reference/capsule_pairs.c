/* RF567, RF732: the finalizer makes a capsule's SASS entries of code from Mercury's (L497). So of the SASS side's entries about a text those count
 * that have one on Mercury's side, against the same symbol and of a like type, in the order of their places; and what a whole address adds,
 * Mercury's says. Where Mercury's side has no table about the text, the SASS side's stay. */
#include "capsule.h"
#include "relocation_table.h"

#include <stdlib.h>

enum { OTHER_KINDS = 16 };

typedef enum ref_likeness {
  REF_LIKE_NONE,
  REF_LIKE_WHOLE,
  REF_LIKE_WORD,
  REF_LIKE_HALF,
  REF_LIKE_LOW,
  REF_LIKE_HIGH
} ref_likeness;

typedef struct ref_paired {
  uint32_t symbol, likeness;
  uint64_t offset;
  uint32_t section;
  size_t number;
} ref_paired;

typedef struct ref_paired_list {
  ref_paired *items;
  size_t count, capacity;
} ref_paired_list;

static ref_likeness ref_pair_likeness(uint32_t type) {
  static const struct {
    uint32_t type;
    ref_likeness likeness;
  } rows[] = {{75, REF_LIKE_WHOLE},
              {55, REF_LIKE_WORD},
              {61, REF_LIKE_WORD},
              {74, REF_LIKE_WORD},
              {115, REF_LIKE_WORD},
              {59, REF_LIKE_HALF},
              {66, REF_LIKE_HALF},
              {56, REF_LIKE_LOW},
              {62, REF_LIKE_LOW},
              {112, REF_LIKE_LOW},
              {57, REF_LIKE_HIGH},
              {63, REF_LIKE_HIGH},
              {113, REF_LIKE_HIGH},
              {REF_MERCURY_FIRST + 2, REF_LIKE_WHOLE},
              {REF_MERCURY_FIRST + 3, REF_LIKE_WORD},
              {REF_MERCURY_FIRST + 61, REF_LIKE_WORD},
              {REF_MERCURY_FIRST + 4, REF_LIKE_HALF},
              {REF_MERCURY_FIRST + 5, REF_LIKE_LOW},
              {REF_MERCURY_FIRST + 40, REF_LIKE_LOW},
              {REF_MERCURY_FIRST + 62, REF_LIKE_LOW},
              {REF_MERCURY_FIRST + 6, REF_LIKE_HIGH},
              {REF_MERCURY_FIRST + 41, REF_LIKE_HIGH},
              {REF_MERCURY_FIRST + 63, REF_LIKE_HIGH}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].type == type) {
      return rows[i].likeness;
    }
  }
  return REF_LIKE_NONE;
}

static int ref_pair_compare_kind(const ref_paired *a, const ref_paired *b) {
  return a->symbol != b->symbol ? ref_order(a->symbol, b->symbol) : ref_order(a->likeness, b->likeness);
}

static int ref_pair_compare(const void *left, const void *right) {
  const ref_paired *a = left, *b = right;
  const int kind = ref_pair_compare_kind(a, b);
  if (kind != 0) {
    return kind;
  }
  if (a->offset != b->offset) {
    return ref_order(a->offset, b->offset);
  }
  return a->section != b->section ? ref_order(a->section, b->section) : ref_order(a->number, b->number);
}

/* Types that are like no other are alike where Mercury's becomes the SASS one (R63); 0: it becomes none. */
static uint32_t ref_pair_kind(uint32_t type, bool is_mercury) {
  const uint32_t likeness = ref_pair_likeness(type), own = is_mercury ? ref_data_sass_type(type, true) : type;
  return likeness != REF_LIKE_NONE ? likeness : is_mercury && own == 0 ? 0 : OTHER_KINDS + own;
}

static void ref_pair_list_table(ref_link *link, const ref_cubin *cubin, uint32_t section, bool is_mercury,
                                ref_paired_list *list) {
  for (size_t i = 0; i < ref_cubin_relocation_count(cubin, section); i++) {
    const ref_relocation entry = ref_cubin_relocation(cubin, section, i);
    const uint32_t kind = ref_pair_kind(entry.type, is_mercury);
    if (kind == 0) {
      continue;
    }
    list->items = ref_memory_grow(link, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = (ref_paired){entry.symbol, kind, entry.offset, section, i};
  }
}

static void ref_pair_sort(ref_paired_list *list) {
  if (list->count != 0) {
    qsort(list->items, list->count, sizeof *list->items, ref_pair_compare);
  }
}

/* All entries of the SASS side about the text that `table` is about. */
static void ref_pair_list_sass(ref_link *link, const ref_file *file, uint32_t table, ref_paired_list *list) {
  const ref_cubin *cubin = &file->cubin;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const uint32_t type = cubin->sections[i].type;
    if ((type == REF_TYPE_REL || type == REF_TYPE_RELA) && cubin->sections[i].info == cubin->sections[table].info) {
      ref_pair_list_table(link, cubin, i, false, list);
    }
  }
  ref_pair_sort(list);
}

/* Is the table one of a text in the SASS view of a link of capsules? */
static bool ref_pair_is_about_code(const ref_link *link, const ref_file *file, uint32_t table) {
  const uint32_t target = file->cubin.sections[table].info;
  return ref_view_is_derived(link) && target < file->cubin.section_count &&
         (file->cubin.sections[target].flags & REF_FLAG_EXEC) != 0;
}

/* An entry a pair; NULL where all count as they are. RF732: what Mercury's table has may make no entry of the SASS side. */
const ref_pair *ref_pairs_find(ref_link *link, const ref_file *file, uint32_t table) {
  if (!ref_pair_is_about_code(link, file, table)) {
    return NULL;
  }
  ref_paired_list sass = {0}, mercury = {0};
  ref_pair_list_sass(link, file, table, &sass);
  const ref_indices *tables = ref_mercury_tables(link, file, table);
  if (tables->count == 0) {
    return NULL;
  }
  for (size_t i = 0; i < tables->count; i++) {
    ref_pair_list_table(link, &file->whole, (uint32_t)tables->items[i], true, &mercury);
  }
  ref_pair_sort(&mercury);
  ref_pair *pairs = REF_TAKE(link, ref_pair, ref_cubin_relocation_count(&file->cubin, table));
  for (size_t i = 0, k = 0; i < sass.count; i++) {
    while (k < mercury.count && ref_pair_compare_kind(&mercury.items[k], &sass.items[i]) < 0) {
      k++;
    }
    const bool found = k < mercury.count && ref_pair_compare_kind(&mercury.items[k], &sass.items[i]) == 0;
    if (found && sass.items[i].section == table) {
      pairs[sass.items[i].number] = (ref_pair){true, mercury.items[k].section, mercury.items[k].number};
    }
    k += found;
  }
  return pairs;
}

/* False for an entry that goes. */
bool ref_pair_take(const ref_file *file, const ref_pair *pair, ref_relocation *entry) {
  if (pair->is_paired && ref_pair_likeness(entry->type) == REF_LIKE_WHOLE) {
    entry->addend = ref_cubin_relocation(&file->whole, pair->section, pair->number).addend;
  }
  return pair->is_paired;
}
