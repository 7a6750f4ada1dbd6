/* The builder's lower level: sections, symbols, relocations, records, and the finished file.
 *
 * tb_finish gives sections and symbols their final indices by rank (ptxas's order, F47 and the section table below), makes
 * the string tables, resolves the fixups, lays the sections out one behind the other and applies the overrides last. */
#include "cubin_builder_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 64, SECTION_BYTES = 64, SYMBOL_BYTES = 24, HOPPER = 90 };
enum { RANK_NAMES = 1, RANK_STRINGS, RANK_SYMBOLS, RANK_DEBUG, RANK_TOOL_NOTE, RANK_CUDA_NOTE, RANK_INFO, RANK_COMPAT };
enum { RANK_FUNCTION_INFO = 20, RANK_CALLGRAPH, RANK_PROTOTYPE, RANK_RELOCATION, RANK_CONSTANT, RANK_TEXT };
enum { RANK_GLOBAL_INIT = 40, RANK_GLOBAL, RANK_SHARED, RANK_CONSTANT0_LAST };
enum { SYMBOL_RANK_NOTE = 1, SYMBOL_RANK_LOCAL, SYMBOL_RANK_GRAPH, SYMBOL_RANK_GLOBAL, SYMBOL_RANK_LAST };

/* One row a kind of section: F20-F46. */
typedef struct tb_kind_row {
  uint32_t type;
  uint64_t flags, align, entry_size;
  int rank;
  bool has_bytes, links_symtab;
} tb_kind_row;

static const tb_kind_row kind_rows[TB_KIND_COUNT] = {
    [TB_KIND_TEXT] = {1, 0x6, 128, 0, RANK_TEXT, true, true},
    [TB_KIND_CONSTANT] = {0x70000067, 0x2, 4, 0, RANK_CONSTANT, true, false},
    [TB_KIND_SHARED] = {0x7000000a, 0x3, 1, 0, RANK_SHARED, false, false},
    [TB_KIND_GLOBAL] = {0x70000007, 0x3, 1, 0, RANK_GLOBAL, false, false},
    [TB_KIND_GLOBAL_INIT] = {0x70000008, 0x3, 1, 0, RANK_GLOBAL_INIT, true, false},
    [TB_KIND_DEBUG] = {1, 0, 1, 0, RANK_DEBUG, true, false},
    [TB_KIND_INFO] = {0x70000000, 0, 4, 0, RANK_INFO, true, true},
    [TB_KIND_FUNCTION_INFO] = {0x70000000, 0x40, 4, 0, RANK_FUNCTION_INFO, true, true},
    [TB_KIND_COMPAT] = {0x70000086, 0, 4, 0, RANK_COMPAT, true, false},
    [TB_KIND_CALLGRAPH] = {0x70000001, 0, 4, 8, RANK_CALLGRAPH, true, true},
    [TB_KIND_PROTOTYPE] = {0x70000002, 0, 4, 8, RANK_PROTOTYPE, true, true},
    [TB_KIND_TOOL_NOTE] = {7, 0x02000000, 4, 0, RANK_TOOL_NOTE, true, false},
    [TB_KIND_CUDA_NOTE] = {7, 0x01000000, 4, 0, RANK_CUDA_NOTE, true, false},
    [TB_KIND_REL] = {9, 0x40, 8, 16, RANK_RELOCATION, true, true},
    [TB_KIND_RELA] = {4, 0x40, 8, 24, RANK_RELOCATION, true, true},
    [TB_KIND_NAMES] = {3, 0, 1, 0, RANK_NAMES, true, false},
    [TB_KIND_STRINGS] = {3, 0, 1, 0, RANK_STRINGS, true, false},
    [TB_KIND_SYMBOLS] = {2, 0, 8, 24, RANK_SYMBOLS, true, false},
};

static void *tb_check(void *memory) {
  if (!memory) {
    fputs("cubin builder: out of memory\n", stderr);
    abort();
  }
  return memory;
}

