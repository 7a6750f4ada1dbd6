/* The two symbol tables (M8, M15): the same symbols with the same indices, each with its own view's sections, values and
 * sizes; behind those of .symtab the section symbols of the kernels' parameter banks. */
#include "finalize/parts.h"

#include "base/bytes.h"
#include "catalog/defect.h"
#include "cubin/elf.h"

#include <string.h>

/* st_shndx from the module's section. */
static uint16_t symbols_section(const finalizer *f, uint32_t symbol, bool mercury) {
  const uint32_t section = f->mercury->emitted->layout->symbol_section[symbol];
  if (section == TL_NONE)
    return f->mercury->module->symbols.items[symbol].waits ? SHN_COMMON : SHN_UNDEF; /* D3 */
  return (uint16_t)(mercury && f->mirror[section] ? f->mirror[section] : final_plain_index(f, section));
}

bool final_names_first(const finalizer *f, uint32_t symbol) {
  const uint32_t section = f->mercury->module->symbols.items[symbol].section;
  const uint32_t owner = section == TL_NONE ? TL_NONE : final_mercury(f, section)->owner;
  const uint32_t *const index = f->mercury->emitted->symbol_index;
  const bool first = owner != TL_NONE && owner != symbol && !final_is_inner(f, symbol) && index[symbol] &&
                     index[symbol] < index[owner];
  if (!first || tl_defect_matched(f->mercury->module->options, TL_DEFECT_D102))
    return first;
  tl_defect_note(f->mercury->module->diagnostics, TL_DEFECT_D102,
                 tl_module_text(f->mercury->module, f->mercury->module->symbols.items[symbol].name));
  return false; /* L899 */
}

/* The function whose size the first name of a text has (L104), otherwise TL_NONE. An alias that leads its function can be
 * that name, and so can a function before the alias that leads it (L807). */
static uint32_t symbols_sized_as(const finalizer *f, uint32_t symbol, bool *named) {
  const tl_symbol *const m = &f->mercury->module->symbols.items[symbol];
  const tl_section *const text =
      tl_type_of(m) == STT_FUNC && m->section != TL_NONE ? final_mercury(f, m->section) : NULL;
  if (!text || text->owner == TL_NONE || named[m->section])
    return TL_NONE;
  const uint32_t *const index = f->mercury->emitted->symbol_index;
  const uint32_t function = text->measured == TL_NONE ? text->owner : text->measured;
  const bool leads = symbol == text->owner && index[symbol] < index[function];
  named[m->section] = leads || final_names_first(f, symbol);
  return named[m->section] ? function : TL_NONE;
}

/* M17 */
static uint64_t symbols_reserved(const finalizer *f) {
  return f->mercury->module->mode->final ? TL_RESERVED_SHARED : 0;
}

/* L1272: before an executable is made the reserved shared memory is Mercury's, whatever the input's SASS side has. */
static bool symbols_is_mercury_s(const finalizer *f, const tl_symbol *m) {
  return !f->mercury->module->mode->final && m->section != TL_NONE &&
         final_mercury(f, m->section)->type == SHT_CUDA_RESERVED_SHARED;
}

