/* The sentences of the canonical form, one function a kind of contents, and the comparison of two forms.
 *
 * The order of the work, for each view of a capsule by itself: the checker's index and match of output and inputs; the
 * applied fields out of the bytes; labels by contents; the debug units; then everything is said and sorted. Design:
 * "Canonical form"; freedoms: docs/specification/canonical-form.md (L330 to L337, L485 to L487, L679, L680, L792, L992). */
#include "canonical_parts.h"

#include "ref_capsule.h"
#include "ref_compare_parts.h"
#include "ref_names.h"
#include "ref_sass.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 16, PAIR_BYTES = 8, TYPE_NOTE = 7, TYPE_METADATA = 0x70000004, TYPE_COMPAT = 0x70000086 };
enum { ATTRIBUTE_EXTERNS = 0x0f, FORMAT_SIZED = 4 };

static const char canonical_edge[] = "call graph: ";

static void form_add(ref_canonical *form, ref_canonical_line line) {
  if (form->count == form->capacity) {
    form->capacity = form->capacity == 0 ? 1024 : 2 * form->capacity;
    form->lines = ref_reallocate(form->lines, form->capacity, sizeof *form->lines);
  }
  form->lines[form->count++] = line;
}

void canonical_say(canonical_context *context, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  const size_t before = strlen(context->prefix);
  const int length = vsnprintf(NULL, 0, format, list);
  char *text = ref_allocate(before + (size_t)length + 1, 1);
  memcpy(text, context->prefix, before);
  vsnprintf(text + before, (size_t)length + 1, format, again);
  va_end(again);
  va_end(list);
  form_add(context->form, (ref_canonical_line){.text = text});
}

/* What was said last is about compiler constants that nobody reads, if `section` is one of them. */
static void say_may_go(canonical_context *context, uint32_t section) {
  const bool there = section < context->check.output->section_count;
  ref_canonical_line *line = &context->form->lines[context->form->count - 1];
  line->may_go = there && context->unread[section];
  line->may_come = there && context->stray[section];
}

void canonical_say_size(canonical_context *context, const char *label, uint64_t size) {
  form_add(
      context->form,
      (ref_canonical_line){.text = ref_format("%ssize of %s", context->prefix, label), .size = size, .is_size = true});
}

/* --- bytes with their fields --- */

static void say_kept(canonical_context *context, const char *place, const ref_relocation *kept) {
  ref_text text = {0};
  ref_add_relocation_type(&text, kept->type);
  ref_text_add(&text, " -> ");
  const ref_cubin *output = context->check.output;
  const ref_symbol *symbol = kept->symbol < output->symbol_count ? &output->symbols[kept->symbol] : NULL;
  if (symbol != NULL && (symbol->info & 15) == SYMBOL_SECTION && check_symbol_section(output, symbol) != NULL &&
      !check_is_code(check_symbol_section(output, symbol))) {
    ref_add_place(&text, &context->view, symbol->section, (uint64_t)kept->addend);
  } else {
    ref_add_symbol_label(&text, &context->view, kept->symbol);
    ref_text_add(&text, " + 0x%" PRIx64, (uint64_t)kept->addend);
  }
  char *words = ref_text_take(&text);
  canonical_say(context, "%s: kept %s", place, words);
  free(words);
}

static void say_fields(canonical_context *context, const char *label, uint32_t section, uint64_t from, uint64_t size) {
  for (size_t i = canonical_sites_from(context, section, from);
       i < context->site_count && context->sites[i].section == section && context->sites[i].offset - from < size; i++) {
    const canonical_site *site = &context->sites[i];
    if (site->gone) {
      continue;
    }
    char *unit = site->into != 0 ? canonical_unit_place(context, site->into, site->target) : NULL;
    canonical_say(context, "%s+0x%" PRIx64 ": %s%s%s", label, site->offset - from, site->text,
                  unit != NULL ? " -> " : "", unit != NULL ? unit : "");
    free(unit);
  }
  const check_entries *kept = check_entries_of(&context->check.kept, section);
  for (size_t i = check_entries_from(kept, from); i < kept->count && kept->items[i].relocation.offset - from < size;
       i++) {
    if (canonical_site_is_gone(context, section, kept->items[i].relocation.offset)) {
      continue;
    }
    char *place = ref_format("%s+0x%" PRIx64, label, kept->items[i].relocation.offset - from);
    say_kept(context, place, &kept->items[i].relocation);
    free(place);
  }
}

