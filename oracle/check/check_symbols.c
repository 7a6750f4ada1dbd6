/* Symbols, what names them, and what lies where they say (F50 to F58, F63, F75, F76). */
#include "check_parts.h"

#include "ref_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_RESERVED = 0xff00, INDEX_EXTENDED = 0xffff, PAIR_BYTES = 8 };

static bool check_has_string(const ref_cubin *cubin, uint32_t table, uint32_t offset) {
  return table < cubin->section_count && offset < cubin->sections[table].size;
}

void check_symbol_indices(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  for (uint32_t i = 0; i < cubin->symbol_count; i++) {
    const ref_symbol *symbol = &cubin->symbols[i];
    const bool reserved = symbol->raw_section >= INDEX_RESERVED && symbol->raw_section != INDEX_EXTENDED;
    if (symbol->section >= cubin->section_count && !reserved) {
      check_found(context, cubin->symbol_section, 24 * (uint64_t)i, "symbol %u lies in section %u, which is none", i,
                  symbol->section);
    }
    if (!check_has_string(cubin, cubin->string_section, symbol->name_offset)) {
      check_found(context, cubin->symbol_section, 24 * (uint64_t)i, "symbol %u has a name outside the string table", i);
    }
  }
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    if (!check_has_string(cubin, cubin->section_name_index, cubin->sections[i].name_offset)) {
      check_found(context, i, 0, "section %u has a name outside the name table", i);
    }
  }
}

/* F63: where an attribute's payload has symbol indices: every `step` bytes from 0 on; 0 when it has none. */
static unsigned check_symbol_step(uint8_t code) {
  static const struct {
    uint8_t code, step;
  } rows[] = {{0x09, 8}, {0x0a, 8}, {0x0f, 4}, {0x11, 8}, {0x12, 8}, {0x23, 8}, {0x2f, 8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].code == code) {
      return rows[i].step;
    }
  }
  return 0;
}

static void check_attribute_section(ref_check_context *context, uint32_t i) {
  const ref_section *section = &context->output->sections[i];
  ref_attribute attribute;
  uint64_t end = 0;
  while (ref_cubin_next_attribute(section, &end, &attribute)) {
    const unsigned step = attribute.format == 4 ? check_symbol_step(attribute.code) : 0;
    for (unsigned at = 0; step != 0 && at + 4 <= attribute.size; at += step) {
      const uint32_t symbol = ref_u32(attribute.data + at);
      if (symbol == 0 || symbol >= context->output->symbol_count) {
        check_found(context, i, attribute.offset, "attribute 0x%02x names symbol %u", attribute.code, symbol);
      }
    }
  }
  if (end < section->size) {
    check_found(context, i, end, "0x%" PRIx64 " bytes that are no record", section->size - end);
  }
}

void check_record_indices(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const ref_section *section = &cubin->sections[i];
    if (section->type == TYPE_INFO) {
      check_attribute_section(context, i);
    }
    if (section->type != TYPE_PROTOTYPE || section->data == NULL) {
      continue;
    }
    for (uint64_t at = 0; at + PAIR_BYTES <= section->size; at += PAIR_BYTES) {
      if (ref_u32(section->data + at) >= cubin->symbol_count) {
        check_found(context, i, at, "a prototype of symbol %u", ref_u32(section->data + at));
      }
    }
  }
}

/* A capsule's symbol table ends with section symbols of bank 0 (W13), and sh_info lies behind them.
 * L310: nvlink counts as local what was weak when it first met it, and sh_info with it. */
static bool check_was_weak(const ref_check_context *context, const ref_symbol *symbol) {
  if (symbol->info >> 4 == BINDING_WEAK || context->link->input_count == 0 || context->capsule) {
    return true;
  }
  for (size_t i = 0; i < context->link->input_count; i++) {
    const ref_cubin *cubin = context->link->inputs[i].cubin;
    for (size_t k = 1; k < cubin->symbol_count; k++) {
      if (cubin->symbols[k].info >> 4 == BINDING_WEAK && strcmp(cubin->symbols[k].name, symbol->name) == 0) {
        return true;
      }
    }
  }
  return false;
}

void check_symbol_order(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  if (cubin->symbol_section == 0) {
    return;
  }
  const uint32_t first = cubin->sections[cubin->symbol_section].info;
  for (uint32_t i = 1; i < cubin->symbol_count && context->listed < REF_CHECK_FINDINGS_MAX; i++) {
    const bool local = cubin->symbols[i].info >> 4 == BINDING_LOCAL;
    if (local != (i < first) && (local || !check_was_weak(context, &cubin->symbols[i]))) {
      check_found(context, cubin->symbol_section, 24 * (uint64_t)i, "'%s' is %s and sh_info is %u",
                  cubin->symbols[i].name, local ? "local" : "neither local nor weak", first);
    }
  }
}