static void symbols_fill_sass(finalizer *f, uint32_t symbol, bool *named, uint8_t *at) {
  const tl_symbol *const m = &f->mercury->module->symbols.items[symbol];
  if (tl_type_of(m) == STT_SECTION) {
    if (f->renamed[m->section])
      tl_put32(at, f->renamed[m->section]);
    return;
  }
  const uint32_t sass = f->sass_symbol[symbol];
  const uint32_t index = f->sass->emitted->symbol_index[sass];
  const tl_table *const table = &f->sass->emitted->tables[f->sass->module->symtab];
  if (!index)
    final_disagree(f, "a symbol is listed in its Mercury view alone");
  const uint8_t *const own = table->bytes + (uint64_t)index * ELF_SYMBOL_SIZE;
  if (tl_get16(own + 6) != SHN_UNDEF) { /* an undefined one stays as the Mercury view has it, but for its value */
    at[4] = own[4];
    at[5] = own[5];
  } else if (f->mercury->module->mode->final && (at[4] & 15) == STT_CUDA_OBJECT &&
             at[5] & STO_SPACE_MASK) { /* M8, L586, L840 */
    at[4] = (uint8_t)((at[4] & 0xf0) | STT_OBJECT);
    at[5] &= (uint8_t)~STO_SPACE_MASK;
  }
  const uint64_t mercury_value = tl_get64(at + 8);
  const bool undefined = tl_get16(own + 6) == SHN_UNDEF;
  if (!symbols_is_mercury_s(f, m))
    memcpy(at + 8, own + 8, 16);
  if ((m->external_shared || ((m->shared || m->misplaced) && f->mercury->module->mode->final)) &&
      !undefined) /* behind the reserved part, also where it is all there is; once (L865) */
    tl_put64(at + 8, mercury_value + symbols_reserved(f));
  else if (undefined && (m->other & STO_SPACE_MASK) == STO_SHARED) /* L1721 */
    tl_put64(at + 8, tl_get64(own + 8) + symbols_reserved(f));
  if (final_is_slot(f, symbol))
    final_slot_symbol(f, symbol, at);
  if (final_is_inner(f, symbol))
    final_inner_symbol(f, symbol, at);
  const uint32_t like = symbols_sized_as(f, symbol, named);
  if (like != TL_NONE)
    tl_put64(at + 16, f->sass->module->symbols.items[f->sass_symbol[like]].size);
}

/* L746: the number of symbol 0's section is taken for that of a section of this view. */
static uint16_t symbols_null_section(const finalizer *f, uint16_t number) {
  const uint32_t section =
      number && number <= f->mercury->emitted->section_count ? f->mercury->emitted->order[number - 1] : TL_NONE;
  return section != TL_NONE && f->mirror[section] ? (uint16_t)f->mirror[section] : number;
}

void final_symbols(finalizer *f) {
  const tl_emitted *const e = f->mercury->emitted;
  const tl_table *const table = &e->tables[f->mercury->module->symtab];
  const uint64_t more = f->constants.count * ELF_SYMBOL_SIZE;
  uint8_t *const sass = final_new(f, table->size + more), *const mercury = final_new(f, table->size);
  bool *const named = tl_arena_new(f->arena, bool, f->mercury->module->sections.count);
  memcpy(sass, table->bytes, table->size);
  memcpy(mercury, table->bytes, table->size);
  tl_put16(mercury + 6, symbols_null_section(f, tl_get16(mercury + 6)));
  for (uint32_t i = 0; i < e->symbols.count; i++) {
    const uint32_t symbol = e->symbols.items[i];
    const uint64_t at = ((uint64_t)i + 1) * ELF_SYMBOL_SIZE;
    tl_put16(mercury + at + 6, symbols_section(f, symbol, true));
    tl_put16(sass + at + 6, symbols_section(f, symbol, false));
    symbols_fill_sass(f, symbol, named, sass + at);
  }
  for (uint32_t i = 0; i < f->constants.count; i++) {
    uint8_t *const at = sass + table->size + (uint64_t)i * ELF_SYMBOL_SIZE;
    tl_put32(at, final_add_string(f, tl_module_text(f->mercury->module, final_sass(f, f->constants.items[i])->name)));
    at[4] = STT_SECTION;
    tl_put16(at + 6, (uint16_t)(f->first_constant + i));
  }
  final_section *const plain = &f->sections.items[final_plain_index(f, f->mercury->module->symtab)];
  plain->bytes = sass;
  plain->size = table->size + more;
  plain->info = f->constants.count ? (uint32_t)(plain->size / ELF_SYMBOL_SIZE) : e->first_global;
  final_section *const second = &f->sections.items[f->mercury_symtab];
  second->bytes = mercury;
  second->size = table->size;
  second->info = e->first_global;
}
