/* RF812: nvlink walks over the sections of a capsule's SASS side, and takes what Mercury's side has for one of entries by its name, whatever the type
 * and the sh_info of Mercury's are: so the entries are about what the SASS section is about, and a table of Mercury's that no SASS one has the
 * name of counts for nothing, nor do further ones of a name. */
#include "capsule.h"

#include <string.h>

typedef struct ref_beside {
  ref_link *link;
  const ref_cubin *whole;
  ref_cubin *view;
  ref_map tables;  /* by plain name the next of Mercury's tables that nothing has taken */
  uint32_t *next;   /* by table the next one of its name, or 0 */
  ref_map others;  /* Mercury's other sections by plain name, the first */
  uint32_t *bodies; /* by SASS section the capsule that is about it; 0: none */
} ref_beside;

static bool ref_beside_is_mercury(const ref_section *section) {
  return (section->flags & REF_FLAG_MERCURY) != 0;
}

static bool ref_beside_is_table(uint32_t type) {
  return type == REF_TYPE_RELA || type == REF_TYPE_REL;
}

/* What Mercury's section beside a SASS one is called in the view. */
static const char *ref_beside_name(ref_link *link, const char *name) {
  const struct {
    const char *sass, *mercury;
  } rows[] = {{ref_view_sass.optimizer_prefix, ref_view_mercury.optimizer_prefix},
              {ref_view_sass.table_prefix, ref_view_mercury.table_prefix},
              {ref_view_sass.user_name, ref_view_mercury.user_name},
              {".nv.constant4", ".nv.constant.pic"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t length = strlen(rows[i].sass);
    if (strncmp(name, rows[i].sass, length) == 0) {
      return ref_memory_print(link, "%s%s", rows[i].mercury, name + length);
    }
  }
  return name;
}

static ref_beside ref_beside_begin(ref_link *link, const ref_cubin *whole, ref_cubin *view) {
  ref_beside beside = {.link = link, .whole = whole, .view = view};
  beside.next = REF_TAKE(link, uint32_t, whole->section_count);
  beside.bodies = REF_TAKE(link, uint32_t, whole->section_count);
  for (size_t i = whole->section_count; i-- > 1;) {
    const ref_section *section = &view->sections[i];
    if (!ref_beside_is_mercury(&whole->sections[i])) {
      continue;
    }
    if (ref_beside_is_table(section->type)) {
      const size_t known = ref_map_find(&beside.tables, section->name);
      beside.next[i] = known == REF_NONE ? 0 : (uint32_t)known;
      ref_map_set(link, &beside.tables, section->name, i);
    } else {
      ref_map_set(link, &beside.others, section->name, i);
    }
    if (whole->sections[i].type == REF_TYPE_CAPSULE_TEXT && section->data != NULL && section->size >= 4 &&
        ref_u32(section->data) < whole->section_count) {
      beside.bodies[ref_u32(section->data)] = (uint32_t)i;
    }
  }
  return beside;
}

/* Mercury's section beside what a SASS table is about; 0: none. */
static uint32_t ref_beside_target(const ref_beside *beside, uint32_t target) {
  if (target >= beside->whole->section_count || ref_beside_is_mercury(&beside->whole->sections[target])) {
    return 0;
  }
  if (beside->bodies[target] != 0) {
    return beside->bodies[target];
  }
  const char *name = ref_beside_name(beside->link, beside->view->sections[target].name);
  const size_t found = ref_map_find(&beside->others, name);
  return found == REF_NONE ? 0 : (uint32_t)found;
}

static void ref_beside_take_table(ref_beside *beside, uint32_t table, bool *taken) {
  static const char prefix[] = ".rela";
  const ref_section *own = &beside->view->sections[table];
  const size_t length = strncmp(own->name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
  const char *name = ref_memory_print(beside->link, "%.*s%s", (int)length, own->name,
                                      ref_beside_name(beside->link, own->name + length));
  const size_t found = ref_map_find(&beside->tables, name);
  if (found == REF_NONE || found == 0) {
    return;
  }
  taken[found] = true;
  ref_map_set(beside->link, &beside->tables, name, beside->next[found]);
  const uint32_t target = ref_beside_target(beside, own->info);
  if (target != 0) {
    beside->view->sections[found].info = target;
  }
}

void ref_beside_settle(ref_link *link, const ref_cubin *whole, ref_cubin *view) {
  ref_beside beside = ref_beside_begin(link, whole, view);
  bool *taken = REF_TAKE(link, bool, whole->section_count);
  for (uint32_t i = 1; i < whole->section_count; i++) {
    if (!ref_beside_is_mercury(&whole->sections[i]) && ref_beside_is_table(whole->sections[i].type)) {
      ref_beside_take_table(&beside, i, taken);
    }
  }
  for (uint32_t i = 1; i < whole->section_count; i++) {
    if (ref_beside_is_mercury(&whole->sections[i]) && whole->sections[i].type == REF_TYPE_MERCURY_RELA && !taken[i]) {
      view->sections[i].type = 0;
    }
  }
}