/* --- overlap ------------------------------------------------------------------------------------------------------ */

static int check_order_places(const void *a, const void *b) {
  const ref_symbol *x = *(const ref_symbol *const *)a, *y = *(const ref_symbol *const *)b;
  if (x->section != y->section) {
    return x->section < y->section ? -1 : 1;
  }
  if (x->value != y->value) {
    return x->value < y->value ? -1 : 1;
  }
  return x < y ? -1 : x > y;
}

static bool check_has_place(const ref_cubin *cubin, const ref_symbol *symbol) {
  const ref_section *section = check_symbol_section(cubin, symbol);
  const unsigned type = symbol->info & 15;
  return section != NULL && symbol->size > 0 && (type == SYMBOL_OBJECT || type == SYMBOL_CUDA_OBJECT) &&
         (section->type == TYPE_PROGBITS || section->type == TYPE_NOBITS) && !check_is_code(section) &&
         !check_has_prefix(section->name, ".nv.shared.reserved");
}

/* Shared memory is laid out over all kernels (`shared` looks at it kernel by kernel); here are the sections in which every
 * variable has its own bytes. Without inputs, and for -r outputs, nothing can be said. */
void check_overlap(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  const ref_symbol **placed = ref_allocate(cubin->symbol_count, sizeof *placed);
  size_t count = 0;
  for (uint32_t i = 1; context->executable && i < cubin->symbol_count; i++) {
    if (check_has_place(cubin, &cubin->symbols[i])) {
      placed[count++] = &cubin->symbols[i];
    }
  }
  if (count > 0) {
    qsort(placed, count, sizeof *placed, check_order_places);
  }
  for (size_t i = 0; i < count; i++) {
    const ref_symbol *symbol = placed[i], *before = i > 0 ? placed[i - 1] : NULL;
    const ref_section *section = &cubin->sections[symbol->section];
    if (symbol->value > section->size || symbol->size > section->size - symbol->value) {
      check_found(context, symbol->section, symbol->value, "'%s' has %" PRIu64 " bytes and does not fit its section",
                  symbol->name, symbol->size);
    }
    if (before != NULL && before->section == symbol->section && symbol->value - before->value < before->size &&
        !check_has_prefix(section->name, ".nv.shared.") && strcmp(section->name, ".nv_debug.shared") != 0) {
      check_found(context, symbol->section, symbol->value, "'%s' overlaps '%s'", symbol->name, before->name);
    }
  }
  free(placed);
}

/* --- alignment ---------------------------------------------------------------------------------------------------- */

/* A common symbol's st_value is its alignment; the largest of a name counts. */
void check_alignment(ref_check_context *context) {
  enum { SECTION_COMMON = 0xfff2 };
  for (uint32_t i = 1; context->executable && i < context->output->symbol_count; i++) {
    const ref_symbol *symbol = &context->output->symbols[i];
    if (!check_has_place(context->output, symbol) || symbol->info >> 4 == BINDING_LOCAL) {
      continue;
    }
    const check_names names = check_names_find(&context->inputs, symbol->name);
    for (size_t k = 0; k < names.count; k++) {
      const ref_check_file *input = &context->link->inputs[names.items[k].input];
      const ref_symbol *given = &input->cubin->symbols[names.items[k].index];
      if (given->section == SECTION_COMMON && given->value > 1 && symbol->value % given->value != 0) {
        check_found(context, symbol->section, symbol->value, "'%s' is not aligned to %" PRIu64 ", as '%s' says",
                    symbol->name, given->value, input->name);
      }
    }
  }
}

/* --- kept --------------------------------------------------------------------------------------------------------- */

void check_kept(ref_check_context *context) {
  const ref_cubin *cubin = context->output;
  for (uint32_t i = 1; i < cubin->section_count; i++) {
    const check_entries *kept = check_entries_of(&context->kept, i);
    for (size_t k = 0; k < kept->count; k++) {
      const ref_relocation *entry = &kept->items[k].relocation;
      if (entry->offset >= cubin->sections[i].size) {
        check_found(context, i, entry->offset, "relocation type %u lies past the end", entry->type);
      }
      if (entry->symbol >= cubin->symbol_count) {
        check_found(context, i, entry->offset, "relocation type %u names symbol %u of %zu", entry->type, entry->symbol,
                    cubin->symbol_count);
        continue;
      }
      const ref_symbol *symbol = &cubin->symbols[entry->symbol];
      const bool local = symbol->info >> 4 == BINDING_LOCAL;
      if (entry->symbol != 0 && local && symbol->section == 0 && (symbol->info & 15) < SYMBOL_TEXTURE) {
        check_found(context, i, entry->offset, "relocation type %u names '%s', local and without a section",
                    entry->type, symbol->name);
      }
    }
  }
}