void *tb_grow(void *array, size_t count, size_t *room, size_t element) {
  if (count < *room)
    return array;
  const size_t old = *room;
  *room = *room ? *room * 2 : 16;
  uint8_t *grown = tb_check(realloc(array, *room * element));
  memset(grown + old * element, 0, (*room - old) * element);
  return grown;
}

char *tb_join(const char *prefix, const char *name) {
  const size_t size = strlen(prefix) + strlen(name) + 1;
  char *joined = tb_check(malloc(size));
  (void)snprintf(joined, size, "%s%s", prefix, name);
  return joined;
}

char *tb_copy_string(const char *text) {
  return tb_join("", text);
}

void tb_put(uint8_t *at, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

tb_section tb_section_add(tb_cubin *cubin, tb_kind kind, const char *name, const void *bytes, uint64_t size) {
  const tb_kind_row *row = &kind_rows[kind];
  cubin->sections = tb_grow(cubin->sections, cubin->section_count, &cubin->section_room, sizeof *cubin->sections);
  const tb_section handle = (tb_section)cubin->section_count++;
  tb_section_data *section = &cubin->sections[handle];
  *section = (tb_section_data){.name = tb_copy_string(name),
                               .type = row->type,
                               .flags = row->flags,
                               .align = row->align,
                               .entry_size = row->entry_size,
                               .rank = row->rank,
                               .link = row->links_symtab ? cubin->symtab : 0};
  if (row->has_bytes) {
    section->bytes = tb_check(malloc(1));
    (void)tb_section_append(cubin, handle, bytes, size, 1);
  } else
    section->size = size;
  return handle;
}

tb_section tb_section_add_with_symbol(tb_cubin *cubin, tb_kind kind, const char *name, const void *bytes,
                                      uint64_t size) {
  const tb_section section = tb_section_add(cubin, kind, name, bytes, size);
  (void)tb_symbol_of_section(cubin, section);
  return section;
}

tb_section tb_section_find(const tb_cubin *cubin, const char *name) {
  for (tb_section i = 1; i < cubin->section_count; i++)
    if (strcmp(cubin->sections[i].name, name) == 0)
      return i;
  return 0;
}

tb_section_data *tb_section_edit(tb_cubin *cubin, tb_section section) {
  return &cubin->sections[section];
}

tb_section tb_section_of(const tb_cubin *cubin, tb_symbol symbol) {
  return cubin->symbols[symbol].section;
}

uint64_t tb_section_append(tb_cubin *cubin, tb_section handle, const void *bytes, uint64_t size, uint64_t align) {
  tb_section_data *section = &cubin->sections[handle];
  const uint64_t at = align > 1 ? (section->size + align - 1) / align * align : section->size;
  if (section->align < align)
    section->align = align;
  if (section->bytes) {
    section->bytes = tb_check(realloc(section->bytes, (size_t)(at + size) + 1));
    memset(section->bytes + section->size, 0, (size_t)(at + size - section->size));
    if (bytes && size)
      memcpy(section->bytes + at, bytes, (size_t)size);
  }
  section->size = at + size;
  return at;
}

static void tb_fixup_add(tb_cubin *cubin, tb_fixup fixup) {
  cubin->fixups = tb_grow(cubin->fixups, cubin->fixup_count, &cubin->fixup_room, sizeof *cubin->fixups);
  cubin->fixups[cubin->fixup_count++] = fixup;
}

void tb_section_symbol_at(tb_cubin *cubin, tb_section section, uint64_t at, tb_symbol symbol) {
  tb_fixup_add(cubin, (tb_fixup){.section = section, .at = at, .symbol = symbol});
}

void tb_section_string_at(tb_cubin *cubin, tb_section section, uint64_t at, const char *string) {
  tb_fixup_add(cubin, (tb_fixup){.section = section, .at = at, .string = tb_copy_string(string)});
}

void tb_section_clear(tb_cubin *cubin, tb_section section) {
  size_t kept = 0;
  for (size_t i = 0; i < cubin->fixup_count; i++)
    if (cubin->fixups[i].section == section)
      free(cubin->fixups[i].string);
    else
      cubin->fixups[kept++] = cubin->fixups[i];
  cubin->fixup_count = kept;
  cubin->sections[section].size = 0;
}

tb_symbol tb_symbol_add(tb_cubin *cubin, const tb_symbol_data *symbol) {
  cubin->symbols = tb_grow(cubin->symbols, cubin->symbol_count, &cubin->symbol_room, sizeof *cubin->symbols);
  const tb_symbol handle = (tb_symbol)cubin->symbol_count++;
  cubin->symbols[handle] = *symbol;
  cubin->symbols[handle].name = tb_copy_string(symbol->name ? symbol->name : "");
  return handle;
}

tb_symbol tb_symbol_find(const tb_cubin *cubin, const char *name) {
  for (tb_symbol i = 1; i < cubin->symbol_count; i++)
    if (strcmp(cubin->symbols[i].name, name) == 0)
      return i;
  return 0;
}

tb_symbol_data *tb_symbol_edit(tb_cubin *cubin, tb_symbol symbol) {
  return &cubin->symbols[symbol];
}

tb_symbol tb_symbol_of_section(tb_cubin *cubin, tb_section section) {
  for (tb_symbol i = 1; i < cubin->symbol_count; i++)
    if (cubin->symbols[i].section == section && cubin->symbols[i].type == TB_SECTION_SYMBOL)
      return i;
  const tb_section_data *data = &cubin->sections[section];
  const tb_symbol_data symbol = {.name = data->name, .type = TB_SECTION_SYMBOL, .section = section};
  return tb_symbol_add(cubin, &symbol);
}

static tb_section tb_relocation_section(tb_cubin *cubin, tb_section target, tb_kind kind, const char *prefix) {
  for (tb_section i = 1; i < cubin->section_count; i++)
    if (cubin->sections[i].info_section == target && cubin->sections[i].type == kind_rows[kind].type)
      return i;
  char *name = tb_join(prefix, cubin->sections[target].name);
  const tb_section section = tb_section_add(cubin, kind, name, NULL, 0);
  cubin->sections[section].info_section = target;
  free(name);
  return section;
}

static void tb_relocation_add(tb_cubin *cubin, tb_section section, uint64_t offset, uint32_t type, tb_symbol symbol,
                              const int64_t *addend) {
  uint8_t entry[24] = {0};
  tb_put(entry, 8, offset);
  tb_put(entry + 8, 4, type);
  if (addend)
    tb_put(entry + 16, 8, (uint64_t)*addend);
  const uint64_t at = tb_section_append(cubin, section, entry, addend ? 24 : 16, 1);
  tb_section_symbol_at(cubin, section, at + 12, symbol);
}

void tb_rela(tb_cubin *cubin, tb_section target, uint64_t offset, uint32_t type, tb_symbol symbol, int64_t addend) {
  tb_relocation_add(cubin, tb_relocation_section(cubin, target, TB_KIND_RELA, ".rela"), offset, type, symbol, &addend);
}

void tb_rel(tb_cubin *cubin, tb_section target, uint64_t offset, uint32_t type, tb_symbol symbol) {
  tb_relocation_add(cubin, tb_relocation_section(cubin, target, TB_KIND_REL, ".rel"), offset, type, symbol, NULL);
}

static tb_section tb_attribute_section(tb_cubin *cubin, tb_symbol function) {
  if (!function)
    return cubin->info;
  const tb_function_data *data = tb_function_find(cubin, function);
  if (!data) {
    fputs("cubin builder: attribute of a symbol that is no function of this cubin\n", stderr);
    abort();
  }
  return data->info;
}

void tb_attribute(tb_cubin *cubin, tb_symbol function, uint8_t format, uint8_t code, const void *payload,
                  uint16_t size) {
  const tb_section section = tb_attribute_section(cubin, function);
  uint8_t head[4] = {format, code, 0, 0};
  tb_put(head + 2, 2, size);
  (void)tb_section_append(cubin, section, head, sizeof head, 1);
  (void)tb_section_append(cubin, section, payload, size, 1);
}

void tb_attribute_value(tb_cubin *cubin, tb_symbol function, uint8_t format, uint8_t code, uint16_t value) {
  uint8_t record[4] = {format, code, 0, 0};
  tb_put(record + 2, 2, value);
  (void)tb_section_append(cubin, tb_attribute_section(cubin, function), record, sizeof record, 1);
}

void tb_attribute_symbols(tb_cubin *cubin, tb_symbol function, uint8_t code, const tb_symbol *symbols,
                          size_t symbol_count, const void *rest, uint16_t rest_size) {
  const tb_section section = tb_attribute_section(cubin, function);
  uint8_t head[4] = {4, code, 0, 0}, word[4] = {0};
  tb_put(head + 2, 2, symbol_count * 4 + rest_size);
  (void)tb_section_append(cubin, section, head, sizeof head, 1);
  for (size_t i = 0; i < symbol_count; i++)
    tb_section_symbol_at(cubin, section, tb_section_append(cubin, section, word, 4, 1), symbols[i]);
  (void)tb_section_append(cubin, section, rest, rest_size, 1);
}

void tb_compat(tb_cubin *cubin, uint8_t code, uint16_t value) {
  if (!cubin->compat)
    return;
  tb_section_data *compat = &cubin->sections[cubin->compat];
  for (uint64_t at = 0; at + 4 <= compat->size; at += 4u + (compat->bytes[at] == 4 ? compat->bytes[at + 2] : 0u))
    if (compat->bytes[at + 1] == code) {
      tb_put(compat->bytes + at + 2, 2, value);
      return;
    }
  uint8_t record[4] = {code == 7 || code == 8 ? 3 : 2, code, 0, 0};
  tb_put(record + 2, 2, value);
  (void)tb_section_append(cubin, cubin->compat, record, sizeof record, 1);
}

void tb_override(tb_cubin *cubin, tb_place place, uint32_t item, uint64_t offset, unsigned width, uint64_t value) {
  cubin->overrides = tb_grow(cubin->overrides, cubin->override_count, &cubin->override_room, sizeof *cubin->overrides);
  cubin->overrides[cubin->override_count++] = (tb_override_row){place, item, offset, value, width};
}

void tb_override_size(tb_cubin *cubin, uint64_t size) {
  cubin->size_overridden = true;
  cubin->overridden_size = size;
}

/* ---- the finished file ---- */

/* On sm_90 ptxas puts constant bank 0 behind everything else, and its section symbols behind the globals. */
static int tb_section_rank(const tb_cubin *cubin, const tb_section_data *section) {
  const bool last = section->type == 0x70000064 && section->rank == RANK_CONSTANT && cubin->sm >= HOPPER;
  return last ? RANK_CONSTANT0_LAST : section->rank;
}

static int tb_symbol_rank(const tb_cubin *cubin, const tb_symbol_data *symbol) {
  if (symbol->rank)
    return symbol->rank;
  if (symbol->binding == TB_GLOBAL)
    return SYMBOL_RANK_GLOBAL;
  if (symbol->type != TB_SECTION_SYMBOL)
    return SYMBOL_RANK_LOCAL;
  switch (tb_section_rank(cubin, &cubin->sections[symbol->section])) {
  case RANK_TOOL_NOTE:
  case RANK_CUDA_NOTE:
    return SYMBOL_RANK_NOTE;
  case RANK_CALLGRAPH:
  case RANK_PROTOTYPE:
    return SYMBOL_RANK_GRAPH;
  case RANK_CONSTANT0_LAST:
    return SYMBOL_RANK_LAST;
  default:
    return SYMBOL_RANK_LOCAL;
  }
}

typedef struct tb_ranked {
  int rank;
  uint32_t handle;
} tb_ranked;

static int tb_compare_ranked(const void *left, const void *right) {
  const tb_ranked *a = left, *b = right;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  return (a->handle > b->handle) - (a->handle < b->handle);
}

/* Sorted handles, the null entry first. */
static tb_ranked *tb_rank_sections(const tb_cubin *cubin, size_t *count) {
  tb_ranked *ranked = tb_check(calloc(cubin->section_count + 1, sizeof *ranked));
  *count = 1;
  for (tb_section i = 1; i < cubin->section_count; i++) {
    const tb_section_data *section = &cubin->sections[i];
    if (!section->dropped)
      ranked[(*count)++] = (tb_ranked){tb_section_rank(cubin, section), i};
  }
  qsort(ranked + 1, *count - 1, sizeof *ranked, tb_compare_ranked);
  return ranked;
}

static tb_ranked *tb_rank_symbols(const tb_cubin *cubin, size_t *count) {
  tb_ranked *ranked = tb_check(calloc(cubin->symbol_count + 1, sizeof *ranked));
  *count = 1;
  for (tb_symbol i = 1; i < cubin->symbol_count; i++)
    if (!cubin->symbols[i].section || !cubin->sections[cubin->symbols[i].section].dropped)
      ranked[(*count)++] = (tb_ranked){tb_symbol_rank(cubin, &cubin->symbols[i]), i};
  qsort(ranked + 1, *count - 1, sizeof *ranked, tb_compare_ranked);
  return ranked;
}

static uint32_t *tb_invert(const tb_ranked *ranked, size_t count, size_t handles) {
  uint32_t *indices = tb_check(calloc(handles + 1, sizeof *indices));
  for (size_t i = 1; i < count; i++)
    indices[ranked[i].handle] = (uint32_t)i;
  return indices;
}

/* A string table: whole strings, each once (W2.1); returns the string's offset. */
static uint32_t tb_string(tb_text *table, const char *string) {
  const size_t size = strlen(string) + 1;
  for (size_t at = 0; at + size <= table->size; at += strlen((const char *)table->bytes + at) + 1)
    if (strcmp((const char *)table->bytes + at, string) == 0)
      return (uint32_t)at;
  while (table->room < table->size + size)
    table->bytes = tb_grow(table->bytes, table->room, &table->room, 1);
  memcpy(table->bytes + table->size, string, size);
  table->size += size;
  return (uint32_t)(table->size - size);
}

static void tb_set_contents(tb_cubin *cubin, tb_section section, const tb_text *text) {
  cubin->sections[section].size = 0;
  (void)tb_section_append(cubin, section, text->bytes, text->size, 1);
}

/* Strings of the symbol names and prototypes; prototypes first, as ptxas has them (F76). */
static void tb_resolve_fixups(tb_cubin *cubin, tb_text *strings) {
  for (size_t i = 0; i < cubin->fixup_count; i++) {
    const tb_fixup *fixup = &cubin->fixups[i];
    const tb_section_data *section = &cubin->sections[fixup->section];
    if (section->bytes && fixup->at + 4 <= section->size)
      tb_put(section->bytes + fixup->at, 4,
             fixup->string ? tb_string(strings, fixup->string) : cubin->symbol_indices[fixup->symbol]);
  }
}

static void tb_make_symbol_table(tb_cubin *cubin, const tb_ranked *ranked, size_t count, tb_text *strings) {
  tb_text table = {tb_check(calloc(count, SYMBOL_BYTES)), count * SYMBOL_BYTES, count * SYMBOL_BYTES};
  uint32_t first_global = 1;
  for (size_t i = 1; i < count; i++) {
    const tb_symbol_data *symbol = &cubin->symbols[ranked[i].handle];
    uint8_t *at = table.bytes + i * SYMBOL_BYTES;
    tb_put(at, 4, tb_string(strings, symbol->name));
    at[4] = (uint8_t)(symbol->binding << 4 | symbol->type);
    at[5] = symbol->other;
    tb_put(at + 6, 2, symbol->section ? cubin->section_indices[symbol->section] : symbol->raw_section);
    tb_put(at + 8, 8, symbol->value);
    tb_put(at + 16, 8, symbol->size);
    if (symbol->binding != TB_GLOBAL)
      first_global = (uint32_t)i + 1;
  }
  tb_set_contents(cubin, cubin->symtab, &table);
  cubin->sections[cubin->symtab].info_number = first_global;
  free(table.bytes);
}

static uint64_t tb_align(uint64_t value, uint64_t align) {
  return align > 1 ? (value + align - 1) / align * align : value;
}

static void tb_write_file_header(const tb_cubin *cubin, uint8_t *file, uint64_t section_offset, size_t section_count) {
  static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8};
  memcpy(file, ident, sizeof ident);
  tb_put(file + 16, 2, 1);
  tb_put(file + 18, 2, 190);
  tb_put(file + 20, 4, 1);
  tb_put(file + 40, 8, section_offset);
  tb_put(file + 48, 4, cubin->section_indices[cubin->cuda_note] << 24 | cubin->sm << 8 | 4);
  tb_put(file + 52, 2, HEADER_BYTES);
  tb_put(file + 54, 2, cubin->sm >= HOPPER ? 0 : 56);
  tb_put(file + 58, 2, SECTION_BYTES);
  tb_put(file + 60, 2, section_count);
  tb_put(file + 62, 2, cubin->section_indices[cubin->names]);
}

