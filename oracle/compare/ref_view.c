/* Labels, and everything that is said with them: places, links, attribute payloads. Rules: F45, F46, F61-F64, W1.6. */
#include "ref_view.h"

#include "ref_names.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_LOOKED_AT = 64 };
enum { TYPE_SYMTAB = 2, TYPE_RELA = 4, TYPE_REL = 9, SYMBOL_SECTION = 3, FLAG_EXECUTE = 4, FLAG_INFO_LINK = 0x40 };

typedef struct ref_labelled {
  const char *label;
  size_t index;
} ref_labelled;

static int ref_compare_labelled(const void *left, const void *right) {
  const ref_labelled *a = left, *b = right;
  int order = strcmp(a->label, b->label);
  return order ? order : (a->index > b->index) - (a->index < b->index);
}

static ref_labelled *ref_sort_labels(char *const *labels, size_t count) {
  ref_labelled *sorted = ref_allocate(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = (ref_labelled){labels[i], i};
  qsort(sorted, count, sizeof *sorted, ref_compare_labelled);
  return sorted;
}

void ref_number_duplicates(char **labels, size_t count) {
  ref_labelled *sorted = ref_sort_labels(labels, count);
  char **numbered = ref_allocate(count, sizeof *numbered);
  size_t ordinal = 1;
  for (size_t i = 0; i < count; i++) {
    ordinal = i > 0 && strcmp(sorted[i].label, sorted[i - 1].label) == 0 ? ordinal + 1 : 1;
    if (ordinal == 1)
      continue;
    ref_text text = {0};
    ref_text_add(&text, "%s#%zu", sorted[i].label, ordinal);
    numbered[sorted[i].index] = ref_text_take(&text);
  }
  free(sorted);
  for (size_t i = 0; i < count; i++)
    if (numbered[i]) {
      free(labels[i]);
      labels[i] = numbered[i];
    }
  free(numbered);
}

static char *ref_make_symbol_label(const ref_cubin *cubin, size_t index) {
  const ref_symbol *symbol = &cubin->symbols[index];
  const char *name = symbol->name;
  const bool is_section = (symbol->info & 15) == SYMBOL_SECTION;
  if (is_section && !*name && symbol->section < cubin->section_count)
    name = cubin->sections[symbol->section].name;
  ref_text text = {0};
  if (index == 0)
    ref_text_add(&text, "the null symbol");
  else if (!*name)
    ref_text_add(&text, "unnamed symbol");
  else {
    ref_text_add(&text, "%s", is_section ? "section symbol " : "");
    ref_text_add_name(&text, name);
  }
  return ref_text_take(&text);
}

typedef struct ref_placed {
  uint32_t section, symbol;
  uint64_t value;
} ref_placed;

static int ref_compare_placed(const void *left, const void *right) {
  const ref_placed *a = left, *b = right;
  if (a->section != b->section)
    return a->section < b->section ? -1 : 1;
  if (a->value != b->value)
    return a->value < b->value ? -1 : 1;
  return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static void ref_view_place_symbols(ref_view *view) {
  const ref_cubin *cubin = view->cubin;
  ref_placed *placed = ref_allocate(cubin->symbol_count, sizeof *placed);
  for (size_t i = 1; i < cubin->symbol_count; i++) {
    const ref_symbol *symbol = &cubin->symbols[i];
    if (symbol->section != 0 && symbol->section < cubin->section_count && (symbol->info & 15) != SYMBOL_SECTION)
      placed[view->placed_count++] = (ref_placed){symbol->section, (uint32_t)i, symbol->value};
  }
  qsort(placed, view->placed_count, sizeof *placed, ref_compare_placed);
  view->placed = ref_allocate(view->placed_count, sizeof *view->placed);
  for (size_t i = 0; i < view->placed_count; i++)
    view->placed[i] = placed[i].symbol;
  free(placed);
}

void ref_view_make(ref_view *view, const ref_cubin *cubin, const char *file) {
  *view = (ref_view){.cubin = cubin, .file = file};
  view->sections = ref_allocate(cubin->section_count, sizeof *view->sections);
  view->symbols = ref_allocate(cubin->symbol_count, sizeof *view->symbols);
  for (size_t i = 0; i < cubin->section_count; i++) {
    ref_text text = {0};
    if (i == 0)
      ref_text_add(&text, "the null section");
    else if (!*cubin->sections[i].name)
      ref_text_add(&text, "unnamed section");
    else
      ref_text_add_name(&text, cubin->sections[i].name);
    view->sections[i] = ref_text_take(&text);
  }
  for (size_t i = 0; i < cubin->symbol_count; i++)
    view->symbols[i] = ref_make_symbol_label(cubin, i);
  ref_number_duplicates(view->sections, cubin->section_count);
  ref_number_duplicates(view->symbols, cubin->symbol_count);
  ref_view_place_symbols(view);
  ref_labelled *sorted = ref_sort_labels(view->sections, cubin->section_count);
  view->by_label = ref_allocate(cubin->section_count, sizeof *view->by_label);
  for (size_t i = 0; i < cubin->section_count; i++)
    view->by_label[i] = (uint32_t)sorted[i].index;
  free(sorted);
}

void ref_view_free(ref_view *view) {
  if (!view->cubin)
    return;
  for (size_t i = 0; i < view->cubin->section_count; i++)
    free(view->sections[i]);
  for (size_t i = 0; i < view->cubin->symbol_count; i++)
    free(view->symbols[i]);
  free(view->sections);
  free(view->symbols);
  free(view->placed);
  free(view->by_label);
  *view = (ref_view){0};
}

uint32_t ref_view_find_section(const ref_view *view, const char *label) {
  size_t low = 0, high = view->cubin->section_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = strcmp(view->sections[view->by_label[middle]], label);
    if (order == 0)
      return view->by_label[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return REF_NO_INDEX;
}

void ref_add_section_label(ref_text *text, const ref_view *view, uint32_t section) {
  if (section < view->cubin->section_count)
    ref_text_add(text, "%s", view->sections[section]);
  else
    ref_text_add(text, "section %u (there are %zu)", section, view->cubin->section_count);
}

void ref_add_symbol_label(ref_text *text, const ref_view *view, uint32_t symbol) {
  if (symbol < view->cubin->symbol_count)
    ref_text_add(text, "%s", view->symbols[symbol]);
  else
    ref_text_add(text, "symbol %u (there are %zu)", symbol, view->cubin->symbol_count);
}

void ref_add_symbol_section(ref_text *text, const ref_view *view, const ref_symbol *symbol) {
  if (symbol->section == 0)
    ref_text_add(text, "undefined");
  else if (symbol->raw_section == 0xfff1)
    ref_text_add(text, "absolute");
  else if (symbol->raw_section == 0xfff2)
    ref_text_add(text, "common");
  else
    ref_add_section_label(text, view, symbol->section);
}

/* The last symbol of the section that starts at or before the offset and whose size reaches over it. Only the nearest
 * few are looked at: symbols that overlap that deeply are none that a compiler made. */
static const ref_symbol *ref_view_find_covering(const ref_view *view, uint32_t section, uint64_t offset,
                                                uint32_t *index) {
  size_t low = 0, high = view->placed_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const ref_symbol *symbol = &view->cubin->symbols[view->placed[middle]];
    if (symbol->section < section || (symbol->section == section && symbol->value <= offset))
      low = middle + 1;
    else
      high = middle;
  }
  for (int looked = 0; low > 0 && looked < SYMBOLS_LOOKED_AT; low--, looked++) {
    const ref_symbol *symbol = &view->cubin->symbols[view->placed[low - 1]];
    if (symbol->section != section)
      return NULL;
    *index = view->placed[low - 1];
    if (offset - symbol->value < symbol->size)
      return symbol;
  }
  return NULL;
}

void ref_add_place(ref_text *text, const ref_view *view, uint32_t section, uint64_t offset) {
  uint32_t index = 0;
  const ref_symbol *symbol = ref_view_find_covering(view, section, offset, &index);
  const uint64_t inside = symbol ? offset - symbol->value : offset;
  if (symbol)
    ref_text_add(text, "%s+0x%llx", view->symbols[index], (unsigned long long)inside);
  else {
    ref_add_section_label(text, view, section);
    ref_text_add(text, "+0x%llx", (unsigned long long)inside);
  }
}

void ref_add_section_link(ref_text *text, const ref_view *view, uint32_t section) {
  const uint32_t link = view->cubin->sections[section].link;
  if (link == 0)
    ref_text_add(text, "0");
  else {
    ref_text_add(text, "section ");
    ref_add_section_label(text, view, link);
  }
}

void ref_add_section_info(ref_text *text, const ref_view *view, uint32_t index) {
  const ref_section *section = &view->cubin->sections[index];
  if (section->info == 0)
    ref_text_add(text, "0");
  else if (section->type == TYPE_SYMTAB) {
    ref_text_add(text, "first global symbol: ");
    if (section->info == view->cubin->symbol_count)
      ref_text_add(text, "none");
    else
      ref_add_symbol_label(text, view, section->info);
  } else if (section->type == 1 && section->flags & FLAG_EXECUTE) {
    /* F45: the register count is there on sm_75 to sm_89 only. */
    ref_text_add(text, "function ");
    ref_add_symbol_label(text, view, section->info & 0xffffff);
    if (section->info >> 24)
      ref_text_add(text, ", %u registers", section->info >> 24);
  } else if (section->type == TYPE_REL || section->type == TYPE_RELA || section->flags & FLAG_INFO_LINK) {
    ref_text_add(text, "section ");
    ref_add_section_label(text, view, section->info);
  } else
    ref_text_add(text, "0x%x", section->info);
}

const char *ref_section_owner(const char *name) {
  static const char *const prefixes[] = {".rela.text.", ".rel.text.",  ".nv.resolvedrela.text.", ".text.",
                                         ".nv.info.",   ".nv.shared.", ".nv.capmerc.text.",      ".nv.merc.nv.info.",
                                         ".nv.local.",  ".nv.uft.rel."};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return name + strlen(prefixes[i]);
  const char *bank = strstr(name, ".nv.constant");
  const char *dot = bank ? strchr(bank + strlen(".nv.constant"), '.') : NULL;
  return dot ? dot + 1 : "";
}

void ref_add_prototype(ref_text *text, const ref_view *view, uint32_t offset) {
  const ref_cubin *cubin = view->cubin;
  if (cubin->string_section < cubin->section_count && offset >= cubin->sections[cubin->string_section].size) {
    ref_text_add(text, "prototype at 0x%x (outside the string table)", offset);
    return;
  }
  ref_text_add(text, "prototype '");
  ref_text_add_name(text, ref_cubin_string(cubin, cubin->string_section, offset));
  ref_text_add(text, "'");
}

/* F64: {u32 index, u16 ordinal, u16 offset, u32 packed}. */
/* The first word is the symbol of a texture that is a parameter, else 0 (I4). */
static void ref_add_kernel_parameter(ref_text *text, const ref_view *view, const uint8_t *at, bool second_form) {
  const uint32_t packed = ref_u32(at + 8);
  if (ref_u32(at) != 0) {
    ref_add_symbol_label(text, view, ref_u32(at));
  } else {
    ref_text_add(text, "index 0");
  }
  ref_text_add(text, ", parameter %u at offset 0x%x, ", ref_u16(at + 4), ref_u16(at + 6));
  if (second_form)
    ref_text_add(text, "size %u", packed);
  else
    ref_text_add(text, "size %u (log2 align %u, space %u, bank 0x%x, bit 17 %u)", packed >> 18, packed & 0xff,
                 packed >> 8 & 15, packed >> 12 & 31, packed >> 17 & 1);
}

static size_t ref_add_payload_words(ref_text *text, const ref_view *view, const ref_attribute *attribute,
                                    ref_payload payload) {
  size_t at = 0;
  for (; at + 4 <= attribute->size; at += 4) {
    const uint32_t word = ref_u32(attribute->data + at);
    ref_text_add(text, "%s", at ? ", " : "");
    if (payload == REF_PAYLOAD_SYMBOLS || (payload == REF_PAYLOAD_SYMBOL_FIRST && at == 0))
      ref_add_symbol_label(text, view, word);
    else
      ref_text_add(text, "%s0x%x", payload == REF_PAYLOAD_OFFSETS ? "+" : "", word);
  }
  return at;
}

void ref_add_attribute_value(ref_text *text, const ref_view *view, const ref_attribute *attribute) {
  const ref_attribute_row *row = ref_find_attribute_row(attribute->code);
  const ref_payload payload = row ? row->payload : REF_PAYLOAD_WORDS;
  size_t shown = 0;
  if (attribute->format != 4) {
    /* F61: the value is one byte in format 2, with a second byte that is padding. */
    ref_text_add(text, "0x%x", attribute->format == 2 ? attribute->data[0] : ref_u16(attribute->data));
    if (attribute->format == 2 && attribute->data[1])
      ref_text_add(text, " (padding 0x%02x)", attribute->data[1]);
    return;
  }
  if (payload == REF_PAYLOAD_PARAM_CBANK && attribute->size >= 8) {
    ref_add_symbol_label(text, view, ref_u32(attribute->data));
    ref_text_add(text, ", offset 0x%x, size 0x%x", ref_u16(attribute->data + 4), ref_u16(attribute->data + 6));
    shown = 8;
  } else if ((payload == REF_PAYLOAD_KPARAM || payload == REF_PAYLOAD_KPARAM_V2) && attribute->size >= 12) {
    ref_add_kernel_parameter(text, view, attribute->data, payload == REF_PAYLOAD_KPARAM_V2);
    shown = 12;
  } else
    shown = ref_add_payload_words(text, view, attribute, payload);
  if (shown < attribute->size)
    ref_text_add(text, "%sbytes", shown ? ", then " : "");
  for (; shown < attribute->size; shown++)
    ref_text_add(text, " %02x", attribute->data[shown]);
  if (attribute->size == 0)
    ref_text_add(text, "empty");
}
