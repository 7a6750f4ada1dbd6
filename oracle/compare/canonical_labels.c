/* Labels that do not depend on order: a name, and where one name occurs several times, a number made of the contents.
 *
 * Local functions and variables of several files share names, and which comes first is the order of the files. What they
 * hold tells them apart; where that is the same too, nothing is lost by giving them one label. */
#include "canonical_parts.h"

#include "ref_compare_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

uint64_t canonical_hash(const canonical_context *context, uint32_t section, uint64_t from, uint64_t size) {
  const uint8_t *bytes = context->masked[section];
  return bytes == NULL ? size : XXH3_64bits_withSeed(bytes + from, size, size);
}

static bool label_lies_inside(const ref_section *section, const ref_symbol *symbol) {
  return section != NULL && symbol->value <= section->size && symbol->size <= section->size - symbol->value;
}

static void label_symbol(canonical_context *context, uint32_t index) {
  const ref_cubin *output = context->check.output;
  const ref_symbol *symbol = &output->symbols[index];
  const ref_section *section = check_symbol_section(output, symbol);
  /* Mercury's functions have places and sizes in decoded code (M9); one that begins a text stands for the whole (L897). */
  const bool capsule = context->mercury && section != NULL && check_is_code(section) && symbol->value == 0;
  const bool whole = (symbol->info & 15) == SYMBOL_SECTION || capsule;
  if (check_names_find(&context->check.symbols, symbol->name).count < 2 ||
      (!capsule && !label_lies_inside(section, symbol))) {
    return;
  }
  const uint64_t from = whole ? 0 : symbol->value, size = whole ? section->size : symbol->size;
  ref_text text = {0};
  ref_text_add_name(&text, symbol->name);
  ref_text_add(&text, "~%016" PRIx64, canonical_hash(context, symbol->section, from, size));
  free(context->view.symbols[index]);
  context->view.symbols[index] = ref_text_take(&text);
}

/* ".nv.info.f" of the second f: the name's first part, then the label of the function. */
static void label_section(canonical_context *context, uint32_t index) {
  const ref_cubin *output = context->check.output;
  const ref_section *section = &output->sections[index];
  const uint32_t text_section = check_is_code(section) ? index : section->info;
  const char *owner = ref_section_owner(section->name);
  const uint32_t function = text_section < output->section_count && check_is_code(&output->sections[text_section])
                                ? check_function_of(&context->check, text_section)
                                : 0;
  const bool owned = *owner != 0; /* no owner is no part of the name */
  if (function == 0 || !owned || strcmp(owner, output->symbols[function].name) != 0) {
    return;
  }
  ref_text text = {0};
  ref_text_add_bytes_as_name(&text, (const uint8_t *)section->name, (size_t)(owner - section->name));
  ref_text_add(&text, "%s", context->view.symbols[function]);
  free(context->view.sections[index]);
  context->view.sections[index] = ref_text_take(&text);
}

/* The number that a relocatable output of twinlink puts behind names of sections about namesakes (L895), or the name's end. */
static size_t label_length_without_number(const char *name) {
  const char *mark = strrchr(name, '@');
  const bool number = mark != NULL && mark[1] != '\0' && mark[1 + strspn(mark + 1, "0123456789")] == '\0';
  return number ? (size_t)(mark - name) : strlen(name);
}

char *canonical_section_name(const canonical_context *context, uint32_t index, bool label) {
  const ref_cubin *output = context->check.output;
  const ref_section *section = &output->sections[index];
  const char *prefix = section->type == TYPE_RELA ? ".rela" : section->type == TYPE_REL ? ".rel" : NULL;
  if (prefix == NULL || section->info >= output->section_count || !check_is_code(&output->sections[section->info])) {
    return NULL;
  }
  const char *target = output->sections[section->info].name;
  char *plain = ref_format("%s%s", prefix, target);
  const size_t length = label_length_without_number(section->name);
  const bool follows = strlen(plain) == length && strncmp(section->name, plain, length) == 0;
  if (follows && !label) {
    return plain;
  }
  free(plain);
  return follows ? ref_format("%s%s", prefix, context->view.sections[section->info]) : NULL;
}

void canonical_labels_make(canonical_context *context) {
  for (uint32_t i = 1; i < context->check.output->symbol_count; i++) {
    label_symbol(context, i);
  }
  for (uint32_t i = 1; i < context->check.output->section_count; i++) {
    label_section(context, i);
  }
  for (uint32_t i = 1; i < context->check.output->section_count; i++) {
    char *label = canonical_section_name(context, i, true);
    if (label != NULL) {
      free(context->view.sections[i]);
      context->view.sections[i] = label;
    }
  }
}
