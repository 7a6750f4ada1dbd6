/* The indices that the checks look things up in: names in order, relocation entries of each section in order of offset,
 * and one number for every symbol that means the same thing in several files. */
#include "check_parts.h"

#include "ref_text.h"

#include <stdlib.h>
#include <string.h>

static int check_order_names(const void *a, const void *b) {
  const check_name *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  if (order != 0) {
    return order;
  }
  return x->input != y->input ? (x->input < y->input ? -1 : 1) : (x->index < y->index ? -1 : x->index > y->index);
}

static void check_names_add(check_names *names, size_t *capacity, check_name name) {
  if (names->count == *capacity) {
    *capacity = *capacity == 0 ? 64 : 2 * *capacity;
    names->items = ref_reallocate(names->items, *capacity, sizeof *names->items);
  }
  names->items[names->count++] = name;
}

static void check_names_sort(check_names *names) {
  if (names->items == NULL) { /* so that a search has something to point at */
    names->items = ref_allocate(1, sizeof *names->items);
  } else {
    qsort(names->items, names->count, sizeof *names->items, check_order_names);
  }
}

check_names check_names_find(const check_names *names, const char *name) {
  size_t low = 0, high = names->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(names->items[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  check_names found = {&names->items[low], 0};
  while (low + found.count < names->count && strcmp(found.items[found.count].name, name) == 0) {
    found.count++;
  }
  return found;
}

bool check_has_prefix(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

bool check_is_code(const ref_section *section) {
  return section->type == TYPE_PROGBITS && (section->flags & FLAG_EXECUTABLE) != 0 && section->data != NULL;
}

bool check_is_debug(const ref_section *section) {
  return section->type == TYPE_PROGBITS && (section->flags & FLAG_ALLOC) == 0 && section->data != NULL &&
         (check_has_prefix(section->name, ".debug_") || check_has_prefix(section->name, ".nv_debug_"));
}

bool check_is_about_code(const ref_section *section) {
  static const char *const names[] = {".debug_frame", ".debug_line", ".nv_debug_line_sass"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(section->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

const ref_section *check_symbol_section(const ref_cubin *cubin, const ref_symbol *symbol) {
  return symbol->section > 0 && symbol->section < cubin->section_count ? &cubin->sections[symbol->section] : NULL;
}

static int check_order_entries(const void *a, const void *b) {
  const check_entry *x = a, *y = b;
  if (x->relocation.offset != y->relocation.offset) {
    return x->relocation.offset < y->relocation.offset ? -1 : 1;
  }
  return x->order < y->order ? -1 : x->order > y->order;
}

/* The entries of a relocation section that is for a section of the file. */
static size_t check_count_entries(const ref_cubin *cubin, uint32_t i) {
  const ref_section *section = &cubin->sections[i];
  const bool relocations = section->type == TYPE_REL || section->type == TYPE_RELA;
  return relocations && section->info < cubin->section_count ? ref_cubin_relocation_count(cubin, i) : 0;
}

static void check_file_entries_make(check_file_entries *file, const ref_cubin *cubin) {
  file->of_section = ref_allocate(cubin->section_count, sizeof *file->of_section);
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const size_t count = check_count_entries(cubin, i);
    if (count > 0) {
      file->of_section[cubin->sections[i].info].count += count;
    }
  }
  for (uint32_t i = 0; i < cubin->section_count; i++) {
    check_entries *entries = &file->of_section[i];
    entries->items = entries->count == 0 ? NULL : ref_allocate(entries->count, sizeof *entries->items);
    entries->count = 0;
  }
  size_t order = 0;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    for (size_t k = 0; k < check_count_entries(cubin, i); k++) {
      check_entries *entries = &file->of_section[cubin->sections[i].info];
      entries->items[entries->count++] = (check_entry){.relocation = ref_cubin_relocation(cubin, i, k),
                                                       .order = order++,
                                                       .has_addend = cubin->sections[i].type == TYPE_RELA};
    }
  }
  for (uint32_t i = 0; i < cubin->section_count; i++) {
    if (file->of_section[i].count > 0) {
      qsort(file->of_section[i].items, file->of_section[i].count, sizeof(check_entry), check_order_entries);
    }
  }
}

static void check_file_entries_free(check_file_entries *file, const ref_cubin *cubin) {
  for (size_t i = 0; i < cubin->section_count; i++) {
    free(file->of_section[i].items);
  }
  free(file->of_section);
}

check_entries *check_entries_of(const check_file_entries *file, uint32_t section) {
  return &file->of_section[section];
}

size_t check_entries_from(const check_entries *entries, uint64_t offset) {
  size_t low = 0, high = entries->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (entries->items[middle].relocation.offset < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Local symbols each have an id of their own; a global name has one id in all files. */
static void check_ids_make(ref_check_context *context) {
  const ref_check_link *link = context->link;
  check_names globals = {0};
  size_t capacity = 0;
  context->ids = ref_allocate(link->input_count, sizeof *context->ids);
  for (uint32_t i = 0; i < link->input_count; i++) {
    const ref_cubin *cubin = link->inputs[i].cubin;
    context->ids[i] = ref_allocate(cubin->symbol_count, sizeof **context->ids);
    for (uint32_t k = 0; k < cubin->symbol_count; k++) {
      const ref_symbol *symbol = &cubin->symbols[k];
      if (symbol->info >> 4 == BINDING_LOCAL || symbol->name[0] == '\0') {
        context->ids[i][k] = (uint32_t)context->value_count++;
      } else {
        check_names_add(&globals, &capacity, (check_name){symbol->name, i, k});
      }
    }
  }
  check_names_sort(&globals);
  for (size_t i = 0; i < globals.count; i++) {
    const bool same = i > 0 && strcmp(globals.items[i].name, globals.items[i - 1].name) == 0;
    context->value_count += !same;
    context->ids[globals.items[i].input][globals.items[i].index] = (uint32_t)(context->value_count - 1);
  }
  free(globals.items);
  context->ranks = ref_allocate(context->value_count, sizeof *context->ranks);
  for (uint32_t i = 0, rank = 0; i < link->input_count; i++) {
    for (uint32_t k = 1; k < link->inputs[i].cubin->symbol_count; k++) {
      uint32_t *own = &context->ranks[context->ids[i][k]];
      if ((link->inputs[i].cubin->symbols[k].info & 15) == SYMBOL_FUNC && *own == 0) {
        *own = ++rank;
      }
    }
  }
  context->values = ref_allocate(context->value_count, sizeof *context->values);
}

static void check_inputs_index(ref_check_context *context) {
  size_t symbols = 0, sections = 0;
  for (uint32_t i = 0; i < context->link->input_count; i++) {
    const ref_cubin *cubin = context->link->inputs[i].cubin;
    for (uint32_t k = 1; k < cubin->symbol_count; k++) {
      const ref_symbol *symbol = &cubin->symbols[k];
      if (symbol->name[0] != '\0' && symbol->section != 0) {
        check_names_add(&context->inputs, &symbols, (check_name){symbol->name, i, k});
      }
    }
    for (uint32_t k = 1; k < cubin->section_count; k++) {
      if (cubin->sections[k].data != NULL) {
        check_names_add(&context->sections, &sections, (check_name){cubin->sections[k].name, i, k});
      }
    }
  }
  check_names_sort(&context->inputs);
  check_names_sort(&context->sections);
}

static void check_owned_make(ref_check_context *context) {
  static const char *const prefixes[CHECK_OWNED] = {".nv.shared.", ".nv.constant0.", ".nv.constant2."};
  const ref_cubin *output = context->output;
  for (size_t kind = 0; kind < CHECK_OWNED; kind++) {
    context->owned[kind] = ref_allocate(output->section_count, sizeof **context->owned);
    for (uint32_t i = 1; i < output->section_count; i++) {
      const uint32_t text = output->sections[i].info;
      if (text < output->section_count && check_has_prefix(output->sections[i].name, prefixes[kind])) {
        context->owned[kind][text] = i;
      }
    }
  }
}

void check_index_make(ref_check_context *context) {
  check_owned_make(context);
  const ref_check_link *link = context->link;
  size_t capacity = 0;
  for (uint32_t k = 1; k < context->output->symbol_count; k++) {
    if (context->output->symbols[k].name[0] != '\0') {
      check_names_add(&context->symbols, &capacity, (check_name){context->output->symbols[k].name, 0, k});
    }
  }
  check_names_sort(&context->symbols);
  check_file_entries_make(&context->kept, context->output);
  context->entries = ref_allocate(link->input_count, sizeof *context->entries);
  for (size_t i = 0; i < link->input_count; i++) {
    check_file_entries_make(&context->entries[i], link->inputs[i].cubin);
  }
  check_ids_make(context);
  check_inputs_index(context);
}

void check_index_free(ref_check_context *context) {
  for (size_t kind = 0; kind < CHECK_OWNED; kind++) {
    free(context->owned[kind]);
  }
  check_file_entries_free(&context->kept, context->output);
  for (size_t i = 0; i < context->link->input_count; i++) {
    check_file_entries_free(&context->entries[i], context->link->inputs[i].cubin);
    free(context->ids[i]);
  }
  free(context->entries);
  free(context->ids);
  free(context->ranks);
  free(context->values);
  free(context->symbols.items);
  free(context->inputs.items);
  free(context->sections.items);
}
