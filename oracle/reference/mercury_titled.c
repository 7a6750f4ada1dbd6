/* RF872: nvlink finds a function's attributes in a capsule by the name of Mercury's section. Before anything reads them, the first section of
 * a function's name is made the one about it. */
#include "capsule.h"

#include <string.h>

typedef struct ref_titled {
  ref_link *link;
  ref_cubin *whole;
  ref_map sections;  /* the first of each name */
  ref_map texts;     /* of capsules, by the function's name; one that several have is SEVERAL */
  ref_map functions; /* names of functions: those within another's text have records of their own (L720) */
  bool *is_settled;  /* a section that is some function's, and that function's text */
} ref_titled;

static const size_t SEVERAL = SIZE_MAX - 1;

static const char text_prefix[] = ".nv.capmerc.text.", info_prefix[] = ".nv.merc.nv.info.";

static void ref_titled_list(ref_titled *titled) {
  const ref_cubin *whole = titled->whole;
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    if (ref_map_find(&titled->sections, section->name) == REF_NONE) {
      ref_map_set(titled->link, &titled->sections, section->name, i);
    }
    if (section->type == REF_TYPE_CAPSULE_TEXT && strncmp(section->name, text_prefix, sizeof text_prefix - 1) == 0) {
      const char *function = section->name + sizeof text_prefix - 1;
      const bool is_first = ref_map_find(&titled->texts, function) == REF_NONE;
      ref_map_set(titled->link, &titled->texts, function, is_first ? i : SEVERAL);
    }
  }
  for (size_t i = 1; i < whole->symbol_count; i++) {
    if ((whole->symbols[i].info & 15) == REF_SYMBOL_FUNC) {
      ref_map_set(titled->link, &titled->functions, whole->symbols[i].name, i);
    }
  }
}

static void ref_titled_settle(ref_titled *titled, uint32_t text) {
  const char *function = titled->whole->sections[text].name + sizeof text_prefix - 1;
  const size_t found = ref_map_find(&titled->sections, ref_memory_print(titled->link, "%s%s", info_prefix, function));
  ref_section *section = found == REF_NONE ? NULL : &titled->whole->sections[found];
  if (section == NULL || section->data == NULL ||
      (section->type != REF_TYPE_MERCURY_INFO && section->type != REF_TYPE_PROGBITS)) {
    return;
  }
  titled->is_settled[found] = titled->is_settled[text] = true;
  section->type = REF_TYPE_MERCURY_INFO;
  section->flags |= REF_FLAG_MERCURY;
  section->info = (section->info & ~REF_TEXT_OF_INFO) | text;
}

/* Others about such a function, of its name or of no function's, count for nothing. */
static bool ref_titled_counts(const ref_titled *titled, uint32_t number) {
  const ref_section *section = &titled->whole->sections[number];
  const uint32_t text = section->info & REF_TEXT_OF_INFO;
  if (section->type != REF_TYPE_MERCURY_INFO || titled->is_settled[number] || text >= titled->whole->section_count ||
      !titled->is_settled[text]) {
    return true;
  }
  const size_t length = sizeof info_prefix - 1;
  const char *function = strncmp(section->name, info_prefix, length) == 0 ? section->name + length : "";
  return ref_map_find(&titled->texts, function) == REF_NONE && ref_map_find(&titled->functions, function) != REF_NONE;
}

void ref_mercury_name_attributes(ref_link *link, ref_cubin *whole) {
  ref_titled titled = {.link = link, .whole = whole};
  titled.is_settled = REF_TAKE(link, bool, whole->section_count);
  ref_titled_list(&titled);
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    if (section->type == REF_TYPE_CAPSULE_TEXT && strncmp(section->name, text_prefix, sizeof text_prefix - 1) == 0 &&
        ref_map_find(&titled.texts, section->name + sizeof text_prefix - 1) == i) {
      ref_titled_settle(&titled, i);
    }
  }
  for (uint32_t i = 1; i < whole->section_count; i++) {
    if (!ref_titled_counts(&titled, i)) {
      whole->sections[i].type = 0;
    }
  }
}