void canonical_say_bytes(canonical_context *context, const char *label, uint32_t section, uint64_t from,
                         uint64_t size) {
  for (uint64_t at = 0; at < size; at += LINE_BYTES) {
    ref_text hex = {0};
    const uint64_t length = size - at < LINE_BYTES ? size - at : LINE_BYTES;
    for (uint64_t i = 0; i < length; i++) {
      ref_text_add(&hex, "%02x", context->masked[section][from + at + i]);
    }
    canonical_say(context, "%s+0x%" PRIx64 ": %s", label, at, hex.data);
    ref_text_free(&hex);
  }
  say_fields(context, label, section, from, size);
}

/* --- what a cubin consists of --- */

static void say_symbols(canonical_context *context) {
  const ref_cubin *output = context->check.output;
  for (uint32_t i = 0; i < output->symbol_count; i++) {
    const ref_symbol *symbol = &output->symbols[i];
    const unsigned type = symbol->info & 15;
    /* a variable's value is its place, and in the null symbol one of a constant that nobody reads is left (L485) */
    const bool moves = i == 0 || type == SYMBOL_OBJECT || type == SYMBOL_CUDA_OBJECT;
    ref_text where = {0};
    ref_add_symbol_section(&where, &context->view, symbol);
    if (!moves) {
      ref_text_add(&where, " at 0x%" PRIx64, symbol->value);
    }
    canonical_say(context, "symbol %s, named '%s': type %u, binding %u, other 0x%x, size 0x%" PRIx64 ", in %s",
                  context->view.symbols[i], symbol->name, type, symbol->info >> 4, symbol->other, symbol->size,
                  where.data);
    if (type == SYMBOL_SECTION) {
      say_may_go(context, symbol->section);
    }
    ref_text_free(&where);
  }
}

static bool section_is_table(const ref_section *section) {
  return section->type == TYPE_SYMTAB || section->type == TYPE_STRTAB || section->type == TYPE_RELA ||
         section->type == TYPE_REL || section->type == TYPE_NOTE || section->type == 0;
}

