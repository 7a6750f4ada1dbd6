/* The SASS side's debug data (L1480). nvlink makes them from the Mercury view's: the bytes are the same, and so are the
 * entries, but for places in the code, which are those of the instructions of the body that stands (L780). Whatever the
 * inputs' SASS sides have counts for nothing. Line tables, frames and tables of registers have steps of their own (lines.c,
 * frames.c, registers.c). Places in a table that ptxas laid out are written likewise (L1740). */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/sass_type.h"
#include "cubin/elf.h"

#include <string.h>

/* What an entry adds: the address of code is that of an instruction (L1484). */
static uint64_t places_addend(finalizer *f, const tl_kept *kept) {
  enum { CODE_WORD = TL_R_MERCURY + 0x3c, CODE_ADDRESS };
  const tl_symbol *const symbol = &f->mercury->module->symbols.items[kept->symbol];
  const uint32_t text = symbol->section;
  if ((kept->type != CODE_WORD && kept->type != CODE_ADDRESS) || tl_type_of(symbol) != STT_FUNC || text == TL_NONE ||
      !(final_mercury(f, text)->flags & SHF_EXECINSTR))
    return (uint64_t)kept->addend;
  const tl_code *const map = final_code_map_of(f, text);
  const uint64_t place = (uint64_t)kept->addend;
  return map ? tl_code_translate(map, place, final_view_size(f->sass, f->sass_section[text])) : (uint64_t)kept->addend;
}

/* Whether an entry says where the line table of a unit of .debug_info is (L768). */
static bool places_is_line_unit(const finalizer *f, const tl_kept *kept) {
  enum { PLACE = TL_R_MERCURY + 8 };
  const tl_symbol *const symbol = &f->mercury->module->symbols.items[kept->symbol];
  return kept->type == PLACE && tl_type_of(symbol) == STT_SECTION && symbol->section != TL_NONE &&
         strcmp(tl_module_text(f->mercury->module, final_mercury(f, symbol->section)->name), ".debug_line") == 0;
}

/* Whether an entry says a place in the code, which is written instead; in relocatable outputs that of a line table stays. */
static bool places_is_written(const finalizer *f, const tl_kept *kept) {
  const bool place = tl_relocation_is_code_place(tl_relocation_in_view(kept->type, true));
  return place && (f->mercury->module->mode->final || !places_is_line_unit(f, kept));
}

bool final_is_debug(const finalizer *f, uint32_t section) {
  const tl_section *const m = final_mercury(f, section);
  return m->type == SHT_PROGBITS && !(m->flags & (SHF_ALLOC | SHF_EXECINSTR));
}

/* In an executable shared memory lies behind what is reserved (L617). */
uint64_t final_place_value(const finalizer *f, const tl_kept *kept) {
  const uint32_t sass = f->sass_symbol[kept->symbol];
  if (sass == TL_NONE)
    return (uint64_t)kept->addend;
  const tl_symbol *const s = &f->sass->module->symbols.items[sass];
  const tl_layout *const layout = f->sass->emitted->layout;
  const bool behind = s->shared && f->sass->module->mode->final && tl_symbol_is_listed(f->sass->module, layout, sass);
  return layout->symbol_value[sass] + (behind ? s->shared_places * layout->reserved : 0) + (uint64_t)kept->addend;
}

/* A section's bytes and, once something is written, their copy; NULL for zeros. */
typedef struct places_bytes {
  const uint8_t *bytes;
  uint8_t *copy;
  uint64_t size;
} places_bytes;

static void places_put(finalizer *f, const tl_kept *kept, uint64_t value, places_bytes *to) {
  const tl_relocation_row *const row = tl_relocation_in_view(kept->type, true);
  const unsigned width = row->fields[0].width / 8u;
  if (kept->offset > to->size || width > to->size - kept->offset)
    return;
  if (!to->copy)
    to->copy = to->bytes ? tl_arena_copy(f->arena, to->bytes, to->size) : final_new(f, to->size);
  tl_put(to->copy + kept->offset, value >> row->fields[0].shift, width);
}

const uint8_t *final_debug_data(finalizer *f, uint32_t section, const uint8_t *bytes, uint64_t size) {
  const final_entry_list list = final_entries_of(&f->mercury_entries, final_mercury(f, section)->relocations[1]);
  places_bytes to = {bytes, NULL, size};
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i];
    const bool unit = places_is_line_unit(f, kept);
    if (places_is_written(f, kept))
      places_put(f, kept, unit ? final_line_unit(f, (uint64_t)kept->addend) : final_place_value(f, kept), &to);
  }
  return to.copy ? to.copy : bytes;
}

const uint8_t *final_bank_places(finalizer *f, uint32_t section, uint64_t size) {
  const tl_section *const m = final_mercury(f, section);
  const uint32_t containers[] = {m->relocations[1], m->laid_out};
  places_bytes to = {NULL, NULL, size};
  for (size_t c = 0; c < sizeof containers / sizeof *containers; c++) {
    const final_entry_list list = final_entries_of(&f->mercury_entries, containers[c]);
    for (size_t i = 0; i < list.count; i++)
      if (tl_relocation_is_code_place(tl_relocation_in_view(list.items[i]->type, true)))
        places_put(f, list.items[i], final_place_value(f, list.items[i]), &to);
  }
  return to.copy;
}

const uint8_t *final_data_relocations(finalizer *f, uint32_t section, uint64_t *size) {
  enum { LINE_UNIT = 1 };
  const final_entry_list list = final_entries_of(&f->mercury_entries, section);
  uint8_t *const bytes = final_new(f, list.count * ELF_RELA_SIZE);
  const bool translated = final_is_debug(f, final_mercury(f, section)->about) && final_has_registers(f);
  *size = 0;
  for (size_t i = 0; i < list.count; i++) {
    const tl_kept *const kept = list.items[i];
    uint8_t *const at = bytes + *size;
    const bool nothing = kept->type == 0 || kept->type == TL_R_MERCURY; /* L1548, L1568, L1790 */
    if (nothing || places_is_written(f, kept))
      continue;
    const bool unit = places_is_line_unit(f, kept);
    const uint32_t type = unit ? LINE_UNIT : tl_sass_type_in_data(kept->type);
    tl_put64(at, kept->offset);
    tl_put64(at + 8, (uint64_t)f->mercury->emitted->symbol_index[kept->symbol] << 32 | type);
    tl_put64(at + 16, unit         ? final_line_unit(f, (uint64_t)kept->addend)
                      : translated ? places_addend(f, kept)
                                   : (uint64_t)kept->addend);
    *size += ELF_RELA_SIZE;
  }
  return bytes;
}