static void tb_write_section_header(const tb_cubin *cubin, uint8_t *at, tb_section handle, uint32_t name,
                                    uint64_t offset) {
  const tb_section_data *section = &cubin->sections[handle];
  const uint32_t info = section->info_section  ? cubin->section_indices[section->info_section]
                        : section->info_symbol ? cubin->symbol_indices[section->info_symbol]
                                               : section->info_number;
  tb_put(at, 4, name);
  tb_put(at + 4, 4, section->type);
  tb_put(at + 8, 8, section->flags);
  tb_put(at + 16, 8, section->address);
  tb_put(at + 24, 8, offset);
  tb_put(at + 32, 8, section->size);
  tb_put(at + 40, 4, cubin->section_indices[section->link]);
  tb_put(at + 44, 4, info + (section->info_high << 24));
  tb_put(at + 48, 8, section->align);
  tb_put(at + 56, 8, section->entry_size);
}

/* Where every section's bytes stand, by rank; returns where the section headers begin. */
static uint64_t tb_lay_out(const tb_cubin *cubin, const tb_ranked *ranked, size_t count, uint64_t *offsets) {
  uint64_t end = HEADER_BYTES;
  for (size_t i = 1; i < count; i++) {
    const tb_section_data *section = &cubin->sections[ranked[i].handle];
    offsets[i] = tb_align(end, section->align);
    end = offsets[i] + (section->bytes ? section->size : 0);
  }
  return tb_align(end, 8);
}

