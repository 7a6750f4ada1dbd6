/* RF1057: nvlink's finalizer reads the line tables of each capsule when it reads the file, and those of its own output. Two sequences of a unit whose
 * addresses have entries about one symbol, the null symbol too, end the link: in the file the first entry at an address counts, whatever its type. */
#include "capsule.h"
#include "line_program.h"

#include <string.h>

enum { LENGTH_BYTES = 4, HEADER_LENGTH_AT = 6, PROGRAM_AT = 10, SMALLEST_UNIT = OPERAND_COUNTS_AT + 1 };

typedef struct ref_line_table {
  ref_link *link;
  const ref_file *file;
  ref_map entries; /* the symbol of the first entry at an offset */
  ref_map seen;    /* by unit and symbol */
} ref_line_table;

static void ref_line_table_list(ref_line_table *table, uint32_t number) {
  const size_t count = ref_cubin_relocation_count(&table->file->whole, number);
  for (size_t i = count; i-- > 0;) {
    const ref_relocation entry = ref_cubin_relocation(&table->file->whole, number, i);
    ref_map_set(table->link, &table->entries, REF_KEY(table->link, entry.offset), entry.symbol);
  }
}

static void ref_line_table_check_unit(ref_line_table *table, const uint8_t *unit, uint64_t size, uint64_t offset) {
  uint64_t at = PROGRAM_AT + (uint64_t)ref_u32(unit + HEADER_LENGTH_AT), address_at = 0;
  if (at > size || unit[FIRST_SPECIAL_AT] + (uint64_t)OPERAND_COUNTS_AT > at) {
    return; /* D40, later */
  }
  while (ref_lines_step(unit, size, &at, &address_at)) {
    const size_t symbol =
        address_at == 0 ? REF_NONE : ref_map_find(&table->entries, REF_KEY(table->link, offset + address_at));
    address_at = 0;
    if (symbol == REF_NONE) {
      continue;
    }
    if (ref_map_find(&table->seen, REF_KEY(table->link, offset, symbol)) != REF_NONE) {
      ref_message_add(table->link, REF_FATAL, "RF1057", "Duplicate debug line sequence for a section found");
      ref_message_fatal(table->link, "E91", "Internal FNLZR error '%s'", table->file->name);
    }
    ref_map_set(table->link, &table->seen, REF_KEY(table->link, offset, symbol), 0);
  }
}

static void ref_line_table_check(ref_link *link, const ref_file *file, const ref_section *section, uint32_t entries) {
  ref_line_table table = {.link = link, .file = file};
  ref_line_table_list(&table, entries);
  for (uint64_t at = 0; section->data != NULL && section->size - at >= SMALLEST_UNIT;) {
    const uint64_t size = LENGTH_BYTES + (uint64_t)ref_u32(section->data + at);
    if (size > section->size - at || size < SMALLEST_UNIT) {
      return;
    }
    ref_line_table_check_unit(&table, section->data + at, size, at);
    at += size;
  }
}

static uint32_t ref_line_table_find(const ref_cubin *whole, const char *name) {
  for (uint32_t i = 1; i < whole->section_count; i++) {
    if ((whole->sections[i].flags & REF_FLAG_MERCURY) != 0 && strcmp(whole->sections[i].name, name) == 0) {
      return i;
    }
  }
  return 0;
}

void ref_line_inputs_check(ref_link *link, const ref_file *file) {
  static const char *const names[][2] = {{".nv.merc.debug_line", ".nv.merc.rela.debug_line"},
                                         {".nv.merc.nv_debug_line_sass", ".nv.merc.rela.nv_debug_line_sass"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const uint32_t lines = ref_line_table_find(&file->whole, names[i][0]);
    const uint32_t entries = ref_line_table_find(&file->whole, names[i][1]);
    if (lines != 0 && entries != 0 && file->whole.sections[entries].type == REF_TYPE_MERCURY_RELA) {
      ref_line_table_check(link, file, &file->whole.sections[lines], entries);
    }
  }
}
