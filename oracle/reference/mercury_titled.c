/* RF872: nvlink finds a function's attributes in a capsule by the name of Mercury's section. Before anything reads them, the first section of
 * a function's name is made the one about it. */
#include "capsule.h"

#include <string.h>

typedef struct ref_titled {
  ref_link *link;
  ref_cubin *whole;
  const ref_section *input; /* the sections as they were */
  ref_map sections;         /* the first of each name */
  ref_map texts;            /* of capsules, by the function's name; one that several have is SEVERAL */
  ref_map functions;        /* names of functions: those within another's text have records of their own (L720) */
  size_t *about;            /* by text: the first section about it */
  bool *is_settled;         /* a section that is some function's, and that function's text */
} ref_titled;

static const size_t SEVERAL = SIZE_MAX - 1;

static const char text_prefix[] = ".nv.capmerc.text.", info_prefix[] = ".nv.merc.nv.info";

static bool ref_titled_is_text(const ref_section *section) {
  return section->type == REF_TYPE_CAPSULE_TEXT && strncmp(section->name, text_prefix, sizeof text_prefix - 1) == 0;
}

static void ref_titled_list(ref_titled *titled) {
  const ref_cubin *whole = titled->whole;
  for (size_t i = whole->section_count; i-- > 1;) {
    const ref_section *section = &whole->sections[i];
    const uint32_t text = section->info & REF_TEXT_OF_INFO;
    ref_map_set(titled->link, &titled->sections, section->name, i);
    if (section->type == REF_TYPE_MERCURY_INFO && text < whole->section_count) {
      titled->about[text] = i;
    }
    if (ref_titled_is_text(section)) {
      const char *function = section->name + sizeof text_prefix - 1;
      const bool is_only = ref_map_find(&titled->texts, function) == REF_NONE;
      ref_map_set(titled->link, &titled->texts, function, is_only ? i : SEVERAL);
    }
  }
  for (size_t i = 1; i < whole->symbol_count; i++) {
    if ((whole->symbols[i].info & 15) == REF_SYMBOL_FUNC) {
      ref_map_set(titled->link, &titled->functions, whole->symbols[i].name, i);
    }
  }
}

/* The section with the records of a function, or (`function` is empty) of the file: without one of the name the SASS side's. */
static const ref_section *ref_titled_find(ref_titled *titled, const char *function) {
  const char *dot = *function == 0 ? "" : ".";
  const char *const prefixes[] = {info_prefix, ".nv.info"};
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
    const size_t found =
        ref_map_find(&titled->sections, ref_memory_print(titled->link, "%s%s%s", prefixes[i], dot, function));
    const uint32_t type = found == REF_NONE ? 0 : titled->input[found].type;
    if (type == REF_TYPE_MERCURY_INFO || type == REF_TYPE_PROGBITS || type == REF_TYPE_INFO) {
      return &titled->input[found];
    }
  }
  return NULL;
}

static void ref_titled_take(ref_titled *titled, ref_section *section, const ref_section *from, const char *function) {
  section->name = ref_memory_print(titled->link, "%s%s%s", info_prefix, *function == 0 ? "" : ".", function);
  section->data = from->data;
  section->size = from->size;
}

static void ref_titled_settle(ref_titled *titled, uint32_t text) {
  const char *function = titled->whole->sections[text].name + sizeof text_prefix - 1;
  const ref_section *from = ref_titled_find(titled, function);
  const size_t own = from == NULL ? 0 : (size_t)(from - titled->input);
  const size_t found = titled->about[text] == REF_NONE ? own : titled->about[text];
  if (from == NULL || from->data == NULL || (titled->input[found].flags & REF_FLAG_MERCURY) == 0 ||
      (found == own && from->type == REF_TYPE_MERCURY_INFO && (from->info & REF_TEXT_OF_INFO) == 0)) {
    return;
  }
  ref_section *section = &titled->whole->sections[found];
  ref_titled_take(titled, section, from, function);
  titled->is_settled[found] = titled->is_settled[text] = true;
  section->type = REF_TYPE_MERCURY_INFO;
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
  const size_t length = sizeof info_prefix;
  const char *function = strncmp(section->name, info_prefix, length - 1) == 0 && section->name[length - 1] == '.'
                             ? section->name + length
                             : "";
  return ref_map_find(&titled->texts, function) == REF_NONE && ref_map_find(&titled->functions, function) != REF_NONE;
}

void ref_mercury_name_attributes(ref_link *link, ref_cubin *whole) {
  ref_titled titled = {.link = link, .whole = whole};
  ref_section *input = REF_TAKE(link, ref_section, whole->section_count);
  memcpy(input, whole->sections, whole->section_count * sizeof *input);
  titled.input = input;
  titled.is_settled = REF_TAKE(link, bool, whole->section_count);
  titled.about = ref_memory_take_numbers(link, whole->section_count);
  ref_titled_list(&titled);
  for (uint32_t i = 1; i < whole->section_count; i++) {
    const ref_section *section = &whole->sections[i];
    if (ref_titled_is_text(section) && ref_map_find(&titled.texts, section->name + sizeof text_prefix - 1) == i) {
      ref_titled_settle(&titled, i);
    }
  }
  for (uint32_t i = 1; i < whole->section_count; i++) {
    ref_section *section = &whole->sections[i];
    const ref_section *from = ref_titled_find(&titled, "");
    if (!ref_titled_counts(&titled, i)) {
      section->type = 0;
    } else if (section->type == REF_TYPE_MERCURY_INFO && section->info == 0 && from != NULL) {
      ref_titled_take(&titled, section, from, "");
    }
  }
}
