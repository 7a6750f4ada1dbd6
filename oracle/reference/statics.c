/* L830: which text nvlink deletes by mistake when a dead function has a namesake in another file. Deleting a function, it looks for its
 * compiler constants by their name. Where those are the namesake's, it takes the first section whose sh_info is the number of the dead
 * function's text; but a text's sh_info is the number of its function's symbol. The numbers are those of everything that was merged,
 * dead code with it, which the link itself never makes: so the files are merged once more, with everything alive. */
#include "link.h"

/* The link as it is before anything is merged, to be merged with everything alive. */
ref_link *ref_statics_copy(ref_link *link) {
  ref_link *whole = ref_memory_copy(link, link, sizeof *link);
  whole->blocks = NULL;
  whole->memory_owner = link->memory_owner == NULL ? link : link->memory_owner;
  whole->result = REF_TAKE_ONE(link, ref_result);
  whole->message_capacity = 0;
  whole->traced = 0;
  whole->everything_live = true;
  whole->files = ref_memory_copy(link, link->files, link->file_count * sizeof *link->files);
  return whole;
}

/* NULL: nobody will ask. */
ref_link *ref_statics_fork(ref_link *link) {
  return link->job->bug_compatible ? ref_statics_copy(link) : NULL;
}

/* A function that is dead, and another one of its name. */
static bool ref_statics_have_namesakes(ref_link *link) {
  ref_map first = {0};
  bool dead = false, twice = false;
  for (size_t i = 0; !dead && i < link->function_count; i++) {
    dead = !link->functions[i].live;
  }
  for (size_t i = 0; dead && !twice && i < link->function_count; i++) {
    twice = !ref_map_put(link, &first, link->functions[i].name, i);
  }
  return twice && dead;
}

void ref_statics_merge(ref_link *whole) {
  if (setjmp(whole->escape) == 0) {
    for (size_t i = 0; i < whole->file_count; i++) {
      ref_inputs_prepare(whole, &whole->files[i]);
    }
    ref_functions_survey(whole);
    ref_merge_files(whole);
  }
}

/* The section that has the name of the function's compiler constants is about another function. */
static bool ref_static_meets_namesake(ref_link *whole, const ref_function *function) {
  const char *name = ref_memory_join(whole, whole->view->optimizer_prefix, function->name);
  const size_t found = ref_map_find(&whole->section_by_name, name);
  return found != REF_NONE && whole->sections[found].info_section != function->text;
}

/* The numbers of such functions' texts. */
static bool *ref_statics_list_texts(const ref_link *link, ref_link *whole, size_t limit) {
  bool *looked_for = REF_TAKE(whole, bool, limit);
  for (size_t i = 0; i < whole->function_count; i++) {
    const ref_function *function = &whole->functions[i];
    if (function->text != REF_NONE && !link->functions[i].live && ref_static_meets_namesake(whole, function)) {
      looked_for[ref_many_first_number(whole, function->text)] = true;
    }
  }
  return looked_for;
}

/* Every section has a number among the local symbols, too, when it is made. */
void ref_statics_check(ref_link *link, ref_link *whole) {
  if (!link->job->bug_compatible || !ref_statics_have_namesakes(link)) {
    return;
  }
  ref_statics_merge(whole);
  const size_t limit = ref_many_first_number(whole, whole->section_count);
  const bool *looked_for = ref_statics_list_texts(link, whole, limit);
  size_t others = 0; /* local symbols that are no section's */
  for (size_t i = 0; i < whole->symbol_count; i++) {
    const ref_out_symbol *symbol = &whole->symbols[i];
    const size_t number = ref_many_first_number(whole, symbol->sections_before) + others;
    const ref_function *function = symbol->function == REF_NONE ? NULL : &whole->functions[symbol->function];
    const bool is_text = function != NULL && function->symbol == i && function->text != REF_NONE &&
                         whole->sections[function->text].info_high == 0;
    if (symbol->local_list && is_text && number < limit && looked_for[number] &&
        link->functions[symbol->function].live) {
      ref_message_fatal(link, "E68", "Internal error: reference to deleted section");
    }
    others += symbol->local_list && symbol->type != REF_SYMBOL_SECTION;
  }
}