static void tb_apply_override(const tb_cubin *cubin, const tb_override_row *row, const uint64_t *offsets,
                              uint64_t headers, uint8_t *file, size_t size) {
  uint64_t at = row->offset;
  switch (row->place) {
  case TB_PLACE_FILE:
    break;
  case TB_PLACE_SECTION:
    at += offsets[cubin->section_indices[row->item]];
    break;
  case TB_PLACE_SECTION_HEADER:
    at += headers + cubin->section_indices[row->item] * (uint64_t)SECTION_BYTES;
    break;
  case TB_PLACE_SYMBOL:
    at += offsets[cubin->section_indices[cubin->symtab]] + cubin->symbol_indices[row->item] * (uint64_t)SYMBOL_BYTES;
    break;
  }
  if (at <= size && row->width <= size - at)
    tb_put(file + at, row->width, row->value);
}

static uint8_t *tb_write_file(tb_cubin *cubin, const tb_ranked *ranked, size_t count, const uint32_t *names,
                              size_t *size) {
  uint64_t *offsets = tb_check(calloc(count + 1, sizeof *offsets));
  const uint64_t headers = tb_lay_out(cubin, ranked, count, offsets);
  *size = (size_t)headers + count * SECTION_BYTES;
  const size_t room = cubin->size_overridden && cubin->overridden_size > *size ? (size_t)cubin->overridden_size : *size;
  uint8_t *file = tb_check(calloc(room, 1));
  tb_write_file_header(cubin, file, headers, count);
  for (size_t i = 1; i < count; i++) {
    const tb_section_data *section = &cubin->sections[ranked[i].handle];
    if (section->bytes)
      memcpy(file + offsets[i], section->bytes, (size_t)section->size);
    tb_write_section_header(cubin, file + headers + i * SECTION_BYTES, ranked[i].handle, names[i], offsets[i]);
  }
  for (size_t i = 0; i < cubin->override_count; i++)
    tb_apply_override(cubin, &cubin->overrides[i], offsets, headers, file, *size);
  if (cubin->size_overridden)
    *size = (size_t)cubin->overridden_size;
  free(offsets);
  return file;
}