/* Sections whose variables may lie anywhere (L333, L335). */
static bool section_holds_variables(const ref_section *section) {
  static const char *const names[] = {".nv.global", ".nv.global.init", ".nv.constant3", ".nv.constant.user"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(section->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

static void say_alignment(canonical_context *context, uint32_t index) {
  form_add(context->form,
           (ref_canonical_line){.text = ref_format("%salignment of %s", context->prefix, context->view.sections[index]),
                                .size = context->check.output->sections[index].align,
                                .is_size = true,
                                .is_alignment = true});
}

/* Entries about bodies that another one took the place of, and no others (L487). */
static bool section_is_of_gone(const canonical_context *context, const ref_section *section) {
  if ((section->type != TYPE_REL && section->type != TYPE_RELA) ||
      section->info >= context->check.output->section_count) {
    return false;
  }
  const check_entries *kept = check_entries_of(&context->check.kept, section->info);
  size_t gone = 0;
  while (gone < kept->count && canonical_site_is_gone(context, section->info, kept->items[gone].relocation.offset)) {
    gone++;
  }
  return gone != 0 && gone == kept->count;
}

static void say_sections(canonical_context *context) {
  const ref_cubin *output = context->check.output;
  for (uint32_t i = 0; i < output->section_count; i++) {
    const ref_section *section = &output->sections[i];
    if (section_is_of_gone(context, section)) {
      continue;
    }
    ref_text text = {0};
    ref_add_section_link(&text, &context->view, i);
    ref_text_add(&text, ", info ");
    if (i == 0) {
      ref_text_add(&text, "%u and %" PRIu64 ", ", section->name_offset, section->offset + section->size);
    }
    if (section->type != TYPE_SYMTAB) { /* which symbol is the first global one is a matter of order */
      ref_add_section_info(&text, &context->view, i);
    }
    const bool variables = section_holds_variables(section);
    char *name = canonical_section_name(context, i, false);
    canonical_say(context,
                  "section %s, named '%s': type 0x%x, flags 0x%" PRIx64 ", address 0x%" PRIx64 ", align %" PRIu64
                  ", entry size %" PRIu64 ", link %s",
                  context->view.sections[i], name != NULL ? name : section->name, section->type, section->flags,
                  section->address, variables ? 0 : section->align, section->entry_size, text.data);
    say_may_go(context, i);
    if (variables) {
      say_alignment(context, i);
    }
    ref_text_free(&text);
    free(name);
  }
}

static void say_file(canonical_context *context) {
  const ref_cubin *output = context->check.output;
  ref_text ident = {0};
  ref_text_add_hex(&ident, output->ident, sizeof output->ident);
  canonical_say(context, "file: %s, type %u, machine %u, version %u, entry 0x%" PRIx64 ", flags 0x%x", ident.data,
                output->type, output->machine, output->version, output->entry, output->flags);
  ref_text_free(&ident);
  for (size_t i = 0; i < output->segment_count; i++) {
    const ref_segment *segment = &output->segments[i];
    canonical_say(context,
                  "program header: type %u, flags 0x%x, address 0x%" PRIx64 ", physical 0x%" PRIx64 ", align %" PRIu64,
                  segment->type, segment->flags, segment->address, segment->physical, segment->align);
  }
}

static int word_order(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The outside functions that a function calls, a set: their order is that in which the functions' records were read (L961). */
static void say_externs(ref_text *text, const canonical_context *context, const ref_attribute *attribute) {
  enum { WORD_BYTES = 4 };
  const size_t count = attribute->size / WORD_BYTES;
  char **labels = ref_allocate(count + 1, sizeof *labels);
  for (size_t i = 0; i < count; i++) {
    ref_text label = {0};
    ref_add_symbol_label(&label, &context->view, ref_u32(attribute->data + WORD_BYTES * i));
    labels[i] = ref_text_take(&label);
  }
  qsort(labels, count, sizeof *labels, word_order);
  for (size_t i = 0; i < count; i++) {
    ref_text_add(text, "%s%s", i == 0 ? "" : ", ", labels[i]);
    free(labels[i]);
  }
  ref_text_add_hex(text, attribute->data + WORD_BYTES * count, attribute->size % WORD_BYTES);
  free(labels);
}

static void say_attributes(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  const bool compat = section->type == TYPE_COMPAT;
  uint64_t position = 0;
  ref_attribute attribute;
  while (ref_cubin_next_attribute(section, &position, &attribute)) {
    ref_text text = {0};
    (compat ? ref_add_compat_name : ref_add_attribute_name)(&text, attribute.code);
    ref_text_add(&text, " format %u ", attribute.format);
    if (compat) {
      ref_text_add_hex(&text, attribute.data, attribute.size);
    } else if (attribute.code == ATTRIBUTE_EXTERNS && attribute.format == FORMAT_SIZED) {
      say_externs(&text, context, &attribute);
    } else {
      ref_add_attribute_value(&text, &context->view, &attribute);
    }
    canonical_say(context, "%s: %s", context->view.sections[index], text.data);
    ref_text_free(&text);
  }
  if (position < section->size) {
    canonical_say_bytes(context, context->view.sections[index], index, position, section->size - position);
  }
}

static void say_callgraph(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  size_t part = REF_CALLGRAPH_PARTS;
  for (uint64_t at = 0; at + PAIR_BYTES <= section->size; at += PAIR_BYTES) {
    ref_text text = {0};
    ref_add_callgraph_pair(&text, &context->view, section->data + at, &part);
    canonical_say(context, "%s%s", canonical_edge, text.data);
    ref_text_free(&text);
  }
}

static void say_prototypes(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  for (uint64_t at = 0; at + PAIR_BYTES <= section->size; at += PAIR_BYTES) {
    ref_text text = {0};
    ref_add_symbol_label(&text, &context->view, ref_u32(section->data + at));
    ref_text_add(&text, ": ");
    ref_add_prototype(&text, &context->view, ref_u32(section->data + at + 4));
    canonical_say(context, "prototype of %s", text.data);
    ref_text_free(&text);
  }
}

/* Records of a number, a text, and pairs of a key and a value, which is a text where the key is 3 (ZM15): one sentence
 * each, with what the texts say. */
static void say_metadata(canonical_context *context, uint32_t index) {
  enum { HEAD_BYTES = 12, KEY_TEXT = 3 };
  const ref_section *section = &context->check.output->sections[index];
  uint64_t at = 0;
  while (section->size - at >= HEAD_BYTES) {
    ref_text text = {0};
    const uint64_t count = ref_u32(section->data + at + 8);
    ref_text_add(&text, "metadata %" PRIu32 " ", ref_u32(section->data + at));
    ref_add_prototype(&text, &context->view, ref_u32(section->data + at + 4));
    at += HEAD_BYTES;
    for (uint64_t i = 0; i < count && section->size - at >= PAIR_BYTES; i++, at += PAIR_BYTES) {
      const uint32_t key = ref_u32(section->data + at), value = ref_u32(section->data + at + 4);
      ref_text_add(&text, ", %" PRIu32 " = ", key);
      if (key == KEY_TEXT) {
        ref_add_prototype(&text, &context->view, value);
      } else {
        ref_text_add(&text, "%" PRIu32, value);
      }
    }
    canonical_say(context, "%s", text.data);
    ref_text_free(&text);
  }
  if (at < section->size) {
    canonical_say_bytes(context, context->view.sections[index], index, at, section->size - at);
  }
}

/* Functions and everything else that is one item a section. */
static void say_whole(canonical_context *context, uint32_t index) {
  canonical_say_bytes(context, context->view.sections[index], index, 0, context->check.output->sections[index].size);
}

static void say_debug(canonical_context *context, uint32_t index) {
  (void)context;
  (void)index; /* canonical_say_debug says all of them by unit */
}

/* The size of the largest image of compiler constants, 0 for a section that is none. An image ends where the last function
 * that its kernel reaches has its constants, and the functions' order is that in which they were read (L994). */
static uint64_t size_limit(const canonical_context *context, uint32_t index) {
  static const char *const images[] = {".nv.constant2.", ".nv.constant.optimizer."};
  const ref_cubin *output = context->check.output;
  uint64_t largest = 0;
  for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
    for (uint32_t k = 1; check_has_prefix(output->sections[index].name, images[i]) && k < output->section_count; k++) {
      if (check_has_prefix(output->sections[k].name, images[i]) && output->sections[k].size > largest) {
        largest = output->sections[k].size;
      }
    }
  }
  return largest;
}

static void say_size(canonical_context *context, uint32_t index) {
  canonical_say_size(context, context->view.sections[index], context->check.output->sections[index].size);
  context->form->lines[context->form->count - 1].limit = size_limit(context, index);
  say_may_go(context, index);
}

/* Compiler constants of the Mercury view: what the first link has beside the second's is of bodies that lost (D8, L680,
 * L992). */
static void say_optimizer(canonical_context *context, uint32_t index) {
  canonical_say_blocks(context, index);
  say_size(context, index);
}

/* Parameters, then slots of textures in any order: the entries for them without their places. All bytes are zero. */
static void say_parameters(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  for (uint64_t at = 0; at < section->size; at++) {
    if (section->data[at] != 0) {
      canonical_say(context, "%s+0x%" PRIx64 ": %02x", context->view.sections[index], at, section->data[at]);
    }
  }
  const check_entries *kept = check_entries_of(&context->check.kept, index);
  for (size_t i = 0; i < kept->count; i++) {
    say_kept(context, context->view.sections[index], &kept->items[i].relocation);
  }
  say_size(context, index);
}

/* Variables, by symbol; bytes that no symbol covers and that are not zero are said one by one, without their place. */
static void say_variables(canonical_context *context, uint32_t index) {
  const ref_section *section = &context->check.output->sections[index];
  uint8_t *covered = ref_allocate(section->size + 1, 1);
  uint64_t size = 0;
  for (size_t i = 0; i < context->view.placed_count; i++) {
    const uint32_t number = context->view.placed[i];
    const ref_symbol *symbol = &context->check.output->symbols[number];
    if (symbol->section != index || symbol->value > section->size || symbol->size > section->size - symbol->value) {
      continue;
    }
    memset(covered + symbol->value, 1, symbol->size);
    canonical_say_bytes(context, context->view.symbols[number], index, symbol->value, symbol->size);
  }
  for (uint64_t at = 0; at < section->size; at++) {
    size += covered[at];
    if (covered[at] == 0 && context->masked[index][at] != 0) {
      canonical_say(context, "a byte of %s that no symbol covers: %02x", context->view.sections[index],
                    context->masked[index][at]);
    }
  }
  free(covered);
  if (check_has_prefix(section->name, ".nv.constant")) {
    canonical_say_size(context, context->view.sections[index], size);
  }
}

/* What each kind of section says; the first row that fits. */
typedef struct say_row {
  uint32_t type;      /* 0: any */
  const char *prefix; /* NULL: any */
  void (*say)(canonical_context *context, uint32_t index);
} say_row;

static const say_row say_rows[] = {
    {TYPE_INFO, NULL, say_attributes},        {TYPE_COMPAT, NULL, say_attributes},
    {TYPE_CALLGRAPH, NULL, say_callgraph},    {TYPE_PROTOTYPE, NULL, say_prototypes},
    {TYPE_METADATA, NULL, say_metadata},      {0, ".nv.constant0.", say_parameters},
    {0, ".nv.constant2.", say_size},          {0, ".nv.constant3", say_variables},
    {0, ".nv.global.init", say_variables},    {TYPE_PROGBITS, ".debug_", say_debug},
    {0, ".nv.constant.user", say_variables},  {0, ".nv.constant.optimizer.", say_optimizer},
    {TYPE_PROGBITS, ".nv_debug_", say_debug}, {0, NULL, say_whole},
};

/* Entries behind a section's last byte, which `twin check` finds in a SASS view. In Mercury's texts they are the rule: places
 * count there in decoded instructions. */
static void say_kept_behind(canonical_context *context, uint32_t index) {
  const check_entries *kept = check_entries_of(&context->check.kept, index);
  for (size_t i = check_entries_from(kept, context->check.output->sections[index].size); i < kept->count; i++) {
    char *place = ref_format("%s+0x%" PRIx64, context->view.sections[index], kept->items[i].relocation.offset);
    say_kept(context, place, &kept->items[i].relocation);
    free(place);
  }
}

static void say_contents(canonical_context *context) {
  const ref_cubin *output = context->check.output;
  for (uint32_t i = 1; i < output->section_count; i++) {
    const ref_section *section = &output->sections[i];
    if (context->mercury) {
      say_kept_behind(context, i);
    }
    if (section_is_table(section)) {
      continue;
    }
    if (section->data == NULL) {
      if (section->type == TYPE_SHARED) { /* global variables are no scarce good: L335 */
        say_size(context, i);
      }
      continue;
    }
    const say_row *row = say_rows;
    while ((row->type != 0 && row->type != section->type) ||
           (row->prefix != NULL && !check_has_prefix(section->name, row->prefix))) {
      row++;
    }
    row->say(context, i);
  }
}

/* --- the form --- */

static int line_order(const void *a, const void *b) {
  const ref_canonical_line *x = a, *y = b;
  const int order = strcmp(x->text, y->text);
  const int sizes = (x->size > y->size) - (x->size < y->size);
  return order != 0 ? order : sizes != 0 ? sizes : x->may_go - y->may_go; /* what must stay meets its like first */
}

/* The call graph is a set: an edge that several bodies of a function brought is one (L486). */
static void form_join_edges(ref_canonical *form) {
  size_t kept = 0;
  for (size_t i = 0; i < form->count; i++) {
    const bool edge = strncmp(form->lines[i].text, canonical_edge, sizeof canonical_edge - 1) == 0;
    if (edge && kept > 0 && strcmp(form->lines[kept - 1].text, form->lines[i].text) == 0) {
      free(form->lines[i].text);
    } else {
      form->lines[kept++] = form->lines[i];
    }
  }
  form->count = kept;
}

static bool form_exists(const ref_cubin *output, size_t input_count, char *error, size_t error_size) {
  const char *why = output->type != FILE_EXECUTABLE                           ? "it is no executable"
                    : ref_cubin_find_section(output, ".nv.resolvedrela") != 0 ? "it preserves relocations"
                    : input_count == 0                                        ? "its inputs are not given"
                                                                              : NULL;
  if (why != NULL) {
    snprintf(error, error_size, "the output has no canonical form: %s", why);
  }
  return why == NULL;
}

static void form_make_view(ref_canonical *form, const ref_check_link *link, const ref_cubin *capsule, bool mercury) {
  const ref_cubin *output = link->output.cubin;
  ref_check_report report = {0};
  canonical_context context = {.form = form,
                               .capsule = capsule,
                               .mercury = mercury,
                               .prefix = mercury ? "Mercury: " : "",
                               .check = {.link = link, .output = output, .report = &report}};
  context.check.executable = true;
  context.check.mercury = mercury;
  context.check.sm = ref_sass_sm(output);
  check_index_make(&context.check);
  check_match_make(&context.check);
  ref_view_make(&context.view, output, link->output.name);
  canonical_sites_make(&context);
  canonical_constants_make(&context);
  canonical_labels_make(&context);
  canonical_units_make(&context);
  if (!mercury) {
    say_file(&context);
  }
  say_symbols(&context);
  say_sections(&context);
  say_contents(&context);
  canonical_say_debug(&context);
  canonical_constants_free(&context);
  canonical_sites_free(&context);
  free(context.units);
  free(context.blocks);
  ref_view_free(&context.view);
  check_match_free(&context.check);
  check_index_free(&context.check);
  ref_check_free(&report);
}

/* The views of the output and of its inputs, each view a link by itself. An input that is no capsule has no Mercury view. */
static bool form_make_capsule(ref_canonical *form, const ref_check_link *link) {
  const size_t count = link->input_count + 1;
  ref_capsule *capsules = ref_allocate(count, sizeof *capsules);
  ref_check_file *sass = ref_allocate(count, sizeof *sass), *mercury = ref_allocate(count, sizeof *mercury);
  size_t split = 0;
  for (; split < count; split++) {
    const ref_check_file *file = split == 0 ? &link->output : &link->inputs[split - 1];
    if (!ref_capsule_split(&capsules[split], file->cubin)) {
      break;
    }
    sass[split] = (ref_check_file){file->name, &capsules[split].sass};
    mercury[split] = (ref_check_file){file->name, &capsules[split].mercury};
  }
  if (split == count) {
    form_make_view(form, &(ref_check_link){sass[0], sass + 1, link->input_count}, link->output.cubin, false);
    form_make_view(form, &(ref_check_link){mercury[0], mercury + 1, link->input_count}, link->output.cubin, true);
  }
  for (size_t i = 0; i < split; i++) {
    ref_capsule_free(&capsules[i]);
  }
  free(capsules);
  free(sass);
  free(mercury);
  return split == count;
}

bool ref_canonical_make(ref_canonical *form, const ref_check_link *link, char *error, size_t error_size) {
  *form = (ref_canonical){0};
  const ref_cubin *output = link->output.cubin;
  if (!form_exists(output, link->input_count, error, error_size)) {
    return false;
  }
  if (!ref_capsule_is(output)) {
    form_make_view(form, link, NULL, false);
  } else if (!form_make_capsule(form, link)) {
    snprintf(error, error_size, "out of memory");
    return false;
  }
  qsort(form->lines, form->count, sizeof *form->lines, line_order);
  form_join_edges(form);
  return true;
}

void ref_canonical_free(ref_canonical *form) {
  for (size_t i = 0; i < form->count; i++) {
    free(form->lines[i].text);
  }
  free(form->lines);
  *form = (ref_canonical){0};
}

size_t ref_canonical_compare(const ref_canonical *a, const ref_canonical *b, ref_canonical_found *found, void *extra) {
  size_t differences = 0;
  for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
    const ref_canonical_line *left = i < a->count ? &a->lines[i] : NULL;
    const ref_canonical_line *right = k < b->count ? &b->lines[k] : NULL;
    const int order = left == NULL ? 1 : right == NULL ? -1 : strcmp(left->text, right->text);
    const bool grown = order == 0 && (left->is_alignment ? right->size < left->size
                                                         : right->size > left->size && right->size > left->limit);
    const bool free = (order < 0 && left != NULL && left->may_go) || (order > 0 && right != NULL && right->may_come);
    if ((order != 0 || grown) && !free) {
      differences++;
      found(extra, order <= 0 ? left : NULL, order >= 0 ? right : NULL);
    }
    i += order <= 0;
    k += order >= 0;
  }
  return differences;
}
