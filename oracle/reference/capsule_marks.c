/* L895: functions of one name in a relocatable capsule. nvlink finds what is about a text by the names of sections (RF173), so by
 * default (D113) the texts of the second one and of later ones, and all sections about them on both sides, have a mark behind their
 * names, `@` and a number, which no name of a source has. Symbols keep their names. By default inputs are read without the marks. */
#include "capsule.h"

#include <string.h>

enum { LINKS = 3 }; /* from a section to what it is about: entries, constants, text */

/* --- writing --- */

/* The text that a section is about, or is itself; REF_NONE: none. */
static size_t ref_marks_text_of(const ref_link *link, size_t section) {
  for (int i = 0; i < LINKS && section != REF_NONE; i++) {
    if (link->sections[section].info_function != REF_NONE) {
      return section;
    }
    section = link->sections[section].info_section;
  }
  return REF_NONE;
}

/* By section: a text's number among those of its name, in the order of the output. */
static size_t *ref_marks_number_texts(ref_link *link, const ref_indices *order) {
  size_t *numbers = REF_TAKE(link, size_t, link->section_count);
  ref_map last = {0};
  for (size_t i = 0; i < order->count; i++) {
    const ref_out_section *section = &link->sections[order->items[i]];
    if (section->info_function == REF_NONE) {
      continue;
    }
    const size_t known = ref_map_find(&last, section->name);
    numbers[order->items[i]] = known == REF_NONE ? 1 : known + 1;
    ref_map_set(link, &last, section->name, numbers[order->items[i]]);
  }
  return numbers;
}

/* By section: what stands behind its name. NULL: nothing has a mark. */
const char **ref_marks_of_sections(ref_link *link, const ref_indices *order) {
  if (!ref_relocatable_is_default(link)) {
    return NULL;
  }
  const size_t *numbers = ref_marks_number_texts(link, order);
  const char **marks = REF_TAKE(link, const char *, link->section_count);
  for (size_t i = 0; i < link->section_count; i++) {
    const size_t text = ref_marks_text_of(link, i);
    if (text != REF_NONE && numbers[text] > 1) {
      marks[i] = ref_memory_print(link, "@%zu", numbers[text]);
    }
  }
  return marks;
}

/* --- reading --- */

/* Where a mark begins, or NULL. */
static const char *ref_marks_find(const char *name) {
  const char *mark = strrchr(name, '@');
  return mark != NULL && mark[1] != 0 && mark[1 + strspn(mark + 1, "0123456789")] == 0 ? mark : NULL;
}

void ref_marks_take_off(ref_link *link, const ref_cubin *cubin) {
  if (link->job->bug_compatible) {
    return;
  }
  for (size_t i = 1; i < cubin->section_count; i++) {
    ref_section *section = &cubin->sections[i];
    const char *mark = ref_marks_find(section->name);
    if (mark != NULL) {
      section->name = ref_memory_print(link, "%.*s", (int)(mark - section->name), section->name);
    }
  }
}