uint8_t *tb_finish(tb_cubin *cubin, size_t *size) {
  size_t section_count, symbol_count;
  tb_text strings = {0}, names = {0};
  tb_prepare_contents(cubin);
  tb_ranked *sections = tb_rank_sections(cubin, &section_count), *symbols = tb_rank_symbols(cubin, &symbol_count);
  free(cubin->section_indices);
  free(cubin->symbol_indices);
  cubin->section_indices = tb_invert(sections, section_count, cubin->section_count);
  cubin->symbol_indices = tb_invert(symbols, symbol_count, cubin->symbol_count);
  (void)tb_string(&strings, "");
  (void)tb_string(&names, "");
  tb_resolve_fixups(cubin, &strings);
  tb_make_symbol_table(cubin, symbols, symbol_count, &strings);
  tb_set_contents(cubin, cubin->strings, &strings);
  uint32_t *name_offsets = tb_check(calloc(section_count + 1, sizeof *name_offsets));
  for (size_t i = 1; i < section_count; i++)
    name_offsets[i] = tb_string(&names, cubin->sections[sections[i].handle].name);
  tb_set_contents(cubin, cubin->names, &names);
  uint8_t *file = tb_write_file(cubin, sections, section_count, name_offsets, size);
  free(name_offsets);
  free(strings.bytes);
  free(names.bytes);
  free(sections);
  free(symbols);
  return file;
}

uint32_t tb_section_index(const tb_cubin *cubin, tb_section section) {
  return cubin->section_indices[section];
}

uint32_t tb_symbol_index(const tb_cubin *cubin, tb_symbol symbol) {
  return cubin->symbol_indices[symbol];
}

void tb_free(tb_cubin *cubin) {
  if (!cubin)
    return;
  for (size_t i = 0; i < cubin->section_count; i++) {
    free(cubin->sections[i].name);
    free(cubin->sections[i].bytes);
  }
  for (size_t i = 0; i < cubin->symbol_count; i++)
    free((char *)cubin->symbols[i].name);
  for (size_t i = 0; i < cubin->fixup_count; i++)
    free(cubin->fixups[i].string);
  for (size_t i = 0; i < cubin->pair_count; i++)
    free(cubin->pairs[i].prototype);
  for (size_t i = 0; i < TB_TOOL_STRINGS; i++)
    free(cubin->tool_strings[i]);
  free(cubin->sections);
  free(cubin->symbols);
  free(cubin->fixups);
  free(cubin->overrides);
  free(cubin->pairs);
  free(cubin->functions);
  free(cubin->section_indices);
  free(cubin->symbol_indices);
  free(cubin);
}
